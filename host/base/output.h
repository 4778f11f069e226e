/* Output of commands: files that are replaced completely or not at all, stdout, and the capabilities of the
 * terminal. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

typedef int (*output_fn)(const void *what, FILE *out, struct err *err);

bool output_is_stdout(const char *path); /* "-"; NULL is not */

/* Writes a file through `write`; does nothing for NULL. Devices and pipes (/dev/stdout, a FIFO) are written to, not
 * replaced. */
int output_write(const char *path, output_fn write, const void *what, struct err *err);

/* Checks that output_write() will be able to write there, before much time is spent. Fails with exit 2. Leaves nothing
 * behind. */
int output_check(const char *path, struct err *err);

/* Flushes and reports whether everything was written: "cannot write the report: No space left on device". */
int output_end(FILE *out, const char *what, struct err *err);
/* Flushes stdout and reports whether everything was written. A reader that left early (`| head`) is no failure. */
int output_finish(struct err *err);

bool output_color(const char *when); /* auto, always, never; NULL: auto. Considers NO_COLOR and CLICOLOR_FORCE */
bool output_utf8(void);              /* main() must have set LC_CTYPE */
int output_width(void);              /* COLUMNS, or the terminal's width, or 100 */
int output_wrap(void);               /* width for text outside tables; 0: unlimited, because a program reads it */

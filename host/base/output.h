/* Output of commands: files that are replaced completely or not at all, stdout, and the capabilities of the
 * terminal. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

typedef int (*output_fn)(const void *what, FILE *out, struct err *err);

bool output_is_stdout(const char *path); /* true for "-"; false for NULL */

/* Writes a file by calling `write`; does nothing if `path` is NULL. Devices and pipes (/dev/stdout, a FIFO) are written
 * to, not replaced. */
int output_write(const char *path, output_fn write, const void *what, struct err *err);

/* Checks before a long run that output_write() will be able to write to `path`. Fails with exit code 2. Leaves no file
 * behind. */
int output_check(const char *path, struct err *err);

/* Flushes `out` and reports whether everything was written: "cannot write the report: No space left on device". */
int output_end(FILE *out, const char *what, struct err *err);
/* Flushes stdout and fails if something could not be written. It is no failure if the program that reads the output
 * ended early (`| head`). */
int output_finish(struct err *err);

bool output_color(const char *when); /* returns true if output may be coloured; `when` is auto, always, never or NULL
                                        (auto). Considers NO_COLOR and CLICOLOR_FORCE */
bool output_utf8(void);              /* returns true if the terminal takes UTF-8; main() must have set LC_CTYPE */
int output_width(void);              /* returns COLUMNS, or the terminal's width, or 100 */
int output_wrap(
    /* returns the width from COLUMNS or the terminal; 0: do not wrap lines, because a program reads the output */
    void);

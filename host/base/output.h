/* Where a command's output goes: files that are replaced as a whole or not at all, stdout, and what stdout can show. */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

typedef int (*output_fn)(const void *what, FILE *out, struct err *err);

bool output_is_stdout(const char *path); /* "-"; NULL is not */

/* Nothing for NULL. Devices and pipes (/dev/stdout, a FIFO) are written to, not replaced. */
int output_write(const char *path, output_fn write, const void *what, struct err *err);

/* Before much time is spent on it: can output_write() write there? Exit code 2 with the reason. Leaves nothing there.
 */
int output_check(const char *path, struct err *err);

/* Flushes and says whether all of it went out: "cannot write the report: No space left on device". */
int output_end(FILE *out, const char *what, struct err *err);
/* Flushes stdout and says whether all of it went out. A reader that left early (`| head`) is no failure. */
int output_finish(struct err *err);

bool output_color(const char *when); /* auto, always, never; NULL: auto. NO_COLOR and CLICOLOR_FORCE count */
bool output_utf8(void);              /* main() has set LC_CTYPE */
int output_width(void);              /* COLUMNS, or the terminal's, or 100 */
int output_wrap(void); /* where lines are to end that are no table's; 0: nowhere, for programs read them */

#endif

/* Suites: INI files whose sections are selections. */
#ifndef OPTIONS_SUITE_H
#define OPTIONS_SUITE_H

#include "base/err.h"
#include "options/selection.h"

/* Reads a suite: one selection per section, appended to `*selections`. Sections [environment] and [tags] are what
 * run.ini keeps beside its selections, and are skipped. Unknown or repeated keys, over-long lines and bad values: exit
 * 2 with FILE:LINE and the nearest known key. Lists are split at commas and %XX decoded in their items; a ';' after
 * white space would start a comment and must be written %3B. `case` takes keys as printed, several split at commas
 * outside brackets. */
int suite_load(const char *path, struct selection **selections, size_t *count, struct err *err);
#endif

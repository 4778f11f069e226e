/* Reads suites: INI files whose sections are selections. */
#pragma once

#include "base/err.h"
#include "options/selection.h"

/* Reads a suite and appends one selection per section to `*selections`. Skips the sections [environment] and [tags],
 * which run.ini has in addition. Unknown or repeated keys, overlong lines and bad values fail with exit code 2,
 * FILE:LINE and the nearest known key. Lists are split at commas, and their items percent-decoded; a ';' after white
 * space would start a comment and must be written %3B. `case` takes keys as printed, several of them separated by
 * commas outside brackets. */
int suite_load(const char *path, struct selection **selections, size_t *count, struct err *err);

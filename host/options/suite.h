/* Reads suites: INI files whose sections are selections. */
#pragma once

#include "base/err.h"
#include "options/selection.h"

/* Reads a suite and appends one selection per section to `*selections`. Skips the sections [environment] and [tags],
 * which run.ini has in addition. Fails with exit code 2 for unknown or repeated keys, overlong lines and bad values;
 * the message has FILE:LINE and the nearest known key.
 *
 * Lists are split at commas, and their items are percent-decoded. A ';' after white space would start a comment and
 * must be written %3B. The key `case` takes case keys as they are printed; only commas outside of brackets separate
 * them. */
int suite_load(const char *path, struct selection **selections, size_t *count, struct err *err);

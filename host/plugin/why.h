/* Explains why dlopen refused a file, and what to do about it. */
#pragma once

#include "base/err.h"

/* Sets the error for a file that dlopen() refused. `said` is the text of dlerror() about the file at `path`, which is
 * open as `fd`. Texts that are not known are passed on unchanged. */
int loader_why(int fd, const char *path, const char *said, struct err *err);

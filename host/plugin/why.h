/* Explains why dlopen refused a file, and what to do about it. */
#pragma once

#include "base/err.h"

/* `said` is the text of dlerror() about the file at `path`, open as `fd`; unknown texts are passed on. */
int loader_why(int fd, const char *path, const char *said, struct err *err);

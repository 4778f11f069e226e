/* Why dlopen refused a file, in a sentence that says what to do about it. */
#ifndef PLUGIN_WHY_H
#define PLUGIN_WHY_H

#include "base/err.h"

/* `said` is dlerror()'s text about the file at `path`, open as `fd`; what it says in no known way is passed on. */
int loader_why(int fd, const char *path, const char *said, struct err *err);

#endif

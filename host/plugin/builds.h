/* Two builds of one plugin in one process: where dlopen() would give both the same code. */
#ifndef PLUGIN_BUILDS_H
#define PLUGIN_BUILDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Is this very file mapped already? dlopen() knows files by their inodes and would answer with the first mapping. */
bool loader_builds_mapped(const char *path);

/* A copy of the file in memory, of the bytes that hash to `sha256` ("": of any), and a path to it. It lasts as long as
 * the process, and the path holds for debuggers and profilers outside of it too. What looks for its own folder
 * ($ORIGIN, dladdr) does not find it there; libraries it needs are those of the first mapping. */
int loader_builds_copy(int fd, const char *sha256, char *path, size_t size, struct err *err);

/* A library that a build of its own would bring along, but of which another one is loaded already from elsewhere under
 * the same name, would serve both builds: refused, naming both. `path` is where `fd` was opened. Direct needs in its
 * RUNPATH only. */
int loader_builds_check(int fd, const char *path, struct err *err);

#endif

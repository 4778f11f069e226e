/* Opening a vendor's library when it is wanted: never linked, never from the current directory. */
#ifndef MATMUL_LIBRARY_H
#define MATMUL_LIBRARY_H

#include <stddef.h>

/* Opens `name` as the loader finds it, else in one of `folders` (NULL-ended, absolute); NULL with the reason in `why`.
 * `path` receives the file it was. */
void *matmul_library_open(const char *name, const char *const *folders, char *path, size_t path_size, char *why,
                          size_t why_size);

/* A function of it, into the pointer at `to`; -1 with the reason in `why`. */
int matmul_library_find(void *library, const char *name, void *to, char *why, size_t why_size);

void matmul_library_close(void *library); /* NULL is ignored */

#endif

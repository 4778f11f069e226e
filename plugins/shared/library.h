/* Opens a vendor's library on demand: it is never linked, and never taken from the current directory. For the bundled
 * plugins. */
#ifndef PLUGINS_LIBRARY_H
#define PLUGINS_LIBRARY_H

#include <signal.h>
#include <stddef.h>

/* Opens the library `name` (a soname) where the dynamic loader finds it, else in one of `folders` (NULL-terminated,
 * absolute). `path` receives the file's path. Returns NULL on failure, with the reason in `why`. */
void *library_open(const char *name, const char *const *folders, char *path, size_t path_size, char *why,
                   size_t why_size);

/* Like library_open(), in the folders of CUDA toolkits: $CUDA_HOME, $CUDA_PATH and the usual ones. */
void *library_open_cuda(const char *name, char *path, size_t path_size, char *why, size_t why_size);

/* Like library_open(), but searches where pip installs the package nvidia-`package`: in the active virtual environment,
 * in the environment of the python3 in PATH, in the user's packages and in the system's packages. */
void *library_open_pip(const char *name, const char *package, char *path, size_t path_size, char *why, size_t why_size);

/* Returns the end of a library's path, cut to the length of a note: the text that gb_notef() adds to a variant's row in
 * the results. */
const char *library_path_end(const char *path);

/* Stores the function `name` of the library in the pointer at `to`. Returns -1 on failure, with the reason in `why`. */
int library_find(void *library, const char *name, void *to, char *why, size_t why_size);

void library_close(void *library); /* NULL is ignored */

/* All signal handlers of the process. They are saved before calls into a library that installs its own (as compilers
 * do, to remove their temporary files) and restored afterwards. */
struct library_signals {
  struct sigaction actions[65]; /* indexed by signal number, from 1 on */
};
void library_signals_keep(struct library_signals *kept);
void library_signals_put_back(const struct library_signals *kept);

#endif

/* Opening a vendor's library when it is wanted: never linked, never from the current directory. For the bundled
 * plugins. */
#ifndef PLUGINS_LIBRARY_H
#define PLUGINS_LIBRARY_H

#include <signal.h>
#include <stddef.h>

/* Opens `name` as the loader finds it, else in one of `folders` (NULL-ended, absolute); NULL with the reason in `why`.
 * `path` receives the file it was. */
void *library_open(const char *name, const char *const *folders, char *path, size_t path_size, char *why,
                   size_t why_size);

/* The same in the folders in which CUDA toolkits put theirs: $CUDA_HOME, $CUDA_PATH and the usual ones. */
void *library_open_cuda(const char *name, char *path, size_t path_size, char *why, size_t why_size);

/* The same where pip puts the libraries of the package nvidia-`package`: beside the environment that is active, the
 * python3 that PATH finds, the user's own and the system's. */
void *library_open_pip(const char *name, const char *package, char *path, size_t path_size, char *why, size_t why_size);

/* Of its file's path what fits a note: the end, which says more. */
const char *library_path_end(const char *path);

/* A function of it, into the pointer at `to`; -1 with the reason in `why`. */
int library_find(void *library, const char *name, void *to, char *why, size_t why_size);

void library_close(void *library); /* NULL is ignored */

/* What signals do, kept over calls into a library that takes them over (compilers within it do, to remove their files)
 * and put back after. */
struct library_signals {
  struct sigaction actions[65]; /* by number, from 1 */
};
void library_signals_keep(struct library_signals *kept);
void library_signals_put_back(const struct library_signals *kept);

#endif

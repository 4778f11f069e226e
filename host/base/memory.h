/* Memory that is there or ends the program: one line on stderr, then abort(). Lists that grow, texts made by printing.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEVER_NULL __attribute__((returns_nonnull))

/* Frees what a local pointer points to when its scope ends: SCOPED char *text = memory_print(...). It is initialised
 * where it is declared; errno is kept. */
#define SCOPED __attribute__((cleanup(memory_free_local)))
static inline void memory_free_local(const void *local) {
  const int why = errno;
  void *memory;
  memcpy(&memory, local, sizeof memory);
  free(memory);
  errno = why; /* as free() does since glibc 2.33 */
}

/* Likewise closes the file or the folder that a local pointer names; it may be NULL. */
#define SCOPED_FILE __attribute__((cleanup(memory_close_file)))
static inline void memory_close_file(FILE *const *file) {
  const int why = errno;
  if (*file != NULL) fclose(*file);
  errno = why;
}

#define SCOPED_DIR __attribute__((cleanup(memory_close_folder)))
static inline void memory_close_folder(DIR *const *folder) {
  const int why = errno;
  if (*folder != NULL) closedir(*folder);
  errno = why;
}

/* Like malloc, calloc, realloc and strdup. */
void *xcalloc(size_t count, size_t size) NEVER_NULL;
void *xrealloc(void *memory, size_t count, size_t size) NEVER_NULL;
char *xstrdup(const char *text) NEVER_NULL;

/* Room for one more behind `count` items; the list is always passed through here, which doubles it at powers of two. */
void *xgrow(void *list, size_t count, size_t size) NEVER_NULL;

/* A text made by printing, for the caller to free: at once, or piece by piece. */
char *memory_print(const char *format, ...) __attribute__((format(printf, 1, 2))) NEVER_NULL;

struct memory_text {
  FILE *out;
  char *text;
  size_t size;
};

FILE *memory_text_begin(struct memory_text *memory) NEVER_NULL;
/* The text, NUL behind it; the caller frees it. `out` is closed. */
char *memory_text_end(struct memory_text *memory) NEVER_NULL;

#endif

/* Memory allocation that never returns NULL: if there is no memory, it prints one line on stderr and calls abort().
 * Growing lists, and texts made by printing. */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEVER_NULL __attribute__((returns_nonnull))

/* Frees the memory that a local pointer points to when the pointer's scope ends: SCOPED char *text = memory_print(...).
 * The pointer must be initialised where it is declared. errno is kept. */
#define SCOPED __attribute__((cleanup(memory_free_local)))
static inline void memory_free_local(const void *local) {
  const int why = errno;
  void *memory;
  memcpy(&memory, local, sizeof memory);
  free(memory);
  errno = why; /* free() itself keeps errno only since glibc 2.33 */
}

/* Close the file (SCOPED_FILE) or folder (SCOPED_DIR) that a local pointer refers to when the pointer's scope ends. The
 * pointer may be NULL. */
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

/* Do the same as calloc(), realloc() and strdup(), but never fail. */
void *xcalloc(size_t count, size_t size) NEVER_NULL;
void *xrealloc(void *memory, size_t count, size_t size) NEVER_NULL;
char *xstrdup(const char *text) NEVER_NULL;

/* Makes room for one more item in a list of `count` items, by doubling the list when `count` is a power of two. The
 * list must never be grown in another way, because the function derives the allocated size from `count`. */
void *xgrow(void *list, size_t count, size_t size) NEVER_NULL;

/* Make a text by printing: memory_print() with one call; memory_text_begin() returns a FILE for printing in several
 * steps. The caller frees the text. */
char *memory_print(const char *format, ...) __attribute__((format(printf, 1, 2))) NEVER_NULL;

struct memory_text {
  FILE *out;
  char *text;
  size_t size;
};

FILE *memory_text_begin(struct memory_text *memory) NEVER_NULL;
/* Closes `out` and returns the text, NUL-terminated; the caller frees it. */
char *memory_text_end(struct memory_text *memory) NEVER_NULL;

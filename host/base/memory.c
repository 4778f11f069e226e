#include "base/memory.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void *need_memory(void *memory) {
  if (memory == NULL) {
    fputs("gpubench: out of memory\n", stderr);
    abort();
  }
  return memory;
}

void *xcalloc(size_t count, size_t size) {
  return need_memory(calloc(count ? count : 1, size ? size : 1));
}

void *xrealloc(void *memory, size_t count, size_t size) {
  return need_memory(reallocarray(memory, count ? count : 1, size ? size : 1));
}

char *xstrdup(const char *text) {
  return need_memory(strdup(text));
}

void *xgrow(void *list, size_t count, size_t size) {
  return (count & (count - 1)) == 0 ? xrealloc(list, count > 0 ? 2 * count : 1, size) : list;
}

char *memory_print(const char *format, ...) {
  char *text = NULL;
  va_list args;
  va_start(args, format);
  int length = vasprintf(&text, format, args);
  va_end(args);
  return need_memory(length >= 0 ? text : NULL);
}

FILE *memory_text_begin(struct memory_text *memory) {
  *memory = (struct memory_text){0};
  return memory->out = need_memory(open_memstream(&memory->text, &memory->size));
}

char *memory_text_end(struct memory_text *memory) {
  if (fclose(memory->out) != 0) need_memory(NULL);
  memory->out = NULL;
  return memory->text;
}

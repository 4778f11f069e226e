/* Helpers of the fuzz targets: they make files in memory from inputs, and check what must hold for every input. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/memory.h"
#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Aborts if the condition is false; libFuzzer then keeps the input that led here. */
#define MUST(condition)                                                              \
  do {                                                                               \
    if (!(condition)) {                                                              \
      fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
      abort();                                                                       \
    }                                                                                \
  } while (0)

struct fuzz_file {
  int fd;
  char path[32];
};

static inline struct fuzz_file fuzz_file(const uint8_t *data, size_t size) {
  struct fuzz_file file = {.fd = memfd_create("input", MFD_CLOEXEC)};
  MUST(file.fd >= 0 && write(file.fd, data, size) == (ssize_t)size);
  snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.fd);
  return file;
}

/* Returns true if `text` holds nothing that text_sanitize() changes, such as a terminal's control sequences. */
static inline bool fuzz_printable(const char *text) {
  char *copy = xstrdup(text);
  text_sanitize(copy);
  bool same = strcmp(copy, text) == 0;
  free(copy);
  return same;
}

/* Checks that a refusal has an exit code from `least` to `most` and one printable line of text. */
static inline void fuzz_refused(const struct err *err, int least, int most) {
  if (err->exit_code >= least && err->exit_code <= most && err->text[0] != '\0' && fuzz_printable(err->text)) return;
  fprintf(stderr, "exit %d, not %d to %d, or no line of text: '%s'\n", err->exit_code, least, most, err->text);
  abort();
}

#endif

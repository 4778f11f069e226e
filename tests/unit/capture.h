/* Captures what a function writes to a stream as a string, and compares it with golden files. */
#ifndef CAPTURE_H
#define CAPTURE_H

#include <stdio.h>
#include <stdlib.h>

#include "unit.h"

struct capture {
  FILE *stream;
  char *text;
  size_t size;
};

static inline FILE *capture_open(struct capture *capture) {
  *capture = (struct capture){0};
  capture->stream = open_memstream(&capture->text, &capture->size);
  return capture->stream;
}

/* Returns the text; the caller frees it. */
static inline char *capture_close(struct capture *capture) {
  fclose(capture->stream);
  return capture->text;
}

static inline char *read_file(const char *path) {
  struct capture capture;
  FILE *in = fopen(path, "rb"), *to = capture_open(&capture);
  for (int c = 0; in != NULL && (c = getc(in)) != EOF;)
    putc(c, to);
  if (in != NULL) fclose(in);
  return capture_close(&capture);
}

static inline void write_file(const char *path, const char *text) {
  FILE *out = fopen(path, "wb");
  if (out == NULL || fputs(text, out) < 0 || fclose(out) != 0) UNIT_FAIL("cannot write %s", path);
}

/* Compares `text` with a golden file. With GPUBENCH_GOLDEN=write in the environment it writes the golden file first;
 * review the difference before keeping it. */
static inline void assert_golden(const char *name, const char *text) {
  char path[512];
  const char *mode = getenv("GPUBENCH_GOLDEN");
  snprintf(path, sizeof path, "%s/tests/unit/golden/%s", SOURCE_DIR, name);
  if (mode != NULL && strcmp(mode, "write") == 0) write_file(path, text);
  char *golden = read_file(path);
  size_t at = 0, line = 1;
  while (golden[at] != '\0' && golden[at] == text[at])
    line += golden[at++] == '\n';
  if (strcmp(golden, text) != 0)
    UNIT_FAIL("%s differs in line %zu: '%.60s' instead of '%.60s'", name, line, text + at, golden + at);
  else
    CU_PASS();
  free(golden);
}

/* Returns how often `part` occurs in `text`. Does not use strstr(), because under a sanitizer each call reads the whole
 * text. */
static inline size_t count_of(const char *text, const char *part) {
  size_t count = 0, length = strlen(part);
  for (const char *s = text; *s != '\0'; s++)
    count += *s == *part && strncmp(s, part, length) == 0;
  return count;
}

#endif

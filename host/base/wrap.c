/* Wrapped lines. */
#include "base/wrap.h"

#include <stdbool.h>
#include <string.h>

enum { LABEL = 12, INDENT = 2 };

/* The next character's bytes, and how many columns it takes: none where it is a colour's escape sequence. */
static size_t step(const char *at, const char *end, size_t *columns) {
  size_t bytes = 1;
  *columns = *at != '\033';
  if (*at == '\033') {
    while (at + bytes < end && at[bytes - 1] != 'm')
      bytes++;
    return bytes;
  }
  while (at + bytes < end && ((unsigned char)at[bytes] & 0xC0) == 0x80)
    bytes++;
  return bytes;
}

/* "note        Runs with ...": a label's column, then text. */
static size_t indent_of(const char *line, size_t length) {
  const bool labelled = length > LABEL && line[LABEL - 1] == ' ' && line[LABEL] != ' ';
  return labelled ? LABEL : INDENT;
}

/* Where a line is to end whose rest, from `at` on, begins in `column`: at a space, or where the rest does. */
static const char *break_of(const char *at, const char *end, size_t column, size_t least, size_t width) {
  const char *space = NULL;
  size_t columns;
  for (bool inside = false; at < end; at += step(at, end, &columns), column += columns) {
    if (column > width && space != NULL) return space;
    if (*at == ' ' && inside && column > least) space = at;
    inside = *at != ' ';
  }
  return column > width && space != NULL ? space : end;
}

static void print_from(FILE *out, const char *line, const char *end, size_t column, size_t indent, size_t width) {
  const char *stop = break_of(line, end, column, indent, width);
  fwrite(line, 1, (size_t)(stop - line), out);
  while (stop < end) {
    line = stop + strspn(stop, " ");
    if (line >= end) break;
    stop = break_of(line, end, indent, indent, width);
    fprintf(out, "\n%*s", (int)indent, "");
    fwrite(line, 1, (size_t)(stop - line), out);
  }
  fputc('\n', out);
}

static void print_line(FILE *out, const char *line, const char *end, size_t width) {
  print_from(out, line, end, 0, indent_of(line, (size_t)(end - line)), width);
}

void wrap_paragraph(FILE *out, const char *text, int width, int indent) {
  print_from(out, text, text + strlen(text), (size_t)indent, (size_t)indent, (size_t)width);
}

void wrap_print(FILE *out, const char *text, int width) {
  while (width > 0 && *text != '\0') {
    const char *end = text + strcspn(text, "\n");
    print_line(out, text, end, (size_t)width);
    text = *end == '\0' ? end : end + 1;
  }
  fputs(text, out);
}

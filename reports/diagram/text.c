/* Where lines break. */
#include "diagram/text.h"

#include <string.h>

/* Bytes and columns of the character at `text`; a byte that begins none counts as one. */
static size_t step(const char *text, size_t *columns) {
  size_t length = text_utf8_length(text);
  *columns = (unsigned char)text[0] >= 0xE3 && length >= 3 ? 2 : 1;
  return length > 0 ? length : 1;
}

size_t diagram_columns(const char *text) {
  size_t all = 0, columns;
  for (; *text != '\0'; all += columns)
    text += step(text, &columns);
  return all;
}

/* Bytes that fit into `most` columns; *whole: up to the end of the text. */
static size_t fitting(const char *text, size_t most, bool *whole) {
  size_t bytes = 0, used = 0, columns;
  while (text[bytes] != '\0' && text[bytes] != '\n') {
    size_t length = step(text + bytes, &columns);
    if (used + columns > most) break;
    used += columns;
    bytes += length;
  }
  *whole = text[bytes] == '\0';
  return bytes;
}

/* Where the line ends that begins at `text`: at the last space that fits, or in the middle of a long word. */
static size_t line_length(const char *text, size_t most, bool *whole) {
  size_t bytes = fitting(text, most, whole);
  if (*whole || text[bytes] == '\n' || text[bytes] == ' ') return bytes;
  size_t space = bytes;
  while (space > 0 && text[space - 1] != ' ')
    space--;
  return space > 0 ? space : bytes;
}

void diagram_wrap(struct strings *lines, const char *text, size_t most) {
  char line[4 * 64];
  bool whole = text[0] == '\0';
  for (size_t i = 0; !whole && i < DIAGRAM_LINES_MOST; i++) {
    bool last = i + 1 == DIAGRAM_LINES_MOST;
    size_t length = line_length(text, most, &whole);
    if (last && !whole) length = fitting(text, most - 1, &whole);
    size_t shown = length < sizeof line - 4 ? length : sizeof line - 4;
    while (shown > 0 && text[shown - 1] == ' ')
      shown--;
    memcpy(line, text, shown);
    strcpy(line + shown, last && !whole ? "\xE2\x80\xA6" : "");
    strings_add(lines, line);
    text += length;
    text += strspn(text, " \n");
    whole = whole || *text == '\0';
  }
}

/* Keeps the end of a text that has none. */
#include "worker/printed.h"

#include <string.h>

#include "base/text.h"

void printed_add(struct printed *p, const char *text, size_t size) {
  size_t room = sizeof p->text - 1, keep = p->size;
  if (keep + size > room) {
    size_t cut = keep + size - room < keep ? keep + size - room : keep;
    memmove(p->text, p->text + cut, keep -= cut);
  }
  size_t start = size > room ? size - room : 0;
  memcpy(p->text + keep, text + start, size - start);
  p->size = keep + size - start;
  p->text[p->size] = '\0';
}

/* What Python says when it crashes ends with what matters least: its innermost line stands first. */
static char *line_of_crash(char *text) {
  char *crash = strstr(text, "Fatal Python error: "), *line = crash != NULL ? strstr(crash, "\n  File ") : NULL;
  if (line == NULL) return NULL;
  line += strspn(line, "\n ");
  line[strcspn(line, "\n")] = '\0';
  return line;
}

void printed_last_line(struct printed *p, char *to, size_t size) {
  for (size_t i = 0; i < p->size; i++)
    if (p->text[i] == '\0') p->text[i] = '?';
  size_t end = p->size;
  while (end > 0 && strchr("\n\r ", p->text[end - 1]) != NULL)
    end--;
  p->text[end] = '\0';
  char *line = strrchr(p->text, '\n'), *crash = line_of_crash(p->text);
  text_copy(to, size, crash != NULL ? crash : line != NULL ? line + 1 : p->text);
  text_sanitize(to);
}

/* Keeps the last part of a worker's output. */
#include "worker/printed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"

static const char mark[] =
    "\x1e"
    "gpubench ";

void printed_callback_ended(int owner) {
  int unread = 0;
  if (ioctl(STDERR_FILENO, FIONREAD, &unread) == 0 && unread > 0) dprintf(STDERR_FILENO, "%s%d\n", mark, owner);
}

static void add_printed(struct printed *p, const char *text, size_t size, int owner) {
  if (size == 0) return;
  if (owner != p->owner) p->size = 0;
  p->owner = owner;
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

/* Adds output. If only a part of a mark (the line that ends a variant's output) was read, it is taken for text. */
void printed_add(struct printed *p, const char *text, size_t size, int owner) {
  const char *end = text + size, *at;
  while ((at = memmem(text, (size_t)(end - text), mark, sizeof mark - 1)) != NULL) {
    const char *number = at + sizeof mark - 1, *line = memchr(number, '\n', (size_t)(end - number));
    if (line == NULL) break;
    add_printed(p, text, (size_t)(at - text), atoi(number));
    text = line + 1;
  }
  add_printed(p, text, (size_t)(end - text), owner);
}

void printed_read(struct printed *p, int fd, const _Atomic int32_t *owner) {
  enum { READS_MOST = 32 };
  char buffer[4096];
  ssize_t got;
  for (int reads = 0; reads < READS_MOST; reads++) {
    const int before = atomic_load(owner);
    if ((got = read(fd, buffer, sizeof buffer)) <= 0) return;
    printed_add(p, buffer, (size_t)got, atomic_load(owner) == before ? before : PRINTED_UNKNOWN);
  }
}

/* Finds the line of a script in which Python crashed. Python prints the innermost frame first; frames of our own module
 * are skipped. */
static bool line_of_crash(const char *text, char *to, size_t size) {
  static const char frame[] = "\n  File ";
  const char *at = strstr(text, "Fatal Python error: ");
  bool found = false;
  while (at != NULL && (at = strstr(at, frame)) != NULL) {
    char line[TEXT_SIZE];
    at += strspn(at, "\n ");
    const size_t length = strcspn(at, "\n");
    text_copy(line, length < sizeof line ? length + 1 : sizeof line, at);
    if (strstr(line, "\"<string>\"") == NULL && strstr(line, "/gpubench/python/gpubench") == NULL)
      found = text_copy(to, size, line);
    at += length;
  }
  return found;
}

void printed_last_line(struct printed *p, char *to, size_t size) {
  for (size_t i = 0; i < p->size; i++)
    if (p->text[i] == '\0') p->text[i] = '?';
  size_t end = p->size;
  while (end > 0 && strchr("\n\r ", p->text[end - 1]) != NULL)
    end--;
  p->text[end] = '\0';
  const char *line = strrchr(p->text, '\n');
  if (!line_of_crash(p->text, to, size)) text_copy(to, size, line ? line + 1 : p->text);
  text_sanitize(to);
}

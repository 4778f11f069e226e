#include "machine/kernel_files.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

enum { BYTES_MOST = 8 << 20 };

struct tree_file tree_open(const char *root, const char *path) {
  char whole[4096];
  struct stat status;
  struct tree_file opened = {NULL, BYTES_MOST};
  if ((size_t)snprintf(whole, sizeof whole, "%s%s", root, path) >= sizeof whole) return opened;
  /* O_NONBLOCK, because opening a FIFO would otherwise wait for its writer */
  int fd = open(whole, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return opened;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) opened.file = fdopen(fd, "r");
  if (opened.file == NULL) close(fd);
  return opened;
}

void tree_close(struct tree_file *file) {
  if (file->file != NULL) fclose(file->file);
  file->file = NULL;
}

bool tree_line(struct tree_file *file, char *to, size_t size) {
  size_t length = 0;
  int c = EOF;
  while (file->file != NULL && file->left > 0 && (c = getc(file->file)) != EOF) {
    file->left--;
    if (c == '\n') break;
    if (length + 1 < size) to[length++] = (char)c;
  }
  to[length] = '\0';
  return length > 0 || c == '\n';
}

static bool first_line(const char *root, const char *path, char *to, size_t size) {
  SCOPED_TREE_FILE struct tree_file file = tree_open(root, path);
  char line[4096];
  size_t length = 0;
  int c = EOF;
  while (file.file != NULL && length + 1 < sizeof line && (c = getc(file.file)) != EOF && c != '\n')
    line[length++] = (char)c;
  line[length] = '\0';
  bool good = length > 0 && length < size && (c == EOF || c == '\n') && strlen(line) == length;
  text_copy(to, size, good ? line : "");
  text_sanitize(to);
  return good;
}

bool tree_text(const char *root, char *to, size_t size, const char *path, ...) {
  char whole[2048];
  va_list args;
  va_start(args, path);
  vsnprintf(whole, sizeof whole, path, args);
  va_end(args);
  return first_line(root, whole, to, size);
}

int64_t tree_parse(const char *text) {
  char *end;
  if (!isdigit((unsigned char)text[0])) return -1;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  end += strspn(end, " \t\n");
  return errno == 0 && *end == '\0' ? value : -1;
}

int64_t tree_number(const char *root, const char *path, ...) {
  char whole[2048], text[64];
  va_list args;
  va_start(args, path);
  vsnprintf(whole, sizeof whole, path, args);
  va_end(args);
  return first_line(root, whole, text, sizeof text) ? tree_parse(text) : -1;
}

bool tree_value(const char *root, const char *path, const char *key, char *to, size_t size) {
  char line[8192];
  size_t length = strlen(key);
  bool found = false;
  SCOPED_TREE_FILE struct tree_file file = tree_open(root, path);
  while (!found && tree_line(&file, line, sizeof line)) {
    const char *behind = line + length;
    if (strncmp(line, key, length) != 0) continue;
    behind += strspn(behind, " \t");
    if (*behind != ':') continue;
    behind += 1 + strspn(behind + 1, " \t");
    found = text_copy(to, size, behind);
  }
  if (!found) to[0] = '\0';
  text_sanitize(to);
  return found;
}

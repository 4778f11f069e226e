#include "base/text.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/glibc.h"
#include "base/memory.h"

void strings_add(struct strings *list, const char *text) {
  list->items = xrealloc(list->items, list->count + 1, sizeof *list->items);
  list->items[list->count++] = xstrdup(text);
}

void strings_print(struct strings *list, const char *format, ...) {
  struct memory_text text;
  va_list args;
  va_start(args, format);
  vfprintf(memory_text_begin(&text), format, args);
  va_end(args);
  SCOPED char *made = memory_text_end(&text);
  strings_add(list, made);
}

bool strings_has(const struct strings *list, const char *text) {
  for (size_t i = 0; i < list->count; i++)
    if (strcmp(list->items[i], text) == 0) return true;
  return false;
}

void strings_add_once(struct strings *list, const char *text) {
  if (!strings_has(list, text)) strings_add(list, text);
}

void strings_free(struct strings *list) {
  for (size_t i = 0; i < list->count; i++)
    free(list->items[i]);
  free(list->items);
  *list = (struct strings){0};
}

const char *text_or_empty(const char *text) {
  return text != NULL ? text : "";
}

bool text_same(const char *a, const char *b) {
  return strcmp(text_or_empty(a), text_or_empty(b)) == 0;
}

bool text_begins(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool text_copy(char *to, size_t size, const char *from) {
  if (from == NULL) from = "";
  size_t length = strnlen(from, size);
  bool fits = length < size;
  if (!fits) length = size - 1;
  memcpy(to, from, length);
  to[length] = '\0';
  return fits;
}

const char *text_file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

static bool is_alnum(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool text_is_id(const char *text) {
  if (text == NULL || !is_alnum(text[0])) return false;
  size_t length = 0;
  for (; text[length] != '\0'; length++)
    if (length + 1 >= ID_SIZE || (!is_alnum(text[length]) && strchr("._/-", text[length]) == NULL)) return false;
  return true;
}

size_t text_utf8_length(const char *text) {
  const unsigned char *s = (const unsigned char *)text;
  if (s[0] < 0x80) return 1;
  if (s[0] < 0xC2 || s[0] > 0xF4) return 0;
  size_t length = s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
  for (size_t i = 1; i < length; i++)
    if ((s[i] & 0xC0) != 0x80) return 0;
  if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F)) return 0;
  if ((s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F)) return 0;
  return length;
}

void text_shortest(char *to, size_t size, double value) {
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(to, size, "%.*g", digits, value);
    if (strtod(to, NULL) == value) return;
  }
}

void text_sanitize(char *text) {
  unsigned char *s = (unsigned char *)text;
  while (*s != '\0') {
    size_t length = text_utf8_length((const char *)s);
    bool control = *s < 0x20 || *s == 0x7F || (s[0] == 0xC2 && length == 2 && s[1] < 0xA0);
    if (length == 0 || control) {
      *s = '?';
      if (length == 2) memmove(s + 1, s + 2, strlen((char *)s + 2) + 1);
      length = 1;
    }
    s += length;
  }
}

bool text_percent_encode(char *to, size_t size, const char *from, const char *also) {
  size_t used = 0;
  for (const unsigned char *s = (const unsigned char *)from; *s != '\0'; s++) {
    bool plain = *s > 0x20 && *s < 0x7F && *s != '%' && strchr(also, *s) == NULL;
    if (*s == ' ' && strchr(also, ' ') == NULL) plain = true;
    if (used + (plain ? 1 : 3) >= size) {
      to[used < size ? used : size - 1] = '\0';
      return false;
    }
    if (plain)
      to[used++] = (char)*s;
    else
      used += (size_t)snprintf(to + used, size - used, "%%%02X", *s);
  }
  to[used] = '\0';
  return true;
}

static int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

void text_percent_decode(char *text) {
  char *to = text;
  for (const char *s = text; *s != '\0'; s++) {
    int high = s[0] == '%' ? hex_value(s[1]) : -1;
    int low = high >= 0 ? hex_value(s[2]) : -1;
    if (low >= 0) {
      *to++ = (char)(high * 16 + low);
      s += 2;
    } else {
      *to++ = *s;
    }
  }
  *to = '\0';
}

static size_t edit_distance(const char *a, const char *b) {
  enum { LONGEST = 128 };
  size_t n = strnlen(a, LONGEST), m = strnlen(b, LONGEST), row[LONGEST + 1];
  for (size_t j = 0; j <= m; j++)
    row[j] = j;
  for (size_t i = 1; i <= n; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= m; j++) {
      size_t best = diagonal + (a[i - 1] != b[j - 1]);
      if (row[j] + 1 < best) best = row[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      diagonal = row[j];
      row[j] = best;
    }
  }
  return row[m];
}

const char *text_nearest(const char *wanted, const char *const *candidates, size_t count) {
  const char *nearest = NULL;
  /* a candidate must be nearer than this edit distance, which typing errors rarely reach */
  size_t best = strlen(wanted) / 3 + 2;
  for (size_t i = 0; i < count; i++) {
    size_t distance = edit_distance(wanted, candidates[i]);
    if (distance < best) {
      best = distance;
      nearest = candidates[i];
    }
  }
  return nearest;
}

void text_join(char *to, size_t size, const char *const *items, size_t count) {
  size_t used = 0;
  to[0] = '\0';
  for (size_t i = 0; i < count; i++) {
    size_t length = strlen(items[i]) + (i ? 2 : 0);
    if (used + length + sizeof ", ..." > size) {
      snprintf(to + used, size - used, "%s...", i ? ", " : "");
      return;
    }
    used += (size_t)snprintf(to + used, size - used, "%s%s", i ? ", " : "", items[i]);
  }
}

bool text_glob(const char *pattern, const char *text) {
  return fnmatch(pattern, text, 0) == 0;
}

void text_bytes(char *to, size_t size, double bytes) {
  static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < sizeof units / sizeof units[0]) {
    bytes /= 1000;
    unit++;
  }
  snprintf(to, size, bytes < 9.95 && unit > 0 ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
}

void text_signal(int number, char *to, size_t size) {
  const char *name = sigabbrev_np(number);
  if (name != NULL)
    snprintf(to, size, "SIG%s", name);
  else
    snprintf(to, size, "signal %d", number);
}

void text_shell_add(char *to, size_t size, const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  size_t used = strlen(to);
  if (word[0] != '\0' && strspn(word, plain) == strlen(word)) {
    text_copy(to + used, size - used, word);
    return;
  }
  used += text_copy(to + used, size - used, "'") ? 1 : 0;
  for (; *word != '\0' && used + 6 < size; word++) { /* a quote takes four bytes, the closing quote and the NUL two */
    const char letter[2] = {*word, '\0'};
    text_copy(to + used, size - used, *word == '\'' ? "'\\''" : letter);
    used += strlen(to + used);
  }
  text_copy(to + used, size - used, "'");
}

/* ---- Appending to a text ---- */

void phrase_add(char *to, size_t size, const char *between, const char *format, ...) {
  size_t used = strlen(to);
  va_list args;
  if (used > 0) {
    text_copy(to + used, size - used, between);
    used = strlen(to);
  }
  va_start(args, format);
  vsnprintf(to + used, size - used, format, args);
  va_end(args);
}

/* Escapes untrusted text for each output format. */
#include "base/escape.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/text.h"

#define REPLACEMENT "\xEF\xBF\xBD"
#define WORD_JOINER "\xE2\x81\xA0" /* an invisible character that allows no line break */

/* Decodes the UTF-8 character at `s` and sets `*length` to its length in bytes. An invalid byte counts as U+FFFD of
 * length 1. */
static uint32_t decode(const unsigned char *s, size_t *length) {
  static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  *length = 1;
  if (s[0] < 0x80) return s[0];
  size_t n = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
  if (s[0] < 0xC2 || s[0] > 0xF4) return 0xFFFD;
  uint32_t code = s[0] & (0x7Fu >> n);
  for (size_t i = 1; i < n; i++) {
    if ((s[i] & 0xC0) != 0x80) return 0xFFFD;
    code = code << 6 | (s[i] & 0x3Fu);
  }
  if (code < smallest[n] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return 0xFFFD;
  *length = n;
  return code;
}

static bool is_direction(uint32_t code) {
  return (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0x200E || code == 0x200F;
}

static bool is_shown_code(uint32_t code) {
  if (code < 0x20) return code == '\t' || code == '\n';
  if (code >= 0x7F && code < 0xA0) return false;
  bool noncharacter = (code & 0xFFFE) == 0xFFFE || (code >= 0xFDD0 && code <= 0xFDEF);
  return !noncharacter && !is_direction(code);
}

static const char *entity(uint32_t code) {
  switch (code) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return NULL;
  }
}

void escape_xml(FILE *out, const char *text) {
  if (text == NULL) return;
  const unsigned char *s = (const unsigned char *)text;
  size_t length = 0;
  for (; *s != '\0'; s += length) {
    uint32_t code = decode(s, &length);
    if (code == '\r' && s[1] == '\n') continue;
    if (entity(code) != NULL)
      fputs(entity(code), out);
    else if (code == 0xFFFD || !is_shown_code(code))
      fputs(REPLACEMENT, out);
    else
      fwrite(s, 1, length, out);
  }
}

/* GitHub turns plain text such as "www.x", "http://x" and "mailto:x" into links. Returns true if it might do so because
 * of the character at `at`, a '.' or ':'. `start` is the beginning of the text. */
static bool makes_link(const char *start, const char *at) {
  if (*at == '.') return at - start >= 3 && strncasecmp(at - 3, "www", 3) == 0;
  return *at == ':' && strchr(" 0123456789", at[1]) == NULL;
}

static void markdown_character(FILE *out, const char *text, const char *at, uint32_t code, size_t length) {
  if (code == '<' || code == '>' || code == '&')
    fputs(entity(code), out);
  else if (code < 0x80 && (strchr("\\`*_[](){}!|~$", (int)code) != NULL || makes_link(text, at)))
    fprintf(out, "\\%c", (int)code);
  else if (code == '@' || code == '#')
    /* WORD_JOINER follows, because GitHub would otherwise make "@name" a mention and "#1" a link to an issue */
    fprintf(out, "\\%c" WORD_JOINER, (int)code);
  else
    fwrite(at, 1, length, out);
}

void escape_markdown(FILE *out, const char *text) {
  if (text == NULL) return;
  size_t length = 0;
  for (const char *s = text; *s != '\0'; s += length) {
    uint32_t code = decode((const unsigned char *)s, &length);
    if (code == '\r' && s[1] == '\n') continue;
    if (code == '\t' || code == '\n')
      fputc(' ', out);
    else if (code == 0xFFFD || !is_shown_code(code))
      fputs(REPLACEMENT, out);
    else
      markdown_character(out, text, s, code, length);
  }
}

static void print_text(FILE *out, escape_fn *escape, const char *text, int most) {
  if (most < 0 || text == NULL) {
    escape(out, text);
    return;
  }
  SCOPED char *cut = memory_print("%.*s", most, text);
  escape(out, cut);
}

/* Prints one conversion of the format; `at` is the text after the '%'. Returns the end of the conversion. */
static const char *print_one(FILE *out, escape_fn *escape, const char *at, va_list *args) {
  int precision = -1;
  if (*at == '.')
    for (precision = 0, at++; *at >= '0' && *at <= '9'; at++)
      precision = 10 * precision + *at - '0';
  if (*at == 's')
    print_text(out, escape, va_arg(*args, const char *), precision);
  else if (*at == 'f')
    fprintf(out, "%.*f", precision, va_arg(*args, double));
  else if (*at == 'g')
    fprintf(out, "%.*g", precision, va_arg(*args, double));
  else if (*at == 'd')
    fprintf(out, "%d", va_arg(*args, int));
  else if (at[0] == 'z' && at[1] == 'u')
    fprintf(out, "%zu", va_arg(*args, size_t));
  else if (*at == '%')
    fputc('%', out);
  else
    abort();
  return at + (*at == 'z' ? 2 : 1);
}

void escape_print(FILE *out, escape_fn *escape, const char *format, ...) {
  va_list args;
  va_start(args, format);
  while (*format != '\0') {
    const size_t plain = strcspn(format, "%");
    fwrite(format, 1, plain, out);
    format += plain;
    if (*format == '%') format = print_one(out, escape, format + 1, &args);
  }
  va_end(args);
}

/* Writes text that stands between quotation marks, without the marks. With `entities` also escapes '&', for formats
 * in which "&amp;" stands for a character. */
static void escape_quoted(FILE *out, const char *text, bool entities) {
  if (text == NULL) return;
  size_t length = 0;
  for (const char *s = text; *s != '\0'; s += length) {
    uint32_t code = decode((const unsigned char *)s, &length);
    if (code == '\n')
      fputs("\\n", out);
    else if (code == '"' || code == '\\')
      fprintf(out, "\\%c", (int)code);
    else if (code == '&' && entities)
      fputs(entity(code), out);
    else if (code == 0xFFFD || !is_shown_code(code))
      fputs(REPLACEMENT, out);
    else
      fwrite(s, 1, length, out);
  }
}

void escape_label(FILE *out, const char *text) {
  escape_quoted(out, text, false);
}

void escape_dot(FILE *out, const char *text) {
  escape_quoted(out, text, true);
}

void escape_terminal(char *text, bool utf8) {
  text_sanitize(text);
  unsigned char *s = (unsigned char *)text;
  for (size_t length = 0; *s != '\0'; s += length) {
    uint32_t code = decode(s, &length);
    if (code < 0x80 || (utf8 && is_shown_code(code))) continue;
    *s = '?';
    memmove(s + 1, s + length, strlen((char *)s + length) + 1);
    length = 1;
  }
}

static void write_terminal(FILE *out, const char *text, bool utf8) {
  SCOPED char *copy = xstrdup(text);
  escape_terminal(copy, utf8);
  fputs(copy, out);
}

static void write_utf8(FILE *out, const char *text) {
  write_terminal(out, text, true);
}

static void write_ascii(FILE *out, const char *text) {
  write_terminal(out, text, false);
}

escape_fn *escape_for_terminal(bool utf8) {
  return utf8 ? write_utf8 : write_ascii;
}

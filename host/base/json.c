/* Writes JSON. Knows its grammar, not the content. */
#include "base/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/text.h"

static void put_ascii(FILE *out, unsigned char c) {
  /* each character that has a short escape, followed by the letter of that escape */
  static const char named[] = "\"\"\\\\\bb\ff\nn\rr\tt";
  for (size_t i = 0; i + 1 < sizeof named; i += 2) {
    if (c != (unsigned char)named[i]) continue;
    fprintf(out, "\\%c", named[i + 1]);
    return;
  }
  if (c < 0x20 || c == 0x7F || strchr("<>&", c) != NULL)
    fprintf(out, "\\u%04x", c);
  else
    putc(c, out);
}

static void put_string(FILE *out, const char *text) {
  putc('"', out);
  for (const unsigned char *s = (const unsigned char *)text; *s != '\0';) {
    size_t length = text_utf8_length((const char *)s);
    if (length == 0)
      fputs("\xEF\xBF\xBD", out);
    else if (length == 1)
      put_ascii(out, *s);
    else
      fwrite(s, 1, length, out);
    s += length ? length : 1;
  }
  putc('"', out);
}

enum { NEVER_FLAT = JSON_DEPTH_MAX + 1 };

static void begin_line(struct json *json) {
  putc('\n', json->out);
  for (int i = 0; i < json->depth; i++)
    fputs("  ", json->out);
}

/* Writes what precedes a member: a comma if it is not the first, a line break and the key. */
static void begin_member(struct json *json, const char *key) {
  bool filled = json->filled[json->depth];
  if (filled) putc(',', json->out);
  if (json->depth > json->flat) {
    if (filled) putc(' ', json->out);
  } else if (json->depth > 0) {
    begin_line(json);
  }
  json->filled[json->depth] = true;
  if (key == NULL) return;
  put_string(json->out, key);
  fputs(": ", json->out);
}

static void open_group(struct json *json, const char *key, char bracket) {
  assert(json->depth < JSON_DEPTH_MAX);
  begin_member(json, key);
  putc(bracket, json->out);
  json->filled[++json->depth] = false;
}

static void close_group(struct json *json, char bracket) {
  assert(json->depth > 0);
  bool lines = json->filled[json->depth] && json->depth <= json->flat;
  if (json->depth == json->flat) json->flat = NEVER_FLAT;
  json->depth--;
  if (lines) begin_line(json);
  putc(bracket, json->out);
}

void json_begin(struct json *json, FILE *out) {
  *json = (struct json){.out = out, .flat = NEVER_FLAT};
}

int json_end(struct json *json) {
  assert(json->depth == 0);
  putc('\n', json->out);
  return fflush(json->out) != 0 || ferror(json->out) ? -1 : 0;
}

void json_object(struct json *json, const char *key) {
  open_group(json, key, '{');
}

void json_object_end(struct json *json) {
  close_group(json, '}');
}

void json_array(struct json *json, const char *key) {
  open_group(json, key, '[');
}

void json_rows(struct json *json, const char *key) {
  json_array(json, key);
  json->flat = json->depth;
}

void json_array_end(struct json *json) {
  close_group(json, ']');
}

void json_text(struct json *json, const char *key, const char *value) {
  begin_member(json, key);
  if (value == NULL)
    fputs("null", json->out);
  else
    put_string(json->out, value);
}

void json_real(struct json *json, const char *key, double value) {
  begin_member(json, key);
  char text[64] = "null";
  if (isfinite(value)) text_shortest(text, sizeof text, value);
  fputs(text, json->out);
}

void json_whole(struct json *json, const char *key, int64_t value) {
  begin_member(json, key);
  fprintf(json->out, "%" PRId64, value);
}

void json_bool(struct json *json, const char *key, bool value) {
  begin_member(json, key);
  fputs(value ? "true" : "false", json->out);
}

void json_text_known(struct json *json, const char *key, const char *value) {
  json_text(json, key, value[0] != '\0' ? value : NULL);
}

void json_whole_known(struct json *json, const char *key, int64_t value) {
  if (value >= 0)
    json_whole(json, key, value);
  else
    json_text(json, key, NULL);
}

void json_bool_known(struct json *json, const char *key, int64_t value) {
  if (value >= 0)
    json_bool(json, key, value != 0);
  else
    json_text(json, key, NULL);
}

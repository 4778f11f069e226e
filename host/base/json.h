/* Writes JSON: objects, arrays and scalars in the order of the calls, indented by two spaces. Keys are NULL inside
 * arrays and at the top level. Does no I/O except to the given file. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { JSON_DEPTH_MAX = 32 };

struct json {
  FILE *out;
  int depth;
  int flat; /* groups (objects and arrays) that are nested deeper than this are written on one line */
  /* filled[depth]: the object or array that is open at this depth already has a member, so the next one needs a
   * comma */
  bool filled[JSON_DEPTH_MAX + 1];
};

void json_begin(struct json *json, FILE *out);
/* Ends the text with a newline. Returns -1 if the file could not be written. */
int json_end(struct json *json);

void json_object(struct json *json, const char *key);
void json_object_end(struct json *json);
void json_array(struct json *json, const char *key);
/* Begins an array that has each element on one line, for many small objects. */
void json_rows(struct json *json, const char *key);
void json_array_end(struct json *json);

/* Writes a text, or null for NULL. Bytes that are not UTF-8 become U+FFFD. '<', '>' and '&' are escaped, so that the
 * text may be inside a script element. */
void json_text(struct json *json, const char *key, const char *value);
/* Writes a number with the fewest digits that read back as the same value; NaN and infinities as null. */
void json_real(struct json *json, const char *key, double value);
void json_whole(struct json *json, const char *key, int64_t value);
void json_bool(struct json *json, const char *key, bool value);

/* Write null for a value that is not known: an empty text or a negative number. */
void json_text_known(struct json *json, const char *key, const char *value);
void json_whole_known(struct json *json, const char *key, int64_t value);
void json_bool_known(struct json *json, const char *key, int64_t value);

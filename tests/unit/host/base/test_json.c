/* Tests the JSON writer: exact bytes, hostile text, numbers that JSON lacks. */
#include "base/json.h"

#include <float.h>
#include <stdlib.h>

#include "unit.h"

static char text[4096];
static struct json json;

static void begin(void) {
  json_begin(&json, fmemopen(text, sizeof text, "w"));
}

static const char *end(void) {
  ASSERT_EQ_INT(json_end(&json), 0);
  fclose(json.out);
  return text;
}

static const char *string(const char *value) {
  begin();
  json_text(&json, NULL, value);
  return end();
}

static const char *real(double value) {
  begin();
  json_real(&json, NULL, value);
  return end();
}

static void indents(void) {
  begin();
  json_object(&json, NULL);
  json_text(&json, "a", "x");
  json_array(&json, "b");
  json_whole(&json, NULL, 1);
  json_object(&json, NULL);
  json_object_end(&json);
  json_bool(&json, NULL, true);
  json_array_end(&json);
  json_array(&json, "c");
  json_array_end(&json);
  json_bool(&json, "d", false);
  json_object_end(&json);
  ASSERT_EQ_STR(end(),
                "{\n  \"a\": \"x\",\n  \"b\": [\n    1,\n    {},\n    true\n  ],\n  \"c\": [],\n  \"d\": false\n}\n");
}

static void flattens(void) {
  begin();
  json_rows(&json, NULL);
  for (int i = 0; i < 2; i++) {
    json_object(&json, NULL);
    json_whole(&json, "a", i);
    json_array(&json, "b");
    json_whole(&json, NULL, 1);
    json_whole(&json, NULL, 2);
    json_array_end(&json);
    json_object_end(&json);
  }
  json_array_end(&json);
  ASSERT_EQ_STR(end(), "[\n  {\"a\": 0, \"b\": [1, 2]},\n  {\"a\": 1, \"b\": [1, 2]}\n]\n");
  begin();
  json_object(&json, NULL);
  json_rows(&json, "a");
  json_array_end(&json);
  json_array(&json, "b");
  json_whole(&json, NULL, 1);
  json_array_end(&json);
  json_object_end(&json);
  ASSERT_EQ_STR(end(), "{\n  \"a\": [],\n  \"b\": [\n    1\n  ]\n}\n");
}

static void escapes(void) {
  ASSERT_EQ_STR(string("a\"b\\c/d"), "\"a\\\"b\\\\c/d\"\n");
  ASSERT_EQ_STR(string("\b\f\n\r\t\x01\x1f\x7f"), "\"\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\"\n");
  ASSERT_EQ_STR(string("</script>&"), "\"\\u003c/script\\u003e\\u0026\"\n");
  ASSERT_EQ_STR(string("bfnrt"), "\"bfnrt\"\n");
  ASSERT_EQ_STR(string(""), "\"\"\n");
  ASSERT_EQ_STR(string(NULL), "null\n");
  begin();
  json_object(&json, NULL);
  json_text(&json, "k\"\n", "v");
  json_object_end(&json);
  ASSERT_EQ_STR(end(), "{\n  \"k\\\"\\n\": \"v\"\n}\n");
}

static void repairs_utf8(void) {
  ASSERT_EQ_STR(string("caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"), "\"caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80\"\n");
  ASSERT_EQ_STR(string("a\xFF"
                       "b\xC3"),
                "\"a\xEF\xBF\xBD"
                "b\xEF\xBF\xBD\"\n");
  ASSERT_EQ_STR(string("\xC0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"\n");                 /* overlong */
  ASSERT_EQ_STR(string("\xED\xA0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"\n"); /* surrogate */
  ASSERT_EQ_STR(string("\xF0\x9F\x98"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"\n"); /* truncated */
}

static void writes_numbers(void) {
  ASSERT_EQ_STR(real(0.5), "0.5\n");
  ASSERT_EQ_STR(real(-0.0), "-0\n");
  ASSERT_EQ_STR(real(1e300), "1e+300\n");
  ASSERT_EQ_STR(real(0.1), "0.1\n");
  ASSERT_TRUE(strtod(real(1.0 / 3), NULL) == 1.0 / 3);
  ASSERT_TRUE(strtod(real(DBL_MIN / 3), NULL) == DBL_MIN / 3);
  ASSERT_EQ_STR(real((double)NAN), "null\n");
  ASSERT_EQ_STR(real((double)-INFINITY), "null\n");
  begin();
  json_array(&json, NULL);
  json_whole(&json, NULL, INT64_MIN);
  json_whole(&json, NULL, INT64_MAX);
  json_array_end(&json);
  ASSERT_EQ_STR(end(), "[\n  -9223372036854775808,\n  9223372036854775807\n]\n");
}

static void what_is_not_known_is_null(void) {
  begin();
  json_array(&json, NULL);
  json_text_known(&json, NULL, "");
  json_text_known(&json, NULL, "x");
  json_whole_known(&json, NULL, -1);
  json_whole_known(&json, NULL, 0);
  json_bool_known(&json, NULL, -1);
  json_bool_known(&json, NULL, 0);
  json_bool_known(&json, NULL, 2);
  json_array_end(&json);
  ASSERT_EQ_STR(end(), "[\n  null,\n  \"x\",\n  null,\n  0,\n  null,\n  false,\n  true\n]\n");
}

static void tells_of_a_full_disk(void) {
  FILE *full = fopen("/dev/full", "w");
  ASSERT_TRUE(full != NULL);
  json_begin(&json, full);
  json_text(&json, NULL, "x");
  ASSERT_EQ_INT(json_end(&json), -1);
  fclose(full);
}

UNIT_MAIN("json", UNIT_TEST(indents), UNIT_TEST(flattens), UNIT_TEST(escapes), UNIT_TEST(repairs_utf8),
          UNIT_TEST(writes_numbers), UNIT_TEST(what_is_not_known_is_null), UNIT_TEST(tells_of_a_full_disk))

#include "reports/escape.h"

#include "capture.h"

static char *escaped(const char *text) {
  struct capture capture;
  escape_xml(capture_open(&capture), text);
  return capture_close(&capture);
}

#define ASSERT_XML(text, expected)     \
  do {                                 \
    char *xml_text = escaped(text);    \
    ASSERT_EQ_STR(xml_text, expected); \
    free(xml_text);                    \
  } while (0)

#define BAD "\xEF\xBF\xBD"

static void markup_is_text(void) {
  ASSERT_XML("<script>alert(\"1\" & '2')</script>",
             "&lt;script&gt;alert(&quot;1&quot; &amp; &#39;2&#39;)&lt;/script&gt;");
  ASSERT_XML("&lt;", "&amp;lt;");
  ASSERT_XML("]]>-->", "]]&gt;--&gt;");
  ASSERT_XML("", "");
  ASSERT_XML(NULL, "");
}

static void control_characters_go(void) {
  ASSERT_XML("a\tb\nc", "a\tb\nc");
  ASSERT_XML("a\r\nb\rc", "a\nb" BAD "c");
  ASSERT_XML("\x01\x1b[31m\x7f", BAD BAD "[31m" BAD);
  ASSERT_XML("\xC2\x85", BAD);
}

static void utf8_is_repaired(void) {
  ASSERT_XML("\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80", "\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80");
  ASSERT_XML("\xff\xfe", BAD BAD);
  ASSERT_XML("\xC3", BAD);                         /* cut off */
  ASSERT_XML("\xC0\xBC", BAD BAD);                 /* overlong '<' */
  ASSERT_XML("\xED\xA0\x80", BAD BAD BAD);         /* a surrogate */
  ASSERT_XML("\xF4\x90\x80\x80", BAD BAD BAD BAD); /* beyond the last */
  ASSERT_XML("\xC3<b", BAD "&lt;b");               /* the byte after is not swallowed */
  ASSERT_XML("\xEF\xBF\xBF", BAD);                 /* noncharacter */
}

static void direction_cannot_be_turned(void) {
  ASSERT_XML(
      "a\xE2\x80\xAE"
      "b",
      "a" BAD "b");
  ASSERT_XML(
      "a\xE2\x81\xA6"
      "b",
      "a" BAD "b");
}

static void terminals_get_one_plain_line(void) {
  char text[] = "a\x1b[31m\n\xC3\xA4\xE2\x80\xAE\xff";
  char ascii[] = "\xC3\xA4\xE2\x82\xAC!";
  escape_terminal(text, true);
  ASSERT_EQ_STR(text, "a?[31m?\xC3\xA4??");
  escape_terminal(ascii, false);
  ASSERT_EQ_STR(ascii,
                "?"
                "?!");
}

UNIT_MAIN("escape", UNIT_TEST(markup_is_text), UNIT_TEST(control_characters_go), UNIT_TEST(utf8_is_repaired),
          UNIT_TEST(direction_cannot_be_turned), UNIT_TEST(terminals_get_one_plain_line))

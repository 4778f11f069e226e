#include "base/escape.h"

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
  ASSERT_XML("\xC3", BAD);                         /* truncated */
  ASSERT_XML("\xC0\xBC", BAD BAD);                 /* overlong '<' */
  ASSERT_XML("\xED\xA0\x80", BAD BAD BAD);         /* a surrogate */
  ASSERT_XML("\xF4\x90\x80\x80", BAD BAD BAD BAD); /* beyond the last code point */
  ASSERT_XML("\xC3<b", BAD "&lt;b");               /* the next byte is kept */
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

#define ASSERT_WRITTEN(write, text, expected) \
  do {                                        \
    struct capture written;                   \
    write(capture_open(&written), text);      \
    char *got = capture_close(&written);      \
    ASSERT_EQ_STR(got, expected);             \
    free(got);                                \
  } while (0)

#define JOIN "\xE2\x81\xA0"

static void markdown_is_text(void) {
  ASSERT_WRITTEN(escape_markdown, "a|b `c` *d* _e_ ~f~", "a\\|b \\`c\\` \\*d\\* \\_e\\_ \\~f\\~");
  ASSERT_WRITTEN(escape_markdown, "<b>&amp;", "&lt;b&gt;&amp;amp;");
  ASSERT_WRITTEN(escape_markdown, "![x](y) [z]", "\\!\\[x\\]\\(y\\) \\[z\\]");
  ASSERT_WRITTEN(escape_markdown, "\\|", "\\\\\\|");
  ASSERT_WRITTEN(escape_markdown, "a\r\nb\tc\x1b\xff", "a b c" BAD BAD);
  ASSERT_WRITTEN(escape_markdown, "$x$ 1.5 2026-11-20 k=v 08:15: x", "\\$x\\$ 1.5 2026-11-20 k=v 08:15: x");
  ASSERT_WRITTEN(escape_markdown, NULL, "");
}

static void markdown_has_no_links(void) {
  ASSERT_WRITTEN(escape_markdown, "http://a.b", "http\\://a.b");
  ASSERT_WRITTEN(escape_markdown, "WWW.a.b www", "WWW\\.a.b www");
  ASSERT_WRITTEN(escape_markdown, "mailto:a@b.c", "mailto\\:a\\@" JOIN "b.c");
  ASSERT_WRITTEN(escape_markdown, "@octocat #12", "\\@" JOIN "octocat \\#" JOIN "12");
}

static void labels_end_where_they_should(void) {
  ASSERT_WRITTEN(escape_label, "a\"b\\c\nd", "a\\\"b\\\\c\\nd");
  ASSERT_WRITTEN(escape_label, "\xff\x01\xC3\xA4", BAD BAD "\xC3\xA4");
  ASSERT_WRITTEN(escape_label, "} 1\n# EOF", "} 1\\n# EOF");
  ASSERT_WRITTEN(escape_dot, "a\"b\\c\nd &amp; \xff", "a\\\"b\\\\c\\nd &amp;amp; " BAD);
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

static void formats_stay_as_they_are(void) {
  static const char *volatile none; /* an unknown text */
  struct capture written;
  FILE *out = capture_open(&written);
  xml_print(out, "<b title=\"%s\">%.3s</b> %zu%% of %d, %.1f %g", "\"%s<", "a<b>", (size_t)3, -4, 2.25, 0.5);
  markdown_print(out, " | *%s* |%s|", "|*", none);
  escape_print(out, escape_for_terminal(false), " %s\xC3\xA4", "\xC3\xA4\n");
  char *got = capture_close(&written);
  ASSERT_EQ_STR(got, "<b title=\"&quot;%s&lt;\">a&lt;b</b> 3% of -4, 2.2 0.5 | *\\|\\** || ??\xC3\xA4");
  free(got);
}

UNIT_MAIN("escape", UNIT_TEST(markup_is_text), UNIT_TEST(control_characters_go), UNIT_TEST(utf8_is_repaired),
          UNIT_TEST(direction_cannot_be_turned), UNIT_TEST(markdown_is_text), UNIT_TEST(markdown_has_no_links),
          UNIT_TEST(labels_end_where_they_should), UNIT_TEST(formats_stay_as_they_are),
          UNIT_TEST(terminals_get_one_plain_line))

/* Tests the parts of tables: generated markup, and escaped text. */
#include <math.h>

#include "base/escape.h"
#include "capture.h"
#include "html/page.h"

static void a_table_has_a_region_heads_and_rows(void) {
  static const char *const heads[] = {"case", "<us>"};
  struct capture capture;
  FILE *out = capture_open(&capture);
  html_table_open(out, "plain", "a \"b\"", heads, 2);
  html_row(out, "<small>");
  html_number(out, 1.2345, 3);
  html_number(out, NAN, 3);
  html_words(out, "a&b");
  fputs("</tr>\n", out);
  html_table_close(out);
  char *text = capture_close(&capture);
  ASSERT_EQ_STR(text,
                "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"a &quot;b&quot;\">\n"
                "<table class=\"plain\">\n<caption>a &quot;b&quot;</caption>\n"
                "<thead><tr><th scope=\"col\">case</th><th scope=\"col\">&lt;us&gt;</th></tr></thead>\n<tbody>\n"
                "<tr><th scope=\"row\">&lt;small&gt;</th><td>1.23</td><td></td><td class=\"t\">a&amp;b</td></tr>\n"
                "</tbody>\n</table>\n</div>\n");
  free(text);
}

static void text_between_markup_is_inert(void) {
  struct capture capture;
  FILE *out = capture_open(&capture);
  html_put(out, "<b>", "</b>", "</b>");
  xml_print(out, "<i>%s %d</i>", "<x>", 1);
  html_key(out, "p/b[n=<1>]", "v", "cold");
  char *text = capture_close(&capture);
  ASSERT_EQ_STR(text,
                "<b>&lt;/b&gt;</b><i>&lt;x&gt; 1</i>"
                "<li><code>p/b[n=&lt;1&gt;]</code> <b>v</b> cold</li>\n");
  free(text);
}

UNIT_MAIN("markup", UNIT_TEST(a_table_has_a_region_heads_and_rows), UNIT_TEST(text_between_markup_is_inert))

/* How a comparison speaks in HTML: names are escaped. */
#include "base/escape.h"
#include "html/compare_page.h"

static void say_name(const struct compare_voice *voice, const char *text) {
  escape_xml(voice->out, text);
}

struct compare_voice compare_html_voice(FILE *out) {
  return (struct compare_voice){.out = out, .name = say_name, .utf8 = true};
}

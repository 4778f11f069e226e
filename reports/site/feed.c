/* feed.xml, an Atom feed of nights, and badge.svg. */
#include <string.h>

#include "base/escape.h"
#include "html/page.h"
#include "site/site.h"

enum { FEED_ENTRIES = 30 };

/* A time as Atom has it; a night's without one is the epoch's. */
static void write_time(FILE *out, const char *started) {
  int year, month, day, hour, minute, second, read = 0;
  const bool whole =
      sscanf(started, "%4d-%2d-%2dT%2d:%2d:%2dZ%n", &year, &month, &day, &hour, &minute, &second, &read) == 6 &&
      read == 20 && started[20] == '\0';
  escape_xml(out, whole ? started : "1970-01-01T00:00:00Z");
}

static void write_entry(const struct site *site, size_t index, FILE *out) {
  const struct trend *trend = site->trend;
  const struct history_night *night = &trend->data->nights[index];
  char sentence[2 * MSG_SIZE];
  snprintf(sentence, sizeof sentence, "%.1000s", night->sentence[0] ? night->sentence : night->fault);
  if (index + 1 == trend->data->night_count) trend_sentence(trend, sentence, sizeof sentence);
  fputs("<entry><id>urn:gpubench:night:", out);
  site_url(out, night->run_id);
  fputs("</id><title>", out);
  html_text(out, "%.10s: %s", night->started, trend_verdict_word(trend_verdict(trend, index)));
  fputs("</title><updated>", out);
  write_time(out, night->started);
  fputs("</updated><link href=\"", out);
  fputs(site->report[index] ? "nights/" : "index.html", out);
  if (site->report[index]) site_url(out, night->run_id);
  fputs(site->report[index] ? ".html\"/><summary>" : "\"/><summary>", out);
  escape_xml(out, sentence);
  fputs("</summary></entry>\n", out);
}

void site_feed(const struct site *site, FILE *out) {
  const size_t nights = site->trend->data->night_count;
  fputs(
      "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n"
      "<id>urn:gpubench:nights</id><title>gpubench nights</title><author><name>gpubench</name></author>"
      "<link rel=\"self\" href=\"feed.xml\"/><link href=\"index.html\"/><updated>",
      out);
  write_time(out, nights > 0 ? site->trend->data->nights[nights - 1].started : "");
  fputs("</updated>\n", out);
  for (size_t i = nights; i-- > 0 && i + FEED_ENTRIES >= nights;)
    write_entry(site, i, out);
  fputs("</feed>\n", out);
}

void site_badge(const struct site *site, FILE *out) {
  static const char *const colors[] = {"#07599b", "#9c4200", "#9c4200", "#a3260f", "#a3260f"};
  const size_t nights = site->trend->data->night_count;
  const enum trend_verdict verdict = nights > 0 ? trend_verdict(site->trend, nights - 1) : TREND_UNJUDGED;
  const char *word = nights > 0 ? trend_verdict_word(verdict) : "no nights";
  const int left = 62, right = 14 + 7 * (int)strlen(word);
  fprintf(
      out,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"20\" role=\"img\" aria-label=\"gpubench: %s\">"
      "<title>gpubench: %s</title><rect width=\"%d\" height=\"20\" rx=\"3\" fill=\"%s\"/>"
      "<rect width=\"%d\" height=\"20\" rx=\"3\" fill=\"#333\"/>"
      "<g fill=\"#fff\" font-family=\"DejaVu Sans,Verdana,sans-serif\" font-size=\"11\" text-anchor=\"middle\">"
      "<text x=\"%d\" y=\"14\">gpubench</text><text x=\"%d\" y=\"14\">%s</text></g></svg>\n",
      left + right, word, word, left + right, colors[verdict], left, left / 2, left + right / 2, word);
}

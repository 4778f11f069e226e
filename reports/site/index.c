/* index.html: tonight in a sentence, the strip, changes by size, benches, nights. */
#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/number.h"
#include "html/assets.h"
#include "html/page.h"
#include "site/site.h"

static void write_head(const struct site *site, FILE *out) {
  const struct history_data *data = site->trend->data;
  char sentence[2 * MSG_SIZE];
  html_page_head(out, HTML_INLINE, "Nights");
  trend_sentence(site->trend, sentence, sizeof sentence);
  fputs("<header>\n<p class=\"run\"><b>gpubench trend</b>", out);
  if (data->night_count > 0) {
    fputs(" <span class=\"soft\">night of</span> ", out);
    site_night(site, data->night_count - 1, "", out);
  }
  fputs("</p>\n<h1>", out);
  if (data->night_count > 0) site_verdict(out, trend_verdict(site->trend, data->night_count - 1));
  fputc(' ', out);
  escape_xml(out, sentence);
  fputs("</h1>\n</header>\n<main>\n", out);
}

/* ---- Changes ---- */

static bool changed(const struct trend_row *row) {
  const bool quiet = (row->kind == TREND_STEADY || row->kind == TREND_GONE) && row->open == TREND_CLOSED;
  return !quiet && !row->series->yardstick;
}

static const struct site_bench *page_of(const struct site *site, const struct trend_row *row) {
  for (size_t i = 0; i < site->bench_count; i++)
    if (strcmp(site->benches[i].name, row->series->bench) == 0) return &site->benches[i];
  return NULL;
}

static void write_name(const struct site *site, const struct trend_row *row, FILE *out) {
  const struct site_bench *bench = page_of(site, row);
  char name[TREND_NAME];
  trend_name(row, name, sizeof name);
  fputs("<tr><th scope=\"row\"><span class=\"t\">", out);
  if (bench != NULL) {
    fprintf(out, "<a href=\"bench/%s#", bench->file);
    site_anchor(out, row, site->trend);
    fputs("\">", out);
  }
  escape_xml(out, name);
  fputs(bench != NULL ? "</a></span></th>" : "</span></th>", out);
}

static void write_change(const struct site *site, const struct trend_row *row, FILE *out) {
  char cause[4 * TEXT_SIZE];
  write_name(site, row, out);
  fputs("<td>", out);
  site_kind(out, row);
  fputs("</td><td>", out);
  fprintf(out, "<span class=\"line\">%s</span></td><td>", number_time(row->ns).text);
  if (row->first_bad != SIZE_MAX) site_night(site, row->first_bad, "", out);
  fputs("</td><td>", out);
  trend_cause(site->trend, row, cause, sizeof cause);
  escape_xml(out, cause);
  fputs("</td><td>", out);
  site_spark(row, site->trend->data->night_count, out);
  fputs("</td></tr>\n", out);
}

static void write_changes(const struct site *site, FILE *out) {
  const struct trend *trend = site->trend;
  static const char *const heads[] = {"series", "change", "time", "since", "what changed then", "last nights"};
  size_t all = 0, shown = 0;
  for (size_t i = 0; i < trend->count; i++)
    all += changed(&trend->rows[i]);
  fputs("<section aria-labelledby=\"changes\">\n<h2 id=\"changes\">Changes, the largest first</h2>\n", out);
  if (all == 0) {
    fprintf(out, "<p>None within %d nights.</p>\n</section>\n", TREND_WINDOW);
    return;
  }
  html_table_begin(out, "benches", "Changes",
                   "Nights only suspect; a confirmation measures the old and the new plugin side by side");
  for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
    html_head_words(out, heads[i]);
  html_table_rows(out);
  for (size_t i = 0; i < trend->count && shown < SITE_CHANGES; i++)
    if (changed(&trend->rows[i])) {
      write_change(site, &trend->rows[i], out);
      shown++;
    }
  html_table_close(out);
  if (all > shown) fprintf(out, "<p>and %zu more, on the pages of the benches</p>\n", all - shown);
  fputs("</section>\n", out);
}

/* ---- Benches and nights ---- */

static void write_bench(const struct site *site, const struct site_bench *bench, FILE *out) {
  size_t slower = 0, faster = 0;
  for (size_t i = 0; i < bench->count; i++) {
    slower += site->trend->rows[bench->rows[i]].kind == TREND_SLOWER;
    faster += site->trend->rows[bench->rows[i]].kind == TREND_FASTER;
  }
  fprintf(out, "<tr><th scope=\"row\"><a href=\"bench/%s\">", bench->file);
  escape_xml(out, bench->name);
  fprintf(out, "</a></th><td>%zu</td><td>%zu</td><td>%zu</td></tr>\n", bench->count, slower, faster);
}

static void write_benches(const struct site *site, FILE *out) {
  static const char *const heads[] = {"bench", "series", "slower", "faster"};
  if (site->bench_count == 0) return;
  fputs("<section aria-labelledby=\"benches\">\n<h2 id=\"benches\">Benches</h2>\n", out);
  html_table_open(out, "plain", "Times over all nights", heads, sizeof heads / sizeof heads[0]);
  for (size_t i = 0; i < site->bench_count; i++)
    write_bench(site, &site->benches[i], out);
  html_table_close(out);
  fputs("</section>\n", out);
}

static void write_night(const struct site *site, size_t index, FILE *out) {
  const struct history_night *night = &site->trend->data->nights[index];
  char marks[2 * TEXT_SIZE];
  trend_marks(site->trend, index, marks, sizeof marks);
  fputs("<tr><th scope=\"row\">", out);
  site_night(site, index, "", out);
  fprintf(out, "</th><td>%s</td>", trend_verdict_word(trend_verdict(site->trend, index)));
  html_put(out, "<td><code>", night->commit, "</code></td>");
  fprintf(out, "<td>%zu of %zu</td><td>", night->timed, night->rows);
  escape_xml(out, night->fault);
  if (site->trend->absent[index] > 0)
    fprintf(out, "%s%zu days without a night before it", night->fault[0] ? "; " : "", site->trend->absent[index]);
  if (marks[0] != '\0' && (night->fault[0] != '\0' || site->trend->absent[index] > 0)) fputs("; ", out);
  escape_xml(out, marks);
  fputs("</td></tr>\n", out);
}

static void write_nights(const struct site *site, FILE *out) {
  static const char *const heads[] = {"night", "verdict", "commit", "timed", "what else"};
  const size_t nights = site->trend->data->night_count;
  const size_t from = nights > TREND_WINDOW ? nights - TREND_WINDOW : 0;
  if (nights == 0) return;
  fprintf(out, "<section aria-labelledby=\"nights\">\n<h2 id=\"nights\">Nights</h2>\n");
  html_table_begin(out, "benches", "The last nights",
                   "The newest first; a night's date leads to its report, where the site has it");
  for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
    html_head_words(out, heads[i]);
  html_table_rows(out);
  for (size_t i = nights; i-- > from;)
    write_night(site, i, out);
  html_table_close(out);
  if (from > 0) fprintf(out, "<p class=\"soft\">and %zu before them, in the data</p>\n", from);
  fputs("</section>\n", out);
}

void site_index(const struct site *site, FILE *out) {
  write_head(site, out);
  if (site->trend->data->night_count > 0) site_strip(site->trend, out);
  write_changes(site, out);
  write_benches(site, out);
  write_nights(site, out);
  fputs(
      "<section aria-labelledby=\"data\">\n<h2 id=\"data\">Data</h2>\n<ul>\n"
      "<li><a href=\"trend.csv\">trend.csv</a>, <a href=\"trend.json\">trend.json</a>: what is shown here</li>\n"
      "<li><a href=\"history.db.gz\">history.db.gz</a>: all times of all nights, an SQLite database</li>\n"
      "<li><a href=\"feed.xml\">feed.xml</a>: the nights as an Atom feed; <a href=\"badge.svg\">badge.svg</a>: the "
      "last one</li>\n</ul>\n</section>\n</main>\n<footer><p class=\"soft\">gpubench "
      "trend</p></footer>\n</body>\n</html>\n",
      out);
}

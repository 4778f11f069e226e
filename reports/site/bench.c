/* A bench's page: of each series its times over all nights, its levels, and what changed where they begin. */
#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/number.h"
#include "html/assets.h"
#include "html/page.h"
#include "site/site.h"

static void write_level(const struct site *site, const struct trend_row *row, size_t index, FILE *out) {
  const struct nights_segment *level = &row->segments[index];
  fputs("<li>", out);
  site_night(site, level->first, "../", out);
  fputs(" to ", out);
  site_night(site, level->last, "../", out);
  fprintf(out, ": %s", number_time(level->level_ns).text);
  if (!isnan(level->step))
    fprintf(out, ", <span class=\"%s\">%+.1f%%</span>", level->step > 0 ? "slower" : "faster", 100 * level->step);
  const char *commit = site->trend->data->nights[level->first].commit;
  if (index > 0 && commit[0] != '\0') html_put(out, ", since commit <code>", commit, "</code>");
  fputs("</li>\n", out);
}

/* What the rule could have found, and what is still to be mended. */
static void write_rule(const struct site *site, const struct trend_row *row, FILE *out) {
  const struct night_judgement *now = row->now;
  if (isnan(now->detectable)) return;
  fprintf(out, "<p class=\"soft\">A step of %.1f%% is all but surely found within two nights.", 100 * now->detectable);
  if (fabs(now->machine) >= NIGHTS_LEAST) fprintf(out, " The machine is off by %+.1f%%.", 100 * now->machine);
  if (now->since != SIZE_MAX && !row->series->yardstick) {
    fprintf(out, " Slower since ");
    site_night(site, now->since, "../", out);
    fprintf(out, ", by %+.1f%% in the last night; neither mended nor accepted.", 100 * now->since_step);
  }
  fputs("</p>\n", out);
}

static void write_series(const struct site *site, const struct trend_row *row, FILE *out) {
  char name[TREND_NAME];
  trend_name(row, name, sizeof name);
  fputs("<section aria-labelledby=\"", out);
  site_anchor(out, row, site->trend);
  fputs("\">\n<h2 id=\"", out);
  site_anchor(out, row, site->trend);
  fputs("\">", out);
  escape_xml(out, name);
  html_put(out, " <span class=\"soft\">", row->series->device, "");
  html_put(out, row->series->uuid[0] ? ", " : "", row->series->uuid, "</span></h2>\n<p>");
  site_kind(out, row);
  if (row->series->yardstick) fputs(" <span class=\"soft\">(yardstick: it measures the machine)</span>", out);
  fputs("</p>\n", out);
  write_rule(site, row, out);
  site_chart(site->trend, row, out);
  fputs("<ul>\n", out);
  for (size_t i = row->segment_count; i-- > 0;)
    write_level(site, row, i, out);
  fputs("</ul>\n</section>\n", out);
}

void site_bench(const struct site *site, const struct site_bench *bench, FILE *out) {
  html_page_head(out, HTML_INLINE, bench->name);
  fputs("<header>\n<p class=\"run\"><b>gpubench trend</b> <a href=\"../index.html\">all benches</a></p>\n<h1>", out);
  escape_xml(out, bench->name);
  fprintf(out,
          " over %zu nights</h1>\n<p>Times as medians of nights; lines are levels, a dashed line is where one begins; "
          "triangles mark nights in which driver, clock, host or device changed.</p>\n</header>\n<main>\n",
          site->trend->data->night_count);
  for (size_t i = 0; i < bench->count && i < SITE_CHARTS; i++)
    write_series(site, &site->trend->rows[bench->rows[i]], out);
  if (bench->count > SITE_CHARTS) fprintf(out, "<p>and %zu more series, in the data</p>\n", bench->count - SITE_CHARTS);
  fputs("</main>\n<footer><p class=\"soft\">gpubench trend</p></footer>\n</body>\n</html>\n", out);
}

/* The page of a comparison: its frame, what comes before and behind the table. html/compare_table.c writes that. */
#include "html/compare.h"

#include <string.h>

#include "base/escape.h"
#include "base/output.h"
#include "html/assets.h"
#include "html/page.h"
#include "stats/restarts.h"
#include "summary/summary.h"

enum { ONLY_MAX = 500 };

/* ---- Head and first sentence --------------------------------------------------------------------------------- */

static void write_head(const struct compare *compare, FILE *out) {
  char title[MSG_SIZE * 4];
  snprintf(title, sizeof title, "%s against %s", compare->runs[0].label, compare->base_label);
  html_page_head(out, HTML_INLINE, title);
}

static void write_header(const struct compare *compare, FILE *out) {
  struct compare_voice voice = compare_html_voice(out);
  fputs("<header>\n<p class=\"run\"><b>gpubench compare</b> ", out);
  for (size_t i = 0; i < compare->run_count; i++) {
    if (i != 0) fputs(", ", out);
    escape_xml(out, compare->runs[i].label);
  }
  fputs(" <span class=\"soft\">against</span> ", out);
  escape_xml(out, compare->base_label);
  fputs("</p>\n<h1>", out);
  html_against_badge(out, compare_verdict(compare));
  fputc(' ', out);
  if (compare->run_count == 1) {
    compare_sentence(&voice, compare, 0);
    fputs("</h1>\n", out);
  } else {
    fprintf(out, "%zu runs against ", compare->run_count);
    escape_xml(out, compare->base_label);
    fputs("</h1>\n<ul>\n", out);
    for (size_t i = 0; i < compare->run_count; i++) {
      fputs("<li>", out);
      compare_sentence(&voice, compare, i);
      fputs("</li>\n", out);
    }
    fputs("</ul>\n", out);
  }
  fputs("</header>\n<main>\n", out);
}

/* ---- Differences --------------------------------------------------------------------------------------------- */

static void write_differences(const struct compare_run *run, bool counting, FILE *out) {
  const struct compare_differences *all = &run->differences;
  size_t from = counting ? 0 : all->counting, to = counting ? all->counting : all->count;
  char region[TEXT_SIZE];
  snprintf(region, sizeof region, "%s of %.200s", counting ? "Unlike values" : "Other values", run->label);
  html_differences(out, region, run->label, "new", all->items, from, to);
}

static void write_banner(const struct compare *compare, FILE *out) {
  if (!compare_unlike(compare)) return;
  fputs("<section class=\"failures\" aria-labelledby=\"unlike\">\n<h2 id=\"unlike\">The runs are not alike</h2>\n<p>",
        out);
  fputs(compare_judged(compare) ? "They are judged anyway, as <code class=\"line\">--force</code> asks."
                                : "Ratios are shown without verdicts, and a gate does not pass. <code "
                                  "class=\"line\">--force</code> judges anyway.",
        out);
  fputs("</p>\n", out);
  for (size_t i = 0; i < compare->run_count; i++)
    write_differences(&compare->runs[i], true, out);
  fputs("</section>\n", out);
}

static void write_others(const struct compare *compare, FILE *out) {
  bool any = false;
  for (size_t i = 0; i < compare->run_count; i++)
    any = any || compare->runs[i].differences.count != compare->runs[i].differences.counting;
  if (!any) return;
  fputs("<section aria-labelledby=\"differs\">\n<h2 id=\"differs\">What else differs</h2>\n", out);
  for (size_t i = 0; i < compare->run_count; i++)
    write_differences(&compare->runs[i], false, out);
  fputs("</section>\n", out);
}

/* ---- Behind the table ---------------------------------------------------------------------------------------- */

static void write_list(const char *where, const struct record *const *rows, size_t count, FILE *out) {
  if (count == 0) return;
  fprintf(out, "<h3>Only in %s</h3>\n<ul>\n", where);
  for (size_t i = 0; i < count && i < ONLY_MAX; i++) {
    html_key(out, rows[i]->case_key, rows[i]->variant, rows[i]->mode);
  }
  fputs("</ul>\n", out);
  if (count > ONLY_MAX) fprintf(out, "<p>and %zu more</p>\n", count - ONLY_MAX);
}

static void write_only(const struct compare *compare, FILE *out) {
  bool any = false;
  for (size_t i = 0; i < compare->run_count; i++)
    any = any || compare->runs[i].only_base_count != 0 || compare->runs[i].only_new_count != 0;
  if (!any) return;
  fputs("<section aria-labelledby=\"only\">\n<h2 id=\"only\">Not in both</h2>\n", out);
  for (size_t i = 0; i < compare->run_count; i++) {
    const struct compare_run *run = &compare->runs[i];
    fputs("<details><summary>", out);
    escape_xml(out, run->label);
    fprintf(out, ": %zu only in base, %zu only in new</summary>\n", run->only_base_count, run->only_new_count);
    write_list("base", run->only_base, run->only_base_count, out);
    write_list("new", run->only_new, run->only_new_count, out);
    fputs("</details>\n", out);
  }
  fputs("</section>\n", out);
}

static void write_runs(const struct compare *compare, FILE *out) {
  struct compare_voice voice = compare_html_voice(out);
  fputs("<p class=\"trust\"><b>Base</b> ", out);
  compare_run_line(&voice, compare->base_label, compare->base, &compare->runs[0].base_restarts);
  fputs("</p>\n", out);
  for (size_t i = 0; i < compare->run_count; i++) {
    fputs("<p class=\"trust\"><b>New</b> ", out);
    compare_run_line(&voice, compare->runs[i].label, compare->runs[i].data, &compare->runs[i].restarts);
    fputs("</p>\n", out);
  }
}

static void write_notes(const struct compare *compare, FILE *out) {
  struct compare_voice voice = compare_html_voice(out);
  fputs("<section aria-labelledby=\"notes\">\n<h2 id=\"notes\">To be known</h2>\n<ul>\n", out);
  compare_notes(&voice, compare, "<li>", "</li>\n");
  fputs("<li>Speedup is base time / new time: above 1 is faster.</li>\n</ul>\n</section>\n", out);
}

static void write_method(const struct compare *compare, FILE *out) {
  double percent = 100 * compare->options.threshold;
  fprintf(
      out,
      "<section aria-labelledby=\"method\">\n<h2 id=\"method\">Method</h2>\n<dl>\n"
      "<dt>Rows</dt><dd>are the same where case, variant and mode are. Those that need attention come first, then "
      "the largest change.</dd>\n"
      "<dt>Interval</dt><dd>95%% of the speedup, with the restart as the unit: each process counts once, as "
      "processes differ by more than the scatter within them. Where a side has fewer than 3 restarts, noise "
      "between restarts is assumed: what is known of the case, else %g%% of its time and %g%% of an empty launch for "
      "each kernel.</dd>\n"
      "<dt>Verdicts</dt><dd><i>Slower</i> and <i>faster</i>: the 99%% interval excludes 1 and the difference is at "
      "least 0.5%%. <i>Over %g%%</i>: so it is by Holm's rule at 1%% over all rows together, and the 95%% interval "
      "lies beyond %g%%; only these are exit 1 of <code class=\"line\">--fail-on slower</code>. <i>Same</i>: neither, "
      "and "
      "the 95%% interval "
      "lies within %g%%. <i>Undecided</i>: none of these.</dd>\n"
      "<dt>Alike</dt><dd>Runs whose device, driver, clocks, options or data differ say nothing about the "
      "code: they get no verdict. A plugin's new version is what a comparison is for.</dd>\n"
      "<dt>Not judged</dt><dd>of the rows that the base has timed: what is missing or not timed now, was measured on "
      "a busy machine, in fewer than %d rounds or in a case that was interrupted, is not alike or above the roof, has "
      "no interval, or "
      "one of which half is wider than %g%% and does not tell (<i>too noisy</i>); and what is slower, perhaps by more "
      "than %g%%, but not surely by %g%%. With <code class=\"line\">--fail-on slower</code> that is exit 5; <i>no "
      "regression</i> is said where all was judged.</dd>\n"
      "</dl>\n</section>\n",
      100 * STATS_RESTART_SD, 100 * STATS_RESTART_LAUNCH_SD, percent, percent, percent, WORD_ROUNDS, percent,
      2 * percent, percent);
}

int compare_html_write(const struct compare *compare, FILE *out, struct err *err) {
  write_head(compare, out);
  write_header(compare, out);
  write_banner(compare, out);
  compare_html_table(compare, out);
  write_runs(compare, out);
  write_only(compare, out);
  write_notes(compare, out);
  write_others(compare, out);
  write_method(compare, out);
  fputs("</main>\n<footer><p class=\"soft\">gpubench compare</p></footer>\n</body>\n</html>\n", out);
  return output_end(out, "the comparison", err);
}

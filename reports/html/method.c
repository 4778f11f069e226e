/* Describes in plain words how gpubench measured and verified, with figures of this run. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "html/page.h"
#include "summary/sentence.h"

static const struct {
  const char *mode, *words;
} modes[] = {
    {"cold", "The device's clock around each single launch, with the caches emptied before it."},
    {"hot",
     "Launches back to back in a queued batch, by the device's clock; a sample is the batch's mean, so the caches "
     "hold what fits."},
    {"graph", "Many launches captured in one CUDA graph and replayed; a sample is their mean."},
    {"latency-graph", "Call by call as the host sees it, from submission to completion, each call replaying a graph."},
    {"latency", "Call by call as the host sees it, from submission to completion."},
    {"wall", "The host's clock, with the whole device synchronized at both edges."},
};

static void begin_term(FILE *out, const char *name) {
  fprintf(out, "<dt>%s</dt><dd>", name);
}

static const char *mode_words(const char *mode) {
  for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
    if (strncmp(mode, modes[i].mode, strlen(modes[i].mode)) == 0) return modes[i].words;
  return NULL;
}

static void explain_modes(const struct page *page) {
  begin_term(page->out, "Time");
  for (size_t i = 0; i < page->summary.bench_count; i++) {
    const struct run_bench *bench = &page->summary.benches[i];
    const char *words = mode_words(bench->mode);
    if (words == NULL || !html_mode_is_new(page, i)) continue;
    xml_print(page->out, "%s: %s ", bench->mode, words);
    if (strstr(bench->mode, "+burst") != NULL) fputs("Only the first 10 ms after an idle pause. ", page->out);
    if (strstr(bench->mode, "+sustained") != NULL) fputs("After 2 s of the same work. ", page->out);
  }
  fputs("The figure is the median. Outliers are counted and kept.</dd>\n", page->out);
}

/* The smallest and largest value of a column over all timed rows of the benches that the user selected. */
struct range {
  double lo, hi;
};

static struct range range_of(const struct page *page, size_t offset) {
  struct range range = {HUGE_VAL, -HUGE_VAL};
  for (size_t i = 0; i < page->summary.bench_count; i++) {
    const struct run_bench *bench = &page->summary.benches[i];
    if (bench->yardstick) continue;
    for (struct bench_walk at = {.bench = bench}; bench_walk(&at);) {
      if (!row_timed(at.row)) continue;
      double value = *(const double *)(const void *)((const char *)at.row + offset);
      if (!isfinite(value)) continue;
      range.lo = fmin(range.lo, value);
      range.hi = fmax(range.hi, value);
    }
  }
  return range;
}

static void write_us(FILE *out, double ns) {
  fprintf(out, "%s us", number_significant(ns * 1e-3, 3).text);
}

static void write_overhead(const struct page *page) {
  FILE *out = page->out;
  const char *text = run_data_get(page->data, "launch_overhead_ns");
  struct range overhead = range_of(page, offsetof(struct record, launch_overhead_ns));
  struct range unsure = range_of(page, offsetof(struct record, launch_overhead_unc_ns));
  if (overhead.lo > overhead.hi && text != NULL && strtod(text, NULL) > 0)
    overhead.lo = overhead.hi = strtod(text, NULL);
  begin_term(out, "Launch overhead");
  if (overhead.lo > overhead.hi) {
    fputs("Not measured in this run: every time holds what an empty launch takes.</dd>\n", out);
    return;
  }
  fputs("An empty launch takes ", out);
  write_us(out, overhead.lo);
  if (overhead.hi > overhead.lo * 1.005) {
    fputs(" to ", out);
    write_us(out, overhead.hi);
    fputs(", by mode", out);
  }
  if (unsure.hi >= unsure.lo) {
    fputs(", within ", out);
    write_us(out, unsure.hi);
    fputs(" for other kinds of launches", out);
  }
  fputs(
      ". It is part of every raw time. Where it is above 5% of one, the time and the speedup are shown with it and "
      "\xE2\x80\x9Cless the launch overhead\xE2\x80\x9D, rates and shares of the ceiling are without it, and a verdict "
      "and the star need both. Its error is the same on both sides of a speedup. What is left of a time is shown where "
      "it is known to within 50%.</dd>\n",
      out);
}

static void write_order(const struct page *page) {
  FILE *out = page->out;
  struct range restarts = range_of(page, offsetof(struct record, restart_sd));
  begin_term(out, "Order");
  fputs(
      "All variants of a case take turns in many short rounds, in random order, so that a change of clock or "
      "temperature meets all of them alike. Near its power limit a GPU rests before each slot, as long as the "
      "rows say: times are at full clock. What a lasting load makes of it is measured by +sustained.",
      out);
  if (page->summary.rounds_max > 0)
    fprintf(out, " Here in %lld to %lld rounds.", (long long)page->summary.rounds_min,
            (long long)page->summary.rounds_max);
  if (restarts.hi >= restarts.lo)
    fprintf(out, " Fresh processes differed by a std dev of up to %.2g%%.", 100 * restarts.hi);
  fputs("</dd>\n", out);
}

static void write_precision(const struct page *page) {
  FILE *out = page->out;
  char reached[TEXT_SIZE];
  double widest = 0;
  for (size_t i = 0; i < page->data->count; i++) {
    const struct record *row = &page->data->records[i];
    if (!row_timed(row) || !(row->ci95_hi_ns > row->ci95_lo_ns)) continue;
    widest = fmax(widest, (row->ci95_hi_ns - row->ci95_lo_ns) / 2 / row->median_raw_ns);
  }
  sentence_reached(&page->summary, reached, sizeof reached);
  begin_term(out, "Precision");
  fputs(
      "A case stops when its 95% intervals are as narrow as requested, or 20 ns or a step of the clock wide, never "
      "because of the result",
      out);
  if (reached[0] != '\0') fprintf(out, ": of the rows %s", reached);
  if (widest > 0) fprintf(out, "; the widest interval is \xC2\xB1%.2g%%", 100 * widest);
  fputs(". An interval speaks for this run's conditions, not for another day or machine.</dd>\n", out);
}

static void write_correct(const struct page *page) {
  FILE *out = page->out;
  const struct record *worst = page->summary.worst;
  char when[TEXT_SIZE];
  begin_term(out, "Correct");
  sentence_when(&page->summary, when, sizeof when);
  xml_print(
      out,
      "Every variant&#39;s output is compared with a float64 reference on the same inputs%s%s. The error is relative "
      "to the norm of the expectation. A wrong variant gets no speedup.",
      when[0] != '\0' ? ", " : "", when);
  if (worst != NULL && worst->verify_tolerance > 0) {
    xml_print(out, " Closest to its limit: %s of %s with %s of %s allowed.", text_or_empty(worst->variant),
              text_or_empty(worst->case_key), number_error(worst->verify_error).text,
              number_error(worst->verify_tolerance).text);
  }
  fputs("</dd>\n", out);
}

void html_method(const struct page *page) {
  html_part_open(page->out, "method", "Method");
  fputs("<dl>\n", page->out);
  explain_modes(page);
  write_overhead(page);
  write_order(page);
  write_precision(page);
  fputs(html_method_words, page->out);
  write_correct(page);
  fputs("</dl>\n", page->out);
  html_part_close(page->out);
}

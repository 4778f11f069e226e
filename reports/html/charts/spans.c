/* Draws timelines that variants recorded: when each part of one iteration began and ended, as bars on named lanes, and
 * which lane was the bottleneck. */
#include <stdlib.h>

#include "base/escape.h"
#include "base/memory.h"
#include "html/page.h"
#include "summary/extras.h"

enum { TIMELINES_MAX = 12, TIPS_MAX = 300 };

struct drawn {
  const struct page *page;
  const struct timeline_lanes *lanes;
  struct number_unit unit;
  const char *name; /* title: "bench, case: variant" */
  size_t number;
};

/* ---- Drawing a timeline ---- */

static char *span_tip(const struct drawn *d, const struct lane *lane, const struct extras_span *span) {
  const struct number from = number_significant((double)span->begin_ns / d->unit.ns, 5);
  const struct number to = number_significant((double)span->end_ns / d->unit.ns, 5);
  return memory_print("%s: %s, %s to %s %s", lane->name, span->label != NULL ? span->label : lane->name, from.text,
                      to.text, d->unit.name);
}

static struct svg_bar *make_bars(const struct drawn *d, size_t *count) {
  const struct timeline_lanes *lanes = d->lanes;
  struct svg_bar *bars = xcalloc(lanes->bar_count, sizeof *bars);
  bool tips = lanes->bar_count <= TIPS_MAX;
  *count = 0;
  for (size_t lane = 0; lane < lanes->count; lane++)
    for (size_t i = 0; i < lanes->items[lane].spans; i++) {
      const struct lane_bar *bar = &lanes->bars[*count];
      bars[*count] = (struct svg_bar){.lane = lane,
                                      .level = bar->level,
                                      .from = (double)bar->span->begin_ns / d->unit.ns,
                                      .to = (double)bar->span->end_ns / d->unit.ns,
                                      .label = bar->span->label,
                                      .tip = tips ? span_tip(d, &lanes->items[lane], bar->span) : NULL};
      ++*count;
    }
  return bars;
}

static void draw_timeline(const struct drawn *d) {
  const struct timeline_lanes *lanes = d->lanes;
  struct svg_lane rows[LANES_MAX];
  char id[48], sentence[TEXT_SIZE], description[TEXT_SIZE + 200];
  size_t count;
  for (size_t i = 0; i < lanes->count; i++)
    rows[i] = (struct svg_lane){lanes->items[i].name, i == lanes->longest, lanes->items[i].levels};
  timeline_sentence(lanes, sentence, sizeof sentence);
  snprintf(id, sizeof id, "timeline-%zu", d->number);
  snprintf(description, sizeof description,
           "A row for each lane, a bar for each span, over the time since the iteration began. The lane in bold was "
           "busy longest. %s.",
           sentence);
  SCOPED struct svg_bar *bars = make_bars(d, &count);
  const struct svg_timeline timeline = {{id, d->name, description},
                                        d->unit.name,
                                        rows,
                                        lanes->count,
                                        bars,
                                        count,
                                        (double)lanes->begin_ns / d->unit.ns,
                                        (double)lanes->end_ns / d->unit.ns};
  svg_timeline(d->page->out, &timeline);
  for (size_t i = 0; i < count; i++)
    free((void *)(uintptr_t)bars[i].tip);
}

/* ---- The table with the figures of a timeline ---- */

static void write_lane_figures(const struct drawn *d) {
  FILE *out = d->page->out;
  const struct timeline_lanes *lanes = d->lanes;
  char caption[KEY_SIZE + 64];
  static const char *const heads[] = {"lane", "busy", "share", "spans", "first begins", "last ends"};
  snprintf(caption, sizeof caption, "%.1000s: busy times in %s", d->name, d->unit.name);
  html_figures_open(out, caption, heads, sizeof heads / sizeof heads[0]);
  for (size_t i = 0; i < lanes->count; i++) {
    const struct lane *lane = &lanes->items[i];
    html_row(out, lane->name);
    html_number(out, (double)lane->busy_ns / d->unit.ns, 4);
    fprintf(out, "<td>%s%%</td><td>%zu</td>", number_percent(timeline_share(lanes, lane)).text, lane->spans);
    html_number(out, (double)lane->first_ns / d->unit.ns, 4);
    html_number(out, (double)lane->last_ns / d->unit.ns, 4);
    fputs("</tr>\n", out);
  }
  html_figures_close(out);
}

static void write_timeline(const struct page *page, const char *name, const struct timeline_lanes *lanes,
                           size_t number) {
  const double whole = (double)lanes->end_ns - (double)lanes->begin_ns;
  const struct drawn d = {page, lanes, number_time_unit(whole > 0 ? whole : 1), name, number};
  char sentence[TEXT_SIZE];
  timeline_sentence(lanes, sentence, sizeof sentence);
  xml_print(page->out, "<figure>\n<figcaption>%s<br><b>%s</b></figcaption>\n", name, sentence);
  draw_timeline(&d);
  write_lane_figures(&d);
  fputs("</figure>\n", page->out);
}

/* ---- Choosing the rows whose timelines are shown ---- */

/* Calls `visit`, unless it is NULL, for each row that has a timeline, at most TIMELINES_MAX times. Returns how many
 * rows that are. */
static size_t visit_timelines(const struct page *page,
                              void (*visit)(const struct page *, const char *, const struct timeline_lanes *, size_t)) {
  char name[KEY_SIZE * 2 + TEXT_SIZE];
  size_t count = 0;
  for (size_t b = 0; b < page->summary.bench_count; b++)
    for (size_t i = 0; i < page->benches[b].bench.case_count; i++)
      for (size_t v = 0; v < page->benches[b].bench.variant_count; v++) {
        const struct run_case *point = &page->benches[b].bench.cases[i];
        struct timeline_lanes lanes;
        if (point->rows[v] == NULL || !timeline_build(extras_of(page->data, point->rows[v]), point->rows[v], &lanes))
          continue;
        snprintf(name, sizeof name, "%s, %s: %.100s", html_bench_name(page, b).text,
                 bench_case_label(&page->benches[b].bench, point, true).text, text_or_empty(point->rows[v]->variant));
        if (visit != NULL && count < TIMELINES_MAX) visit(page, name, &lanes, count);
        count++;
        timeline_lanes_free(&lanes);
      }
  return count;
}

void html_spans(const struct page *page) {
  size_t count = page->data->extras.count > 0 ? visit_timelines(page, NULL) : 0;
  if (count == 0) return;
  html_part_open(page->out, "timelines", "Timelines");
  fputs(
      "<p>One more iteration of each "
      "variant that records its stages, run untimed after the samples. The lane that was busy longest is the "
      "bottleneck: the whole cannot take less than that. Overlap is 1 where one lane works at a time.</p>\n<div "
      "class=\"charts\">\n",
      page->out);
  visit_timelines(page, write_timeline);
  fputs("</div>\n", page->out);
  if (count > TIMELINES_MAX)
    fprintf(page->out, "<p class=\"fold\">%zu more are in spans.csv.</p>\n", count - TIMELINES_MAX);
  html_part_close(page->out);
}

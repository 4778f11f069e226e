/* Who beats whom. */
#include "base/number.h"
#include "diagram/kinds.h"
#include "html/gallery.h"

enum { PICTURE_MAX = 24 };

static void pairwise_row(FILE *out, const struct run_bench *bench, const struct pairwise *pairwise, size_t a,
                         size_t b) {
  const struct versus *versus = pairwise_pair(pairwise, a, b);
  html_row(out, bench->variants[a]);
  html_words(out, bench->variants[b]);
  html_cell(out, number_ratio(pairwise_ratio(versus), pairwise_ratio(versus)).text);
  fprintf(out, "<td>%zu</td><td>%zu</td><td>%zu</td><td>%zu</td></tr>\n", versus->faster, versus->slower, versus->same,
          versus->undecided);
}

/* Each pair once: as the one that is faster on the whole against the other. */
static void pairwise_table(struct gallery *g, bool folded, const char *name, const struct run_bench *bench,
                           const struct pairwise *pairwise) {
  static const char *const heads[] = {"variant", "against", "times faster", "faster", "slower", "same", "undecided"};
  char caption[KEY_SIZE + 64];
  size_t rows = 0;
  snprintf(caption, sizeof caption, "%s: geometric mean and cases of each pair", name);
  gallery_table_open(g, folded, caption, heads, 7);
  for (size_t a = 0; a < pairwise->count; a++)
    for (size_t b = 0; b < pairwise->count; b++) {
      const struct versus *versus = pairwise_pair(pairwise, a, b);
      bool first = pairwise_ratio(versus) > 1 || (a < b && !(pairwise_ratio(versus) < 1));
      if (a != b && pairwise_cases(versus) > 0 && first && rows++ < GALLERY_ROWS_MAX)
        pairwise_row(g->out, bench, pairwise, a, b);
    }
  gallery_table_close(g, folded);
  if (rows > GALLERY_ROWS_MAX)
    fprintf(g->out, "<p class=\"soft\">%zu more pairs are not shown.</p>\n", rows - GALLERY_ROWS_MAX);
}

static void say_conflicts(struct gallery *g, const struct run_bench *bench, const struct pairwise *pairwise) {
  size_t conflicts = 0;
  for (size_t a = 0; a < pairwise->count; a++)
    for (size_t b = a + 1; b < pairwise->count; b++) {
      const struct versus *versus = pairwise_pair(pairwise, a, b);
      if (versus->faster == 0 || versus->slower == 0 || conflicts++ >= 4) continue;
      html_between(g->out, "<p>", "</p>\n",
                   "%s and %s: each is faster in some cases (%zu and %zu), so there is no arrow.", bench->variants[a],
                   bench->variants[b], versus->faster, versus->slower);
    }
  if (conflicts > 4) fprintf(g->out, "<p>So it is with %zu more pairs.</p>\n", conflicts - 4);
}

static bool any_edge(const struct pairwise *pairwise) {
  for (size_t i = 0; i < pairwise->count * pairwise->count; i++)
    if (pairwise->edges[i]) return true;
  return false;
}

static void begin_part(struct gallery *g, bool first) {
  if (!first) return;
  gallery_part(g, "Who beats whom");
  fputs(
      "<p>An arrow: faster in at least one case and slower in none, with how many times in the geometric mean of the "
      "cases. Arrows that follow from others are left out.</p>\n<div class=\"diagrams\">\n",
      g->out);
}

/* Two say it in the matrix. */
static bool enough(const struct run_bench *bench) {
  size_t contenders = 0;
  for (size_t i = 0; i < bench->variant_count; i++) {
    bool any = false;
    for (size_t j = 0; j < bench->case_count; j++)
      any = any || row_contends(bench->cases[j].rows[i]);
    contenders += any;
  }
  return contenders > 2;
}

bool gallery_pairwise(struct gallery *g, size_t index, bool first) {
  const struct run_bench *bench = &g->page->summary.benches[index];
  struct pairwise pairwise = {0};
  struct diagram d = {0};
  char id[32];
  if (!enough(bench)) return false;
  const struct label name = html_bench_name(g->page, index);
  if (bench->variant_count > PICTURE_MAX) {
    begin_part(g, first);
    html_between(g->out, "<p class=\"soft\">", "</p>\n",
                 "%s: %zu variants are more than the %d that one picture takes.", name.text, bench->variant_count,
                 PICTURE_MAX);
    return true;
  }
  pairwise_build(g->page->data, bench, &pairwise);
  bool any = pairwise.compared > 0;
  if (any) {
    snprintf(id, sizeof id, "beats-%zu", index);
    begin_part(g, first);
    fputs("<div>\n", g->out);
    bool drawn = diagram_of_pairwise(&d, id, name.text, bench, &pairwise) && gallery_draw(g, &d, name.text);
    if (pairwise.cases < bench->case_count)
      fprintf(g->out, "<p class=\"soft\">From %zu of %zu cases, evenly spread.</p>\n", pairwise.cases,
              bench->case_count);
    if (!any_edge(&pairwise)) fputs("<p>None beats another beyond the intervals.</p>\n", g->out);
    say_conflicts(g, bench, &pairwise);
    pairwise_table(g, drawn, name.text, bench, &pairwise);
    fputs("</div>\n", g->out);
  }
  diagram_free(&d);
  pairwise_free(&pairwise);
  return any;
}

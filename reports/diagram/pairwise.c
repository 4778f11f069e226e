/* Who beats whom. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "diagram/kinds.h"

static bool compared(const struct pairwise *pairwise, size_t variant) {
  for (size_t other = 0; other < pairwise->count; other++)
    if (pairwise_cases(pairwise_pair(pairwise, variant, other)) > 0) return true;
  return false;
}

static void add_node(struct diagram *d, const struct run_bench *bench, size_t variant) {
  char text[64];
  size_t wins = bench_wins(bench, variant), contests = bench_contests(bench);
  size_t node = diagram_node(d, -1, DIAGRAM_PLAIN, bench->variants[variant]);
  d->nodes[node].place = (int)variant;
  if (wins == 0) return;
  d->nodes[node].look = DIAGRAM_STRONG;
  snprintf(text, sizeof text, "fastest in %zu of %zu", wins, contests);
  diagram_line(d, node, contests > 1 ? text : "fastest");
}

/* "1.35x", and in how many cases where not in all. */
static void add_edge(struct diagram *d, size_t from, size_t to, const struct versus *versus) {
  char text[128];
  size_t cases = pairwise_cases(versus);
  const struct number ratio = number_ratio(pairwise_ratio(versus), pairwise_ratio(versus));
  snprintf(text, sizeof text, "%sx", ratio.text);
  if (versus->faster < cases) snprintf(text, sizeof text, "%sx\nin %zu of %zu", ratio.text, versus->faster, cases);
  diagram_edge(d, from, to, text);
}

static void describe(FILE *out, const struct run_bench *bench, const struct pairwise *pairwise) {
  size_t arrows = 0;
  for (size_t a = 0; a < pairwise->count; a++)
    for (size_t b = 0; b < pairwise->count; b++) {
      if (!pairwise->shown[a * pairwise->count + b]) continue;
      const struct versus *versus = pairwise_pair(pairwise, a, b);
      fprintf(out, "%s%s beats %s %s times", arrows++ ? "; " : "", bench->variants[a], bench->variants[b],
              number_ratio(pairwise_ratio(versus), pairwise_ratio(versus)).text);
    }
  fputs(arrows > 0 ? "." : "No variant beats another beyond the intervals.", out);
}

bool diagram_of_pairwise(struct diagram *d, const char *id, const char *name, const struct run_bench *bench,
                         const struct pairwise *pairwise) {
  char title[KEY_SIZE + 32];
  struct memory_text memory;
  SCOPED size_t *nodes = xcalloc(pairwise->count, sizeof *nodes);
  describe(memory_text_begin(&memory), bench, pairwise);
  SCOPED char *text = memory_text_end(&memory);
  snprintf(title, sizeof title, "%s: which variant beats which", name);
  diagram_init(d, id, title, text);
  for (size_t v = 0; v < pairwise->count; v++) {
    nodes[v] = d->node_count;
    if (compared(pairwise, v)) add_node(d, bench, v);
  }
  for (size_t a = 0; a < pairwise->count; a++)
    for (size_t b = 0; b < pairwise->count; b++)
      if (pairwise->shown[a * pairwise->count + b]) add_edge(d, nodes[a], nodes[b], pairwise_pair(pairwise, a, b));
  return d->node_count > 0;
}

/* Who beats whom. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "diagram/kinds.h"

static bool compared(const struct pairwise *beats, size_t variant) {
  for (size_t other = 0; other < beats->count; other++)
    if (pairwise_cases(pairwise_pair(beats, variant, other)) > 0) return true;
  return false;
}

static void add_node(struct diagram *d, const struct run_bench *bench, size_t variant) {
  char text[64];
  size_t wins = summary_wins(bench, variant), contests = summary_contests(bench);
  size_t node = diagram_node(d, -1, DIAGRAM_PLAIN, bench->variants[variant]);
  d->nodes[node].place = (int)variant;
  if (wins == 0) return;
  d->nodes[node].look = DIAGRAM_STRONG;
  snprintf(text, sizeof text, "fastest in %zu of %zu", wins, contests);
  diagram_line(d, node, contests > 1 ? text : "fastest");
}

/* "1.35x", and in how many cases where not in all. */
static void add_edge(struct diagram *d, size_t from, size_t to, const struct versus *beat) {
  char ratio[32], text[128];
  size_t cases = pairwise_cases(beat);
  number_ratio(ratio, sizeof ratio, pairwise_ratio(beat), pairwise_ratio(beat));
  snprintf(text, sizeof text, "%sx", ratio);
  if (beat->faster < cases) snprintf(text, sizeof text, "%sx\nin %zu of %zu", ratio, beat->faster, cases);
  diagram_edge(d, from, to, text);
}

static void describe(FILE *out, const struct run_bench *bench, const struct pairwise *beats) {
  size_t arrows = 0;
  for (size_t a = 0; a < beats->count; a++)
    for (size_t b = 0; b < beats->count; b++) {
      if (!beats->shown[a * beats->count + b]) continue;
      const struct versus *beat = pairwise_pair(beats, a, b);
      char ratio[32];
      number_ratio(ratio, sizeof ratio, pairwise_ratio(beat), pairwise_ratio(beat));
      fprintf(out, "%s%s beats %s %s times", arrows++ ? "; " : "", bench->variants[a], bench->variants[b], ratio);
    }
  fputs(arrows > 0 ? "." : "No variant beats another beyond the intervals.", out);
}

bool diagram_of_pairwise(struct diagram *d, const char *id, const char *name, const struct run_bench *bench,
                         const struct pairwise *beats) {
  char title[KEY_SIZE + 32], *text = NULL;
  size_t size = 0, *nodes = xcalloc(beats->count, sizeof *nodes);
  FILE *out = open_memstream(&text, &size);
  if (out != NULL) describe(out, bench, beats);
  if (out != NULL) fclose(out);
  snprintf(title, sizeof title, "%s: which variant beats which", name);
  diagram_init(d, id, title, text != NULL ? text : "");
  free(text);
  for (size_t v = 0; v < beats->count; v++) {
    nodes[v] = d->node_count;
    if (compared(beats, v)) add_node(d, bench, v);
  }
  for (size_t a = 0; a < beats->count; a++)
    for (size_t b = 0; b < beats->count; b++)
      if (beats->shown[a * beats->count + b]) add_edge(d, nodes[a], nodes[b], pairwise_pair(beats, a, b));
  free(nodes);
  return d->node_count > 0;
}

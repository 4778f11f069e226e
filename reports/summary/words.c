#include "summary/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "summary/summary.h"

static bool is_lost(const struct record *row) {
  return gap_parse(text_or_empty(row->verdict)) == GAP_MANY;
}

static bool has_word(const struct record *row, enum verdict word) {
  return text_same(row->verdict, stats_verdict_name(word));
}

/* Was there something to be said of it? */
static bool is_compared(const struct record *row) {
  return row_contends(row) && row_gap(row) == GAP_NONE && row->speedup_p >= 0;
}

/* What a row says by itself. */
static void restore(struct record *row) {
  if (is_lost(row)) record_set(&row->verdict, stats_verdict_name(row->speedup > 1 ? VERDICT_FASTER : VERDICT_SLOWER));
}

static struct record *writable(struct run_data *data, const struct record *row) {
  return &data->records[row - data->records];
}

static void settle_case(struct run_data *data, const struct run_bench *bench, const struct run_case *point) {
  for (size_t i = 0; i < bench->variant_count; i++) {
    const struct record *row = point->rows[i];
    if (row != NULL && row->fastest == 1 && !record_star_agrees(point->rows, bench->variant_count, row))
      writable(data, row)->fastest = 0;
  }
}

static void settle_bench(struct run_data *data, const struct run_bench *bench) {
  const size_t most = bench->case_count * bench->variant_count;
  SCOPED struct record **rows = xcalloc(most, sizeof *rows);
  SCOPED double *p = xcalloc(most, sizeof *p);
  SCOPED bool *sure = xcalloc(most, sizeof *sure);
  size_t count = 0;
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);) {
    if (!is_compared(at.row)) continue;
    p[count] = at.row->speedup_p;
    rows[count++] = writable(data, at.row);
  }
  stats_holm(p, count, STATS_FAMILY_ERROR, sure);
  for (size_t i = 0; i < count; i++) {
    restore(rows[i]);
    const bool differs = has_word(rows[i], VERDICT_FASTER) || has_word(rows[i], VERDICT_SLOWER);
    if (differs && !sure[i]) record_set(&rows[i]->verdict, gap_name(GAP_MANY));
  }
  for (size_t i = 0; i < bench->case_count; i++)
    settle_case(data, bench, &bench->cases[i]);
}

void words_settle(struct run_data *data) {
  struct run_summary summary;
  summary_build(data, &summary);
  for (size_t i = 0; i < summary.bench_count; i++)
    settle_bench(data, &summary.benches[i]);
  summary_free(&summary);
}

struct word_counts words_count(const struct run_bench *bench) {
  struct word_counts counts = {0};
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);) {
    counts.compared += is_compared(at.row);
    counts.lost += is_compared(at.row) && is_lost(at.row);
  }
  return counts;
}

void words_sentence(const struct run_bench *bench, char *to, size_t size) {
  const struct word_counts counts = words_count(bench);
  char lost[64] = "none";
  to[0] = '\0';
  if (STATS_FAMILY_ERROR / (double)counts.compared >= 0.01) return;
  if (counts.lost != 0) snprintf(lost, sizeof lost, "%zu", counts.lost);
  snprintf(to, size, "%zu comparisons share an error of %g%% (Holm's rule): %s %s undecided for it", counts.compared,
           100 * STATS_FAMILY_ERROR, lost,
           counts.lost == 1   ? "is"
           : counts.lost == 0 ? "of them is"
                              : "are");
}

/* A comparison's end, and its answers. */
#include "compare/compare.h"

#include <stdlib.h>

#include "summary/row.h"

static void free_rows(struct compare_row *rows, size_t count) {
  for (size_t i = 0; i < count; i++) {
    free(rows[i].cells);
    free(rows[i].label);
  }
  free(rows);
}

void compare_free(struct compare *compare) {
  free_rows(compare->rows, compare->row_count);
  free_rows(compare->yardsticks, compare->yardstick_count);
  for (size_t i = 0; i < compare->run_count; i++) {
    struct compare_run *run = &compare->runs[i];
    compare_differences_free(&run->differences);
    free(run->label);
    free(run->only_base);
    free(run->only_new);
  }
  free(compare->runs);
  free(compare->base_label);
  *compare = (struct compare){0};
}

bool compare_asks(const struct record *base) {
  return row_timed(base) || row_status_of(base) == ROW_UNKNOWN;
}

enum against_verdict compare_verdict(const struct compare *compare) {
  enum against_verdict worst = AGAINST_CLEAR;
  for (size_t i = 0; i < compare->run_count; i++)
    if (compare->runs[i].verdict > worst) worst = compare->runs[i].verdict;
  return worst;
}

size_t compare_unjudged(const struct compare_run *run) {
  size_t count = 0;
  for (enum gap gap = GAP_NONE; gap < GAPS; gap++)
    count += run->gaps[gap];
  return count;
}

bool compare_unlike(const struct compare *compare) {
  for (size_t i = 0; i < compare->run_count; i++)
    if (compare->runs[i].differences.counting != 0) return true;
  return false;
}

bool compare_judged(const struct compare *compare) {
  for (size_t i = 0; i < compare->run_count; i++)
    if (!compare->runs[i].judged) return false;
  return true;
}

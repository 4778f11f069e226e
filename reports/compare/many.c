#include "compare/many.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/text.h"

struct member {
  struct compare_cell *cell;
  size_t family;
};

static int by_family(const void *a, const void *b) {
  size_t x = ((const struct member *)a)->family, y = ((const struct member *)b)->family;
  return (x > y) - (x < y);
}

/* All cells that could have a word, family by family. */
static struct member *gather(const struct compare *compare, size_t *count) {
  struct member *members = xcalloc(compare->row_count * compare->run_count, sizeof *members);
  struct map families = {0};
  size_t next = 0;
  *count = 0;
  for (size_t i = 0; i < compare->row_count; i++)
    for (size_t j = 0; j < compare->run_count; j++) {
      const struct compare_row *row = &compare->rows[i];
      char run[24];
      const char *const key[] = {text_or_empty(row->base->bench), text_or_empty(row->base->mode), run};
      if (row->cells[j].word == VERDICT_NONE && row->cells[j].gap != GAP_NOISY) continue;
      snprintf(run, sizeof run, "%zu", j);
      const size_t family = map_put(&families, key, 3, next);
      next += family == next;
      members[(*count)++] = (struct member){&row->cells[j], family};
    }
  map_free(&families);
  qsort(members, *count, sizeof *members, by_family);
  return members;
}

/* Returns how many words are lost. */
static size_t settle(const struct member *members, size_t count) {
  SCOPED double *p = xcalloc(count, sizeof *p);
  SCOPED bool *sure = xcalloc(count, sizeof *sure);
  size_t lost = 0;
  for (size_t i = 0; i < count; i++)
    p[i] = members[i].cell->ratio.p;
  stats_holm(p, count, STATS_FAMILY_ERROR, sure);
  for (size_t i = 0; i < count; i++) {
    struct compare_cell *cell = members[i].cell;
    const bool differs = cell->word == VERDICT_SLOWER || cell->word == VERDICT_FASTER;
    if (!differs || sure[i] || cell->gap != GAP_NONE || cell->beyond) continue;
    cell->word = VERDICT_UNDECIDED;
    lost++;
  }
  return lost;
}

void many_settle(struct compare *compare) {
  size_t count;
  SCOPED struct member *members = gather(compare, &count);
  for (size_t begin = 0, end = 0; begin < count; begin = end) {
    while (end < count && members[end].family == members[begin].family)
      end++;
    compare->lost += settle(members + begin, end - begin);
  }
  compare->compared = count;
}

/* Below a bench's table: what was not seen of rows that are ok, so that whoever reads no report knows it too. */
#include <string.h>

#include "base/phrase.h"
#include "base/text.h"
#include "summary/mark_reasons.h"
#include "terminal/lines.h"

/* Of them it stands in the table already, or it says how precise a row is and not whether it is right. */
static const enum mark unproven[] = {MARK_ROOF, MARK_FEW, MARK_DERIVED, MARK_UNSEEN, MARK_REUSE};

static bool has(const struct run_data *data, const struct bench_walk *at, enum mark mark) {
  return marks_of(data, at->point, at->row) >> mark & 1;
}

/* "fast in 2 of 3 cases"; nothing where it has none. */
static void add_variant(const struct run_data *data, const struct run_bench *bench, size_t variant, enum mark mark,
                        char *to, size_t size) {
  size_t marked = 0, timed = 0;
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);) {
    if (at.variant != variant) continue;
    timed += row_timed(at.row);
    marked += has(data, &at, mark);
  }
  if (marked > 0)
    phrase_add(to, size, ", ", "%s in %zu of %zu case%s", bench->variants[variant], marked, timed,
               timed == 1 ? "" : "s");
}

void table_marks(const struct run_data *data, const struct run_bench *bench, FILE *out, bool utf8) {
  char who[MSG_SIZE], line[2 * MSG_SIZE];
  for (size_t i = 0; i < sizeof unproven / sizeof unproven[0]; i++) {
    const struct mark_scope scope = {.data = data, .bench = bench};
    who[0] = '\0';
    for (size_t variant = 0; variant < bench->variant_count; variant++)
      add_variant(data, bench, variant, unproven[i], who, sizeof who);
    if (who[0] == '\0') continue;
    marks_tell(&scope, 1U << unproven[i], line, sizeof line);
    phrase_add(line, sizeof line, " ", "(%s)", who);
    table_line(out, utf8, "unproven", line);
  }
}

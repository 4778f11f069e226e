/* Below a bench's table: what was not seen of rows that are ok, so that whoever reads no report knows it too. */

#include "base/memory.h"
#include "base/phrase.h"
#include "base/text.h"
#include "summary/mark_reasons.h"
#include "terminal/lines.h"

/* The others stand in the table already, or say how precise a row is and not whether it is right. */
static const enum mark unproven[] = {MARK_ROOF, MARK_UNPROVEN, MARK_FEW, MARK_DERIVED, MARK_UNSEEN, MARK_REUSE};

/* "fast in 2 of 3 cases, other in 1 of 3 cases"; empty where no row has it. */
static void who_has(const struct mark_scope *scope, enum mark mark, char *to, size_t size) {
  const struct run_bench *bench = scope->bench;
  SCOPED size_t *marked = xcalloc(bench->variant_count, sizeof *marked),
                *timed = xcalloc(bench->variant_count, sizeof *timed);
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);) {
    timed[at.variant] += row_timed(at.row);
    marked[at.variant] += marks_of(scope->data, at.point, at.row) >> mark & 1;
  }
  to[0] = '\0';
  for (size_t i = 0; i < bench->variant_count; i++)
    if (marked[i] > 0)
      phrase_add(to, size, ", ", "%s in %zu of %zu case%s", bench->variants[i], marked[i], timed[i],
                 timed[i] == 1 ? "" : "s");
}

void table_marks(const struct run_data *data, const struct run_bench *bench, FILE *out, bool utf8) {
  const struct mark_scope scope = {.data = data, .bench = bench};
  char who[MSG_SIZE], line[2 * MSG_SIZE];
  for (size_t i = 0; i < sizeof unproven / sizeof unproven[0]; i++) {
    who_has(&scope, unproven[i], who, sizeof who);
    if (who[0] == '\0') continue;
    marks_tell(&scope, 1U << unproven[i], line, sizeof line);
    phrase_add(line, sizeof line, " ", "(%s)", who);
    table_line(out, utf8, "unproven", line);
  }
}

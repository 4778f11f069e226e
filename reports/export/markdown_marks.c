#include "export/markdown_marks.h"

#include <string.h>

#include "base/escape.h"
#include "summary/conditions.h"
#include "summary/foreign.h"
#include "summary/mark_reasons.h"
#include "summary/marks.h"

enum { REASON_SIZE = 161, REASONS_MAX = 20 };

#define WARNING "\xE2\x9A\xA0 "

static void write_warning(FILE *out, const char *text) {
  fputs("- " WARNING, out);
  escape_markdown(out, text);
  fputc('\n', out);
}

void markdown_conditions(const struct run_data *data, const struct run_summary *summary, FILE *out) {
  char text[TEXT_SIZE], isolated[2 * TEXT_SIZE];
  const char *conditions = run_data_get(data, "conditions");
  const bool wrong = conditions != NULL && strncmp(conditions, "ok", 2) != 0, quick = conditions_quick(data);
  conditions_throttled(summary, text, sizeof text);
  if (quick) write_warning(out, CONDITIONS_QUICK);
  if (wrong) write_warning(out, conditions);
  if (text[0] != '\0') write_warning(out, text);
  conditions_isolated(data, isolated, sizeof isolated);
  if (isolated[0] != '\0') {
    fputs("- ", out);
    escape_markdown(out, isolated);
    fputc('\n', out);
  }
  if (quick || wrong || text[0] != '\0' || isolated[0] != '\0') fputc('\n', out);
}

void markdown_marks(const struct run_data *data, const struct run_case *point, const struct record *row,
                    unsigned of_all, FILE *out) {
  char text[TEXT_SIZE], reason[REASON_SIZE];
  const unsigned marks = marks_of(data, point, row);
  const bool says = !marks_cover_message(marks) && text_or_empty(row->message)[0] != '\0';
  marks_text(marks & ~of_all, text, sizeof text);
  if (text[0] == '\0' && !says) return;
  fprintf(out, " " WARNING "%s%s", text, text[0] != '\0' && says ? ": " : "");
  if (!says) return;
  const bool whole = text_copy(reason, sizeof reason, row->message);
  escape_markdown_printf(out, "%s%s", reason, whole ? "" : "...");
}

/* ---- Why rows have no time ---- */

struct reason {
  const struct record *row; /* the first of them */
  const struct run_case *point;
  size_t count;
};

/* What failed has been said. */
static bool needs_reason(const struct run_data *data, const struct run_summary *summary, const struct record *row) {
  return row_status_of(row) != ROW_OK && !summary_failed(data, summary, row);
}

static struct reason *find(struct reason *reasons, size_t count, const struct record *row) {
  for (size_t i = 0; i < count; i++)
    if (text_same(reasons[i].row->variant, row->variant) && text_same(reasons[i].row->message, row->message) &&
        row_status_of(reasons[i].row) == row_status_of(row))
      return &reasons[i];
  return NULL;
}

static void write_reason(const struct run_bench *bench, const struct reason *reason, FILE *out) {
  const char *message = text_or_empty(reason->row->message);
  fputs("- **", out);
  escape_markdown(out, text_or_empty(reason->row->variant));
  fputs("** ", out);
  escape_markdown_printf(out, "%s in %s", row_status_words(row_status_of(reason->row)),
                         bench_case_label(bench, reason->point, false).text);
  if (reason->count > 1) fprintf(out, " and %zu more", reason->count - 1);
  if (message[0] != '\0') escape_markdown_printf(out, ": %s", message);
  fputc('\n', out);
}

void markdown_reasons(const struct run_data *data, const struct run_summary *summary, const struct run_bench *bench,
                      FILE *out) {
  struct reason reasons[REASONS_MAX], *found;
  size_t count = 0, rest = 0;
  char text[TEXT_SIZE];
  marks_text(marks_shared(&(struct mark_scope){data, bench, NULL, NULL}), text, sizeof text);
  if (text[0] != '\0') fprintf(out, WARNING "Every row: %s.\n\n", text);
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);) {
    if (!needs_reason(data, summary, at.row)) continue;
    if ((found = find(reasons, count, at.row)) != NULL)
      found->count++;
    else if (count < REASONS_MAX)
      reasons[count++] = (struct reason){at.row, at.point, 1};
    else
      rest++;
  }
  for (size_t i = 0; i < count; i++)
    write_reason(bench, &reasons[i], out);
  if (rest != 0) fprintf(out, "- and %zu more rows without a time\n", rest);
  if (count != 0) fputc('\n', out);
}

/* ---- What marks mean ---- */

static unsigned marks_of_foreign(const struct run_bench *bench) {
  for (size_t i = 0; i < bench->case_count; i++)
    for (size_t j = 0; j < bench->foreign_count; j++) {
      const struct foreign_row *row = foreign_at(&bench->cases[i], j);
      if (row != NULL && foreign_is_mixed(&bench->cases[i], row)) return 1U << MARK_MATH;
    }
  return 0;
}

/* Why, of each bench: a legend can only say what the word means. */
static void write_unproven(const struct run_data *data, const struct run_summary *summary, FILE *out) {
  char text[MSG_SIZE];
  for (size_t i = 0; i < summary->bench_count && !summary->benches[i].yardstick; i++) {
    const struct mark_scope scope = {.data = data, .bench = &summary->benches[i]};
    if (marks_count(&scope, MARK_UNPROVEN) == 0) continue;
    marks_tell(&scope, 1U << MARK_UNPROVEN, text, sizeof text);
    fputs("- " WARNING, out);
    escape_markdown_printf(out, "%s, %s", summary->benches[i].name, text);
    fputc('\n', out);
  }
}

void markdown_legend(const struct run_data *data, const struct run_summary *summary, FILE *out) {
  unsigned seen = 0;
  for (size_t i = 0; i < summary->bench_count && !summary->benches[i].yardstick; i++) {
    seen |= marks_of_foreign(&summary->benches[i]);
    for (struct bench_walk at = {.bench = &summary->benches[i]}; bench_walk(&at);)
      seen |= marks_of(data, at.point, at.row);
  }
  if (seen == 0) return;
  for (unsigned i = 0; i < MARK_COUNT; i++)
    if (seen >> i & 1) fprintf(out, "- " WARNING "%s: %s\n", mark_word(i), mark_meaning(i));
  if (seen >> MARK_UNPROVEN & 1) write_unproven(data, summary, out);
  fputc('\n', out);
}

/* The iterator over the rows of results, and the names and sentences for rows that all outputs use. */
#include "export/export.h"

#include <inttypes.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/rng.h"
#include "summary/bench.h"
#include "summary/marks.h"

static void enter_bench(struct export_row *row) {
  row->bench = &row->summary->benches[row->bench_index];
  title_where(row->data, row->summary, row->bench, row->where, sizeof row->where);
  title_device(row->summary, row->bench->device_name, row->bench->devices, row->device, sizeof row->device);
}

/* Moves to the next case and variant, for which there may be no row. Returns false at the end. */
static bool next_export_cell(struct export_row *row) {
  while (row->summary->benches != NULL && row->bench_index < row->summary->bench_count) {
    const struct run_bench *bench = &row->summary->benches[row->bench_index];
    if (row->bench != bench) enter_bench(row);
    if (bench->yardstick) return false; /* yardsticks come last and are left out */
    if (row->case_index < bench->case_count) {
      row->point = &bench->cases[row->case_index];
      if (row->variant_index < bench->variant_count) {
        row->record = row->point->rows[row->variant_index++];
        return true;
      }
      row->case_index++;
    } else {
      row->bench_index++;
      row->case_index = 0;
    }
    row->variant_index = 0;
  }
  return false;
}

bool export_next(struct export_row *row) {
  while (next_export_cell(row))
    if (row->record != NULL) return true;
  return false;
}

void export_name(const struct export_row *row, char *to, size_t size) {
  const char *key = row->point->key, *variant = text_or_empty(row->record->variant), *mode = row->bench->mode;
  SCOPED char *whole = memory_print("%s/%s/%s%s%s", key, variant, mode, row->where[0] ? "/" : "", row->where);
  if (!text_copy(to, size, whole)) snprintf(to + size - 18, 18, "~%016" PRIx64, rng_text(whole));
}

void export_timed(const struct run_data *data, struct json *json,
                  void (*write)(struct json *json, const struct export_row *row, const char *name)) {
  struct run_summary summary;
  char name[OUT_NAME_SIZE];
  summary_build(data, &summary);
  struct export_row row = {.data = data, .summary = &summary};
  while (export_next(&row)) {
    if (!row_timed(row.record)) continue;
    export_name(&row, name, sizeof name);
    write(json, &row, name);
  }
  summary_free(&summary);
}

/* Writes the figure without the launch overhead, if it is known and the overhead is a large part of the time in any row
 * of the case. */
static void say_left(FILE *out, const struct export_row *row, struct number left) {
  if (left.text[0] != '\0' && bench_case_launch_limited(row->bench, row->point))
    fprintf(out, " (less the launch overhead %s)", left.text);
}

static void say_time(FILE *out, const struct export_row *row) {
  const struct record *r = row->record;
  struct number text = number_time_within("+-", r->median_raw_ns, r->ci95_lo_ns, r->ci95_hi_ns);
  fputs(text.text, out);
  say_left(out, row, row_left(r, "+-"));
  bench_rate_text(row->bench, row_rate(row->bench->rate, r), text.text, sizeof text.text);
  if (text.text[0] != '\0') fprintf(out, ", %s", text.text);
  text = number_percent(r->ceiling_share);
  if (text.text[0] != '\0') fprintf(out, ", %s%% of the ceiling", text.text);
}

static void say_speedup(FILE *out, const struct export_row *row) {
  const struct record *r = row->record;
  if (baseline_is(row->point, r)) fputs(", the baseline", out);
  if (baseline_is(row->point, r) || !(r->speedup > 0)) return;
  fprintf(out, ", %s of %s", number_ratio_within(r->speedup, r->speedup_lo, r->speedup_hi).text,
          text_or_empty(r->baseline));
  say_left(out, row, row_left_ratio(r));
  if (row_verdict(r)[0] != '\0') fprintf(out, ": %s", row_verdict(r));
}

static void say_marks(FILE *out, const struct export_row *row) {
  char text[TEXT_SIZE];
  marks_text(marks_of(row->data, row->point, row->record), text, sizeof text);
  if (text[0] != '\0') fprintf(out, "; marks: %s", text);
  if (gap_parse(row_verdict(row->record)) != GAP_UNPROVEN) return;
  marks_tell(&(struct mark_scope){row->data, row->bench, row->point, row->record}, 1U << MARK_UNPROVEN, text,
             sizeof text);
  fprintf(out, "; %s", text);
}

void marks_json(struct json *json, const char *key, unsigned marks) {
  json_array(json, key);
  for (unsigned i = 0; i < MARK_COUNT; i++)
    if (marks >> i & 1) json_text(json, NULL, mark_word(i));
  json_array_end(json);
}

void export_sentence(const struct export_row *row, char *to, size_t size) {
  enum row_status status = row_status_of(row->record);
  to[0] = '\0';
  FILE *out = fmemopen(to, size, "w");
  if (out == NULL) return;
  if (row_timed(row->record)) {
    say_time(out, row);
    say_speedup(out, row);
    say_marks(out, row);
  } else {
    fputs(status == ROW_OK ? "correct, not timed" : row_status_words(status), out);
  }
  if (row->record->message != NULL) fprintf(out, "%s%s", row_timed(row->record) ? "; " : ": ", row->record->message);
  fclose(out);
  to[size - 1] = '\0';
}

/* Reads and writes spans.csv: the intervals on the timelines that variants reported. */
#include "record/csv/files.h"

#include <string.h>

#include "base/memory.h"

#define LIST(X)       \
  X(TEXT, case_key)   \
  X(TEXT, variant)    \
  X(TEXT, mode)       \
  X(NUMBER, epoch)    \
  X(TEXT, lane)       \
  X(TEXT, label)      \
  X(SIGNED, begin_ns) \
  X(SIGNED, end_ns)
CSV_TABLE(spans_csv, LIST, "spans");

/* ---- Writing spans.csv ---- */

int spans_csv_write(FILE *out, const struct csv_series *series, uint32_t epoch, const struct timeline *timeline,
                    struct err *err) {
  for (uint32_t i = 0; i < timeline->count; i++) {
    const struct timeline_span *span = &timeline->spans[i];
    const struct row row = {series->case_key, series->variant, series->mode,   epoch,
                            span->lane,       span->label,     span->begin_ns, span->end_ns};
    csv_table_write(out, &spans_csv, &row);
  }
  return output_end(out, spans_csv.what, err);
}

/* ---- Reading spans.csv ---- */

static uint32_t lane_of(struct extras_series *series, const char *lane) {
  for (size_t i = series->lanes.count; i-- > 0;)
    if (strcmp(series->lanes.items[i], lane) == 0) return (uint32_t)i;
  strings_add(&series->lanes, lane);
  return (uint32_t)series->lanes.count - 1;
}

static int check_span(const struct row *row, char **fields, struct timeline_span *span, struct err *err) {
  *span = (struct timeline_span){.begin_ns = row->begin_ns, .end_ns = row->end_ns};
  text_copy(span->lane, sizeof span->lane, row->lane);
  text_copy(span->label, sizeof span->label, row->label);
  if (timeline_check(span)) return 0;
  return err_set(err, EXIT_FAILED, "lane '%.80s' from %.24s to %.24s ns is not a span", row->lane, fields[AT_begin_ns],
                 fields[AT_end_ns]);
}

static int take_timeline_row(void *user, char **fields, struct err *err) {
  struct run_data *data = user;
  struct row row = {0};
  struct timeline_span span;
  if (csv_table_check(&spans_csv, csv_table_parse(&spans_csv, fields, &row), fields, err) != 0) return -1;
  if (check_span(&row, fields, &span, err) != 0) return -1;
  struct extras_series *series = extras_add(&data->extras, data->run_count - 1, row.case_key, row.variant, row.mode);
  uint32_t epoch = (uint32_t)row.epoch;
  size_t at = series->span_count;
  if (at > 0 && series->spans[0].epoch == epoch && at >= TIMELINE_SPANS_MAX)
    return err_set(err, EXIT_FAILED, "more than %d spans of one variant", TIMELINE_SPANS_MAX);
  uint32_t lane = lane_of(series, span.lane);
  if (lane >= TIMELINE_LANES_MAX)
    return err_set(err, EXIT_FAILED, "more than %d lanes of one variant", TIMELINE_LANES_MAX);
  series->spans = xgrow(series->spans, at, sizeof *series->spans);
  series->spans[series->span_count++] =
      (struct extras_span){epoch, lane, span.label[0] != '\0' ? xstrdup(span.label) : NULL, span.begin_ns, span.end_ns};
  return 0;
}

int spans_csv_read(FILE *in, const char *name, struct run_data *data, struct err *err) {
  return csv_table_read(in, name, &spans_csv, take_timeline_row, data, NULL, err);
}

/* Timelines of variants as CSV. */
#include "record/spans_csv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "record/csv_read.h"

#define COLUMNS_LIST "case_key, variant, mode, epoch, lane, label, begin_ns, end_ns"

enum { CASE_KEY, VARIANT, MODE, EPOCH, LANE, LABEL, BEGIN, END };

/* ---- Writing ---- */

int spans_csv_header(FILE *out, struct err *err) {
  fputs(SPANS_COLUMNS "\r\n", out);
  return csv_finish(out, "spans", err);
}

int spans_csv_write(FILE *out, const struct csv_series *series, uint32_t epoch, const struct timeline *timeline,
                    struct err *err) {
  const char *const before[] = {series->case_key, series->variant, series->mode};
  for (uint32_t i = 0; i < timeline->count; i++) {
    const struct timeline_span *span = &timeline->spans[i];
    for (size_t j = 0; j < sizeof before / sizeof before[0]; j++) {
      csv_write_text(out, before[j]);
      fputc(',', out);
    }
    fprintf(out, "%" PRIu32 ",", epoch);
    csv_write_text(out, span->lane);
    fputc(',', out);
    csv_write_text(out, span->label);
    fprintf(out, ",%" PRId64 ",%" PRId64 "\r\n", span->begin_ns, span->end_ns);
  }
  return csv_finish(out, "spans", err);
}

/* ---- Reading ---- */

static int read_header(void *user, char **names, size_t count, struct err *err) {
  (void)user;
  char list[256];
  text_join(list, sizeof list, (const char *const *)names, count);
  if (strcmp(list, COLUMNS_LIST) == 0) return 0;
  return err_set(err, EXIT_FAILED, "the columns are '%s', not " SPANS_COLUMNS, list);
}

static int parse_whole(const char *text, int64_t *value, struct err *err) {
  char *end = NULL;
  errno = 0;
  *value = strtoll(text, &end, 10);
  if (strchr("-0123456789", text[0]) != NULL && end != text && *end == '\0' && errno == 0) return 0;
  return err_set(err, EXIT_FAILED, "'%.40s' is not a whole number", text);
}

static uint32_t lane_of(struct extras_series *series, const char *lane) {
  for (size_t i = series->lanes.count; i-- > 0;)
    if (strcmp(series->lanes.items[i], lane) == 0) return (uint32_t)i;
  strings_add(&series->lanes, lane);
  return (uint32_t)series->lanes.count - 1;
}

static int parse_row(char **fields, struct timeline_span *span, uint32_t *epoch, struct err *err) {
  int64_t number;
  if (parse_whole(fields[EPOCH], &number, err) != 0 || parse_whole(fields[BEGIN], &span->begin_ns, err) != 0 ||
      parse_whole(fields[END], &span->end_ns, err) != 0)
    return -1;
  if (number < 0 || number > UINT32_MAX) return err_set(err, EXIT_FAILED, "epoch is '%.40s'", fields[EPOCH]);
  *epoch = (uint32_t)number;
  text_copy(span->lane, sizeof span->lane, fields[LANE]);
  text_copy(span->label, sizeof span->label, fields[LABEL]);
  if (timeline_check(span)) return 0;
  return err_set(err, EXIT_FAILED, "lane '%.80s' from %.24s to %.24s ns is no span", fields[LANE], fields[BEGIN],
                 fields[END]);
}

static int read_row(void *user, char **fields, size_t count, bool complete, struct err *err) {
  struct run_data *data = user;
  struct timeline_span span = {0};
  uint32_t epoch = 0;
  (void)count;
  if (!complete) return 0; /* a cut number would read as another one */
  for (size_t i = 0; i <= LABEL; i++)
    csv_unguard(fields[i]);
  if (parse_row(fields, &span, &epoch, err) != 0) return -1;
  struct extras_series *series =
      extras_add(&data->extras, data->run_count - 1, fields[CASE_KEY], fields[VARIANT], fields[MODE]);
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
  struct csv_handler handler = {read_header, read_row, data};
  bool torn = false;
  return csv_read_stream(in, name, &handler, &torn, err);
}

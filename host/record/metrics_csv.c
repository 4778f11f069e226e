/* Metrics of variants as CSV. */
#include "record/metrics_csv.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "record/csv_read.h"

#define COLUMNS_LIST "case_key, variant, mode, epoch, metric, unit, better, aggregate, value, n, sd, min, max"

enum { CASE_KEY, VARIANT, MODE, EPOCH, METRIC, UNIT, BETTER, AGGREGATE, VALUE, N, SD, MIN, MAX };

/* ---- Writing ---- */

int metrics_csv_header(FILE *out, struct err *err) {
  fputs(METRICS_COLUMNS "\r\n", out);
  return csv_finish(out, "metrics", err);
}

int metrics_csv_write(FILE *out, const struct csv_series *series, uint32_t epoch, const struct metric_result *result,
                      struct err *err) {
  const struct metric_desc *desc = &result->desc;
  const char *const before[] = {series->case_key, series->variant, series->mode};
  const char *const behind[] = {desc->name, desc->unit, metric_better_name(desc->better),
                                metric_aggregate_name(desc->aggregate)};
  const double numbers[] = {result->value, result->sd, result->min, result->max};
  char text[64];
  for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
    csv_write_text(out, before[i]);
    fputc(',', out);
  }
  fprintf(out, "%" PRIu32, epoch);
  for (size_t i = 0; i < sizeof behind / sizeof behind[0]; i++) {
    fputc(',', out);
    csv_write_text(out, behind[i]);
  }
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    number_shortest(text, sizeof text, numbers[i]);
    fprintf(out, ",%s", text);
    if (i == 0) fprintf(out, ",%" PRIu64, result->n);
  }
  fputs("\r\n", out);
  return csv_finish(out, "metrics", err);
}

/* ---- Reading ---- */

static int read_header(void *user, char **names, size_t count, struct err *err) {
  (void)user;
  char list[256];
  text_join(list, sizeof list, (const char *const *)names, count);
  if (strcmp(list, COLUMNS_LIST) == 0) return 0;
  return err_set(err, EXIT_FAILED, "the columns are '%s', not " METRICS_COLUMNS, list);
}

static int parse_real(const char *text, double *value, struct err *err) {
  char *end = NULL;
  *value = strtod(text, &end);
  if (end != text && *end == '\0' && isfinite(*value)) return 0;
  return err_set(err, EXIT_FAILED, "'%.40s' is not a number", text);
}

static int parse_whole(const char *text, uint64_t most, uint64_t *value, struct err *err) {
  char *end = NULL;
  errno = 0;
  *value = strtoull(text, &end, 10);
  if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *value <= most) return 0;
  return err_set(err, EXIT_FAILED, "'%.40s' is not a whole number", text);
}

static int parse_row(char **fields, struct extras_metric *metric, struct err *err) {
  struct metric_result *result = &metric->result;
  uint64_t epoch;
  result->desc.better = metric_better_parse(fields[BETTER]);
  result->desc.aggregate = metric_aggregate_parse(fields[AGGREGATE]);
  if (result->desc.better == BETTER_COUNT)
    return err_set(err, EXIT_FAILED, "better is '%.40s', known are neither, more, less", fields[BETTER]);
  if (result->desc.aggregate == AGGREGATE_COUNT)
    return err_set(err, EXIT_FAILED, "aggregate is '%.40s', known are median, mean, sum, min, max, last",
                   fields[AGGREGATE]);
  if (parse_whole(fields[EPOCH], UINT32_MAX, &epoch, err) != 0 ||
      parse_whole(fields[N], INT64_MAX, &result->n, err) != 0 || parse_real(fields[VALUE], &result->value, err) != 0 ||
      parse_real(fields[SD], &result->sd, err) != 0 || parse_real(fields[MIN], &result->min, err) != 0 ||
      parse_real(fields[MAX], &result->max, err) != 0)
    return -1;
  metric->epoch = (uint32_t)epoch;
  text_copy(result->desc.name, sizeof result->desc.name, fields[METRIC]);
  text_copy(result->desc.unit, sizeof result->desc.unit, fields[UNIT]);
  if (metric_check(result)) return 0;
  return err_set(err, EXIT_FAILED, "metric '%.80s': no name, no value, or its ends are the wrong way round",
                 fields[METRIC]);
}

static int read_row(void *user, char **fields, size_t count, bool complete, struct err *err) {
  enum { MOST = 1 << 14 }; /* of one variant: metrics times processes */
  struct run_data *data = user;
  struct extras_metric metric = {0};
  (void)count;
  if (!complete) return 0; /* a cut number would read as another one */
  for (size_t i = 0; i <= MAX; i++)
    csv_unguard(fields[i]);
  if (parse_row(fields, &metric, err) != 0) return -1;
  struct extras_series *series =
      extras_add(&data->extras, data->run_count - 1, fields[CASE_KEY], fields[VARIANT], fields[MODE]);
  size_t at = series->metric_count;
  if (at == MOST) return err_set(err, EXIT_FAILED, "more than %d metrics of one variant", MOST);
  series->metrics = xgrow(series->metrics, at, sizeof *series->metrics);
  series->metrics[series->metric_count++] = metric;
  return 0;
}

int metrics_csv_read(FILE *in, const char *name, struct run_data *data, struct err *err) {
  struct csv_handler handler = {read_header, read_row, data};
  bool torn = false;
  return csv_read_stream(in, name, &handler, &torn, err);
}

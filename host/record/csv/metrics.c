/* Reads and writes metrics.csv: the values that variants reported besides their times. */
#include "record/csv/files.h"

#include "base/memory.h"

#define LIST(X)      \
  X(TEXT, case_key)  \
  X(TEXT, variant)   \
  X(TEXT, mode)      \
  X(NUMBER, epoch)   \
  X(TEXT, metric)    \
  X(TEXT, unit)      \
  X(TEXT, better)    \
  X(TEXT, aggregate) \
  X(REAL, value)     \
  X(WHOLE, n)        \
  X(REAL, sd)        \
  X(REAL, min)       \
  X(REAL, max)
CSV_TABLE(metrics_csv, LIST, "metrics");

/* ---- Writing metrics.csv ---- */

int metrics_csv_write(FILE *out, const struct csv_series *series, uint32_t epoch, const struct metric_result *result,
                      struct err *err) {
  const struct metric_desc *desc = &result->desc;
  const struct row row = {.case_key = series->case_key,
                          .variant = series->variant,
                          .mode = series->mode,
                          .epoch = epoch,
                          .metric = desc->name,
                          .unit = desc->unit,
                          .better = metric_better_name(desc->better),
                          .aggregate = metric_aggregate_name(desc->aggregate),
                          .value = result->value,
                          .n = result->n,
                          .sd = result->sd,
                          .min = result->min,
                          .max = result->max};
  csv_table_write(out, &metrics_csv, &row);
  return output_end(out, metrics_csv.what, err);
}

/* ---- Reading metrics.csv ---- */

static int parse_metric_row(char **fields, struct row *row, struct extras_metric *metric, struct err *err) {
  uint32_t wrong = csv_table_parse(&metrics_csv, fields, row);
  *metric = (struct extras_metric){.epoch = (uint32_t)row->epoch,
                                   .result = {.desc = {.better = metric_better_parse(row->better),
                                                       .aggregate = metric_aggregate_parse(row->aggregate)},
                                              .value = row->value,
                                              .n = row->n,
                                              .sd = row->sd,
                                              .min = row->min,
                                              .max = row->max}};
  struct metric_desc *desc = &metric->result.desc;
  if (desc->better == BETTER_COUNT)
    return err_set(err, EXIT_FAILED, "better is '%.40s', known are neither, more, less", row->better);
  if (desc->aggregate == AGGREGATE_COUNT)
    return err_set(err, EXIT_FAILED, "aggregate is '%.40s', known are median, mean, sum, min, max, last",
                   row->aggregate);
  if (csv_table_check(&metrics_csv, wrong, fields, err) != 0) return -1;
  text_copy(desc->name, sizeof desc->name, row->metric);
  text_copy(desc->unit, sizeof desc->unit, row->unit);
  if (metric_check(&metric->result)) return 0;
  return err_set(err, EXIT_FAILED, "metric '%.80s': no name, no value, or its ends are the wrong way round",
                 row->metric);
}

static int take_metric_row(void *user, char **fields, struct err *err) {
  enum { MOST = 1 << 14 }; /* largest number of metrics of one variant, summed over its processes */
  struct run_data *data = user;
  struct row row = {0};
  struct extras_metric metric;
  if (parse_metric_row(fields, &row, &metric, err) != 0) return -1;
  struct extras_series *series = extras_add(&data->extras, data->run_count - 1, row.case_key, row.variant, row.mode);
  size_t at = series->metric_count;
  if (at == MOST) return err_set(err, EXIT_FAILED, "more than %d metrics of one variant", MOST);
  series->metrics = xgrow(series->metrics, at, sizeof *series->metrics);
  series->metrics[series->metric_count++] = metric;
  return 0;
}

int metrics_csv_read(FILE *in, const char *name, struct run_data *data, struct err *err) {
  return csv_table_read(in, name, &metrics_csv, take_metric_row, data, NULL, err);
}

/* OpenMetrics text, which Prometheus reads too: gauges only, without timestamps, for a textfile collector. The labels
 * do not name the run, so that one run continues the series of another. */
#include <math.h>

#include "base/escape.h"
#include "export/export.h"
#include "record/csv/csv.h"
#include "summary/bench.h"
#include "summary/extras.h"

struct metric_label {
  const char *name, *value;
};

static void write_labels(FILE *out, const struct metric_label *labels, size_t count) {
  const char *between = "{";
  for (size_t i = 0; i < count; i++) {
    if (labels[i].value == NULL || labels[i].value[0] == '\0') continue;
    fprintf(out, "%s%s=\"", between, labels[i].name);
    escape_label(out, labels[i].value);
    fputc('"', out);
    between = ",";
  }
  if (between[0] == ',') fputc('}', out);
}

/* Nanoseconds times 1e-9 are not exact: digits beyond these are noise. */
static void write_value(FILE *out, double value) {
  fprintf(out, " %.12g\n", value);
}

/* One sample of a row. What is not known is left out. */
static void write_sample(FILE *out, const char *family, const struct export_row *row, const char *name,
                         const char *value, double number) {
  char run[TEXT_SIZE] = "";
  if (!isfinite(number)) return;
  if (row->bench->repeated) run_data_run_name(row->data, row->bench->run, run, sizeof run);
  const struct metric_label labels[] = {{"bench", row->bench->name},
                                        {"case", row->point->key},
                                        {"variant", row->record->variant},
                                        {"mode", row->bench->mode},
                                        {"device", row->device},
                                        {"run", run},
                                        {name, value}};
  fputs(family, out);
  write_labels(out, labels, sizeof labels / sizeof labels[0]);
  write_value(out, number);
}

static void write_times(FILE *out, const char *family, const struct export_row *row) {
  const struct record *r = row->record;
  const struct {
    const char *stat;
    double ns;
  } stats[] = {{"min", r->min_ns},
               {"median", r->median_raw_ns},
               {"median_lower", r->ci95_lo_ns},
               {"median_upper", r->ci95_hi_ns},
               {"mean", r->mean_ns},
               {"stddev", r->stddev_ns},
               {"p95", r->p95_ns},
               {"p99", r->p99_ns},
               {"max", r->max_ns}};
  for (size_t i = 0; row_timed(r) && i < sizeof stats / sizeof stats[0]; i++)
    write_sample(out, family, row, "stat", stats[i].stat, stats[i].ns * 1e-9);
}

static void write_flops(FILE *out, const char *family, const struct export_row *row) {
  if (row_timed(row->record)) write_sample(out, family, row, "", NULL, row->record->tflops * 1e12);
}

static void write_bytes(FILE *out, const char *family, const struct export_row *row) {
  if (row_timed(row->record)) write_sample(out, family, row, "", NULL, row->record->gb_per_s * 1e9);
}

static void write_roof(FILE *out, const char *family, const struct export_row *row) {
  if (row_timed(row->record)) write_sample(out, family, row, "", NULL, row->record->roof_share);
}

static void write_speedup(FILE *out, const char *family, const struct export_row *row) {
  const struct record *r = row->record;
  if (!row_timed(r) || baseline_is(row->point, r)) return;
  write_sample(out, family, row, "stat", "value", r->speedup);
  write_sample(out, family, row, "stat", "lower", r->speedup_lo);
  write_sample(out, family, row, "stat", "upper", r->speedup_hi);
}

static void write_error(FILE *out, const char *family, const struct export_row *row) {
  write_sample(out, family, row, "", NULL, row->record->verify_error);
}

/* The unit is in no label: a metric of this name has one. */
static void write_metric(FILE *out, const char *family, const struct export_row *row) {
  struct metrics_figure figure;
  for (size_t at = 0; metrics_next(row->data, row->record, &at, &figure);)
    write_sample(out, family, row, "metric", figure.desc->name, figure.value);
}

static void write_joules(FILE *out, const char *family, const struct export_row *row) {
  if (!row_timed(row->record)) return;
  write_sample(out, family, row, "stat", "total", row->record->energy_j);
  write_sample(out, family, row, "stat", "net", row->record->energy_net_j);
}

static void write_power(FILE *out, const char *family, const struct export_row *row) {
  if (!row_timed(row->record)) return;
  write_sample(out, family, row, "stat", "load", row->record->energy_power_w);
  write_sample(out, family, row, "stat", "idle", row->record->idle_w);
}

static void write_failed(FILE *out, const char *family, const struct export_row *row) {
  bool failed = summary_failed(row->data, row->summary, row->record);
  write_sample(out, family, row, "status", row_status_words(row_status_of(row->record)), failed ? 1 : 0);
}

static const struct {
  const char *name, *unit, *help;
  void (*write)(FILE *out, const char *family, const struct export_row *row);
} families[] = {
    {"gpubench_time_seconds", "seconds", "Time of one run; median_lower and median_upper are its 95% interval",
     write_times},
    {"gpubench_flops_per_second", NULL, "Nominal floating-point operations by the median time", write_flops},
    {"gpubench_bytes_per_second", NULL, "Nominal bytes read and written by the median time", write_bytes},
    {"gpubench_ceiling_ratio", "ratio", "Share of the measured ceiling", write_roof},
    {"gpubench_speedup_ratio", "ratio", "Time of the baseline over this time, with its 95% interval", write_speedup},
    {"gpubench_verify_error_ratio", "ratio", "Norm-relative error against float64", write_error},
    {"gpubench_metric", NULL, "What a variant measured beside the time, in the unit that metrics.csv names",
     write_metric},
    {"gpubench_energy_joules", "joules", "Energy of one run; net is less what the device draws idle", write_joules},
    {"gpubench_power_watts", "watts", "Mean power under steady load, and with nothing to do", write_power},
    {"gpubench_failed", NULL, "1 where the row fails the run", write_failed},
};

static void write_head(FILE *out, const char *name, const char *unit, const char *help) {
  fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
  if (unit != NULL) fprintf(out, "# UNIT %s %s\n", name, unit);
}

/* What is known of each run. */
static void write_runs(const struct run_data *data, FILE *out) {
  static const char *const names[] = {"host", "device_name", "driver", "gpubench_version", "started_utc"};
  enum { COUNT = sizeof names / sizeof names[0] };
  write_head(out, "gpubench_run", NULL, "A run whose rows are here");
  for (size_t i = 0; i < data->run_count; i++) {
    char run[TEXT_SIZE];
    struct metric_label labels[COUNT + 1];
    run_data_run_name(data, i, run, sizeof run);
    labels[0] = (struct metric_label){"run", run};
    for (size_t j = 0; j < COUNT; j++)
      labels[j + 1] = (struct metric_label){names[j], pairs_get(&data->runs[i].environment, names[j])};
    fputs("gpubench_run", out);
    write_labels(out, labels, COUNT + 1);
    write_value(out, 1);
  }
}

int export_openmetrics(const struct run_data *data, FILE *out, struct err *err) {
  struct run_summary summary;
  summary_build(data, &summary);
  write_runs(data, out);
  for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
    struct export_row row = {.data = data, .summary = &summary};
    write_head(out, families[i].name, families[i].unit, families[i].help);
    while (export_next(&row))
      families[i].write(out, families[i].name, &row);
  }
  fputs("# EOF\n", out);
  summary_free(&summary);
  return csv_finish(out, "the metrics", err);
}

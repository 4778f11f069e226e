/* Writes OpenMetrics text, which Prometheus also reads: gauges without timestamps, for a textfile collector. Labels
 * name the run only if several runs have the same bench; otherwise a new run continues the series of the earlier one.
 */
#include <math.h>

#include "base/escape.h"
#include "export/export.h"
#include "record/csv/csv.h"
#include "summary/bench.h"
#include "summary/extras.h"

struct metric_label {
  const char *name, *value;
};

static void write_sample_labels(FILE *out, const struct metric_label *labels, size_t count) {
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

/* Writes a value with 12 digits; further digits would be rounding errors of the multiplication by 1e-9. */
static void write_sample_value(FILE *out, double value) {
  fprintf(out, " %.12g\n", value);
}

/* Writes a sample of a row; nothing if the number is not known. */
static void write_sample(FILE *out, const char *family, const struct export_row *row, const char *name,
                         const char *value, double number) {
  struct text run = {""};
  if (!isfinite(number)) return;
  if (row->bench->repeated) run = run_data_run_name(row->data, row->bench->run);
  const struct metric_label labels[] = {{"bench", row->bench->name},
                                        {"case", row->point->key},
                                        {"variant", row->record->variant},
                                        {"mode", row->bench->mode},
                                        {"device", row->device},
                                        {"run", run.text},
                                        {name, value}};
  fputs(family, out);
  write_sample_labels(out, labels, sizeof labels / sizeof labels[0]);
  write_sample_value(out, number);
}

static void write_speedup_samples(FILE *out, const char *family, const struct export_row *row) {
  const struct record *r = row->record;
  if (!row_timed(r) || baseline_is(row->point, r)) return;
  write_sample(out, family, row, "stat", "value", r->speedup);
  write_sample(out, family, row, "stat", "lower", r->speedup_lo);
  write_sample(out, family, row, "stat", "upper", r->speedup_hi);
}

/* Writes the metrics of a row. The unit is not a label, because all metrics of a name have the same unit. */
static void write_metric_samples(FILE *out, const char *family, const struct export_row *row) {
  struct metrics_figure figure;
  for (size_t at = 0; metrics_next(row->data, row->record, &at, &figure);)
    write_sample(out, family, row, "metric", figure.desc->name, figure.value);
}

static void write_failed(FILE *out, const char *family, const struct export_row *row) {
  bool failed = summary_failed(row->data, row->summary, row->record);
  write_sample(out, family, row, "status", row_status_words(row_status_of(row->record)), failed ? 1 : 0);
}

enum { FIGURES_MAX = 9 };

#define AT(name) offsetof(struct record, name)

static const struct family {
  const char *name, *unit, *help;
  /* function that writes the samples of a row; NULL: the values that `figures` lists are written */
  void (*write)(FILE *out, const char *family, const struct export_row *row);
  struct {
    size_t at; /* offset of the value in struct record; 0: end of the list */
    double factor;
    const char *stat;
  } figures[FIGURES_MAX];
  bool untimed; /* true if rows without a time have samples of this family, too */
} families[] = {
    {"gpubench_time_seconds", "seconds", "Time of one run; median_lower and median_upper are its 95% interval",
     .figures = {{AT(min_ns), 1e-9, "min"},
                 {AT(median_raw_ns), 1e-9, "median"},
                 {AT(ci95_lo_ns), 1e-9, "median_lower"},
                 {AT(ci95_hi_ns), 1e-9, "median_upper"},
                 {AT(mean_ns), 1e-9, "mean"},
                 {AT(stddev_ns), 1e-9, "stddev"},
                 {AT(p95_ns), 1e-9, "p95"},
                 {AT(p99_ns), 1e-9, "p99"},
                 {AT(max_ns), 1e-9, "max"}}},
    {"gpubench_flops_per_second", NULL, "Nominal floating-point operations by the median time",
     .figures = {{AT(tflops), 1e12, NULL}}},
    {"gpubench_bytes_per_second", NULL, "Nominal bytes read and written by the median time",
     .figures = {{AT(gb_per_s), 1e9, NULL}}},
    {"gpubench_ceiling_ratio", "ratio", "Share of the measured ceiling", .figures = {{AT(ceiling_share), 1, NULL}}},
    {"gpubench_speedup_ratio", "ratio", "Time of the baseline over this time, with its 95% interval",
     .write = write_speedup_samples},
    {"gpubench_verify_error_ratio", "ratio", "Norm-relative error against float64",
     .figures = {{AT(verify_error), 1, NULL}}, .untimed = true},
    {"gpubench_metric", NULL, "What a variant measured beside the time, in the unit that metrics.csv names",
     .write = write_metric_samples},
    {"gpubench_energy_joules", "joules", "Energy of one run; net is less what the device draws idle",
     .figures = {{AT(energy_j), 1, "total"}, {AT(energy_net_j), 1, "net"}}},
    {"gpubench_power_watts", "watts", "Mean power under steady load, and with nothing to do",
     .figures = {{AT(energy_power_w), 1, "load"}, {AT(idle_w), 1, "idle"}}},
    {"gpubench_failed", NULL, "1 where the row fails the run", .write = write_failed},
};

static void write_family_samples(FILE *out, const struct family *family, const struct export_row *row) {
  const char *record = (const char *)row->record;
  for (size_t i = 0; i < FIGURES_MAX && family->figures[i].at != 0 && (family->untimed || row_timed(row->record)); i++)
    write_sample(out, family->name, row, "stat", family->figures[i].stat,
                 *(const double *)(const void *)(record + family->figures[i].at) * family->figures[i].factor);
}

static void write_family_head(FILE *out, const char *name, const char *unit, const char *help) {
  fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
  if (unit != NULL) fprintf(out, "# UNIT %s %s\n", name, unit);
}

/* Writes a sample for each run, with its facts as labels. */
static void write_run_samples(const struct run_data *data, FILE *out) {
  static const char *const names[] = {"host", "device_name", "driver", "gpubench_version", "started_utc"};
  enum { COUNT = sizeof names / sizeof names[0] };
  write_family_head(out, "gpubench_run", NULL, "A run whose rows are here");
  for (size_t i = 0; i < data->run_count; i++) {
    const struct text run = run_data_run_name(data, i);
    struct metric_label labels[COUNT + 1] = {{"run", run.text}};
    for (size_t j = 0; j < COUNT; j++)
      labels[j + 1] = (struct metric_label){names[j], pairs_get(&data->runs[i].environment, names[j])};
    fputs("gpubench_run", out);
    write_sample_labels(out, labels, COUNT + 1);
    write_sample_value(out, 1);
  }
}

int export_openmetrics(const struct run_data *data, FILE *out, struct err *err) {
  struct run_summary summary;
  summary_build(data, &summary);
  write_run_samples(data, out);
  for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
    struct export_row row = {.data = data, .summary = &summary};
    write_family_head(out, families[i].name, families[i].unit, families[i].help);
    while (export_next(&row))
      if (families[i].write != NULL)
        families[i].write(out, families[i].name, &row);
      else
        write_family_samples(out, &families[i], &row);
  }
  fputs("# EOF\n", out);
  summary_free(&summary);
  return output_end(out, "the metrics", err);
}

/* Formats of services that watch for regressions: Bencher Metric Format, and the lists of github-action-benchmark. */
#include <math.h>

#include "base/json.h"
#include "base/number.h"
#include "export/export.h"
#include "summary/bench.h"

/* ---- Bencher Metric Format ---- */

static void write_bencher_measure(struct json *json, const char *measure, double value, double lo, double hi) {
  if (!isfinite(value)) return;
  json_object(json, measure);
  json_real(json, "value", value);
  if (isfinite(lo)) json_real(json, "lower_value", lo);
  if (isfinite(hi)) json_real(json, "upper_value", hi);
  json_object_end(json);
}

/* Writes a rate. The bounds of its interval are computed from those of the time: the upper bound of the time is the
 * lower bound of the rate. */
static void write_bencher_rate(struct json *json, const char *measure, double rate, double ns, struct interval ci95) {
  if (rate > 0) write_bencher_measure(json, measure, rate, rate * ns / ci95.hi, rate * ns / ci95.lo);
}

/* Writes a row. Latency in ns and throughput in runs per second are built-in measures of Bencher; Bencher creates other
 * measures when they are first reported. */
static void write_bmf_row(struct json *json, const struct export_row *row, const char *name) {
  const struct record *r = row->record;
  double ns;
  const struct interval ci95 = row_working(r, &ns);
  json_object(json, name);
  write_bencher_measure(json, "latency", r->median_raw_ns, r->ci95_lo_ns, r->ci95_hi_ns);
  write_bencher_rate(json, "throughput", 1e9 / r->median_raw_ns, r->median_raw_ns,
                     (struct interval){r->ci95_lo_ns, r->ci95_hi_ns});
  write_bencher_rate(json, "tflops", r->tflops, ns, ci95);
  write_bencher_rate(json, "gb-per-s", r->gb_per_s, ns, ci95);
  if (!baseline_is(row->point, r)) write_bencher_measure(json, "speedup", r->speedup, r->speedup_lo, r->speedup_hi);
  json_object_end(json);
}

int export_bmf(const struct run_data *data, FILE *out, struct err *err) {
  struct json json;
  json_begin(&json, out);
  json_object(&json, NULL);
  export_timed(data, &json, write_bmf_row);
  json_object_end(&json);
  return json_end(&json) == 0 ? 0 : err_set(err, EXIT_FAILED, "cannot write Bencher's JSON");
}

/* ---- github-action-benchmark ---- */

static void write_action_entry(struct json *json, const struct export_row *row, const char *name, const char *unit,
                               double value, double lo, double hi) {
  char range[72], sentence[OUT_SENTENCE_SIZE];
  if (!isfinite(value)) return;
  const struct number half = number_significant(50 * (hi - lo) / value, 2);
  json_object(json, NULL);
  json_text(json, "name", name);
  json_text(json, "unit", unit);
  json_real(json, "value", value);
  snprintf(range, sizeof range, "\xC2\xB1 %s%%", half.text);
  if (half.text[0] != '\0') json_text(json, "range", range);
  export_sentence(row, sentence, sizeof sentence);
  json_text(json, "extra", sentence);
  json_object_end(json);
}

static void write_action_time(struct json *json, const struct export_row *row, const char *name) {
  const struct record *r = row->record;
  write_action_entry(json, row, name, "ns", r->median_raw_ns, r->ci95_lo_ns, r->ci95_hi_ns);
}

/* Writes a throughput (larger is better), with the relative width of the time's interval. */
static void write_bigger(struct json *json, const struct export_row *row, const char *name) {
  const struct record *r = row->record;
  double ns, rate = row_rate(row->bench->rate, r);
  const struct interval ci95 = row_working(r, &ns);
  char title[OUT_NAME_SIZE + ID_SIZE + 16];
  write_action_entry(json, row, name, row_rate_unit(row->bench->rate), rate, rate * ns / ci95.hi, rate * ns / ci95.lo);
  if (baseline_is(row->point, r) || r->baseline == NULL) return;
  snprintf(title, sizeof title, "%s speedup over %.64s", name, r->baseline);
  write_action_entry(json, row, title, "x", r->speedup, r->speedup_lo, r->speedup_hi);
}

static int write_ci_list(const struct run_data *data, FILE *out, struct err *err,
                         void (*write)(struct json *json, const struct export_row *row, const char *name)) {
  struct json json;
  json_begin(&json, out);
  json_array(&json, NULL);
  export_timed(data, &json, write);
  json_array_end(&json);
  return json_end(&json) == 0 ? 0 : err_set(err, EXIT_FAILED, "cannot write the list for github-action-benchmark");
}

int export_gh_smaller(const struct run_data *data, FILE *out, struct err *err) {
  return write_ci_list(data, out, err, write_action_time);
}

int export_gh_bigger(const struct run_data *data, FILE *out, struct err *err) {
  return write_ci_list(data, out, err, write_bigger);
}

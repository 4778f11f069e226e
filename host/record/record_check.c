/* Rows against what any row may hold. */
#include <math.h>
#include <string.h>

#include "record/run_files.h"

static double value_of(const struct record *record, const struct record_field *field) {
  return *(const double *)((const char *)record + field->offset);
}

/* The end of an interval, which may reach below 0 where there are few rounds. */
static bool is_end(const struct record_field *field) {
  return strstr(field->name, "_lo") != NULL || strstr(field->name, "_hi") != NULL;
}

static int check_value(const struct record *record, const struct record_field *field, struct err *err) {
  char text[64];
  bool ratio = strncmp(field->name, "speedup", 7) == 0;
  if (field->kind != RECORD_REAL || (strcmp(field->unit, "ns") != 0 && !ratio)) return 0;
  double value = value_of(record, field);
  if (isnan(value) || (isfinite(value) && (value >= 0 || is_end(field)))) return 0;
  return err_set(err, EXIT_FAILED, "column %s: '%s' is %s", field->name, record_text(record, field, text, sizeof text),
                 value < 0 ? "negative" : "infinite");
}

static const struct record_field *field_of(const char *name) {
  const struct record_field *field = record_fields;
  while (strcmp(field->name, name) != 0)
    field++;
  return field;
}

static int check_order(const struct record *record, const char *const *names, struct err *err) {
  const struct record_field *low = NULL;
  char a[64], b[64];
  for (; *names != NULL; names++) {
    const struct record_field *high = field_of(*names);
    if (isnan(value_of(record, high))) continue;
    if (low != NULL && value_of(record, low) > value_of(record, high))
      return err_set(err, EXIT_FAILED, "column %s: '%s' is above %s, '%s'", low->name,
                     record_text(record, low, a, sizeof a), high->name, record_text(record, high, b, sizeof b));
    low = high;
  }
  return 0;
}

int record_check(const struct record *record, struct err *err) {
  static const char *const orders[][11] = {
      {"min_ns", "p05_ns", "p25_ns", "median_raw_ns", "p75_ns", "p95_ns", "p99_ns", "p999_ns", "max_ns"},
      {"p95_lo_ns", "p95_hi_ns"},
      {"p99_lo_ns", "p99_hi_ns"},
      {"p999_lo_ns", "p999_hi_ns"},
      {"ci95_lo_ns", "ci95_hi_ns"},
      {"speedup_lo99", "speedup_lo", "speedup_hi", "speedup_hi99"},
      {"median_lo_ns", "median_hi_ns"},
      {"speedup_corrected_lo99", "speedup_corrected_lo", "speedup_corrected_hi", "speedup_corrected_hi99"},
  };
  for (size_t i = 0; i < record_field_count; i++)
    if (check_value(record, &record_fields[i], err) != 0) return -1;
  for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++)
    if (check_order(record, orders[i], err) != 0) return -1;
  return 0;
}

/* Rows against what any row may hold, and against their samples. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "record/run_files.h"
#include "stats/choice.h"
#include "stats/fastest.h"
#include "stats/gap.h"

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

static int check_order(const struct record *record, const char *const *names, struct err *err) {
  const struct record_field *low = NULL;
  char a[64], b[64];
  for (; *names != NULL; names++) {
    const struct record_field *high = record_field(*names);
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

/* ---- Rows against their samples ---- */

/* Numbers in files are as exact as they were; sums may be taken in another order by another build. */
static bool is_near(double a, double b) {
  static const double relative = 1e-9;
  return (isnan(a) && isnan(b)) || fabs(a - b) <= relative * fmax(fabs(a), fabs(b));
}

static int refuse(const struct record *r, const char *column, const char *states, const char *follows,
                  struct err *err) {
  return err_set(
      err, EXIT_FAILED,
      "results.csv: %.500s %.130s %.40s: column %s is '%.60s', and from samples.csv follows '%.60s': the row "
      "is not believed",
      text_or_empty(r->case_key), text_or_empty(r->variant), text_or_empty(r->mode), column, states, follows);
}

static int check_number(const struct record *r, const char *column, double follows, struct err *err) {
  char states[64];
  const struct record_field *field = record_field(column);
  const bool whole = field->kind == RECORD_WHOLE;
  const int64_t number = whole ? *(const int64_t *)(const void *)((const char *)r + field->offset) : 0;
  if (is_near(whole ? (double)number : value_of(r, field), follows)) return 0;
  return refuse(r, column, record_text(r, field, states, sizeof states), number_shortest(follows).text, err);
}

static int check_times(const struct record *r, const struct run_samples *samples, struct err *err) {
  struct distribution d;
  if (samples == NULL || stats_summary(samples->slots, samples->count, r->tick_ns, (uint64_t)r->seed, &d) != 0)
    return refuse(r, "median_raw_ns", "a time", "none", err);
  const struct {
    const char *column;
    double follows;
  } columns[] = {{"samples", (double)d.samples},
                 {"rounds", (double)d.rounds},
                 {"median_raw_ns", d.median},
                 {"min_ns", d.min},
                 {"p95_ns", d.p95},
                 {"max_ns", d.max}};
  for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
    if (check_number(r, columns[i].column, columns[i].follows, err) != 0) return -1;
  return 0;
}

/* The row that it is compared with; NULL: it is not there. */
static const struct record *denominator(const struct run_data *data, const struct record *r) {
  const struct run_info *run = &data->runs[run_data_run_of(data, r)];
  for (const struct record *base = data->records + run->first; base < data->records + run->first + run->count; base++)
    if (text_same(base->case_key, r->case_key) && text_same(base->mode, r->mode) &&
        text_same(base->devices, r->devices) && text_same(base->variant, r->baseline))
      return base;
  return NULL;
}

static struct entrant entrant_of(const struct record *r, const struct run_samples *samples) {
  return (struct entrant){samples->slots, samples->count, r->median_raw_ns, isnan(r->median_ns),
                          fmax(0, (double)r->kernels)};
}

/* Its speedup and word. Where one of several denominators was chosen the rounds that chose it do not count; a row does
 * not say whether that was so. */
static int check_word(const struct run_data *data, const struct record *r, const struct record *base, struct err *err) {
  const struct run_samples *own = run_data_samples_of(data, r), *others = run_data_samples_of(data, base);
  if (others == NULL) return refuse(r, "speedup", "a ratio", "none", err);
  const struct entrant other = entrant_of(r, own), against = entrant_of(base, others);
  const struct floor_time floor = {r->floor_ns, r->floor_unc_ns};
  struct duel all, rest;
  const bool of_all = stats_duel(&against, &other, &floor, r->tick_ns, (uint64_t)r->seed, &all) == 0;
  const bool of_rest = choice_duel(&against, &other, &floor, r->tick_ns, (uint64_t)r->seed, &rest) == 0;
  if (!of_all && !of_rest) return refuse(r, "speedup", "a ratio", "none", err);
  const bool chosen =
      of_rest && (!of_all || !is_near(r->speedup, all.raw.speedup)) && is_near(r->speedup, rest.raw.speedup);
  const struct duel *duel = chosen || !of_all ? &rest : &all;
  if (check_number(r, "speedup", duel->raw.speedup, err) != 0) return -1;
  const bool contended = r->contended > 0 || base->contended > 0;
  const char *word = stats_duel_word(duel, contended), *states = text_or_empty(r->verdict);
  const enum gap gap = gap_parse(states); /* what takes a word that times alone would have */
  const bool held_back =                  /* older versions gave no word at all then */
      gap != GAP_NONE && gap == gap_of_row(contended, (int64_t)duel->raw.rounds);
  if (text_same(states, word) || gap == GAP_UNPROVEN || gap == GAP_ALONE || held_back) return 0;
  return refuse(r, "verdict", states, word, err);
}

static bool is_compared(const struct record *r) {
  return !isnan(r->speedup) && !text_same(r->baseline, r->variant);
}

int record_check_samples(const struct run_data *data, const struct record *r, bool words, struct err *err) {
  if (isnan(r->median_raw_ns)) return 0;
  if (check_times(r, run_data_samples_of(data, r), err) != 0) return -1;
  const struct record *base = words && is_compared(r) ? denominator(data, r) : NULL;
  return base != NULL ? check_word(data, r, base, err) : 0;
}

/* Pairs of runs to compare, made from the run of sample_run.h, with known figures. */
#ifndef FIXTURE_COMPARE_H
#define FIXTURE_COMPARE_H

#include "base/memory.h"
#include "compare/compare.h"
#include "sample_run.h"

/* Everything that a test of comparisons needs. */
struct two_runs {
  struct run_data base, other;
  struct compare compare;
  struct compare_options options;
};

static inline void pair_open(struct two_runs *pair) {
  *pair = (struct two_runs){.options = {.threshold = 0.02}};
  sample_run(&pair->base, false);
  sample_run(&pair->other, false);
}

static inline void pair_compare_asked(struct two_runs *pair, const char *asked) {
  const struct compare_input base = {"old/results.csv", &pair->base, asked};
  const struct compare_input other = {"new/results.csv", &pair->other, NULL};
  compare_free(&pair->compare);
  compare_build(&pair->options, &base, &other, 1, &pair->compare);
}

static inline void pair_compare(struct two_runs *pair) {
  pair_compare_asked(pair, NULL);
}

static inline void pair_close(struct two_runs *pair) {
  compare_free(&pair->compare);
  run_data_free(&pair->base);
  run_data_free(&pair->other);
}

static inline void pair_set(struct run_data *data, const char *name, const char *value) {
  for (size_t i = 0; i < data->environment.count; i++) {
    if (strcmp(data->environment.items[i].name, name) != 0) continue;
    free(data->environment.items[i].value);
    data->environment.items[i].value = xstrdup(value);
    return;
  }
  pairs_add_text(&data->environment, name, value);
}

static inline void pair_scale(struct record *record, double factor) {
  record->median_raw_ns *= factor;
  record->ci95_lo_ns *= factor;
  record->ci95_hi_ns *= factor;
}

/* Returns the row of the comparison with this variant and preset, or NULL. */
static inline const struct compare_row *pair_row(const struct two_runs *pair, const char *preset, const char *variant) {
  for (size_t i = 0; i < pair->compare.row_count; i++) {
    const struct record *base = pair->compare.rows[i].base;
    if (strcmp(base->preset, preset) == 0 && strcmp(base->variant, variant) == 0) return &pair->compare.rows[i];
  }
  return NULL;
}

#endif

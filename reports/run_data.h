/* A run directory in memory: all that any report is made of. */
#ifndef REPORTS_RUN_DATA_H
#define REPORTS_RUN_DATA_H

#include <stdint.h>

#include "host/err.h"
#include "host/record.h"
#include "host/stats.h"
#include "host/text.h"

struct run_pair {
  char *name, *value;
};

struct run_pairs {
  struct run_pair *items;
  size_t count;
};

/* The raw samples of one variant of one case. */
struct run_samples {
  char *case_key, *variant, *mode;
  struct slot *slots; /* in the file's order; their state from slots.csv, NaN where that is missing */
  size_t count, capacity;
  size_t next; /* while slots.csv is read */
  double *ns;  /* what the slots point into */
  size_t ns_count, ns_capacity;
};

struct run_data {
  char *dir; /* NULL: made from a lone results.csv */
  struct run_pairs environment, tags;
  struct record *records;
  size_t count;
  struct run_samples *samples;
  size_t sample_count;
  struct strings notes; /* what is missing, as sentences */
};

/* Reads DIR/results.csv, DIR/run.ini, DIR/samples.csv and DIR/slots.csv, or a lone results.csv. What is absent becomes
 * a note; what is damaged is an error that names file and line. `data` is zeroed first. */
int run_data_load(const char *dir_or_results_csv, struct run_data *data, struct err *err);
void run_data_free(struct run_data *data);

/* A value of the environment, or NULL. */
const char *run_data_get(const struct run_data *data, const char *name);
const struct run_samples *run_data_samples(const struct run_data *data, const char *case_key, const char *variant,
                                           const char *mode);

void run_pairs_add(struct run_pairs *pairs, const char *name, const char *value);
const char *run_pairs_get(const struct run_pairs *pairs, const char *name);
void run_pairs_free(struct run_pairs *pairs);

#endif

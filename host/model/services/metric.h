/* Metrics, gb.metric/1: figures that a plugin reports in addition to times, typically one value per iteration, and
 * their reduction to one result. The functions do no I/O and use no global state. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum {
  METRICS_MAX = 32,
  /* largest number of values that are kept for the median; if there are more, only every 2nd, 4th, ... value is kept */
  METRIC_KEPT = 4096,
};

enum metric_better { BETTER_NEITHER, BETTER_MORE, BETTER_LESS, BETTER_COUNT }; /* GB_BETTER_* */
enum metric_aggregate {
  AGGREGATE_MEDIAN,
  AGGREGATE_MEAN,
  AGGREGATE_SUM,
  AGGREGATE_MIN,
  AGGREGATE_MAX,
  AGGREGATE_LAST,
  AGGREGATE_COUNT
}; /* GB_AGGREGATE_* */

struct metric_desc {
  uint32_t better, aggregate;
  char name[ID_SIZE], unit[ID_SIZE], summary[TEXT_SIZE];
};

/* The metrics declared for a case. */
struct metric_set {
  uint32_t count, reserved;
  struct metric_desc metrics[METRICS_MAX];
};

/* The result of a metric's values. */
struct metric_result {
  struct metric_desc desc;
  uint64_t n;       /* finite values */
  uint64_t dropped; /* values that were not finite */
  /* the values reduced to one number as `aggregate` says; not finite if there are no values or the number overflows, as
   * a sum may */
  double value;
  double sd, min, max;
};

/* Accumulates values in a bounded amount of memory: moments, minimum and maximum of all values, and a subset of them
 * for the median. */
struct metric_log {
  uint64_t n, dropped, stride;
  double mean, root, sum, min, max, last; /* `root`: square root of the sum of squares about the mean */
  double *kept;                           /* owned; METRIC_KEPT values, allocated at the first one */
  uint32_t kept_count, reserved;
};

/* Allocates and touches the log's memory before the variant runs, because later growth would look like a leak of the
 * variant. */
void metric_log_reserve(struct metric_log *log);
void metric_log_add(struct metric_log *log, double value);
/* Forgets the values and keeps the memory. */
void metric_log_clear(struct metric_log *log);
void metric_log_free(struct metric_log *log);
/* Returns true if the log has received a value, finite or not. */
bool metric_log_any(const struct metric_log *log);
/* Computes the result of the logged values. Returns false if the log has received no value. */
bool metric_log_result(struct metric_log *log, const struct metric_desc *desc, struct metric_result *result);

/* Returns true if values were dropped or the result is not finite. */
bool metric_lost(const struct metric_result *result);

int metric_find(const struct metric_set *set, const char *name); /* returns the index, or -1 */

/* Checks a result that came from a process with foreign code: terminates its texts and makes them printable. Returns
 * false if it is not valid. */
bool metric_check(struct metric_result *result);

/* Return the name of an enumerator: "more", "less", "neither"; "median", "mean", ... */
const char *metric_better_name(uint32_t better);
const char *metric_aggregate_name(uint32_t aggregate);
/* Return the enumerator with this name; BETTER_COUNT or AGGREGATE_COUNT if there is none. */
uint32_t metric_better_parse(const char *name);
uint32_t metric_aggregate_parse(const char *name);

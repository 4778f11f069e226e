/* Metrics, gb.metric/1: figures beside the time that a plugin states, one value per iteration or so, and what becomes
 * of them. Pure. */
#ifndef MODEL_SERVICES_METRIC_H
#define MODEL_SERVICES_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum {
  METRICS_MAX = 32,
  METRIC_KEPT = 4096, /* values for a median; beyond them every 2nd, 4th, ... is kept */
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

/* What is declared for a case. */
struct metric_set {
  uint32_t count, reserved;
  struct metric_desc metrics[METRICS_MAX];
};

/* What the values of a metric came to. */
struct metric_result {
  struct metric_desc desc;
  uint64_t n;       /* values */
  uint64_t dropped; /* others, which were not finite */
  double value;     /* aggregated; NaN or infinite: there is none, or it is too large, as a sum may be */
  double sd, min, max;
};

/* Values as they come, bounded: moments and ends of all, and a part of them for the median. */
struct metric_log {
  uint64_t n, dropped, stride;
  double mean, root, sum, min, max, last; /* `root`: of the squares about the mean */
  double *kept;                           /* owned; METRIC_KEPT, from the first value on */
  uint32_t kept_count, reserved;
};

/* Takes and touches its memory, which would look like a leak of the variant's otherwise. */
void metric_log_reserve(struct metric_log *log);
void metric_log_add(struct metric_log *log, double value);
/* Forgets the values; keeps the memory. */
void metric_log_clear(struct metric_log *log);
void metric_log_free(struct metric_log *log);
/* Has it been told anything, be it no number? */
bool metric_log_any(const struct metric_log *log);
/* False: it was told nothing. */
bool metric_log_result(struct metric_log *log, const struct metric_desc *desc, struct metric_result *result);

/* Is there less of it than was stated? */
bool metric_lost(const struct metric_result *result);

int metric_find(const struct metric_set *set, const char *name); /* index, or -1 */

/* What arrives from a process that runs foreign code: false where it is no figure; texts are ended and made printable.
 */
bool metric_check(struct metric_result *result);

/* "more", "less", "neither"; "median", "mean", ... */
const char *metric_better_name(uint32_t better);
const char *metric_aggregate_name(uint32_t aggregate);
/* The number of a name, or the count where it is none. */
uint32_t metric_better_parse(const char *name);
uint32_t metric_aggregate_parse(const char *name);

#endif

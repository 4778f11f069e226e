/* gb.metric/1: figures, other than the time of a call, that only the plugin knows: samples per second of a stage, the
 * share of time that a stage was busy, CPU seconds per GB. They appear with their spread in metrics.csv, in tables and
 * in the report. */
#ifndef GPUBENCH_EXT_METRIC_H
#define GPUBENCH_EXT_METRIC_H

#include "../gpubench.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GB_EXT_METRIC "gb.metric/1"

/* Which direction is better. */
#define GB_BETTER_NEITHER 0u /* a figure of which neither more nor less is better */
#define GB_BETTER_MORE 1u
#define GB_BETTER_LESS 2u

/* How all values that a variant adds to a metric in one worker process become one figure. With several processes
 * (`--restarts`) each process has its own figure. */
#define GB_AGGREGATE_MEDIAN 0u
#define GB_AGGREGATE_MEAN 1u
#define GB_AGGREGATE_SUM 2u
#define GB_AGGREGATE_MIN 3u
#define GB_AGGREGATE_MAX 4u
#define GB_AGGREGATE_LAST 5u

/* Plugin to host, copied by `declare`; grows by appending. Since 1.0. */
typedef struct gb_metric {
  uint32_t struct_size;
  uint32_t better;    /* GB_BETTER_* */
  uint32_t aggregate; /* GB_AGGREGATE_* */
  uint32_t reserved;
  const char *name;    /* a name, unique in the case: "read/busy" */
  const char *unit;    /* "GB/s", "s/GB", "1" for a share; at most 63 bytes; NULL: none */
  const char *summary; /* one line; may be NULL */
} gb_metric;

/* Host to plugin; frozen. Since 1.0. */
typedef struct gb_metric_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* Declares a metric of every variant of the case. [case, in a bench's setup] At most 32. A variant that never adds a
   * value has none, which is no error. A wrong declaration records a failure on the case, which fails the callback
   * whatever it returns, and gives GB_EINVAL. */
  gb_status (*declare)(gb_case *c, const gb_metric *metric);

  /* Adds a value for the variant that is running, being prepared or verified (its accuracy, for example). [case, in
   * run, prepare and verify; on the callback's thread]
   * Cheap: no lock, and no allocation after a metric's first value.
   * If `verify` added values of a metric, those are kept; otherwise those of `run` in timed iterations; otherwise those
   * of the last `prepare`.
   * Modes that replay a captured graph do not call `run`, so that `run` adds no values there.
   * Mean, sum, minimum, maximum and standard deviation use every value; a median uses at most 4096, evenly spaced.
   * A value that is not finite is dropped and counted.
   * The row's message says how many values were dropped, and names a metric that has no figure because of it.
   * A name that was not declared records a failure. */
  gb_status (*add)(gb_case *c, const char *name, double value);
} gb_metric_ext;

#ifdef __cplusplus
}
#endif
#endif

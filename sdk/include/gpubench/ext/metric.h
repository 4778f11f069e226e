/* gb.metric/1: figures beside the time that only the plugin can know: samples per second of a stage, share of
 * time it was busy, CPU seconds per GB. They appear in metrics.csv, tables and the report with their spread. */
#ifndef GPUBENCH_EXT_METRIC_H
#define GPUBENCH_EXT_METRIC_H

#include "../gpubench.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GB_EXT_METRIC "gb.metric/1"

/* Which way is better. */
#define GB_BETTER_NEITHER 0u /* a fact, not a merit */
#define GB_BETTER_MORE 1u
#define GB_BETTER_LESS 2u

/* How the values of a variant in one process become one figure. Of several processes (`--restarts`) each has its own.
 */
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

  /* Announces a metric of every variant of the case. [case, in a bench's setup] At most 32. A variant that never adds
   * a value has none; that is no error. What is wrong records a failure on the case, which fails the callback whatever
   * it returns, and gives GB_EINVAL. */
  gb_status (*declare)(gb_case *c, const gb_metric *metric);

  /* A value of the variant that is running, being prepared, or judged: its accuracy. [case, in run, prepare and verify;
   * on the callback's thread] Cheap: no allocation after the first of a metric, no lock. Where `verify` has stated
   * values of a metric, those are kept; else those of `run` in timed iterations; else those of the last `prepare`. A
   * graph mode replays and so enters no `run` that could state any. Every value counts
   * for mean, sum, ends and standard deviation; a median is of 4096 of them at most, evenly spaced. A value that is not
   * finite is dropped and counted: the row's message has how many of how many, and which metric has no figure at all. A
   * name that was not declared records a failure. */
  gb_status (*add)(gb_case *c, const char *name, double value);
} gb_metric_ext;

#ifdef __cplusplus
}
#endif
#endif

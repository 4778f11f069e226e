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
#define GB_BETTER_NEITHER 0u /* neither a greater nor a smaller figure is better */
#define GB_BETTER_MORE 1u
#define GB_BETTER_LESS 2u

/* How one figure is computed from all values that a variant adds to a metric in one worker process (a process that
 * measures). With several of them (`--restarts`) each process has its own figure. */
#define GB_AGGREGATE_MEDIAN 0u
#define GB_AGGREGATE_MEAN 1u
#define GB_AGGREGATE_SUM 2u
#define GB_AGGREGATE_MIN 3u
#define GB_AGGREGATE_MAX 4u
#define GB_AGGREGATE_LAST 5u

/* The plugin gives this struct to `declare`, which copies it; later versions may append members. Since 1.0. */
typedef struct gb_metric {
  uint32_t struct_size;
  uint32_t better;    /* GB_BETTER_* */
  uint32_t aggregate; /* GB_AGGREGATE_* */
  uint32_t reserved;
  const char *name;    /* a name, unique in the case: "read/busy" */
  const char *unit;    /* "GB/s", "s/GB", "1" for a share; at most 63 bytes; NULL: none */
  const char *summary; /* one line; may be NULL */
} gb_metric;

/* The host gives this table to plugins; it is frozen. Since 1.0. */
typedef struct gb_metric_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* Declares a metric that every variant of the case may have. May be called in a bench's `setup`, at most 32 times
   * [case-thread]. It is no error if a variant never adds a value: it then has no figure. A wrong declaration records a
   * failure on the case, which fails the callback whatever it returns, and gives GB_EINVAL. A metric with an aggregate,
   * a `better` or a later member that this host does not know is left out with a warning: the call returns GB_OK, and
   * `add` drops its values. */
  gb_status (*declare)(gb_case *c, const gb_metric *metric);

  /* Adds a value for the variant that is running, being prepared or being verified (its accuracy, for example). May be
   * called in `run`, `prepare` and `verify` [case-thread].
   * The call is cheap: it takes no lock, and allocates nothing after a metric's first value.
   * If `verify` added values of a metric, those are kept; otherwise those of `run` in timed iterations; otherwise those
   * of the last `prepare`.
   * Modes that replay a captured graph do not call `run`, so `run` adds no values in these modes.
   * Mean, sum, minimum, maximum and standard deviation use every value; a median uses at most 4096, evenly spaced.
   * A value that is not finite is dropped and counted.
   * The message in the variant's row says how many values were dropped, and names a metric that has no figure because
   * of that.
   * A name that was not declared records a failure. */
  gb_status (*add)(gb_case *c, const char *name, double value);
} gb_metric_ext;

#ifdef __cplusplus
}
#endif
#endif

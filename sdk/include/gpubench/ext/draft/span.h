/* gb.span/1, draft: what happened when within one iteration, as bars on lanes: stages of a pipeline, phases of a
 * solver, power over time. The report draws them and names the lane that was busy longest. */
#ifndef GPUBENCH_EXT_DRAFT_SPAN_H
#define GPUBENCH_EXT_DRAFT_SPAN_H

#include "../../gpubench.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GB_EXT_SPAN "gb.span/1"

/* Plugin to host, copied by `add`; grows by appending. Draft since 1.0. */
typedef struct gb_span {
  uint32_t struct_size;
  uint32_t reserved;
  const char *lane;  /* a name, one line of the picture: "read", "h2d", "gpu" */
  const char *label; /* text of the bar: "chunk 7"; plain text; NULL: the lane */
  int64_t begin_ns;  /* on the clock of `now`, within a week of it */
  int64_t end_ns;    /* not before begin_ns */
} gb_span;

/* Host to plugin; frozen once 1.0 is. Draft since 1.0. */
typedef struct gb_span_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* Returns 1 if the spans of this iteration are kept. [case, in run; on the callback's thread] 0 in every timed
   * iteration, so that recording costs nothing there. A variant that asks is run twice more, untimed, after its
   * samples; the second time the result is 1. If the samples come from a captured graph, these two are launched without
   * it. */
  int32_t (*wanted)(gb_case *c);

  /* Nanoseconds of the host's monotonic clock. [any] */
  int64_t (*now)(void);

  /* States a span. [case, in run, from any thread that `run` waits for] Kept if `wanted` gives 1; otherwise ignored
   * without being checked. The span may begin before the iteration. At most 4096 in an iteration, on at most 32 lanes;
   * more are dropped and counted. A wrong span records a failure, which fails `run` whatever it returns, and gives
   * GB_EINVAL. */
  gb_status (*add)(gb_case *c, const gb_span *span);
} gb_span_ext;

#ifdef __cplusplus
}
#endif
#endif

/* gb.span/1, draft: the timeline of one iteration, as bars on lanes, such as the stages of a pipeline, the phases of
 * a solver or power over time. A span is one bar. The report draws the timeline and names the lane that was busy
 * longest. */
#ifndef GPUBENCH_EXT_DRAFT_SPAN_H
#define GPUBENCH_EXT_DRAFT_SPAN_H

#include "../../gpubench.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GB_EXT_SPAN "gb.span/1"

/* The plugin gives this struct to `add`, which copies it; later versions may append members. Draft since 1.0. */
typedef struct gb_span {
  uint32_t struct_size;
  uint32_t reserved;
  const char *lane;  /* a name; each lane is a line of the picture: "read", "h2d", "gpu" */
  const char *label; /* text of the bar: "chunk 7"; plain text; NULL: the lane */
  int64_t begin_ns;  /* start, a time as `now` returns it; at most a week away from the present */
  int64_t end_ns;    /* not before begin_ns */
} gb_span;

/* The host gives this table to plugins; it is frozen once ABI 1.0 is. Draft since 1.0. */
typedef struct gb_span_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* Returns 1 if the host records the spans of this iteration. May be called in `run` [case-thread].
   * It returns 0 in every timed iteration, so that recording costs nothing there.
   * A variant that calls `wanted` is run twice more, untimed, after its samples: the result is 1 in the second of these
   * runs.
   * If the samples come from a captured graph, these two runs call `run` instead of launching the graph. */
  int32_t (*wanted)(gb_case *c);

  /* Returns the nanoseconds of the host's monotonic clock. May be called at any time [any-thread]. */
  int64_t (*now)(void);

  /* Adds a span to the timeline of this iteration. May be called in `run`, from any thread that `run` waits for
   * [case-thread].
   * The span is kept if `wanted` gives 1 in this iteration, and otherwise ignored without being checked. It may begin
   * before the iteration.
   * An iteration has at most 4096 spans on at most 32 lanes; further ones are dropped and counted.
   * A wrong span records a failure, which fails `run` whatever it returns, and gives GB_EINVAL. */
  gb_status (*add)(gb_case *c, const gb_span *span);
} gb_span_ext;

#ifdef __cplusplus
}
#endif
#endif

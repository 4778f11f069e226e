/* One case being measured: the state shared by the flow (measure/measure.c) and the files of its steps. */
#pragma once

#include "measure/contestant.h"
#include "measure/pace.h"
#include "measure/sink.h"

struct measurement {
  struct gb_case *c;
  const struct case_request *request;
  struct contestant *contestants;
  uint32_t count;
  const struct measure_sink *sink;
  struct case_report *report;
  struct contestant *running; /* the variant whose callback runs, which is blamed if the process fails */
  bool ready;                 /* `setup` returned GB_OK, so `teardown` must follow */
  /* status: ROW_OK, or the status that all variants get because the bench ended the case; why: the reason for that
   * status */
  enum row_status status;
  char why[MSG_SIZE];
  struct pace pace;
  /* number of the round from which on rounds count; samples of earlier rounds were discarded. If that happened in the
   * middle of a round, the later slots of this round are kept, but the round does not count */
  uint32_t kept_from;
  uint32_t evidence_rounds; /* number of rounds that served only the reuse test, besides those in report->rounds */
  uint32_t replicas;        /* iterations per sample, the same for all variants */
  /* when the case began, and when the warm-up before the first round began; 0: not yet */
  int64_t started_ns, sampling_ns;
  /* when there were enough samples, that is before the last round; after that round, when it ended; 0: not yet */
  int64_t over_ns;
  int64_t drawn_ns; /* when a random number last decided whether to verify outputs */
  /* time spent waiting for orders of the parent; the times above are shifted by it, so that waiting does not count */
  int64_t waited_ns;
  /* secret: key of the random numbers that no plugin is told; drawn: how many of them were drawn */
  uint64_t secret, drawn;
  bool was_quiet; /* the previous round was quiet: it did not fill the inputs anew (measure/audit/spot_check.h) */
  /* verification_s: seconds of one verification, without the time of the bench's `reference`; verifications_s: seconds
   * of all verifications so far */
  double verification_s, verifications_s;
  double mend_s;              /* seconds to check and repair the inputs before a verification */
  double spot_checks_s;       /* seconds spent on single calls, verifications, and slots only for the reuse test */
  uint32_t spot_checks;       /* number of spot checks */
  bool unexpected;            /* the inputs are new, and `reference` has not been called for them */
  double fill_s, reference_s; /* fill_s: seconds to fill the inputs; reference_s: seconds that `reference` takes */
  /* For devices whose work is queued and done by threads on the host's processors: the longest time of an empty launch
   * before a call that is timed alone for the reuse test. It shows how long these threads take to wake up on a busy
   * machine. 0 for other devices. */
  double wake_ns;
  /* inputs can be replaced between samples, because memory with other values for them was allocated
   * (measure/audit/sample_inputs.h) */
  bool rotates;
  double rotation_s;   /* seconds to write other values to all inputs once */
  double rotations_s;  /* seconds spent in total on writing other values to inputs */
  double references_s; /* seconds spent in `reference` in total */
};

/* Begin and end the measurement of a case. measure_take_down() is left out after an error. */
void measure_begin(struct measurement *m, struct gb_case *c, const struct case_request *request,
                   struct variant *const *variants, const struct measure_sink *sink, struct case_report *report);
void measure_take_down(struct measurement *m);
void measure_end(struct measurement *m);

/* Returns the first variant from index `from` on that is still measured, or NULL. */
struct contestant *measure_next(const struct measurement *m, uint32_t from);
uint32_t measure_slot_least(const struct measurement *m); /* returns the smallest slot_size of all variants */
void measure_tell(const struct measurement *m, struct contestant *k); /* reports a dropped variant, once */
bool measure_stopped(const struct measurement *m);
/* Returns true if the case's time is over. Then only work that every row of results needs is still done. */
bool measure_late(const struct measurement *m);
/* Returns true if some variant's outputs have not yet been verified as often as the request asks for. */
bool measure_lacks_verifications(const struct measurement *m);
/* Returns true if calls run in the order in which the host makes them, on the host's processors: false for GPUs and
 * other devices with a queue, and for scripted devices. */
bool measure_on_cpu(const struct measurement *m);
uint64_t measure_draw(struct measurement *m);        /* returns a random number that no plugin is told */
double measure_draw_share(struct measurement *m);    /* returns a random number from 0 to 1 that no plugin is told */
double measure_tick_ns(const struct measurement *m); /* returns the resolution of the clock, in ns per iteration */
/* Returns a slot task of `count` samples in the case's mode, whose times go to `ns`. */
struct slot_task measure_slot_task(const struct measurement *m, uint32_t count, double *ns);
/* Runs a slot task of a variant; `m->running` is that variant until the task has ended. -1: the device failed. */
int measure_take(struct measurement *m, struct contestant *k, struct slot_task *task, struct err *err);
void measure_drop_all(struct measurement *m, enum row_status status, const char *what, const char *message);
/* Ends a callback of the bench. If it failed, ends the case for all variants and returns false. */
bool measure_bench_ok(struct measurement *m, gb_status status, const char *what);

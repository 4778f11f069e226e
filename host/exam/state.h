/* State and functions that the stations (the steps) of an examination share. */
#pragma once

#include "exam/exam.h"
#include "measure/measurement.h"

struct exam {
  const struct exam_host *host;
  const struct case_request *request;
  struct variant *variant; /* NULL: only the bench is examined */
  bool found[RULE_COUNT];  /* for each rule, true if it was broken; such a rule is not reported as passed later */
  uint32_t prepares;       /* number of successful calls of `prepare` */
  /* smallest number of bytes of the heap that a `prepare` after the first took without telling the host (by gb.mem, the
   * service for memory) */
  int64_t unstated_bytes;
  enum fence fence; /* where the next case has its fences, if its device can have any */
  bool fences;      /* true: the device can have fences */
  bool over; /* true: no further stations are run, because after an earlier failure their results would mean nothing */
};

/* A sitting: one case of the examination, from setup to teardown. */
struct sitting {
  struct exam *exam;
  struct case_request request; /* a copy of the request, with the seed of this sitting */
  struct case_report report;
  struct measurement m;
  struct gb_case *c;
};

/* Announces that a crash or a hang from now on breaks `rule`; RULE_NONE: only the general rule against crashes or
 * hangs. `how` describes the attempt. */
void exam_try(const struct exam *e, enum rule rule, const char *how);

void exam_find(struct exam *e, enum rule rule, enum finding_outcome outcome, const char *format, ...) ERR_PRINTF(4, 5);
void exam_pass(struct exam *e, enum rule rule);                  /* reports the rule as passed, unless it has failed */
void exam_skip(struct exam *e, enum rule rule, const char *why); /* reports the rule as not applicable */

/* Sets up a case with this seed, prepares the variant and fills the inputs. The caller must call sitting_end(), unless
 * the result is -1. */
int sitting_begin(struct sitting *s, struct exam *e, uint64_t seed, struct err *err);
void sitting_end(struct sitting *s);

/* Returns the variant that is examined; NULL if there is none or it has been dropped. */
struct contestant *sitting_variant(const struct sitting *s);

/* Returns true if the examination can continue. Otherwise reports what happened to the variant and ends the
 * examination. If values are wrong or not written, `values` is the rule that this breaks. */
bool sitting_goes_on(struct sitting *s, enum rule values);

/* Reports why the process cannot be used any more: the variant's own failure if there is one, otherwise `err`. Returns
 * -1. */
int sitting_spoilt(struct sitting *s, const struct err *err);

/* Runs the variant once and verifies its outputs; wrong values break the rule `values`. `held`: also checks that
 * nothing writes to the outputs while the stream is held back. */
int sitting_verify(struct sitting *s, bool held, enum rule values, struct err *err);

/* watch_begin() and watch_end() watch for side effects of callbacks between the two calls. */
void watch_begin(struct exam *e); /* only one examination may be watched at a time */
void watch_end(void);

/* Reports what callbacks have left outside of their scratch directory. Call it when all cases have ended. */
void watch_judge(struct exam *e);

/* Call this after a case that took so long. If something appeared outside that may be another process's, pauses as long
 * and looks again. Returns how long that took. */
int64_t watch_pause(int64_t case_ns);

/* Says whether the next callbacks are meant to fail. A callback that fails must give a message even then. */
void watch_expect_failure(bool expected);

/* What the stations of one examination share. */
#ifndef EXAM_STATE_H
#define EXAM_STATE_H

#include "exam/exam.h"
#include "measure/measurement.h"

struct exam {
  const struct exam_host *host;
  const struct case_request *request;
  struct variant *variant; /* NULL: none takes part */
  bool found[RULE_COUNT];  /* what has failed already is not said to pass */
  bool over;               /* nothing that follows could be judged */
};

/* One case from setup to teardown. */
struct sitting {
  struct exam *exam;
  struct case_request request; /* with the seed of its own */
  struct case_report report;
  struct measurement m;
  struct gb_case *c;
};

/* From here on a crash or a hang breaks this rule; RULE_NONE: none of its own. `how`: the circumstances. */
void exam_try(const struct exam *e, enum rule rule, const char *how);

void exam_find(struct exam *e, enum rule rule, enum finding_outcome outcome, const char *format, ...) ERR_PRINTF(4, 5);
void exam_pass(struct exam *e, enum rule rule);                  /* unless it has failed */
void exam_skip(struct exam *e, enum rule rule, const char *why); /* not applicable */

/* Sets up, with the variant prepared and its inputs filled. A sitting that begins is to be ended, also where it has
 * failed; but not after -1. */
int sitting_begin(struct sitting *s, struct exam *e, uint64_t seed, struct err *err);
void sitting_end(struct sitting *s);

/* Who takes part, or NULL: nobody, or he has been dropped. */
struct contestant *sitting_variant(const struct sitting *s);

/* Says what has become of it since it was alive, and that the examination is over: `values` is the rule that wrong
 * values, and elements that were left alone, break at this station. True: it is alive. */
bool sitting_goes_on(struct sitting *s, enum rule values);

/* Says whose fault it is that the process is spoilt, as the measurement knows. -1. */
int sitting_spoilt(struct sitting *s, const struct err *err);

/* One run whose outputs are judged. */
int sitting_verify(struct sitting *s, bool held, enum rule values, struct err *err);

/* What every callback may do by the way. */
void watch_begin(struct exam *e); /* one at a time */
void watch_end(void);

/* Callbacks may fail for a while, as they are meant to; but not silently. */
void watch_expect_failure(bool expected);

#endif

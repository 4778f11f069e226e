/* What the user sees on stderr while a run goes on. */
#ifndef RUN_PROGRESS_H
#define RUN_PROGRESS_H

#include "model/message.h"
#include "plan/plan.h"
#include "record/record.h"

struct progress {
  bool live; /* a terminal: one line, rewritten */
  bool quiet;
  int verbosity;
  size_t total, done;
  int64_t begun_ns, spoke_ns; /* the run; when the last line was printed */
  double limit_s;             /* of the run; INFINITY: none */
  const struct plan_case *running;
};

/* Decides by terminal, CI and TERM. */
void progress_init(struct progress *progress, size_t total, bool quiet, int verbosity);
/* When the run began and what it may take, for the line that tells both. */
void progress_limit(struct progress *progress, int64_t begun_ns, double limit_s);

void progress_case_begins(struct progress *progress, const struct plan_case *plan_case);
void progress_case_ends(struct progress *progress, const struct plan_case *plan_case, const struct record *records);
/* To be called often: a terminal's line is told the time every second, a log every 30 s that a case goes on, so that
 * nobody thinks it hung. */
void progress_tick(struct progress *progress);
void progress_log(const struct progress *progress, const struct log_message *message);

#endif

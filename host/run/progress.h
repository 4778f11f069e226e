/* Shows progress on stderr during a run. */
#pragma once

#include "model/message.h"
#include "plan/plan.h"
#include "record/record.h"

struct progress {
  bool live; /* true on a terminal: progress is one line, which is rewritten */
  bool quiet;
  int verbosity;
  size_t total, done;
  int64_t begun_ns, spoke_ns; /* when the run began, and when the last line was printed */
  double limit_s;             /* time limit of the run; INFINITY: no limit */
  const struct plan_case *running;
};

/* Decides by terminal, CI and TERM whether to rewrite one line or to print a line per case. */
void progress_init(struct progress *progress, size_t total, bool quiet, int verbosity);
/* Sets when the run began and how long it may take, for the line that shows both. */
void progress_limit(struct progress *progress, int64_t begun_ns, double limit_s);

void progress_case_begins(struct progress *progress, const struct plan_case *plan_case);
void progress_case_ends(struct progress *progress, const struct plan_case *plan_case, const struct record *records);
/* Updates the display; call it often. Rewrites a terminal's line every second, and writes a line to a log every 30 s,
 * so that a long case does not seem to hang. */
void progress_tick(struct progress *progress);
void progress_log(const struct progress *progress, const struct log_message *message);

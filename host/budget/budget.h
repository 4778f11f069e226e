/* The time of a run, and what it is reckoned by. */
#ifndef BUDGET_BUDGET_H
#define BUDGET_BUDGET_H

#include "ask/run_case.h"
#include "base/clock.h"
#include "options/options.h"
#include "resume/resume.h"
#include "roofs/yardsticks.h"
#include "worker/pool.h"

/* What a run's time is made of. */
enum run_piece { PIECE_PLANNING, PIECE_CEILINGS, PIECE_CASES, PIECE_RESERVE, PIECE_SLOWER, PIECE_END, RUN_PIECES };

/* When it has to end; INT64_MAX: never. */
struct time_budget {
  /* What it is reckoned by; the pool's calls are given its end. */
  const struct options *options;
  const struct plan *plan; /* on the device whose turn it is */
  const struct catalog *catalog;
  struct pool *pool;
  const struct resume *former; /* the run that this one goes on with, or NULL */
  const struct yardsticks *yardsticks;
  size_t devices, usable, left; /* of the run; which can be used; and of those the ones from this turn on */
  int64_t started_ns;

  int64_t ends_ns, turn_ends_ns; /* of measuring: of all devices, and of the one whose turn it is */
  int64_t latest_ns;             /* what calls may count on: the end that the plan has announced */
  int64_t waited_ns;             /* for other runs, so far */
  double seconds, first_s;       /* of the whole run, as it is said now and by the plan; INFINITY: none is said */
  double spent_s;                /* by processes of cases that are over */
  uint32_t processes;            /* so many */
  double added_s;                /* that more processes of cases before are still to take */
  bool by_user;                  /* by --max-time */
  double announced_s[RUN_PIECES], taken_s[RUN_PIECES]; /* of the reserve: by processes that were added */
  double due_s;                                        /* that the ceilings so far were promised */
  double least_due_s, needed_s;                        /* that rows so far were reckoned to need at least, and did */
  double busy;        /* so many times as long as on an idle machine do things take, by what was seen at the start */
  double share, load; /* of the processors there was so much for us, beside so many threads */
  double enough_s;    /* what is announced where the user gives no time */
  char longest[KEY_SIZE];           /* the case that took the most beyond what it was promised; empty: none did */
  double longest_s, longest_over_s; /* what it took, and how much of that was beyond */
  char why[TEXT_SIZE];              /* what rows say that it left out */
};

/* How a case is to be run. */
static inline struct run_case_settings time_budget_settings(const struct time_budget *b, const struct plan_case *p) {
  return request_settings(b->options, &b->catalog->plugins[p->plugin].benches[p->bench], p);
}

/* Is it this run's, and still to be measured? */
static inline bool time_budget_has(const struct time_budget *b, const struct plan_case *p) {
  return !p->gone && !resume_has_case(b->former, b->plan, p);
}

/* What the run has taken until now, without what it waited. */
static inline double time_budget_gone_s(const struct time_budget *b) {
  return (double)(clock_now_ns() - b->started_ns - b->waited_ns) * 1e-9;
}

#endif

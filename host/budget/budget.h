/* The time budget of a run: its ends, its announced time, and the figures from which both are computed. */
#pragma once

#include "ask/run_case.h"
#include "base/clock.h"
#include "options/options.h"
#include "resume/resume.h"
#include "roofs/yardsticks.h"
#include "worker/pool.h"

/* The parts of a run's time. */
enum run_piece { PIECE_PLANNING, PIECE_CEILINGS, PIECE_CASES, PIECE_RESERVE, PIECE_SLOWER, PIECE_END, RUN_PIECES };

/* The ends are INT64_MAX if there is no limit. */
struct time_budget {
  /* input; the pool gets the end of its calls */
  const struct options *options;
  const struct plan *plan; /* on the present device */
  const struct catalog *catalog;
  struct pool *pool;
  const struct resume *former; /* the run that this one continues, or NULL */
  const struct yardsticks *yardsticks;
  /* devices of the run; those that can be used; of these, those from the present one on */
  size_t devices, usable, left;
  int64_t started_ns;

  int64_t ends_ns, turn_ends_ns; /* of measuring: on all devices, and on the present one */
  int64_t latest_ns;             /* the end that the plan announced, which calls may count on */
  int64_t waited_ns;             /* waited for other runs, so far */
  /* of the whole run: as announced now, and at first by the plan; INFINITY: not announced */
  double seconds, first_s;
  double spent_s;                                      /* by processes of finished cases */
  uint32_t processes;                                  /* number of these processes */
  double added_s;                                      /* needed by the added processes of earlier cases */
  bool by_user;                                        /* limited by --max-time */
  double announced_s[RUN_PIECES], taken_s[RUN_PIECES]; /* taken_s of the reserve: by added processes */
  double due_s;                                        /* promised to the ceilings measured so far */
  /* least time expected for the rows so far, and the time that they needed */
  double least_due_s, needed_s;
  /* factor by which everything takes longer than on an idle machine, as measured at the start */
  double busy;
  /* our share of the processors then, and the number of other threads */
  double share, load;
  /* announced if the user gives no time */
  double enough_s;
  /* the case that exceeded its promised time most; empty: none did */
  char longest[KEY_SIZE];
  double longest_s, longest_over_s; /* its time, and the excess */
  char why[TEXT_SIZE];              /* the reason in rows that were left out */
};

/* Returns the settings with which the case is measured. */
static inline struct run_case_settings time_budget_settings(const struct time_budget *b, const struct plan_case *p) {
  return request_settings(b->options, &b->catalog->plugins[p->plugin].benches[p->bench], p);
}

/* Returns true if the case is this run's and not measured yet. */
static inline bool time_budget_has(const struct time_budget *b, const struct plan_case *p) {
  return !p->gone && !resume_has_case(b->former, b->plan, p);
}

/* Returns the seconds that the run has taken so far, without waiting for other runs. */
static inline double time_budget_gone_s(const struct time_budget *b) {
  return (double)(clock_now_ns() - b->started_ns - b->waited_ns) * 1e-9;
}

/* The time budget of a run: when measuring must end, how long the run will take (the user is told that at its start),
 * and the figures from which both are computed. */
#pragma once

#include "ask/run_case.h"
#include "base/clock.h"
#include "ceilings/yardsticks.h"
#include "options/options.h"
#include "resume/resume.h"
#include "worker/pool.h"

/* The parts of the time that a run announces to the user as its length. */
enum run_piece { PIECE_PLANNING, PIECE_CEILINGS, PIECE_CASES, PIECE_RESERVE, PIECE_SLOWER, PIECE_END, RUN_PIECES };

/* Members that say when something must end (ends_ns, device_ends_ns, latest_ns) are INT64_MAX if there is no limit. */
struct time_budget {
  /* inputs; the budget changes only the pool of workers, in which it sets until when calls may run */
  const struct options *options;
  const struct plan *plan; /* the plan for the present device */
  const struct catalog *catalog;
  struct pool *pool;
  const struct resume *former; /* the run that this one continues, or NULL */
  const struct yardsticks *yardsticks;
  /* devices: number of devices of the run; usable: how many of them can be used; left: how many usable devices are
   * still to be measured, the present one included */
  size_t devices, usable, left;
  int64_t started_ns;

  int64_t ends_ns,
      device_ends_ns; /* ends_ns: end of measuring on all devices; device_ends_ns: end on the present device */
  int64_t latest_ns;  /* the end of measuring that the user was told first; a call may run until then */
  int64_t waited_ns;  /* time spent waiting for other runs so far */
  /* seconds: length of the whole run as the user was told last; first_s: as the user was told first; INFINITY: the user
   * was told none */
  double seconds, first_s;
  double spent_s;     /* seconds that the processes of finished cases took in total */
  uint32_t processes; /* number of the processes counted in spent_s */
  /* seconds that are still needed for additional processes of cases that were measured before */
  double added_s;
  bool by_user; /* the user limits the run by --max-time */
  /* announced_s: seconds that the announced length of the run contains for each part; taken_s: seconds that the part
   * took. For PIECE_RESERVE, taken_s is the time of the additional processes that verdicts needed. */
  double announced_s[RUN_PIECES], taken_s[RUN_PIECES];
  /* seconds that were planned for the cases that have measured ceilings (the device's highest rates) so far */
  double due_s;
  /* Sums over the cases measured so far. least_due_s: estimated seconds of the work that every row needs at least;
   * needed_s: seconds that this work took. Their ratio says how much slower than estimated the machine is. */
  double least_due_s, needed_s;
  /* factor by which everything takes longer than on an idle machine, as measured at the start */
  double busy;
  /* at the start: this process's share of the processors, and the number of other threads */
  double share, load;
  /* seconds that would be announced if the user gave no limit */
  double enough_s;
  /* key of the case that exceeded the time planned for it by most; empty: no case did */
  char longest[KEY_SIZE];
  double longest_s, longest_over_s; /* seconds of that case, and by how many it exceeded the planned time */
  /* the reason that rows state if there was no time for them */
  char why[TEXT_SIZE];
};

/* Returns the settings with which the case is measured. */
static inline struct run_case_settings time_budget_settings(const struct time_budget *b, const struct plan_case *p) {
  return request_settings(b->options, &b->catalog->plugins[p->plugin].benches[p->bench], p);
}

/* Returns true if this run still has to measure the case. */
static inline bool time_budget_has(const struct time_budget *b, const struct plan_case *p) {
  return !p->gone && !resume_has_case(b->former, b->plan, p);
}

/* Returns the seconds since the run began, without those spent waiting for other runs. */
static inline double time_budget_gone_s(const struct time_budget *b) {
  return (double)(clock_now_ns() - b->started_ns - b->waited_ns) * 1e-9;
}

/* How long a run may take, which the plan says and the run keeps: what its cases are promised together, or --max-time.
 * A case is promised what is usual; it gets more from what those before it left, and from a reserve of all. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "model/time_left.h"
#include "plugin/script.h"
#include "run/alone.h"
#include "run/state.h"
#include "stats/gap.h"
#include "worker/signals.h"

/* Of the longest case's time, for all that are not precise in theirs, and for the processes that small differences
 * take: where a device rests, cases near its power limit take their whole time. */
static const double spare_share = 0.5, resting_spare_share = 2;
/* A machine may be slower than is seen at the start: other tasks take its memory's bandwidth, or begin later. So much
 * more than is promised is announced, for what rows cannot stand without and nothing else: with as much again, no row
 * is lost where everything takes twice as long as reckoned. */
static const double slower_share = 1;
/* What a script's variant compiles when it is first prepared may take that long: torch.compile, Triton. */
static const double script_gpu_s = 10, script_cpu_s = 1;
/* What a run announces at least: a busy machine needs seconds for what else takes none; and who hangs is given half of
 * it. A GPU's driver takes seconds to end a process that hangs there, and to begin another. */
static const double least_s = 10, gpu_least_s = 20;
/* From the end of measuring to the end of the run: the last round or its worker's end, and the reports, of which a row
 * takes half a millisecond on a machine that is not busy; at most a quarter of what a user allows. */
static const double end_s = 2.5, end_row_s = 1e-3, end_share = 0.25;

static double end_of(const struct run_state *run) {
  size_t rows = 0;
  for (size_t i = 0; i < run->planning.plan.count; i++)
    rows += run->planning.plan.cases[i].variant_count;
  return run_busy(run) * (end_s + (double)rows * end_row_s);
}

static double run_least_s(const struct run_state *run) {
  return run_rests(run) ? gpu_least_s : least_s;
}

static bool is_left(const struct run_state *run, const struct plan_case *p) {
  const struct resume_case *former = run_resume_case(run, p);
  return !p->gone && (former == NULL || !former->complete);
}

/* Yardsticks come first, wherever they stand in the plan. */
static bool comes_after(const struct plan_case *p, const struct plan_case *other) {
  return p->yardstick != other->yardstick ? other->yardstick : p > other;
}

/* What a case may be expected to take: each process as long as usual, and what it is promised unless that is a
 * --case-time, which is rarely used up. */
static double expected_s(const struct run_state *run, const struct plan_case *p, double usual_s) {
  return fmax(isnan(p->case_time_s) ? run_reckon_promised_s(run, p) : 0, p->restarts * usual_s);
}

/* What those that come after `done`, all with NULL, are promised; or, where it is known how long processes usually
 * take, may be expected to take. */
static double seconds_after(const struct run_state *run, const struct plan_case *done, double usual_s) {
  double seconds = 0;
  for (size_t i = 0; i < run->planning.plan.count; i++) {
    const struct plan_case *p = &run->planning.plan.cases[i];
    if ((done != NULL && !comes_after(p, done)) || !is_left(run, p) || p->beyond) continue;
    seconds += isnan(usual_s) ? run_reckon_promised_s(run, p) : expected_s(run, p, usual_s);
  }
  return seconds;
}

/* What the rows of those cannot stand without. */
static double least_after(const struct run_state *run, const struct plan_case *done) {
  double seconds = 0;
  for (size_t i = 0; i < run->planning.plan.count; i++) {
    const struct plan_case *p = &run->planning.plan.cases[i];
    if (comes_after(p, done) && is_left(run, p) && !p->beyond) seconds += run_reckon_least_s(run, p);
  }
  return seconds;
}

static double left_s(const struct run_state *run) {
  return (double)(run->limit.turn_ends_ns - clock_now_ns()) * 1e-9;
}

/* Until what the plan has announced is over: rows may take from that what they cannot stand without, also where less is
 * said by now. */
static double left_at_most_s(const struct run_state *run) {
  const struct run_limit *limit = &run->limit;
  return (double)(limit->turn_ends_ns + (limit->latest_ns - limit->ends_ns) - clock_now_ns()) * 1e-9;
}

/* Of the cases that a user's time has no room for, the last of the plan, rows are not run unless others leave time. */
static void leave_out(struct run_state *run) {
  double needed_s = 0;
  for (size_t i = 0; i < run->planning.plan.count; i++) {
    struct plan_case *p = &run->planning.plan.cases[i];
    if (is_left(run, p)) needed_s += run_reckon_least_s(run, p);
    p->beyond = !p->yardstick && run->limit.by_user && needed_s > left_s(run);
  }
}

/* What scripts in the cases after `done`, in all with NULL, may take to compile. */
static double scripts_s(const struct run_state *run, const struct plan_case *done) {
  double seconds = 0;
  for (size_t i = 0; i < run->planning.plan.count; i++) {
    const struct plan_case *p = &run->planning.plan.cases[i];
    if (!is_left(run, p) || (done != NULL && !comes_after(p, done))) continue;
    for (size_t j = 0; j < p->variant_count; j++)
      if (p->variants[j].fate == ROW_NOT_RUN && script_is(run->planning.catalog.plugins[p->variants[j].plugin].path))
        seconds += run_rests(run) ? script_gpu_s : script_cpu_s;
  }
  return run_busy(run) * seconds;
}

/* What of the time left is for nothing but what rows cannot stand without, where the case and those after it are
 * promised so much. */
static double kept_s(const struct run_state *run, const struct plan_case *p, double promised_s) {
  const double most_s = slower_share / (1 + slower_share) * left_s(run);
  return fmax(0, fmin(slower_share * promised_s + scripts_s(run, p), most_s));
}

static double spare_s(const struct run_state *run) {
  double longest = 0;
  for (size_t i = 0; i < run->planning.plan.count; i++)
    longest = fmax(longest, run_settings(run, &run->planning.plan.cases[i]).case_time_s);
  return run_busy(run) * (run_rests(run) ? resting_spare_share : spare_share) * longest;
}

/* Of the ceilings, or of what was asked for. */
static double sum_s(const struct run_state *run, bool yardsticks) {
  double seconds = 0;
  for (size_t i = 0; i < run->planning.plan.count; i++) {
    const struct plan_case *p = &run->planning.plan.cases[i];
    if (p->yardstick == yardsticks && is_left(run, p)) seconds += run_reckon_promised_s(run, p);
  }
  return seconds;
}

/* So many times as long as reckoned do rows take on this machine now, by what those so far could not do without; before
 * there are any, as was seen at the start. */
static double slower(const struct run_limit *limit) {
  const double seen = limit->share > 0 ? 1 / limit->share / fmax(1, limit->busy) : 1;
  return fmax(1, limit->least_due_s > 0 ? limit->needed_s / limit->least_due_s : seen);
}

/* And as ceilings have shown, which come first. */
static double longer(const struct run_limit *limit) {
  return fmax(slower(limit), limit->due_s > 0 ? limit->taken_s[PIECE_CEILINGS] / limit->due_s : 1);
}

/* What the total is made of. */
static void find_pieces(struct run_state *run) {
  const double devices = (double)run_devices_usable(&run->devices);
  double *pieces = run->limit.announced_s;
  pieces[PIECE_CEILINGS] = devices * sum_s(run, true);
  pieces[PIECE_CASES] = devices * sum_s(run, false);
  pieces[PIECE_RESERVE] = devices * spare_s(run);
  pieces[PIECE_SLOWER] = slower_share * (pieces[PIECE_CEILINGS] + pieces[PIECE_CASES]) + devices * scripts_s(run, NULL);
  pieces[PIECE_END] = end_of(run);
}

static double add_pieces(const struct run_limit *limit, double least) {
  double all = 0;
  for (size_t i = 0; i < RUN_PIECES; i++)
    all += limit->announced_s[i];
  return ceil(fmax(least, all));
}

/* Measuring ends at the limit by itself; what is verified then may take a little longer. */
static void hold(const struct run_state *run) {
  const int64_t allowed_ns = 500000000;
  const int64_t ends_ns = run->limit.latest_ns;
  signals_finish_by(ends_ns == INT64_MAX ? INT64_MAX : ends_ns + allowed_ns, run->limit.why);
}

void run_limit_share(struct run_state *run) {
  struct run_limit *limit = &run->limit;
  int64_t left = 0, now = clock_now_ns();
  for (size_t i = run->devices.turn; i < run->devices.count; i++)
    left += run->devices.all[i].lost.exit_code == 0;
  limit->turn_ends_ns = limit->ends_ns == INT64_MAX ? INT64_MAX : now + (limit->ends_ns - now) / (left > 0 ? left : 1);
}

static void set(struct run_state *run, double seconds) {
  struct run_limit *limit = &run->limit;
  const double measured_s = seconds - fmin(end_of(run), end_share * seconds);
  limit->seconds = seconds;
  limit->ends_ns = isfinite(seconds) ? run->started_ns + limit->waited_ns + (int64_t)(measured_s * 1e9) : INT64_MAX;
  if (!(limit->first_s > seconds)) limit->latest_ns = limit->ends_ns;
  run_limit_share(run);
  hold(run);
}

static void announce(struct run_state *run, double seconds) {
  snprintf(run->limit.why, sizeof run->limit.why, "the announced %g s were over", run->limit.first_s);
  set(run, seconds);
}

void run_limit_by_user(struct run_state *run, double seconds) {
  run->limit.by_user = isfinite(seconds);
  text_copy(run->limit.why, sizeof run->limit.why, "--max-time was reached");
  set(run, isfinite(seconds) ? seconds : INFINITY);
}

void run_limit_by_plan(struct run_state *run) {
  const struct options *o = run->options;
  if (o->run.verify_only || o->run.profile) {
    if (run->limit.by_user) set(run, run->limit.seconds); /* now it is known how many rows there will be */
    if (!run->limit.by_user && o->run.verify_only) announce(run, run->limit.first_s = run_hangs_verifying_s(run));
    return;
  }
  run_busy_look(run);
  run->limit.announced_s[PIECE_PLANNING] =
      floor((double)(clock_now_ns() - run->started_ns - run->limit.waited_ns) * 1e-9);
  find_pieces(run);
  const double seconds = add_pieces(&run->limit, run_busy(run) * run_least_s(run));
  run->limit.enough_s = seconds;
  if (run->limit.by_user) {
    memset(run->limit.announced_s, 0, sizeof run->limit.announced_s);
    set(run, run->limit.seconds);
    leave_out(run);
    return;
  }
  announce(run, run->limit.first_s = seconds);
  /* who hangs is named while there is time for the others */
  if (isnan(o->common.timeout_s))
    run->devices.pool.timeout_s = fmin(options_timeout_s(o), fmax(seconds, run_least_s(run)) / 2);
}

void run_limit_restate(struct run_state *run, const struct plan_case *done) {
  struct run_limit *limit = &run->limit;
  if (limit->by_user || run->options->run.verify_only || !isfinite(limit->seconds) || run->devices.count > 1) return;
  const double gone_s = (double)(clock_now_ns() - run->started_ns - limit->waited_ns) * 1e-9;
  const double after_s = seconds_after(run, done, NAN);
  const double to_come_s = limit->added_s + fmax(longer(limit), 1 + slower_share) * after_s +
                           limit->announced_s[PIECE_RESERVE] + scripts_s(run, done);
  const bool hung = run->devices.pool.hung > 0; /* that takes what others have left */
  announce(run, hung ? limit->first_s : fmin(limit->first_s, ceil(gone_s + to_come_s + end_of(run))));
}

/* ---- While it runs ---- */

void run_limit_shift(struct run_state *run, int64_t ns) {
  run->limit.waited_ns += ns;
  if (run->limit.ends_ns == INT64_MAX) return;
  run->limit.ends_ns += ns;
  run->limit.turn_ends_ns += ns;
  run->limit.latest_ns += ns;
  hold(run);
}

bool run_limit_is_over(const struct run_state *run) {
  return run->limit.turn_ends_ns != INT64_MAX && left_at_most_s(run) <= 0;
}

/* On a machine so busy that a ceiling, taking as much longer than promised as those before it, would take what is there
 * for the cases that were asked for, or more than half of the reserve, it is left out. */
bool run_limit_is_short(const struct run_state *run, const struct plan_case *p) {
  const struct run_limit *limit = &run->limit;
  double asked_s = limit->announced_s[PIECE_RESERVE] / 2;
  if (!p->yardstick || run->limit.turn_ends_ns == INT64_MAX) return false;
  for (size_t i = 0; i < run->planning.plan.count; i++) {
    const struct plan_case *asked = &run->planning.plan.cases[i];
    const bool rarely_used = limit->by_user && !isnan(asked->case_time_s);
    if (!asked->yardstick && is_left(run, asked))
      asked_s += (rarely_used ? run_reckon_least_s : run_reckon_promised_s)(run, asked);
  }
  const double more_s = limit->by_user ? 0 : kept_s(run, p, asked_s);
  return left_s(run) < slower(limit) * asked_s + more_s + longer(limit) * run_reckon_promised_s(run, p);
}

bool run_limit_admits(struct run_state *run, const struct plan_case *p) {
  struct run_limit *limit = &run->limit;
  const double own_s =
      limit->processes > 0 ? expected_s(run, p, limit->spent_s / limit->processes) : run_reckon_promised_s(run, p);
  if (limit->by_user || run->options->run.verify_only || !isfinite(limit->seconds))
    return limit->turn_ends_ns == INT64_MAX || left_s(run) >= own_s;
  const double gone_s = (double)(clock_now_ns() - run->started_ns - limit->waited_ns) * 1e-9;
  const double needed_s = gone_s + own_s + end_of(run);
  if (needed_s > limit->first_s) return false;
  announce(run, fmin(limit->first_s, ceil(needed_s + limit->announced_s[PIECE_RESERVE])));
  return true;
}

/* Joules come after it; so do looks alone, which have what it leaves. */
int64_t run_limit_until(const struct run_state *run, const struct plan_case *p) {
  if (run->limit.turn_ends_ns == INT64_MAX) return 0;
  const double own_s = run_reckon_promised_s(run, p), after_s = seconds_after(run, p, NAN);
  const struct time_left time = {.left_s = fmax(left_s(run) - run->limit.added_s, 0),
                                 .kept_s = kept_s(run, p, own_s + after_s),
                                 .own_s = own_s,
                                 .after_s = after_s,
                                 .own_least_s = run_reckon_least_s(run, p),
                                 .after_least_s = least_after(run, p),
                                 .times = longer(&run->limit)};
  const double joules = time.own_s > 0 ? run_reckon_energy_s(run, p) / time.own_s : 0;
  return clock_now_ns() + (int64_t)((1 - joules) * time_part_s(&time) * 1e9);
}

int64_t run_limit_last(const struct run_state *run, const struct plan_case *p, bool *others_wait) {
  const struct time_left time = {.left_s = left_at_most_s(run) - run->limit.added_s,
                                 .own_s = run_reckon_promised_s(run, p),
                                 .after_s = seconds_after(run, p, NAN),
                                 .own_least_s = run_reckon_least_s(run, p),
                                 .after_least_s = least_after(run, p),
                                 .times = slower(&run->limit)};
  *others_wait = time.after_s > 0 || run->limit.added_s > 0;
  if (run->limit.turn_ends_ns == INT64_MAX) return 0;
  return clock_now_ns() + (int64_t)(fmax(time_last_s(&time), 0) * 1e9);
}

/* What it is promised for that, or all that nobody else is. */
int64_t run_limit_alone_until(const struct run_state *run, const struct plan_case *p) {
  if (run->limit.turn_ends_ns == INT64_MAX) return 0;
  const double after_s = seconds_after(run, p, NAN);
  const double free_s = left_s(run) - run->limit.added_s - after_s - kept_s(run, p, after_s);
  return clock_now_ns() + (int64_t)(fmin(left_s(run), fmax(alone_promised_s(run, p), free_s)) * 1e9);
}

void run_limit_few(const struct run_state *run, struct record *row) {
  char text[MSG_SIZE];
  const bool cut = text_same(row->stop_reason, stop_reason_name(STOP_BUDGET)) && row->rounds < WORD_ROUNDS;
  if (!cut || isnan(row->median_raw_ns) || text_or_empty(row->message)[0] != '\0') return;
  snprintf(text, sizeof text, "few rounds: a call takes %.2g s, and time was up; --max-time %.0fs should do",
           row->median_raw_ns * 1e-9, run_limit_enough_s(run));
  record_set(&row->message, text);
}

void run_limit_needed(struct run_state *run, const struct plan_case *p, double seconds) {
  run->limit.needed_s += seconds;
  run->limit.least_due_s += run_reckon_least_s(run, p);
}

void run_limit_took(struct run_state *run, const struct plan_case *p, double seconds) {
  struct run_limit *limit = &run->limit;
  const double over_s = seconds - run_reckon_promised_s(run, p);
  limit->taken_s[p->yardstick ? PIECE_CEILINGS : PIECE_CASES] += seconds;
  if (p->yardstick) limit->due_s += run_reckon_promised_s(run, p);
  if (over_s <= limit->longest_over_s) return;
  limit->longest_over_s = over_s;
  limit->longest_s = seconds;
  text_copy(limit->longest, sizeof limit->longest, p->key);
}

/* What would be announced, and more where it has turned out that this is not enough. */
double run_limit_enough_s(const struct run_state *run) {
  const double step_s = 5;
  return step_s * ceil(longer(&run->limit) * run->limit.enough_s / step_s);
}

void run_limit_why(const struct run_state *run, const struct plan_case *p, char *to, size_t size) {
  const struct run_limit *limit = &run->limit;
  char culprit[KEY_SIZE + 64] = "";
  if (p->beyond)
    snprintf(culprit, sizeof culprit, " (no room in the plan)");
  else if (limit->longest[0] != '\0')
    snprintf(culprit, sizeof culprit, "; %.300s took %.3g s of them", limit->longest, limit->longest_s);
  snprintf(to, size, "%s%s: --max-time %.0fs should do", limit->why, culprit, run_limit_enough_s(run));
}

void run_limit_note(struct run_state *run, double seconds, uint32_t processes) {
  run->limit.spent_s += seconds;
  run->limit.processes += processes;
}

/* Those to come may be expected to take as long as those before them. */
double run_limit_spare_s(const struct run_state *run, const struct plan_case *p, double process_s_now) {
  const struct run_limit *limit = &run->limit;
  if (limit->turn_ends_ns == INT64_MAX) return INFINITY;
  const double usual_s = (limit->spent_s + process_s_now) / (limit->processes + 1);
  const double after_s = seconds_after(run, p, usual_s);
  return left_s(run) - limit->added_s - after_s - kept_s(run, p, after_s);
}

/* Half as much time again as the case has, or what the cases after it do not need. */
int64_t run_limit_trials_until(const struct run_state *run, const struct plan_case *p, int64_t until_ns) {
  if (until_ns == 0) return 0;
  const int64_t now = clock_now_ns(), more_ns = until_ns + (until_ns - now) / 2;
  const double spare_s = left_s(run) - run->limit.added_s - seconds_after(run, p, NAN);
  const int64_t spare_ns = now + (int64_t)(spare_s * 1e9);
  return spare_ns > more_ns ? spare_ns : more_ns;
}

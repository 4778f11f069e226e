/* How long a run may take. The user is told that time together with the plan, and the run keeps to it. It is --max-time
 * or the sum of the times planned for the cases. The time planned for a case is the usual time of such a case. The case
 * may get more from what earlier cases left, and from a common reserve. */
#include "budget/time_budget.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "budget/hangs.h"
#include "budget/reckon.h"
#include "model/time_left.h"
#include "plugin/script.h"
#include "stats/gap.h"
#include "worker/signals.h"

/* The reserve of a run, as a multiple of its longest case time: for cases that are not precise in their planned time,
 * and for the additional processes that small differences need. resting_spare_share is for devices with pauses
 * (cooldowns) between series of samples, which need the whole case time. */
static const double spare_share = 0.5, resting_spare_share = 2;
/* The run announces to the user more than the planned time of its cases, by this share of it, because the machine may
 * become slower. With the share 1, every row gets the few rounds that it must have even if everything takes twice as
 * long as estimated. On a CPU, cases may use the rest to become more precise. */
static const double slower_share = 1;
/* Seconds that compiling may take when a variant of a Python script is first prepared, for example with torch.compile
 * or Triton. */
static const double script_gpu_s = 10, script_cpu_s = 1;
/* The least seconds that a run announces to the user as its length. A call that hangs is ended after half of the
 * announced time, so that time must not be too short: on a busy machine short calls may take seconds, and a GPU's
 * driver needs seconds to end a process that hangs on the GPU and to start another one. */
static const double least_s = 10, gpu_least_s = 20;
/* Seconds from the end of measuring to the end of the run. end_s: for finishing the last round or ending its worker;
 * end_row_s: for each row in the reports, where one takes half a millisecond on an idle machine. Both together get at
 * most the share `end_share` of the announced time. */
static const double end_s = 2.5, end_row_s = 1e-3, end_share = 0.25;

static double ending_s(const struct time_budget *b) {
  size_t rows = 0;
  for (size_t i = 0; i < b->plan->count; i++)
    rows += b->plan->cases[i].variant_count;
  return reckon_busy(b) * (end_s + (double)rows * end_row_s);
}

static double at_least_s(const struct time_budget *b) {
  return reckon_rests(b) ? gpu_least_s : least_s;
}

/* Returns true if `p` is measured after `other`. Cases that measure ceilings (the device's highest rates) come first,
 * wherever they are in the plan. */
static bool comes_after(const struct plan_case *p, const struct plan_case *other) {
  return p->yardstick != other->yardstick ? other->yardstick : p > other;
}

/* Returns the seconds that a case is expected to take if each of its processes takes `usual_s` seconds, but at least
 * the time planned for it. A planned time that follows from --case-time is ignored, because a case rarely uses all of
 * it. */
static double expected_s(const struct time_budget *b, const struct plan_case *p, double usual_s) {
  return fmax(isnan(p->case_time_s) ? reckon_promised_s(b, p) : 0, p->restarts * usual_s);
}

/* Returns the sum of the seconds of all cases after `done` (NULL: of all cases). For each case that is the time planned
 * for it or, if `usual_s` is not NaN, the time expected if each of its processes takes `usual_s` seconds. */
static double seconds_after(const struct time_budget *b, const struct plan_case *done, double usual_s) {
  double seconds = 0;
  for (size_t i = 0; i < b->plan->count; i++) {
    const struct plan_case *p = &b->plan->cases[i];
    if ((done != NULL && !comes_after(p, done)) || !time_budget_has(b, p) || p->beyond) continue;
    seconds += isnan(usual_s) ? reckon_promised_s(b, p) : expected_s(b, p, usual_s);
  }
  return seconds;
}

/* Returns the seconds that the cases after `done` need at least, so that their rows are not useless. */
static double least_after(const struct time_budget *b, const struct plan_case *done) {
  double seconds = 0;
  for (size_t i = 0; i < b->plan->count; i++) {
    const struct plan_case *p = &b->plan->cases[i];
    if (comes_after(p, done) && time_budget_has(b, p) && !p->beyond) seconds += reckon_least_s(b, p);
  }
  return seconds;
}

static double device_left_s(const struct time_budget *b) {
  return (double)(b->device_ends_ns - clock_now_ns()) * 1e-9;
}

/* Returns the seconds until the end of measuring that was first announced to the user. A row with too few samples may
 * be measured until then, even if an earlier end has been announced since. */
static double left_at_most_s(const struct time_budget *b) {
  return (double)(b->device_ends_ns + (b->latest_ns - b->ends_ns) - clock_now_ns()) * 1e-9;
}

/* Marks the last cases of the plan, for which the user's time is not enough: they run only if other cases leave
 * time. */
static void mark_beyond(struct time_budget *b) {
  double needed_s = 0;
  for (size_t i = 0; i < b->plan->count; i++) {
    struct plan_case *p = &b->plan->cases[i];
    if (time_budget_has(b, p)) needed_s += reckon_least_s(b, p);
    p->beyond = !p->yardstick && b->by_user && needed_s > device_left_s(b);
  }
}

/* Returns the seconds that scripts may take to compile in the cases after `done`; NULL: in all cases. */
static double scripts_s(const struct time_budget *b, const struct plan_case *done) {
  double seconds = 0;
  for (size_t i = 0; i < b->plan->count; i++) {
    const struct plan_case *p = &b->plan->cases[i];
    if (!time_budget_has(b, p) || (done != NULL && !comes_after(p, done))) continue;
    for (size_t j = 0; j < p->variant_count; j++)
      if (p->variants[j].status == ROW_NOT_RUN && script_is(b->catalog->plugins[p->variants[j].plugin].path))
        seconds += reckon_rests(b) ? script_gpu_s : script_cpu_s;
  }
  return reckon_busy(b) * seconds;
}

/* Returns the seconds that cases may still spend on more precision, on a device with pauses (cooldowns) between series
 * of samples: the announced time minus the time that has passed. INFINITY (no limit) on other devices, with --max-time,
 * and with several devices. */
static double pool_left_s(const struct time_budget *b, const struct plan_case *p) {
  if (b->by_user || b->devices > 1 || !reckon_rests(b)) return INFINITY;
  const double *pieces = b->announced_s;
  const double given_s = pieces[PIECE_PLANNING] + pieces[PIECE_CEILINGS] + pieces[PIECE_CASES] + pieces[PIECE_RESERVE];
  return given_s + scripts_s(b, NULL) - scripts_s(b, p) - time_budget_gone_s(b);
}

/* A row is useless without a few rounds of samples. Returns the part of the remaining time that is kept for such
 * rounds, and is not used for precision. `promised_s`: the seconds planned for the case and those after it. */
static double kept_s(const struct time_budget *b, const struct plan_case *p, double promised_s) {
  const double left_s = device_left_s(b);
  const double most_s = fmax(slower_share / (1 + slower_share) * left_s, left_s - promised_s);
  const double usual_s = slower_share * promised_s + scripts_s(b, p);
  return fmax(0, fmin(fmax(usual_s, left_s - pool_left_s(b, p)), most_s));
}

static double spare_s(const struct time_budget *b) {
  double longest = 0;
  for (size_t i = 0; i < b->plan->count; i++)
    longest = fmax(longest, time_budget_settings(b, &b->plan->cases[i]).case_time_s);
  return reckon_busy(b) * (reckon_rests(b) ? resting_spare_share : spare_share) * longest;
}

/* Returns the sum of the seconds planned for the cases that measure ceilings, the device's highest rates (if
 * `yardsticks` is set), or for all other cases. */
static double sum_s(const struct time_budget *b, bool yardsticks) {
  double seconds = 0;
  for (size_t i = 0; i < b->plan->count; i++) {
    const struct plan_case *p = &b->plan->cases[i];
    if (p->yardstick == yardsticks && time_budget_has(b, p)) seconds += reckon_promised_s(b, p);
  }
  return seconds;
}

/* Returns the factor by which rows take longer than estimated on this machine now, from the time that earlier rows
 * needed; before there are any, from the measurement at the start. */
static double slower(const struct time_budget *b) {
  const double seen = b->share > 0 ? 1 / b->share / fmax(1, b->busy) : 1;
  return fmax(1, b->least_due_s > 0 ? b->needed_s / b->least_due_s : seen);
}

/* Returns the larger of two factors: slower(), and by how much the cases that measured ceilings (the device's highest
 * rates) took longer than planned. */
static double slowest_factor(const struct time_budget *b) {
  return fmax(slower(b), b->due_s > 0 ? b->taken_s[PIECE_CEILINGS] / b->due_s : 1);
}

/* Computes the parts of the time that the run announces to the user as its length. */
static void find_pieces(struct time_budget *b) {
  const double devices = (double)b->usable;
  double *pieces = b->announced_s;
  pieces[PIECE_CEILINGS] = devices * sum_s(b, true);
  pieces[PIECE_CASES] = devices * sum_s(b, false);
  pieces[PIECE_RESERVE] = devices * spare_s(b);
  pieces[PIECE_SLOWER] = slower_share * (pieces[PIECE_CEILINGS] + pieces[PIECE_CASES]) + devices * scripts_s(b, NULL);
  pieces[PIECE_END] = ending_s(b);
}

static double add_pieces(const struct time_budget *b, double least) {
  double all = 0;
  for (size_t i = 0; i < RUN_PIECES; i++)
    all += b->announced_s[i];
  return ceil(fmax(least, all));
}

/* Asks workers to finish their round half a second after the end of the time for measuring. Workers end sampling by
 * themselves at that end; the half second is for a verification that is still running. */
static void hold_to_limit(const struct time_budget *b) {
  const int64_t allowed_ns = 500000000;
  const int64_t ends_ns = b->latest_ns;
  signals_finish_by(ends_ns == INT64_MAX ? INT64_MAX : ends_ns + allowed_ns, b->why);
}

static void share_among_devices(struct time_budget *b) {
  const int64_t now = clock_now_ns(), devices = b->left > 0 ? (int64_t)b->left : 1;
  b->device_ends_ns = b->ends_ns == INT64_MAX ? INT64_MAX : now + (b->ends_ns - now) / devices;
}

void time_budget_begin_device(struct time_budget *b, size_t usable, size_t left) {
  b->usable = usable;
  b->left = left;
  share_among_devices(b);
}

static void set_seconds(struct time_budget *b, double seconds) {
  const double measured_s = seconds - fmin(ending_s(b), end_share * seconds);
  b->seconds = seconds;
  b->ends_ns = isfinite(seconds) ? b->started_ns + b->waited_ns + (int64_t)(measured_s * 1e9) : INT64_MAX;
  if (!(b->first_s > seconds)) b->latest_ns = b->ends_ns;
  share_among_devices(b);
  hold_to_limit(b);
}

static void announce(struct time_budget *b, double seconds) {
  snprintf(b->why, sizeof b->why, "the announced %g s were over", b->first_s);
  set_seconds(b, seconds);
}

void time_budget_by_user(struct time_budget *b, double seconds) {
  b->by_user = isfinite(seconds);
  text_copy(b->why, sizeof b->why, "--max-time was reached");
  set_seconds(b, isfinite(seconds) ? seconds : INFINITY);
}

/* Returns true if the user's time limit would be enough even on the busiest machine (TIME_BUSIEST times as slow as an
 * idle one). Then it does not matter how busy this machine is, and that need not be measured; in a short run, measuring
 * it would be most of the work. */
static bool has_time_for_all(struct time_budget *b) {
  b->busy = b->share = 1;
  find_pieces(b);
  return TIME_BUSIEST * add_pieces(b, at_least_s(b)) <= b->seconds - time_budget_gone_s(b);
}

void time_budget_by_plan(struct time_budget *b) {
  const struct options *o = b->options;
  if (o->run.verify_only || o->run.profile) {
    if (b->by_user) set_seconds(b, b->seconds); /* the end depends on the number of rows, which is known now */
    if (!b->by_user && o->run.verify_only) announce(b, b->first_s = hangs_verifying_s(b));
    return;
  }
  if (!b->by_user || !has_time_for_all(b)) reckon_look_busy(b);
  b->announced_s[PIECE_PLANNING] = floor(time_budget_gone_s(b));
  find_pieces(b);
  const double seconds = add_pieces(b, reckon_busy(b) * at_least_s(b));
  b->enough_s = seconds;
  if (b->by_user) {
    memset(b->announced_s, 0, sizeof b->announced_s);
    set_seconds(b, b->seconds);
    mark_beyond(b);
    return;
  }
  announce(b, b->first_s = seconds);
  /* ends a call that hangs after half of the time, so that the other variants still have time */
  if (isnan(o->common.timeout_s)) b->pool->timeout_s = fmin(options_timeout_s(o), fmax(seconds, at_least_s(b)) / 2);
}

void time_budget_restate(struct time_budget *b, const struct plan_case *done) {
  if (b->by_user || b->options->run.verify_only || !isfinite(b->seconds) || b->devices > 1) return;
  const double gone_s = time_budget_gone_s(b);
  const double after_s = seconds_after(b, done, NAN);
  const double to_come_s = b->added_s + fmax(slowest_factor(b), 1 + slower_share) * after_s +
                           b->announced_s[PIECE_RESERVE] + scripts_s(b, done);
  /* Once a call has hung, later calls may hang too and need the time that earlier cases saved. So the announced time is
   * not lowered then. */
  const bool hung = b->pool->hung > 0;
  announce(b, hung ? b->first_s : fmin(b->first_s, ceil(gone_s + to_come_s + ending_s(b))));
}

/* ---- During the run ---- */

void time_budget_shift(struct time_budget *b, int64_t ns) {
  b->waited_ns += ns;
  if (b->ends_ns == INT64_MAX) return;
  b->ends_ns += ns;
  b->device_ends_ns += ns;
  b->latest_ns += ns;
  hold_to_limit(b);
}

bool time_budget_is_over(const struct time_budget *b) {
  return b->device_ends_ns != INT64_MAX && left_at_most_s(b) <= 0;
}

/* Returns true if the case measures a ceiling (a highest rate of the device) and must be left out, because the machine
 * is very busy. The case is expected to take the time planned for it, multiplied by slowest_factor(). It is left out if
 * too little time would then remain for the cases that the user asked for and for half of the reserve. */
bool time_budget_is_short(const struct time_budget *b, const struct plan_case *p) {
  double asked_s = b->announced_s[PIECE_RESERVE] / 2;
  if (!p->yardstick || b->device_ends_ns == INT64_MAX) return false;
  for (size_t i = 0; i < b->plan->count; i++) {
    const struct plan_case *asked = &b->plan->cases[i];
    const bool rarely_used = b->by_user && !isnan(asked->case_time_s);
    if (!asked->yardstick && time_budget_has(b, asked))
      asked_s += (rarely_used ? reckon_least_s : reckon_promised_s)(b, asked);
  }
  const double more_s = b->by_user ? 0 : kept_s(b, p, asked_s);
  return device_left_s(b) < slower(b) * asked_s + more_s + slowest_factor(b) * reckon_promised_s(b, p);
}

bool time_budget_admits(struct time_budget *b, const struct plan_case *p) {
  const double own_s = b->processes > 0 ? expected_s(b, p, b->spent_s / b->processes) : reckon_promised_s(b, p);
  if (b->by_user || b->options->run.verify_only || !isfinite(b->seconds))
    return b->device_ends_ns == INT64_MAX || device_left_s(b) >= own_s;
  const double gone_s = time_budget_gone_s(b);
  const double needed_s = gone_s + own_s + ending_s(b);
  if (needed_s > b->first_s) return false;
  announce(b, fmin(b->first_s, ceil(needed_s + b->announced_s[PIECE_RESERVE])));
  return true;
}

/* Energy is measured after the returned time, so the time for that is subtracted here. Verdicts are checked after it,
 * too, in time that the case does not use. */
int64_t time_budget_until(const struct time_budget *b, const struct plan_case *p) {
  if (b->device_ends_ns == INT64_MAX) return 0;
  const double own_s = reckon_promised_s(b, p), after_s = seconds_after(b, p, NAN);
  const struct time_left time = {.left_s = fmax(device_left_s(b) - b->added_s, 0),
                                 .kept_s = kept_s(b, p, own_s + after_s),
                                 .own_s = own_s,
                                 .after_s = after_s,
                                 .own_least_s = reckon_least_s(b, p),
                                 .after_least_s = least_after(b, p),
                                 .times = slowest_factor(b)};
  const double joules = time.own_s > 0 ? reckon_energy_s(b, p) / time.own_s : 0;
  return clock_now_ns() + (int64_t)((1 - joules) * time_part_s(&time) * 1e9);
}

int64_t time_budget_last(const struct time_budget *b, const struct plan_case *p, bool *others_wait) {
  const struct time_left time = {.left_s = left_at_most_s(b) - b->added_s,
                                 .own_s = reckon_promised_s(b, p),
                                 .after_s = seconds_after(b, p, NAN),
                                 .own_least_s = reckon_least_s(b, p),
                                 .after_least_s = least_after(b, p),
                                 .times = slower(b)};
  *others_wait = time.after_s > 0 || b->added_s > 0;
  if (b->device_ends_ns == INT64_MAX) return 0;
  return clock_now_ns() + (int64_t)(fmax(time_last_s(&time), 0) * 1e9);
}

/* Limits the check of the case's verdicts, for which variants are measured alone. The check gets the time planned for
 * it or, if that is more, all time that later cases do not need. */
int64_t time_budget_alone_until(const struct time_budget *b, const struct plan_case *p) {
  if (b->device_ends_ns == INT64_MAX) return 0;
  const double after_s = seconds_after(b, p, NAN);
  const double free_s = device_left_s(b) - b->added_s - after_s - kept_s(b, p, after_s);
  return clock_now_ns() + (int64_t)(fmin(device_left_s(b), fmax(alone_promised_s(b->options, p), free_s)) * 1e9);
}

void time_budget_few(const struct time_budget *b, struct record *row) {
  char text[MSG_SIZE];
  const bool cut = text_same(row->stop_reason, stop_reason_name(STOP_BUDGET)) && row->rounds < WORD_ROUNDS;
  if (!cut || isnan(row->median_raw_ns) || text_or_empty(row->message)[0] != '\0') return;
  snprintf(text, sizeof text, "few rounds: a call takes %.2g s, and time was up; --max-time %.0fs should do",
           row->median_raw_ns * 1e-9, time_budget_enough_s(b));
  record_set(&row->message, text);
}

void time_budget_needed(struct time_budget *b, const struct plan_case *p, double seconds) {
  b->needed_s += seconds;
  b->least_due_s += reckon_least_s(b, p);
}

void time_budget_took(struct time_budget *b, const struct plan_case *p, double seconds) {
  const double over_s = seconds - reckon_promised_s(b, p);
  b->taken_s[p->yardstick ? PIECE_CEILINGS : PIECE_CASES] += seconds;
  if (p->yardstick) b->due_s += reckon_promised_s(b, p);
  if (over_s <= b->longest_over_s) return;
  b->longest_over_s = over_s;
  b->longest_s = seconds;
  text_copy(b->longest, sizeof b->longest, p->key);
}

/* Returns the seconds that would be announced if the user gave no limit, multiplied by slowest_factor() and rounded
 * up. */
double time_budget_enough_s(const struct time_budget *b) {
  const double step_s = 5;
  return step_s * ceil(slowest_factor(b) * b->enough_s / step_s);
}

void time_budget_why(const struct time_budget *b, const struct plan_case *p, char *to, size_t size) {
  char culprit[KEY_SIZE + 64] = "";
  if (p->beyond)
    snprintf(culprit, sizeof culprit, " (no room in the plan)");
  else if (b->longest[0] != '\0')
    snprintf(culprit, sizeof culprit, "; %.300s took %.3g s of them", b->longest, b->longest_s);
  const size_t length = (size_t)snprintf(to, size, "%s%s: --max-time ", b->why, culprit);
  if (length >= size) return;
  /* there is no estimate for runs that time nothing */
  if (b->enough_s > 0)
    snprintf(to + length, size - length, "%.0fs should do", time_budget_enough_s(b));
  else
    snprintf(to + length, size - length, "allows more");
}

void time_budget_note(struct time_budget *b, double seconds, uint32_t processes) {
  b->spent_s += seconds;
  b->processes += processes;
}

/* Assumes that a process of a later case takes as long as those of earlier cases did on average. */
double time_budget_spare_s(const struct time_budget *b, const struct plan_case *p, double process_s_now) {
  if (b->device_ends_ns == INT64_MAX) return INFINITY;
  const double usual_s = (b->spent_s + process_s_now) / (b->processes + 1);
  const double after_s = seconds_after(b, p, usual_s);
  return device_left_s(b) - b->added_s - after_s - kept_s(b, p, after_s);
}

/* Returns the later of two times. The first is when the later cases must begin, so that they get the time planned for
 * them. The second is `until_ns`, extended by half of the time that is left until then. */
int64_t time_budget_suspects_until(const struct time_budget *b, const struct plan_case *p, int64_t until_ns) {
  if (until_ns == 0) return 0;
  const int64_t now = clock_now_ns(), more_ns = until_ns + (until_ns - now) / 2;
  const double spare_s = device_left_s(b) - b->added_s - seconds_after(b, p, NAN);
  const int64_t spare_ns = now + (int64_t)(spare_s * 1e9);
  return spare_ns > more_ns ? spare_ns : more_ns;
}

/* What a case is reckoned to take: as long as is usual on an idle machine, and so many times as long on this one now.
 */
#include <math.h>
#include <string.h>

#include "ask/seats.h"
#include "base/parallel.h"
#include "machine/cpu_facts.h"
#include "machine/cpu_quota.h"
#include "machine/cpu_share.h"
#include "model/time_left.h"
#include "options/device_list.h"
#include "run/alone.h"
#include "run/state.h"

/* Of a case and process, whatever its samples take: starting; and of each variant preparing, verifying, and a batch
 * for the clock of this process. */
static const double process_s = 0.3, variant_s = 0.225;
/* Of the default case time: most cases are precise enough much earlier; more on a device that rests between slots. */
static const double promised_share = 0.25, resting_share = 1.0 / 3;
/* The copy by which remembered ceilings are checked. */
static const double check_s = 0.5;

static size_t running(const struct plan_case *p) {
  size_t count = 0;
  for (size_t i = 0; i < p->variant_count; i++)
    count += p->variants[i].fate == ROW_NOT_RUN;
  return count;
}

/* Its joules: most windows end when more would say no more; and what the device draws before and after. */
double run_reckon_energy_s(const struct run_state *run, const struct plan_case *p) {
  static const double variant_most_s = 2.5, idle_s = 1;
  const double window_s = run_settings(run, p).energy_s;
  return window_s == 0 ? 0 : (double)running(p) * fmin(3 * window_s, variant_most_s) + idle_s;
}

static double rounds_s(const struct plan_case *p) {
  if (p->mode.load == LOAD_PLAIN) return 0;
  return ROUNDS_LEAST * (double)running(p) * (mode_lead_s(p->mode) + mode_slot_s(p->mode));
}

bool run_rests(const struct run_state *run) {
  return devices_are(run->devices.spec, DEVICE_RESTS);
}

/* What the processors are like now; on a GPU the host needs one of them. A script's times are its own. */
void run_busy_look(struct run_state *run) {
  struct cpu_facts facts = {.load1 = NAN};
  run->limit.busy = run->limit.share = 1;
  if (devices_are(run->devices.spec, DEVICE_SCRIPTED)) return;
  struct cpu_quota quota;
  cpu_quota_read("", &quota);
  const double processors = fmax(1, fmin(quota.cpus, (double)parallel_processors())); /* fmin ignores NaN */
  cpu_facts_read_load("", &facts);
  run->limit.load = facts.load1;
  run->limit.share = cpu_share_measure(run_rests(run) ? 1 : (size_t)processors);
  run->limit.busy = time_busy(run->limit.share, facts.load1, processors);
}

double run_busy(const struct run_state *run) {
  return fmax(1, run->limit.busy);
}

/* Whoever asks for a case time gets it, as does who is never precise enough. */
static bool is_asked(const struct plan_case *p) {
  return !isnan(p->case_time_s) || p->precision == 0;
}

/* On a processor a ceiling is never precise enough either. */
static double share_of(const struct run_state *run, const struct plan_case *p) {
  if (is_asked(p)) return 1;
  return run_rests(run) ? resting_share : p->yardstick ? 1 : promised_share;
}

/* Starting, preparing, verifying. */
static double others_s(const struct run_state *run, const struct plan_case *p) {
  const size_t processes = run->options->run.isolate ? seats_of(p) : 1;
  return running(p) == 0 ? 0 : p->restarts * ((double)processes * process_s + (double)running(p) * variant_s);
}

/* If they take that share of the case's time. */
static double samples_s(const struct run_state *run, const struct plan_case *p, double share) {
  return running(p) == 0 ? 0 : p->restarts * fmax(share * run_settings(run, p).case_time_s, rounds_s(p));
}

static double behind_s(const struct run_state *run, const struct plan_case *p) {
  return running(p) == 0 ? 0 : run_reckon_energy_s(run, p) + alone_promised_s(run, p);
}

double run_limit_reckoned_s(const struct run_state *run, const struct plan_case *p) {
  return others_s(run, p) + samples_s(run, p, share_of(run, p)) + behind_s(run, p);
}

/* A time that was asked for is no longer than that, nor is a counter's window. */
double run_reckon_promised_s(const struct run_state *run, const struct plan_case *p) {
  const double busy = run_busy(run), samples = samples_s(run, p, share_of(run, p));
  if (p->yardstick && run_yardsticks_expected(run)) return run_yardstick_of(run, p) == CEILING_COPY ? check_s : 0;
  return busy * others_s(run, p) + (is_asked(p) ? 1 : busy) * samples + behind_s(run, p);
}

/* A ceiling is no row that was asked for. */
double run_reckon_least_s(const struct run_state *run, const struct plan_case *p) {
  if (p->yardstick) return 0;
  return fmin(run_reckon_promised_s(run, p), run_busy(run) * (others_s(run, p) + samples_s(run, p, 0)));
}

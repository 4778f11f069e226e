/* Estimates the time of a case: the usual time on an idle machine, multiplied by a factor for this machine now. */
#include "budget/reckon.h"

#include <math.h>
#include <string.h>

#include "ask/seats.h"
#include "base/parallel.h"
#include "machine/cpu_facts.h"
#include "machine/cpu_times.h"
#include "model/time_left.h"
#include "options/device_list.h"
#include "plan/build.h"
#include "stats/company.h"

/* Fixed costs in seconds. process_s: to start a process; variant_s: to prepare and verify one variant, and to time
 * batches of its calls by the parent's own clock. */
static const double process_s = 0.3, variant_s = 0.225;
/* Share of the default case time that is planned for a case. It is small because most cases are precise much earlier.
 * It is larger (resting_share) on a device that gets pauses (cooldowns) between series of samples. */
static const double promised_share = 0.25, resting_share = 1.0 / 3;
/* Seconds for measuring the copy rate again. That is how ceilings (highest rates) remembered from an earlier run are
 * checked. */
static const double check_s = 0.5;

/* ---- Measuring variants alone ---- */

/* Seconds of sampling for one variant measured alone; most kernels are precise earlier. */
static const double full_look_s = 0.3, quick_look_s = 0.1;
/* Fixed costs, in seconds, of checking verdicts by measuring the two variants of each verdict alone, which is called a
 * pair of measurements. A pair costs look_process_s for each provider (plugin) and look_variant_s for each variant.
 * Besides, each provider costs start_s once, to start its process. */
static const double look_process_s = 0.1, look_variant_s = 0.2, start_s = 0.4;

double alone_look_s(bool quick) {
  return quick ? quick_look_s : full_look_s;
}

double alone_promised_s(const struct options *o, const struct plan_case *p) {
  size_t variants = 0, providers = 0;
  if (p->yardstick || o->run.verify_only || o->run.profile || o->run.in_process || o->run.isolate) return 0;
  for (size_t i = 0; i < p->variant_count; i++) {
    bool wanted = false, known = false;
    for (size_t j = 0; j < p->variant_count; j++) {
      const bool compared = i != j && alone_is_between(p, i, j) && p->variants[i].status == ROW_NOT_RUN &&
                            p->variants[j].status == ROW_NOT_RUN && (plan_serves(p, i, j) || plan_serves(p, j, i));
      wanted = wanted || compared;
    }
    for (size_t j = 0; j < i; j++)
      known = known || p->variants[j].plugin == p->variants[i].plugin;
    variants += wanted;
    providers += !known;
  }
  if (variants == 0) return 0;
  const double pairs = o->run.quick ? 1 : COMPANY_PAIRS;
  const double pair_s =
      (double)variants * (look_variant_s + alone_look_s(o->run.quick)) + (double)providers * look_process_s;
  return pairs * pair_s + (double)providers * start_s;
}

/* ---- A case ---- */

static size_t running(const struct plan_case *p) {
  size_t count = 0;
  for (size_t i = 0; i < p->variant_count; i++)
    count += p->variants[i].status == ROW_NOT_RUN;
  return count;
}

/* Returns the seconds that measuring energy takes: some for each variant, and idle_s for measuring the idle power. The
 * measurement of a variant may last three times the window that the user asked for, but it usually ends earlier, so at
 * most variant_most_s is counted for it. */
double reckon_energy_s(const struct time_budget *b, const struct plan_case *p) {
  static const double variant_most_s = 2.5, idle_s = 1;
  const double window_s = time_budget_settings(b, p).energy_s;
  return window_s == 0 ? 0 : (double)running(p) * fmin(3 * window_s, variant_most_s) + idle_s;
}

static double rounds_s(const struct plan_case *p) {
  if (p->mode.load == LOAD_PLAIN) return 0;
  return ROUNDS_LEAST * (double)running(p) * (mode_lead_s(p->mode) + mode_slot_s(p->mode));
}

bool reckon_rests(const struct time_budget *b) {
  return devices_are(b->pool->device, DEVICE_RESTS);
}

/* Measures which share of a processor a thread of this process gets. One thread is tried for a GPU, because its host
 * code needs only one processor, and otherwise one thread for each processor. A scripted device needs no measurement,
 * because its times do not depend on the processors. */
void reckon_look_busy(struct time_budget *b) {
  struct cpu_facts facts = {.load1 = NAN};
  b->busy = b->share = 1;
  if (devices_are(b->pool->device, DEVICE_SCRIPTED)) return;
  struct cpu_quota quota;
  cpu_quota_read("", &quota);
  const double processors = fmax(1, fmin(quota.cpus, (double)parallel_processors())); /* fmin() ignores NaN */
  cpu_facts_read_load("", &facts);
  b->load = facts.load1;
  b->share = cpu_share_measure(reckon_rests(b) ? 1 : (size_t)processors);
  b->busy = time_busy(b->share, facts.load1, processors);
}

double reckon_busy(const struct time_budget *b) {
  return fmax(1, b->busy);
}

/* Returns true if the case uses its whole case time: the user gave one, or asked for no precision at which sampling
 * could end earlier. */
static bool uses_whole_time(const struct plan_case *p) {
  return !isnan(p->case_time_s) || p->precision == 0;
}

/* Returns the share of its case time that is planned for a case. For a case that measures a ceiling (a highest rate of
 * the device) on a CPU, it is the whole case time, because such a case is never precise enough. */
static double case_time_share(const struct time_budget *b, const struct plan_case *p) {
  if (uses_whole_time(p)) return 1;
  return reckon_rests(b) ? resting_share : p->yardstick ? 1 : promised_share;
}

/* Returns the seconds that a case needs in addition to sampling: for starting processes, and for preparing and
 * verifying variants. */
static double others_s(const struct time_budget *b, const struct plan_case *p) {
  const size_t processes = b->options->run.isolate ? seats_of(p) : 1;
  return running(p) == 0 ? 0 : p->restarts * ((double)processes * process_s + (double)running(p) * variant_s);
}

/* Returns the seconds of sampling, if sampling takes `share` of the case time. */
static double samples_s(const struct time_budget *b, const struct plan_case *p, double share) {
  return running(p) == 0 ? 0 : p->restarts * fmax(share * time_budget_settings(b, p).case_time_s, rounds_s(p));
}

static double behind_s(const struct time_budget *b, const struct plan_case *p) {
  return running(p) == 0 ? 0 : reckon_energy_s(b, p) + alone_promised_s(b->options, p);
}

double reckon_idle_s(const struct time_budget *b, const struct plan_case *p) {
  return others_s(b, p) + samples_s(b, p, case_time_share(b, p)) + behind_s(b, p);
}

/* More time is planned for a case on a busy machine than on an idle one. Two parts do not grow: a case time that the
 * user asked for, and the time after the samples, for energy and for measuring variants alone. */
double reckon_promised_s(const struct time_budget *b, const struct plan_case *p) {
  const double busy = reckon_busy(b), samples = samples_s(b, p, case_time_share(b, p));
  if (p->yardstick && yardsticks_expected(b->yardsticks))
    return yardsticks_ceiling(b->yardsticks, p) == CEILING_COPY ? check_s : 0;
  return busy * others_s(b, p) + (uses_whole_time(p) ? 1 : busy) * samples + behind_s(b, p);
}

/* The result is 0 for a case that measures a ceiling (a highest rate of the device), because the user did not ask for
 * its row. */
double reckon_least_s(const struct time_budget *b, const struct plan_case *p) {
  if (p->yardstick) return 0;
  return fmin(reckon_promised_s(b, p), reckon_busy(b) * (others_s(b, p) + samples_s(b, p, 0)));
}

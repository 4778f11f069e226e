/* Plans a run on one device: its cases, how many processes they get, and which variants support them. */
#include "run/plan_cases.h"

#include <string.h>

#include "ask/describe.h"
#include "ask/supports.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/text.h"
#include "budget/reckon.h"
#include "options/device_list.h"
#include "plan/build.h"
#include "plan/claims.h"
#include "plan/shard.h"
#include "run/run_facts.h"
#include "stats/stats.h"

static bool measures_ceilings(const struct options *o) {
  return o->run.ceilings == NULL || strcmp(o->run.ceilings, CEILINGS_MEASURE) == 0;
}

/* Returns true if ceilings (highest rates) can be measured on the device. A scripted device takes its times from a
 * script, so a worker must read the script to find out. */
static bool has_ceilings(struct pool *pool) {
  struct err ignored = {0};
  if (!devices_are(pool->device, DEVICE_SCRIPTED)) return true;
  return pool_probe(pool, pool->device, &ignored) == 0 && pool->facts.ceilings != 0;
}

/* Returns why the device's ceilings (highest rates) are not measured; NULL: they are measured, or known from an earlier
 * run. */
static const char *why_no_ceilings(const struct options *o, struct pool *pool) {
  if (o->run.verify_only || o->run.profile) return "nothing is timed";
  if (o->run.ceilings != NULL && strcmp(o->run.ceilings, "off") == 0) return "--ceilings off";
  if (!measures_ceilings(o)) return NULL;
  if (o->run.quick) return "--quick measures no ceilings";
  return has_ceilings(pool) ? NULL : "this device has no ceilings";
}

/* Returns true if a variant of the plan computes in one of these math modes. A variant with the math mode "native" may
 * compute in any of them. */
static bool computes(const struct planning *planning, const char *const *maths) {
  for (size_t i = 0; i < planning->plan.count; i++)
    for (size_t v = 0; v < planning->plan.cases[i].variant_count; v++) {
      const struct plan_variant *variant = &planning->plan.cases[i].variants[v];
      const char *math = planning->catalog.plugins[variant->plugin].variants[variant->variant].math;
      for (size_t m = 0; maths[m] != NULL; m++)
        if (strcmp(math, maths[m]) == 0) return true;
    }
  return false;
}

/* Adds cases to the plan that measure the ceilings (highest rates of the device) with which the rows are compared. The
 * ceilings that most rows need come first, because time may be over before the last ones are measured. The benches for
 * that are in the plugin calibrate. Without that plugin no ceilings are known; they are never guessed. */
static int plan_yardsticks(struct planning *planning, double timeout_s, const char *backend, struct pairs *device,
                           struct err *err) {
  static const char *const fp32[] = {"fp32", "native", NULL}, *const tensor[] = {"bf16", "fp16", "native", NULL};
  const struct {
    const char *contract;
    bool needed;
  } yardsticks[] = {{CONTRACT_COPY, true},
                    {CONTRACT_FMA, computes(planning, fp32)},
                    {CONTRACT_TENSOR, computes(planning, tensor)},
                    {CONTRACT_READ, true},
                    {CONTRACT_WRITE, true}};
  size_t index;
  struct err missing = {0};
  if (describe_plugin(&planning->catalog, CALIBRATE, LOADER_FOUND, timeout_s, &index, &missing) != 0) {
    pairs_add(device, "yardsticks", "none: %s", missing.text);
    return 0;
  }
  for (size_t i = 0; i < sizeof yardsticks / sizeof yardsticks[0]; i++)
    if (yardsticks[i].needed &&
        plan_add_yardstick(&planning->catalog, yardsticks[i].contract, backend, &planning->plan, err) != 0)
      return -1;
  return 0;
}

/* Returns in how many processes the case is measured at first. Cases of a suite are measured in three, because nightly
 * runs of a suite are compared with each other. */
static uint32_t restarts_of(const struct options *o, const struct plan_case *p) {
  enum { OF_SUITES = 3 };
  if (p->yardstick || o->run.verify_only || o->run.profile) return 1;
  if (p->restarts > 0) return p->restarts;
  return o->run.suites.count > 0 && !o->run.quick ? OF_SUITES : 1;
}

/* Returns true if the number of processes must not grow: the user gave it on the command line, or the kind of case or
 * of run allows no more, as for a quick run. */
static bool restarts_fixed(const struct options *o, const struct plan_case *p) {
  return p->yardstick || o->run.verify_only || o->run.profile || o->run.quick || o->run.in_process ||
         o->run.trajectory > 0 || o->cli.restarts > 0;
}

static bool same_bench(const struct plan_case *a, const struct plan_case *b) {
  return a->plugin == b->plugin && a->bench == b->bench && a->mode.timing == b->mode.timing &&
         a->mode.load == b->mode.load && a->yardstick == b->yardstick;
}

static size_t verdicts_of_case(const struct plan_case *p) {
  size_t words = 0;
  for (size_t i = 0; i < p->variant_count; i++) {
    bool compared = false;
    for (size_t j = 0; j < p->variant_count; j++)
      compared = compared || (i != j && plan_serves(p, j, i));
    words += compared;
  }
  return words;
}

/* Counts the verdicts of each bench in each mode over all cases. */
static void count_words(struct plan *plan) {
  for (size_t i = 0; i < plan->count; i++) {
    struct plan_case *p = &plan->cases[i];
    const bool known = i > 0 && same_bench(p, p - 1);
    p->verdicts = known ? p[-1].verdicts : 0;
    for (size_t j = 0; j < plan->count && !known; j++)
      if (same_bench(p, &plan->cases[j])) p->verdicts += verdicts_of_case(&plan->cases[j]);
  }
}

/* If no variant runs on the device, and the device was chosen because --device is not given, adds to the error why it
 * was chosen. Returns -1. */
static int nothing_here(const char *device, const char *why, struct err *err) {
  if (err->about == PLAN_OTHER_BACKEND && strcmp(device, "auto") == 0)
    phrase_add(err->text, sizeof err->text, "; ", "%s", why);
  return -1;
}

/* ---- Shards ---- */

/* Divides the plan into shards. This is done before the `supports` callbacks of plugins are called: their answers may
 * differ from machine to machine, and all machines must divide the plan in the same way. */
static void divide(struct planning *planning, const struct time_budget *budget, const char *backend) {
  struct plan *plan = &planning->plan;
  SCOPED uint64_t *milliseconds = xcalloc(plan->count, sizeof *milliseconds);
  SCOPED bool *alone = xcalloc(plan->count, sizeof *alone);
  for (size_t i = 0; i < plan->count; i++) {
    alone[i] = plan_is_alone(&plan->cases[i], &planning->catalog);
    milliseconds[i] = (uint64_t)llround(1e3 * reckon_idle_s(budget, &plan->cases[i]));
  }
  planning->identity = rng_key(plan_identity(plan, &planning->catalog), rng_text(backend));
  planning->whole = 0;
  for (size_t i = 0; i < plan->count; i++)
    planning->whole += !plan->cases[i].yardstick;
  plan_cut(plan, milliseconds, budget->options->run.jobs != NULL ? alone : NULL, planning->shard,
           planning->claims != NULL && claims_are_open(planning->claims) ? &planning->others : NULL);
}

/* Restores two numbers of each case of a resumed shard: the case's number in the whole plan, and how many verdicts the
 * whole plan has for its bench and mode. A shard has only a part of the plan, so the numbers are read from its
 * run.ini. */
static int restore_numbers(const struct resume *former, struct plan *plan, struct err *err) {
  size_t asked = 0;
  for (size_t i = 0; i < plan->count; i++) {
    struct plan_case *p = &plan->cases[i];
    uint32_t count = 0;
    if (p->yardstick) continue;
    if (asked == former->number_count)
      return err_set(err, EXIT_USAGE, "cannot resume: run.ini has fewer cases than it plans");
    p->number = former->numbers[asked++];
    if (run_noted_verdicts(former, p, &count, err) != 0) return -1;
    if (count > p->verdicts) p->verdicts = count;
  }
  return 0;
}

/* ---- Making the plan of a device ---- */

int run_plan_cases(struct run_state *run, struct err *err) {
  struct planning *planning = &run->planning;
  const char *backend = devices_backend(run->devices.spec);
  if (plan_build(&planning->catalog, planning->selections, planning->selection_count, backend, &planning->plan, err) !=
      0)
    return nothing_here(run->options->common.device, run->devices.why, err);
  struct pairs *device = &run_device(&run->devices)->environment;
  const char *none = why_no_ceilings(run->options, &run->devices.pool);
  if (none != NULL) pairs_add(device, "yardsticks", "none: %s", none);
  if (none == NULL && measures_ceilings(run->options) &&
      plan_yardsticks(planning, options_timeout_s(run->options), backend, device, err) != 0)
    return -1;
  for (size_t i = 0; i < planning->plan.count; i++) {
    struct plan_case *p = &planning->plan.cases[i];
    p->restarts = restarts_of(run->options, p);
    p->restarts_fixed = restarts_fixed(run->options, p);
  }
  count_words(&planning->plan);
  planning->first_plugin = planning->plan.cases[0].plugin;
  const bool resumed = run->recording.resumed != NULL;
  if (planning->shard.of > 0 && resumed && restore_numbers(run->recording.resumed, &planning->plan, err) != 0)
    return -1;
  if (planning->shard.of > 0 && !resumed) divide(planning, &run->budget, backend);
  run->devices.pool.catalog = &planning->catalog;
  if (ask_supports(&run->devices.pool, planning->plan.cases, planning->plan.count, err) != 0) return -1;
  return run_isolate_plan(&run->isolation, &run->devices.pool, &planning->plan, err);
}

uint32_t run_restarts_most(const struct plan_case *p) {
  const uint32_t processes = stats_processes_for(p->verdicts);
  return p->restarts_fixed || p->restarts > processes ? p->restarts : processes;
}

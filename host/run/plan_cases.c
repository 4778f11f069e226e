/* PLAN of a run on one device: which cases, how long, and whether variants can run them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ask/describe.h"
#include "ask/supports.h"
#include "base/memory.h"
#include "base/phrase.h"
#include "base/rng.h"
#include "options/device_list.h"
#include "plan/build.h"
#include "plan/claims.h"
#include "plan/shard.h"
#include "run/state.h"
#include "stats/stats.h"

static bool measures_ceilings(const struct options *o) {
  return o->run.roofs == NULL || strcmp(o->run.roofs, ROOFS_MEASURE) == 0;
}

/* A scripted device has ceilings where its script says so, which a worker reads. */
static bool has_ceilings(struct run_state *run) {
  struct err ignored = {0};
  if (!devices_are(run->devices.spec, DEVICE_SCRIPTED)) return true;
  return pool_probe(&run->devices.pool, run->devices.spec, &ignored) == 0 && run->devices.pool.facts.ceilings != 0;
}

/* NULL: they are measured, or those of a former run are taken. */
static const char *why_no_ceilings(struct run_state *run) {
  const struct options *o = run->options;
  if (o->run.verify_only || o->run.profile) return "nothing is timed";
  if (o->run.roofs != NULL && strcmp(o->run.roofs, "off") == 0) return "--roofs off";
  if (!measures_ceilings(o)) return NULL;
  if (o->run.quick) return "--quick measures no ceilings";
  return has_ceilings(run) ? NULL : "this device has no ceilings";
}

/* Does any variant of the plan compute so? "native" may be any of them. */
static bool computes(const struct run_state *run, const char *const *maths) {
  for (size_t i = 0; i < run->planning.plan.count; i++)
    for (size_t v = 0; v < run->planning.plan.cases[i].variant_count; v++) {
      const struct plan_variant *variant = &run->planning.plan.cases[i].variants[v];
      const char *math = run->planning.catalog.plugins[variant->plugin].variants[variant->variant].math;
      for (size_t m = 0; maths[m] != NULL; m++)
        if (strcmp(math, maths[m]) == 0) return true;
    }
  return false;
}

/* Ceilings come from the calibrate plugin, in the same run, as far as they are needed: first those without which no
 * share is known, as the last may find no time. Without the plugin shares are not known; never guessed. */
static int plan_yardsticks(struct run_state *run, const char *backend, struct err *err) {
  static const char *const fp32[] = {"fp32", "native", NULL}, *const tensor[] = {"bf16", "fp16", "native", NULL};
  const struct {
    const char *contract;
    bool needed;
  } yardsticks[] = {{CONTRACT_COPY, true},
                    {CONTRACT_FMA, computes(run, fp32)},
                    {CONTRACT_TENSOR, computes(run, tensor)},
                    {CONTRACT_READ, true},
                    {CONTRACT_WRITE, true}};
  size_t index;
  struct err missing = {0};
  if (describe_plugin(&run->planning.catalog, CALIBRATE, LOADER_FOUND, options_timeout_s(run->options), &index,
                      &missing) != 0) {
    pairs_add(&run_device(run)->environment, "yardsticks", "none: %s", missing.text);
    return 0;
  }
  for (size_t i = 0; i < sizeof yardsticks / sizeof yardsticks[0]; i++)
    if (yardsticks[i].needed &&
        plan_add_yardstick(&run->planning.catalog, yardsticks[i].contract, backend, &run->planning.plan, err) != 0)
      return -1;
  return 0;
}

/* Of suites three, since they are what runs by night to be compared. */
static uint32_t restarts_of(const struct run_state *run, const struct plan_case *p) {
  enum { OF_SUITES = 3 };
  if (p->yardstick || run->options->run.verify_only || run->options->run.profile) return 1;
  if (p->restarts > 0) return p->restarts;
  return run->options->run.suites.count > 0 && !run->options->run.quick ? OF_SUITES : 1;
}

/* What is given on the command line is meant so; a look has no words that need more. */
static bool restarts_fixed(const struct run_state *run, const struct plan_case *p) {
  const struct options *o = run->options;
  return p->yardstick || o->run.verify_only || o->run.profile || o->run.quick || o->run.in_process ||
         o->run.trajectory > 0 || o->cli.restarts > 0;
}

static bool same_bench(const struct plan_case *a, const struct plan_case *b) {
  return a->plugin == b->plugin && a->bench == b->bench && a->mode.timing == b->mode.timing &&
         a->mode.load == b->mode.load && a->yardstick == b->yardstick;
}

static size_t words_of_case(const struct plan_case *p) {
  size_t words = 0;
  for (size_t i = 0; i < p->variant_count; i++) {
    bool compared = false;
    for (size_t j = 0; j < p->variant_count; j++)
      compared = compared || (i != j && plan_serves(p, j, i));
    words += compared;
  }
  return words;
}

/* Of each bench in each mode, over all its cases. */
static void count_words(struct plan *plan) {
  for (size_t i = 0; i < plan->count; i++) {
    struct plan_case *p = &plan->cases[i];
    const bool known = i > 0 && same_bench(p, p - 1);
    p->words = known ? p[-1].words : 0;
    for (size_t j = 0; j < plan->count && !known; j++)
      if (same_bench(p, &plan->cases[j])) p->words += words_of_case(&plan->cases[j]);
  }
}

/* Who did not choose the device is told why it is this one. */
static int nothing_here(const struct run_state *run, struct err *err) {
  if (err->about == PLAN_OTHER_BACKEND && strcmp(run->options->common.device, "auto") == 0)
    phrase_add(err->text, sizeof err->text, "; ", "%s", run->devices.why);
  return -1;
}

/* ---- Shards ---- */

/* Before anybody is asked what it supports: that may differ from machine to machine. */
static void divide(struct run_state *run) {
  const char *backend = devices_backend(run->devices.spec);
  struct plan *plan = &run->planning.plan;
  SCOPED uint64_t *milliseconds = xcalloc(plan->count, sizeof *milliseconds);
  SCOPED bool *alone = xcalloc(plan->count, sizeof *alone);
  for (size_t i = 0; i < plan->count; i++) {
    alone[i] = plan_is_alone(&plan->cases[i], &run->planning.catalog);
    milliseconds[i] = (uint64_t)llround(1e3 * run_limit_reckoned_s(run, &plan->cases[i]));
  }
  run->planning.identity = rng_key(plan_identity(plan, &run->planning.catalog), rng_text(backend));
  run->planning.whole = 0;
  for (size_t i = 0; i < plan->count; i++)
    run->planning.whole += !plan->cases[i].yardstick;
  plan_cut(plan, milliseconds, run->options->run.jobs != NULL ? alone : NULL, run->planning.shard,
           run->planning.claims != NULL && claims_are_open(run->planning.claims) ? &run->planning.others : NULL);
}

/* The cases are the shard's already; what else the whole plan has to do with them was written down. */
static int restore(struct run_state *run, struct err *err) {
  const struct resume *former = run->recording.resumed;
  struct plan *plan = &run->planning.plan;
  size_t asked = 0;
  for (size_t i = 0; i < plan->count; i++) {
    struct plan_case *p = &plan->cases[i];
    uint32_t count = 0;
    if (p->yardstick) continue;
    if (asked == former->number_count)
      return err_set(err, EXIT_USAGE, "cannot resume: run.ini has fewer cases than it plans");
    p->number = former->numbers[asked++];
    if (run_noted_words(former, p, &count, err) != 0) return -1;
    if (count > p->words) p->words = count;
  }
  return 0;
}

/* ---- The plan ---- */

int run_plan_cases(struct run_state *run, struct err *err) {
  const char *backend = devices_backend(run->devices.spec);
  if (plan_build(&run->planning.catalog, run->planning.selections, run->planning.selection_count, backend,
                 &run->planning.plan, err) != 0)
    return nothing_here(run, err);
  const char *none = why_no_ceilings(run);
  if (none != NULL) pairs_add(&run_device(run)->environment, "yardsticks", "none: %s", none);
  if (none == NULL && measures_ceilings(run->options) && plan_yardsticks(run, backend, err) != 0) return -1;
  for (size_t i = 0; i < run->planning.plan.count; i++) {
    struct plan_case *p = &run->planning.plan.cases[i];
    p->restarts = restarts_of(run, p);
    p->restarts_fixed = restarts_fixed(run, p);
  }
  count_words(&run->planning.plan);
  run->planning.first_plugin = run->planning.plan.cases[0].plugin;
  const bool resumed = run->recording.resumed != NULL;
  if (run->planning.shard.of > 0 && resumed && restore(run, err) != 0) return -1;
  if (run->planning.shard.of > 0 && !resumed) divide(run);
  run->devices.pool.catalog = &run->planning.catalog;
  if (ask_supports(&run->devices.pool, run->planning.plan.cases, run->planning.plan.count, err) != 0) return -1;
  return run_isolate_plan(run, err);
}

uint32_t run_restarts_most(const struct plan_case *p) {
  const uint32_t processes = stats_processes_for(p->words);
  return p->restarts_fixed || p->restarts > processes ? p->restarts : processes;
}

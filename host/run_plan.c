/* DESCRIBE and PLAN of a run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "describe.h"
#include "inquire.h"
#include "label.h"
#include "offers.h"
#include "run.h"
#include "run_parts.h"
#include "settings.h"

static const double default_precision = 0.005, quick_precision = 0.05;
static const double default_case_time_s = 3, quick_case_time_s = 0.2, yardstick_case_time_s = 0.5, quick_energy_s = 1;

/* ---- What is asked for ---- */

static int gather_selections(struct run *run, struct err *err) {
  const struct options *o = run->options;
  for (size_t i = 0; i < o->suites.count; i++)
    if (suite_load(o->suites.items[i], &run->selections, &run->selection_count, err) != 0) return -1;
  for (size_t i = 0; i < run->selection_count; i++)
    selection_override(&run->selections[i], &o->cli);
  if (run->selection_count > 0) return 0;
  run->selections = xcalloc(1, sizeof *run->selections);
  run->selections[0] = o->cli; /* shares its lists: freed by options_free() alone */
  run->selection_count = 1;
  return 0;
}

static double run_limit(const struct run *run) {
  double limit = run->options->cli.max_time_s;
  for (size_t i = 0; i < run->selection_count; i++)
    limit = fmin(limit, run->selections[i].max_time_s);
  return isnan(limit) ? INFINITY : limit;
}

/* Replaces names by absolute paths; a plugin that is refused is said so and left out. */
static int describe_list(struct run *run, struct strings *names, enum loader_trust trust, struct err *err) {
  if (run->options->trust_plugins) trust = LOADER_ALL;
  for (size_t i = 0; i < names->count;) {
    size_t index;
    struct err refusal = {0};
    if (describe_plugin(&run->catalog, names->items[i], trust, run->options->timeout_s, &index, &refusal) == 0) {
      char whole[LABELLED_SIZE];
      label_join(whole, sizeof whole, run->catalog.plugins[index].label, run->catalog.plugins[index].path);
      free(names->items[i]);
      names->items[i++] = xstrdup(whole);
      continue;
    }
    if (refusal.exit_code == EXIT_USAGE || supervisor_signal() != 0) {
      *err = refusal;
      return -1;
    }
    fprintf(stderr, "gpubench: %s\n", refusal.text);
    run->refused++;
    free(names->items[i]);
    memmove(&names->items[i], &names->items[i + 1], (--names->count - i) * sizeof *names->items);
  }
  return 0;
}

static int describe_all(struct run *run, struct err *err) {
  struct strings *cli = (struct strings *)(uintptr_t)&run->options->cli.plugins;
  bool shared = run->options->suites.count == 0;
  if (!shared && describe_list(run, cli, LOADER_TYPED, err) != 0) return -1;
  size_t kept = 0;
  for (size_t i = 0; i < run->selection_count; i++) {
    struct selection *s = &run->selections[i];
    bool named = s->plugins.count > 0;
    if (describe_list(run, &s->plugins, shared ? LOADER_TYPED : LOADER_FOUND, err) != 0) return -1;
    if (shared) *cli = s->plugins;
    if (named && s->plugins.count == 0 && !shared) {
      selection_free(s);
      continue;
    }
    run->selections[kept++] = *s;
  }
  run->selection_count = kept;
  describe_warnings(&run->catalog, stderr);
  if (run->catalog.count == 0 || kept == 0) return err_set(err, EXIT_FAILED, "no plugin could be loaded: nothing ran");
  return 0;
}

/* ---- The plan ---- */

static bool wants_yardsticks(const struct run *run) {
  const struct options *o = run->options;
  return o->roofs == NULL && !o->quick && !o->verify_only && !o->profile && !o->dry_run &&
         strncmp(run->spec, "fake", 4) != 0;
}

/* Does any variant of the plan compute so? "native" may be any of them. */
static bool computes(const struct run *run, const char *const *maths) {
  for (size_t i = 0; i < run->plan.count; i++)
    for (size_t v = 0; v < run->plan.cases[i].variant_count; v++) {
      const struct plan_variant *variant = &run->plan.cases[i].variants[v];
      const char *math = run->catalog.plugins[variant->plugin].variants[variant->variant].math;
      for (size_t m = 0; maths[m] != NULL; m++)
        if (strcmp(math, maths[m]) == 0) return true;
    }
  return false;
}

/* Ceilings come from the calibrate plugin, in the same run, as far as they are needed. Without it shares of a ceiling
 * are not known; never guessed. */
static int plan_yardsticks(struct run *run, const char *backend, struct err *err) {
  static const char *const fp32[] = {"fp32", "native", NULL}, *const tensor[] = {"bf16", "fp16", "native", NULL};
  const struct {
    const char *contract;
    bool needed;
  } yardsticks[] = {{CONTRACT_READ, true},
                    {CONTRACT_WRITE, true},
                    {CONTRACT_COPY, true},
                    {CONTRACT_FMA, computes(run, fp32)},
                    {CONTRACT_TENSOR, computes(run, tensor)}};
  size_t index;
  struct err missing = {0};
  if (describe_plugin(&run->catalog, "calibrate", LOADER_FOUND, run->options->timeout_s, &index, &missing) != 0) {
    pairs_add(&run_device(run)->environment, "yardsticks", "none: %s", missing.text);
    return 0;
  }
  for (size_t i = 0; i < sizeof yardsticks / sizeof yardsticks[0]; i++)
    if (yardsticks[i].needed &&
        plan_add_yardstick(&run->catalog, yardsticks[i].contract, backend, &run->plan, err) != 0)
      return -1;
  return 0;
}

/* Of suites three, since they are what runs by night to be compared. */
static uint32_t restarts_of(const struct run *run, const struct plan_case *p) {
  enum { OF_SUITES = 3 };
  if (p->yardstick || run->options->quick || run->options->verify_only || run->options->profile) return 1;
  if (p->restarts > 0) return p->restarts;
  return run->options->suites.count > 0 ? OF_SUITES : 1;
}

int run_plan_cases(struct run *run, struct err *err) {
  const char *backend = run_backend_of(run->spec);
  if (offers_check_guests(&run->catalog, run->options->timeout_s, err) != 0) return -1;
  if (plan_build(&run->catalog, run->selections, run->selection_count, backend, &run->plan, err) != 0) return -1;
  if (wants_yardsticks(run) && plan_yardsticks(run, backend, err) != 0) return -1;
  for (size_t i = 0; i < run->plan.count; i++)
    run->plan.cases[i].restarts = restarts_of(run, &run->plan.cases[i]);
  run->crew.catalog = &run->catalog;
  return inquire(&run->crew, run->plan.cases, run->plan.count, err);
}

/* Length of a window of the energy counter; 0: joules are not asked for. */
static double energy_time(const struct run *run, const struct plan_case *p) {
  const struct options *o = run->options;
  const struct bench_desc *bench = &run->catalog.plugins[p->plugin].benches[p->bench];
  if (p->yardstick || o->verify_only || o->profile || (!o->energy && (bench->flags & BENCH_ENERGY) == 0)) return 0;
  return o->quick ? fmin(o->energy_time_s, quick_energy_s) : o->energy_time_s;
}

struct conduct_settings run_settings(const struct run *run, const struct plan_case *p) {
  const struct options *o = run->options;
  double precision = o->quick ? quick_precision : default_precision;
  double case_time = o->quick ? quick_case_time_s : default_case_time_s;
  double left = run->turn_time_s - (run->asked_ns ? (double)(clock_now_ns() - run->asked_ns) * 1e-9 : 0);
  if (p->yardstick) case_time = yardstick_case_time_s;
  return (struct conduct_settings){
      .precision = isnan(p->precision) ? precision : p->precision,
      .case_time_s = fmin(isnan(p->case_time_s) ? case_time : p->case_time_s, left),
      .leak_bytes = o->leak_bytes,
      .energy_s = energy_time(run, p),
      .memory_limit = (uint64_t)o->memory_limit,
      .seed = o->seed,
      .restarts = p->restarts,
      .trajectory = o->trajectory,
      .quick = o->quick,
      .verify_only = o->verify_only,
      .profile = o->profile,
  };
}

int run_make_plan(struct run *run, struct err *err) {
  if (gather_selections(run, err) != 0 || describe_all(run, err) != 0) return -1;
  if (settings_take(&run->catalog, run->selections, run->selection_count, &run->options->cli, err) != 0) return -1;
  run->max_time_s = run_limit(run);
  return run_devices_find(run, err) == 0 ? run_devices_plan(run, err) : -1;
}

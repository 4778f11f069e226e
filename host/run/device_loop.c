/* Measures the devices of a run one after the other, because two at a time would compete for the host and for power. If
 * a device cannot be used, only the rows of that device are missing. */
#include "run/device_loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/axis.h"
#include "options/device_list.h"
#include "plan/build.h"
#include "plan/lineup.h"
#include "resume/run_ini.h"
#include "run/plan_cases.h"
#include "worker/signals.h"

/* ---- Finding the devices ---- */

static int take_specs(struct run_devices *devices, const char *list, struct err *err) {
  SCOPED_STRINGS struct strings specs = {0};
  int rc = run_list_devices(&devices->pool, list, &specs, err);
  devices->all = xcalloc(specs.count, sizeof *devices->all);
  for (size_t i = 0; i < specs.count && rc == 0; i++)
    if (!text_copy(devices->all[devices->count++].spec, sizeof devices->all->spec, specs.items[i]))
      rc = err_set(err, EXIT_USAGE, "--device: %.200s... is longer than %zu bytes", specs.items[i],
                   sizeof devices->all->spec - 1);
  return rc;
}

static void lose_device(const struct run_devices *devices, struct err *why) {
  struct run_device *one = run_device(devices);
  if (strstr(why->text, one->spec) == NULL) err_context(why, "%s", one->spec);
  one->lost = *why;
  fprintf(stderr, "gpubench: %s\n", why->text);
}

static int check_different(const struct run_devices *devices, struct err *err) {
  const struct run_device *one = run_device(devices);
  for (const struct run_device *other = devices->all; other < one; other++)
    if (other->lost.exit_code == 0 &&
        strcmp(environment_device_id(&other->facts), environment_device_id(&one->facts)) == 0)
      return err_set(err, EXIT_USAGE, "--device: %.300s and %.300s are the same device", other->spec, one->spec);
  return 0;
}

/* Opens each device before the first one is measured, to find out which can be used, and their names for the rows. */
static int probe_all(struct run_devices *devices, struct err *err) {
  for (devices->present = 0; devices->present < devices->count; devices->present++) {
    struct err lost = {0};
    struct run_device *one = run_device(devices);
    bool open = pool_probe(&devices->pool, one->spec, &lost) == 0;
    one->facts = devices->pool.facts;
    if (signals_asked_to_finish() || lost.exit_code == EXIT_USAGE) return *err = lost, -1;
    if (!open) lose_device(devices, &lost);
    if (open && check_different(devices, err) != 0) return -1;
  }
  devices->present = 0;
  return 0;
}

/* Returns true if there is no GPU and --dry-run plans for a GPU all the same. */
static bool is_planned_only(struct run_devices *devices, const struct options *options) {
  char why[EXPR_SIZE];
  const bool wanted = options->run.dry_run && devices_are(options->common.device, DEVICE_IS_GPU);
  if (!wanted || environment_expects_gpu("", why, sizeof why)) return false;
  snprintf(devices->why, sizeof devices->why, "%s; planned as for one, whose times need it", why);
  return true;
}

int device_loop_find(struct run_devices *devices, const struct options *options, struct err *err) {
  char list[EXPR_SIZE] = "fake";
  if (!is_planned_only(devices, options) &&
      run_choose_device(options->common.device, list, sizeof list, devices->why, sizeof devices->why, err) != 0)
    return -1;
  devices->pool.timeout_s = options_timeout_s(options);
  if (take_specs(devices, list, err) != 0) return -1;
  if (devices->count == 1) return 0;
  if (options->run.profile) return err_set(err, EXIT_USAGE, "--profile is for one device, not for %zu", devices->count);
  return probe_all(devices, err);
}

/* ---- Resuming ---- */

int run_resume_check(struct run_state *run, struct err *err) {
  struct pairs now = {0};
  if (run->planning.refused.count > 0)
    return err_set(err, EXIT_FAILED, "cannot resume: a plugin of the run is refused now");
  environment_host(&now);
  SCOPED struct resume_device *devices = xcalloc(run->devices.count, sizeof *devices);
  for (size_t i = 0; i < run->devices.count; i++) {
    const struct run_device *one = &run->devices.all[i];
    if (one->lost.exit_code == 0)
      devices[i] = (struct resume_device){one->facts.name, environment_device_id(&one->facts)};
  }
  int rc = resume_check(run->recording.resumed, &now, &run->planning.catalog, devices, run->devices.count, err);
  if (rc == 0)
    rc = resume_match(run->recording.resumed, &run->recording.dir, &run->planning.plan, devices, run->devices.count,
                      err);
  pairs_free(&now);
  if (rc == 0)
    memcpy(run->recording.epochs, run->recording.resumed->epochs_used,
           run->planning.plan.count * sizeof *run->recording.epochs);
  for (size_t i = 0; rc == 0 && i < run->recording.resumed->case_count; i++)
    run->recording.kept_cases += run->recording.resumed->cases[i].complete;
  return rc;
}

/* ---- One device after the other ---- */

/* Returns the largest number of devices that one case of the plan uses. */
static size_t devices_needed(const struct planning *planning, const struct pool *pool) {
  const struct plan *plan = &planning->plan;
  int64_t most = 1;
  for (size_t i = 0; i < plan->count; i++) {
    const struct plan_case *p = &plan->cases[i];
    const int64_t count = axis_devices(&planning->catalog.plugins[p->plugin].benches[p->bench], &p->point);
    for (size_t j = 0; j < p->variant_count && count > most; j++)
      if (p->variants[j].status == ROW_NOT_RUN) most = count;
  }
  const int64_t here = 1 + (int64_t)pool->other_count;
  return (size_t)(most < here ? most : here);
}

/* Takes the locks of the devices. By default a run that times nothing takes none, because it disturbs other runs little
 * and they do not disturb it. */
static int lock_devices(struct run_state *run, struct err *err) {
  const struct options *o = run->options;
  const int64_t before = clock_now_ns();
  const char *policy = o->run.lock != NULL ? o->run.lock : o->run.verify_only ? "off" : "wait";
  const int rc = run_take_locks(&run->devices, devices_needed(&run->planning, &run->devices.pool), policy, err);
  if (rc != 0) run_release_locks(&run->devices);
  time_budget_shift(&run->budget, clock_now_ns() - before);
  return rc;
}

static int begin_device(struct run_state *run, struct err *err) {
  text_copy(run->devices.spec, sizeof run->devices.spec, run_device(&run->devices)->spec);
  if (run->recording.resumed != NULL) run->recording.resumed->present = run->devices.present;
  pool_move(&run->devices.pool, run->devices.spec);
  run->recording.identity.ceilings = CEILINGS_UNKNOWN;
  memset(run->devices.overheads, 0, sizeof run->devices.overheads);
  time_budget_begin_device(&run->budget, run_devices_usable(&run->devices), run_devices_left(&run->devices));
  plan_free(&run->planning.plan);
  plan_free(&run->planning.others);
  run->budget.devices = run->devices.count;
  if (run_plan_cases(run, err) != 0) return -1;
  if (run->recording.epochs != NULL && run->planning.plan.count != run->recording.case_count)
    return err_set(err, EXIT_FAILED, "%s: a plan of %zu cases, of %zu on the device before", run->devices.spec,
                   run->planning.plan.count, run->recording.case_count);
  run_device(&run->devices)->facts = run->devices.pool.facts;
  return 0;
}

/* Makes the plan for the present device or, if it cannot be used, for the next one that can. */
static int plan_next(struct run_state *run, struct err *err) {
  for (; run->devices.present < run->devices.count; run->devices.present++) {
    struct err lost = {0};
    if (run_device(&run->devices)->lost.exit_code != 0) continue;
    if (begin_device(run, &lost) == 0) return 0;
    if (run->devices.count == 1 || lost.exit_code != EXIT_DEVICE || signals_asked_to_finish()) return *err = lost, -1;
    lose_device(&run->devices, &lost);
  }
  return err_set(err, run->devices.all[0].lost.exit_code, "none of the %zu devices can be used", run->devices.count);
}

/* Plans for the first device that can be used, and warns of plugins without a variant for the backend, which is the
 * same for all devices of a run. Those plugins are listed before planning, because planning adds the plugin that
 * measures ceilings, of which the user is not to be warned. */
int device_loop_plan(struct run_state *run, struct err *err) {
  struct strings *unsupported = &run->planning.unsupported;
  const size_t told = unsupported->count;
  plan_unsupported(&run->planning.catalog, devices_backend(run->devices.all[0].spec), unsupported);
  if (plan_next(run, err) != 0) return -1;
  for (size_t i = told; i < unsupported->count; i++)
    fprintf(stderr, "gpubench: warning: %s\n", unsupported->items[i]);
  run->recording.case_count = run->planning.plan.count;
  run->recording.epochs = xcalloc(run->planning.plan.count + run->planning.others.count, sizeof *run->recording.epochs);
  return 0;
}

int device_loop_lock(struct run_state *run, struct err *err) {
  for (;;) {
    struct err lost = {0};
    if (lock_devices(run, &lost) == 0) return 0;
    if (run->devices.count == 1 || signals_asked_to_finish()) return *err = lost, -1;
    lose_device(&run->devices, &lost);
    run->devices.present++;
    if (plan_next(run, err) != 0) return -1;
  }
}

int device_loop_next(struct run_state *run, bool *more, struct err *err) {
  struct err none = {0};
  run_release_locks(&run->devices);
  *more = false;
  if (run->devices.present + 1 == run->devices.count || signals_asked_to_finish()) return 0;
  run->devices.present++;
  *more = plan_next(run, &none) == 0 && device_loop_lock(run, &none) == 0;
  if (*more || signals_asked_to_finish() || run->devices.present == run->devices.count) return 0;
  *err = none;
  return -1;
}

/* ---- Writing run.ini ---- */

/* Notes in `to` the other devices that are used by cases on several devices. */
static void note_others(size_t others, const struct pool *pool, struct pairs *to) {
  char list[EXPR_SIZE] = "";
  for (size_t i = 0; i < others; i++) {
    const struct device_facts *other = &pool->others[i];
    phrase_add(list, sizeof list, ", ", "%s%s%s", other->spec, other->uuid[0] != '\0' ? " " : "", other->uuid);
  }
  if (others > 0) pairs_add(to, "others", "%s", list);
}

void device_loop_note(const struct run_devices *devices, const struct planning *planning) {
  struct run_device *one = run_device(devices);
  if (devices->count > 1) pairs_add(&one->environment, "id", "%s", environment_device_id(&one->facts));
  environment_device(&one->environment, &one->facts);
  pairs_add(&one->environment, "conditions", "%s", devices->conditions);
  pairs_add(&one->environment, "lock", "%s", run_lock_note(devices));
  note_others(devices_needed(planning, &devices->pool) - 1, &devices->pool, &one->environment);
}

/* Returns true if run.ini already has the facts of the device, because its measurement has begun. */
static bool is_noted(const struct run_device *one) {
  return pairs_get(&one->environment, "device") != NULL;
}

static void add_list(const struct run_devices *devices, struct pairs *to) {
  char *list = xcalloc(devices->count, sizeof devices->all->spec + 1), name[64];
  for (size_t i = 0; i < devices->count; i++)
    strcat(strcat(list, i > 0 ? "," : ""), devices->all[i].spec);
  pairs_add(to, "device", "%s", list);
  pairs_add(to, "devices", "%zu", devices->count);
  free(list);
  for (size_t i = 0; i < devices->count; i++) {
    if (!is_noted(&devices->all[i])) {
      snprintf(name, sizeof name, "device.%zu.device", i + 1);
      pairs_add(to, name, "%s", devices->all[i].spec);
    }
    if (devices->all[i].lost.exit_code == 0) continue;
    snprintf(name, sizeof name, "device.%zu.lost", i + 1);
    pairs_add(to, name, "%s", devices->all[i].lost.text);
  }
}

int device_loop_write_ini(const struct run_devices *devices, struct recording *r, const struct planning *planning,
                          struct err *err) {
  struct pairs all = {0}, *each = xcalloc(devices->count, sizeof *each);
  for (size_t i = 0; i < r->environment.count; i++)
    pairs_add(&all, r->environment.items[i].name, "%s", r->environment.items[i].value);
  for (size_t i = 0; i < devices->count; i++)
    if (is_noted(&devices->all[i])) each[i] = devices->all[i].environment;
  if (devices->count > 1) add_list(devices, &all);
  environment_devices(&all, each, devices->count);
  int rc = run_ini_write(&r->dir, &all, &r->tags, &planning->plan, &planning->catalog, err);
  pairs_free(&all);
  free(each);
  return rc;
}

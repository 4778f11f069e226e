/* The devices of a run, one after the other: two at a time would disturb each other's host and power. A device that
 * cannot be used costs only its own rows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/phrase.h"
#include "model/axis.h"
#include "options/device_list.h"
#include "plan/build.h"
#include "plan/elsewhere.h"
#include "run/run_ini.h"
#include "run/state.h"
#include "worker/signals.h"

/* ---- Which there are ---- */

static int take_specs(struct run_state *run, const char *list, struct err *err) {
  struct strings specs = {0};
  int rc = run_list_devices(&run->devices.pool, list, &specs, err);
  run->devices.all = xcalloc(specs.count, sizeof *run->devices.all);
  for (size_t i = 0; i < specs.count && rc == 0; i++)
    if (!text_copy(run->devices.all[run->devices.count++].spec, sizeof run->devices.all->spec, specs.items[i]))
      rc = err_set(err, EXIT_USAGE, "--device: %.200s... is longer than %zu bytes", specs.items[i],
                   sizeof run->devices.all->spec - 1);
  strings_free(&specs);
  return rc;
}

static void lose(struct run_state *run, struct err *why) {
  struct run_device *one = run_device(run);
  if (strstr(why->text, one->spec) == NULL) err_context(why, "%s", one->spec);
  one->lost = *why;
  fprintf(stderr, "gpubench: %s\n", why->text);
}

static int check_different(const struct run_state *run, struct err *err) {
  const struct run_device *one = run_device(run);
  for (const struct run_device *other = run->devices.all; other < one; other++)
    if (other->lost.exit_code == 0 && strcmp(run_device_id(&other->facts), run_device_id(&one->facts)) == 0)
      return err_set(err, EXIT_USAGE, "--device: %.300s and %.300s are the same device", other->spec, one->spec);
  return 0;
}

/* Each is opened before the first is measured: who cannot be used is known then, and what rows call it. */
static int probe_all(struct run_state *run, struct err *err) {
  for (run->devices.turn = 0; run->devices.turn < run->devices.count; run->devices.turn++) {
    struct err lost = {0};
    struct run_device *one = run_device(run);
    bool open = pool_probe(&run->devices.pool, one->spec, &lost) == 0;
    one->facts = run->devices.pool.facts;
    if (signals_asked_to_finish() || lost.exit_code == EXIT_USAGE) return *err = lost, -1;
    if (!open) lose(run, &lost);
    if (open && check_different(run, err) != 0) return -1;
  }
  run->devices.turn = 0;
  return 0;
}

/* Where there is no GPU a plan for one is made on a pretended one. */
static bool is_planned_only(struct run_state *run) {
  char why[EXPR_SIZE];
  const bool wanted = run->options->run.dry_run && devices_are(run->options->common.device, DEVICE_IS_GPU);
  if (!wanted || environment_expects_gpu("", why, sizeof why)) return false;
  snprintf(run->devices.why, sizeof run->devices.why, "%s; planned as for one, whose times need it", why);
  return true;
}

int run_turns_find(struct run_state *run, struct err *err) {
  char list[EXPR_SIZE] = "fake";
  if (!is_planned_only(run) && run_choose_device(run->options->common.device, list, sizeof list, run->devices.why,
                                                 sizeof run->devices.why, err) != 0)
    return -1;
  run->devices.pool.timeout_s = options_timeout_s(run->options);
  if (take_specs(run, list, err) != 0) return -1;
  if (run->devices.count == 1) return 0;
  if (run->options->run.profile)
    return err_set(err, EXIT_USAGE, "--profile is for one device, not for %zu", run->devices.count);
  return probe_all(run, err);
}

/* ---- Turns ---- */

/* As many devices as any of its cases works on. */
static size_t devices_needed(const struct run_state *run) {
  const struct plan *plan = &run->planning.plan;
  int64_t most = 1;
  for (size_t i = 0; i < plan->count; i++) {
    const struct plan_case *p = &plan->cases[i];
    const int64_t count = axis_devices(&run->planning.catalog.plugins[p->plugin].benches[p->bench], &p->point);
    for (size_t j = 0; j < p->variant_count && count > most; j++)
      if (p->variants[j].fate == ROW_NOT_RUN) most = count;
  }
  const int64_t here = 1 + (int64_t)run->devices.pool.other_count;
  return (size_t)(most < here ? most : here);
}

/* Who times nothing disturbs and is disturbed by little. */
static int take_lock(struct run_state *run, struct err *err) {
  const struct options *o = run->options;
  const int64_t before = clock_now_ns();
  const char *policy = o->run.lock != NULL ? o->run.lock : o->run.verify_only ? "off" : "wait";
  const int rc = run_take_locks(&run->devices, devices_needed(run), policy, err);
  if (rc != 0) run_release_locks(&run->devices);
  run_limit_shift(run, clock_now_ns() - before);
  return rc;
}

static int begin_turn(struct run_state *run, struct err *err) {
  text_copy(run->devices.spec, sizeof run->devices.spec, run_device(run)->spec);
  pool_move(&run->devices.pool, run->devices.spec);
  run->recording.identity.ceilings = CEILINGS_UNKNOWN;
  memset(run->devices.floors, 0, sizeof run->devices.floors);
  run_limit_share(run);
  plan_free(&run->planning.plan);
  plan_free(&run->planning.others);
  if (run_plan_cases(run, err) != 0) return -1;
  if (run->recording.epochs != NULL && run->planning.plan.count != run->recording.case_count)
    return err_set(err, EXIT_FAILED, "%s: a plan of %zu cases, of %zu on the device before", run->devices.spec,
                   run->planning.plan.count, run->recording.case_count);
  run_device(run)->facts = run->devices.pool.facts;
  return 0;
}

/* The first from this one on that can be. */
static int plan_next(struct run_state *run, struct err *err) {
  for (; run->devices.turn < run->devices.count; run->devices.turn++) {
    struct err lost = {0};
    if (run_device(run)->lost.exit_code != 0) continue;
    if (begin_turn(run, &lost) == 0) return 0;
    if (run->devices.count == 1 || lost.exit_code != EXIT_DEVICE || signals_asked_to_finish()) return *err = lost, -1;
    lose(run, &lost);
  }
  return err_set(err, run->devices.all[0].lost.exit_code, "none of the %zu devices can be used", run->devices.count);
}

/* The devices of a run are of one backend. Asked before anybody is loaded for the ceilings alone. */
int run_turns_plan(struct run_state *run, struct err *err) {
  struct strings *elsewhere = &run->planning.elsewhere;
  const size_t told = elsewhere->count;
  plan_elsewhere(&run->planning.catalog, devices_backend(run->devices.all[0].spec), elsewhere);
  if (plan_next(run, err) != 0) return -1;
  for (size_t i = told; i < elsewhere->count; i++)
    fprintf(stderr, "gpubench: warning: %s\n", elsewhere->items[i]);
  run->recording.case_count = run->planning.plan.count;
  run->recording.epochs = xcalloc(run->planning.plan.count + run->planning.others.count, sizeof *run->recording.epochs);
  return 0;
}

int run_turns_lock(struct run_state *run, struct err *err) {
  for (;;) {
    struct err lost = {0};
    if (take_lock(run, &lost) == 0) return 0;
    if (run->devices.count == 1 || signals_asked_to_finish()) return *err = lost, -1;
    lose(run, &lost);
    run->devices.turn++;
    if (plan_next(run, err) != 0) return -1;
  }
}

int run_turns_next(struct run_state *run, bool *more, struct err *err) {
  struct err none = {0};
  run_release_locks(&run->devices);
  *more = false;
  if (run->devices.turn + 1 == run->devices.count || signals_asked_to_finish()) return 0;
  run->devices.turn++;
  *more = plan_next(run, &none) == 0 && run_turns_lock(run, &none) == 0;
  if (*more || signals_asked_to_finish() || run->devices.turn == run->devices.count) return 0;
  *err = none;
  return -1;
}

/* ---- What is written down ---- */

/* Which devices cases on several took beside it. */
static void note_others(const struct run_state *run, struct pairs *to) {
  const size_t others = devices_needed(run) - 1;
  char list[EXPR_SIZE] = "";
  for (size_t i = 0; i < others; i++) {
    const struct device_facts *other = &run->devices.pool.others[i];
    phrase_add(list, sizeof list, ", ", "%s%s%s", other->spec, other->uuid[0] != '\0' ? " " : "", other->uuid);
  }
  if (others > 0) pairs_add(to, "others", "%s", list);
}

void run_turns_note(struct run_state *run) {
  struct run_device *one = run_device(run);
  if (run->devices.count > 1) pairs_add(&one->environment, "id", "%s", run_device_id(&one->facts));
  environment_device(&one->environment, &one->facts);
  pairs_add(&one->environment, "conditions", "%s", run->devices.conditions);
  pairs_add(&one->environment, "lock", "%s", run_lock_note(&run->devices));
  note_others(run, &one->environment);
}

/* Had it its turn? */
static bool is_noted(const struct run_device *one) {
  return pairs_get(&one->environment, "device") != NULL;
}

static void add_list(const struct run_state *run, struct pairs *to) {
  char *list = xcalloc(run->devices.count, sizeof run->devices.all->spec + 1), name[64];
  for (size_t i = 0; i < run->devices.count; i++)
    strcat(strcat(list, i > 0 ? "," : ""), run->devices.all[i].spec);
  pairs_add(to, "device", "%s", list);
  pairs_add(to, "devices", "%zu", run->devices.count);
  free(list);
  for (size_t i = 0; i < run->devices.count; i++) {
    if (!is_noted(&run->devices.all[i])) {
      snprintf(name, sizeof name, "device.%zu.device", i + 1);
      pairs_add(to, name, "%s", run->devices.all[i].spec);
    }
    if (run->devices.all[i].lost.exit_code == 0) continue;
    snprintf(name, sizeof name, "device.%zu.lost", i + 1);
    pairs_add(to, name, "%s", run->devices.all[i].lost.text);
  }
}

int run_turns_write_ini(struct run_state *run, struct err *err) {
  struct pairs all = {0}, *each = xcalloc(run->devices.count, sizeof *each);
  for (size_t i = 0; i < run->recording.environment.count; i++)
    pairs_add(&all, run->recording.environment.items[i].name, "%s", run->recording.environment.items[i].value);
  for (size_t i = 0; i < run->devices.count; i++)
    if (is_noted(&run->devices.all[i])) each[i] = run->devices.all[i].environment;
  if (run->devices.count > 1) add_list(run, &all);
  environment_devices(&all, each, run->devices.count);
  int rc =
      run_ini_write(&run->recording.dir, &all, &run->recording.tags, &run->planning.plan, &run->planning.catalog, err);
  pairs_free(&all);
  free(each);
  return rc;
}

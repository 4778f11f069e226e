/* The devices of a run, one after the other: two at a time would disturb each other's host and power. A device that
 * cannot be used costs only its own rows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "plan/build.h"
#include "plan/device_list.h"
#include "run/run.h"
#include "run/run_ini.h"
#include "worker/signals.h"

#ifdef GPUBENCH_CUDA
enum { HAS_CUDA = 1 };
#else
enum { HAS_CUDA = 0 };
#endif

int run_choose_device(const char *option, char *spec, size_t size, char *why, size_t why_size, struct err *err) {
  bool automatic = strcmp(option, "auto") == 0;
  bool gpu = automatic && environment_expects_gpu(why, why_size);
  if (!automatic) snprintf(why, why_size, "--device %s", option);
  if (!text_copy(spec, size, automatic ? (gpu ? "cuda" : "cpu") : option))
    return err_set(err, EXIT_USAGE, "--device %.200s...: longer than %zu bytes", option, size - 1);
  if (strcmp(devices_backend(spec), "cuda") == 0 && !HAS_CUDA)
    return err_set(err, EXIT_DEVICE, "%s, but this build has no CUDA support; --device cpu to go on", why);
  return 0;
}

/* ---- Which there are ---- */

static int expand_all(struct run_state *run, struct strings *specs, struct err *err) {
  uint32_t count = 0;
  bool all = false;
  for (size_t i = 0; i < specs->count; i++)
    all = all || strcmp(specs->items[i], DEVICES_ALL) == 0;
  if (!all) return 0;
  if (pool_count(&run->pool, &count, err) != 0) return -1;
  devices_expand(specs, count);
  return 0;
}

static int check_backends(const struct strings *specs, struct err *err) {
  for (size_t i = 1; i < specs->count; i++)
    if (strcmp(devices_backend(specs->items[i]), devices_backend(specs->items[0])) != 0)
      return err_set(err, EXIT_USAGE, "--device: %.300s and %.300s run different variants; a run each", specs->items[0],
                     specs->items[i]);
  return 0;
}

static int take_specs(struct run_state *run, const char *list, struct err *err) {
  struct strings specs = {0};
  devices_split(list, &specs);
  int rc = devices_check(&specs, err);
  if (rc == 0) rc = expand_all(run, &specs, err);
  if (rc == 0) rc = devices_check(&specs, err); /* "cuda:all,cuda:1" */
  if (rc == 0) rc = check_backends(&specs, err);
  run->devices = xcalloc(specs.count, sizeof *run->devices);
  for (size_t i = 0; i < specs.count && rc == 0; i++)
    if (!text_copy(run->devices[run->device_count++].spec, sizeof run->devices->spec, specs.items[i]))
      rc = err_set(err, EXIT_USAGE, "--device: %.200s... is longer than %zu bytes", specs.items[i],
                   sizeof run->devices->spec - 1);
  strings_free(&specs);
  return rc;
}

/* As rows call it. */
const char *run_device_id(const struct device_facts *facts) {
  return facts->uuid[0] != '\0' ? facts->uuid : facts->spec;
}

static void lose(struct run_state *run, struct err *why) {
  struct run_device *one = run_device(run);
  if (strstr(why->text, one->spec) == NULL) err_context(why, "%s", one->spec);
  one->lost = *why;
  fprintf(stderr, "gpubench: %s\n", why->text);
}

static int check_different(const struct run_state *run, struct err *err) {
  const struct run_device *one = run_device(run);
  for (const struct run_device *other = run->devices; other < one; other++)
    if (other->lost.exit_code == 0 && strcmp(run_device_id(&other->facts), run_device_id(&one->facts)) == 0)
      return err_set(err, EXIT_USAGE, "--device: %.300s and %.300s are the same device", other->spec, one->spec);
  return 0;
}

/* Each is opened before the first is measured: who cannot be used is known then, and what rows call it. */
static int probe_all(struct run_state *run, struct err *err) {
  for (run->device = 0; run->device < run->device_count; run->device++) {
    struct err lost = {0};
    struct run_device *one = run_device(run);
    bool open = pool_probe(&run->pool, one->spec, &lost) == 0;
    one->facts = run->pool.facts;
    if (signals_last() != 0 || lost.exit_code == EXIT_USAGE) return *err = lost, -1;
    if (!open) lose(run, &lost);
    if (open && check_different(run, err) != 0) return -1;
  }
  run->device = 0;
  return 0;
}

int run_devices_find(struct run_state *run, struct err *err) {
  char list[EXPR_SIZE];
  if (run_choose_device(run->options->device, list, sizeof list, run->why, sizeof run->why, err) != 0) return -1;
  run->pool.timeout_s = run->options->timeout_s;
  if (take_specs(run, list, err) != 0) return -1;
  if (run->device_count == 1) return 0;
  if (run->options->profile)
    return err_set(err, EXIT_USAGE, "--profile is for one device, not for %zu", run->device_count);
  return probe_all(run, err);
}

size_t run_devices_usable(const struct run_state *run) {
  size_t usable = 0;
  for (size_t i = 0; i < run->device_count; i++)
    usable += run->devices[i].lost.exit_code == 0;
  return usable;
}

/* ---- Turns ---- */

/* Its share of --max-time: the devices to come shall have theirs. */
static void share_time(struct run_state *run) {
  size_t left = 0;
  for (size_t i = run->device; i < run->device_count; i++)
    left += run->devices[i].lost.exit_code == 0;
  run->turn_time_s = (run->max_time_s - run->asked_s) / (double)(left > 0 ? left : 1);
}

static int begin_turn(struct run_state *run, struct err *err) {
  text_copy(run->spec, sizeof run->spec, run_device(run)->spec);
  pool_move(&run->pool, run->spec);
  run->asked_ns = 0;
  run->identity.ceilings = CEILINGS_UNKNOWN;
  memset(run->floors, 0, sizeof run->floors);
  share_time(run);
  plan_free(&run->plan);
  if (run_plan_cases(run, err) != 0) return -1;
  if (run->epochs != NULL && run->plan.count != run->case_count)
    return err_set(err, EXIT_FAILED, "%s: a plan of %zu cases, of %zu on the device before", run->spec, run->plan.count,
                   run->case_count);
  run_device(run)->facts = run->pool.facts;
  return 0;
}

/* The first from this one on that can be. */
static int plan_next(struct run_state *run, struct err *err) {
  for (; run->device < run->device_count; run->device++) {
    struct err lost = {0};
    if (run_device(run)->lost.exit_code != 0) continue;
    if (begin_turn(run, &lost) == 0) return 0;
    if (run->device_count == 1 || lost.exit_code != EXIT_DEVICE || signals_last() != 0) return *err = lost, -1;
    lose(run, &lost);
  }
  return err_set(err, run->devices[0].lost.exit_code, "none of the %zu devices can be used", run->device_count);
}

int run_devices_plan(struct run_state *run, struct err *err) {
  if (plan_next(run, err) != 0) return -1;
  run->case_count = run->plan.count;
  run->epochs = xcalloc(run->plan.count, sizeof *run->epochs);
  return 0;
}

int run_devices_lock(struct run_state *run, struct err *err) {
  for (;;) {
    struct err lost = {0};
    if (run_take_lock(run, &lost) == 0) return 0;
    if (run->device_count == 1 || signals_last() != 0) return *err = lost, -1;
    lose(run, &lost);
    run->device++;
    if (plan_next(run, err) != 0) return -1;
  }
}

int run_devices_next(struct run_state *run, bool *more, struct err *err) {
  struct err none = {0};
  lock_release(&run->lock);
  run->asked_s += (double)(clock_now_ns() - run->asked_ns) * 1e-9;
  *more = false;
  if (run->device + 1 == run->device_count || signals_last() != 0) return 0;
  run->device++;
  *more = plan_next(run, &none) == 0 && run_devices_lock(run, &none) == 0;
  if (*more || signals_last() != 0 || run->device == run->device_count) return 0;
  *err = none;
  return -1;
}

/* ---- What is written down ---- */

void run_devices_note(struct run_state *run) {
  struct run_device *one = run_device(run);
  if (run->device_count > 1) pairs_add(&one->environment, "id", "%s", run_device_id(&one->facts));
  environment_device(&one->environment, &one->facts);
  pairs_add(&one->environment, "conditions", "%s", run->conditions);
  pairs_add(&one->environment, "lock", "%s", run->lock.note);
}

/* Had it its turn? */
static bool is_noted(const struct run_device *one) {
  return pairs_get(&one->environment, "device") != NULL;
}

static void add_list(const struct run_state *run, struct pairs *to) {
  char *list = xcalloc(run->device_count, sizeof run->devices->spec + 1), name[64];
  for (size_t i = 0; i < run->device_count; i++)
    strcat(strcat(list, i > 0 ? "," : ""), run->devices[i].spec);
  pairs_add(to, "device", "%s", list);
  pairs_add(to, "devices", "%zu", run->device_count);
  free(list);
  for (size_t i = 0; i < run->device_count; i++) {
    if (!is_noted(&run->devices[i])) {
      snprintf(name, sizeof name, "device.%zu.device", i + 1);
      pairs_add(to, name, "%s", run->devices[i].spec);
    }
    if (run->devices[i].lost.exit_code == 0) continue;
    snprintf(name, sizeof name, "device.%zu.lost", i + 1);
    pairs_add(to, name, "%s", run->devices[i].lost.text);
  }
}

int run_devices_write_ini(struct run_state *run, struct err *err) {
  struct pairs all = {0}, *each = xcalloc(run->device_count, sizeof *each);
  for (size_t i = 0; i < run->environment.count; i++)
    pairs_add(&all, run->environment.items[i].name, "%s", run->environment.items[i].value);
  for (size_t i = 0; i < run->device_count; i++)
    if (is_noted(&run->devices[i])) each[i] = run->devices[i].environment;
  if (run->device_count > 1) add_list(run, &all);
  environment_devices(&all, each, run->device_count);
  int rc = run_ini_write(&run->dir, &all, &run->tags, &run->plan, &run->catalog, err);
  pairs_free(&all);
  free(each);
  return rc;
}

void run_devices_free(struct run_state *run) {
  for (size_t i = 0; i < run->device_count; i++)
    pairs_free(&run->devices[i].environment);
  free(run->devices);
  free(run->epochs);
}

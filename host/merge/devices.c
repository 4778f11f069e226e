/* Collects the devices and descriptions of the shards that are merged. A shard is a run of one part of a plan. */
#include "merge/devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/ceilings.h"
#include "base/memory.h"
#include "machine/environment.h"
#include "options/device_list.h"

/* ---- Finding the devices ---- */

/* Returns true if both ids are of the same device. A device without a UUID has as its id the name by which it was
 * selected; another host may use the same name, so then the hosts must be the same, too. */
static bool is_same_device(const struct merged_device *device, const char *id, const char *spec, const char *host) {
  if (strcmp(device->id, id) != 0) return false;
  return strcmp(id, spec) != 0 || text_same(device->host, host);
}

static size_t find_merged_device(struct merged_devices *devices, const char *id, const char *spec, const char *host) {
  size_t at = 0;
  while (at < devices->count && !is_same_device(&devices->items[at], id, spec, host))
    at++;
  if (at < devices->count) return at;
  devices->items = xgrow(devices->items, devices->count, sizeof *devices->items);
  devices->items[devices->count++] = (struct merged_device){.id = xstrdup(id), .spec = xstrdup(spec), .host = host};
  return at;
}

/* Changes ids so that different devices have different ids: "cpu" of two hosts becomes "cpu@a" and "cpu@b". */
static void tell_apart(struct merged_devices *devices) {
  SCOPED bool *twice = xcalloc(devices->count, sizeof *twice);
  for (size_t i = 0; i < devices->count; i++)
    for (size_t j = 0; j < devices->count; j++)
      twice[i] = twice[i] || (i != j && strcmp(devices->items[i].id, devices->items[j].id) == 0);
  for (size_t i = 0; i < devices->count; i++) {
    if (!twice[i]) continue;
    char *id = memory_print("%s@%s", devices->items[i].id, text_or_empty(devices->items[i].host));
    free(devices->items[i].id);
    devices->items[i].id = id;
  }
}

void merged_find(const struct shard_runs *runs, struct merged_devices *devices) {
  *devices = (struct merged_devices){.of = xcalloc(runs->count, sizeof *devices->of)};
  for (size_t s = 0; s < runs->count; s++) {
    const struct shard_run *run = &runs->items[s];
    const size_t count = shard_devices(run);
    devices->of[s] = xcalloc(count, sizeof *devices->of[s]);
    for (size_t d = 0; d < count; d++) {
      const struct pairs *e = shard_device(run, d);
      devices->of[s][d] = find_merged_device(devices, shard_device_id(run, d), text_or_empty(pairs_get(e, "device")),
                                             pairs_get(e, "host"));
    }
  }
  tell_apart(devices);
}

void merged_free(struct merged_devices *devices, const struct shard_runs *runs) {
  for (size_t i = 0; i < devices->count; i++) {
    free(devices->items[i].id);
    free(devices->items[i].spec);
    pairs_free(&devices->items[i].environment);
  }
  for (size_t s = 0; s < runs->count; s++)
    free(devices->of[s]);
  free(devices->of);
  free(devices->items);
}

size_t merged_device_of(const struct merged_devices *devices, const struct shard_runs *runs, size_t shard,
                        const struct record *row) {
  const struct shard_run *run = &runs->items[shard];
  const size_t count = shard_devices(run);
  size_t device = 0;
  while (device + 1 < count && !text_same(shard_device_id(run, device), row->devices))
    device++;
  return devices->of[shard][device];
}

/* ---- Describing the devices ---- */

static bool is_one_of(const char *name, const char *const *names, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(name, names[i]) == 0) return true;
  return false;
}

/* Returns true for keys that are not copied from shards: the merged run sets them itself, or they may occur several
 * times. */
static bool is_of_the_run(const char *name) {
  static const char *const names[] = {"run_id",      "name",   "started_utc", "resumed_utc", "command",
                                      "wall_s",      "shard",  "plan_cases",  "require",     "refused",
                                      "unsupported", "device", "devices",     "id"};
  return is_one_of(name, names, sizeof names / sizeof names[0]) || text_begins(name, "device.") ||
         text_begins(name, "verdicts.");
}

/* Returns true for keys of measured values that a shard may lack, such as ceilings (highest rates of the device): a
 * shard measures them only if one of its cases needs them. If the first shard on a device lacks such a value, it is
 * copied from a later shard on that device. */
static bool is_found(const char *name) {
  return text_begins(name, "launch_overhead_") || strcmp(name, "baselines") == 0 ||
         is_one_of(name, ceiling_names, CEILINGS);
}

static void add_of_shard(struct pairs *to, const struct shard_run *run, const char *name, const char *value) {
  SCOPED char *own = memory_print("shard.%u.%s", run->shard.number, name);
  if (value != NULL) pairs_add_text(to, own, value);
}

/* Adds a shard's description of a device. If values differ between shards, the value of the first shard is kept. The
 * key "conditions" is an exception: its value is "ok" or tells what was wrong with the device, and what was wrong in
 * any shard replaces "ok". */
static void merge_device(struct pairs *device, const struct pairs *from, const struct shard_run *run,
                         struct pairs *apart) {
  const bool first = device->count == 0;
  /* names of `from` that were handled already. If the shard ran on several devices, `from` has the device's own values
   * first, and then the values that all devices share, which must not replace them */
  struct pairs seen = {0};
  for (size_t i = 0; i < from->count; i++) {
    const char *name = from->items[i].name, *value = from->items[i].value, *known = pairs_get(device, name);
    if (is_of_the_run(name) || pairs_get(&seen, name) != NULL) continue;
    pairs_add_text(&seen, name, "");
    const bool worse =
        known != NULL && strcmp(name, "conditions") == 0 && text_begins(known, "ok") && !text_begins(value, "ok");
    if ((known == NULL && (first || is_found(name))) || worse)
      pairs_set(device, name, value);
    else if (!text_same(known, value))
      add_of_shard(apart, run, name, value);
  }
  pairs_free(&seen);
}

/* ---- Describing the run ---- */

static void add_once(struct pairs *to, const char *name, const char *value) {
  for (size_t i = 0; i < to->count; i++)
    if (strcmp(to->items[i].name, name) == 0 && strcmp(to->items[i].value, value) == 0) return;
  pairs_add_text(to, name, value);
}

/* Adds the values that the shards have for keys which may occur several times, each value once. */
static void add_lists(const struct shard_runs *runs, struct pairs *to) {
  static const char *const lists[] = {"require", "refused", "unsupported"};
  for (size_t s = 0; s < runs->count; s++) {
    const struct pairs *e = &runs->items[s].data.runs[0].environment;
    for (size_t i = 0; i < e->count; i++)
      if (is_one_of(e->items[i].name, lists, sizeof lists / sizeof lists[0]))
        add_once(to, e->items[i].name, e->items[i].value);
  }
}

static void add_begin(const struct shard_runs *runs, struct pairs *to, const char *run_id) {
  const char *started = NULL, *name = NULL;
  double wall_s = 0;
  for (size_t s = 0; s < runs->count; s++) {
    const char *own = shard_get(&runs->items[s], "started_utc");
    if (own != NULL && (started == NULL || strcmp(own, started) < 0)) started = own;
    if (name == NULL) name = shard_get(&runs->items[s], "name");
    wall_s += strtod(text_or_empty(shard_get(&runs->items[s], "wall_s")), NULL);
  }
  pairs_add(to, "run_id", "%s", run_id);
  if (name != NULL) pairs_add_text(to, "name", name);
  if (started != NULL) pairs_add_text(to, "started_utc", started);
  pairs_add(to, "wall_s", "%.1f", wall_s);
}

/* Adds a pair that describes the merged runs: "4 shards on 3 GPUs". */
static void add_sum(const struct shard_runs *runs, const struct merged_devices *devices, struct pairs *to) {
  const char *first = devices->count > 0 ? devices->items[0].spec : "";
  const bool cpu = devices_are(first, DEVICE_HOST_PROCESSORS) && !devices_are(first, DEVICE_SCRIPTED);
  pairs_add(to, "merged", "%zu shard%s on %zu %s%s", runs->count, runs->count == 1 ? "" : "s", devices->count,
            cpu ? "CPU" : "GPU", devices->count == 1 ? "" : "s");
}

static void add_devices(const struct merged_devices *devices, struct pairs *to) {
  SCOPED struct pairs *each = xcalloc(devices->count, sizeof *each);
  struct memory_text list;
  FILE *out = memory_text_begin(&list);
  for (size_t i = 0; i < devices->count; i++) {
    fprintf(out, "%s%s", i > 0 ? "," : "", devices->items[i].spec);
    each[i] = devices->items[i].environment;
  }
  SCOPED char *specs = memory_text_end(&list);
  if (devices->count > 0) pairs_add_text(to, "device", specs);
  if (devices->count > 1) pairs_add(to, "devices", "%zu", devices->count);
  for (size_t i = 0; i < devices->count && devices->count > 1; i++) {
    char name[64];
    snprintf(name, sizeof name, "device.%zu.id", i + 1);
    pairs_add_text(to, name, devices->items[i].id);
    snprintf(name, sizeof name, "device.%zu.device", i + 1);
    pairs_add_text(to, name, devices->items[i].spec);
  }
  if (devices->count > 0) environment_devices(to, each, devices->count);
}

/* Returns true if no shard has another value for the tag. */
static bool is_common_tag(const struct shard_runs *runs, const struct pair *tag) {
  for (size_t s = 0; s < runs->count; s++) {
    const char *value = pairs_get(&runs->items[s].data.runs[0].tags, tag->name);
    if (value != NULL && strcmp(value, tag->value) != 0) return false;
  }
  return true;
}

static void merge_tags(const struct shard_runs *runs, struct pairs *tags, struct pairs *apart) {
  for (size_t s = 0; s < runs->count; s++) {
    const struct pairs *own = &runs->items[s].data.runs[0].tags;
    for (size_t i = 0; i < own->count; i++) {
      SCOPED char *name = memory_print("tag.%s", own->items[i].name);
      if (!is_common_tag(runs, &own->items[i]))
        add_of_shard(apart, &runs->items[s], name, own->items[i].value);
      else if (pairs_get(tags, own->items[i].name) == NULL)
        pairs_add_text(tags, own->items[i].name, own->items[i].value);
    }
  }
}

void merged_environment(const struct shard_runs *runs, struct merged_devices *devices, const char *run_id,
                        struct pairs *environment, struct pairs *tags) {
  static const char *const of_shards[] = {"run_id", "command", "started_utc", "resumed_utc", "wall_s"};
  struct pairs apart = {0};
  for (size_t s = 0; s < runs->count; s++) {
    const struct shard_run *run = &runs->items[s];
    for (size_t i = 0; i < sizeof of_shards / sizeof of_shards[0]; i++)
      add_of_shard(&apart, run, of_shards[i], shard_get(run, of_shards[i]));
    for (size_t d = 0; d < shard_devices(run); d++) {
      struct merged_device *device = &devices->items[devices->of[s][d]];
      add_of_shard(&apart, run, "devices", device->id);
      merge_device(&device->environment, shard_device(run, d), run, &apart);
    }
  }
  add_begin(runs, environment, run_id);
  add_sum(runs, devices, environment);
  add_lists(runs, environment);
  add_devices(devices, environment);
  merge_tags(runs, tags, &apart);
  for (size_t i = 0; i < apart.count; i++)
    pairs_add_text(environment, apart.items[i].name, apart.items[i].value);
  pairs_free(&apart);
}

/* The table of what counts, and looking it up in both runs. */
#include "compare/differences.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "options/device_list.h"
#include "summary/summary.h"

enum { PROVIDERS_MAX = 32, TAGS_MAX = 64, HASH_SHOWN = 12 };

enum weight {
  ALWAYS,  /* it makes runs unlike */
  ON_GPUS, /* it does where the device is a GPU; else it is worth knowing */
  ON_CPUS, /* it does where there is none; else it is worth knowing */
  SHOWN,   /* worth knowing */
};

/* Keys of [environment] with their names for readers. A lone results.csv has some of them as columns. How often a case
 * was restarted is no difference here: its interval tells. */
static const struct {
  const char *key, *what, *unit;
  enum weight weight;
  const char *column;
} keys[] = {
    /* machine */
    {"device_name", "device", "", ALWAYS, "device_name"},
    {"memory_bytes", "device memory", " B", ON_GPUS, NULL},
    {"sm_count", "SMs", "", ALWAYS, NULL},
    {"ecc", "ECC", "", ALWAYS, NULL},
    {"mig", "MIG", "", ALWAYS, NULL},
    {"mps", "MPS", "", ALWAYS, NULL},
    {"threads", "threads", "", ON_CPUS, NULL},
    {"cpu_quota", "CPU quota", "", ON_CPUS, NULL},
    {"smt", "SMT", "", ON_CPUS, NULL},
    {"hypervisor", "virtual machine", "", ON_CPUS, NULL},
    {"driver", "driver", "", ALWAYS, "driver"},
    /* clock policy */
    {"power_limit_w", "power limit", " W", ALWAYS, NULL},
    {"max_sm_clock_mhz", "highest clock", " MHz", ALWAYS, NULL},
    {"application_clock_mhz", "application clock", " MHz", ALWAYS, NULL},
    {"locked_clocks", "locked clocks", "", ALWAYS, NULL},
    {"governor", "CPU governor", "", ON_CPUS, NULL},
    {"cpu_boost", "CPU boost", "", ON_CPUS, NULL},
    {"cpu_mhz_max", "highest CPU clock", " MHz", ON_CPUS, NULL},
    /* options and data; the mode is part of a row's name */
    {"precision", "precision", "", ALWAYS, NULL},
    {"quick", "quick", "", ALWAYS, "quick"},
    {"option.trajectory", "trajectory", "", ALWAYS, NULL},
    {"option.in-process", "in-process", "", ALWAYS, NULL},
    {"option.isolate", "isolated", "", ALWAYS, NULL},
    {"seed", "seed of the data", "", ALWAYS, "seed"},
    /* the rest */
    {"host", "host", "", SHOWN, "host"},
    {"device_uuid", "device UUID", "", SHOWN, NULL},
    {"cuda_runtime", "CUDA runtime", "", SHOWN, NULL},
    {"persistence", "persistence mode", "", SHOWN, NULL},
    {"cpu", "CPU", "", SHOWN, NULL},
    {"affinity", "CPUs that it may use", "", SHOWN, NULL},
    {"kernel", "kernel", "", SHOWN, NULL},
    {"compiler", "gpubench's compiler", "", SHOWN, NULL},
    {"gpubench_version", "gpubench", "", SHOWN, NULL},
    {"gpubench_build", "gpubench's build", "", SHOWN, NULL},
};

/* The run's value, or NULL where it is not known. From the rows it is the first one's: the columns asked for are the
 * run's, not a row's. An option that run.ini does not name was not given. */
static const char *value_of(const struct run_data *data, const char *key, const char *column, char *buffer,
                            size_t size) {
  const char *value = run_data_get(data, key);
  for (size_t i = 0; value == NULL && data->run_count > 1 && i < data->run_count; i++)
    if (pairs_get(&data->runs[i].environment, key) != NULL) return "several values";
  if (value == NULL && column != NULL && data->count != 0)
    value = record_text(&data->records[0], record_field(column), buffer, size);
  if (value == NULL && strncmp(key, "option.", 7) == 0 && data->environment.count != 0) return "default";
  return value == NULL || value[0] == '\0' || strcmp(value, "unknown") == 0 ? NULL : value;
}

static bool on_gpu(const struct run_data *data) {
  for (size_t i = 0; i < data->count; i++)
    if (data->records[i].backend != NULL) return !devices_are(data->records[i].backend, DEVICE_HOST_PROCESSORS);
  return false;
}

static void add(struct compare_differences *differences, const char *what, const char *base, const char *other,
                const char *unit, bool counts) {
  differences->items = xrealloc(differences->items, differences->count + 1, sizeof *differences->items);
  differences->items[differences->count++] = (struct against_difference){.what = xstrdup(what),
                                                                         .base = memory_print("%s%s", base, unit),
                                                                         .other = memory_print("%s%s", other, unit),
                                                                         .counts = counts};
  differences->counting += counts;
}

static void add_keys(const struct run_data *base, const struct run_data *other, bool counts,
                     struct compare_differences *differences) {
  bool gpu = on_gpu(base) || on_gpu(other);
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    char a_text[64], b_text[64];
    enum weight weight = keys[i].weight;
    const char *a = value_of(base, keys[i].key, keys[i].column, a_text, sizeof a_text);
    const char *b = value_of(other, keys[i].key, keys[i].column, b_text, sizeof b_text);
    bool matters = weight == ALWAYS || weight == (gpu ? ON_GPUS : ON_CPUS);
    if (matters != counts || (a == NULL && b == NULL)) continue;
    if (a != NULL && b != NULL && strcmp(a, b) != 0) add(differences, keys[i].what, a, b, keys[i].unit, counts);
    if (counts && (a == NULL || b == NULL)) strings_add(&differences->unknown, keys[i].what);
  }
}

/* Options of plugins: "setting.PLUGIN.NAME". One that only one of the runs knows is another version's. */
static void add_settings(const struct run_data *base, const struct run_data *other,
                         struct compare_differences *differences) {
  static const char prefix[] = "setting.";
  for (size_t i = 0; i < base->environment.count; i++) {
    const struct pair *pair = &base->environment.items[i];
    if (strncmp(pair->name, prefix, strlen(prefix)) != 0) continue;
    const char *value = pairs_get(&other->environment, pair->name);
    if (value == NULL || strcmp(value, pair->value) == 0) continue;
    SCOPED char *what = memory_print("option %s", pair->name + strlen(prefix));
    add(differences, what, pair->value[0] != '\0' ? pair->value : "empty", value[0] != '\0' ? value : "empty", "",
        true);
  }
}

/* ---- Plugins ---- */

struct provider {
  const char *name, *label, *version, *hash; /* label: "@new" of a build, or empty */
};

struct providers {
  struct provider items[PROVIDERS_MAX];
  size_t count;
};

static const struct provider *provider_find(const struct providers *providers, const char *name, const char *label) {
  for (size_t i = providers->count; i-- > 0;)
    if (strcmp(providers->items[i].name, name) == 0 && strcmp(providers->items[i].label, label) == 0)
      return &providers->items[i];
  return NULL;
}

static void providers_of(const struct run_data *data, struct providers *providers) {
  providers->count = 0;
  for (size_t i = 0; i < data->count && providers->count < PROVIDERS_MAX; i++) {
    const struct record *record = &data->records[i];
    const char *name = record->provider, *label = record_label(record);
    if (name == NULL || provider_find(providers, name, label) != NULL) continue; /* the last ones are looked at first */
    providers->items[providers->count++] =
        (struct provider){name, label, text_or_empty(record->plugin_version), text_or_empty(record->plugin_sha256)};
  }
}

static void provider_text(const struct provider *provider, char *to, size_t size) {
  const char *hash = provider->hash;
  snprintf(to, size, "%.64s%s%.*s%s", provider->version, hash[0] ? " (" : "", HASH_SHOWN, hash, hash[0] ? ")" : "");
}

/* A new version of a plugin is what a comparison is for. */
static void add_plugins(const struct run_data *base, const struct run_data *other,
                        struct compare_differences *differences) {
  struct providers a, b;
  providers_of(base, &a);
  providers_of(other, &b);
  differences->same_files = a.count != 0;
  for (size_t i = 0; i < a.count; i++) {
    const struct provider *one = &a.items[i], *two = provider_find(&b, one->name, one->label);
    char what[2 * ID_SIZE + 16], before[128], after[128];
    bool same_file = two != NULL && one->hash[0] != '\0' && strcmp(one->hash, two->hash) == 0;
    differences->same_files = differences->same_files && same_file;
    if (two == NULL || (strcmp(one->hash, two->hash) == 0 && strcmp(one->version, two->version) == 0)) continue;
    snprintf(what, sizeof what, "plugin %.64s%.64s", one->name, one->label);
    provider_text(one, before, sizeof before);
    provider_text(two, after, sizeof after);
    add(differences, what, before, after, "", false);
  }
}

/* Commits and jobs are tags. */
static void add_tags(const struct pairs *base, const struct pairs *other, struct compare_differences *differences) {
  for (size_t i = 0; i < base->count && i < TAGS_MAX; i++) {
    const char *value = pairs_get(other, base->items[i].name);
    if (value == NULL || strcmp(value, base->items[i].value) == 0) continue;
    SCOPED char *what = memory_print("tag %s", base->items[i].name);
    add(differences, what, base->items[i].value, value, "", false);
  }
}

void compare_differences_find(const struct run_data *base, const struct run_data *other,
                              struct compare_differences *differences) {
  *differences = (struct compare_differences){0};
  add_keys(base, other, true, differences);
  add_settings(base, other, differences);
  add_plugins(base, other, differences);
  add_tags(&base->tags, &other->tags, differences);
  add_keys(base, other, false, differences);
}

void compare_differences_free(struct compare_differences *differences) {
  for (size_t i = 0; i < differences->count; i++) {
    free(differences->items[i].what);
    free(differences->items[i].base);
    free(differences->items[i].other);
  }
  free(differences->items);
  strings_free(&differences->unknown);
  *differences = (struct compare_differences){0};
}

/* Lets a worker process load each plugin and describe its contents, and stores the descriptions in the catalog. Checks
 * them first, because plugin code runs in that process. */
#include "ask/describe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/build_label.h"
#include "model/contract_id.h"
#include "model/rule.h"
#include "plan/bind_settings.h"
#include "plugin/script.h"
#include "worker/interpreter.h"
#include "worker/process.h"
#include "worker/spare.h"

/* Terminates a text and makes it one printable line. */
#define END(text) ((text)[sizeof(text) - 1] = '\0', text_sanitize(text))

int describe_check_plugin(struct plugin_desc *desc, struct err *err) {
  END(desc->id), END(desc->version), END(desc->build), END(desc->summary), END(desc->left_out);
  if (!text_is_id(desc->id)) return err_set(err, EXIT_FAILED, "its id is not a valid name");
  if (desc->bench_count > PLUGIN_BENCHES_MAX || desc->variant_count > PLUGIN_VARIANTS_MAX)
    return err_set(err, EXIT_FAILED, "%u benches and %u variants, at most %d and %d", desc->bench_count,
                   desc->variant_count, PLUGIN_BENCHES_MAX, PLUGIN_VARIANTS_MAX);
  if (desc->setting_count > SETTINGS_MAX)
    return err_set(err, EXIT_FAILED, "%u options, at most %d", desc->setting_count, SETTINGS_MAX);
  return 0;
}

static int check_sent_axis(struct axis_desc *axis, struct err *err) {
  END(axis->name), END(axis->unit), END(axis->summary), END(axis->choices), END(axis->values);
  if (axis->default_count > BACKENDS_MAX || axis->type < AXIS_I64 || axis->type > AXIS_STR || !text_is_id(axis->name))
    return err_set(err, EXIT_FAILED, "an axis is malformed");
  for (uint32_t i = 0; i < axis->default_count; i++)
    END(axis->defaults[i].backend), END(axis->defaults[i].values);
  return 0;
}

int describe_check_bench(struct bench_desc *desc, struct err *err) {
  END(desc->name), END(desc->contract), END(desc->summary);
  if (!text_is_id(desc->name) || desc->contract[0] == '\0' || desc->axis_count > AXES_MAX ||
      desc->contract_minor > CONTRACT_MINOR_MAX || desc->preset_count > PRESETS_MAX ||
      desc->devices_axis > desc->axis_count ||
      (desc->devices_axis != 0 && desc->axes[desc->devices_axis - 1].type != AXIS_I64))
    return err_set(err, EXIT_FAILED, "a bench is malformed");
  for (uint32_t i = 0; i < desc->axis_count; i++)
    if (check_sent_axis(&desc->axes[i], err) != 0) return -1;
  for (uint32_t i = 0; i < desc->preset_count; i++) {
    struct preset_desc *preset = &desc->presets[i];
    END(preset->name), END(preset->summary), END(preset->point), END(preset->backends);
    if (!text_is_id(preset->name)) return err_set(err, EXIT_FAILED, "a preset is malformed");
  }
  return 0;
}

int describe_check_variant(struct variant_desc *desc, const struct plugin_desc *plugin, struct err *err) {
  END(desc->name), END(desc->summary), END(desc->backend), END(desc->math), END(desc->contract);
  bool known_bench = desc->bench == -1 || (desc->bench >= 0 && (uint32_t)desc->bench < plugin->bench_count);
  if (!text_is_id(desc->name) || !text_is_id(desc->backend) || !text_is_id(desc->math) || !known_bench ||
      desc->contract_minor > CONTRACT_MINOR_MAX)
    return err_set(err, EXIT_FAILED, "a variant is malformed");
  return 0;
}

struct collector {
  struct catalog_plugin *plugin;
  uint32_t benches, variants, settings; /* number of each that was received so far */
  bool named;
  struct err err;
};

static int collect_setting(struct collector *k, const void *payload) {
  struct catalog_setting *setting = &k->plugin->settings[k->settings++];
  memcpy(&setting->desc, payload, sizeof setting->desc);
  if (!setting_check(&setting->desc)) return err_set(&k->err, EXIT_FAILED, "an option is malformed");
  return setting_parse(&setting->desc, setting->desc.value, setting->desc.name, &setting->value, &k->err);
}

static int collect_description(struct collector *k, const struct message *message) {
  struct plugin_desc *plugin = &k->plugin->desc;
  const void *payload;
  if (message->type == MSG_PLUGIN && !k->named && (payload = wire_as(message, sizeof *plugin)) != NULL) {
    memcpy(plugin, payload, sizeof *plugin);
    if (describe_check_plugin(plugin, &k->err) != 0) return -1;
    k->named = true;
    k->plugin->benches = xcalloc(plugin->bench_count, sizeof *k->plugin->benches);
    k->plugin->variants = xcalloc(plugin->variant_count, sizeof *k->plugin->variants);
    k->plugin->settings = xcalloc(plugin->setting_count, sizeof *k->plugin->settings);
    return 0;
  }
  if (message->type == MSG_BENCH && k->named && k->benches < plugin->bench_count &&
      (payload = wire_as(message, sizeof *k->plugin->benches)) != NULL) {
    memcpy(&k->plugin->benches[k->benches], payload, sizeof *k->plugin->benches);
    return describe_check_bench(&k->plugin->benches[k->benches++], &k->err);
  }
  if (message->type == MSG_VARIANT && k->named && k->variants < plugin->variant_count &&
      (payload = wire_as(message, sizeof *k->plugin->variants)) != NULL) {
    memcpy(&k->plugin->variants[k->variants], payload, sizeof *k->plugin->variants);
    return describe_check_variant(&k->plugin->variants[k->variants++], plugin, &k->err);
  }
  if (message->type == MSG_SETTING && k->named && k->settings < plugin->setting_count &&
      (payload = wire_as(message, sizeof(struct setting_desc))) != NULL)
    return collect_setting(k, payload);
  return message->type == MSG_LOG || message->type == MSG_FINDING
             ? 0
             : err_set(&k->err, EXIT_FAILED, "its worker sent nonsense");
}

static void listen_collect(void *user, const struct message *message) {
  struct collector *k = user;
  if (k->err.exit_code == 0) collect_description(k, message);
}

static int ask_once(struct catalog_plugin *plugin, double timeout_s, bool *killed, struct err *err) {
  struct worker_process *worker;
  char order[LOADER_ORDER_SIZE];
  struct ending ending;
  struct collector collector = {.plugin = plugin};
  const struct listener listener = {.user = &collector, .message = listen_collect};
  char how[2 * TEXT_SIZE + 64];
  if (process_start(&worker, script_is(plugin->path), err) != 0) return -1;
  loader_order(order, sizeof order, plugin);
  process_ask(worker, MSG_LOAD, order, strlen(order) + 1, &listener, call_limit_of(timeout_s), &ending);
  if (ending.kind == ENDING_DONE)
    process_ask(worker, MSG_DESCRIBE, NULL, 0, &listener, call_limit_of(timeout_s), &ending);
  if (ending.kind != ENDING_DONE || !script_is(plugin->path) || !spare_put(order, worker)) process_stop(worker);
  *killed = ending.killed;
  if (ending.kind == ENDING_FAILED) {
    err_set(err, EXIT_FAILED, "%s", ending.err.text);
    return err_about(err, ending.err.about);
  }
  if (ending.kind != ENDING_DONE) {
    ending_text(&ending, how, sizeof how);
    err_set(err, EXIT_FAILED, "%s: %s", plugin->path, how);
    return err_about(err, ending.kind == ENDING_TIMEOUT ? RULE_HANG : RULE_CRASH);
  }
  if (collector.err.exit_code != 0) return err_set(err, EXIT_FAILED, "%s: %s", plugin->path, collector.err.text);
  if (!collector.named || collector.benches != plugin->desc.bench_count ||
      collector.variants != plugin->desc.variant_count || collector.settings != plugin->desc.setting_count)
    return err_set(err, EXIT_FAILED, "%s: its description is incomplete", plugin->path);
  return 0;
}

static void free_plugin(struct catalog_plugin *plugin) {
  settings_free(plugin);
  free(plugin->benches);
  free(plugin->variants);
}

/* Asks a worker to describe the plugin. Asks a second time if the worker was killed, which may have been chance. */
static int ask_plugin(struct catalog_plugin *plugin, double timeout_s, struct err *err) {
  bool killed = false;
  if (ask_once(plugin, timeout_s, &killed, err) == 0) return 0;
  if (!killed) return -1;
  free_plugin(plugin);
  plugin->settings = NULL;
  plugin->benches = NULL;
  plugin->variants = NULL;
  *err = (struct err){0};
  return ask_once(plugin, timeout_s, &killed, err);
}

/* Fails if another plugin has the same id, unless the two have different labels: then they are two builds of one
 * plugin. */
static int check_id(const struct catalog *catalog, const struct catalog_plugin *plugin, struct err *err) {
  for (size_t i = 0; i < catalog->count; i++) {
    const struct catalog_plugin *other = &catalog->plugins[i];
    if (strcmp(other->desc.id, plugin->desc.id) != 0) continue;
    if (plugin->label[0] == '\0' || other->label[0] == '\0')
      return err_set(err, EXIT_FAILED, "%s: plugin id '%s' is taken by %s; to compare two builds of it: %s",
                     plugin->path, plugin->desc.id, other->path, "--plugin old=FILE --plugin new=FILE");
    if (strcmp(other->label, plugin->label) == 0)
      return err_set(err, EXIT_USAGE, "label '%s' is given to two builds of plugin '%s': %.500s and %.500s",
                     plugin->label, plugin->desc.id, other->path, plugin->path);
  }
  return 0;
}

static int find_file(const char *name, struct catalog_plugin *plugin, enum loader_trust *trust, struct err *err) {
  const char *file = label_split(name, plugin->label);
  if (file[0] == '\0') return err_set(err, EXIT_USAGE, "plugin '%s': no file behind the label", name);
  if (*trust == LOADER_TYPED && strchr(file, '/') == NULL) *trust = LOADER_FOUND;
  return loader_find(file, plugin->path, sizeof plugin->path, err);
}

static int check_python(const char *path, struct err *err) {
  struct interpreter found;
  if (!script_is(path)) return 0;
  if (process_are_none())
    return err_set(err, EXIT_USAGE, "%s: a plugin in Python runs in a process of its own, which --in-process has not",
                   path);
  if (interpreter_find(&found, err) == 0) return 0;
  err_context(err, "plugin %s is skipped", text_file_name(path));
  return DESCRIBE_SKIPPED;
}

int describe_plugin(struct catalog *catalog, const char *name, enum loader_trust trust, double timeout_s, size_t *index,
                    struct err *err) {
  struct catalog_plugin plugin = {0};
  if (find_file(name, &plugin, &trust, err) != 0) return -1;
  for (*index = 0; *index < catalog->count; ++*index)
    if (strcmp(catalog->plugins[*index].path, plugin.path) == 0 &&
        strcmp(catalog->plugins[*index].label, plugin.label) == 0)
      return 0;
  const int python = check_python(plugin.path, err);
  if (python != 0) return python;
  if (loader_inspect(&plugin, trust, err) != 0 || ask_plugin(&plugin, timeout_s, err) != 0 ||
      check_id(catalog, &plugin, err) != 0) {
    free_plugin(&plugin);
    return -1;
  }
  catalog->plugins = xrealloc(catalog->plugins, catalog->count + 1, sizeof *catalog->plugins);
  catalog->plugins[catalog->count++] = plugin;
  return 0;
}

void describe_drop_last(struct catalog *catalog) {
  free_plugin(&catalog->plugins[--catalog->count]);
}

static void tell_left_out(const struct plugin_desc *desc, FILE *out) {
  fprintf(out, "gpubench: warning: plugin '%s': left out %s%s", desc->id, desc->left_out_bench != 0 ? "" : "of ",
          desc->left_out);
  if (desc->left_out_count > 1) fprintf(out, " (and %u more)", desc->left_out_count - 1);
  fputc('\n', out);
}

void describe_warnings(const struct catalog *catalog, FILE *out) {
  for (size_t i = 0; i < catalog->count; i++) {
    const struct catalog_plugin *plugin = &catalog->plugins[i];
    if (plugin->warning[0] != '\0') fprintf(out, "gpubench: warning: %s\n", plugin->warning);
    if (plugin->desc.left_out_count > 0) tell_left_out(&plugin->desc, out);
  }
}

void catalog_free(struct catalog *catalog) {
  for (size_t i = 0; i < catalog->count; i++)
    free_plugin(&catalog->plugins[i]);
  free(catalog->plugins);
  *catalog = (struct catalog){0};
}

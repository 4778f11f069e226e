#include "plugin/registry.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/rule.h"
#include "plugin/abi.h"

/* One lock guards the messages of all plugins, because messages are rare. */
static pthread_mutex_t saying = PTHREAD_MUTEX_INITIALIZER;

void said_clear(struct said *said) {
  pthread_mutex_lock(&saying);
  said->text[0] = '\0';
  pthread_mutex_unlock(&saying);
}

void said_add(struct said *said, const char *text) {
  pthread_mutex_lock(&saying);
  if (said->text[0] == '\0') {
    text_copy(said->text, sizeof said->text, text);
    text_sanitize(said->text);
  }
  pthread_mutex_unlock(&saying);
}

bool said_copy(const struct said *said, char *to, size_t size) {
  pthread_mutex_lock(&saying);
  text_copy(to, size, said->text);
  pthread_mutex_unlock(&saying);
  return to[0] != '\0';
}

/* ---- `add` and `attach`: make checked copies of what a plugin offers, or note the first reason to refuse it ---- */

static gb_status refuse_entry(gb_registry *registry, const char *format, const char *text) {
  err_set(&registry->err, EXIT_FAILED, format, text);
  return GB_EINVAL;
}

static gb_status refuse_taken_name(gb_registry *registry, const char *format, const char *name) {
  const gb_status status = refuse_entry(registry, format, name);
  err_about(&registry->err, RULE_NAMES);
  return status;
}

/* Counts a bench or a variant that is left out because it needs a newer host. Keeps the reason if it is the first one.
 * `contract`: the contract of the variant; NULL: it is a bench. */
static void leave_out(struct plugin_desc *desc, const char *contract, const char *why) {
  if (desc->left_out_count++ > 0) return;
  desc->left_out_bench = contract == NULL;
  snprintf(desc->left_out, sizeof desc->left_out, "%s%s%.*s", text_or_empty(contract), contract != NULL ? ": " : "",
           TEXT_SIZE + 2 * ID_SIZE, why);
}

/* Returns the registry that a plugin passed to `add` or `attach`. If it passed NULL, that is an error of the plugin
 * whose `open` runs at present. */
static gb_registry *registry_of(const gb_host *host, gb_registry *registry) {
  const struct plugin *plugin = (const struct plugin *)host;
  if (registry != NULL) return registry;
  if (plugin != NULL && plugin->opening != NULL)
    err_set(&plugin->opening->err, EXIT_FAILED, "add or attach: registry is NULL");
  return NULL;
}

static gb_status add_variant(gb_registry *registry, const gb_variant *theirs, const char *contract, int bench) {
  struct plugin *plugin = registry->plugin;
  if (plugin->variant_count == PLUGIN_VARIANTS_MAX) {
    err_set(&registry->err, EXIT_FAILED, "more than %d variants", PLUGIN_VARIANTS_MAX);
    return GB_EINVAL;
  }
  struct variant *variant = xcalloc(1, sizeof *variant);
  variant->theirs = theirs;
  variant->plugin = plugin;
  struct err why = {0};
  const int rc = abi_variant(theirs, &variant->own, &variant->desc, &why);
  if (rc != 0) {
    free(variant);
    if (rc == ABI_NEWER) return leave_out(&plugin->desc, contract, why.text), GB_OK;
    registry->err = why;
    return GB_EINVAL;
  }
  variant->desc.bench = bench;
  text_copy(variant->desc.contract, sizeof variant->desc.contract, contract);
  for (size_t i = 0; i < plugin->variant_count; i++) {
    const struct variant_desc *other = &plugin->variants[i]->desc;
    bool same_bench = strcmp(other->contract, contract) == 0;
    if (same_bench && strcmp(other->name, variant->desc.name) == 0 &&
        strcmp(other->backend, variant->desc.backend) == 0)
      refuse_taken_name(registry, "two variants are named '%s'", other->name);
  }
  if (registry->err.exit_code != 0) {
    free(variant);
    return GB_EINVAL;
  }
  plugin->variants = xrealloc(plugin->variants, plugin->variant_count + 1, sizeof(struct variant *));
  plugin->variants[plugin->variant_count++] = variant;
  return GB_OK;
}

gb_status register_bench(const gb_host *host, gb_registry *registry, const gb_bench *theirs) {
  if (registry_of(host, registry) == NULL) return GB_EINVAL;
  struct plugin *plugin = registry->plugin;
  if (registry->err.exit_code != 0) return GB_EINVAL;
  if (theirs == NULL) return refuse_entry(registry, "add: %s", "bench is NULL");
  if (plugin->bench_count == PLUGIN_BENCHES_MAX) {
    err_set(&registry->err, EXIT_FAILED, "more than %d benches", PLUGIN_BENCHES_MAX);
    return GB_EINVAL;
  }
  struct bench *bench = xcalloc(1, sizeof *bench);
  bench->theirs = theirs;
  bench->plugin = plugin;
  plugin->benches = xrealloc(plugin->benches, plugin->bench_count + 1, sizeof(struct bench *));
  plugin->benches[plugin->bench_count++] = bench;
  struct err why = {0};
  const int rc = abi_bench(theirs, &bench->own, &bench->desc, &why);
  if (rc == ABI_NEWER) {
    leave_out(&plugin->desc, NULL, why.text);
    free(plugin->benches[--plugin->bench_count]);
    return GB_OK;
  }
  if (rc != 0) return registry->err = why, GB_EINVAL;
  for (size_t i = 0; i + 1 < plugin->bench_count; i++) {
    if (strcmp(plugin->benches[i]->desc.name, bench->desc.name) == 0)
      return refuse_taken_name(registry, "two benches are named '%s'", bench->desc.name);
    if (strcmp(plugin->benches[i]->desc.contract, bench->desc.contract) == 0)
      return refuse_taken_name(registry, "two benches have the contract '%s'", bench->desc.contract);
  }
  for (size_t i = 0; bench->own.variants != NULL && bench->own.variants[i] != NULL; i++)
    if (add_variant(registry, bench->own.variants[i], bench->desc.contract, (int)plugin->bench_count - 1) != GB_OK) {
      err_context(&registry->err, "bench '%s'", bench->desc.name);
      return GB_EINVAL;
    }
  return GB_OK;
}

gb_status register_guest(const gb_host *host, gb_registry *registry, const char *contract, const gb_variant *variant) {
  if (registry_of(host, registry) == NULL) return GB_EINVAL;
  char own[TEXT_SIZE];
  if (registry->err.exit_code != 0) return GB_EINVAL;
  if (variant == NULL) return refuse_entry(registry, "attach: %s", "variant is NULL");
  if (abi_contract(contract, own, &registry->err) != 0) return GB_EINVAL;
  return add_variant(registry, variant, own, -1);
}

/* Describes the plugins that a command is about, and learns their contracts. */
#include "contract/loaded.h"

#include <stdio.h>
#include <string.h>

#include "ask/describe.h"
#include "options/device_list.h"
#include "plugin/loader.h"
#include "run/devices.h"
#include "worker/interpreter.h"

void loaded_log(const struct log_message *message) {
  fprintf(stderr, "gpubench: %s: %s\n", message->plugin, message->text);
}

int loaded_describe(const struct options *options, struct catalog *catalog, struct err *err) {
  SCOPED_STRINGS struct strings names = {0};
  size_t index;
  int refused = 0;
  interpreter_choose(options->common.python);
  for (size_t i = 0; i < options->cli.plugins.count; i++)
    strings_add(&names, options->cli.plugins.items[i]);
  if (names.count == 0) loader_available(&names);
  for (size_t i = 0; i < names.count && refused == 0; i++)
    refused = describe_plugin(catalog, names.items[i], options->common.trust_plugins ? LOADER_ALL : LOADER_TYPED,
                              options_timeout_s(options), &index, err);
  describe_warnings(catalog, stderr);
  return refused;
}

bool loaded_is_named(const struct catalog *catalog, const struct lineup *lineup, const char *name, bool whole,
                     bool (*is)(const char *name, const char *text)) {
  if (whole) return is(name, lineup->desc->contract) || is(name, lineup->id);
  return is(name, catalog->plugins[lineup->plugin].desc.id) || is(name, lineup->desc->name);
}

static int learn_on(const struct options *options, const struct catalog *catalog, const char *spec,
                    const struct lineup *lineup, struct contract *contract, struct err *err) {
  struct pool pool = {.catalog = catalog, .device = spec, .timeout_s = options_timeout_s(options), .log = loaded_log};
  int rc = contract_learn(&pool, lineup, &options->cli, devices_backend(spec), contract, err);
  pool_free(&pool);
  return rc;
}

int loaded_learn(const struct options *options, const struct catalog *catalog, const struct lineup *lineup,
                 struct contract *contract, struct err *err) {
  char spec[TEXT_SIZE], why[TEXT_SIZE];
  bool automatic = strcmp(options->common.device, "auto") == 0;
  if (automatic) {
    if (learn_on(options, catalog, "cpu", lineup, contract, err) != 0) return -1;
    if (contract->why[0] == '\0') return 0;
  }
  if (run_choose_device(options->common.device, spec, sizeof spec, why, sizeof why, err) != 0) return -1;
  if (automatic && devices_are(spec, DEVICE_HOST_PROCESSORS)) return 0;
  contract_free(contract);
  return learn_on(options, catalog, spec, lineup, contract, err);
}

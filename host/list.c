/* What `gpubench list` gathers. cmd_list.c knows how it looks. */
#include "list.h"

#include <string.h>

#include "cmd_list.h"
#include "describe.h"
#include "loader.h"
#include "run.h"
#include "supervisor.h"

enum { DEVICES_MAX = 2 };

static void take_facts(void *user, const struct message *message) {
  struct device_facts *facts = user;
  const void *payload = wire_as(message, sizeof *facts);
  if (message->type == MSG_FACTS && payload != NULL) memcpy(facts, payload, sizeof *facts);
}

static int open_device(const char *spec, double timeout_s, struct device_facts *facts, struct err *err) {
  struct supervised *worker;
  struct ending ending;
  const struct listener listener = {.user = facts, .message = take_facts};
  if (supervised_start(&worker, err) != 0) return -1;
  supervised_ask(worker, MSG_DEVICE, spec, strlen(spec) + 1, &listener, timeout_s, &ending);
  supervised_stop(worker);
  if (ending.kind == ENDING_DONE) return 0;
  if (ending.kind == ENDING_FAILED) return err_set(err, ending.err.exit_code, "%s", ending.err.text);
  return err_set(err, EXIT_DEVICE, "%s: %s", spec, ending.how);
}

/* The device a run would choose, and the CPU, which is always there. */
static int find_devices(const struct options *options, struct device_facts *devices, size_t *count, struct err *err) {
  char spec[TEXT_SIZE], why[TEXT_SIZE];
  if (run_choose_device(options->device, spec, sizeof spec, why, sizeof why, err) != 0) return -1;
  if (open_device(spec, options->timeout_s, &devices[(*count)++], err) != 0) return -1;
  if (strcmp(spec, "cpu") == 0) return 0;
  return open_device("cpu", options->timeout_s, &devices[(*count)++], err);
}

static int describe_named(const struct options *options, struct catalog *catalog, struct err *err) {
  struct strings names = {0};
  size_t index;
  int refused = 0;
  for (size_t i = 0; i < options->cli.plugins.count; i++)
    strings_add(&names, options->cli.plugins.items[i]);
  if (names.count == 0) loader_available(&names);
  for (size_t i = 0; i < names.count && refused == 0; i++)
    refused = describe_plugin(catalog, names.items[i], options->trust_plugins ? LOADER_ALL : LOADER_TYPED,
                              options->timeout_s, &index, err);
  strings_free(&names);
  describe_warnings(catalog, stderr);
  return refused;
}

int list_command(const struct options *options, struct err *err) {
  struct catalog catalog = {0};
  struct device_facts devices[DEVICES_MAX] = {0};
  struct err no_device = {0};
  size_t count = 0;
  int code = EXIT_FAILED;
  supervisor_catch_signals();
  if (describe_named(options, &catalog, err) == 0) {
    if (find_devices(options, devices, &count, &no_device) != 0) { /* a list of plugins needs none */
      count = 0;
      fprintf(stderr, "gpubench: %s\n", no_device.text);
    }
    code = cmd_list(options, &catalog, devices, count, stdout);
  }
  catalog_free(&catalog);
  return err->exit_code != 0 ? err->exit_code : code;
}

/* Collects what `gpubench list` shows; commands/list_text.c and contract/forms.c print it. */
#include "commands/commands.h"

#include <string.h>

#include "ask/describe.h"
#include "ask/find_contract.h"
#include "base/memory.h"
#include "commands/list_text.h"
#include "contract/contract.h"
#include "contract/forms.h"
#include "options/device_list.h"
#include "plan/filter.h"
#include "plan/lineup.h"
#include "run/devices.h"
#include "worker/signals.h"

enum { DEVICES_MAX = 65, RUNS_MOST = 10 };

static int probe_device(struct pool *pool, const char *spec, struct device_facts *facts, struct err *err) {
  if (pool_probe(pool, spec, err) != 0) return -1;
  *facts = pool->facts;
  return 0;
}

static int open_devices(const struct options *options, const char *list, struct device_facts *devices, size_t *count,
                        struct err *err) {
  SCOPED_STRINGS struct strings specs = {0};
  struct pool pool = {.timeout_s = options_timeout_s(options), .log = loaded_log};
  devices_split(list, &specs);
  int rc = devices_check(&specs, err) == 0 ? run_expand_devices(&pool, &specs, err) : -1;
  bool cpu = false;
  for (size_t i = 0; i < specs.count && *count + 1 < DEVICES_MAX && rc == 0; i++) {
    cpu = cpu || (devices_are(specs.items[i], DEVICE_HOST_PROCESSORS) && !devices_are(specs.items[i], DEVICE_SCRIPTED));
    rc = probe_device(&pool, specs.items[i], &devices[(*count)++], err);
  }
  if (rc == 0 && !cpu) rc = probe_device(&pool, "cpu", &devices[(*count)++], err);
  pool_free(&pool);
  return rc;
}

/* Finds the devices that a run would use, and the CPU, which always exists. */
static int find_devices(const struct options *options, struct device_facts *devices, size_t *count, struct err *err) {
  char list[EXPR_SIZE], why[EXPR_SIZE + TEXT_SIZE];
  if (run_choose_device(options->common.device, list, sizeof list, why, sizeof why, err) != 0) return -1;
  return open_devices(options, list, devices, count, err);
}

/* Returns the backend of the device that a run would choose. Only presets (named sets of parameter values) that are
 * default on this backend are shown. NULL with --all: all presets are shown. */
static const char *backend_of(const struct options *options) {
  char list[EXPR_SIZE], why[EXPR_SIZE + TEXT_SIZE];
  struct err none = {0};
  if (options->list.all) return NULL;
  if (run_choose_device(options->common.device, list, sizeof list, why, sizeof why, &none) != 0) return NULL;
  return devices_backend(list);
}

static int list_stored_runs(const struct options *options) {
  const struct catalog none = {0};
  const struct lineups no_lineups = {0};
  struct stored_runs runs;
  stored_runs_read(options->list.all ? SIZE_MAX : RUNS_MOST, &runs);
  const struct listing listing = {.catalog = &none, .lineups = &no_lineups, .runs = &runs};
  int code = list_print(&listing, options->list.json, stdout);
  stored_runs_free(&runs);
  return code;
}

/* Lists the chosen benches and, if all plugins are listed, the newest stored runs. */
static int list_benches(const struct options *options, const struct listing *chosen, struct err *err) {
  struct device_facts devices[DEVICES_MAX] = {0};
  struct stored_runs runs = {0};
  struct err no_device = {0};
  struct listing listing = *chosen;
  listing.devices = devices;
  /* if no device can be found, that is only reported, because plugins can be listed without one */
  if (find_devices(options, devices, &listing.device_count, &no_device) != 0) {
    listing.device_count = 0;
    if (no_device.exit_code == EXIT_USAGE) return *err = no_device, EXIT_USAGE;
    fprintf(stderr, "gpubench: %s\n", no_device.text);
  }
  listing.backend = backend_of(options);
  if (options->cli.plugins.count == 0 && listing.chosen == NULL) {
    stored_runs_read(options->list.all ? SIZE_MAX : RUNS_MOST, &runs);
    listing.runs = &runs;
  }
  int code = list_print(&listing, options->list.json, stdout);
  stored_runs_free(&runs);
  return code;
}

static int list_lineups(const struct options *options, const struct catalog *catalog, struct err *err) {
  struct lineups lineups;
  struct source source;
  lineups_all(catalog, &lineups);
  int rc = source_init(&source, &options->cli, lineups.count, err);
  for (size_t i = 0; rc == 0 && i < lineups.count; i++)
    source.chosen[i] = source_match(&source, FILTER_BENCH, lineups.items[i].desc->name, lineups.items[i].id);
  if (rc == 0) rc = source_check_benches(&source, &lineups, err);
  struct listing listing = {
      .catalog = catalog, .lineups = &lineups, .chosen = options->cli.benches.count > 0 ? source.chosen : NULL};
  int code = rc == 0 ? list_benches(options, &listing, err) : err->exit_code;
  source_free(&source);
  lineups_free(&lineups);
  return code;
}

/* ---- Listing contracts ---- */

/* Marks the benches that the name of --contract means, and returns their number. First looks for a contract or a
 * PLUGIN/BENCH of this name. If there is none, looks for plugins and benches of this name. */
static size_t find_meant(const struct options *options, const struct catalog *catalog, const struct lineups *lineups,
                         bool *meant) {
  size_t count = 0;
  for (int whole = 1; whole >= 0 && count == 0; whole--)
    for (size_t i = 0; i < lineups->count; i++) {
      meant[i] = loaded_is_named(catalog, &lineups->items[i], options->list.contract, whole, text_glob);
      count += meant[i];
    }
  return count;
}

static int check_meant(const struct options *options, const struct lineups *lineups, const bool *meant, size_t count,
                       const struct catalog *catalog, struct err *err) {
  if (count == 0) return find_contract_unknown(catalog, options->list.contract, options_timeout_s(options), err);
  if (options->list.skeleton && count > 1)
    return err_set(err, EXIT_USAGE, "--skeleton needs exactly one contract; '%.200s' matches %zu",
                   options->list.contract, count);
  for (size_t k = 0; k < options->cli.cases.count; k++) {
    const char *key = options->cli.cases.items[k];
    bool found = false;
    for (size_t i = 0; i < lineups->count; i++) {
      size_t length = strlen(lineups->items[i].id);
      if (!meant[i] || strncmp(key, lineups->items[i].id, length) != 0) continue;
      found = found || key[length] == '\0' || key[length] == '[';
    }
    if (!found) return err_set(err, EXIT_USAGE, "--case '%.500s' is no case of '%.200s'", key, options->list.contract);
  }
  return 0;
}

static int list_contracts(const struct options *options, const struct catalog *catalog, struct err *err) {
  struct lineups lineups;
  lineups_all(catalog, &lineups);
  SCOPED struct contract *contracts = xcalloc(lineups.count, sizeof *contracts);
  SCOPED bool *meant = xcalloc(lineups.count, sizeof *meant);
  size_t count = 0;
  int rc = check_meant(options, &lineups, meant, find_meant(options, catalog, &lineups, meant), catalog, err);
  for (size_t i = 0; rc == 0 && i < lineups.count; i++)
    if (meant[i]) rc = loaded_learn(options, catalog, &lineups.items[i], &contracts[count++], err);
  int code = rc == 0 ? contract_print(options, catalog, contracts, count, stdout) : err->exit_code;
  for (size_t i = 0; i < count; i++)
    contract_free(&contracts[i]);
  lineups_free(&lineups);
  return code;
}

/* Checks options that need --contract, or that exclude each other. */
static int check_list_options(const struct options *options, struct err *err) {
  const char *alone = options->list.skeleton ? "skeleton" : options->list.markdown ? "markdown" : NULL;
  if (options->cli.cases.count > 0) alone = "case";
  if (options->list.contract == NULL && alone != NULL)
    return err_set(err, EXIT_USAGE, "list --%s needs --contract", alone);
  if (options->list.json + options->list.markdown + options->list.skeleton > 1)
    return err_set(err, EXIT_USAGE, "give only one of --json, --markdown and --skeleton");
  if (options->list.runs &&
      (options->list.contract != NULL || options->cli.plugins.count + options->cli.benches.count > 0))
    return err_set(err, EXIT_USAGE, "--runs lists stored runs only: it takes no plugin, --bench or --contract");
  if (options->list.contract != NULL && (options->cli.benches.count > 0 || options->list.all))
    return err_set(err, EXIT_USAGE, "--contract lists contracts: no --%s", options->list.all ? "all" : "bench");
  return 0;
}

int list_command(const struct options *options, struct err *err) {
  struct catalog catalog = {0};
  int code = EXIT_FAILED;
  signals_catch();
  if (check_list_options(options, err) != 0) return err->exit_code;
  if (options->list.runs) return list_stored_runs(options);
  if (loaded_describe(options, &catalog, err) == 0)
    code =
        options->list.contract != NULL ? list_contracts(options, &catalog, err) : list_lineups(options, &catalog, err);
  catalog_free(&catalog);
  return err->exit_code != 0 ? err->exit_code : code;
}

/* Prints the benches and variants of the loaded plugins, and the devices. What a command line would run is shown by
 * `gpubench --dry-run` instead. */
#include "commands/list_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "contract/words.h"
#include "model/axis.h"
#include "model/build_label.h"
#include "record/find.h"
#include "record/run_data.h"

static void read_stored_run(const char *path, const char *latest, struct stored_run *run) {
  struct err unreadable = {0};
  struct run_data ini;
  *run = (struct stored_run){.name = xstrdup(text_file_name(path))};
  run_data_load_ini(path, &ini, &unreadable);
  run->environment = ini.environment;
  ini.environment = (struct pairs){0};
  run_data_free(&ini);
  const char *paths[] = {path, latest};
  run->latest = latest != NULL && run_data_check_different(paths, 2, &unreadable) != 0;
}

void stored_runs_read(size_t most, struct stored_runs *runs) {
  SCOPED_STRINGS struct strings paths = {0};
  struct err none = {0};
  find_all(&paths);
  SCOPED char *latest = paths.count != 0 ? find_run("latest", &none) : NULL;
  *runs = (struct stored_runs){.items = xcalloc(paths.count, sizeof *runs->items)};
  for (; runs->count < paths.count && runs->count < most; runs->count++)
    read_stored_run(paths.items[runs->count], latest, &runs->items[runs->count]);
  runs->rest = paths.count - runs->count;
}

void stored_runs_free(struct stored_runs *runs) {
  for (size_t i = 0; i < runs->count; i++) {
    free(runs->items[i].name);
    pairs_free(&runs->items[i].environment);
  }
  free(runs->items);
  *runs = (struct stored_runs){0};
}

/* ---- Printing as text ---- */

/* Returns true if a run on this backend includes the preset by default. */
static bool is_default(const struct preset_desc *preset, const char *backend) {
  const size_t length = strlen(backend);
  for (const char *at = preset->backends; (at = strstr(at, backend)) != NULL; at += length)
    if ((at == preset->backends || strchr(", ", at[-1]) != NULL) && (at[length] == '\0' || strchr(", ", at[length])))
      return true;
  return false;
}

/* Returns the backend whose default presets are shown for a bench. That is the backend of the listing or, if the bench
 * has no variants on it, a backend of the bench's own variants. NULL: all presets are shown. */
static const char *backend_for(const struct listing *listing, const struct lineup *lineup) {
  for (size_t i = 0; listing->backend != NULL && i < lineup->variant_count; i++)
    if (strcmp(lineup->variants[i].desc->backend, listing->backend) == 0) return listing->backend;
  return listing->backend != NULL && lineup->variant_count > 0 ? lineup->variants[0].desc->backend : listing->backend;
}

static void print_listed_presets(const struct bench_desc *bench, const char *backend, FILE *out) {
  size_t rest = 0;
  for (uint32_t i = 0; i < bench->preset_count; i++) {
    const bool shown = backend == NULL || is_default(&bench->presets[i], backend);
    if (shown) bench_text_preset("    preset   ", &bench->presets[i], "  by name only", out);
    rest += !shown;
  }
  if (rest != 0) fprintf(out, "    preset   and %zu more, not run by default on %s: list --all\n", rest, backend);
}

static void print_listed_bench(const struct listing *listing, const struct lineup *lineup, FILE *out) {
  fprintf(out, "  %s", lineup->id);
  bench_text_contract("  contract ", lineup->desc->contract, lineup->desc->contract_minor, out);
  bench_text_put(out, "  -- ", lineup->desc->summary);
  putc('\n', out);
  for (uint32_t i = 0; i < lineup->desc->axis_count; i++)
    bench_text_axis("    axis     ", &lineup->desc->axes[i], out);
  bench_text_devices("    devices  ", lineup->desc, out);
  print_listed_presets(lineup->desc, backend_for(listing, lineup), out);
  for (size_t i = 0; i < lineup->variant_count; i++)
    bench_text_variant("    variant  ", listing->catalog, &lineup->variants[i], out);
}

/* Prints a guest (a variant of another plugin's bench) below the plugin that it comes from, because the plugin with the
 * bench may not be loaded. */
static void print_guest(const struct variant_desc *guest, FILE *out) {
  fprintf(out, "  guest      %-24s %-5s %s", guest->name, guest->backend, guest->math);
  bench_text_contract("  for ", guest->contract, guest->contract_minor, out);
  putc('\n', out);
}

static void print_setting(const struct catalog_plugin *plugin, const struct setting_desc *option, FILE *out) {
  fprintf(out, "  option     %s.%s %s  ", plugin->desc.id, option->name, axis_type_name(option->type));
  bench_text_put(out, "", option->value);
  bench_text_put(out, "  of ", option->choices);
  bench_text_put(out, "  ", option->unit);
  bench_text_put(out, "  -- ", option->summary);
  putc('\n', out);
}

static bool has_bench(const struct listing *listing, size_t plugin, size_t lineup) {
  return listing->lineups->items[lineup].plugin == plugin && (listing->chosen == NULL || listing->chosen[lineup]);
}

/* Returns true if the plugin is listed. If only some benches are asked for, plugins without any of them are not. */
static bool shows_plugin(const struct listing *listing, size_t p) {
  for (size_t i = 0; i < listing->lineups->count; i++)
    if (has_bench(listing, p, i)) return true;
  return listing->chosen == NULL;
}

static void print_listed_plugin(const struct listing *listing, size_t p, FILE *out) {
  const struct catalog_plugin *plugin = &listing->catalog->plugins[p];
  char shown[2 * ID_SIZE];
  if (!shows_plugin(listing, p)) return;
  label_show(shown, sizeof shown, plugin->desc.id, plugin->label);
  bench_text_put(out, "", shown);
  bench_text_put(out, " ", plugin->desc.version);
  bench_text_put(out, "  ", plugin->path);
  bench_text_put(out, "  -- ", plugin->desc.summary);
  putc('\n', out);
  for (size_t i = 0; i < listing->lineups->count; i++)
    if (has_bench(listing, p, i)) print_listed_bench(listing, &listing->lineups->items[i], out);
  for (size_t v = 0; v < plugin->desc.variant_count && listing->chosen == NULL; v++)
    if (plugin->variants[v].bench < 0) print_guest(&plugin->variants[v], out);
  for (uint32_t i = 0; i < plugin->desc.setting_count; i++)
    print_setting(plugin, &plugin->settings[i].desc, out);
}

static void print_device(const struct device_facts *device, FILE *out) {
  bench_text_put(out, "device ", device->spec);
  bench_text_put(out, "  ", device->name);
  bench_text_put(out, "  ", device->uuid);
  bench_text_put(out, "  driver ", device->driver);
  if (device->memory_bytes >= 0) {
    char memory[32];
    text_bytes(memory, sizeof memory, (double)device->memory_bytes);
    fprintf(out, "  %s", memory);
  }
  putc('\n', out);
}

static const char *run_fact(const struct stored_run *run, const char *name) {
  return text_or_empty(pairs_get(&run->environment, name));
}

static void print_stored_runs(const struct stored_runs *runs, FILE *out) {
  for (size_t i = 0; i < runs->count; i++) {
    const struct stored_run *run = &runs->items[i];
    bench_text_put(out, "run ", run->name);
    bench_text_put(out, "  ", run_fact(run, "device_name"));
    bench_text_put(out, "  ", run_fact(run, "wall_s"));
    fputs(run_fact(run, "wall_s")[0] != '\0' ? " s" : "  not finished", out);
    if (strcmp(run_fact(run, "quick"), "1") == 0) fputs("  quick", out);
    fputs(run->latest ? "  latest\n" : "\n", out);
  }
  if (runs->rest != 0) fprintf(out, "run and %zu older ones: list --runs --all\n", runs->rest);
}

/* ---- Printing as JSON ---- */

static void json_bench(struct json *json, const struct catalog *catalog, const struct lineup *lineup) {
  json_object(json, NULL);
  json_text(json, "id", lineup->id);
  json_text(json, "contract", lineup->desc->contract);
  json_whole(json, "contract_minor", lineup->desc->contract_minor);
  json_text(json, "summary", lineup->desc->summary);
  bench_json(json, lineup->desc);
  bench_json_variants(json, catalog, lineup, true);
  json_object_end(json);
}

static void json_guest(struct json *json, const struct variant_desc *guest) {
  json_object(json, NULL);
  json_text(json, "name", guest->name);
  json_text(json, "backend", guest->backend);
  json_text(json, "contract", guest->contract);
  json_whole(json, "contract_minor", guest->contract_minor);
  json_object_end(json);
}

static void json_option(struct json *json, const struct setting_desc *option) {
  json_object(json, NULL);
  json_text(json, "name", option->name);
  json_text(json, "type", axis_type_name(option->type));
  json_text(json, "unit", option->unit);
  json_text(json, "summary", option->summary);
  json_text_known(json, "choices", option->choices);
  json_text(json, "value", option->value);
  json_object_end(json);
}

static void json_plugin(struct json *json, const struct listing *listing, size_t p) {
  const struct catalog *catalog = listing->catalog;
  if (!shows_plugin(listing, p)) return;
  const struct catalog_plugin *plugin = &catalog->plugins[p];
  json_object(json, NULL);
  json_text(json, "id", plugin->desc.id);
  json_text_known(json, "label", plugin->label);
  json_text(json, "version", plugin->desc.version);
  json_text(json, "build", plugin->desc.build);
  json_text(json, "summary", plugin->desc.summary);
  json_text(json, "path", plugin->path);
  json_text(json, "sha256", plugin->sha256);
  json_array(json, "benches");
  for (size_t i = 0; i < listing->lineups->count; i++)
    if (has_bench(listing, p, i)) json_bench(json, catalog, &listing->lineups->items[i]);
  json_array_end(json);
  json_array(json, "guests"); /* includes guests whose bench is not loaded */
  for (size_t v = 0; v < plugin->desc.variant_count; v++)
    if (plugin->variants[v].bench < 0) json_guest(json, &plugin->variants[v]);
  json_array_end(json);
  json_array(json, "options");
  for (uint32_t i = 0; i < plugin->desc.setting_count; i++)
    json_option(json, &plugin->settings[i].desc);
  json_array_end(json);
  json_object_end(json);
}

static void json_device(struct json *json, const struct device_facts *device) {
  json_object(json, NULL);
  json_text(json, "spec", device->spec);
  json_text(json, "backend", device->backend);
  json_text(json, "name", device->name);
  json_text_known(json, "uuid", device->uuid);
  json_text_known(json, "driver", device->driver);
  json_text_known(json, "runtime", device->runtime);
  json_whole_known(json, "compute_capability", device->compute_capability);
  json_whole_known(json, "sm_count", device->sm_count);
  json_whole_known(json, "l2_bytes", device->l2_bytes);
  json_whole_known(json, "memory_bytes", device->memory_bytes);
  json_whole_known(json, "threads", device->threads);
  json_object_end(json);
}

static void json_runs(struct json *json, const struct stored_runs *runs) {
  json_array(json, "runs");
  for (size_t i = 0; i < runs->count; i++) {
    const struct stored_run *run = &runs->items[i];
    static const char *const names[] = {"name", "started_utc", "device_name", "wall_s", "command"};
    json_object(json, NULL);
    json_text(json, "directory", run->name);
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
      json_text(json, names[n], pairs_get(&run->environment, names[n]));
    json_bool(json, "latest", run->latest);
    json_object_end(json);
  }
  json_array_end(json);
}

static int list_json(const struct listing *listing, FILE *out) {
  struct json json;
  json_begin(&json, out);
  json_object(&json, NULL);
  json_array(&json, "plugins");
  for (size_t p = 0; p < listing->catalog->count; p++)
    json_plugin(&json, listing, p);
  json_array_end(&json);
  json_array(&json, "devices");
  for (size_t d = 0; d < listing->device_count; d++)
    json_device(&json, &listing->devices[d]);
  json_array_end(&json);
  if (listing->runs != NULL) json_runs(&json, listing->runs);
  json_object_end(&json);
  return json_end(&json);
}

static int list_text(const struct listing *listing, FILE *out) {
  for (size_t p = 0; p < listing->catalog->count; p++)
    print_listed_plugin(listing, p, out);
  for (size_t d = 0; d < listing->device_count; d++)
    print_device(&listing->devices[d], out);
  if (listing->runs != NULL) print_stored_runs(listing->runs, out);
  return fflush(out) != 0 || ferror(out) ? -1 : 0;
}

int list_print(const struct listing *listing, bool json, FILE *out) {
  return (json ? list_json : list_text)(listing, out) ? EXIT_FAILED : EXIT_OK;
}

/* Continues an interrupted run (--resume). Every run writes into its file run.ini the facts that are needed to continue
 * it later. */
#include "resume/resume.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/rng.h"
#include "base/text.h"
#include "model/build_label.h"
#include "plan/shard.h"
#include "plugin/brought.h"
#include "record/csv/csv.h"
#include "record/find.h"

static char *run_file_path(const struct rundir *dir, enum run_file which) {
  return memory_print("%s/%s", dir->path, rundir_file_name(which));
}

/* ---- Reading ---- */

static int read_ini(struct resume *r, const struct rundir *dir, struct err *err) {
  static const char begin[] = "\n[case-";
  unsigned long long number;
  if (run_data_load_ini(dir->path, &r->ini, err) != 0) return -1;
  if (r->ini.runs[0].ini == NULL)
    return err_set(err, EXIT_USAGE, "%s has no run.ini: it ended before it had a plan, so there is nothing to resume",
                   dir->path);
  for (const char *at = r->ini.runs[0].ini; (at = strstr(at, begin)) != NULL; at++) {
    if (sscanf(at + sizeof begin - 1, "%18llu]", &number) != 1) continue;
    r->numbers = xgrow(r->numbers, r->number_count, sizeof *r->numbers);
    r->numbers[r->number_count++] = (size_t)number;
  }
  return 0;
}

const char *resume_get(const struct resume *r, const char *name) {
  return run_data_get(&r->ini, name);
}

/* Returns a value of run.ini for the device with this number (from 1), or else the value for all devices. */
static const char *get_of_device(const struct resume *r, size_t number, const char *name) {
  char key[ID_SIZE];
  snprintf(key, sizeof key, "device.%zu.%s", number, name);
  const char *own = resume_get(r, key);
  return own != NULL ? own : resume_get(r, name);
}

/* Checks the header of results.csv. Sets `*whole` if it is complete; the run may have died while writing it. */
static int check_header(const struct rundir *dir, bool *whole, struct err *err) {
  struct memory_text wanted;
  struct err ignored = {0};
  SCOPED char *path = run_file_path(dir, FILE_RESULTS);
  SCOPED_FILE FILE *in = fopen(path, "re");
  if (in == NULL) return err_set(err, EXIT_USAGE, "%s is not a run directory: %s", dir->path, strerror(errno));
  csv_write_header(memory_text_begin(&wanted), &ignored);
  SCOPED char *header = memory_text_end(&wanted);
  SCOPED char *text = xcalloc(wanted.size, 1);
  const size_t got = fread(text, 1, wanted.size, in);
  const bool same = memcmp(text, header, got) == 0;
  *whole = got == wanted.size;
  if (same) return 0;
  return err_set(err, EXIT_USAGE, "%s/%s has other columns than this version of gpubench writes", dir->path,
                 rundir_file_name(FILE_RESULTS));
}

/* Reads results.csv. Fails if a row was changed after the run had written it. */
static int read_results(struct resume *r, const struct rundir *dir, struct err *err) {
  struct run_data proven = {0};
  SCOPED char *path = run_file_path(dir, FILE_RESULTS);
  int rc = run_data_load(path, &r->data, err);
  if (rc != 0 || r->data.count == 0) return rc;
  r->rows = r->data.count - r->data.runs[0].unended;
  rc = run_data_load_proven(dir->path, &proven, err);
  run_data_free(&proven);
  return rc == 0 ? 0 : err_context(err, "cannot resume");
}

int resume_load(const char *path, struct rundir *dir, struct resume *r, struct err *err) {
  bool headed = false;
  *r = (struct resume){0};
  if (rundir_open(path, dir, err) != 0 || check_header(dir, &headed, err) != 0 || read_ini(r, dir, err) != 0) return -1;
  return headed ? read_results(r, dir, err) : 0;
}

void resume_free(struct resume *r) {
  run_data_free(&r->ini);
  run_data_free(&r->data);
  free(r->numbers);
  for (size_t i = 0; i < r->case_count; i++)
    free(r->cases[i].rows);
  free(r->cases);
  free(r->epochs_used);
  *r = (struct resume){0};
}

/* ---- Comparing with the present ---- */

void resume_plugin_name(const struct catalog_plugin *plugin, char *to, size_t size) {
  char shown[2 * ID_SIZE];
  label_show(shown, sizeof shown, plugin->desc.id, plugin->label);
  snprintf(to, size, "plugin.%s", shown);
}

void resume_plugin_text(const struct catalog_plugin *plugin, char *to, size_t size) {
  const struct plugin_desc *desc = &plugin->desc;
  snprintf(to, size, "sha256 %s, ABI %u.%u, version %s%s%s", plugin->sha256, desc->abi_built >> 16,
           desc->abi_built & 0xFFFF, desc->version, desc->build[0] ? ", build " : "", desc->build);
}

/* Writes "setting.PLUGIN.NAME", the key of a plugin's option in run.ini. If two builds of the plugin are loaded, the
 * key also has the label of the build. */
static void resume_setting_name(const struct catalog_plugin *plugin, const struct catalog_setting *setting, char *to,
                                size_t size) {
  char shown[2 * ID_SIZE];
  label_show(shown, sizeof shown, plugin->desc.id, plugin->label);
  snprintf(to, size, "setting.%s.%s", shown, setting->desc.name);
}

static int check_unchanged(const char *what, const char *recorded, const char *now, struct err *err) {
  if (recorded == NULL) recorded = "";
  if (strcmp(recorded, now) == 0) return 0;
  return err_set(err, EXIT_USAGE, "cannot resume: %s was '%.700s', now it is '%.700s'", what, recorded, now);
}

static int same_settings(const struct resume *r, const struct catalog_plugin *plugin, struct err *err) {
  for (uint32_t i = 0; i < plugin->desc.setting_count; i++) {
    char name[RESUME_PLUGIN_SIZE + ID_SIZE];
    resume_setting_name(plugin, &plugin->settings[i], name, sizeof name);
    if (check_unchanged(name, resume_get(r, name), plugin->settings[i].value.text, err) != 0) return -1;
  }
  return 0;
}

static int same_devices(const struct resume *r, const struct resume_device *devices, size_t count, struct err *err) {
  const char *recorded = resume_get(r, "devices");
  char what[64], number[32];
  snprintf(number, sizeof number, "%zu", count);
  if (check_unchanged("the number of devices", recorded != NULL ? recorded : "1", number, err) != 0) return -1;
  if (count == 1) return check_unchanged("the device", resume_get(r, "device_name"), devices[0].name, err);
  for (size_t i = 0; i < count; i++) {
    const char *id = get_of_device(r, i + 1, "id");
    snprintf(what, sizeof what, "device %zu", i + 1);
    /* skips a device that was never used, because it has no rows yet, and one that cannot be used now, because it gets
     * no new rows */
    if (id == NULL || devices[i].id == NULL) continue;
    if (check_unchanged(what, get_of_device(r, i + 1, "device_name"), devices[i].name, err) != 0) return -1;
    if (check_unchanged(what, id, devices[i].id, err) != 0) return -1;
  }
  return 0;
}

int resume_check(const struct resume *r, const struct pairs *environment, const struct catalog *catalog,
                 const struct resume_device *devices, size_t device_count, struct err *err) {
  static const char *const own[] = {"gpubench_version", "gpubench_build"};
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
    if (check_unchanged(own[i], resume_get(r, own[i]), text_or_empty(pairs_get(environment, own[i])), err) != 0)
      return -1;
  if (same_devices(r, devices, device_count, err) != 0) return -1;
  for (size_t i = 0; i < catalog->count; i++) {
    char name[RESUME_PLUGIN_SIZE], text[4 * TEXT_SIZE];
    resume_plugin_name(&catalog->plugins[i], name, sizeof name);
    resume_plugin_text(&catalog->plugins[i], text, sizeof text);
    if (check_unchanged(name, resume_get(r, name), text, err) != 0) return -1;
    if (same_settings(r, &catalog->plugins[i], err) != 0) return -1;
  }
  return 0;
}

/* ---- Complete cases ---- */

static bool row_has_ended(const struct record *row) {
  return strcmp(text_or_empty(row->status), "not_run") != 0 &&
         strcmp(text_or_empty(row->stop_reason), "interrupted") != 0;
}

/* Finds the rows of a case. `id`: the device's id as in the rows. */
static void match_case(const struct resume *r, const struct map *rows, const struct plan_case *p, const char *id,
                       struct resume_case *c, bool *planned) {
  c->rows = xcalloc(p->variant_count + 1, sizeof *c->rows);
  c->complete = true;
  for (size_t v = 0; v < p->variant_count; v++) {
    const size_t row = run_data_row(rows, id, p->key, mode_name(p->mode), p->variants[v].name);
    c->rows[v] = row;
    c->complete = c->complete && row != MAP_NONE && row_has_ended(&r->data.records[row]);
    if (row != MAP_NONE) planned[row] = true;
  }
}

static int check_planned(const struct resume *r, const bool *planned, struct err *err) {
  for (size_t row = 0; row < r->rows; row++) {
    const struct record *record = &r->data.records[row];
    if (!planned[row])
      return err_set(err, EXIT_USAGE, "cannot resume: results.csv has %.500s %.130s %.40s, which is not in the plan",
                     text_or_empty(record->case_key), text_or_empty(record->variant), text_or_empty(record->mode));
  }
  return 0;
}

/* Returns the id of a device as recorded in run.ini, because a device that cannot be used now still has rows. If none
 * is recorded, the device was never used and has no rows; then returns its present id. */
static const char *id_of(const struct resume *r, size_t number, const struct resume_device *device) {
  const char *id = get_of_device(r, number, "id");
  return text_or_empty(id != NULL ? id : device->id);
}

static int match_cases(struct resume *r, const struct plan *plan, const struct resume_device *devices,
                       size_t device_count, struct err *err) {
  struct map rows = {0};
  SCOPED bool *planned = xcalloc(r->rows + 1, sizeof *planned);
  int rc = run_data_index(&r->data, r->rows, device_count > 1, &rows) == MAP_NONE
               ? 0
               : err_set(err, EXIT_USAGE, "cannot resume: results.csv has a row twice");
  r->case_count = plan->count * device_count;
  r->cases = xcalloc(r->case_count, sizeof *r->cases);
  for (size_t i = 0; i < r->case_count && rc == 0; i++) {
    const size_t device = i / plan->count;
    const char *id = device_count > 1 ? id_of(r, device + 1, &devices[device]) : "";
    match_case(r, &rows, &plan->cases[i % plan->count], id, &r->cases[i], planned);
  }
  if (rc == 0) rc = check_planned(r, planned, err);
  map_free(&rows);
  return rc;
}

/* ---- Epochs ---- */

enum { SAMPLE_CASE = 0, SAMPLE_MODE = 2, SAMPLE_EPOCH = 3 };

struct epochs {
  struct map places; /* index of each case in the plan, by key and mode */
  uint32_t *used;
};

static int take_sample(void *user, char **fields, struct err *err) {
  (void)err;
  const struct epochs *e = user;
  csv_unguard(fields[SAMPLE_CASE]);
  const char *key[] = {fields[SAMPLE_CASE], fields[SAMPLE_MODE]};
  const size_t at = map_get(&e->places, key, 2);
  const unsigned long epoch = strtoul(fields[SAMPLE_EPOCH], NULL, 10);
  if (at != MAP_NONE && epoch > e->used[at] && epoch < UINT32_MAX) e->used[at] = (uint32_t)epoch;
  return 0;
}

/* Returns the offset at which the last complete row ends; -1: there is no such file. */
static int64_t find_end(const char *path) {
  SCOPED_FILE FILE *in = fopen(path, "re");
  SCOPED char *line = NULL;
  size_t size = 0;
  int64_t end = 0;
  if (in == NULL) return -1;
  for (ssize_t length; (length = getline(&line, &size, in)) > 0;)
    if (line[length - 1] == '\n') end += length;
  return end;
}

static int find_epochs(struct resume *r, const struct rundir *dir, const struct plan *plan, struct err *err) {
  struct epochs epochs = {.used = r->epochs_used = xcalloc(plan->count, sizeof *r->epochs_used)};
  SCOPED char *path = run_file_path(dir, FILE_SAMPLES);
  /* a file that ends within its header has no rows; that is no error */
  SCOPED_FILE FILE *in = find_end(path) > 0 ? fopen(path, "re") : NULL;
  int rc = 0;
  for (size_t i = 0; i < plan->count; i++) {
    const char *key[] = {plan->cases[i].key, mode_name(plan->cases[i].mode)};
    map_put(&epochs.places, key, 2, i);
  }
  if (in != NULL) rc = csv_table_read(in, path, rundir_table(FILE_SAMPLES), take_sample, &epochs, NULL, err);
  if (rc != 0) err->exit_code = EXIT_USAGE;
  map_free(&epochs.places);
  return rc;
}

int resume_match(struct resume *r, const struct rundir *dir, const struct plan *plan,
                 const struct resume_device *devices, size_t device_count, struct err *err) {
  return match_cases(r, plan, devices, device_count, err) == 0 ? find_epochs(r, dir, plan, err) : -1;
}

/* ---- Preparing the files ---- */

/* Opens a file for appending after its last complete row. A file without a complete header is created again. */
static int reopen_file(struct rundir *dir, enum run_file which, struct err *err) {
  SCOPED char *path = run_file_path(dir, which);
  const int64_t end = find_end(path);
  int rc = end == 0 && remove(path) != 0 ? err_set(err, EXIT_FAILED, "%s: %s", path, strerror(errno)) : 0;
  if (end > 0) return rundir_attach(dir, which, end, err);
  return rc == 0 && which < FILE_GRAPH ? rundir_make(dir, which, err) : rc;
}

/* Writes results.csv again with only the rows of complete cases. */
static int repair_results(const struct resume *r, struct rundir *dir, const struct plan *plan, struct err *err) {
  struct memory_text rows;
  SCOPED bool *keep = xcalloc(r->rows + 1, sizeof *keep);
  for (size_t i = 0; i < r->case_count; i++)
    for (size_t v = 0; r->cases[i].complete && v < plan->cases[i % plan->count].variant_count; v++)
      keep[r->cases[i].rows[v]] = true;
  FILE *out = memory_text_begin(&rows);
  int rc = csv_write_header(out, err);
  for (size_t row = 0; row < r->rows && rc == 0; row++)
    if (keep[row]) rc = csv_write_record(out, &r->data.records[row], err);
  SCOPED char *text = memory_text_end(&rows);
  if (rc == 0) rc = rundir_put(dir, rundir_file_name(FILE_RESULTS), text, rows.size, err);
  return rc == 0 ? rundir_attach(dir, FILE_RESULTS, (int64_t)rows.size, err) : -1;
}

int resume_repair(const struct resume *r, struct rundir *dir, const struct plan *plan, struct err *err) {
  for (enum run_file i = FILE_SAMPLES; i < RUN_FILE_COUNT; i++)
    if (reopen_file(dir, i, err) != 0) return -1;
  return repair_results(r, dir, plan, err);
}

/* ---- Options ---- */

static void option_key(size_t option, char *to, size_t size) {
  snprintf(to, size, "option.%s", options_name(option));
}

static int defaults(struct options *options, struct err *err) {
  char *argv[] = {"gpubench", "--resume", "."};
  return options_parse(3, argv, options, err);
}

/* Checks an option that is given together with --resume. An option that changes the measurement must have the value
 * that run.ini has recorded. */
static int check_option(const struct rundir *dir, const struct options *options, size_t option, const char *recorded,
                        struct err *err) {
  char text[EXPR_SIZE];
  if (!options->given[option] || options_is_beside_resume(option)) return 0;
  if (!options_is_noted(option))
    return err_set(err, EXIT_USAGE, "--%s does not go with --resume: %s/run.ini says what to run", options_name(option),
                   dir->path);
  options_text(options, option, text, sizeof text);
  if (strcmp(text, recorded) == 0) return 0;
  return err_set(err, EXIT_USAGE, "cannot resume: --%s was %s%s%s, now it is %s%s%s", options_name(option),
                 recorded[0] ? "'" : "", recorded[0] ? recorded : "not given", recorded[0] ? "'" : "",
                 text[0] ? "'" : "", text[0] ? text : "not given", text[0] ? "'" : "");
}

static int take_options(const struct resume *former, const struct rundir *dir, struct options *options,
                        struct err *err) {
  struct options fresh;
  int rc = defaults(&fresh, err);
  for (size_t i = 0; rc == 0 && options_name(i) != NULL; i++) {
    char key[ID_SIZE], text[EXPR_SIZE] = "";
    option_key(i, key, sizeof key);
    const char *recorded = resume_get(former, key);
    if (options_is_noted(i)) options_text(&fresh, i, text, sizeof text);
    rc = check_option(dir, options, i, recorded ? recorded : text, err);
    if (rc == 0 && recorded != NULL && options_is_kept(i) && !options->given[i])
      rc = options_set(options, i, recorded, err);
  }
  options_free(&fresh);
  return rc;
}

/* Notes the options that affect the measurement, if they differ from the defaults. */
void resume_note_options(const struct options *options, struct pairs *environment) {
  struct options fresh;
  struct err ignored = {0};
  if (defaults(&fresh, &ignored) != 0) return;
  for (size_t i = 0; options_name(i) != NULL; i++) {
    char key[ID_SIZE], text[EXPR_SIZE], usual[EXPR_SIZE];
    if (!options_is_noted(i)) continue;
    option_key(i, key, sizeof key);
    options_text(options, i, text, sizeof text);
    options_text(&fresh, i, usual, sizeof usual);
    if (strcmp(text, usual) != 0) pairs_add(environment, key, "%s", text);
  }
  options_free(&fresh);
}

/* ---- Loading ---- */

static void replace_text(char **to, const char *text) {
  if (text == NULL) return;
  free(*to);
  *to = xstrdup(text);
}

/* Finds the run by its name as other commands do, but for `last` and `latest` takes the newest run: if that was killed,
 * the link `latest` does not point to it. */
static char *former_path(const char *what, struct err *err) {
  SCOPED_STRINGS struct strings all = {0};
  char *path = NULL;
  if (access(what, F_OK) == 0) return xstrdup(what);
  if (find_is_last(what)) find_all(&all);
  path = all.count > 0 ? xstrdup(all.items[0]) : find_run(what, err);
  return path;
}

/* Finds which shard (part of a divided plan) the run is, if it is one. A run that was merged from shards is refused:
 * only its shards can be resumed. */
static int resume_shard(const struct resume *former, const struct rundir *dir, struct shard *part, size_t *whole,
                        struct err *err) {
  const char *shard = resume_get(former, "shard"), *cases = resume_get(former, "plan_cases");
  uint32_t count = 0;
  if (resume_get(former, "merged") != NULL)
    return err_set(err, EXIT_USAGE,
                   "cannot resume: %s was put together from shards; resume the one that lacks something", dir->path);
  if (shard == NULL) return 0;
  if (quantity_part("shard", shard, SHARDS_MAX, &part->number, &part->of, err) != 0 ||
      quantity_count("plan_cases", text_or_empty(cases), UINT32_MAX, &count, err) != 0)
    return err_context(err, "cannot resume: run.ini");
  *whole = count;
  if (former->number_count > 0) return 0;
  return err_set(err, EXIT_USAGE, "shard %s has no case: there is nothing to resume", shard);
}

int resume_begin(struct resume *former, struct rundir *dir, struct options *options, struct shard *shard, size_t *whole,
                 struct err *err) {
  size_t device = 0;
  SCOPED char *path = former_path(options->run.resume, err);
  const int rc = path != NULL ? resume_load(path, dir, former, err) : -1;
  if (rc != 0) return -1;
  if (take_options(former, dir, options, err) != 0 || resume_shard(former, dir, shard, whole, err) != 0) return -1;
  while (strcmp(options_name(device), "device") != 0)
    device++;
  if (!options->given[device]) replace_text(&options->common.device, resume_get(former, "device"));
  replace_text(&options->run.name, resume_get(former, "name"));
  strings_print(&options->run.suites, "%s/run.ini", dir->path);
  return 0;
}

/* ---- Cases ---- */

const struct resume_case *resume_find_case(const struct resume *former, const struct plan *plan,
                                           const struct plan_case *p) {
  return former != NULL ? &former->cases[former->present * plan->count + (size_t)(p - plan->cases)] : NULL;
}

bool resume_has_case(const struct resume *former, const struct plan *plan, const struct plan_case *p) {
  return former != NULL && resume_find_case(former, plan, p)->complete;
}

/* ---- run.ini ---- */

void resume_note_former(const struct resume *resumed, struct pairs *environment, struct pairs *tags) {
  const struct pairs *former = &resumed->ini.environment;
  for (size_t i = 0; i < former->count; i++)
    if (strncmp(former->items[i].name, "option.", 7) == 0 || strcmp(former->items[i].name, "started_utc") == 0 ||
        strcmp(former->items[i].name, "command") == 0 || strcmp(former->items[i].name, "plan_id") == 0)
      pairs_set(environment, former->items[i].name, former->items[i].value);
  pairs_add(environment, "resumed_utc", "%s", clock_date(CLOCK_DATE).text);
  for (size_t i = 0; i < resumed->ini.tags.count; i++)
    pairs_set(tags, resumed->ini.tags.items[i].name, resumed->ini.tags.items[i].value);
}

static void note_settings(const struct catalog_plugin *plugin, struct pairs *environment) {
  for (uint32_t i = 0; i < plugin->desc.setting_count; i++) {
    char name[RESUME_PLUGIN_SIZE + ID_SIZE];
    resume_setting_name(plugin, &plugin->settings[i], name, sizeof name);
    pairs_add(environment, name, "%s", plugin->settings[i].value.text);
  }
}

/* Notes the identity of the plan, which is the same in all shards of the plan. It is computed from the cases, the
 * plugins and the options that change the measurement. */
void resume_note_plan(uint64_t identity, struct pairs *e) {
  uint64_t id = identity;
  for (size_t i = 0; i < e->count; i++)
    if (plan_holds_for(e->items[i].name))
      id = rng_key(rng_key(id, rng_text(e->items[i].name)), rng_text(e->items[i].value));
  pairs_add(e, "plan_id", "%016" PRIx64, id);
}

/* Notes the files that a plugin may load besides its own: libraries, modules and data files whose names are in the
 * plugin's file. Nightly runs keep copies of plugins, to compare later builds with them, and must copy these files,
 * too. */
static void note_brought(const struct catalog_plugin *plugin, struct pairs *environment) {
  char name[RESUME_PLUGIN_SIZE], shown[2 * ID_SIZE], list[8192] = "";
  struct brought brought;
  /* a plugin has a stamp (a text that changes when its file changes) only if it loads no files itself */
  if (plugin->stamp[0] != '\0') return;
  brought_find(plugin->path, &brought);
  for (size_t i = 0; i < brought.count; i++)
    phrase_add(list, sizeof list, ", ", "%s", brought.items[i].name);
  brought_free(&brought);
  label_show(shown, sizeof shown, plugin->desc.id, plugin->label);
  snprintf(name, sizeof name, "brought.%s", shown);
  if (list[0] != '\0') pairs_add(environment, name, "%s", list);
}

void resume_note_plugins(const struct catalog *catalog, struct pairs *environment) {
  for (size_t i = 0; i < catalog->count; i++) {
    const struct catalog_plugin *plugin = &catalog->plugins[i];
    char name[RESUME_PLUGIN_SIZE], text[4 * TEXT_SIZE];
    resume_plugin_name(plugin, name, sizeof name);
    resume_plugin_text(plugin, text, sizeof text);
    pairs_add(environment, name, "%s", text);
    note_brought(plugin, environment);
    note_settings(plugin, environment);
  }
}

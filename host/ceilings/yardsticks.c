/* Remembers a device's ceilings (the highest rates that were measured on it) from run to run. Later runs may use them
 * for a day. Such a run first measures the fastest copy variant again for a short time, and uses the remembered
 * ceilings only if that gives the same rate. The ceilings of devices without a driver (CPUs) are not remembered: there
 * the copy ceilings of six runs within a minute were between 21 and 51 GB/s. */
#include "ceilings/yardsticks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyse/analyse.h"
#include "machine/environment.h"

/* Remembered ceilings are used only if the copy rate measured now is like the remembered one: the interval of the new
 * rate must come within this share of the old rate. Seven runs on an H200 had copy rates within 0.1% of each other. The
 * share is 2%, because --threshold by default ignores differences up to 2%. */
static const double apart = 0.02;

/* ---- The key ---- */

/* Returns true if remembered ceilings may be used. In three cases the user wants new measurements: benches of the
 * plugin calibrate, which measure ceilings, are asked for; a suite is run (or a run of one is resumed); or --ceilings
 * is given. */
static bool may_recall(const struct yardsticks *y) {
  bool itself = false;
  for (size_t i = 0; i < y->plan->count; i++) {
    const struct plan_case *p = &y->plan->cases[i];
    itself = itself || (!p->yardstick && strcmp(y->catalog->plugins[p->plugin].desc.id, CALIBRATE) == 0);
  }
  return y->options->run.ceilings == NULL && y->options->run.suites.count == 0 && !itself;
}

static struct plan_case *yardstick_case(const struct yardsticks *y, size_t index) {
  for (size_t i = 0; i < y->plan->count; i++) {
    struct plan_case *p = &y->plan->cases[i];
    if (p->yardstick && yardsticks_ceiling(y, p) == index) return p;
  }
  return NULL;
}

size_t yardsticks_ceiling(const struct yardsticks *y, const struct plan_case *p) {
  return ceiling_of(y->catalog->plugins[p->plugin].benches[p->bench].contract);
}

/* Makes the key under which the figures are remembered. It has all that is known of the device, including its limits
 * and settings: with another power limit or fixed clocks the ceilings differ, even if the rate of a copy does not. */
static void make_key(struct yardsticks *y, const struct plan_case *p, const struct pairs *device,
                     const struct pairs *host) {
  struct pairs *key = &y->key;
  static const char *const of_the_run[] = {"id", "device", "conditions", "lock", "others"};
  for (size_t i = 0; i < device->count; i++) {
    bool kept = true;
    for (size_t j = 0; j < sizeof of_the_run / sizeof of_the_run[0]; j++)
      kept = kept && strcmp(device->items[i].name, of_the_run[j]) != 0;
    if (kept) pairs_add_text(key, device->items[i].name, device->items[i].value);
  }
  pairs_add_text(key, "of", environment_device_id(y->facts));
  pairs_add_text(key, "of_driver", y->facts->driver);
  pairs_add_text(key, "gpubench_version", GPUBENCH_VERSION);
  pairs_add_text(key, "gpubench_build", text_or_empty(pairs_get(host, "gpubench_build")));
  pairs_add_text(key, CALIBRATE, y->catalog->plugins[p->plugin].sha256);
}

/* ---- Before measuring ---- */

static const struct plan_variant *find_checked(const struct plan_case *p, const char *name) {
  for (size_t i = 0; i < p->variant_count; i++)
    if (p->variants[i].status == ROW_NOT_RUN && strcmp(p->variants[i].name, name) == 0) return &p->variants[i];
  return NULL;
}

/* Reduces the case to `variant`, by which the remembered ceilings are checked; yardsticks_checked() puts the other
 * variants back. */
static struct plan_case *cut_to_variant(struct yardsticks *y, struct plan_case *copy,
                                        const struct plan_variant *variant) {
  y->check = copy;
  y->all = copy->variants;
  y->all_count = copy->variant_count;
  y->alone = *variant;
  y->alone.against = (struct denominator){0};
  copy->variants = &y->alone;
  copy->variant_count = 1;
  return copy;
}

static void forget_figures(struct yardsticks *y) {
  for (size_t i = 0; i < CEILINGS; i++)
    y->figures[i].value = NAN;
}

/* Finds the file for the ceilings of this device. Returns false for a device without a driver, because its ceilings are
 * not remembered. */
static bool find_cache(const struct device_facts *facts, char *path, size_t size) {
  const char *device = facts->uuid[0] != '\0' ? facts->uuid : facts->name;
  return facts->driver[0] != '\0' && remembered_path(device, path, size);
}

bool yardsticks_expected(const struct yardsticks *y) {
  char path[4096];
  return !y->asked && may_recall(y) && find_cache(y->facts, path, sizeof path) && remembered_is_fresh(path, time(NULL));
}

struct plan_case *yardsticks_recall(struct yardsticks *y, const struct pairs *device, const struct pairs *host) {
  struct plan_case *copy = yardstick_case(y, CEILING_COPY);
  *y = (struct yardsticks){
      .options = y->options, .plan = y->plan, .catalog = y->catalog, .facts = y->facts, .ratio = NAN, .asked = true};
  forget_figures(y);
  if (copy == NULL || !find_cache(y->facts, y->path, sizeof y->path)) return NULL;
  make_key(y, copy, device, host);
  if (!may_recall(y)) return NULL;
  remembered_read(y->path, &y->key, time(NULL), y->figures);
  const struct plan_variant *variant =
      isnan(y->figures[CEILING_COPY].value) ? NULL : find_checked(copy, y->figures[CEILING_COPY].variant);
  if (variant != NULL) return cut_to_variant(y, copy, variant);
  /* the figures cannot be checked without that variant, so they are not used */
  forget_figures(y);
  return NULL;
}

/* ---- While measuring ---- */

/* Returns true if the interval of the copy rate measured now comes within the share `apart` of the remembered rate. */
static bool copy_holds(struct yardsticks *y, const struct record *r) {
  y->ratio = r->gb_per_s / y->figures[CEILING_COPY].value;
  const double low = y->ratio * fmin(1, r->median_raw_ns / r->ci95_hi_ns);
  const double high = y->ratio * fmax(1, r->median_raw_ns / r->ci95_lo_ns);
  return high >= 1 - apart && low <= 1 + apart;
}

/* Notes a ceiling (a highest rate of the device) for later runs, unless other processes disturbed the measurement. */
static void note_ceiling(struct yardsticks *y, size_t index, double value, const struct plan_case *p,
                         const struct record *records, const char *run_id) {
  struct remembered *figure = &y->figures[index];
  for (size_t i = 0; i < p->variant_count; i++) {
    const double reached = index >= CEILING_FP32 ? records[i].tflops : records[i].gb_per_s;
    if (isnan(value) || reached < value || isnan(reached) || records[i].contended == 1) continue;
    *figure = (struct remembered){.value = value, .measured_s = time(NULL)};
    text_copy(figure->variant, sizeof figure->variant, p->variants[i].name);
    text_copy(figure->run_id, sizeof figure->run_id, run_id);
    y->fresh = true;
  }
}

bool yardsticks_take(struct yardsticks *y, const struct plan_case *p, const struct record *records, const char *run_id,
                     struct ceilings *ceilings) {
  if (y->check == p) return y->held = copy_holds(y, &records[0]);
  analyse_ceiling(p, records, ceilings);
  const size_t index = yardsticks_ceiling(y, p);
  if (index < CEILINGS) note_ceiling(y, index, *ceiling_at(ceilings, index), p, records, run_id);
  return true;
}

/* ---- After measuring ---- */

/* Returns the oldest remembered ceiling (a highest rate of the device) of those that the plan has a case for. */
static const struct remembered *oldest(const struct yardsticks *y) {
  const struct remembered *found = &y->figures[CEILING_COPY];
  for (size_t i = 0; i < CEILINGS; i++) {
    const struct remembered *figure = &y->figures[i];
    if (yardstick_case(y, i) != NULL && figure->measured_s < found->measured_s && !isnan(figure->value)) found = figure;
  }
  return found;
}

static void describe_remembered(struct yardsticks *y) {
  const struct remembered *from = oldest(y);
  const time_t measured = (time_t)from->measured_s;
  char stamp[32] = "";
  strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", gmtime(&measured));
  if (y->held)
    snprintf(y->text, sizeof y->text, "remembered: measured %s by run %.200s, copy now %.3f of it", stamp, from->run_id,
             y->ratio);
  else if (!isnan(y->ratio))
    snprintf(y->text, sizeof y->text, "measured now: copy is %.3f of what was remembered from %s", y->ratio, stamp);
  else
    snprintf(y->text, sizeof y->text, "measured now: what was remembered from %s could not be checked", stamp);
}

void yardsticks_checked(struct yardsticks *y, struct ceilings *ceilings) {
  if (y->check == NULL) return;
  y->check->variants = y->all;
  y->check->variant_count = y->all_count;
  y->check = NULL;
  describe_remembered(y);
  if (!y->held) forget_figures(y);
  for (size_t i = 0; i < CEILINGS && y->held; i++)
    if (yardstick_case(y, i) != NULL) *ceiling_at(ceilings, i) = y->figures[i].value;
}

bool yardsticks_know(const struct yardsticks *y, const struct plan_case *p) {
  const size_t index = yardsticks_ceiling(y, p);
  return y->held && index < CEILINGS && !isnan(y->figures[index].value);
}

/* Returns true if the plan has cases that measure ceilings (highest rates of the device), and not one ceiling is known
 * after them: there was no time for them, or all of them failed. */
static bool all_missing(const struct yardsticks *y, const struct ceilings *ceilings) {
  struct ceilings known = *ceilings;
  size_t planned = 0;
  for (size_t i = 0; i < CEILINGS; i++) {
    if (!isnan(*ceiling_at(&known, i))) return false;
    planned += yardstick_case(y, i) != NULL;
  }
  return planned > 0;
}

/* An error of writing is ignored: nothing is remembered then, which only costs the next run some seconds. */
void yardsticks_end(struct yardsticks *y, const struct ceilings *ceilings, struct pairs *device) {
  struct err ignored = {0};
  if (all_missing(y, ceilings))
    pairs_add(device, "yardsticks", "none: the rows of " CALIBRATE " say why");
  else if (y->text[0] != '\0')
    pairs_add(device, "yardsticks", "%s", y->text);
  if (y->fresh && y->path[0] != '\0') remembered_write(y->path, &y->key, y->figures, &ignored);
  pairs_free(&y->key);
}

/* ---- Taking ceilings from another run (--ceilings), and noting them in run.ini ---- */

void ceilings_note(const struct ceilings *ceilings, struct pairs *device) {
  struct ceilings known = *ceilings;
  for (size_t i = 0; i < CEILINGS; i++) {
    const double value = *ceiling_at(&known, i);
    if (!isnan(value)) pairs_add(device, ceiling_names[i], "%.6g", value);
  }
}

/* Returns the value that the earlier run noted for this device. If it has none, because that run did not use the device
 * or noted values for the whole run only, returns the value for the whole run. */
static const char *device_value(const struct device_facts *facts, const struct run_data *data, const char *name) {
  const struct run_info *info = &data->runs[0];
  const char *id = environment_device_id(facts);
  for (size_t i = 0; i < info->device_count; i++)
    if (strcmp(info->devices[i].id, id) == 0) return pairs_get(&info->devices[i].environment, name);
  return run_data_get(data, name);
}

static int copy_ceilings(const struct run_data *data, const struct device_facts *facts, const char *path,
                         struct ceilings *ceilings, struct err *err) {
  const char *device = device_value(facts, data, "device_name");
  size_t found = 0;
  if (device == NULL || strcmp(device, facts->name) != 0)
    return err_set(err, EXIT_USAGE, "--ceilings %.300s: measured on '%.100s', this is '%.100s'", path,
                   device ? device : "an unnamed device", facts->name);
  for (size_t i = 0; i < CEILINGS; i++) {
    const char *value = device_value(facts, data, ceiling_names[i]);
    double number = value != NULL ? strtod(value, NULL) : NAN;
    if (!(number > 0)) continue;
    *ceiling_at(ceilings, i) = number;
    found++;
  }
  return found > 0 ? 0 : err_set(err, EXIT_USAGE, "--ceilings %.300s: it holds no measured ceiling", path);
}

int ceilings_take(const char *path, const struct device_facts *facts, struct ceilings *ceilings, struct pairs *device,
                  struct err *err) {
  struct run_data data;
  if (path == NULL || strcmp(path, "off") == 0 || strcmp(path, CEILINGS_MEASURE) == 0) return 0;
  int rc = run_data_load(path, &data, err);
  if (rc != 0) err_context(err, "--ceilings");
  if (rc == 0) rc = copy_ceilings(&data, facts, path, ceilings, err);
  if (rc == 0) pairs_add(device, "ceilings", "%s", path);
  run_data_free(&data);
  return rc;
}

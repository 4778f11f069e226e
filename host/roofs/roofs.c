/* Takes ceilings from an earlier run, and writes the lines of ceilings in run.ini. */
#include "roofs/roofs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine/environment.h"
#include "options/options.h"
#include "record/run_data.h"

void roofs_note(const struct ceilings *ceilings, struct pairs *device) {
  struct ceilings known = *ceilings;
  for (size_t i = 0; i < CEILINGS; i++) {
    const double value = *ceiling_at(&known, i);
    if (!isnan(value)) pairs_add(device, ceiling_names[i], "%.6g", value);
  }
}

/* Returns the value of this very device if the earlier run had several devices and this one among them; otherwise the
 * value for the whole run. */
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
    return err_set(err, EXIT_USAGE, "--roofs %.300s: measured on '%.100s', this is '%.100s'", path,
                   device ? device : "an unnamed device", facts->name);
  for (size_t i = 0; i < CEILINGS; i++) {
    const char *value = device_value(facts, data, ceiling_names[i]);
    double number = value != NULL ? strtod(value, NULL) : NAN;
    if (!(number > 0)) continue;
    *ceiling_at(ceilings, i) = number;
    found++;
  }
  return found > 0 ? 0 : err_set(err, EXIT_USAGE, "--roofs %.300s: it holds no measured ceiling", path);
}

int roofs_take(const char *path, const struct device_facts *facts, struct ceilings *ceilings, struct pairs *device,
               struct err *err) {
  struct run_data data;
  if (path == NULL || strcmp(path, "off") == 0 || strcmp(path, ROOFS_MEASURE) == 0) return 0;
  int rc = run_data_load(path, &data, err);
  if (rc != 0) err_context(err, "--roofs");
  if (rc == 0) rc = copy_ceilings(&data, facts, path, ceilings, err);
  if (rc == 0) pairs_add(device, "roofs", "%s", path);
  run_data_free(&data);
  return rc;
}

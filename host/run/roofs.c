/* The ceilings that shares divide by, beside those that this run measures: named in run.ini, taken from a former run.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/run_data.h"
#include "run/state.h"

void run_roofs_record(struct run_state *run) {
  for (size_t i = 0; i < CEILINGS; i++) {
    const double value = *ceiling_at(&run->recording.identity.ceilings, i);
    if (!isnan(value)) pairs_add(&run_device(run)->environment, ceiling_names[i], "%.6g", value);
  }
}

/* Of this very device, where that run had several and it among them; else what they have in common. */
static const char *value_of(const struct run_state *run, const struct run_data *data, const char *name) {
  const struct run_info *info = &data->runs[0];
  const char *id = run_device_id(&run->devices.pool.facts);
  for (size_t i = 0; i < info->device_count; i++)
    if (strcmp(info->devices[i].id, id) == 0) return pairs_get(&info->devices[i].environment, name);
  return run_data_get(data, name);
}

static int copy_ceilings(struct run_state *run, const struct run_data *data, const char *path, struct err *err) {
  const char *device = value_of(run, data, "device_name");
  size_t found = 0;
  if (device == NULL || strcmp(device, run->devices.pool.facts.name) != 0)
    return err_set(err, EXIT_USAGE, "--roofs %.300s: measured on '%.100s', this is '%.100s'", path,
                   device ? device : "an unnamed device", run->devices.pool.facts.name);
  for (size_t i = 0; i < CEILINGS; i++) {
    const char *value = value_of(run, data, ceiling_names[i]);
    double number = value != NULL ? strtod(value, NULL) : NAN;
    if (!(number > 0)) continue;
    *ceiling_at(&run->recording.identity.ceilings, i) = number;
    found++;
  }
  return found > 0 ? 0 : err_set(err, EXIT_USAGE, "--roofs %.300s: it holds no measured ceiling", path);
}

int run_roofs_take(struct run_state *run, struct err *err) {
  const char *path = run->options->run.roofs;
  struct run_data data;
  if (path == NULL || strcmp(path, "off") == 0 || strcmp(path, ROOFS_MEASURE) == 0) return 0;
  int rc = run_data_load(path, &data, err);
  if (rc != 0) err_context(err, "--roofs");
  if (rc == 0) rc = copy_ceilings(run, &data, path, err);
  if (rc == 0) pairs_add(&run_device(run)->environment, "roofs", "%s", path);
  run_data_free(&data);
  return rc;
}

/* Names of benches and of where they ran. */
#include "summary/title.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "record/devices.h"

void title_device(const struct run_summary *summary, const char *name, const char *devices, char *to, size_t size) {
  bool alike = false; /* another device of this model */
  for (size_t i = 0; i < summary->bench_count; i++)
    alike =
        alike || (text_same(summary->benches[i].device_name, name) && !text_same(summary->benches[i].devices, devices));
  if (name[0] == '\0' || strcmp(name, devices) == 0)
    text_copy(to, size, devices);
  else if (alike)
    snprintf(to, size, "%s (%s)", name, devices);
  else
    text_copy(to, size, name);
}

/* Devices of one run are called as they were asked for. */
static void name_device(const struct run_data *data, const struct run_summary *summary, const struct run_bench *bench,
                        char *to, size_t size) {
  struct bench_walk first = {.bench = bench};
  if (bench_walk(&first) && data->run_count == 1 && data->runs[0].device_count > 0)
    devices_label(data, first.row, to, size);
  else
    title_device(summary, bench->device_name, bench->devices, to, size);
}

void title_where(const struct run_data *data, const struct run_summary *summary, const struct run_bench *bench,
                 char *to, size_t size) {
  bool several = false;
  for (size_t i = 0; i < summary->bench_count; i++)
    several = several || (text_same(summary->benches[i].name, bench->name) &&
                          !text_same(summary->benches[i].devices, bench->devices));
  to[0] = '\0';
  if (several) name_device(data, summary, bench, to, size);
  if (!bench->repeated) return;
  size_t used = strlen(to);
  if (used != 0 && used + 2 < size) {
    strcpy(to + used, ", ");
    used += 2;
  }
  run_data_run_name(data, bench->run, to + used, size - used);
}

void title_bench(const struct run_data *data, const struct run_summary *summary, const struct run_bench *bench,
                 char *to, size_t size) {
  char where[KEY_SIZE];
  bool modes = false;
  for (size_t i = 0; i < summary->bench_count; i++)
    modes = modes ||
            (text_same(summary->benches[i].name, bench->name) && !text_same(summary->benches[i].mode, bench->mode));
  title_where(data, summary, bench, where, sizeof where);
  snprintf(to, size, "%s%s%s%s%s", bench->name, modes ? ", " : "", modes ? bench->mode : "", where[0] ? ", " : "",
           where);
}

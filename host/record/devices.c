/* Devices of a run, from the pairs "device.N.NAME" of run.ini. */
#include "record/devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

enum { NUMBER_MOST = 1024 };

/* "device.3.driver": 3, and `name` points to "driver". 0: it is none. */
static size_t number_of(const char *pair, const char **name) {
  static const char begin[] = "device.";
  char *end = NULL;
  if (strncmp(pair, begin, sizeof begin - 1) != 0) return 0;
  const char *digits = pair + sizeof begin - 1;
  if (digits[0] < '1' || digits[0] > '9') return 0;
  unsigned long number = strtoul(digits, &end, 10);
  if (*end != '.' || number > NUMBER_MOST) return 0;
  *name = end + 1;
  return number;
}

/* Its own values come first, since the first of a name is the one that is found. */
static void fill_device(const struct run_info *info, size_t wanted, struct run_device_info *device) {
  const char *name;
  for (size_t i = 0; i < info->environment.count; i++)
    if (number_of(info->environment.items[i].name, &name) == wanted)
      pairs_add_text(&device->environment, name, info->environment.items[i].value);
  const char *id = pairs_get(&device->environment, "id");
  device->id = xstrdup(id != NULL ? id : "");
  for (size_t i = 0; i < info->environment.count; i++)
    if (number_of(info->environment.items[i].name, &name) == 0)
      pairs_add_text(&device->environment, info->environment.items[i].name, info->environment.items[i].value);
}

static void note_unmeasured(struct run_info *info, struct run_device_info *device) {
  char note[MSG_SIZE];
  const char *lost = pairs_get(&device->environment, "lost"), *spec = pairs_get(&device->environment, "device");
  bool begun = device->id[0] != '\0';
  device->unmeasured = lost != NULL || !begun;
  if (!device->unmeasured) return;
  snprintf(note, sizeof note, "%.200s was not measured%s: %.600s", text_or_empty(spec), begun ? " to the end" : "",
           lost != NULL ? lost : "the run ended before its turn");
  strings_add(&info->notes, note);
}

static void take_devices(struct run_info *info) {
  const char *name;
  size_t most = 0;
  for (size_t i = 0; i < info->environment.count; i++) {
    size_t number = number_of(info->environment.items[i].name, &name);
    if (number > most) most = number;
  }
  if (most == 0) return;
  info->devices = xcalloc(most, sizeof *info->devices);
  info->device_count = most;
  for (size_t i = 0; i < most; i++) {
    fill_device(info, i + 1, &info->devices[i]);
    note_unmeasured(info, &info->devices[i]);
  }
}

static void part_samples(struct run_data *data, const struct record *record) {
  const struct run_samples *whole = run_data_samples_of(data, record);
  size_t own = 0, at = 0;
  if (whole == NULL || whole->devices != NULL || record->devices == NULL) return;
  for (size_t i = 0; i < whole->count; i++)
    own += record_has_epoch(record, whole->slots[i].epoch);
  if (own == whole->count) return;
  size_t index = (size_t)(whole - data->samples);
  struct run_samples *part = run_data_part_samples(data, index, record->devices);
  whole = &data->samples[index];
  for (size_t i = 0; i < whole->count; i++)
    if (record_has_epoch(record, whole->slots[i].epoch)) part->ns_count += whole->slots[i].count;
  part->slots = xcalloc(own + 1, sizeof *part->slots);
  part->ns = xcalloc(part->ns_count + 1, sizeof *part->ns);
  for (size_t i = 0; i < whole->count; i++) {
    const struct slot *slot = &whole->slots[i];
    if (!record_has_epoch(record, slot->epoch)) continue;
    part->slots[part->count] = *slot;
    part->slots[part->count++].ns = part->ns + at;
    memcpy(part->ns + at, slot->ns, slot->count * sizeof *slot->ns);
    at += slot->count;
  }
  part->capacity = part->count, part->ns_capacity = part->ns_count;
}

void devices_take(struct run_data *data) {
  for (size_t run = 0; run < data->run_count; run++) {
    struct run_info *info = &data->runs[run];
    take_devices(info);
    for (size_t i = 0; i < info->count && info->device_count > 0; i++)
      part_samples(data, &data->records[info->first + i]);
  }
}

static const char *spec_of(const struct run_data *data, const struct record *record) {
  return text_or_empty(pairs_get(run_data_environment(data, record), "device"));
}

void devices_label(const struct run_data *data, const struct record *record, char *to, size_t size) {
  bool model = record->device_name != NULL, spec = spec_of(data, record)[0] != '\0';
  for (size_t i = 0; i < data->count; i++) {
    const struct record *other = &data->records[i];
    if (text_same(other->devices, record->devices)) continue;
    if (text_same(other->device_name, record->device_name)) model = false;
    if (strcmp(spec_of(data, other), spec_of(data, record)) == 0) spec = false;
  }
  text_copy(to, size, model ? record->device_name : spec ? spec_of(data, record) : text_or_empty(record->devices));
}

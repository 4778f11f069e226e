/* Several devices in one list: what they have in common once, the rest of each under its number. */
#include <stdio.h>
#include <string.h>

#include "machine/environment.h"

/* Devices of which nothing is known have no say. */
static bool is_common(const struct pairs *devices, size_t count, const char *name, const char *value) {
  for (size_t i = 0; i < count; i++) {
    if (devices[i].count == 0) continue;
    const char *other = pairs_get(&devices[i], name);
    if (other == NULL || strcmp(other, value) != 0) return false;
  }
  return true;
}

static void add_common(struct pairs *to, const struct pairs *devices, size_t count, const struct pairs *first) {
  for (size_t i = 0; i < first->count; i++)
    if (is_common(devices, count, first->items[i].name, first->items[i].value))
      pairs_add(to, first->items[i].name, "%s", first->items[i].value);
}

void environment_devices(struct pairs *to, const struct pairs *devices, size_t count) {
  char name[ID_SIZE + TEXT_SIZE];
  size_t known = 0;
  while (known + 1 < count && devices[known].count == 0)
    known++;
  add_common(to, devices, count, &devices[known]);
  for (size_t d = 0; d < count; d++)
    for (size_t i = 0; i < devices[d].count; i++) {
      const char *own = devices[d].items[i].name, *value = devices[d].items[i].value;
      if (is_common(devices, count, own, value)) continue;
      snprintf(name, sizeof name, "device.%zu.%s", d + 1, own);
      pairs_add(to, name, "%s", value);
    }
}

/* Lists and names devices; run/device_loop.c decides which one is measured. */
#include "run/devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/device_list.h"

int run_choose_device(const char *option, char *spec, size_t size, char *why, size_t why_size, struct err *err) {
  bool automatic = strcmp(option, "auto") == 0;
  bool gpu = automatic && environment_expects_gpu("", why, why_size);
  if (!automatic) snprintf(why, why_size, "--device %s", option);
  if (!text_copy(spec, size, automatic ? (gpu ? "cuda" : "cpu") : option))
    return err_set(err, EXIT_USAGE, "--device %.200s...: longer than %zu bytes", option, size - 1);
  const char *missing = device_missing(spec);
  if (missing != NULL)
    return err_set(err, EXIT_DEVICE, "%s, but this build has no %s support; --device cpu to go on", why, missing);
  return 0;
}

int run_expand_devices(struct pool *pool, struct strings *specs, struct err *err) {
  uint32_t count = 0;
  if (!strings_has(specs, DEVICES_ALL)) return 0;
  if (pool_count(pool, &count, err) != 0) return -1;
  devices_expand(specs, count);
  return 0;
}

static int check_one_backend(const struct strings *specs, struct err *err) {
  for (size_t i = 1; i < specs->count; i++)
    if (strcmp(devices_backend(specs->items[i]), devices_backend(specs->items[0])) != 0)
      return err_set(err, EXIT_USAGE, "--device: %.300s and %.300s run different variants: measure each in its own run",
                     specs->items[0], specs->items[i]);
  return 0;
}

int run_list_devices(struct pool *pool, const char *list, struct strings *specs, struct err *err) {
  devices_split(list, specs);
  if (devices_check(specs, err) != 0 || run_expand_devices(pool, specs, err) != 0) return -1;
  /* checked again, because "cuda:all,cuda:1" names one device twice */
  return devices_check(specs, err) == 0 ? check_one_backend(specs, err) : -1;
}

size_t run_devices_left(const struct run_devices *devices) {
  size_t left = 0;
  for (size_t i = devices->present; i < devices->count; i++)
    left += devices->all[i].lost.exit_code == 0;
  return left;
}

size_t run_devices_usable(const struct run_devices *devices) {
  size_t usable = 0;
  for (size_t i = 0; i < devices->count; i++)
    usable += devices->all[i].lost.exit_code == 0;
  return usable;
}

void run_devices_free(struct run_devices *devices) {
  run_release_locks(devices);
  for (size_t i = 0; i < devices->count; i++)
    pairs_free(&devices->all[i].environment);
  free(devices->all);
}

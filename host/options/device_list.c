/* Parses lists of devices. Opens no device. */
#include "options/device_list.h"

#include <string.h>

const char *const devices_backends[] = {
    "cpu",
    "cuda",
    NULL,
};

/* Returns true if a device begins at `text`, which follows a comma in a list of devices. Returns false if the comma is
 * part of the name of a file, which continues at `text`. */
static bool begins_device(const char *text) {
  static const char *const backends[] = {"cuda", "cpu", "fake"};
  if (text_begins(text, "GPU-") || text_begins(text, "MIG-")) return true;
  for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++) {
    size_t length = strlen(backends[i]);
    if (text_begins(text, backends[i]) && (text[length] == '\0' || text[length] == ',' || text[length] == ':'))
      return true;
  }
  return text[0] == '\0' || text[0] == ',';
}

void devices_split(const char *text, struct strings *specs) {
  const char *begin = text;
  for (const char *at = text; *at != '\0'; at++) {
    if (*at != ',' || !begins_device(at + 1)) continue;
    strings_print(specs, "%.*s", (int)(at - begin), begin);
    begin = at + 1;
  }
  strings_add(specs, begin);
}

void devices_expand(struct strings *specs, size_t cuda_count) {
  struct strings whole = {0};
  for (size_t i = 0; i < specs->count; i++) {
    bool all = strcmp(specs->items[i], DEVICES_ALL) == 0;
    if (!all) strings_add(&whole, specs->items[i]);
    for (size_t n = 0; all && n < cuda_count; n++)
      strings_print(&whole, "cuda:%zu", n);
  }
  strings_free(specs);
  *specs = whole;
}

int devices_check(const struct strings *specs, struct err *err) {
  for (size_t i = 0; i < specs->count; i++) {
    if (specs->items[i][0] == '\0')
      return err_set(err, EXIT_USAGE, "--device: device %zu of the list has no name", i + 1);
    for (size_t j = 0; j < i; j++)
      if (strcmp(specs->items[i], specs->items[j]) == 0)
        return err_set(err, EXIT_USAGE, "--device: %.300s is listed twice", specs->items[i]);
  }
  return 0;
}

const char *devices_backend(const char *spec) {
  return devices_are(spec, DEVICE_IS_GPU) ? "cuda" : "cpu";
}

bool devices_are(const char *spec, enum device_trait trait) {
  uint32_t traits = 0; /* stays 0 if `spec` is not a device */
  if (text_begins(spec, "cpu") || text_begins(spec, "fake")) traits = DEVICE_TRAITS_CPU;
  if (text_begins(spec, "cuda") || text_begins(spec, "GPU-") || text_begins(spec, "MIG-")) traits = DEVICE_TRAITS_GPU;
  if (strcmp(spec, "fake") == 0) /* "fake" alone is the GPU that `gpubench check` pretends to have if there is none */
    traits = DEVICE_TRAITS_GPU | DEVICE_PRETENDED;
  if (text_begins(spec, "fake")) traits |= DEVICE_SCRIPTED;
  return (traits & trait) != 0;
}

const char *devices_all(const char *list) {
  return strcmp(list, "cuda") == 0 ? DEVICES_ALL : list;
}

/* What was written down, against what is there now. */
#include "run/resume_check.h"

#include <stdio.h>
#include <string.h>

#include "model/build_label.h"

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

void resume_setting_name(const struct catalog_plugin *plugin, const struct catalog_setting *setting, char *to,
                         size_t size) {
  char shown[2 * ID_SIZE];
  label_show(shown, sizeof shown, plugin->desc.id, plugin->label);
  snprintf(to, size, "setting.%s.%s", shown, setting->desc.name);
}

static int same(const char *what, const char *recorded, const char *now, struct err *err) {
  if (recorded == NULL) recorded = "";
  if (strcmp(recorded, now) == 0) return 0;
  return err_set(err, EXIT_USAGE, "cannot resume: %s was '%.700s', now it is '%.700s'", what, recorded, now);
}

static const char *value_of(const struct pairs *pairs, const char *name) {
  return text_or_empty(pairs_get(pairs, name));
}

static int same_settings(const struct resume *r, const struct catalog_plugin *plugin, struct err *err) {
  for (uint32_t i = 0; i < plugin->desc.setting_count; i++) {
    char name[RESUME_PLUGIN_SIZE + ID_SIZE];
    resume_setting_name(plugin, &plugin->settings[i], name, sizeof name);
    if (same(name, resume_get(r, name), plugin->settings[i].value.text, err) != 0) return -1;
  }
  return 0;
}

static int same_devices(const struct resume *r, const struct resume_device *devices, size_t count, struct err *err) {
  const char *recorded = resume_get(r, "devices");
  char what[64], number[32];
  snprintf(number, sizeof number, "%zu", count);
  if (same("the number of devices", recorded != NULL ? recorded : "1", number, err) != 0) return -1;
  if (count == 1) return same("the device", resume_get(r, "device_name"), devices[0].name, err);
  for (size_t i = 0; i < count; i++) {
    const char *id = resume_get_device(r, i + 1, "id");
    snprintf(what, sizeof what, "device %zu", i + 1);
    if (id == NULL || devices[i].id == NULL) continue; /* never used, or of no use now: it has rows of no other */
    if (same(what, resume_get_device(r, i + 1, "device_name"), devices[i].name, err) != 0) return -1;
    if (same(what, id, devices[i].id, err) != 0) return -1;
  }
  return 0;
}

int resume_check(const struct resume *r, const struct pairs *environment, const struct catalog *catalog,
                 const struct resume_device *devices, size_t device_count, struct err *err) {
  static const char *const own[] = {"gpubench_version", "gpubench_build"};
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
    if (same(own[i], resume_get(r, own[i]), value_of(environment, own[i]), err) != 0) return -1;
  if (same_devices(r, devices, device_count, err) != 0) return -1;
  for (size_t i = 0; i < catalog->count; i++) {
    char name[RESUME_PLUGIN_SIZE], text[4 * TEXT_SIZE];
    resume_plugin_name(&catalog->plugins[i], name, sizeof name);
    resume_plugin_text(&catalog->plugins[i], text, sizeof text);
    if (same(name, resume_get(r, name), text, err) != 0) return -1;
    if (same_settings(r, &catalog->plugins[i], err) != 0) return -1;
  }
  return 0;
}

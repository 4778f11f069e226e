/* Binds options to the plugins that declare them, and checks the options' values. */
#include "plan/bind_settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/setting.h"

void settings_name(const struct catalog_plugin *plugin, const struct setting_desc *desc, char *to, size_t size) {
  snprintf(to, size, "%s.%s", plugin->desc.id, desc->name);
}

void settings_free(struct catalog_plugin *plugin) {
  for (uint32_t i = 0; plugin->settings != NULL && i < plugin->desc.setting_count; i++)
    free(plugin->settings[i].origin);
  free(plugin->settings);
  plugin->settings = NULL;
}

/* ---- Options that no plugin has ---- */

static bool names_plugin(const struct catalog *catalog, const char *name) {
  for (size_t i = 0; i < catalog->count; i++) {
    size_t length = strlen(catalog->plugins[i].desc.id);
    if (strncmp(name, catalog->plugins[i].desc.id, length) == 0 && name[length] == '.') return true;
  }
  return false;
}

static int unknown(const struct catalog *catalog, const char *origin, const char *name, struct err *err) {
  SCOPED_STRINGS struct strings names = {0};
  char full[SETTING_NAME_SIZE], all[900];
  for (size_t i = 0; i < catalog->count; i++)
    for (uint32_t j = 0; j < catalog->plugins[i].desc.setting_count; j++) {
      settings_name(&catalog->plugins[i], &catalog->plugins[i].settings[j].desc, full, sizeof full);
      strings_add(&names, full);
    }
  const char *nearest = text_nearest(name, (const char *const *)names.items, names.count);
  const char *why = names_plugin(catalog, name) ? "is no option of that plugin" : "names no plugin of this run";
  text_join(all, sizeof all, (const char *const *)names.items, names.count);
  if (nearest != NULL)
    err_set(err, EXIT_USAGE, "%s: option '%.140s' %s; nearest '%s'", origin, name, why, nearest);
  else
    err_set(err, EXIT_USAGE, "%s: option '%.140s' %s; there are %s", origin, name, why, names.count > 0 ? all : "none");
  return -1;
}

/* ---- Setting values ---- */

/* Fails if another selection has already given the option a different value. */
static int conflict(const struct catalog_setting *setting, const char *origin, const char *name,
                    const struct setting_value *value, struct err *err) {
  if (setting->origin == NULL || strcmp(setting->value.text, value->text) == 0) return 0;
  return err_set(err, EXIT_USAGE,
                 "option '%s' is '%.200s' in %.200s and '%.200s' in %.200s: a run has one value for each option", name,
                 setting->value.text, setting->origin, value->text, origin);
}

static int set_one(struct catalog_setting *setting, const char *origin, const char *name, const char *text,
                   struct err *err) {
  char what[2 * TEXT_SIZE + SETTING_NAME_SIZE];
  SCOPED struct setting_value *value = xcalloc(1, sizeof *value);
  snprintf(what, sizeof what, "%.400s: option '%s'", origin, name);
  int rc = setting_parse(&setting->desc, text, what, value, err);
  if (rc == 0) rc = conflict(setting, origin, name, value, err);
  if (rc == 0 && setting->origin == NULL) setting->origin = xstrdup(origin);
  if (rc == 0) setting->value = *value;
  return rc;
}

/* Sets the option in all builds of the plugin that have it. */
static int set_in_builds(struct catalog *catalog, const char *origin, const char *name, const char *text,
                         struct err *err) {
  char full[SETTING_NAME_SIZE];
  size_t found = 0;
  for (size_t i = 0; i < catalog->count; i++)
    for (uint32_t j = 0; j < catalog->plugins[i].desc.setting_count; j++) {
      struct catalog_setting *setting = &catalog->plugins[i].settings[j];
      settings_name(&catalog->plugins[i], &setting->desc, full, sizeof full);
      if (strcmp(full, name) != 0) continue;
      found++;
      if (set_one(setting, origin, name, text, err) != 0) return -1;
    }
  return found > 0 ? 0 : unknown(catalog, origin, name, err);
}

static int take_settings(struct catalog *catalog, const struct selection *selection, struct err *err) {
  int rc = 0;
  for (size_t i = 0; rc == 0 && i < selection->settings.count; i++) {
    char *name = xstrdup(selection->settings.items[i]), *value = strchr(name, '=');
    if (value != NULL) *value++ = '\0';
    rc = value != NULL
             ? set_in_builds(catalog, selection->origin, name, value, err)
             : err_set(err, EXIT_USAGE, "%s: option '%.140s' is not PLUGIN.NAME=VALUE", selection->origin, name);
    free(name);
  }
  return rc;
}

/* If the command line sets an option that suites set too, drops the value of the suites, so that it does not conflict
 * with that of the command line. */
static void forget_origins(struct catalog *catalog, const struct selection *cli) {
  char full[SETTING_NAME_SIZE];
  for (size_t i = 0; i < catalog->count; i++)
    for (uint32_t j = 0; j < catalog->plugins[i].desc.setting_count; j++) {
      struct catalog_setting *setting = &catalog->plugins[i].settings[j];
      settings_name(&catalog->plugins[i], &setting->desc, full, sizeof full);
      for (size_t k = 0; k < cli->settings.count; k++) {
        if (strncmp(cli->settings.items[k], full, strlen(full)) != 0 || cli->settings.items[k][strlen(full)] != '=')
          continue;
        free(setting->origin);
        setting->origin = NULL;
      }
    }
}

/* Checks that all values fit into one line of run.ini. */
static int check_settings_size(const struct catalog *catalog, struct err *err) {
  enum { MOST = 12000 };
  char encoded[3 * SETTING_SIZE];
  size_t total = 0;
  for (size_t i = 0; i < catalog->count; i++)
    for (uint32_t j = 0; j < catalog->plugins[i].desc.setting_count; j++) {
      const struct catalog_setting *setting = &catalog->plugins[i].settings[j];
      if (setting->origin == NULL) continue;
      text_percent_encode(encoded, sizeof encoded, setting->value.text, ";,");
      total += strlen(encoded) + SETTING_NAME_SIZE;
    }
  return total <= MOST ? 0
                       : err_set(err, EXIT_USAGE, "options of plugins: %zu bytes together, at most %d", total, MOST);
}

int settings_take(struct catalog *catalog, const struct selection *suites, size_t count, const struct selection *cli,
                  struct err *err) {
  for (size_t i = 0; i < count; i++)
    if (&suites[i] != cli && strcmp(suites[i].origin, cli->origin) != 0 &&
        take_settings(catalog, &suites[i], err) != 0) {
      text_sanitize(err->text);
      return -1;
    }
  forget_origins(catalog, cli);
  int rc = take_settings(catalog, cli, err);
  if (rc == 0) rc = check_settings_size(catalog, err);
  if (rc != 0) text_sanitize(err->text);
  return rc;
}

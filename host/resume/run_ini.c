/* Writes run.ini line by line. */
#include "resume/run_ini.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "model/build_label.h"
#include "plan/bind_settings.h"

/* Writes any text as a value. Percent-encodes characters that have a meaning in INI files, the characters in `also`,
 * which have a meaning in lists, and leading and trailing spaces. */
static void write_ini_value(FILE *file, const char *text, const char *also) {
  size_t size = 3 * strlen(text) + 1;
  SCOPED char *encoded = xcalloc(size, 1);
  bool edge = text[0] == ' ' || (text[0] != '\0' && text[strlen(text) - 1] == ' ');
  char special[8];
  snprintf(special, sizeof special, ";%s%s", also, edge ? " " : "");
  text_percent_encode(encoded, size, text, special);
  fputs(encoded, file);
}

static void write_key(FILE *file, const char *name, const char *value) {
  fprintf(file, "%s = ", name);
  write_ini_value(file, value, "");
  fputc('\n', file);
}

void run_ini_write_pairs(FILE *file, const char *section, const struct pairs *pairs) {
  fprintf(file, "[%s]\n", section);
  for (size_t i = 0; i < pairs->count; i++)
    write_key(file, pairs->items[i].name, pairs->items[i].value);
  fputc('\n', file);
}

static bool first_of_plugin(const struct plan_case *p, size_t index) {
  if (p->variants[index].plugin == p->plugin) return false;
  for (size_t i = 0; i < index; i++)
    if (p->variants[i].plugin == p->variants[index].plugin) return false;
  return true;
}

static void write_plugin(FILE *file, const struct catalog_plugin *plugin) {
  char whole[LABELLED_SIZE];
  label_join(whole, sizeof whole, plugin->label, plugin->path);
  write_ini_value(file, whole, ",");
}

/* Writes the baselines of a case, the variants that speedups are relative to, so that a run that repeats this one uses
 * the same baselines. Writes nothing if that run finds them anyway: if the baseline of a variant is the same variant in
 * another build of the plugin, or if the bench itself ranks its variants as baselines. */
static void write_baselines(FILE *file, const struct plan_case *p) {
  size_t written = 0;
  for (size_t i = 0; i < p->variant_count; i++)
    if (p->variants[i].against.twin != 0 || p->variants[i].against.common > 1) return;
  for (size_t i = 0; i < p->variant_count; i++)
    if (p->variants[i].against.common) fprintf(file, "%s%s", written++ > 0 ? ", " : "baseline = ", p->variants[i].name);
  if (written > 0) fputc('\n', file);
}

static bool case_loads(const struct plan_case *p, size_t plugin) {
  bool here = p->plugin == plugin;
  for (size_t i = 0; i < p->variant_count; i++)
    here = here || p->variants[i].plugin == plugin;
  return here;
}

/* Writes the options of the plugins that take part in the case, as far as the user gave them a value. If two builds of
 * a plugin have the same option, it is written once. */
static void write_options(FILE *file, const struct plan_case *p, const struct catalog *catalog) {
  char text[SETTING_NAME_SIZE + SETTING_SIZE + 1];
  SCOPED_STRINGS struct strings written = {0};
  for (size_t i = 0; i < catalog->count; i++)
    for (uint32_t j = 0; case_loads(p, i) && j < catalog->plugins[i].desc.setting_count; j++) {
      const struct catalog_setting *setting = &catalog->plugins[i].settings[j];
      char name[SETTING_NAME_SIZE];
      settings_name(&catalog->plugins[i], &setting->desc, name, sizeof name);
      snprintf(text, sizeof text, "%s=%s", name, setting->value.text);
      if (setting->origin == NULL || strings_has(&written, text)) continue;
      fputs(written.count > 0 ? ", " : "option = ", file);
      write_ini_value(file, text, ",");
      strings_add(&written, text);
    }
  if (written.count > 0) fputc('\n', file);
}

static void write_case_section(FILE *file, const struct plan_case *p, const struct catalog *catalog) {
  fprintf(file, "[case-%zu]\nplugin = ", p->number);
  write_plugin(file, &catalog->plugins[p->plugin]);
  for (size_t i = 0; i < p->variant_count; i++) {
    if (!first_of_plugin(p, i)) continue;
    fputs(", ", file);
    write_plugin(file, &catalog->plugins[p->variants[i].plugin]);
  }
  fprintf(file, "\ncase = %s\nvariant = ", p->key);
  for (size_t i = 0; i < p->variant_count; i++)
    fprintf(file, "%s%s", i ? ", " : "", p->variants[i].name);
  fputc('\n', file);
  write_baselines(file, p);
  if (!isnan(p->precision)) fprintf(file, "precision = %.9g\n", p->precision);
  if (!isnan(p->case_time_s)) fprintf(file, "case_time = %.9gs\n", p->case_time_s);
  size_t written = 0;
  for (size_t i = 0; i < p->variant_count; i++)
    if (p->variants[i].required) fprintf(file, "%s%s", written++ > 0 ? ", " : "require = ", p->variants[i].name);
  if (written > 0) fputc('\n', file);
  write_options(file, p, catalog);
  fprintf(file, "restarts = %u\n", p->restarts > 0 ? p->restarts : 1);
  fprintf(file, "mode = %s\n\n", mode_name(p->mode));
}

int run_ini_write(struct rundir *dir, const struct pairs *environment, const struct pairs *tags,
                  const struct plan *plan, const struct catalog *catalog, struct err *err) {
  struct memory_text ini;
  FILE *file = memory_text_begin(&ini);
  fprintf(file, "; A gpubench run. As a suite it repeats the run: gpubench --suite run.ini\n\n");
  run_ini_write_pairs(file, "environment", environment);
  run_ini_write_pairs(file, "tags", tags);
  for (size_t i = 0; i < plan->count; i++)
    if (!plan->cases[i].yardstick && !plan->cases[i].gone) write_case_section(file, &plan->cases[i], catalog);
  SCOPED char *text = memory_text_end(&ini);
  return rundir_put(dir, "run.ini", text, ini.size, err);
}

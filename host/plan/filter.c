/* Matches names with the patterns that selections give, and remembers which patterns have matched something. */
#include "plan/filter.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { LIST_SIZE = 900 }; /* size of the list in a message that says which names exist */

static const char *const filter_options[FILTER_COUNT] = {"bench",   "preset",  "variant",
                                                         "exclude", "require", "baseline"};

/* ---- Making the filters of a selection ---- */

static void add_globs(struct globs *globs, const struct strings *texts) {
  for (size_t i = 0; i < texts->count; i++) {
    char *copy = xstrdup(texts->items[i]), *rest = copy;
    for (char *item; (item = strsep(&rest, ",")) != NULL;) {
      item += strspn(item, " ");
      if (item[0] != '\0') strings_add(&globs->list, item);
    }
    free(copy);
  }
  globs->used = xcalloc(globs->list.count, sizeof *globs->used);
}

/* Parses "name[pow2]=values". */
static int parse_spec(const struct source *source, const char *text, struct axis_spec *spec, struct err *err) {
  spec->name = xstrdup(text);
  char *equals = strchr(spec->name, '=');
  if (equals == NULL)
    return err_set(err, EXIT_USAGE, "%s: '%.200s' is not NAME=VALUES", source->selection->origin, text);
  *equals = '\0';
  spec->values = equals + 1;
  size_t length = strlen(spec->name);
  if (length == 0 || spec->name[length - 1] != ']') return 0;
  char *bracket = strrchr(spec->name, '[');
  if (bracket == NULL || strcmp(bracket, "[pow2]") != 0)
    return err_set(err, EXIT_USAGE, "%s: '%.200s': the only suffix that an axis takes is [pow2]",
                   source->selection->origin, text);
  *bracket = '\0';
  spec->pow2 = true;
  return 0;
}

static int add_specs(struct source *source, struct err *err) {
  const struct strings *texts = &source->selection->axes;
  source->axes = xcalloc(texts->count, sizeof *source->axes);
  for (size_t i = 0; i < texts->count; i++) {
    if (parse_spec(source, texts->items[i], &source->axes[i], err)) return -1;
    for (size_t j = 0; j < i; j++) {
      if (strcmp(source->axes[j].name, source->axes[i].name) != 0) continue;
      char what[KEY_SIZE];
      source_axis_text(source, &source->axes[i], NULL, what, sizeof what);
      return err_set(err, EXIT_USAGE, "%s: the axis is given twice, before as '%.200s'", what, source->axes[j].values);
    }
  }
  return 0;
}

int source_init(struct source *source, const struct selection *selection, size_t lineup_count, struct err *err) {
  *source = (struct source){.selection = selection};
  const struct strings *texts[FILTER_COUNT] = {&selection->benches,  &selection->presets,  &selection->variants,
                                               &selection->excludes, &selection->requires, &selection->baselines};
  for (size_t i = 0; i < FILTER_COUNT; i++)
    add_globs(&source->filters[i], texts[i]);
  source->cases_used = xcalloc(selection->cases.count, sizeof *source->cases_used);
  source->chosen = xcalloc(lineup_count, sizeof *source->chosen);
  return add_specs(source, err);
}

void source_free(struct source *source) {
  for (size_t i = 0; i < FILTER_COUNT; i++) {
    strings_free(&source->filters[i].list);
    free(source->filters[i].used);
  }
  for (size_t i = 0; source->axes != NULL && i < source->selection->axes.count; i++)
    free(source->axes[i].name);
  free(source->axes);
  free(source->cases_used);
  free(source->chosen);
  *source = (struct source){0};
}

/* ---- Matching names ---- */

bool source_match(struct source *source, enum filter filter, const char *name, const char *id) {
  struct globs *globs = &source->filters[filter];
  bool any = false;
  for (size_t i = 0; i < globs->list.count; i++) {
    if (!text_glob(globs->list.items[i], name) && !text_glob(globs->list.items[i], id)) continue;
    globs->used[i] = any = true;
  }
  return any;
}

static int find_axis(const struct bench_desc *bench, const char *name) {
  for (uint32_t i = 0; i < bench->axis_count; i++)
    if (strcmp(bench->axes[i].name, name) == 0) return (int)i;
  return -1;
}

int axis_spec_find(const struct axis_spec *spec, const struct lineup *lineup) {
  int axis = find_axis(lineup->desc, spec->name);
  SCOPED char *scope = xstrdup(spec->name);
  /* Names may contain dots, and so may patterns, so every dot is tried. */
  for (char *dot = strchr(scope, '.'); axis < 0 && dot != NULL; dot = strchr(dot + 1, '.')) {
    *dot = '\0';
    if (text_glob(scope, lineup->desc->name) || text_glob(scope, lineup->id)) axis = find_axis(lineup->desc, dot + 1);
    *dot = '.';
  }
  return axis;
}

/* ---- Reporting filters that matched nothing ---- */

static bool is_command_line(const struct source *source) {
  return strcmp(source->selection->origin, "command line") == 0;
}

void source_option_text(const struct source *source, const char *option, const char *value, char *to, size_t size) {
  if (is_command_line(source))
    snprintf(to, size, "--%s '%.300s'", option, value);
  else
    snprintf(to, size, "%.300s: %s '%.300s'", source->selection->origin, option, value);
}

void source_axis_text(const struct source *source, const struct axis_spec *spec, const char *values, char *to,
                      size_t size) {
  if (values == NULL) values = spec->values;
  const char *pow2 = spec->pow2 ? "[pow2]" : "";
  if (is_command_line(source))
    snprintf(to, size, "-a %.200s%s=%.300s", spec->name, pow2, values);
  else
    snprintf(to, size, "%.300s: axis.%.200s%s=%.300s", source->selection->origin, spec->name, pow2, values);
}

/* Appends the names in one bench, "id: a, b", preceded by "; " if the text is not empty. */
static void list_one(char *to, size_t size, const char *id, const char *const *names, size_t count) {
  size_t used = strlen(to), room = size - used;
  char list[LIST_SIZE];
  text_join(list, sizeof list, names, count);
  if (count == 0) text_copy(list, sizeof list, "none");
  if (used + strlen(id) + strlen(list) + 4 < size)
    snprintf(to + used, room, "%s%s: %s", used ? "; " : "", id, list);
  else if (used + 6 < size && strcmp(to + used - 3, "...") != 0)
    snprintf(to + used, room, "; ...");
}

/* Lists the names in a bench that a filter could have matched. */
static size_t filter_names(const struct lineup *lineup, enum filter filter, const char **names) {
  size_t count = 0;
  if (filter == FILTER_PRESET)
    for (; count < lineup->desc->preset_count; count++)
      names[count] = lineup->desc->presets[count].name;
  else
    for (size_t v = 0; v < lineup->variant_count; v++)
      if (lineup->variants[v].here && lineup->variants[v].seen) names[count++] = lineup->variants[v].name;
  return count;
}

static void list_chosen_names(const struct source *source, const struct lineups *lineups, enum filter filter, char *to,
                              size_t size) {
  to[0] = '\0';
  for (size_t i = 0; i < lineups->count; i++) {
    const struct lineup *lineup = &lineups->items[i];
    if (!source->chosen[i]) continue;
    const char **names = xcalloc(lineup->variant_count + PRESETS_MAX, sizeof *names);
    list_one(to, size, lineup->id, names, filter_names(lineup, filter, names));
    free(names);
  }
}

static void list_chosen_axes(const struct source *source, const struct lineups *lineups, char *to, size_t size) {
  to[0] = '\0';
  for (size_t i = 0; i < lineups->count; i++) {
    const char *names[AXES_MAX];
    const struct bench_desc *bench = lineups->items[i].desc;
    for (uint32_t a = 0; a < bench->axis_count; a++)
      names[a] = bench->axes[a].name;
    if (source->chosen[i]) list_one(to, size, lineups->items[i].id, names, bench->axis_count);
  }
}

/* Writes a suggestion, " (nearest 'flash')", or nothing. */
static void near_text(const char *wanted, const char *const *names, size_t count, char *to, size_t size) {
  const char *nearest = strlen(wanted) < TEXT_SIZE ? text_nearest(wanted, names, count) : NULL;
  to[0] = '\0';
  if (nearest != NULL && strcmp(nearest, wanted) != 0) snprintf(to, size, " (nearest '%s')", nearest);
}

static void near_chosen(const struct source *source, const struct lineups *lineups, enum filter filter,
                        const char *wanted, char *to, size_t size) {
  const char **names = NULL;
  size_t count = 0;
  for (size_t i = 0; i < lineups->count; i++) {
    const struct lineup *lineup = &lineups->items[i];
    if (!source->chosen[i]) continue;
    names = xrealloc(names, count + lineup->variant_count + PRESETS_MAX, sizeof *names);
    count += filter_names(lineup, filter, names + count);
  }
  near_text(wanted, names, count, to, size);
  free(names);
}

int source_check_benches(const struct source *source, const struct lineups *lineups, struct err *err) {
  const struct globs *globs = &source->filters[FILTER_BENCH];
  char what[KEY_SIZE], list[LIST_SIZE], near[TEXT_SIZE];
  SCOPED const char **names = xcalloc(2 * lineups->count, sizeof *names);
  for (size_t i = 0; i < lineups->count; i++) {
    names[i] = lineups->items[i].id;
    names[lineups->count + i] = lineups->items[i].desc->name;
  }
  text_join(list, sizeof list, names, lineups->count);
  for (size_t i = 0; i < globs->list.count && err->exit_code == 0; i++) {
    if (globs->used[i]) continue;
    source_option_text(source, "bench", globs->list.items[i], what, sizeof what);
    near_text(globs->list.items[i], names, 2 * lineups->count, near, sizeof near);
    err_set(err, EXIT_USAGE, "%s matches nothing%s: %s", what, near, list);
  }
  const struct strings *cases = &source->selection->cases;
  for (size_t i = 0; i < cases->count && err->exit_code == 0; i++) {
    if (source->cases_used[i]) continue;
    source_option_text(source, "case", cases->items[i], what, sizeof what);
    err_set(err, EXIT_USAGE, "%s names no bench that is loaded: %s", what, list);
  }
  return err->exit_code != 0 ? -1 : 0;
}

static int check_axes(const struct source *source, const struct lineups *lineups, struct err *err) {
  for (size_t i = 0; i < source->selection->axes.count; i++) {
    if (source->axes[i].used) continue;
    char what[KEY_SIZE], list[LIST_SIZE];
    source_axis_text(source, &source->axes[i], NULL, what, sizeof what);
    list_chosen_axes(source, lineups, list, sizeof list);
    return err_set(err, EXIT_USAGE, "%s: no such axis in %s", what, list);
  }
  return 0;
}

int source_check_rest(const struct source *source, const struct lineups *lineups, struct err *err) {
  char what[KEY_SIZE], list[LIST_SIZE], near[TEXT_SIZE];
  const struct selection *narrow = source->selection->narrow;
  /* if the command line names baselines, they replace those of this section, so patterns of the section that match
   * nothing are not reported */
  bool overruled = narrow != NULL && narrow->baselines.count > 0;
  for (enum filter filter = FILTER_PRESET; filter < (overruled ? FILTER_BASELINE : FILTER_COUNT); filter++) {
    const struct globs *globs = &source->filters[filter];
    for (size_t i = 0; i < globs->list.count; i++) {
      if (globs->used[i]) continue;
      source_option_text(source, filter_options[filter], globs->list.items[i], what, sizeof what);
      list_chosen_names(source, lineups, filter, list, sizeof list);
      near_chosen(source, lineups, filter, globs->list.items[i], near, sizeof near);
      return err_set(err, EXIT_USAGE, "%s matches nothing%s in %s", what, near, list);
    }
  }
  return check_axes(source, lineups, err);
}

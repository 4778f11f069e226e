/* Expands the presets, axes and case keys that a selection gives for one bench into points. A point has a value for
 * each axis. */
#include "plan/expand.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/axis.h"

static bool append_values(const struct point *point, char separator, char *to, size_t size) {
  size_t used = 0;
  to[0] = '\0';
  for (uint32_t i = 0; i < point->count; i++) {
    char value[3 * ID_SIZE];
    text_percent_encode(value, sizeof value, point->values[i].str, ",;=[] ");
    char comma[2] = {i > 0 ? separator : '\0', '\0'};
    int length = snprintf(to + used, size - used, "%s%s=%s", comma, point->values[i].name, value);
    if (length < 0 || (size_t)length >= size - used) return false;
    used += (size_t)length;
  }
  return true;
}

bool case_key(const char *id, const struct point *point, char *to, size_t size) {
  size_t length = strlen(id);
  if (length + 3 > size) return false;
  memcpy(to, id, length + 1);
  if (point->count == 0) return true;
  to[length] = '[';
  if (!append_values(point, ',', to + length + 1, size - length - 2)) return false;
  strcat(to, "]");
  return true;
}

void point_text(const struct point *point, char *to, size_t size) {
  append_values(point, ';', to, size);
}

/* An axis's values, each of which is combined with each value of the other axes. */
struct dimension {
  const struct axis_value *values;
  size_t count;
};

/* The state while the presets and axes of one bench are expanded into points. */
struct expansion {
  const struct bench_request *request;
  const struct bench_desc *bench;
  struct axis_value *default_values[AXES_MAX], *given_values[AXES_MAX];
  /* `given_values`: for each axis, the values of -a; NULL if -a is not given for it */
  size_t default_counts[AXES_MAX], given_counts[AXES_MAX];
  struct point *presets; /* for each preset, the axes that it sets */
  case_sink sink;
  void *user;
  struct err *err;
};

/* ---- Choosing presets and axes ---- */

static bool presets_asked(const struct bench_request *request) {
  for (size_t s = 0; s < request->source_count; s++)
    if (request->sources[s]->filters[FILTER_PRESET].list.count > 0) return true;
  return false;
}

/* Returns true if every source (a section of a suite, or the command line) that names presets accepts this preset. */
static bool preset_passes(const struct bench_request *request, const char *name) {
  bool passes = true;
  for (size_t s = 0; s < request->source_count; s++) {
    struct source *source = request->sources[s];
    if (source->filters[FILTER_PRESET].list.count == 0) continue;
    if (!source_match(source, FILTER_PRESET, name, name)) passes = false;
  }
  return passes;
}

static bool is_default_preset(const struct preset_desc *preset, const char *backend) {
  size_t wanted = strlen(backend);
  for (const char *at = preset->backends; *at != '\0'; at += *at == ',') {
    at += strspn(at, " ");
    size_t length = strcspn(at, ",");
    size_t trimmed = strcspn(at, ", ");
    if (trimmed == wanted && strncmp(at, backend, wanted) == 0) return true;
    at += length;
  }
  return false;
}

void cases_mark(const struct bench_request *request) {
  const struct bench_desc *bench = request->lineup->desc;
  for (uint32_t p = 0; p < bench->preset_count; p++)
    preset_passes(request, bench->presets[p].name);
  for (size_t s = 0; s < request->source_count; s++) {
    struct source *source = request->sources[s];
    for (size_t a = 0; a < source->selection->axes.count; a++)
      if (axis_spec_find(&source->axes[a], request->lineup) >= 0) source->axes[a].used = true;
  }
}

/* ---- Reading the values of axes and presets ---- */

static int load_defaults(struct expansion *x) {
  char what[3 * ID_SIZE + 64];
  for (uint32_t a = 0; a < x->bench->axis_count; a++) {
    const struct axis_desc *axis = &x->bench->axes[a];
    snprintf(what, sizeof what, "axis '%s' of %s", axis->name, x->request->lineup->id);
    if (axis_expand(axis, axis_default(axis, x->request->backend), false, what, &x->default_values[a],
                    &x->default_counts[a], x->err))
      return -1;
  }
  return 0;
}

static int load_presets(struct expansion *x) {
  char what[3 * ID_SIZE + 64];
  x->presets = xcalloc(x->bench->preset_count, sizeof *x->presets);
  for (uint32_t p = 0; p < x->bench->preset_count; p++) {
    snprintf(what, sizeof what, "preset '%s' of %s", x->bench->presets[p].name, x->request->lineup->id);
    if (axis_point(x->bench, x->bench->presets[p].point, what, &x->presets[p], x->err)) return -1;
  }
  return 0;
}

static int unknown_item_error(struct expansion *x, const struct source *source, const struct axis_spec *spec,
                              const struct axis_desc *axis, const char *unknown) {
  char what[KEY_SIZE], list[EXPR_SIZE + 16], copy[EXPR_SIZE];
  const char *names[EXPR_SIZE];
  size_t count = 0;
  text_copy(copy, sizeof copy, axis->choices);
  char *rest = copy;
  for (char *item; (item = strsep(&rest, ",")) != NULL && count < EXPR_SIZE;)
    names[count++] = item + strspn(item, " ");
  text_join(list, sizeof list, names, count);
  source_axis_text(source, spec, unknown, what, sizeof what);
  return err_set(x->err, EXIT_USAGE, "%s: %s has %s", what, x->request->lineup->id, list);
}

static int load_spec(struct expansion *x, const struct source *source, const struct axis_spec *spec) {
  int a = axis_spec_find(spec, x->request->lineup);
  if (a < 0) return 0;
  const struct axis_desc *axis = &x->bench->axes[a];
  char what[KEY_SIZE], unknown[ID_SIZE];
  if (axis_unknown_item(axis, spec->values, unknown, sizeof unknown))
    return unknown_item_error(x, source, spec, axis, unknown);
  source_axis_text(source, spec, NULL, what, sizeof what);
  free(x->given_values[a]); /* if -a is repeated for an axis, the last one counts */
  return axis_expand(axis, spec->values, spec->pow2, what, &x->given_values[a], &x->given_counts[a], x->err);
}

static int load_given(struct expansion *x) {
  for (size_t s = 0; s < x->request->source_count; s++) {
    const struct source *source = x->request->sources[s];
    for (size_t i = 0; i < source->selection->axes.count; i++)
      if (load_spec(x, source, &source->axes[i])) return -1;
  }
  return 0;
}

/* ---- Making points ---- */

static const struct axis_value *find_value(const struct point *point, const char *axis) {
  for (uint32_t i = 0; i < point->count; i++)
    if (strcmp(point->values[i].name, axis) == 0) return &point->values[i];
  return NULL;
}

/* Returns true if the point has every value that the preset sets, because only then it may carry the preset's label. */
static bool fits_preset(const struct point *point, const struct point *preset) {
  for (uint32_t i = 0; i < preset->count; i++) {
    const struct axis_value *value = find_value(point, preset->values[i].name);
    if (value == NULL || strcmp(value->str, preset->values[i].str) != 0) return false;
  }
  return true;
}

static int check_product(const struct expansion *x, const struct dimension *dimensions) {
  char product[512] = "";
  double cases = 1;
  for (uint32_t a = 0; a < x->bench->axis_count; a++) {
    size_t used = strlen(product);
    snprintf(product + used, sizeof product - used, "%s%zu", a > 0 ? " x " : "", dimensions[a].count);
    cases *= (double)dimensions[a].count;
  }
  if (cases <= CASES_MAX) return 0;
  return err_set(x->err, EXIT_USAGE, "%s: %s = %.0f cases, at most %d", x->request->lineup->id, product, cases,
                 CASES_MAX);
}

static void label_point(const struct expansion *x, struct point *point, const uint32_t *preset) {
  for (uint32_t p = 0; p < x->bench->preset_count; p++) {
    if ((preset != NULL && p != *preset) || !fits_preset(point, &x->presets[p])) continue;
    text_copy(point->preset, sizeof point->preset, x->bench->presets[p].name);
    return;
  }
}

/* Passes every combination of the dimensions' values to the sink; the last axis varies fastest. `from` is the index of
 * the preset that gave values, or NULL. */
static int emit_points(struct expansion *x, const struct dimension *dimensions, const uint32_t *from) {
  size_t index[AXES_MAX] = {0};
  struct point point;
  if (check_product(x, dimensions)) return -1;
  for (;;) {
    memset(&point, 0, sizeof point);
    point.count = x->bench->axis_count;
    for (uint32_t a = 0; a < point.count; a++) {
      assert(dimensions[a].values != NULL);
      point.values[a] = dimensions[a].values[index[a]];
    }
    if (from != NULL) label_point(x, &point, from);
    int stop = x->sink(x->user, &point, x->err);
    if (stop) return stop;
    uint32_t a = x->bench->axis_count;
    while (a > 0 && ++index[a - 1] == dimensions[a - 1].count)
      index[--a] = 0;
    if (a == 0) return 0;
  }
}

/* Returns the values of axis `a`: those that -a gives or, without -a, the preset's value or, if the preset does not set
 * the axis, the default values. */
static struct dimension dimension_of(struct expansion *x, uint32_t a, const struct point *preset) {
  if (x->given_values[a] != NULL) return (struct dimension){x->given_values[a], x->given_counts[a]};
  const struct axis_value *value = preset != NULL ? find_value(preset, x->bench->axes[a].name) : NULL;
  if (value == NULL) return (struct dimension){x->default_values[a], x->default_counts[a]};
  return (struct dimension){value, 1};
}

static int emit_preset(struct expansion *x, const uint32_t *preset) {
  struct dimension dimensions[AXES_MAX] = {{0}};
  for (uint32_t a = 0; a < x->bench->axis_count; a++)
    dimensions[a] = dimension_of(x, a, preset != NULL ? &x->presets[*preset] : NULL);
  return emit_points(x, dimensions, preset);
}

/* Returns true if the default presets are used. They are used if there are any and -a names no axis that one of them
 * sets. */
static bool default_presets_serve(const struct expansion *x) {
  bool any = false;
  for (uint32_t p = 0; p < x->bench->preset_count; p++) {
    if (!is_default_preset(&x->bench->presets[p], x->request->backend)) continue;
    any = true;
    for (uint32_t a = 0; a < x->bench->axis_count; a++)
      if (x->given_values[a] != NULL && find_value(&x->presets[p], x->bench->axes[a].name) != NULL) return false;
  }
  return any;
}

static int expand_selection(struct expansion *x) {
  bool asked = presets_asked(x->request);
  if (!asked && !default_presets_serve(x)) return emit_preset(x, NULL);
  for (uint32_t p = 0; p < x->bench->preset_count; p++) {
    const struct preset_desc *preset = &x->bench->presets[p];
    bool wanted = asked ? preset_passes(x->request, preset->name) : is_default_preset(preset, x->request->backend);
    int stop = wanted ? emit_preset(x, &p) : 0;
    if (stop) return stop;
  }
  return 0;
}

/* ---- Making points from case keys ---- */

struct source *case_source(const struct bench_request *request) {
  for (size_t s = request->source_count; s-- > 0;)
    if (request->sources[s]->selection->cases.count > 0) return request->sources[s];
  return NULL;
}

static bool is_name(const char *name, const char *key, size_t length) {
  return strlen(name) == length && strncmp(key, name, length) == 0;
}

/* Returns true if the case key names this bench. Accepts keys as reports print them, "PLUGIN/BENCH[...]", and
 * "BENCH[...]". */
static bool key_names_bench(const char *key, const struct lineup *lineup) {
  const size_t length = strcspn(key, "[");
  const bool whole = memchr(key, '/', length) != NULL;
  return is_name(whole ? lineup->id : lineup->desc->name, key, length);
}

bool case_is_named(struct source *source, const struct lineup *lineup) {
  const struct strings *cases = &source->selection->cases;
  bool any = false;
  for (size_t i = 0; i < cases->count; i++)
    if (key_names_bench(cases->items[i], lineup)) source->cases_used[i] = any = true;
  return any;
}

/* Moves "preset=NAME" out of "a=1,preset=NAME,b=2" to `preset`, unless the bench has an axis named preset. Returns -1
 * if the text names two presets. */
static int extract_preset(const struct expansion *x, char *settings, char *preset, size_t size) {
  char *to = settings, *rest = settings;
  preset[0] = '\0';
  for (uint32_t a = 0; a < x->bench->axis_count; a++)
    if (strcmp(x->bench->axes[a].name, "preset") == 0) return 0;
  for (char *item; (item = strsep(&rest, ",")) != NULL;) {
    size_t length = strlen(item);
    if (strncmp(item, "preset=", 7) == 0) {
      if (preset[0] != '\0') return -1;
      text_percent_decode(item);
      text_copy(preset, size, item + 7);
      continue;
    }
    if (to != settings) *to++ = ',';
    memmove(to, item, length);
    to += length;
  }
  *to = '\0';
  return 0;
}

static int find_preset(const struct expansion *x, const char *name, const char *what, uint32_t *found) {
  const char *names[PRESETS_MAX];
  char list[900];
  for (uint32_t p = 0; p < x->bench->preset_count; p++) {
    names[p] = x->bench->presets[p].name;
    if (strcmp(names[p], name) != 0) continue;
    *found = p;
    return 0;
  }
  text_join(list, sizeof list, names, x->bench->preset_count);
  return err_set(x->err, EXIT_USAGE, "%s: %s has no preset '%.80s': %s", what, x->request->lineup->id, name,
                 x->bench->preset_count > 0 ? list : "none");
}

/* Makes the point of a case key. The value of an axis comes from the key. If the key does not have the axis, it comes
 * from the preset that the key names or, without one, from the default, which must then be a single value. */
static int emit_key(struct expansion *x, const struct point *point, const uint32_t *preset, const char *what) {
  struct dimension dimensions[AXES_MAX] = {{0}};
  struct point labelled = {.count = x->bench->axis_count};
  for (uint32_t a = 0; a < x->bench->axis_count; a++) {
    const struct axis_value *value = find_value(point, x->bench->axes[a].name);
    dimensions[a] = dimension_of(x, a, preset != NULL ? &x->presets[*preset] : NULL);
    if (value != NULL) dimensions[a] = (struct dimension){value, 1};
    if (dimensions[a].count > 1)
      return err_set(x->err, EXIT_USAGE, "%s: axis '%s' is missing and has %zu default values", what,
                     x->bench->axes[a].name, dimensions[a].count);
    labelled.values[a] = dimensions[a].values[0];
  }
  label_point(x, &labelled, preset);
  /* if --preset is given on the command line, drops keys of a suite that have another preset */
  bool narrowed = case_source(x->request) == x->request->sources[0] && presets_asked(x->request);
  if (narrowed && !preset_passes(x->request, labelled.preset)) return 0;
  return x->sink(x->user, &labelled, x->err);
}

static int expand_key(struct expansion *x, const struct source *source, const char *key) {
  char what[KEY_SIZE], settings[KEY_SIZE], preset_name[ID_SIZE];
  struct point point = {0};
  uint32_t preset = 0;
  source_option_text(source, "case", key, what, sizeof what);
  const char *inner = key + strcspn(key, "[");
  size_t length = strlen(inner);
  if (length > 0 && inner[length - 1] != ']') return err_set(x->err, EXIT_USAGE, "%s does not end in ']'", what);
  if (!text_copy(settings, sizeof settings, length > 0 ? inner + 1 : ""))
    return err_set(x->err, EXIT_USAGE, "%s has %zu bytes, at most %d", what, strlen(key), KEY_SIZE - 1);
  if (length > 0) settings[strlen(settings) - 1] = '\0';
  if (extract_preset(x, settings, preset_name, sizeof preset_name))
    return err_set(x->err, EXIT_USAGE, "%s names two presets", what);
  if (preset_name[0] != '\0' && find_preset(x, preset_name, what, &preset)) return -1;
  if (settings[0] != '\0' && axis_point(x->bench, settings, what, &point, x->err)) return -1;
  return emit_key(x, &point, preset_name[0] != '\0' ? &preset : NULL, what);
}

static int expand_keys(struct expansion *x, const struct source *source) {
  const struct strings *cases = &source->selection->cases;
  for (size_t i = 0; i < cases->count; i++) {
    int stop = key_names_bench(cases->items[i], x->request->lineup) ? expand_key(x, source, cases->items[i]) : 0;
    if (stop) return stop;
  }
  return 0;
}

int cases_expand(const struct bench_request *request, case_sink sink, void *user, struct err *err) {
  struct expansion x = {.request = request, .bench = request->lineup->desc, .sink = sink, .user = user, .err = err};
  const struct source *keys = case_source(request);
  int stop = -1;
  if (load_defaults(&x) || load_presets(&x)) goto out;
  if (keys == NULL && load_given(&x)) goto out;
  stop = keys != NULL ? expand_keys(&x, keys) : expand_selection(&x);
out:
  for (uint32_t a = 0; a < AXES_MAX; a++) {
    free(x.default_values[a]);
    free(x.given_values[a]);
  }
  free(x.presets);
  return stop;
}

/* ---- Choosing example cases by size ---- */

struct search {
  const struct lineup *lineup;
  struct examples *examples;
};

double example_size(const struct point *point) {
  double size = 1;
  for (uint32_t i = 0; i < point->count; i++)
    if (point->values[i].type == AXIS_I64 && point->values[i].i64 > 0) size *= (double)point->values[i].i64;
  return size;
}

/* Adds a point to the examples if it is among the smallest so far. The expansion of presets and axes calls it for each
 * point. */
static int add_example(void *user, const struct point *point, struct err *err) {
  const struct search *search = user;
  struct examples *list = search->examples;
  double size = example_size(point);
  size_t at = list->count;
  (void)err;
  while (at > 0 && list->items[at - 1].size > size)
    at--;
  if (at == EXAMPLES_MAX) return 0;
  size_t end = list->count < EXAMPLES_MAX ? list->count++ : EXAMPLES_MAX - 1;
  for (; end > at; end--)
    list->items[end] = list->items[end - 1];
  list->items[at].point = *point;
  list->items[at].size = size;
  case_key(search->lineup->id, point, list->items[at].key, sizeof list->items[at].key);
  return 0;
}

int examples_find(const struct lineup *lineup, const struct selection *selection, const char *backend,
                  struct examples *examples, struct err *err) {
  struct selection defaults;
  struct source source = {0};
  struct search search = {lineup, examples};
  selection_init(&defaults, "defaults");
  int rc = source_init(&source, selection, 1, err);
  if (rc == 0 && !case_is_named(&source, lineup)) {
    source_free(&source);
    rc = source_init(&source, &defaults, 1, err);
  }
  struct bench_request request = {.sources = {&source}, .source_count = 1, .lineup = lineup, .backend = backend};
  if (rc == 0) rc = cases_expand(&request, add_example, &search, err);
  source_free(&source);
  selection_free(&defaults);
  return rc;
}

/* Labels. Rows are grouped by bench with one sort, so that nothing here is quadratic in the rows. */
#include "compare/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "summary/summary.h"

enum { LABEL_AXES = 64 };

/* ---- Runs ---- */

static const char *candidate(const struct compare_input *input, int kind) {
  const char *text = NULL;
  if (kind == 0) text = run_data_get(input->data, "name");
  if (kind == 1) text = run_data_get(input->data, "run_id");
  if (kind == 1 && text == NULL && input->data->count != 0) text = input->data->records[0].run_id;
  return kind == 2 ? input->argument : text_or_empty(text);
}

static bool distinct(const struct compare_input *const *inputs, size_t count, int kind) {
  for (size_t i = 0; i < count; i++) {
    const char *one = candidate(inputs[i], kind);
    if (one[0] == '\0') return false;
    for (size_t j = 0; j < i; j++)
      if (strcmp(one, candidate(inputs[j], kind)) == 0) return false;
  }
  return true;
}

void compare_label_runs(const struct compare_input *base, const struct compare_input *others, struct compare *compare) {
  size_t count = compare->run_count + 1;
  SCOPED const struct compare_input **inputs = xcalloc(count, sizeof *inputs);
  int kind = 0;
  inputs[0] = base;
  for (size_t i = 1; i < count; i++)
    inputs[i] = &others[i - 1];
  while (kind < 2 && !distinct(inputs, count, kind))
    kind++;
  compare->base_label = xstrdup(candidate(base, kind));
  for (size_t i = 1; i < count; i++)
    compare->runs[i - 1].label = xstrdup(candidate(inputs[i], kind));
}

/* ---- Cases ---- */

struct axis {
  char *name, *value; /* within `text` */
};

struct axes {
  char *text;
  struct axis items[LABEL_AXES];
  size_t count;
};

static void axes_parse(struct axes *axes, const char *text) {
  axes->text = xstrdup(text_or_empty(text));
  axes->count = 0;
  char *rest = axes->text, *item = NULL;
  while (axes->count < LABEL_AXES && (item = strsep(&rest, ";")) != NULL) {
    char *value = strchr(item, '=');
    if (value == NULL) continue;
    *value++ = '\0';
    text_percent_decode(item);
    text_percent_decode(value);
    axes->items[axes->count++] = (struct axis){item, value};
  }
}

static const char *axes_get(const struct axes *axes, const char *name) {
  for (size_t i = 0; i < axes->count; i++)
    if (strcmp(axes->items[i].name, name) == 0) return axes->items[i].value;
  return "";
}

static int by_bench(const void *a, const void *b) {
  const struct record *x = (*(struct compare_row *const *)a)->base, *y = (*(struct compare_row *const *)b)->base;
  int order = strcmp(text_or_empty(x->bench), text_or_empty(y->bench));
  if (order == 0) order = strcmp(text_or_empty(x->preset), text_or_empty(y->preset));
  return order != 0 ? order : strcmp(text_or_empty(x->case_key), text_or_empty(y->case_key));
}

/* Which of the first row's axes have another value in any other row. */
static void find_varying(struct compare_row **rows, size_t count, const struct axes *first, bool *varies) {
  const char *last = rows[0]->base->axes;
  for (size_t i = 1; i < count; i++) {
    struct axes axes;
    const char *text = rows[i]->base->axes;
    if (strcmp(text_or_empty(text), text_or_empty(last)) == 0) continue; /* variants of a case are neighbours */
    last = text;
    axes_parse(&axes, text);
    for (size_t j = 0; j < first->count; j++)
      if (!varies[j] && strcmp(first->items[j].value, axes_get(&axes, first->items[j].name)) != 0) varies[j] = true;
    free(axes.text);
  }
}

/* "gpt2-1k S=1024 D=64": the preset and the axes that vary. Where that is nothing, the key tells. */
static char *axes_label(const struct compare_row *row, const struct axes *first, const bool *varies) {
  char label[KEY_SIZE];
  struct axes axes;
  text_copy(label, sizeof label, row->base->preset);
  size_t used = strlen(label);
  axes_parse(&axes, row->base->axes);
  for (size_t i = 0; i < first->count && used < sizeof label; i++) {
    if (!varies[i]) continue;
    const char *name = first->items[i].name;
    used +=
        (size_t)snprintf(label + used, sizeof label - used, "%s%s=%s", used ? " " : "", name, axes_get(&axes, name));
  }
  free(axes.text);
  if (label[0] != '\0') return xstrdup(label);
  const char *all = strchr(text_or_empty(row->base->case_key), '[');
  return xstrdup(all != NULL ? all : "all");
}

/* Rows of one bench and preset, which may be none: then the axes alone must do. */
static void label_preset(struct compare_row **rows, size_t count) {
  struct axes first;
  bool varies[LABEL_AXES] = {false};
  axes_parse(&first, rows[0]->base->axes);
  find_varying(rows, count, &first, varies);
  for (size_t i = 0; i < count; i++)
    rows[i]->label = axes_label(rows[i], &first, varies);
  free(first.text);
}

static size_t group_end(struct compare_row **rows, size_t from, size_t count) {
  const struct record *first = rows[from]->base;
  size_t to = from + 1;
  while (to < count && strcmp(text_or_empty(rows[to]->base->bench), text_or_empty(first->bench)) == 0 &&
         strcmp(text_or_empty(rows[to]->base->preset), text_or_empty(first->preset)) == 0)
    to++;
  return to;
}

void compare_label_rows(struct compare_row *rows, size_t count) {
  SCOPED struct compare_row **sorted = xcalloc(count, sizeof *sorted);
  for (size_t i = 0; i < count; i++)
    sorted[i] = &rows[i];
  qsort(sorted, count, sizeof *sorted, by_bench);
  for (size_t from = 0; from < count;) {
    size_t to = group_end(sorted, from, count);
    label_preset(sorted + from, to - from);
    from = to;
  }
}

#include "options/selection.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/memory.h"

void selection_init(struct selection *selection, const char *origin) {
  *selection = (struct selection){.origin = xstrdup(origin), .precision = NAN, .case_time_s = NAN, .max_time_s = NAN};
}

double selection_usual_precision(bool quick) {
  return quick ? 0.05 : 0.005;
}

double selection_usual_case_time_s(bool quick) {
  return quick ? 0.2 : 3;
}

static const size_t lists[] = {
    offsetof(struct selection, plugins),  offsetof(struct selection, benches),   offsetof(struct selection, variants),
    offsetof(struct selection, excludes), offsetof(struct selection, presets),   offsetof(struct selection, cases),
    offsetof(struct selection, axes),     offsetof(struct selection, requires),  offsetof(struct selection, modes),
    offsetof(struct selection, settings), offsetof(struct selection, baselines),
};

static struct strings *list_of(struct selection *selection, size_t i) {
  return (struct strings *)(void *)((char *)selection + lists[i]);
}

void selection_copy(struct selection *to, const struct selection *from) {
  *to = *from;
  to->origin = xstrdup(from->origin);
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
    const struct strings shared = *list_of(to, i);
    *list_of(to, i) = (struct strings){0};
    for (size_t k = 0; k < shared.count; k++)
      strings_add(list_of(to, i), shared.items[k]);
  }
}

void selection_free(struct selection *selection) {
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
    strings_free(list_of(selection, i));
  free(selection->origin);
  *selection = (struct selection){0};
}

static void replace_list(struct strings *under, const struct strings *over) {
  if (over->count == 0) return;
  strings_free(under);
  for (size_t i = 0; i < over->count; i++)
    strings_add(under, over->items[i]);
}

void selection_override(struct selection *under, const struct selection *over) {
  under->narrow = over;
  under->quick = over->quick;
  if (over->restarts > 0) under->restarts = over->restarts;
  replace_list(&under->baselines, &over->baselines);
  replace_list(&under->modes, &over->modes);
  if (!isnan(over->precision)) under->precision = over->precision;
  if (!isnan(over->case_time_s)) under->case_time_s = over->case_time_s;
  if (!isnan(over->max_time_s)) under->max_time_s = over->max_time_s;
}

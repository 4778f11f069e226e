#include "options/selection.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

void selection_init(struct selection *selection, const char *origin) {
  *selection = (struct selection){.origin = xstrdup(origin), .precision = NAN, .case_time_s = NAN, .max_time_s = NAN};
}

void selection_free(struct selection *selection) {
  struct strings *lists[] = {&selection->plugins, &selection->benches,   &selection->variants, &selection->excludes,
                             &selection->presets, &selection->cases,     &selection->axes,     &selection->requires,
                             &selection->modes,   &selection->baselines, &selection->settings};
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
    strings_free(lists[i]);
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
  if (over->restarts > 0) under->restarts = over->restarts;
  replace_list(&under->baselines, &over->baselines);
  replace_list(&under->modes, &over->modes);
  if (!isnan(over->precision)) under->precision = over->precision;
  if (!isnan(over->case_time_s)) under->case_time_s = over->case_time_s;
  if (!isnan(over->max_time_s)) under->max_time_s = over->max_time_s;
}

/* The axis for a chart's x. */
#include "summary/facets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/phrase.h"
#include "base/text.h"

static const char *value_of(const struct run_bench *bench, const struct run_case *point, size_t axis) {
  return text_or_empty(pairs_get(&point->axes, bench->axes[axis]));
}

static bool parse(const char *text, double *value) {
  char *end = NULL;
  if (text[0] < '0' || text[0] > '9') return false;
  *value = strtod(text, &end);
  return *end == '\0' && isfinite(*value);
}

static bool all_numbers(const struct run_bench *bench, size_t axis) {
  double value = 0;
  for (size_t i = 0; i < bench->case_count; i++)
    if (!parse(value_of(bench, &bench->cases[i], axis), &value)) return false;
  return true;
}

static size_t distinct(const struct run_bench *bench, size_t axis) {
  enum { ENOUGH = 64 };
  const char *seen[ENOUGH];
  size_t count = 0;
  for (size_t i = 0; i < bench->case_count && count < ENOUGH; i++) {
    const char *value = value_of(bench, &bench->cases[i], axis);
    size_t j = 0;
    while (j < count && strcmp(seen[j], value) != 0)
      j++;
    if (j == count) seen[count++] = value;
  }
  return count;
}

/* The numeric axis with the most values, or axis_count. */
static size_t choose_axis(const struct run_bench *bench) {
  size_t best = bench->axis_count, most = 2;
  for (size_t i = 0; i < bench->axis_count; i++) {
    if (!bench->varies[i] || !all_numbers(bench, i)) continue;
    size_t count = distinct(bench, i);
    if (count > most) {
      most = count;
      best = i;
    }
  }
  return best;
}

static void label_of(const struct run_bench *bench, const struct run_case *point, size_t axis, char *to, size_t size) {
  to[0] = '\0';
  for (size_t i = 0; i < bench->axis_count; i++)
    if (bench->varies[i] && i != axis) phrase_add(to, size, " ", "%s=%s", bench->axes[i], value_of(bench, point, i));
}

static struct facet *facet_of(struct facets *facets, const char *label) {
  for (size_t i = 0; i < facets->count; i++)
    if (strcmp(facets->items[i].label, label) == 0) return &facets->items[i];
  facets->items = xrealloc(facets->items, facets->count + 1, sizeof *facets->items);
  struct facet *facet = &facets->items[facets->count++];
  *facet = (struct facet){0};
  text_copy(facet->label, sizeof facet->label, label);
  return facet;
}

static void add_case(struct facet *facet, const struct run_case *point, double x) {
  size_t at = facet->count++;
  facet->cases = xrealloc(facet->cases, facet->count, sizeof *facet->cases);
  facet->x = xrealloc(facet->x, facet->count, sizeof *facet->x);
  for (; at > 0 && facet->x[at - 1] > x; at--) {
    facet->cases[at] = facet->cases[at - 1];
    facet->x[at] = facet->x[at - 1];
  }
  facet->cases[at] = point;
  facet->x[at] = x;
}

/* False where it splits into too many, or one of them has two cases at one place or hardly any. */
static bool split(const struct run_bench *bench, size_t axis, size_t most, struct facets *facets) {
  char label[EXPR_SIZE];
  for (size_t i = 0; i < bench->case_count; i++) {
    double x = 0;
    label_of(bench, &bench->cases[i], axis, label, sizeof label);
    if (!parse(value_of(bench, &bench->cases[i], axis), &x)) return false;
    add_case(facet_of(facets, label), &bench->cases[i], x);
    if (facets->count > most) return false;
  }
  for (size_t i = 0; i < facets->count; i++) {
    if (facets->items[i].count < 3) return false;
    for (size_t j = 1; j < facets->items[i].count; j++)
      if (!(facets->items[i].x[j] > facets->items[i].x[j - 1])) return false;
  }
  return facets->count != 0;
}

void facets_build(const struct run_bench *bench, size_t most, struct facets *facets) {
  *facets = (struct facets){0};
  size_t axis = choose_axis(bench);
  if (axis != bench->axis_count && split(bench, axis, most, facets)) {
    facets->axis = bench->axes[axis];
    return;
  }
  facets_free(facets);
  struct facet *facet = facet_of(facets, "");
  for (size_t i = 0; i < bench->case_count; i++)
    add_case(facet, &bench->cases[i], (double)i);
  free(facet->x);
  facet->x = NULL;
}

void facets_free(struct facets *facets) {
  for (size_t i = 0; i < facets->count; i++) {
    free(facets->items[i].cases);
    free(facets->items[i].x);
  }
  free(facets->items);
  *facets = (struct facets){0};
}

#include "model/denominator.h"

#include <math.h>

bool denominator_serves(const struct denominator *candidate, size_t i, const struct denominator *of) {
  return of->twin != 0 ? of->twin == i + 1 : candidate->common != 0;
}

static bool goes_before(const struct denominator *a, double a_ns, const struct denominator *b, double b_ns) {
  if (isnan(a_ns) || isnan(b_ns)) return !isnan(a_ns);
  return a->common != b->common ? a->common < b->common : a_ns < b_ns;
}

size_t denominator_of(const struct denominator *all, const double *medians, size_t count, size_t j) {
  size_t best = SIZE_MAX;
  if (all[j].twin != 0) return all[j].twin <= count ? all[j].twin - 1 : SIZE_MAX;
  for (size_t i = 0; i < count; i++)
    if (all[i].common != 0 && (best == SIZE_MAX || goes_before(&all[i], medians[i], &all[best], medians[best])))
      best = i;
  return best;
}

bool denominator_is_chosen(const struct denominator *all, size_t count, size_t j) {
  size_t candidates = 0;
  for (size_t i = 0; i < count; i++)
    candidates += all[i].common == 1;
  return all[j].twin == 0 && candidates > 1;
}

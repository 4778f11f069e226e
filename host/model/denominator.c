#include "model/denominator.h"

#include <math.h>

bool denominator_serves(const struct denominator *candidate, size_t i, const struct denominator *of) {
  return of->twin != 0 ? of->twin == i + 1 : candidate->common != 0;
}

size_t denominator_of(const struct denominator *all, const double *medians, size_t count, size_t j) {
  size_t best = SIZE_MAX;
  if (all[j].twin != 0) return all[j].twin <= count ? all[j].twin - 1 : SIZE_MAX;
  for (size_t i = 0; i < count; i++) {
    if (all[i].common == 0) continue;
    if (best == SIZE_MAX || medians[i] < medians[best] || (isnan(medians[best]) && !isnan(medians[i]))) best = i;
  }
  return best;
}

bool denominator_is_chosen(const struct denominator *all, size_t count, size_t j) {
  size_t candidates = 0;
  for (size_t i = 0; i < count; i++)
    candidates += all[i].common != 0;
  return all[j].twin == 0 && candidates > 1;
}

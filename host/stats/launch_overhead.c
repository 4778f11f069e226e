#include "stats/launch_overhead.h"

#include <math.h>

bool overhead_counts(const struct launch_overhead *overhead, double ns) {
  return overhead->ns > OVERHEAD_SHARE * ns;
}

bool overhead_left(const struct launch_overhead *overhead, double ns, struct interval ci95, struct interval *left) {
  const double most = 0.5, time = ns - overhead->ns;
  *left = (struct interval){ci95.lo - overhead->ns - overhead->unc_ns, ci95.hi - overhead->ns + overhead->unc_ns};
  return (left->hi - left->lo) / 2 <= most * time; /* the comparison is false for NaN */
}

void stats_ratio_cover(struct ratio *ratio, const struct ratio *other) {
  ratio->lo95 = fmin(ratio->lo95, other->lo95);
  ratio->hi95 = fmax(ratio->hi95, other->hi95);
  ratio->lo99 = fmin(ratio->lo99, other->lo99);
  ratio->hi99 = fmax(ratio->hi99, other->hi99);
  ratio->half_width95 = log(ratio->hi95 / ratio->lo95) / 2;
}

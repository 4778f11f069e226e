#include "budget/alone_time.h"

#include "plan/build.h"
#include "stats/company.h"

/* Most kernels are precise earlier. */
static const double full_look_s = 0.3, quick_look_s = 0.1;
/* What a look takes beside them. */
static const double look_process_s = 0.1, look_variant_s = 0.2, start_s = 0.4;

double alone_look_s(bool quick) {
  return quick ? quick_look_s : full_look_s;
}

double alone_promised_s(const struct options *o, const struct plan_case *p) {
  size_t variants = 0, providers = 0;
  if (p->yardstick || o->run.verify_only || o->run.profile || o->run.in_process || o->run.isolate) return 0;
  for (size_t i = 0; i < p->variant_count; i++) {
    bool wanted = false, known = false;
    for (size_t j = 0; j < p->variant_count; j++) {
      const bool compared = i != j && alone_is_between(p, i, j) && p->variants[i].fate == ROW_NOT_RUN &&
                            p->variants[j].fate == ROW_NOT_RUN && (plan_serves(p, i, j) || plan_serves(p, j, i));
      wanted = wanted || compared;
    }
    for (size_t j = 0; j < i; j++)
      known = known || p->variants[j].plugin == p->variants[i].plugin;
    variants += wanted;
    providers += !known;
  }
  if (variants == 0) return 0;
  const double pairs = o->run.quick ? 1 : COMPANY_PAIRS;
  const double pair_s =
      (double)variants * (look_variant_s + alone_look_s(o->run.quick)) + (double)providers * look_process_s;
  return pairs * pair_s + (double)providers * start_s;
}

/* Builds the requests to workers about a case. */
#include "ask/request.h"

#include <math.h>

#include "base/memory.h"

static const double yardstick_case_time_s = 0.5, quick_energy_s = 1;

/* Returns how long one measurement with the device's energy counter lasts; 0: energy is not measured. */
static double energy_time(const struct options *o, const struct bench_desc *bench, const struct plan_case *p) {
  if (p->yardstick || o->run.verify_only || o->run.profile || (!o->run.energy && (bench->flags & BENCH_ENERGY) == 0))
    return 0;
  return o->run.quick ? fmin(o->run.energy_time_s, quick_energy_s) : o->run.energy_time_s;
}

struct run_case_settings request_settings(const struct options *o, const struct bench_desc *bench,
                                          const struct plan_case *p) {
  const double case_time_s = p->yardstick ? yardstick_case_time_s : selection_usual_case_time_s(o->run.quick);
  return (struct run_case_settings){
      .precision = isnan(p->precision) ? selection_usual_precision(o->run.quick) : p->precision,
      .case_time_s = isnan(p->case_time_s) ? case_time_s : p->case_time_s,
      .leak_bytes = o->run.leak_bytes,
      .energy_s = energy_time(o, bench, p),
      .memory_limit = (uint64_t)o->run.memory_limit,
      .seed = o->common.seed,
      .restarts = p->restarts,
      .trajectory = p->yardstick ? 0 : o->run.trajectory,
      .quick = o->run.quick,
      .verify_only = o->run.verify_only,
      .profile = o->run.profile,
      .isolated = o->run.isolate,
  };
}

struct case_request *request_new(const struct pool_worker *member, const struct plan_case *plan_case) {
  struct case_request *request = xcalloc(1, sizeof *request);
  request->plugin = pool_place(member, plan_case->plugin);
  request->bench = (uint32_t)plan_case->bench;
  request->yardstick = plan_case->yardstick;
  request->point = plan_case->point;
  text_copy(request->key, sizeof request->key, plan_case->key);
  return request;
}

bool request_add(struct case_request *request, const struct pool_worker *member, const struct plan_variant *variant) {
  uint32_t place = request->variant_count;
  if (place == CASE_VARIANTS_MAX) return false;
  request->variants[place].plugin = pool_place(member, variant->plugin);
  request->variants[place].variant = (uint32_t)variant->variant;
  request->variants[place].against = variant->against;
  text_copy(request->variants[place].name, sizeof request->variants[place].name, variant->name);
  request->variant_count++;
  return true;
}

void request_set(struct case_request *request, const struct run_case_settings *settings) {
  request->seed = settings->seed;
  request->precision = settings->precision;
  request->case_time_s = settings->case_time_s;
  request->trajectory = settings->trajectory;
  request->leak_bytes = settings->leak_bytes;
  request->energy_s = settings->energy_s;
  request->memory_limit = settings->memory_limit;
  request->quick = settings->quick;
  request->verify_only = settings->verify_only;
  request->profile = settings->profile;
}

/* Requests about cases. */
#include "ask/request.h"

#include "base/memory.h"

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

#include "measure/orders.h"

#include "base/clock.h"
#include "case/calls.h"
#include "measure/audit/evidence.h"

bool orders_given(const struct measurement *m) {
  return m->request->ordered != 0 && m->sink->await != NULL;
}

static struct ready_message ready_now(const struct measurement *m, enum ready_for what) {
  struct ready_message ready = {.ready_for = what,
                                .kept_from = m->kept_from,
                                .replicas = m->replicas,
                                .slot_least = measure_slot_least(m),
                                .pace = {m->pace.cooldown, m->pace.most_w, m->pace.worked_s, m->pace.rested_ns}};
  if (what == READY_SLOT) ready.left_s = evidence_left_s(m);
  if (what == READY_SLOT) ready.lacks_verifications = measure_lacks_verifications(m);
  for (const struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1))
    ready.alive[k->index / 64] |= UINT64_C(1) << k->index % 64;
  return ready;
}

/* Excludes `ns` of waiting from all durations, by moving the times from which they are counted. */
static void exclude_waiting(struct measurement *m, int64_t ns) {
  m->waited_ns += ns;
  m->started_ns += ns;
  if (m->sampling_ns != 0) m->sampling_ns += ns;
  if (m->drawn_ns != 0) m->drawn_ns += ns;
  if (m->over_ns != 0) m->over_ns += ns;
}

static int await_order(struct measurement *m, const struct ready_message *ready, struct order_message *order,
                       struct err *err) {
  if (call_sync(m->c, err) != 0) return -1;
  const int64_t start = clock_now_ns();
  m->sink->await(m->sink->user, ready, order);
  exclude_waiting(m, clock_now_ns() - start);
  m->pace.cooldown = order->pace.cooldown;
  m->pace.most_w = order->pace.most_w;
  m->pace.worked_s = order->pace.worked_s;
  m->pace.rested_ns = order->pace.rested_ns;
  return 0;
}

int orders_sizes(struct measurement *m, double *fastest_ns, double *slowest_ns, struct err *err) {
  struct ready_message ready = ready_now(m, READY_SIZES);
  struct order_message order;
  ready.fastest_ns = *fastest_ns;
  ready.slowest_ns = *slowest_ns;
  if (await_order(m, &ready, &order, err) != 0) return -1;
  *fastest_ns = order.fastest_ns;
  *slowest_ns = order.slowest_ns;
  return 0;
}

int orders_level(struct measurement *m, uint32_t *least, struct err *err) {
  const struct ready_message ready = ready_now(m, READY_LEVEL);
  struct order_message order;
  if (await_order(m, &ready, &order, err) != 0) return -1;
  *least = order.slot_least;
  return 0;
}

int orders_slot(struct measurement *m, struct order_message *order, struct err *err) {
  const struct ready_message ready = ready_now(m, READY_SLOT);
  return await_order(m, &ready, order, err);
}

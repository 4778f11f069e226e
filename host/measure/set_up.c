/* Sets up a case: the bench's `setup`, tensors, inputs, and each variant's `prepare`. */
#include "measure/steps.h"

#include <string.h>

#include "base/clock.h"
#include "case/calls.h"
#include "case/contents.h"
#include "case/minor.h"
#include "case/tensors.h"
#include "case/witness.h"
#include "measure/audit/overruns.h"

/* Returns why this variant cannot be timed in this mode; NULL: it can. */
static const char *refusal(const struct measurement *m, const struct contestant *k) {
  struct mode mode = m->request->mode;
  bool graph = mode_replays(mode);
  bool sync = (k->variant->own.flags & GB_VARIANT_SYNC) != 0, queues = device_is(m->c->device, DEVICE_QUEUES);
  if (graph && !device_is(m->c->device, DEVICE_HAS_GRAPHS)) return "the device has no graphs to capture and replay";
  if (graph && (k->variant->own.flags & GB_VARIANT_NO_CAPTURE) != 0) return "it cannot be captured, it says";
  if (graph && sync) return "it returns when its work is done, so there is nothing to capture";
  if (queues && sync && mode.timing != TIMING_WALL && mode.timing != TIMING_LATENCY)
    return "it returns when its work is done: only wall and latency time that";
  if (queues && !sync && tensors_pageable(m->c) != NULL)
    return "a tensor lies in pageable memory, which has no place in the order of a stream: only who is done when it "
           "returns can use it";
  const bool iterable = (m->c->bench->own.flags & (GB_BENCH_ITERABLE | GB_BENCH_STATEFUL)) != 0;
  if (tensors_need_restore(m->c) && !iterable && mode_is_unbroken(mode))
    return "it changes its inputs, which are put back between iterations";
  if (k->variant->own.before != NULL && mode_is_unbroken(mode)) return "its `before` comes between iterations";
  return NULL;
}

/* Prepares the variant and waits for the device. A fault of work that `prepare` enqueued shows in that wait, while it
 * is still clear that this variant caused it. */
int measure_prepare(struct measurement *m, struct contestant *k, struct err *err) {
  const char *why = refusal(m, k);
  if (why != NULL) {
    contestant_drop(k, ROW_SKIPPED, "mode %s: %s", mode_name(m->request->mode), why);
    return 0;
  }
  if (tensors_keep_state(m->c) && contestant_is_derived(k) && k->variant->own.refresh == NULL) {
    contestant_drop(k, ROW_ERROR, "it derives from a state that is put back again and again: it needs `refresh`");
    return 0;
  }
  m->running = k;
  if (contestant_prepare(k, err) != 0) return -1;
  if (call_sync(m->c, err) != 0) return -1;
  m->running = NULL;
  return contestant_alive(k) ? overruns_look(m, k, GUARDS_ALL, err) : 0;
}

/* Asks again with which minor of its contract the case came. Returns false if the bench answers wrongly. Drops guests
 * that were not written for the answer, though they were for that when the case was planned: the message names the
 * bench's callback, because the guest is not at fault. */
static bool check_minor(struct measurement *m) {
  const struct bench *bench = m->c->bench;
  struct outcome says;
  uint32_t minor;
  minor_ask(m->c, &minor, &says);
  if (says.kind != OUTCOME_OK) measure_drop_all(m, ROW_ERROR, "minor_of", says.message);
  for (uint32_t i = 0; i < m->count && says.kind == OUTCOME_OK; i++) {
    const struct variant *variant = m->contestants[i].variant;
    if (minor_is_later(variant, minor))
      contestant_drop(&m->contestants[i], ROW_ERROR,
                      "minor_of of bench %s/%s gave %u, and at most %u when the case was planned",
                      bench->plugin->desc.id, bench->desc.name, minor, variant->desc.contract_minor);
  }
  return says.kind == OUTCOME_OK;
}

int measure_set_up(struct measurement *m, struct err *err) {
  struct gb_case *c = m->c;
  const struct bench *bench = c->bench;
  if (!check_minor(m)) return 0;
  call_begin(c, PHASE_SETUP, OWNER_BENCH);
  gb_status status = bench->own.setup(bench->theirs, c, &c->state);
  m->ready = status == GB_OK;
  if (!measure_bench_ok(m, status, "setup")) return 0;
  said_clear(&c->said);
  if (!tensors_allocate(c) || !witness_open(c)) {
    char message[MSG_SIZE];
    said_copy(&c->said, message, sizeof message);
    measure_drop_all(m, ROW_SKIPPED, "tensors", message);
    return 0;
  }
  int64_t start = clock_now_ns();
  struct outcome outcome;
  bench_fill(c, m->request->seed, &outcome);
  if (outcome.kind != OUTCOME_OK) {
    const bool skipped = outcome.kind == OUTCOME_SKIP || outcome.kind == OUTCOME_NO_MEMORY;
    measure_drop_all(m, skipped ? ROW_SKIPPED : ROW_ERROR, "fill", outcome.message);
    return 0;
  }
  if (tensors_fill(c, m->request->seed, err) != 0) return -1;
  m->fill_s = clock_seconds_since(start);
  for (uint32_t i = 0; i < m->count; i++)
    if (contestant_alive(&m->contestants[i]) && measure_prepare(m, &m->contestants[i], err) != 0) return -1;
  return 0;
}

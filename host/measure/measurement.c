/* Helpers that all parts of a case's measurement use. */
#include "measure/measurement.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "case/calls.h"

bool measure_on_cpu(const struct measurement *m) {
  return !device_is(m->c->device, DEVICE_QUEUES) && !device_is(m->c->device, DEVICE_SCRIPTED);
}

uint64_t measure_draw(struct measurement *m) {
  return rng_bits(m->secret, m->drawn++);
}

double measure_draw_share(struct measurement *m) {
  return rng_share(m->secret, m->drawn++);
}

double measure_tick_ns(const struct measurement *m) {
  return m->c->device->facts.tick_ns / m->replicas;
}

struct slot_task measure_slot_task(const struct measurement *m, uint32_t count, double *ns) {
  enum timing timing = (enum timing)m->request->mode.timing;
  return (struct slot_task){.timing = timing, .count = count, .flush = timing == TIMING_COLD, .ns = ns};
}

struct contestant *measure_next(const struct measurement *m, uint32_t from) {
  for (uint32_t i = from; i < m->count; i++)
    if (contestant_alive(&m->contestants[i])) return &m->contestants[i];
  return NULL;
}

uint32_t measure_slot_least(const struct measurement *m) {
  uint32_t least = UINT32_MAX;
  for (const struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1))
    least = k->slot_size < least ? k->slot_size : least;
  return least;
}

/* Sends the report at once, so that it is not lost if the process crashes later. For a wrong result, it tells how many
 * verifications were made until one failed. The verification before anything is timed counts only if it failed. */
void measure_tell(const struct measurement *m, struct contestant *k) {
  if (k->told || contestant_alive(k)) return;
  k->told = true;
  k->report.verifications = k->report.status == ROW_WRONG ? k->verified + 1 : 0;
  m->sink->report(m->sink->user, &k->report);
}

int measure_take(struct measurement *m, struct contestant *k, struct slot_task *task, struct err *err) {
  const int64_t start = clock_now_ns();
  m->running = k;
  if (contestant_slot(k, task, err) != 0) return -1;
  m->running = NULL;
  pace_worked(&m->pace, clock_now_ns() - start, task->state.power_w);
  measure_tell(m, k);
  return 0;
}

bool measure_stopped(const struct measurement *m) {
  return atomic_load(&m->c->page->stop) != 0;
}

bool measure_late(const struct measurement *m) {
  return m->request->until_ns != 0 && clock_now_ns() > m->request->until_ns;
}

bool measure_lacks_verifications(const struct measurement *m) {
  for (const struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1))
    if (k->verified < m->request->verifications) return true;
  return false;
}

void measure_drop_all(struct measurement *m, enum row_status status, const char *what, const char *message) {
  m->status = status;
  snprintf(m->why, sizeof m->why, "%s: %.1000s", what, message);
  for (uint32_t i = 0; i < m->count; i++) {
    struct contestant *k = &m->contestants[i];
    if (!contestant_alive(k)) continue;
    k->report.of_bench = 1;
    contestant_drop(k, status, "%s: %s", what, message);
  }
}

bool measure_bench_ok(struct measurement *m, gb_status status, const char *what) {
  struct outcome outcome;
  call_end(m->c, status, &outcome);
  if (outcome.kind == OUTCOME_OK) return true;
  bool skipped = outcome.kind == OUTCOME_SKIP || outcome.kind == OUTCOME_NO_MEMORY;
  measure_drop_all(m, skipped ? ROW_SKIPPED : ROW_ERROR, what, outcome.message);
  return false;
}

/* One page shared by a worker and its parent: what the worker is doing right now. Stores only, so that marking a
 * callback costs nothing and the mark outlives the worker's death. */
#ifndef MODEL_PHASE_H
#define MODEL_PHASE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum phase {
  PHASE_IDLE, /* no plugin code */
  PHASE_LOAD,
  PHASE_OPEN,
  PHASE_SUPPORTS,
  PHASE_SETUP,
  PHASE_FILL,
  PHASE_PREPARE,
  PHASE_REFRESH,
  PHASE_REFERENCE,
  PHASE_BEFORE,
  PHASE_RUN,
  PHASE_AFTER,
  PHASE_VERIFY,
  PHASE_RELEASE,
  PHASE_TEARDOWN,
  PHASE_CLOSE,
  PHASE_DEVICE, /* no plugin code either: a driver's, which may hang after a fault */
  PHASE_COUNT
};

struct phase_page {
  _Atomic uint32_t phase;   /* enum phase and a tag: what a plugin writes by chance is none */
  _Atomic int32_t variant;  /* index within the case; -1: the bench's own callback */
  _Atomic int64_t since_ns; /* CLOCK_MONOTONIC when it was entered */
  _Atomic uint32_t stop;    /* set by the parent: finish the round, then end the case */
};

const char *phase_name(enum phase phase);

struct phase_mark {
  enum phase phase;
  int variant;
  int64_t since_ns;
};

/* False: what is there is no mark of ours. */
bool phase_read(const struct phase_page *page, struct phase_mark *mark);

void phase_enter(struct phase_page *page, enum phase phase, int variant);
void phase_leave(struct phase_page *page);

/* Between callbacks: what takes long goes on. */
void phase_go_on(struct phase_page *page);

#endif

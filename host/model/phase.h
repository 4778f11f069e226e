/* The status page: memory that a worker shares with its parent. The worker notes there which callback of a plugin it
 * runs at present (its phase). A note takes only a few stores, so it costs nothing, and it outlives the worker's
 * death. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum phase {
  PHASE_IDLE, /* no plugin code */
  PHASE_LOAD,
  PHASE_OPEN,
  PHASE_SUPPORTS,
  PHASE_MINOR_OF,
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
  PHASE_DEVICE, /* no callback: the worker calls the device's driver, which may hang after a fault */
  PHASE_COUNT
};

struct phase_page {
  /* a value of enum phase, marked by a tag that a plugin's stray write would not have */
  _Atomic uint32_t phase;
  _Atomic int32_t variant;  /* index within the case; -1: a callback of the bench */
  _Atomic int64_t since_ns; /* CLOCK_MONOTONIC when the phase was entered */
  _Atomic uint32_t stop;    /* set by the parent: finish the round, then end the case */
};

const char *phase_name(enum phase phase);

/* Returns true for the callbacks that are entered while cases are chosen, when a case has no tensors and no state. */
static inline bool phase_chooses(enum phase phase) {
  return phase == PHASE_SUPPORTS || phase == PHASE_MINOR_OF;
}

struct phase_mark {
  enum phase phase;
  int variant;
  int64_t since_ns;
};

/* Returns false if the page holds no valid mark. */
bool phase_read(const struct phase_page *page, struct phase_mark *mark);

void phase_enter(struct phase_page *page, enum phase phase, int variant);
void phase_leave(struct phase_page *page);

/* Restarts the time of the present phase. The worker calls it between callbacks, so that the parent does not take slow
 * progress for a hang. */
void phase_go_on(struct phase_page *page);

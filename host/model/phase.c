/* Writes and reads the status page, on which a worker notes for its parent which callback it runs at present. */
#include "model/phase.h"

#include "base/clock.h"

static const uint32_t tag = 0x67620000;

const char *phase_name(enum phase phase) {
  static const char *const names[PHASE_COUNT] = {"the host's own code",
                                                 "dlopen",
                                                 "open",
                                                 "supports",
                                                 "minor_of",
                                                 "setup",
                                                 "fill",
                                                 "prepare",
                                                 "refresh",
                                                 "reference",
                                                 "before",
                                                 "run",
                                                 "after",
                                                 "verify",
                                                 "release",
                                                 "teardown",
                                                 "close",
                                                 "opening the device"};
  return (unsigned)phase < PHASE_COUNT ? names[phase] : "?";
}

void phase_enter(struct phase_page *page, enum phase phase, int variant) {
  atomic_store_explicit(&page->since_ns, clock_now_ns(), memory_order_relaxed);
  atomic_store_explicit(&page->variant, variant, memory_order_relaxed);
  atomic_store_explicit(&page->phase, tag | (uint32_t)phase, memory_order_release);
}

void phase_leave(struct phase_page *page) {
  atomic_store_explicit(&page->phase, tag | PHASE_IDLE, memory_order_release);
}

void phase_go_on(struct phase_page *page) {
  atomic_store_explicit(&page->since_ns, clock_now_ns(), memory_order_relaxed);
}

bool phase_read(const struct phase_page *page, struct phase_mark *mark) {
  uint32_t phase = atomic_load(&page->phase) ^ tag;
  if (phase >= PHASE_COUNT) return false;
  *mark = (struct phase_mark){(enum phase)phase, atomic_load(&page->variant), atomic_load(&page->since_ns)};
  return true;
}

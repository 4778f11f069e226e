/* The shared page's marks. */
#include "model/phase.h"

#include "base/clock.h"

const char *phase_name(enum phase phase) {
  static const char *const names[PHASE_COUNT] = {
      "the host's own code", "dlopen", "open",   "supports", "setup",    "prepare",
      "reference",           "run",    "verify", "release",  "teardown", "opening the device"};
  return (unsigned)phase < PHASE_COUNT ? names[phase] : "?";
}

void phase_enter(struct phase_page *page, enum phase phase, int variant) {
  atomic_store_explicit(&page->since_ns, clock_now_ns(), memory_order_relaxed);
  atomic_store_explicit(&page->variant, variant, memory_order_relaxed);
  atomic_store_explicit(&page->phase, (uint32_t)phase, memory_order_release);
}

void phase_leave(struct phase_page *page) {
  atomic_store_explicit(&page->phase, PHASE_IDLE, memory_order_release);
}

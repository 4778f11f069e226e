/* The mode of floating-point arithmetic. */
#include <fenv.h>
#include <stdint.h>

#include "plugin/process_watch.h"

static fenv_t taken;

static void take_arithmetic(void) {
  fegetenv(&taken);
}

/* The control bits; which exceptions have occurred is everybody's. */
static uint64_t mode_bits(const fenv_t *env) {
#if defined(__x86_64__)
  return (uint64_t)(env->__control_word & 0x0F3F) | (uint64_t)env->__tags << 16 |
         (uint64_t)(env->__mxcsr & 0xFFC0) << 32;
#elif defined(__aarch64__)
  return env->__fpcr;
#endif
}

static const char *mode_name(uint64_t changed) {
#if defined(__x86_64__)
  return changed & UINT64_C(0x8040) << 32   ? "flush to zero"
         : changed & UINT64_C(0x6000) << 32 ? "rounding"
         : changed & UINT64_C(0x1F80) << 32 ? "traps"
         : changed & 0xFFFF0000             ? "x87 registers left in use"
                                            : "x87";
#elif defined(__aarch64__)
  return changed & (UINT64_C(1) << 24 | UINT64_C(1) << 19) ? "flush to zero"
         : changed & UINT64_C(3) << 22                     ? "rounding"
                                                           : "traps";
#endif
}

/* All of it; fesetenv() leaves the tags and the precision of the x87 as they are. */
static void restore_arithmetic(void) {
#if defined(__x86_64__)
  __asm__ volatile("fldenv %0\n\tldmxcsr %1" : : "m"(taken), "m"(taken.__mxcsr));
#else
  fesetenv(&taken);
#endif
}

static void check_arithmetic(struct process_state_finding *finding) {
  fenv_t now;
  fegetenv(&now);
  uint64_t changed = mode_bits(&now) ^ mode_bits(&taken);
  if (changed == 0) return;
  restore_arithmetic();
  process_finding_add(finding, PROCESS_STATE_UNDONE, "changed the floating-point mode (%s)", mode_name(changed));
}

const struct process_watch watch_arithmetic = {take_arithmetic, check_arithmetic};

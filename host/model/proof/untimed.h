/* How long work outside the time took, as it was seen now and then. Pure. */
#ifndef MODEL_PROOF_UNTIMED_H
#define MODEL_PROOF_UNTIMED_H

#include <stdint.h>

/* Of a callback per iteration, on inputs that were new to it, or of threads ahead of a call; each stands for so many
 * slots. The first ones of all processes. */
enum { UNTIMED_MOST = 32 };
struct untimed_times {
  double ns[UNTIMED_MOST], slots[UNTIMED_MOST];
  uint32_t count;
};

/* Unless there is no room. */
void untimed_add(struct untimed_times *times, double ns, double slots);
void untimed_join(struct untimed_times *times, const struct untimed_times *more);

/* What threads did in half of the slots or more; 0 where it is below what threads take to wait, NaN where it was never
 * looked at. */
double untimed_ahead_ns(const struct untimed_times *times);

#endif

/* cuDNN plans that were built, timed and chosen, kept for the next case of the same shape: cuDNN does not free about 50
 * KB of host memory of each plan that it builds (seen with 9.14), and building takes time. These functions may be
 * called from any thread. */
#ifndef ATTENTION_CUDNN_KEPT_H
#define ATTENTION_CUDNN_KEPT_H

#include "cudnn_plans.h"

struct cudnn_set {
  int device;
  struct cudnn_plans plans;
  struct cudnn_plan built[CUDNN_PLANS]; /* the plans that could be built, in cuDNN's order */
  int count, chosen;
  char choice[256]; /* text for a note in the report: the chosen plan and its time; empty until a plan is chosen */
};

/* Takes a kept set of plans for this device and shape out of the list; the caller owns it until cudnn_kept_give().
 * Returns NULL if none is kept. */
struct cudnn_set *cudnn_kept_take(int device, const struct cudnn_shape *shape);
/* Gives a set back; the caller must not use it any more. If no plan of the set has been chosen, the set is closed. If
 * too many sets are kept, the oldest one is closed. */
void cudnn_kept_give(struct cudnn_set *set);
void cudnn_kept_close(void);

#endif

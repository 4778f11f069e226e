/* Plans of cuDNN's that were built, timed and chosen, kept for the next case like theirs: cuDNN never gives back about
 * 50 KB of host memory of each plan that it builds (seen with 9.14), and takes its time to build one. From any thread.
 */
#ifndef ATTENTION_CUDNN_KEPT_H
#define ATTENTION_CUDNN_KEPT_H

#include "cudnn_plans.h"

struct cudnn_set {
  int device;
  struct cudnn_plans plans;
  struct cudnn_plan built[CUDNN_PLANS]; /* those that could be, in cuDNN's order */
  int count, chosen;
  char choice[256]; /* which it is and what it took, for a note; empty: none is chosen yet */
};

/* NULL: there is none of this device and shape. Else it is the caller's, for cudnn_kept_give. */
struct cudnn_set *cudnn_kept_take(int device, const struct cudnn_shape *shape);
/* It may be used no more. One without a choice is closed; where too many are kept, the oldest is. */
void cudnn_kept_give(struct cudnn_set *set);
void cudnn_kept_close(void);

#endif

/* NVIDIA's cuDNN as a variant, opened when a case wants it. Built with CUDA only. */
#ifndef ATTENTION_CUDNN_H
#define ATTENTION_CUDNN_H

#include <gpubench/sugar.h>

#include "cudnn_plans.h"

struct attention_cudnn_request {
  const gb_sdk *sdk;
  gb_case *c;
  const char *variant; /* for messages */
  struct cudnn_shape shape;
  struct cudnn_tensors tensors;
};

/* For prepare: GB_OK, GB_SKIP where there is no cuDNN or it has nothing for the case, or an error. Times what cuDNN
 * proposes and keeps the fastest; `*state` is then for the other two. */
gb_status attention_cudnn_open(const struct attention_cudnn_request *r, void **state);
gb_status attention_cudnn_run(const gb_sdk *sdk, gb_case *c, void *state);
void attention_cudnn_close(void *state);

#endif

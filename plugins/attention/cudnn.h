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
 * proposes and keeps the fastest; `*state` is then for the two slots below. */
gb_status attention_cudnn_open(const struct attention_cudnn_request *r, void **state);

/* For supports: the device and the type. Its plans are for the device, whatever our own kernels are compiled for. */
gb_status attention_cudnn_takes(const gb_sdk *sdk, const gb_variant *self, gb_case *c);

/* Slots of a variant. */
gb_status attention_cudnn_run(const gb_variant *self, gb_case *c, void *state);
void attention_cudnn_release(const gb_variant *self, gb_case *c, void *state);

/* For the plugin's `close`: what was kept for cases to come. */
void attention_cudnn_close(void);

/* The variant of a bench, whose own are `supports` and `prepare`. */
#define ATTENTION_CUDNN(own_supports, own_prepare)                                                                    \
  {                                                                                                                   \
    GB_SIZE(gb_variant), .flags = GB_VARIANT_BASELINE, .name = "cudnn",                                               \
                         .summary = "NVIDIA's cuDNN, the fastest of the plans it proposes; opened where it is found", \
                         .backend = "cuda", .math = "native", .supports = own_supports, .prepare = own_prepare,       \
                         .run = attention_cudnn_run, .release = attention_cudnn_release,                              \
  }

#endif

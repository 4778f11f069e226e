/* Attention by NVIDIA's cuDNN, as a variant (an implementation) of several benches. The library is opened (dlopen) when
 * the first case needs it. Part of CUDA builds only. */
#ifndef ATTENTION_CUDNN_H
#define ATTENTION_CUDNN_H

#include <gpubench/sugar.h>

#include "cudnn_plans.h"

struct attention_cudnn_request {
  const gb_sdk *sdk;
  gb_case *c;
  const char *variant; /* name of the variant, for messages */
  struct cudnn_shape shape;
  struct cudnn_tensors tensors;
};

/* For `prepare`. Times the plans that cuDNN proposes, keeps the fastest and sets `*state` for the two functions below.
 * Returns GB_OK; GB_SKIP if cuDNN is missing or has no plan for the case; or an error. */
gb_status attention_cudnn_open(const struct attention_cudnn_request *r, void **state);

/* For `supports`: checks the device and the storage type. Unlike our own variants, cuDNN does not depend on the
 * architectures that this plugin was compiled for. */
gb_status attention_cudnn_takes(const gb_sdk *sdk, const gb_variant *self, gb_case *c);

/* The callbacks `run` and `release` of the variant. */
gb_status attention_cudnn_run(const gb_variant *self, gb_case *c, void *state);
void attention_cudnn_release(const gb_variant *self, gb_case *c, void *state);

/* For the plugin's `close`: frees the plans that were kept for later cases. */
void attention_cudnn_close(void);

/* Initialises a gb_variant named "cudnn"; the bench passes its own functions `supports` and `prepare`. */
#define ATTENTION_CUDNN(own_supports, own_prepare)                                                                    \
  {                                                                                                                   \
    GB_SIZE(gb_variant), .flags = GB_VARIANT_BASELINE, .name = "cudnn",                                               \
                         .summary = "NVIDIA's cuDNN, the fastest of the plans it proposes; opened where it is found", \
                         .backend = "cuda", .math = "native", .supports = own_supports, .prepare = own_prepare,       \
                         .run = attention_cudnn_run, .release = attention_cudnn_release,                              \
  }

#endif

/* The callbacks of variants that are described by a struct attention_engine: they build the problem from a case and
 * call the engine. */
#include "engine.h"

#include <stdlib.h>

#ifdef GPUBENCH_CUDA
#include "../shared/image.h"
#endif

static const struct attention_engine *engine_of(const gb_variant *self) {
  return self->user;
}

static const char *attention_error_text(int error) {
#ifdef GPUBENCH_CUDA
  return attention_cuda_error(error);
#else
  (void)error;
  return "built without CUDA";
#endif
}

static gb_status build_attention(const gb_variant *self, gb_case *c, struct attention_problem *p) {
  const struct attention_engine *engine = engine_of(self);
  const gb_sdk *sdk = engine->sdk;
  *p = (struct attention_problem){.threads = engine->run_cpu != NULL ? gb_threads(sdk, c, 1024) : 0};
  engine->state(c, p);
  if (engine->workspace != NULL) {
    p->workspace = sdk->mem->alloc(c, GB_MEM_DEVICE, engine->workspace(p));
    if (p->workspace == NULL) return GB_ENOMEM;
  }
  int error = engine->prepare != NULL ? engine->prepare(p) : 0;
  if (error != 0)
    return gb_failf(sdk, c, GB_EDEVICE, "%s: cannot prepare: %s", self->name, attention_error_text(error));
  return engine->graph(sdk, c, p);
}

gb_status attention_engine_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  struct attention_problem *p = malloc(sizeof *p);
  if (p == NULL) return gb_failf(engine_of(self)->sdk, c, GB_ENOMEM, "%s: no host memory", self->name);
  gb_status status = build_attention(self, c, p);
  if (status == GB_OK)
    *vstate = p;
  else
    free(p);
  return status;
}

gb_status attention_engine_run_cpu(const gb_variant *self, gb_case *c, void *vstate) {
  (void)c;
  engine_of(self)->run_cpu(vstate);
  return GB_OK;
}

void attention_engine_release(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)c;
  free(vstate);
}

#ifdef GPUBENCH_CUDA
gb_status attention_engine_run_cuda(const gb_variant *self, gb_case *c, void *vstate) {
  const gb_sdk *sdk = engine_of(self)->sdk;
  int error = engine_of(self)->run_cuda(vstate, sdk->cuda->stream(c));
  if (error != 0) return gb_failf(sdk, c, GB_EDEVICE, "%s: launch failed: %s", self->name, attention_error_text(error));
  return GB_OK;
}

gb_status attention_engine_takes(const gb_variant *self, gb_case *c) {
  const gb_sdk *sdk = engine_of(self)->sdk;
  int64_t capability = image_capability(sdk->device->i64(c, "compute_capability"));
  if (capability >= 80) return GB_OK;
  return gb_failf(sdk, c, GB_SKIP, "%s needs compute capability 80, the device has %lld", self->name,
                  (long long)capability);
}

gb_status attention_wgmma_takes(const gb_sdk *sdk, const gb_variant *self, gb_case *c, int (*here)(void)) {
  const int64_t capability = sdk->device->i64(c, "compute_capability");
  if (capability != 90)
    return gb_failf(sdk, c, GB_SKIP, "%s needs compute capability 90, the device has %lld", self->name,
                    (long long)capability);
  if (!here()) return gb_failf(sdk, c, GB_SKIP, "%s: this build has no code for compute capability 9.0", self->name);
  if (gb_axis_is(sdk, c, "dtype", "fp32")) return gb_failf(sdk, c, GB_SKIP, "%s has no fp32", self->name);
  return GB_OK;
}
#endif

/* The variants of this plugin for benches whose problem is a struct attention_problem. Each variant has an engine, a
 * table of functions to which the member `user` of gb_variant points. */
#ifndef ATTENTION_ENGINE_H
#define ATTENTION_ENGINE_H

#include <gpubench/sugar.h>

#include "kernels.h"

struct attention_engine {
  const gb_sdk *sdk;
  void (*state)(gb_case *c, struct attention_problem *p); /* fills in the problem except `workspace` and `threads` */
  /* Returns how many bytes of workspace the variant needs. NULL: none. */
  uint64_t (*workspace)(const struct attention_problem *p);
  int (*prepare)(const struct attention_problem *p); /* called once before the first run; NULL: nothing to do */
  int (*run_cuda)(const struct attention_problem *p, struct CUstream_st *stream);
  void (*run_cpu)(const struct attention_problem *p);
  gb_status (*graph)(const gb_sdk *sdk, gb_case *c, const struct attention_problem *p);
};

/* The callbacks of gb_variant, the same for all variants that have an engine. */
gb_status attention_engine_prepare(const gb_variant *self, gb_case *c, void **vstate);
gb_status attention_engine_run_cpu(const gb_variant *self, gb_case *c, void *vstate);
gb_status attention_engine_run_cuda(const gb_variant *self, gb_case *c, void *vstate);
void attention_engine_release(const gb_variant *self, gb_case *c, void *vstate);

/* For the callback `supports` of variants on CUDA: requires that this build has code for the device that was compiled
 * for compute capability 8.0 or higher. */
gb_status attention_engine_takes(const gb_variant *self, gb_case *c);

/* For `supports` of `wgmma` variants: requires compute capability 9.0, a type other than fp32, and that this build has
 * code for the device. `here` returns true if it has. */
gb_status attention_wgmma_takes(const gb_sdk *sdk, const gb_variant *self, gb_case *c, int (*here)(void));

/* Defines a variant. `label` is its name, and `check` its callback `supports`, or NULL. The variable arguments
 * initialise its engine. */
#define ATTENTION_VARIANT(on, id, label, check, flag, what, ...)     \
  static const struct attention_engine engine_##id = {__VA_ARGS__};  \
  static const gb_variant id = {GB_SIZE(gb_variant),                 \
                                .flags = flag,                       \
                                .name = label,                       \
                                .summary = what,                     \
                                .backend = #on,                      \
                                .math = "native",                    \
                                .user = &engine_##id,                \
                                .supports = check,                   \
                                .prepare = attention_engine_prepare, \
                                .run = attention_engine_run_##on,    \
                                .release = attention_engine_release}

#endif

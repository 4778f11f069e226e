/* Variants of our own, of benches whose problem is a struct attention_problem: each is an engine, which `user` names.
 */
#ifndef ATTENTION_ENGINE_H
#define ATTENTION_ENGINE_H

#include <gpubench/sugar.h>

#include "kernels.h"

struct attention_engine {
  const gb_sdk *sdk;
  void (*state)(gb_case *c, struct attention_problem *p);   /* the case's problem, but for workspace and threads */
  uint64_t (*workspace)(const struct attention_problem *p); /* NULL: none */
  int (*prepare)(const struct attention_problem *p);        /* NULL: nothing to do */
  int (*run_cuda)(const struct attention_problem *p, struct CUstream_st *stream);
  void (*run_cpu)(const struct attention_problem *p);
  gb_status (*graph)(const gb_sdk *sdk, gb_case *c, const struct attention_problem *p);
};

/* Slots of a variant. */
gb_status attention_engine_prepare(const gb_variant *self, gb_case *c, void **vstate);
gb_status attention_engine_run_cpu(const gb_variant *self, gb_case *c, void *vstate);
gb_status attention_engine_run_cuda(const gb_variant *self, gb_case *c, void *vstate);
void attention_engine_release(const gb_variant *self, gb_case *c, void *vstate);

/* For `supports` on CUDA: the device, and what our code is compiled for. */
gb_status attention_engine_takes(const gb_variant *self, gb_case *c);

/* For `supports` of variants in wgmma: compute capability 9.0, no fp32, and that this build has code for it, which
 * `here` knows. */
gb_status attention_wgmma_takes(const gb_sdk *sdk, const gb_variant *self, gb_case *c, int (*here)(void));

/* `label`: its name; `check`: its `supports`, may be NULL; the rest: its engine. */
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

/* What the tables of variants need: a method for each, and the functions that run it. */
#ifndef ACTIVATIONS_GLUE_H
#define ACTIVATIONS_GLUE_H

#include "benches.h"

/* 0 or a cudaError_t. */
typedef int (*activations_kernel)(const struct activations_call *call);

/* gb_variant.user points to one. */
struct activations_method {
  activations_kernel run;
  const struct activations_problem *problem;
  const char *step; /* what it does to X, for the diagram */
  int reads;        /* of x from memory */
  int pair;         /* two steps with an array between them */
  int scratch;      /* cpu: a row of floats for each thread */
};

gb_status activations_prepare(const gb_variant *self, gb_case *c, void **vstate);
void activations_release(const gb_variant *self, gb_case *c, void *vstate);
gb_status activations_cpu_run(const gb_variant *self, gb_case *c, void *vstate);
gb_status activations_cuda_run(const gb_variant *self, gb_case *c, void *vstate);

/* Which rows a variant takes. */
gb_status activations_fused_supports(const gb_variant *self, gb_case *c);
gb_status activations_lanes_supports(const gb_variant *self, gb_case *c);
gb_status activations_whole_supports(const gb_variant *self, gb_case *c);
gb_status activations_packs_supports(const gb_variant *self, gb_case *c);
gb_status activations_staged_supports(const gb_variant *self, gb_case *c);
gb_status activations_tensor_supports(const gb_variant *self, gb_case *c);

#endif

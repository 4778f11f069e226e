/* Declares the properties of a variant (one implementation of an operation), and the callbacks that run variants. */
#ifndef ACTIVATIONS_GLUE_H
#define ACTIVATIONS_GLUE_H

#include "benches.h"

/* A function that launches a CUDA kernel, or computes on the CPU. Returns 0 or a cudaError_t. */
typedef int (*activations_kernel)(const struct activations_call *call);

/* The properties in which the variants differ; gb_variant.user points to this struct. */
struct activations_method {
  activations_kernel run;
  const struct activations_problem *problem;
  const char *step; /* the formula that the report's diagram shows */
  int reads;        /* how often x is read from memory */
  int pair;         /* true: the variant has two steps, with an array between them */
  int scratch;      /* true: a CPU variant that needs a row of floats for each thread */
};

gb_status activations_prepare(const gb_variant *self, gb_case *c, void **vstate);
void activations_release(const gb_variant *self, gb_case *c, void *vstate);
gb_status activations_cpu_run(const gb_variant *self, gb_case *c, void *vstate);
gb_status activations_cuda_run(const gb_variant *self, gb_case *c, void *vstate);

/* The callbacks `supports` of the variants "fused", "lanes", "whole" and so on. They return GB_SKIP if the variant
 * cannot run rows of the case's length. */
gb_status activations_fused_supports(const gb_variant *self, gb_case *c);
gb_status activations_lanes_supports(const gb_variant *self, gb_case *c);
gb_status activations_whole_supports(const gb_variant *self, gb_case *c);
gb_status activations_packs_supports(const gb_variant *self, gb_case *c);
gb_status activations_staged_supports(const gb_variant *self, gb_case *c);
gb_status activations_tensor_supports(const gb_variant *self, gb_case *c);

#endif

/* Declares the benches (benchmarked operations) of the activations plugin: a description of each (struct
 * activations_problem), and their callbacks. plugin.c declares the variants, which implement them. */
#ifndef ACTIVATIONS_BENCHES_H
#define ACTIVATIONS_BENCHES_H

#include "gpubench/sugar.h"
#include "kernels.h"

extern gb_sdk activations_gb;

enum activations_kind {
  ACTIVATIONS_GELU,
  ACTIVATIONS_SWISH,
  ACTIVATIONS_SWIGLU,
  ACTIVATIONS_LAYERNORM,
  ACTIVATIONS_RMSNORM,
  ACTIVATIONS_LAYERNORM_GELU,
  ACTIVATIONS_ADD_LAYERNORM,
  ACTIVATIONS_ADD_RMSNORM,
  ACTIVATIONS_LAYERNORM_SAVED,
  ACTIVATIONS_RMSNORM_SAVED,
  ACTIVATIONS_BIAS_GELU
};

/* The properties that distinguish the benches; gb_bench.user points to this. */
struct activations_problem {
  enum activations_kind kind;
  double mean, deviation; /* mean and standard deviation of x */
};

extern const struct activations_problem activations_gelu, activations_swish, activations_swiglu, activations_layernorm,
    activations_rmsnorm, activations_layernorm_gelu, activations_add_layernorm, activations_add_rmsnorm,
    activations_layernorm_saved, activations_rmsnorm_saved, activations_bias_gelu;

/* Each of these functions returns whether a bench of this kind has some property. has_z: it has a second operand z.
 * has_sum: it has the sum s = x + z as a second result. has_rows: it computes by rows instead of by elements. is_norm:
 * it has gamma. has_beta: it has beta. has_saved: it has statistics of each row as results, namely 1 / standard
 * deviation and, with beta, also the mean. */
int activations_has_z(enum activations_kind kind);
int activations_has_sum(enum activations_kind kind);
int activations_has_rows(enum activations_kind kind);
int activations_is_norm(enum activations_kind kind);
int activations_has_beta(enum activations_kind kind);
int activations_has_saved(enum activations_kind kind);

/* Size and types of a case. Elementwise problems have one row. */
struct activations_shape {
  int64_t m, n;
  enum activations_dtype dtype;
  enum activations_form form;
  uint64_t bytes; /* size of x, and of y */
};
struct activations_shape activations_shape_of(gb_case *c, enum activations_kind kind);

gb_status activations_supports(const gb_bench *self, gb_case *c);
gb_status activations_setup(const gb_bench *self, gb_case *c, void **state);
gb_status activations_reference(const gb_bench *self, gb_case *c, void *state);

#endif

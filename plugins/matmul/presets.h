/* The presets (named sets of sizes) of the bench "gemm", and the axes (parameters) that all benches of this plugin
 * share. */
#ifndef MATMUL_PRESETS_H
#define MATMUL_PRESETS_H

#include <gpubench/sugar.h>

extern const gb_axis matmul_axis_m, matmul_axis_n, matmul_axis_k;
extern const gb_axis_default *const matmul_short_types[]; /* default dtype on CUDA: bf16 */
extern const gb_preset *const matmul_presets[];

#define MATMUL_AXIS_DTYPE(what, legal)                                                                      \
  {                                                                                                         \
    GB_SIZE(gb_axis), .type = GB_STR, .name = "dtype", .summary = what, .choices = legal, .values = "fp32", \
                      .defaults = matmul_short_types                                                        \
  }

#define MATMUL_PRESET(id, on, label, what, where) \
  static const gb_preset id = {GB_SIZE(gb_preset), .name = label, .summary = what, .point = where, .backends = on}

#endif

/* What a variant is made of, and what the host calls, which is the same for all of them. */
#ifndef MATMUL_METHOD_H
#define MATMUL_METHOD_H

#include <gpubench/sugar.h>

#include "kernels.h"
#include "vendor.h"

#define MATMUL_TAKES(dtype) (1u << (dtype))
#define MATMUL_TAKES_16 (MATMUL_TAKES(MATMUL_FP16) | MATMUL_TAKES(MATMUL_BF16))
#define MATMUL_TAKES_FLOATS (MATMUL_TAKES(MATMUL_FP32) | MATMUL_TAKES_16)
#define MATMUL_TAKES_ALL (MATMUL_TAKES_FLOATS | MATMUL_TAKES(MATMUL_E4M3))

/* What gb_variant.user points to: a function of kernels.h or a vendor, and what it can do. */
struct matmul_method {
  void (*cpu)(const struct matmul_problem *p);
  int64_t (*workspace)(const struct matmul_problem *p);  /* floats */
  const char *(*kernel)(const struct matmul_problem *p); /* which it is on this machine: a note */
  int (*cuda)(const struct matmul_problem *p, struct CUstream_st *stream);
  int (*cuda_prepare)(const struct matmul_problem *p);
  const struct matmul_vendor *vendor;
  unsigned vendor_flags;
  unsigned takes; /* dtypes */
  int32_t epilogue;
  int capability; /* compute capability, at least */
  int log2_most;  /* of m n k: above it a single run would take 5 ms on an H200, and much of a case's time; 0: any */
  int hopper;     /* compute capability 9.0 alone, by tensor maps: rows of a and b are multiples of 16 bytes */
  int packs;      /* copies of the inputs come first: panels, or fp32 */
};

/* A variant `id` with all that but its method the same. */
#define VARIANT(id, label, where, arithmetic, what, flag, ...)       \
  static struct matmul_method id##_method = {__VA_ARGS__};           \
  static const gb_variant id = {GB_SIZE(gb_variant),                 \
                                .flags = flag,                       \
                                .name = label,                       \
                                .summary = what,                     \
                                .backend = where,                    \
                                .math = arithmetic,                  \
                                .user = &id##_method,                \
                                .supports = matmul_variant_supports, \
                                .prepare = matmul_variant_prepare,   \
                                .run = matmul_variant_run,           \
                                .release = matmul_variant_release}

gb_status matmul_variant_supports(const gb_variant *self, gb_case *c);
gb_status matmul_variant_prepare(const gb_variant *self, gb_case *c, void **vstate);
gb_status matmul_variant_run(const gb_variant *self, gb_case *c, void *vstate);
void matmul_variant_release(const gb_variant *self, gb_case *c, void *vstate);

#endif

/* The description of a variant's implementation. gpubench calls the same callbacks for all variants; they read this
 * description. */
#ifndef MATMUL_METHOD_H
#define MATMUL_METHOD_H

#include <gpubench/sugar.h>

#include "kernels.h"
#include "vendor.h"

#define MATMUL_TAKES(dtype) (1u << (dtype))
#define MATMUL_TAKES_16 (MATMUL_TAKES(MATMUL_FP16) | MATMUL_TAKES(MATMUL_BF16))
#define MATMUL_TAKES_FLOATS (MATMUL_TAKES(MATMUL_FP32) | MATMUL_TAKES_16)
#define MATMUL_TAKES_ALL (MATMUL_TAKES_FLOATS | MATMUL_TAKES(MATMUL_E4M3))

/* The implementation of a variant, to which gb_variant.user points: a function of kernels.h or a library (`vendor`)
 * that multiplies, and what it supports. */
struct matmul_method {
  void (*cpu)(const struct matmul_problem *p);
  int64_t (*workspace)(const struct matmul_problem *p);  /* returns how many floats p->workspace needs */
  const char *(*kernel)(const struct matmul_problem *p); /* returns the name of the kernel used here, for a note */
  int (*cuda)(const struct matmul_problem *p, struct CUstream_st *stream);
  int (*cuda_prepare)(const struct matmul_problem *p);
  const struct matmul_vendor *vendor;
  unsigned vendor_flags;
  unsigned takes; /* bit mask of supported dtypes */
  int32_t epilogue;
  int capability; /* least compute capability */
  int log2_most;  /* log2 of the largest m n k that the variant supports, with which a call takes 5 ms on an H200; 0: no
                     limit */
  int hopper;     /* true: needs compute capability 9.0, and rows of a and b that are multiples of 16 bytes */
  int packs;      /* true: before the product, the inputs are copied into panels, or converted to fp32 */
};

/* Defines a variant `id`; only the method and the given fields differ between variants. */
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

/* Matrix products by vendors' libraries: OpenBLAS, oneDNN, cuBLAS, cuBLASLt. A library is opened at run time, when a
 * benchmark case needs it. */
#ifndef MATMUL_VENDOR_H
#define MATMUL_VENDOR_H

#include <gpubench/sugar.h>

#include "kernels.h"

#define MATMUL_TF32 1u     /* fp32 products on tensor cores */
#define MATMUL_FAST 2u     /* e4m3: sums stay in the tensor cores: faster, but rounded more */
#define MATMUL_PADDED 4u   /* b and c have padded copies with n rounded up to a multiple of 64 */
#define MATMUL_SPLIT 8u    /* 3xtf32: each fp32 operand is split into two tf32 numbers, and three products are added */
#define MATMUL_UNFUSED 16u /* the epilogue is a separate pass over c */

struct matmul_request {
  const gb_sdk *sdk;
  gb_case *c;
  const struct matmul_problem *p;
  struct CUstream_st *stream; /* NULL on the CPU */
  unsigned flags;             /* any of MATMUL_TF32, MATMUL_FAST, ... */
  const char *variant;        /* name of the variant, for messages */
};

/* `open` is called in `prepare`, which is not timed. It returns GB_OK, an error, or GB_SKIP if the library is missing
 * or does not support the problem. On GB_OK `*state` is passed to `run`, which multiplies once, and to `close`. */
struct matmul_vendor {
  gb_status (*open)(const struct matmul_request *r, void **state);
  gb_status (*run)(const gb_sdk *sdk, gb_case *c, void *state);
  void (*close)(void *state);
};

extern const struct matmul_vendor matmul_openblas;
extern const struct matmul_vendor matmul_onednn;
extern const struct matmul_vendor matmul_cublas;   /* cublasGemmEx with its default algorithm */
extern const struct matmul_vendor matmul_cublaslt; /* the fastest of the algorithms that the heuristics propose */

/* Kernels of this plugin that, like libraries, keep state between runs. */
extern const struct matmul_vendor matmul_wgmma_one;  /* the same tile shape for every problem */
extern const struct matmul_vendor matmul_wgmma_best; /* the fastest of several shapes, by a measurement in `prepare` */

#endif

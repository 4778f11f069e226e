/* Matrix products of libraries that are opened when a case wants them: OpenBLAS, oneDNN, cuBLAS, cuBLASLt. */
#ifndef MATMUL_VENDOR_H
#define MATMUL_VENDOR_H

#include <gpubench/sugar.h>

#include "kernels.h"

#define MATMUL_TF32 1u     /* fp32 products on tensor cores */
#define MATMUL_FAST 2u     /* e4m3 sums stay in the tensor cores */
#define MATMUL_PADDED 4u   /* b and c are copied, to have columns by the 64 */
#define MATMUL_SPLIT 8u    /* fp32 operands in two parts of tf32, three products */
#define MATMUL_UNFUSED 16u /* an epilogue is a pass of its own over c */

struct matmul_request {
  const gb_sdk *sdk;
  gb_case *c;
  const struct matmul_problem *p;
  struct CUstream_st *stream; /* NULL on the cpu */
  unsigned flags;             /* MATMUL_TF32, ... */
  const char *variant;        /* for messages */
};

/* `open` is for prepare: GB_OK, GB_SKIP where there is no such library or it cannot do the case, or an error; `*state`
 * is then for `run`, which multiplies once, and for `close`. */
struct matmul_vendor {
  gb_status (*open)(const struct matmul_request *r, void **state);
  gb_status (*run)(const gb_sdk *sdk, gb_case *c, void *state);
  void (*close)(void *state);
};

extern const struct matmul_vendor matmul_openblas;
extern const struct matmul_vendor matmul_onednn;
extern const struct matmul_vendor matmul_cublas;   /* cublasGemmEx, as it comes */
extern const struct matmul_vendor matmul_cublaslt; /* the fastest of those that the heuristics propose */

/* Not a library, but kernels that have a state of their own as well. */
extern const struct matmul_vendor matmul_wgmma_one;  /* the same shape for every problem */
extern const struct matmul_vendor matmul_wgmma_best; /* the fastest of some */

#endif

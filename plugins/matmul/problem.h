/* The callbacks of the three benches of this plugin, and functions that read the sizes and types of a case. README.md
 * says what each bench computes. */
#ifndef MATMUL_PROBLEM_H
#define MATMUL_PROBLEM_H

#include <gpubench/sugar.h>

#include "kernels.h"

extern gb_sdk matmul_gb; /* the functions that gpubench offers to this plugin; set in `open` */

extern const char *const matmul_dtype_names[]; /* indexed by MATMUL_FP32, ... */
uint64_t matmul_bytes(int32_t dtype);
int32_t matmul_out_dtype(int32_t dtype); /* returns the type of c for inputs of this type */

/* Returns the sizes, dtype and epilogue of a case; pointers are not set. The epilogue's number comes from the bench's
 * `user`; NULL means a plain product. */
struct matmul_problem matmul_problem_of(gb_case *c);

gb_status matmul_gemm_supports(const gb_bench *self, gb_case *c);
gb_status matmul_gemm_setup(const gb_bench *self, gb_case *c, void **state);
gb_status matmul_gemm_reference(const gb_bench *self, gb_case *c, void *state);
gb_status matmul_gemm_verify(const gb_bench *self, gb_case *c, void *state);
void matmul_gemm_teardown(const gb_bench *self, gb_case *c, void *state);

#endif

/* cuBLAS and cuBLASLt, opened at run time: their functions, declared by the toolkit's own prototypes. CUDA builds
 * only. */
#ifndef MATMUL_CUBLAS_H
#define MATMUL_CUBLAS_H

#include <cublasLt.h>
#include <cublas_v2.h>

#include "vendor.h"

#define MATMUL_CUBLAS_FUNCTIONS(use) \
  use(cublasCreate_v2) use(cublasDestroy_v2) use(cublasSetStream_v2) use(cublasSetWorkspace_v2) use(cublasGemmEx)

#define MATMUL_CUBLASLT_FUNCTIONS(use)                                                                               \
  use(cublasLtCreate) use(cublasLtDestroy) use(cublasLtGetVersion) use(cublasLtMatmul) use(cublasLtMatmulDescCreate) \
      use(cublasLtMatmulDescDestroy) use(cublasLtMatmulDescSetAttribute) use(cublasLtMatrixLayoutCreate)             \
          use(cublasLtMatrixLayoutDestroy) use(cublasLtMatmulPreferenceCreate) use(cublasLtMatmulPreferenceDestroy)  \
              use(cublasLtMatmulPreferenceSetAttribute) use(cublasLtMatmulAlgoGetHeuristic)                          \
                  use(cublasLtMatmulAlgoConfigGetAttribute)

struct matmul_cublas_functions {
#define MATMUL_MEMBER(name) __typeof__(&(name)) name;
  MATMUL_CUBLAS_FUNCTIONS(MATMUL_MEMBER)
  MATMUL_CUBLASLT_FUNCTIONS(MATMUL_MEMBER)
#undef MATMUL_MEMBER
};

/* Opens both libraries once per process, and adds a note with their path and version to the variant's row in the
 * results. Returns GB_SKIP with the reason if they are missing. They are never closed, because the driver has
 * registered their kernels. */
gb_status matmul_cublas_functions(const struct matmul_request *r, const struct matmul_cublas_functions **functions);

/* The data types of a case, as cuBLAS and cuBLASLt name them. */
struct matmul_cublas_types {
  cudaDataType in, out;
  cublasComputeType_t compute;
};
struct matmul_cublas_types matmul_cublas_types(const struct matmul_request *r);

#endif

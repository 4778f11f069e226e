/* Matrix products with cuBLASLt. The library is opened at run time by its name: it is never linked, and never taken
 * from the current directory. The first algorithm that its heuristics propose is used.
 *
 * cuBLASLt expects matrices that are stored column by column. To it, our row-major arrays are therefore transposed
 * matrices. It computes transposed y = b * transposed a. Its first operand is the array of b, which it transposes, and
 * the second the array of a. cuBLAS calls this layout TN; all types support it. */
#ifdef GPUBENCH_CUDA
#include "lt.h"

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../shared/library.h"
#include "kernels.h"

#define TEXT(number) #number
#define TEXT_OF(number) TEXT(number)
#define SONAME "libcublasLt.so." TEXT_OF(CUBLAS_VER_MAJOR)
#define WORKSPACE (UINT64_C(64) << 20)

#define FUNCTIONS(use)                                                                                               \
  use(cublasLtCreate) use(cublasLtDestroy) use(cublasLtGetVersion) use(cublasLtMatmul) use(cublasLtMatmulDescCreate) \
      use(cublasLtMatmulDescDestroy) use(cublasLtMatmulDescSetAttribute) use(cublasLtMatrixLayoutCreate)             \
          use(cublasLtMatrixLayoutDestroy) use(cublasLtMatmulPreferenceCreate) use(cublasLtMatmulPreferenceDestroy)  \
              use(cublasLtMatmulPreferenceSetAttribute) use(cublasLtMatmulAlgoGetHeuristic)

/* ---- Opening the library ---- */

static struct {
#define MEMBER(name) __typeof__(&(name)) name;
  FUNCTIONS(MEMBER)
#undef MEMBER
  char path[1024], why[1200];
  int found;
} call;

static void open_cublaslt_once(void) {
  void *library = library_open_cuda(SONAME, call.path, sizeof call.path, call.why, sizeof call.why);
  if (library == NULL) return;
#define FIND(name) \
  if (library_find(library, #name, &call.name, call.why, sizeof call.why) != 0) return;
  FUNCTIONS(FIND)
#undef FIND
  call.found = 1;
}

/* Opens cuBLASLt once per process. The library is never closed, because by then the driver has registered its
 * kernels. */
static gb_status request_cublaslt(const gb_sdk *gb, gb_case *c) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_cublaslt_once);
  if (!call.found) return gb_failf(gb, c, GB_SKIP, "no cuBLASLt here: %s", call.why);
  const size_t length = strlen(call.path);
  const gb_status status = gb_notef(gb, c, "library", "%s", length > 255 ? call.path + length - 255 : call.path);
  return status == GB_OK ? gb_notef(gb, c, "version", "%zu", call.cublasLtGetVersion()) : status;
}

/* ---- The product ---- */

struct energy_lt {
  cublasLtHandle_t handle;
  cublasLtMatmulDesc_t operation;
  cublasLtMatrixLayout_t in, out;
  cublasLtMatmulAlgo_t algorithm;
  const void *a, *b;
  void *y, *workspace;
  struct CUstream_st *stream;
};

static cublasStatus_t multiply_gemm(const struct energy_lt *l) {
  const float one = 1.0f, zero = 0.0f;
  return call.cublasLtMatmul(l->handle, l->operation, &one, l->b, l->in, l->a, l->in, &zero, l->y, l->out, l->y, l->out,
                             &l->algorithm, l->workspace, WORKSPACE, l->stream);
}

static cublasStatus_t describe_gemm(struct energy_lt *l, uint64_t n, int precision) {
  static const cudaDataType types[] = {[ENERGY_FP32] = CUDA_R_32F,
                                       [ENERGY_TF32] = CUDA_R_32F,
                                       [ENERGY_FP16] = CUDA_R_16F,
                                       [ENERGY_BF16] = CUDA_R_16BF,
                                       [ENERGY_FP8] = CUDA_R_8F_E4M3};
  const cublasComputeType_t compute = precision == ENERGY_TF32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  const cublasOperation_t transpose = CUBLAS_OP_T;
  cublasStatus_t code = call.cublasLtCreate(&l->handle);
  if (code == CUBLAS_STATUS_SUCCESS) code = call.cublasLtMatmulDescCreate(&l->operation, compute, CUDA_R_32F);
  if (code == CUBLAS_STATUS_SUCCESS)
    code = call.cublasLtMatmulDescSetAttribute(l->operation, CUBLASLT_MATMUL_DESC_TRANSA, &transpose, sizeof transpose);
  if (code == CUBLAS_STATUS_SUCCESS) code = call.cublasLtMatrixLayoutCreate(&l->in, types[precision], n, n, (int64_t)n);
  if (code == CUBLAS_STATUS_SUCCESS) code = call.cublasLtMatrixLayoutCreate(&l->out, CUDA_R_32F, n, n, (int64_t)n);
  return code;
}

static int choose_algorithm(struct energy_lt *l) {
  const uint64_t most = WORKSPACE;
  cublasLtMatmulPreference_t preference = NULL;
  cublasLtMatmulHeuristicResult_t result;
  int count = 0;
  if (call.cublasLtMatmulPreferenceCreate(&preference) != CUBLAS_STATUS_SUCCESS) return 0;
  if (call.cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most,
                                                sizeof most) != CUBLAS_STATUS_SUCCESS ||
      call.cublasLtMatmulAlgoGetHeuristic(l->handle, l->operation, l->in, l->in, l->out, l->out, preference, 1, &result,
                                          &count) != CUBLAS_STATUS_SUCCESS)
    count = 0;
  call.cublasLtMatmulPreferenceDestroy(preference);
  if (count > 0) l->algorithm = result.algo;
  return count > 0;
}

/* Prepares the product and computes it once, because the first product loads the kernel, which `run` must not do. */
static gb_status set_up_gemm(const gb_sdk *gb, gb_case *c, struct energy_lt *l, int64_t n, int precision) {
  cublasStatus_t code = describe_gemm(l, (uint64_t)n, precision);
  if (code != CUBLAS_STATUS_SUCCESS) return gb_failf(gb, c, GB_EDEVICE, "cuBLASLt cannot start: status %d", (int)code);
  if (!choose_algorithm(l)) return gb_failf(gb, c, GB_SKIP, "cuBLASLt has no algorithm for this case");
  code = multiply_gemm(l);
  const cudaError_t error = cudaStreamSynchronize(l->stream);
  if (code == CUBLAS_STATUS_SUCCESS && error == cudaSuccess) return GB_OK;
  return gb_failf(gb, c, GB_EDEVICE, "cublasLtMatmul: status %d, %s", (int)code, cudaGetErrorString(error));
}

gb_status energy_lt_open(const gb_sdk *gb, gb_case *c, int64_t n, int precision, const void *a, const void *b, void *y,
                         struct energy_lt **lt) {
  gb_status status = request_cublaslt(gb, c);
  if (status != GB_OK) return status;
  struct energy_lt *l = calloc(1, sizeof *l);
  if (l == NULL) return gb_failf(gb, c, GB_ENOMEM, "no host memory");
  l->a = a;
  l->b = b;
  l->y = y;
  l->stream = gb->cuda->stream(c);
  l->workspace = gb->mem->alloc(c, GB_MEM_DEVICE, WORKSPACE);
  status = l->workspace == NULL ? GB_ENOMEM : set_up_gemm(gb, c, l, n, precision);
  if (status == GB_OK)
    *lt = l;
  else
    energy_lt_close(l);
  return status;
}

gb_status energy_lt_run(const gb_sdk *gb, gb_case *c, const struct energy_lt *lt) {
  const cublasStatus_t code = multiply_gemm(lt);
  return code == CUBLAS_STATUS_SUCCESS ? GB_OK : gb_failf(gb, c, GB_EDEVICE, "cublasLtMatmul: status %d", (int)code);
}

void energy_lt_close(struct energy_lt *l) {
  if (l == NULL) return;
  if (l->in != NULL) call.cublasLtMatrixLayoutDestroy(l->in);
  if (l->out != NULL) call.cublasLtMatrixLayoutDestroy(l->out);
  if (l->operation != NULL) call.cublasLtMatmulDescDestroy(l->operation);
  if (l->handle != NULL) call.cublasLtDestroy(l->handle);
  free(l);
}
#else
#include "lt.h"
#endif

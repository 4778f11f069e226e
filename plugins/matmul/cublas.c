/* The cuBLAS variant, which calls cublasGemmEx with the default algorithm; and the code that opens cuBLAS and cuBLASLt.
 *
 * cuBLAS expects matrices that are stored column by column. To it, our row-major arrays are therefore transposed
 * matrices. It computes transposed c = b * transposed a. Its first operand is the array of b (to cuBLAS k x n), which
 * it transposes, and the second the array of a (to cuBLAS k x m). cuBLAS calls this layout TN. */
#ifdef GPUBENCH_CUDA
#include "cublas.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "../shared/library.h"

#define TEXT(number) #number
#define TEXT_OF(number) TEXT(number)
#define SONAME_OF(name, major) "lib" name ".so." TEXT_OF(major)
#define WORKSPACE (UINT64_C(32) << 20) /* NVIDIA's recommendation for Hopper */

/* ---- Opening the libraries ---- */

static struct {
  struct matmul_cublas_functions functions;
  char path[1024], version[64], why[1200];
  int found;
} opened;

static int find_cublas(void *cublas, void *lt, char *why, size_t size) {
#define FIND_CUBLAS(name) \
  if (library_find(cublas, #name, &opened.functions.name, why, size) != 0) return -1;
#define FIND_CUBLASLT(name) \
  if (library_find(lt, #name, &opened.functions.name, why, size) != 0) return -1;
  MATMUL_CUBLAS_FUNCTIONS(FIND_CUBLAS)
  MATMUL_CUBLASLT_FUNCTIONS(FIND_CUBLASLT)
#undef FIND_CUBLAS
#undef FIND_CUBLASLT
  return 0;
}

/* Opens cuBLASLt before cuBLAS, because cuBLAS needs cuBLASLt and uses the copy that is already open. */
static void open_libraries(void) {
  char path[1024];
  void *lt =
      library_open_cuda(SONAME_OF("cublasLt", CUBLAS_VER_MAJOR), path, sizeof path, opened.why, sizeof opened.why);
  void *cublas = lt == NULL ? NULL
                            : library_open_cuda(SONAME_OF("cublas", CUBLAS_VER_MAJOR), opened.path, sizeof opened.path,
                                                opened.why, sizeof opened.why);
  if (cublas == NULL || find_cublas(cublas, lt, opened.why, sizeof opened.why) != 0) return;
  snprintf(opened.version, sizeof opened.version, "%zu", opened.functions.cublasLtGetVersion());
  opened.found = 1;
}

gb_status matmul_cublas_functions(const struct matmul_request *r, const struct matmul_cublas_functions **functions) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_libraries);
  if (!opened.found) return gb_failf(r->sdk, r->c, GB_SKIP, "no cuBLAS here: %s", opened.why);
  *functions = &opened.functions;
  const gb_status status = gb_notef(r->sdk, r->c, "library", "%s", library_path_end(opened.path));
  return status == GB_OK ? gb_notef(r->sdk, r->c, "version", "%s", opened.version) : status;
}

struct matmul_cublas_types matmul_cublas_types(const struct matmul_request *r) {
  static const cudaDataType in[] = {CUDA_R_32F, CUDA_R_16F, CUDA_R_16BF, CUDA_R_8F_E4M3};
  static const cudaDataType out[] = {CUDA_R_32F, CUDA_R_16F, CUDA_R_16BF, CUDA_R_16BF};
  const int tf32 = (r->flags & MATMUL_TF32) != 0;
  return (struct matmul_cublas_types){in[r->p->dtype], out[r->p->dtype],
                                      tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F};
}

/* ---- cublasGemmEx ---- */

struct gemm {
  const struct matmul_cublas_functions *functions;
  cublasHandle_t handle;
  struct matmul_problem p;
  struct matmul_cublas_types types;
};

static void gemm_close(void *state) {
  struct gemm *g = state;
  if (g->handle != NULL) g->functions->cublasDestroy_v2(g->handle);
  free(g);
}

static gb_status open_handle(const struct matmul_request *r, struct gemm *g) {
  gb_status status = matmul_cublas_functions(r, &g->functions);
  if (status != GB_OK) return status;
  void *workspace = r->sdk->mem->alloc(r->c, GB_MEM_DEVICE, WORKSPACE);
  if (workspace == NULL) return GB_ENOMEM;
  cublasStatus_t code = g->functions->cublasCreate_v2(&g->handle);
  if (code == CUBLAS_STATUS_SUCCESS) code = g->functions->cublasSetStream_v2(g->handle, r->stream);
  if (code == CUBLAS_STATUS_SUCCESS)
    code = g->functions->cublasSetWorkspace_v2(g->handle, workspace, WORKSPACE); /* setting the stream resets it */
  if (code == CUBLAS_STATUS_SUCCESS) return GB_OK;
  return gb_failf(r->sdk, r->c, GB_EDEVICE, "%s: cuBLAS cannot start: status %d", r->variant, (int)code);
}

static cublasStatus_t multiply_cublas(const struct gemm *g) {
  const struct matmul_problem *p = &g->p;
  const int m = (int)p->m, n = (int)p->n, k = (int)p->k;
  const float one = 1.0f, zero = 0.0f;
  return g->functions->cublasGemmEx(g->handle, CUBLAS_OP_T, CUBLAS_OP_N, n, m, k, &one, p->b, g->types.in, k, p->a,
                                    g->types.in, k, &zero, p->c, g->types.out, n, g->types.compute,
                                    CUBLAS_GEMM_DEFAULT);
}

/* Multiplies once in prepare, because the first product loads the kernel, which `run` must not do. */
static gb_status multiply_once(const struct matmul_request *r, const struct gemm *g) {
  const cublasStatus_t code = multiply_cublas(g);
  const cudaError_t error = cudaStreamSynchronize(r->stream);
  if (code == CUBLAS_STATUS_NOT_SUPPORTED)
    return gb_failf(r->sdk, r->c, GB_SKIP, "cublasGemmEx has nothing for this case");
  if (code != CUBLAS_STATUS_SUCCESS)
    return gb_failf(r->sdk, r->c, GB_EDEVICE, "%s: cublasGemmEx: status %d", r->variant, (int)code);
  if (error != cudaSuccess) return gb_failf(r->sdk, r->c, GB_EDEVICE, "%s: %s", r->variant, cudaGetErrorString(error));
  return GB_OK;
}

static gb_status gemm_open(const struct matmul_request *r, void **state) {
  struct gemm *g = calloc(1, sizeof *g);
  if (g == NULL) return gb_failf(r->sdk, r->c, GB_ENOMEM, "no host memory");
  g->p = *r->p;
  g->types = matmul_cublas_types(r);
  gb_status status = open_handle(r, g);
  if (status == GB_OK) status = multiply_once(r, g);
  if (status != GB_OK)
    gemm_close(g);
  else
    *state = g;
  return status;
}

static gb_status gemm_run(const gb_sdk *sdk, gb_case *c, void *state) {
  const cublasStatus_t code = multiply_cublas(state);
  if (code == CUBLAS_STATUS_SUCCESS) return GB_OK;
  return gb_failf(sdk, c, GB_EDEVICE, "cublasGemmEx: status %d", (int)code);
}

const struct matmul_vendor matmul_cublas = {gemm_open, gemm_run, gemm_close};
#else
#include "vendor.h"
#endif

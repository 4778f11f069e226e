/* cuBLASLt: each algorithm that the heuristics propose is timed on the case's stream, and the fastest is used. If n is
 * odd, none of the algorithms is fast. A padded variant therefore copies b to an array with more rows, multiplies, and
 * copies the first n columns of the product to c. */
#ifdef GPUBENCH_CUDA
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

#include "../shared/fastest.h"
#include "cublas.h"

/* bytes of workspace; while algorithms are timed, the same memory is read between samples to empty the L2 cache */
#define WORKSPACE FASTEST_BYTES
/* padded copies have n rounded up to a multiple of this; rounding to 8 would be less work, but slower */
#define UNIT 64

struct lt {
  const struct matmul_cublas_functions *call;
  cublasLtHandle_t handle;
  cublasLtMatmulDesc_t operation;
  cublasLtMatrixLayout_t a, b, c; /* layouts of this plugin's a, b and c; cuBLASLt gets b as its first operand */
  cublasLtMatmulAlgo_t algorithm;
  void *workspace;
  int64_t columns; /* n; or n rounded up to a multiple of UNIT, if b and c are padded copies */
  void *wide_b, *wide_c;
  /* adds: true if cuBLASLt adds the input r, as its operand C. finishes: true if a kernel of this plugin applies the
   * epilogue. */
  int adds, finishes;
  struct matmul_problem p;
  struct CUstream_st *stream;
};

static uint64_t matrix_bytes(const struct lt *l, int64_t rows, int64_t columns) {
  static const uint64_t size[] = {4, 2, 2, 1};
  return (uint64_t)rows * (uint64_t)columns * size[l->p.dtype];
}

static cublasStatus_t multiply_cublaslt(const struct lt *l, const cublasLtMatmulAlgo_t *algorithm) {
  const float one = 1.0f, beta = l->adds ? 1.0f : 0.0f;
  const int wide = l->columns > l->p.n;
  const void *b = wide ? l->wide_b : l->p.b;
  void *c = wide ? l->wide_c : l->p.c;
  if (wide && cudaMemcpyAsync(l->wide_b, l->p.b, matrix_bytes(l, l->p.n, l->p.k), cudaMemcpyDeviceToDevice,
                              l->stream) != cudaSuccess)
    return CUBLAS_STATUS_EXECUTION_FAILED;
  const cublasStatus_t code =
      l->call->cublasLtMatmul(l->handle, l->operation, &one, b, l->b, l->p.a, l->a, &beta, l->adds ? l->p.extra : c,
                              l->c, c, l->c, algorithm, l->workspace, WORKSPACE, l->stream);
  if (code != CUBLAS_STATUS_SUCCESS || !wide) return code;
  return matmul_cuda_unpad(&l->p, l->wide_c, l->columns, l->stream) == 0 ? code : CUBLAS_STATUS_EXECUTION_FAILED;
}

/* ---- The operation ---- */

/* Describes bias and GELU. cuBLASLt sees c as column-major with n rows; the bias has one element for each row, in the
 * type of c. CUBLASLT_EPILOGUE_GELU_BIAS is taken to be the tanh form of GELU, as in TensorRT-LLM (pull request 17693).
 * With the other form, the check of fp32 results would fail. */
static cublasStatus_t describe_gelu(struct lt *l) {
  const struct matmul_cublas_functions *f = l->call;
  const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_GELU_BIAS;
  const cublasStatus_t code =
      f->cublasLtMatmulDescSetAttribute(l->operation, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue);
  if (code != CUBLAS_STATUS_SUCCESS) return code;
  return f->cublasLtMatmulDescSetAttribute(l->operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &l->p.extra,
                                           sizeof l->p.extra);
}

static cublasStatus_t describe_product(struct lt *l, const struct matmul_cublas_types *types, unsigned flags) {
  const struct matmul_cublas_functions *f = l->call;
  const uint64_t m = (uint64_t)l->p.m, n = (uint64_t)l->columns, k = (uint64_t)l->p.k;
  const cublasOperation_t transpose = CUBLAS_OP_T;
  const int8_t fast = (flags & MATMUL_FAST) != 0;
  cublasStatus_t code = f->cublasLtCreate(&l->handle);
  if (code == CUBLAS_STATUS_SUCCESS) code = f->cublasLtMatmulDescCreate(&l->operation, types->compute, CUDA_R_32F);
  if (code == CUBLAS_STATUS_SUCCESS)
    code = f->cublasLtMatmulDescSetAttribute(l->operation, CUBLASLT_MATMUL_DESC_TRANSA, &transpose, sizeof transpose);
  if (code == CUBLAS_STATUS_SUCCESS && fast)
    code = f->cublasLtMatmulDescSetAttribute(l->operation, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast, sizeof fast);
  if (code == CUBLAS_STATUS_SUCCESS && l->p.epilogue == MATMUL_BIAS_GELU && !l->finishes) code = describe_gelu(l);
  if (code == CUBLAS_STATUS_SUCCESS) code = f->cublasLtMatrixLayoutCreate(&l->b, types->in, k, n, (int64_t)k);
  if (code == CUBLAS_STATUS_SUCCESS) code = f->cublasLtMatrixLayoutCreate(&l->a, types->in, k, m, (int64_t)k);
  if (code == CUBLAS_STATUS_SUCCESS) code = f->cublasLtMatrixLayoutCreate(&l->c, types->out, n, m, (int64_t)n);
  return code;
}

static int propose_algorithms(const struct lt *l, cublasLtMatmulHeuristicResult_t *results) {
  const struct matmul_cublas_functions *f = l->call;
  const uint64_t most = WORKSPACE;
  cublasLtMatmulPreference_t preference = NULL;
  int count = 0;
  if (f->cublasLtMatmulPreferenceCreate(&preference) != CUBLAS_STATUS_SUCCESS) return 0;
  if (f->cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most,
                                              sizeof most) != CUBLAS_STATUS_SUCCESS ||
      f->cublasLtMatmulAlgoGetHeuristic(l->handle, l->operation, l->b, l->a, l->c, l->c, preference, FASTEST_MOST,
                                        results, &count) != CUBLAS_STATUS_SUCCESS)
    count = 0;
  f->cublasLtMatmulPreferenceDestroy(preference);
  return count;
}

/* ---- The search for the fastest algorithm ---- */

struct proposals {
  const struct lt *l;
  cublasLtMatmulHeuristicResult_t results[FASTEST_MOST];
};

static int run_proposal(const void *self, int way) {
  const struct proposals *x = self;
  if (x->results[way].state != CUBLAS_STATUS_SUCCESS) return -1;
  return multiply_cublaslt(x->l, &x->results[way].algo) == CUBLAS_STATUS_SUCCESS ? 0 : -1;
}

static int config_number(const struct lt *l, cublasLtMatmulAlgoConfigAttributes_t attribute) {
  size_t written = 0;
  int32_t value = 0; /* an attribute of 16 bits fills the lower half */
  l->call->cublasLtMatmulAlgoConfigGetAttribute(&l->algorithm, attribute, &value, sizeof value, &written);
  if (written == 0)
    l->call->cublasLtMatmulAlgoConfigGetAttribute(&l->algorithm, attribute, &value, sizeof(uint16_t), &written);
  return written == 0 ? -1 : value;
}

static gb_status note_algorithm(const struct matmul_request *r, const struct lt *l, const struct fastest_time *order,
                                int running, size_t workspace) {
  char text[256];
  float first = -1.0f; /* time of the heuristics' first proposal */
  for (int i = 0; i < running; i++)
    if (order[i].way == 0) first = order[i].ms;
  snprintf(
      text, sizeof text,
      "proposal %d of %d: id %d, tile %d, stages %d, split k %d, cluster %d, workspace %zu KiB; %.1f us, proposal 1 "
      "%.1f us",
      order[0].way + 1, running, config_number(l, CUBLASLT_ALGO_CONFIG_ID),
      config_number(l, CUBLASLT_ALGO_CONFIG_TILE_ID), config_number(l, CUBLASLT_ALGO_CONFIG_STAGES_ID),
      config_number(l, CUBLASLT_ALGO_CONFIG_SPLITK_NUM), config_number(l, CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID),
      workspace / 1024, 1e3 * (double)order[0].ms, 1e3 * (double)first);
  return gb_notef(r->sdk, r->c, "algorithm", "%s", text);
}

static gb_status choose_proposal(const struct matmul_request *r, struct lt *l) {
  struct proposals x = {.l = l};
  struct fastest_time order[FASTEST_MOST];
  const int count = propose_algorithms(l, x.results);
  if (count < 1) return gb_failf(r->sdk, r->c, GB_SKIP, "cuBLASLt has no algorithm for this case");
  const struct fastest_ways ways = {run_proposal, &x, count, l->stream, l->workspace};
  const int running = fastest(&ways, order);
  if (cudaStreamSynchronize(l->stream) != cudaSuccess)
    return gb_failf(r->sdk, r->c, GB_EDEVICE, "%s: %s", r->variant, cudaGetErrorString(cudaGetLastError()));
  if (running < 1)
    return gb_failf(r->sdk, r->c, GB_EDEVICE, "%s: none of %d algorithms of cuBLASLt runs", r->variant, count);
  const cublasLtMatmulHeuristicResult_t *best = &x.results[order[0].way];
  l->algorithm = best->algo;
  return note_algorithm(r, l, order, running, best->workspaceSize);
}

/* ---- The callbacks of struct matmul_vendor ---- */

static void lt_close(void *state) {
  struct lt *l = state;
  if (l->a != NULL) l->call->cublasLtMatrixLayoutDestroy(l->a);
  if (l->b != NULL) l->call->cublasLtMatrixLayoutDestroy(l->b);
  if (l->c != NULL) l->call->cublasLtMatrixLayoutDestroy(l->c);
  if (l->operation != NULL) l->call->cublasLtMatmulDescDestroy(l->operation);
  if (l->handle != NULL) l->call->cublasLtDestroy(l->handle);
  free(l);
}

/* Sets up the padded copies. The additional rows of b are zeroed once. */
static gb_status set_up_padding(const struct matmul_request *r, struct lt *l) {
  l->columns = (l->p.n + UNIT - 1) / UNIT * UNIT;
  const uint64_t own = matrix_bytes(l, l->p.n, l->p.k), all = matrix_bytes(l, l->columns, l->p.k);
  l->wide_b = r->sdk->mem->alloc(r->c, GB_MEM_DEVICE, all);
  l->wide_c = r->sdk->mem->alloc(r->c, GB_MEM_DEVICE, matrix_bytes(l, l->p.m, l->columns));
  if (l->wide_b == NULL || l->wide_c == NULL) return GB_ENOMEM;
  const cudaError_t error = cudaMemsetAsync((char *)l->wide_b + own, 0, all - own, l->stream);
  return error == cudaSuccess ? GB_OK
                              : gb_failf(r->sdk, r->c, GB_EDEVICE, "%s: %s", r->variant, cudaGetErrorString(error));
}

static gb_status set_up_cublaslt(const struct matmul_request *r, struct lt *l) {
  const struct matmul_cublas_types types = matmul_cublas_types(r);
  const gb_status status = matmul_cublas_functions(r, &l->call);
  if (status != GB_OK) return status;
  l->workspace = r->sdk->mem->alloc(r->c, GB_MEM_DEVICE, WORKSPACE);
  if (l->workspace == NULL) return GB_ENOMEM;
  const gb_status widened = (r->flags & MATMUL_PADDED) != 0 ? set_up_padding(r, l) : GB_OK;
  if (widened != GB_OK) return widened;
  const cublasStatus_t code = describe_product(l, &types, r->flags);
  if (code != CUBLAS_STATUS_SUCCESS)
    return gb_failf(r->sdk, r->c, GB_EDEVICE, "%s: cuBLASLt cannot start: status %d", r->variant, (int)code);
  return choose_proposal(r, l);
}

static gb_status lt_open(const struct matmul_request *r, void **state) {
  struct lt *l = calloc(1, sizeof *l);
  if (l == NULL) return gb_failf(r->sdk, r->c, GB_ENOMEM, "no host memory");
  l->p = *r->p;
  l->columns = l->p.n;
  l->stream = r->stream;
  l->finishes = (r->flags & MATMUL_UNFUSED) != 0;
  l->adds = r->p->epilogue == MATMUL_ADD && !l->finishes;
  const gb_status status = set_up_cublaslt(r, l);
  if (status != GB_OK)
    lt_close(l);
  else
    *state = l;
  return status;
}

static gb_status cublaslt_run(const gb_sdk *sdk, gb_case *c, void *state) {
  const struct lt *l = state;
  const cublasStatus_t code = multiply_cublaslt(l, &l->algorithm);
  if (code != CUBLAS_STATUS_SUCCESS) return gb_failf(sdk, c, GB_EDEVICE, "cublasLtMatmul: status %d", (int)code);
  const int finished = l->finishes ? matmul_cuda_finish(&l->p, l->stream) : 0;
  return finished == 0 ? GB_OK : gb_failf(sdk, c, GB_EDEVICE, "the epilogue: %s", matmul_cuda_error(finished));
}

const struct matmul_vendor matmul_cublaslt = {lt_open, cublaslt_run, lt_close};
#else
#include "vendor.h"
#endif

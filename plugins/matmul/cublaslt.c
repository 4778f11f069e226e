/* cuBLASLt: the heuristics name algorithms, each is timed on the case's stream, and the fastest is what runs. Where
 * n is odd none of them is fast: a variant copies b to where it has more rows, multiplies, and copies the columns that
 * were asked for to c. */
#ifdef GPUBENCH_CUDA
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cublas.h"

#define WORKSPACE (UINT64_C(64) << 20)
#define CANDIDATES 32
#define FINALISTS 4
#define ROUNDS 5      /* of the finalists against each other */
#define BATCH_MS 0.3f /* of launches between two events, so that what a batch's start takes does not decide */
#define BATCH_MOST 20
#define SEARCH_S 2.0 /* after so long no further candidate is tried */
#define UNIT 64      /* of padded columns: more of them, and yet faster than the next multiple of 8 */

struct lt {
  const struct matmul_cublas_functions *call;
  cublasLtHandle_t handle;
  cublasLtMatmulDesc_t operation;
  cublasLtMatrixLayout_t a, b, c; /* a and b in this plugin's sense */
  cublasLtMatmulAlgo_t algorithm;
  void *workspace;
  int64_t columns; /* n, or more: then b and c are copies */
  void *wide_b, *wide_c;
  struct matmul_problem p;
  struct CUstream_st *stream;
};

static uint64_t bytes_of(const struct lt *l, int64_t rows, int64_t columns) {
  static const uint64_t size[] = {4, 2, 2, 1};
  return (uint64_t)rows * (uint64_t)columns * size[l->p.dtype];
}

static cublasStatus_t multiply(const struct lt *l, const cublasLtMatmulAlgo_t *algorithm) {
  const float one = 1.0f, zero = 0.0f;
  const int wide = l->columns > l->p.n;
  const void *b = wide ? l->wide_b : l->p.b;
  void *c = wide ? l->wide_c : l->p.c;
  if (wide && cudaMemcpyAsync(l->wide_b, l->p.b, bytes_of(l, l->p.n, l->p.k), cudaMemcpyDeviceToDevice, l->stream) !=
                  cudaSuccess)
    return CUBLAS_STATUS_EXECUTION_FAILED;
  const cublasStatus_t code = l->call->cublasLtMatmul(l->handle, l->operation, &one, b, l->b, l->p.a, l->a, &zero, c,
                                                      l->c, c, l->c, algorithm, l->workspace, WORKSPACE, l->stream);
  if (code != CUBLAS_STATUS_SUCCESS || !wide) return code;
  return matmul_cuda_unpad(&l->p, l->wide_c, l->columns, l->stream) == 0 ? code : CUBLAS_STATUS_EXECUTION_FAILED;
}

/* ---- The operation ---- */

static cublasStatus_t describe(struct lt *l, const struct matmul_cublas_types *types, unsigned flags) {
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
  if (code == CUBLAS_STATUS_SUCCESS) code = f->cublasLtMatrixLayoutCreate(&l->b, types->in, k, n, (int64_t)k);
  if (code == CUBLAS_STATUS_SUCCESS) code = f->cublasLtMatrixLayoutCreate(&l->a, types->in, k, m, (int64_t)k);
  if (code == CUBLAS_STATUS_SUCCESS) code = f->cublasLtMatrixLayoutCreate(&l->c, types->out, n, m, (int64_t)n);
  return code;
}

static int propose(const struct lt *l, cublasLtMatmulHeuristicResult_t *results) {
  const struct matmul_cublas_functions *f = l->call;
  const uint64_t most = WORKSPACE;
  cublasLtMatmulPreference_t preference = NULL;
  int count = 0;
  if (f->cublasLtMatmulPreferenceCreate(&preference) != CUBLAS_STATUS_SUCCESS) return 0;
  if (f->cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most,
                                              sizeof most) != CUBLAS_STATUS_SUCCESS ||
      f->cublasLtMatmulAlgoGetHeuristic(l->handle, l->operation, l->b, l->a, l->c, l->c, preference, CANDIDATES,
                                        results, &count) != CUBLAS_STATUS_SUCCESS)
    count = 0;
  f->cublasLtMatmulPreferenceDestroy(preference);
  return count;
}

/* ---- The search ---- */

struct stopwatch {
  cudaEvent_t start, stop;
};

/* So many launches as one graph: enqueued one by one, short products would be timed at the pace of the processor, at
 * which all algorithms are equal. NULL where the algorithm does not run here. */
static cudaGraphExec_t record(const struct lt *l, const cublasLtMatmulAlgo_t *algorithm, int launches) {
  cudaGraph_t graph = NULL;
  cudaGraphExec_t batch = NULL;
  if (cudaStreamBeginCapture(l->stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) return NULL;
  int failed = 0;
  for (int i = 0; i < launches && !failed; i++)
    failed = multiply(l, algorithm) != CUBLAS_STATUS_SUCCESS;
  failed |= cudaStreamEndCapture(l->stream, &graph) != cudaSuccess;
  failed = failed || cudaGraphInstantiate(&batch, graph, 0) != cudaSuccess;
  if (graph != NULL) cudaGraphDestroy(graph);
  return failed ? NULL : batch;
}

/* Milliseconds of one of `launches` in a row; negative where the algorithm does not run here. */
static float time_batch(const struct lt *l, const struct stopwatch *w, const cublasLtMatmulAlgo_t *algorithm,
                        int launches) {
  float ms = -1.0f;
  const cudaGraphExec_t batch = record(l, algorithm, launches);
  int failed = batch == NULL || cudaEventRecord(w->start, l->stream) != cudaSuccess ||
               cudaGraphLaunch(batch, l->stream) != cudaSuccess;
  failed = failed || cudaEventRecord(w->stop, l->stream) != cudaSuccess;
  failed |= cudaStreamSynchronize(l->stream) != cudaSuccess;
  failed = failed || cudaEventElapsedTime(&ms, w->start, w->stop) != cudaSuccess;
  if (batch != NULL) cudaGraphExecDestroy(batch);
  if (!failed) return ms / (float)launches;
  cudaGetLastError(); /* that of an algorithm that does not run here is nobody else's */
  return -1.0f;
}

/* A first launch outside of any graph: it loads the kernel, which cannot be done while a stream is captured. */
static int runs(const struct lt *l, const cublasLtMatmulAlgo_t *algorithm) {
  const int launched = multiply(l, algorithm) == CUBLAS_STATUS_SUCCESS;
  return cudaStreamSynchronize(l->stream) == cudaSuccess && launched;
}

static int batch_of(float ms) {
  const float launches = BATCH_MS / (ms > 1e-3f ? ms : 1e-3f);
  return launches < 1.0f ? 1 : launches > BATCH_MOST ? BATCH_MOST : (int)launches;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct candidate {
  int index; /* in the heuristics' order */
  float ms;  /* the least seen */
};

static int compare_candidates(const void *a, const void *b) {
  const struct candidate *x = a, *y = b;
  return x->ms < y->ms ? -1 : x->ms > y->ms ? 1 : x->index - y->index;
}

/* Times each candidate once, after a launch that loads it, and then the best of them in turns; returns how many run,
 * sorted by time. */
static int search(const struct lt *l, const struct stopwatch *w, const cublasLtMatmulHeuristicResult_t *results,
                  int count, struct candidate *candidates) {
  const double end = seconds() + SEARCH_S;
  int running = 0;
  for (int i = 0; i < count && (running == 0 || seconds() < end); i++) {
    if (results[i].state != CUBLAS_STATUS_SUCCESS || !runs(l, &results[i].algo)) continue;
    const float first = time_batch(l, w, &results[i].algo, 1);
    const float ms = first < 0 ? first : time_batch(l, w, &results[i].algo, batch_of(first));
    if (ms >= 0) candidates[running++] = (struct candidate){i, ms};
  }
  qsort(candidates, (size_t)running, sizeof *candidates, compare_candidates);
  const int finalists = running < FINALISTS ? running : FINALISTS;
  for (int round = 0; round < ROUNDS && finalists > 1; round++)
    for (int i = 0; i < finalists; i++) {
      struct candidate *x = &candidates[i];
      const float ms = time_batch(l, w, &results[x->index].algo, batch_of(x->ms));
      if (ms >= 0 && ms < x->ms) x->ms = ms;
    }
  qsort(candidates, (size_t)finalists, sizeof *candidates, compare_candidates);
  return running;
}

static int number_of(const struct lt *l, cublasLtMatmulAlgoConfigAttributes_t attribute) {
  size_t written = 0;
  int32_t value = 0; /* attributes of 16 bits fill the lower half */
  l->call->cublasLtMatmulAlgoConfigGetAttribute(&l->algorithm, attribute, &value, sizeof value, &written);
  if (written == 0)
    l->call->cublasLtMatmulAlgoConfigGetAttribute(&l->algorithm, attribute, &value, sizeof(uint16_t), &written);
  return written == 0 ? -1 : value;
}

static gb_status note_choice(const struct matmul_request *r, const struct lt *l, const struct candidate *candidates,
                             int running, size_t workspace) {
  char text[256];
  float first = -1.0f; /* what one gets who takes the heuristics' first */
  for (int i = 0; i < running; i++)
    if (candidates[i].index == 0) first = candidates[i].ms;
  snprintf(
      text, sizeof text,
      "proposal %d of %d: id %d, tile %d, stages %d, split k %d, cluster %d, workspace %zu KiB; %.1f us, proposal 1 "
      "%.1f us",
      candidates[0].index + 1, running, number_of(l, CUBLASLT_ALGO_CONFIG_ID),
      number_of(l, CUBLASLT_ALGO_CONFIG_TILE_ID), number_of(l, CUBLASLT_ALGO_CONFIG_STAGES_ID),
      number_of(l, CUBLASLT_ALGO_CONFIG_SPLITK_NUM), number_of(l, CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID),
      workspace / 1024, 1e3 * (double)candidates[0].ms, 1e3 * (double)first);
  return matmul_note(r, "algorithm", text);
}

static gb_status choose(const struct matmul_request *r, struct lt *l) {
  cublasLtMatmulHeuristicResult_t results[CANDIDATES];
  struct candidate candidates[CANDIDATES];
  struct stopwatch w = {NULL, NULL};
  int count = propose(l, results), running = 0;
  if (count < 1) return gb_failf(r->sdk, r->c, GB_SKIP, "cuBLASLt has no algorithm for this case");
  int failed = cudaEventCreate(&w.start) != cudaSuccess || cudaEventCreate(&w.stop) != cudaSuccess;
  if (!failed) running = search(l, &w, results, count, candidates);
  if (w.start != NULL) cudaEventDestroy(w.start);
  if (w.stop != NULL) cudaEventDestroy(w.stop);
  if (failed || cudaStreamSynchronize(l->stream) != cudaSuccess)
    return gb_failf(r->sdk, r->c, GB_EDEVICE, "%s: %s", r->variant, cudaGetErrorString(cudaGetLastError()));
  if (running < 1)
    return gb_failf(r->sdk, r->c, GB_EDEVICE, "%s: none of %d algorithms of cuBLASLt runs", r->variant, count);
  l->algorithm = results[candidates[0].index].algo;
  return note_choice(r, l, candidates, running, results[candidates[0].index].workspaceSize);
}

/* ---- The vendor ---- */

static void lt_close(void *state) {
  struct lt *l = state;
  if (l->a != NULL) l->call->cublasLtMatrixLayoutDestroy(l->a);
  if (l->b != NULL) l->call->cublasLtMatrixLayoutDestroy(l->b);
  if (l->c != NULL) l->call->cublasLtMatrixLayoutDestroy(l->c);
  if (l->operation != NULL) l->call->cublasLtMatmulDescDestroy(l->operation);
  if (l->handle != NULL) l->call->cublasLtDestroy(l->handle);
  free(l);
}

/* What b has more of is zero, once and for all. */
static gb_status widen(const struct matmul_request *r, struct lt *l) {
  l->columns = (l->p.n + UNIT - 1) / UNIT * UNIT;
  const uint64_t own = bytes_of(l, l->p.n, l->p.k), all = bytes_of(l, l->columns, l->p.k);
  l->wide_b = r->sdk->mem->alloc(r->c, GB_MEM_DEVICE, all);
  l->wide_c = r->sdk->mem->alloc(r->c, GB_MEM_DEVICE, bytes_of(l, l->p.m, l->columns));
  if (l->wide_b == NULL || l->wide_c == NULL) return GB_ENOMEM;
  const cudaError_t error = cudaMemsetAsync((char *)l->wide_b + own, 0, all - own, l->stream);
  return error == cudaSuccess ? GB_OK
                              : gb_failf(r->sdk, r->c, GB_EDEVICE, "%s: %s", r->variant, cudaGetErrorString(error));
}

static gb_status set_up(const struct matmul_request *r, struct lt *l) {
  const struct matmul_cublas_types types = matmul_cublas_types(r);
  const gb_status status = matmul_cublas_functions(r, &l->call);
  if (status != GB_OK) return status;
  l->workspace = r->sdk->mem->alloc(r->c, GB_MEM_DEVICE, WORKSPACE);
  if (l->workspace == NULL) return GB_ENOMEM;
  const gb_status widened = (r->flags & MATMUL_PADDED) != 0 ? widen(r, l) : GB_OK;
  if (widened != GB_OK) return widened;
  const cublasStatus_t code = describe(l, &types, r->flags);
  if (code != CUBLAS_STATUS_SUCCESS)
    return gb_failf(r->sdk, r->c, GB_EDEVICE, "%s: cuBLASLt cannot start: status %d", r->variant, (int)code);
  return choose(r, l);
}

static gb_status lt_open(const struct matmul_request *r, void **state) {
  struct lt *l = calloc(1, sizeof *l);
  if (l == NULL) return gb_failf(r->sdk, r->c, GB_ENOMEM, "no host memory");
  l->p = *r->p;
  l->columns = l->p.n;
  l->stream = r->stream;
  const gb_status status = set_up(r, l);
  if (status != GB_OK)
    lt_close(l);
  else
    *state = l;
  return status;
}

static gb_status lt_run(const gb_sdk *sdk, gb_case *c, void *state) {
  const struct lt *l = state;
  const cublasStatus_t code = multiply(l, &l->algorithm);
  if (code == CUBLAS_STATUS_SUCCESS) return GB_OK;
  return gb_failf(sdk, c, GB_EDEVICE, "cublasLtMatmul: status %d", (int)code);
}

const struct matmul_vendor matmul_cublaslt = {lt_open, lt_run, lt_close};
#else
#include "vendor.h"
#endif

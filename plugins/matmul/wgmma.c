/* The wgmma kernels as variants: one shape for every problem, or the fastest of four that a model puts first. */
#ifdef GPUBENCH_CUDA
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

#include "vendor.h"

#define CANDIDATES 4
#define ROUNDS 5
#define BATCH_MS 0.3f
#define BATCH_MOST 20

struct candidate {
  struct matmul_wgmma *plan;
  int shape;
  double cycles; /* as the model says */
  float ms;      /* the least seen */
};

struct stopwatch {
  cudaEvent_t start, stop;
};

static gb_status cannot(const struct matmul_request *r, const char *what, int code) {
  return gb_failf(r->sdk, r->c, GB_EDEVICE, "%s: cannot %s: %s", r->variant, what, matmul_cuda_error(code));
}

static gb_status check_build(const struct matmul_request *r) {
  if (matmul_wgmma_here()) return GB_OK;
  return gb_failf(r->sdk, r->c, GB_SKIP, "%s: this build has no code for compute capability 9.0", r->variant);
}

/* ---- One shape ---- */

static gb_status one_open(const struct matmul_request *r, void **state) {
  struct matmul_wgmma *plan = NULL;
  const gb_status status = check_build(r);
  if (status != GB_OK) return status;
  const int code = matmul_wgmma_open(r->p, 0, &plan);
  if (code != 0) return cannot(r, "prepare", code);
  const gb_status noted = matmul_note(r, "shape", matmul_wgmma_name(0));
  if (noted == GB_OK)
    *state = plan;
  else
    matmul_wgmma_close(plan);
  return noted;
}

/* ---- The choice ---- */

static int by_cycles(const void *a, const void *b) {
  const struct candidate *x = a, *y = b;
  return x->cycles < y->cycles ? -1 : x->cycles > y->cycles ? 1 : x->shape - y->shape;
}

static int by_time(const void *a, const void *b) {
  const struct candidate *x = a, *y = b;
  return x->ms < y->ms ? -1 : x->ms > y->ms ? 1 : x->shape - y->shape;
}

/* Milliseconds of one of `launches` in a row. */
static int time_launches(const struct matmul_request *r, const struct stopwatch *w, const struct matmul_wgmma *plan,
                         int launches, float *ms) {
  int code = cudaEventRecord(w->start, r->stream);
  for (int i = 0; i < launches && code == 0; i++)
    code = matmul_wgmma_run(plan, r->stream);
  if (code == 0) code = cudaEventRecord(w->stop, r->stream);
  const int finished = cudaStreamSynchronize(r->stream);
  if (code == 0) code = finished;
  if (code == 0) code = cudaEventElapsedTime(ms, w->start, w->stop);
  *ms /= (float)launches;
  return code;
}

static int batch_of(float ms) {
  const float launches = BATCH_MS / (ms > 1e-3f ? ms : 1e-3f);
  return launches < 1.0f ? 1 : launches > BATCH_MOST ? BATCH_MOST : (int)launches;
}

/* Each in turn, after a launch that loads its kernel. */
static int time_all(const struct matmul_request *r, const struct stopwatch *w, struct candidate *candidates,
                    int count) {
  int code = 0;
  for (int i = 0; i < count && code == 0; i++) {
    code = time_launches(r, w, candidates[i].plan, 1, &candidates[i].ms);
    if (code == 0) code = time_launches(r, w, candidates[i].plan, 1, &candidates[i].ms);
  }
  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < count && code == 0; i++) {
      float ms = 0.0f;
      code = time_launches(r, w, candidates[i].plan, batch_of(candidates[i].ms), &ms);
      if (round == 0 || ms < candidates[i].ms) candidates[i].ms = ms;
    }
  return code;
}

static int compare_all(const struct matmul_request *r, struct candidate *candidates, int count) {
  struct stopwatch w = {NULL, NULL};
  int code = cudaEventCreate(&w.start);
  if (code == 0) code = cudaEventCreate(&w.stop);
  for (int i = 0; i < count && code == 0; i++)
    code = matmul_wgmma_open(r->p, candidates[i].shape, &candidates[i].plan);
  if (code == 0) code = time_all(r, &w, candidates, count);
  if (w.start != NULL) cudaEventDestroy(w.start);
  if (w.stop != NULL) cudaEventDestroy(w.stop);
  return code;
}

static gb_status note_choice(const struct matmul_request *r, const struct candidate *best, const struct candidate *next,
                             int count) {
  char text[256];
  if (count > 1)
    snprintf(text, sizeof text, "%s, %.1f us; fastest of %d timed, the next: %s, %.1f us",
             matmul_wgmma_name(best->shape), 1e3 * (double)best->ms, count, matmul_wgmma_name(next->shape),
             1e3 * (double)next->ms);
  else
    snprintf(text, sizeof text, "%s, %.1f us", matmul_wgmma_name(best->shape), 1e3 * (double)best->ms);
  return matmul_note(r, "shape", text);
}

static gb_status choose(const struct matmul_request *r, struct candidate *candidates, int shapes, void **state) {
  for (int i = 0; i < shapes; i++)
    candidates[i] = (struct candidate){NULL, i, matmul_wgmma_cycles(r->p, i), 0.0f};
  qsort(candidates, (size_t)shapes, sizeof *candidates, by_cycles);
  const int count = shapes < CANDIDATES ? shapes : CANDIDATES;
  const int code = compare_all(r, candidates, count);
  if (code == 0) qsort(candidates, (size_t)count, sizeof *candidates, by_time);
  for (int i = code == 0 ? 1 : 0; i < count; i++)
    matmul_wgmma_close(candidates[i].plan);
  if (code != 0) return cannot(r, "time its shapes", code);
  const gb_status noted = note_choice(r, &candidates[0], &candidates[1], count);
  if (noted == GB_OK)
    *state = candidates[0].plan;
  else
    matmul_wgmma_close(candidates[0].plan);
  return noted;
}

static gb_status best_open(const struct matmul_request *r, void **state) {
  const gb_status status = check_build(r);
  if (status != GB_OK) return status;
  const int shapes = matmul_wgmma_shapes();
  struct candidate *candidates = calloc((size_t)shapes + 1, sizeof *candidates);
  if (candidates == NULL) return gb_failf(r->sdk, r->c, GB_ENOMEM, "no host memory");
  const gb_status chosen = choose(r, candidates, shapes, state);
  free(candidates);
  return chosen;
}

/* ---- Both ---- */

static gb_status wgmma_run(const gb_sdk *sdk, gb_case *c, void *state) {
  const int code = matmul_wgmma_run(state, sdk->cuda->stream(c));
  return code == 0 ? GB_OK : gb_failf(sdk, c, GB_EDEVICE, "launch of wgmma: %s", matmul_cuda_error(code));
}

static void wgmma_close(void *state) {
  matmul_wgmma_close(state);
}

const struct matmul_vendor matmul_wgmma_one = {one_open, wgmma_run, wgmma_close};
const struct matmul_vendor matmul_wgmma_best = {best_open, wgmma_run, wgmma_close};
#else
#include "vendor.h"
#endif

/* The variants (implementations) of the matrix product that use the wgmma kernels. One has the same tile shape for
 * every problem. The other times the few shapes that a model of their duration (wgmma.cu) ranks first, and uses the
 * fastest. */
#ifdef GPUBENCH_CUDA
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../shared/fastest.h"
#include "vendor.h"

/* The problem and the arithmetic (MATMUL_WGMMA_FP16, ...) for which matmul_wgmma_open() prepares a launch. */
struct product {
  struct matmul_problem p;
  int math;
};

struct candidate {
  struct matmul_wgmma *plan;
  int shape;
  double cycles; /* the duration that the model estimates, in clocks */
};

struct candidates {
  struct candidate *each;
  struct CUstream_st *stream;
};

static gb_status wgmma_cannot(const struct matmul_request *r, const char *what, int code) {
  return gb_failf(r->sdk, r->c, GB_EDEVICE, "%s: cannot %s: %s", r->variant, what, matmul_cuda_error(code));
}

static gb_status check_build(const struct matmul_request *r) {
  if (matmul_wgmma_here()) return GB_OK;
  return gb_failf(r->sdk, r->c, GB_SKIP, "%s: this build has no code for compute capability 9.0", r->variant);
}

static int math_of(const struct matmul_request *r) {
  switch (r->p->dtype) {
    case MATMUL_FP16:
      return MATMUL_WGMMA_FP16;
    case MATMUL_BF16:
      if (r->p->epilogue == MATMUL_BIAS_GELU) return MATMUL_WGMMA_BF16_BIAS_GELU;
      return r->p->epilogue == MATMUL_ADD ? MATMUL_WGMMA_BF16_ADD : MATMUL_WGMMA_BF16;
    case MATMUL_E4M3:
      return (r->flags & MATMUL_FAST) != 0 ? MATMUL_WGMMA_E4M3_FAST : MATMUL_WGMMA_E4M3;
    default:
      return (r->flags & MATMUL_SPLIT) != 0 ? MATMUL_WGMMA_3XTF32 : MATMUL_WGMMA_TF32;
  }
}

static gb_status take_on(const struct matmul_request *r, struct product *x) {
  const gb_status status = check_build(r);
  *x = (struct product){*r->p, math_of(r)};
  if (status != GB_OK || x->math != MATMUL_WGMMA_3XTF32) return status;
  const uint64_t floats = (uint64_t)(x->p.m + x->p.n) * (uint64_t)x->p.k;
  x->p.workspace = r->sdk->mem->alloc(r->c, GB_MEM_DEVICE, floats * sizeof *x->p.workspace);
  return x->p.workspace == NULL ? GB_ENOMEM : GB_OK;
}

/* ---- The variant with one shape ---- */

static gb_status one_open(const struct matmul_request *r, void **state) {
  struct matmul_wgmma *plan = NULL;
  struct product x;
  const gb_status status = take_on(r, &x);
  if (status != GB_OK) return status;
  const int code = matmul_wgmma_open(&x.p, x.math, 0, &plan);
  if (code != 0) return wgmma_cannot(r, "prepare", code);
  const gb_status noted = gb_notef(r->sdk, r->c, "shape", "%s", matmul_wgmma_name(x.math, 0));
  if (noted == GB_OK)
    *state = plan;
  else
    matmul_wgmma_close(plan);
  return noted;
}

/* ---- The variant that chooses a shape ---- */

static int by_cycles(const void *a, const void *b) {
  const struct candidate *x = a, *y = b;
  return x->cycles < y->cycles ? -1 : x->cycles > y->cycles ? 1 : x->shape - y->shape;
}

static int run_candidate(const void *self, int way) {
  const struct candidates *x = self;
  return matmul_wgmma_run(x->each[way].plan, x->stream);
}

static gb_status note_shape(const struct matmul_request *r, int math, const struct candidate *candidates,
                            const struct fastest_time *order, int count) {
  const char *best = matmul_wgmma_name(math, candidates[order[0].way].shape);
  char text[256];
  if (count > 1)
    snprintf(text, sizeof text, "%s, %.1f us; fastest of %d timed, the next: %s, %.1f us", best,
             1e3 * (double)order[0].ms, count, matmul_wgmma_name(math, candidates[order[1].way].shape),
             1e3 * (double)order[1].ms);
  else
    snprintf(text, sizeof text, "%s, %.1f us", best, 1e3 * (double)order[0].ms);
  return gb_notef(r->sdk, r->c, "shape", "%s", text);
}

/* Times the candidates, whose plans are open, and moves the fastest one's plan to `state`. */
static gb_status take_fastest(const struct matmul_request *r, int math, struct candidate *candidates, int count,
                              void **state) {
  const struct candidates x = {candidates, r->stream};
  struct fastest_ways ways = {run_candidate, &x, count, r->stream, NULL};
  struct fastest_time order[FASTEST_MOST];
  ways.memory = r->sdk->mem->alloc(r->c, GB_MEM_DEVICE, FASTEST_BYTES);
  if (ways.memory == NULL) return GB_ENOMEM;
  const int running = fastest(&ways, order);
  if (running < count) return gb_failf(r->sdk, r->c, GB_EDEVICE, "%s: cannot time its shapes", r->variant);
  const gb_status noted = note_shape(r, math, candidates, order, count);
  if (noted != GB_OK) return noted;
  *state = candidates[order[0].way].plan;
  candidates[order[0].way].plan = NULL;
  return GB_OK;
}

static gb_status choose_shape(const struct matmul_request *r, const struct product *x, struct candidate *candidates,
                              int shapes, void **state) {
  for (int i = 0; i < shapes; i++)
    candidates[i] = (struct candidate){NULL, i, matmul_wgmma_cycles(&x->p, x->math, i)};
  qsort(candidates, (size_t)shapes, sizeof *candidates, by_cycles);
  int count = 0, code = 0;
  while (count < shapes && count < MATMUL_WGMMA_TIMED && isfinite(candidates[count].cycles))
    count++;
  for (int i = 0; i < count && code == 0; i++)
    code = matmul_wgmma_open(&x->p, x->math, candidates[i].shape, &candidates[i].plan);
  const gb_status status =
      code == 0 ? take_fastest(r, x->math, candidates, count, state) : wgmma_cannot(r, "prepare", code);
  for (int i = 0; i < count; i++)
    matmul_wgmma_close(candidates[i].plan);
  return status;
}

static gb_status best_open(const struct matmul_request *r, void **state) {
  struct product x;
  const gb_status status = take_on(r, &x);
  if (status != GB_OK) return status;
  const int shapes = matmul_wgmma_shapes(x.math);
  struct candidate *candidates = calloc((size_t)shapes + 1, sizeof *candidates);
  if (candidates == NULL) return gb_failf(r->sdk, r->c, GB_ENOMEM, "no host memory");
  const gb_status chosen = choose_shape(r, &x, candidates, shapes, state);
  free(candidates);
  return chosen;
}

/* ---- Callbacks of both variants ---- */

static gb_status gemm_wgmma_run(const gb_sdk *sdk, gb_case *c, void *state) {
  const int code = matmul_wgmma_run(state, sdk->cuda->stream(c));
  return code == 0 ? GB_OK : gb_failf(sdk, c, GB_EDEVICE, "launch of wgmma: %s", matmul_cuda_error(code));
}

static void wgmma_close(void *state) {
  matmul_wgmma_close(state);
}

const struct matmul_vendor matmul_wgmma_one = {one_open, gemm_wgmma_run, wgmma_close};
const struct matmul_vendor matmul_wgmma_best = {best_open, gemm_wgmma_run, wgmma_close};
#else
#include "vendor.h"
#endif

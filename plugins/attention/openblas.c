/* Attention by OpenBLAS: for ROWS rows of a head at a time, a product with the keys that any of these rows sees, a
 * softmax by this plugin, and a product with the values. OpenBLAS is set to one thread per call, because each of our
 * threads calls it for rows of its own. */
#include "openblas.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "../shared/library.h"
#include "../shared/openblas.h"
#include "cpu_kernels.h"
#include "cpu_spans.h"
#include "graph.h"

enum {
  ROWS = 96
}; /* rows of a task. With fewer rows OpenBLAS packs keys more often; with more it computes more masked scores. */

struct state {
  struct openblas blas;
  struct attention_problem p;
};

static int padded_keys(const struct attention_problem *p) {
  return round_up(p->s, WIDTH);
}

static void run_rows(const struct state *x, int64_t head, int first, float *scores) {
  const struct attention_problem *p = &x->p;
  const int count = smaller(ROWS, p->s - first), pitch = padded_keys(p);
  const struct span keys = {seen_by(p, first).first, seen_by(p, first + count - 1).end};
  const ptrdiff_t key = element_of(p, key_heads(p), head / p->group, keys.first);
  const ptrdiff_t row = element_of(p, p->heads, head, first);
  const int width = keys.end - keys.first;
  float *o = (float *)p->o + row, sums[ROWS];
  x->blas.sgemm(OPENBLAS_ROW_MAJOR, OPENBLAS_AS_IT_IS, OPENBLAS_TRANSPOSED, count, width, p->d,
                (float)(1.0 / sqrt((double)p->d)), (const float *)p->q + row, p->d, (const float *)p->k + key, p->d,
                0.0f, scores, pitch);
  for (int i = 0; i < count; ++i) {
    const struct span seen = seen_by(p, first + i);
    float largest = -INFINITY;
    sums[i] = attention_cpu_soften(scores + (ptrdiff_t)i * pitch, seen.first - keys.first, seen.end - keys.first,
                                   round_up(width, WIDTH), &largest);
  }
  x->blas.sgemm(OPENBLAS_ROW_MAJOR, OPENBLAS_AS_IT_IS, OPENBLAS_AS_IT_IS, count, p->d, width, 1.0f, scores, pitch,
                (const float *)p->v + key, p->d, 0.0f, o, p->d);
  for (int i = 0; i < count; ++i)
    scale_row(o + i * p->d, p->d, 1.0f / sums[i]);
}

gb_status attention_openblas_run(const gb_variant *self, gb_case *c, void *state) {
  const struct state *x = state;
  const struct attention_problem *p = &x->p;
  const int64_t blocks = (p->s + ROWS - 1) / ROWS, tasks = p->heads * blocks;
  (void)self;
  (void)c;
#pragma omp parallel for num_threads(p->threads) schedule(dynamic, 1)
  for (int64_t i = 0; i < tasks; ++i)
    run_rows(x, i / blocks, (int)(blocks - 1 - i % blocks) * ROWS,
             (float *)p->workspace + (ptrdiff_t)omp_get_thread_num() * ROWS * padded_keys(p));
  return GB_OK;
}

static gb_status note_library(const gb_sdk *sdk, gb_case *c, const struct openblas *blas) {
  const gb_status status = gb_notef(sdk, c, "library", "%s", library_path_end(blas->path));
  return status == GB_OK ? gb_notef(sdk, c, "version", "%s", blas->config()) : status;
}

static gb_status set_up_openblas(const gb_sdk *sdk, gb_case *c, struct state *x) {
  char why[512];
  if (openblas_open(&x->blas, why, sizeof why) != 0) return gb_failf(sdk, c, GB_SKIP, "%s", why);
  x->blas.set_threads(1);
  const uint64_t scores = (uint64_t)x->p.threads * ROWS * (uint64_t)padded_keys(&x->p);
  x->p.workspace = sdk->mem->alloc(c, GB_MEM_DEVICE, scores * sizeof(float));
  if (x->p.workspace == NULL) return GB_ENOMEM;
  const gb_status status = note_library(sdk, c, &x->blas);
  return status == GB_OK ? attention_graph_openblas(sdk, c, &x->p) : status;
}

gb_status attention_openblas_open(const gb_sdk *sdk, gb_case *c, const struct attention_problem *p, void **state) {
  struct state *x = calloc(1, sizeof *x);
  if (x == NULL) return gb_failf(sdk, c, GB_ENOMEM, "no host memory");
  x->p = *p;
  const gb_status status = set_up_openblas(sdk, c, x);
  if (status == GB_OK)
    *state = x;
  else
    attention_openblas_release(NULL, c, x);
  return status;
}

void attention_openblas_release(const gb_variant *self, gb_case *c, void *state) {
  struct state *x = state;
  (void)self;
  (void)c;
  openblas_close(&x->blas);
  free(x);
}

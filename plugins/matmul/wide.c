#include "wide.h"

enum { CHUNK = 1 << 14 }; /* elements converted by one task */

gb_status matmul_wide_claim(const struct matmul_request *r, struct matmul_wide *w) {
  const uint64_t a = (uint64_t)(r->p->m * r->p->k + 15) / 16 * 16, b = (uint64_t)(r->p->n * r->p->k + 15) / 16 * 16;
  if (r->p->dtype == MATMUL_FP32) return GB_OK;
  w->a = r->sdk->mem->alloc(r->c, GB_MEM_HOST, (a + b + (uint64_t)(r->p->m * r->p->n)) * sizeof *w->a);
  if (w->a == NULL) return GB_ENOMEM;
  w->b = w->a + a;
  w->c = w->b + b;
  return GB_OK;
}

static void widen_elements(float *to, const void *from, int64_t count, const struct matmul_problem *p) {
#pragma omp parallel for num_threads(p->threads) schedule(static)
  for (int64_t i = 0; i < count; i += CHUNK)
    matmul_cpu_to_float(to + i, from, i, count - i < CHUNK ? count - i : CHUNK, p->dtype);
}

void matmul_widen(const struct matmul_wide *w, const struct matmul_problem *p) {
  if (w->a == NULL) return;
  widen_elements(w->a, p->a, p->m * p->k, p);
  widen_elements(w->b, p->b, p->n * p->k, p);
}

static void finish_rows(float *c, const struct matmul_problem *p) {
#pragma omp parallel for num_threads(p->threads) schedule(static)
  for (int64_t i = 0; i < p->m; i++)
    matmul_cpu_epilogue(p, i, 0, c + i * p->n, p->n);
}

void matmul_narrow(const struct matmul_wide *w, const struct matmul_problem *p) {
  const int64_t count = p->m * p->n;
  if (p->epilogue != MATMUL_PLAIN) finish_rows(matmul_wide_c(w, p), p);
  if (w->c == NULL) return;
#pragma omp parallel for num_threads(p->threads) schedule(static)
  for (int64_t i = 0; i < count; i += CHUNK)
    matmul_cpu_from_float(p->c, i, w->c + i, count - i < CHUNK ? count - i : CHUNK, p->dtype);
}

const void *matmul_wide_a(const struct matmul_wide *w, const struct matmul_problem *p) {
  return w->a != NULL ? w->a : p->a;
}

const void *matmul_wide_b(const struct matmul_wide *w, const struct matmul_problem *p) {
  return w->b != NULL ? w->b : p->b;
}

void *matmul_wide_c(const struct matmul_wide *w, const struct matmul_problem *p) {
  return w->c != NULL ? w->c : p->c;
}

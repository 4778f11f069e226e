/* OpenBLAS's cblas_sgemm. Narrower types are converted to fp32 before and back afterwards, within the measured time. */
#include <stdlib.h>
#include <string.h>

#include "../shared/library.h"
#include "vendor.h"

enum { ROW_MAJOR = 101, NO_TRANSPOSE = 111, TRANSPOSE = 112 };
enum { CHUNK = 1 << 14 }; /* elements converted by one task */

typedef void (*sgemm_function)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                               const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);

struct openblas {
  void *library;
  sgemm_function sgemm;
  void (*set_threads)(int threads);
  char *(*config)(void);
  struct matmul_problem p;
  float *a, *b, *c; /* NULL where the case's own arrays are fp32 */
};

/* Of a text that is too long, the end: of a path it says more. */
gb_status matmul_note(const struct matmul_request *r, const char *key, const char *text) {
  enum { MOST = 255 };
  const size_t length = strlen(text);
  return gb_notef(r->sdk, r->c, key, "%s", length > MOST ? text + length - MOST : text);
}

static int find_functions(struct openblas *o, char *why, size_t size) {
  if (library_find(o->library, "cblas_sgemm", &o->sgemm, why, size) != 0) return -1;
  if (library_find(o->library, "openblas_set_num_threads", &o->set_threads, why, size) != 0) return -1;
  return library_find(o->library, "openblas_get_config", &o->config, why, size);
}

static gb_status open_library(const struct matmul_request *r, struct openblas *o) {
  static const char *const folders[] = {NULL};
  char path[1024], why[512] = "";
  o->library = library_open("libopenblas.so.0", folders, path, sizeof path, why, sizeof why);
  if (o->library == NULL || find_functions(o, why, sizeof why) != 0)
    return gb_failf(r->sdk, r->c, GB_SKIP, "no OpenBLAS here (Debian: libopenblas0): %s", why);
  o->set_threads(r->p->threads);
  const gb_status status = matmul_note(r, "library", path);
  return status == GB_OK ? matmul_note(r, "version", o->config()) : status;
}

static gb_status claim_workspace(const struct matmul_request *r, struct openblas *o) {
  const uint64_t a = (uint64_t)(r->p->m * r->p->k + 15) / 16 * 16, b = (uint64_t)(r->p->n * r->p->k + 15) / 16 * 16;
  if (r->p->dtype == MATMUL_FP32) return GB_OK;
  o->a = r->sdk->mem->alloc(r->c, GB_MEM_HOST, (a + b + (uint64_t)(r->p->m * r->p->n)) * sizeof *o->a);
  if (o->a == NULL) return GB_ENOMEM;
  o->b = o->a + a;
  o->c = o->b + b;
  return GB_OK;
}

/* Closing the library ends its threads. */
static void openblas_close(void *state) {
  struct openblas *o = state;
  library_close(o->library);
  free(o);
}

static gb_status openblas_open(const struct matmul_request *r, void **state) {
  struct openblas *o = calloc(1, sizeof *o);
  if (o == NULL) return gb_failf(r->sdk, r->c, GB_ENOMEM, "no host memory");
  o->p = *r->p;
  gb_status status = open_library(r, o);
  if (status == GB_OK) status = claim_workspace(r, o);
  if (status != GB_OK)
    openblas_close(o);
  else
    *state = o;
  return status;
}

static void widen(float *to, const void *from, int64_t count, const struct matmul_problem *p) {
#pragma omp parallel for num_threads(p->threads) schedule(static)
  for (int64_t i = 0; i < count; i += CHUNK)
    matmul_cpu_to_float(to + i, from, i, count - i < CHUNK ? count - i : CHUNK, p->dtype);
}

static void narrow(void *to, const float *from, int64_t count, const struct matmul_problem *p) {
#pragma omp parallel for num_threads(p->threads) schedule(static)
  for (int64_t i = 0; i < count; i += CHUNK)
    matmul_cpu_from_float(to, i, from + i, count - i < CHUNK ? count - i : CHUNK, p->dtype);
}

static gb_status openblas_run(const gb_sdk *sdk, gb_case *c, void *state) {
  const struct openblas *o = state;
  const struct matmul_problem *p = &o->p;
  const float *a = o->a, *b = o->b;
  float *out = o->c;
  (void)sdk;
  (void)c;
  if (a != NULL) {
    widen(o->a, p->a, p->m * p->k, p);
    widen(o->b, p->b, p->n * p->k, p);
  } else {
    a = p->a;
    b = p->b;
    out = p->c;
  }
  const int m = (int)p->m, n = (int)p->n, k = (int)p->k;
  o->sgemm(ROW_MAJOR, NO_TRANSPOSE, TRANSPOSE, m, n, k, 1.0f, a, k, b, k, 0.0f, out, n);
  if (o->a != NULL) narrow(p->c, o->c, p->m * p->n, p);
  return GB_OK;
}

const struct matmul_vendor matmul_openblas = {openblas_open, openblas_run, openblas_close};

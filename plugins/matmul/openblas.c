/* OpenBLAS's cblas_sgemm. Narrower types are converted to fp32 before and back afterwards, within the measured time. */
#include <stdlib.h>
#include <string.h>

#include "../shared/library.h"
#include "vendor.h"
#include "wide.h"

enum { ROW_MAJOR = 101, NO_TRANSPOSE = 111, TRANSPOSE = 112 };

typedef void (*sgemm_function)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                               const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);

struct openblas {
  void *library;
  sgemm_function sgemm;
  void (*set_threads)(int threads);
  char *(*config)(void);
  struct matmul_problem p;
  struct matmul_wide wide;
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
  if (status == GB_OK) status = matmul_wide_claim(r, &o->wide);
  if (status != GB_OK)
    openblas_close(o);
  else
    *state = o;
  return status;
}

static gb_status openblas_run(const gb_sdk *sdk, gb_case *c, void *state) {
  const struct openblas *o = state;
  const struct matmul_problem *p = &o->p;
  const int m = (int)p->m, n = (int)p->n, k = (int)p->k;
  (void)sdk;
  (void)c;
  matmul_widen(&o->wide, p);
  o->sgemm(ROW_MAJOR, NO_TRANSPOSE, TRANSPOSE, m, n, k, 1.0f, matmul_wide_a(&o->wide, p), k, matmul_wide_b(&o->wide, p),
           k, 0.0f, matmul_wide_c(&o->wide, p), n);
  matmul_narrow(&o->wide, p);
  return GB_OK;
}

const struct matmul_vendor matmul_openblas = {openblas_open, openblas_run, openblas_close};

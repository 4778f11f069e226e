/* OpenBLAS's cblas_sgemm. Narrower types are converted to fp32 before the product and back after it, within the
 * measured time. */
#include <stdlib.h>

#include "../shared/library.h"
#include "../shared/openblas.h"
#include "vendor.h"
#include "wide.h"

struct state {
  struct openblas blas;
  struct matmul_problem p;
  struct matmul_wide wide;
};

static gb_status request_openblas(const struct matmul_request *r, struct openblas *blas) {
  char why[512];
  if (openblas_open(blas, why, sizeof why) != 0) return gb_failf(r->sdk, r->c, GB_SKIP, "%s", why);
  blas->set_threads(r->p->threads);
  const gb_status status = gb_notef(r->sdk, r->c, "library", "%s", library_path_end(blas->path));
  return status == GB_OK ? gb_notef(r->sdk, r->c, "version", "%s", blas->config()) : status;
}

static void gemm_openblas_release(void *state) {
  struct state *o = state;
  openblas_close(&o->blas);
  free(o);
}

static gb_status gemm_openblas_prepare(const struct matmul_request *r, void **state) {
  struct state *o = calloc(1, sizeof *o);
  if (o == NULL) return gb_failf(r->sdk, r->c, GB_ENOMEM, "no host memory");
  o->p = *r->p;
  gb_status status = request_openblas(r, &o->blas);
  if (status == GB_OK) status = matmul_wide_claim(r, &o->wide);
  if (status != GB_OK)
    gemm_openblas_release(o);
  else
    *state = o;
  return status;
}

static gb_status gemm_openblas_run(const gb_sdk *sdk, gb_case *c, void *state) {
  const struct state *o = state;
  const struct matmul_problem *p = &o->p;
  const int m = (int)p->m, n = (int)p->n, k = (int)p->k;
  (void)sdk;
  (void)c;
  matmul_widen(&o->wide, p);
  o->blas.sgemm(OPENBLAS_ROW_MAJOR, OPENBLAS_AS_IT_IS, OPENBLAS_TRANSPOSED, m, n, k, 1.0f, matmul_wide_a(&o->wide, p),
                k, matmul_wide_b(&o->wide, p), k, 0.0f, matmul_wide_c(&o->wide, p), n);
  matmul_narrow(&o->wide, p);
  return GB_OK;
}

const struct matmul_vendor matmul_openblas = {gemm_openblas_prepare, gemm_openblas_run, gemm_openblas_release};

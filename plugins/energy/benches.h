/* The callbacks of the benches of energy. */
#ifndef ENERGY_BENCHES_H
#define ENERGY_BENCHES_H

#include "gpubench/sugar.h"

/* The functions that gpubench offers to this plugin; set in `open`, read-only afterwards. */
extern gb_sdk energy_gb;

gb_status energy_bytes_supports(const gb_bench *self, gb_case *c);
gb_status energy_copy_setup(const gb_bench *self, gb_case *c, void **state);
gb_status energy_copy_reference(const gb_bench *self, gb_case *c, void *state);
gb_status energy_job_setup(const gb_bench *self, gb_case *c, void **state);
gb_status energy_job_reference(const gb_bench *self, gb_case *c, void *state);

/* Callbacks of the benches `gemm` and `data`. Both multiply matrices; an axis (a parameter) of `data` selects the
 * contents of the matrices. Only in `data`, gb_bench.user is not NULL. */
gb_status energy_gemm_supports(const gb_bench *self, gb_case *c);
gb_status energy_gemm_setup(const gb_bench *self, gb_case *c, void **state);
gb_status energy_gemm_reference(const gb_bench *self, gb_case *c, void *state);

gb_status energy_small_supports(const gb_bench *self, gb_case *c);
gb_status energy_small_setup(const gb_bench *self, gb_case *c, void **state);
gb_status energy_small_reference(const gb_bench *self, gb_case *c, void *state);

gb_status energy_idle_supports(const gb_bench *self, gb_case *c);
gb_status energy_idle_setup(const gb_bench *self, gb_case *c, void **state);
gb_status energy_idle_reference(const gb_bench *self, gb_case *c, void *state);

gb_status energy_selftest_supports(const gb_bench *self, gb_case *c);
gb_status energy_selftest_setup(const gb_bench *self, gb_case *c, void **state);
gb_status energy_selftest_reference(const gb_bench *self, gb_case *c, void *state);

/* The callback `teardown` of all benches. Ends the OpenMP threads, which would otherwise go on waiting for more
 * work. */
void energy_teardown(const gb_bench *self, gb_case *c, void *state);

#endif

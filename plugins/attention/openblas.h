/* Attention by two products of OpenBLAS, opened when a case wants it. */
#ifndef ATTENTION_OPENBLAS_H
#define ATTENTION_OPENBLAS_H

#include <gpubench/sugar.h>

#include "kernels.h"

/* For prepare: GB_OK, GB_SKIP where there is no OpenBLAS, or an error; `*state` is for the two slots below. fp32, no
 * packed sequences. */
gb_status attention_openblas_open(const gb_sdk *sdk, gb_case *c, const struct attention_problem *p, void **state);

/* Slots of a variant. */
gb_status attention_openblas_run(const gb_variant *self, gb_case *c, void *state);
void attention_openblas_release(const gb_variant *self, gb_case *c, void *state);

#endif

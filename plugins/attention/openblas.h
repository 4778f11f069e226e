/* Attention by two products of OpenBLAS. The library is opened (dlopen) when a case needs it. */
#ifndef ATTENTION_OPENBLAS_H
#define ATTENTION_OPENBLAS_H

#include <gpubench/sugar.h>

#include "kernels.h"

/* For `prepare`. Sets `*state` for the two functions below; supports fp32 without packed sequences. Returns GB_OK,
 * GB_SKIP if OpenBLAS is missing, or an error. */
gb_status attention_openblas_open(const gb_sdk *sdk, gb_case *c, const struct attention_problem *p, void **state);

/* The callbacks `run` and `release` of the variant. */
gb_status attention_openblas_run(const gb_variant *self, gb_case *c, void *state);
void attention_openblas_release(const gb_variant *self, gb_case *c, void *state);

#endif

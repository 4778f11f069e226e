/* Declares the callbacks of the bench "rows" of the softmax plugin. */
#ifndef SOFTMAX_ROWS_H
#define SOFTMAX_ROWS_H

#include "services.h"

gb_status softmax_rows_supports(const gb_bench *self, gb_case *c);
gb_status softmax_rows_setup(const gb_bench *self, gb_case *c, void **state);
gb_status softmax_rows_reference(const gb_bench *self, gb_case *c, void *state);
gb_status softmax_rows_verify(const gb_bench *self, gb_case *c, void *state);

#endif

/* The callbacks of the benches of calibrate. */
#ifndef CALIBRATE_BENCHES_H
#define CALIBRATE_BENCHES_H

#include "gpubench/sugar.h"

/* The functions that gpubench offers to this plugin; set in `open`, read-only afterwards. */
extern gb_sdk calibrate_gb;

gb_status empty_supports(const gb_bench *self, gb_case *c);
gb_status empty_setup(const gb_bench *self, gb_case *c, void **state);
gb_status empty_reference(const gb_bench *self, gb_case *c, void *state);

gb_status spin_supports(const gb_bench *self, gb_case *c);
gb_status spin_setup(const gb_bench *self, gb_case *c, void **state);
gb_status spin_verify(const gb_bench *self, gb_case *c, void *state);

gb_status bytes_supports(const gb_bench *self, gb_case *c);
gb_status read_setup(const gb_bench *self, gb_case *c, void **state);
gb_status read_reference(const gb_bench *self, gb_case *c, void *state);
gb_status write_setup(const gb_bench *self, gb_case *c, void **state);
gb_status write_reference(const gb_bench *self, gb_case *c, void *state);
gb_status copy_setup(const gb_bench *self, gb_case *c, void **state);
gb_status copy_reference(const gb_bench *self, gb_case *c, void *state);

gb_status fma_supports(const gb_bench *self, gb_case *c);
gb_status fma_setup(const gb_bench *self, gb_case *c, void **state);
gb_status fma_reference(const gb_bench *self, gb_case *c, void *state);

gb_status tensor_supports(const gb_bench *self, gb_case *c);
gb_status tensor_setup(const gb_bench *self, gb_case *c, void **state);
gb_status tensor_reference(const gb_bench *self, gb_case *c, void *state);

#endif

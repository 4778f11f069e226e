/* Storage types: size and conversion to and from float64, exact and round-to-nearest-even. Pure; also compiled as CUDA.
 */
#ifndef MODEL_DATA_DTYPE_H
#define MODEL_DATA_DTYPE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of one element, or 0 for a dtype this host does not know. */
size_t dtype_bytes(uint32_t dtype);
const char *dtype_name(uint32_t dtype); /* "bf16"; "?" */

/* Element `index` of `storage` as float64. */
double dtype_load(uint32_t dtype, const void *storage, uint64_t index);

/* Elements 0 to `count` - 1 of `storage`, in code of each type's own. */
void dtype_load_all(uint32_t dtype, const void *storage, uint64_t count, double *values);

/* What has been stored and loaded: to nearest even; integers saturate, and NaN is 0 there. */
double dtype_round(uint32_t dtype, double value);

/* Half the distance between neighbouring values near 1 (unit roundoff): 2^-24 for f32; 0 for integers. */
double dtype_roundoff(uint32_t dtype);

#ifdef __cplusplus
}
#endif
#endif

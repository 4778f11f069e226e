/* Storage types: sizes, and conversions to and from float64, which are exact or round to nearest even. The functions do
 * no I/O and use no global state; they are also compiled as CUDA. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the bytes of one element; 0 for a dtype that this host does not know. */
size_t dtype_bytes(uint32_t dtype);
const char *dtype_name(uint32_t dtype); /* returns "bf16" and the like; "?" for an unknown type */

/* Returns element `index` of `storage` as float64. */
double dtype_load(uint32_t dtype, const void *storage, uint64_t index);

/* Loads elements 0 to `count` - 1 of `storage`, with code specialised for each type. */
void dtype_load_all(uint32_t dtype, const void *storage, uint64_t count, double *values);

/* Returns `value` rounded to the storage type, as if it was stored and loaded again: to nearest, ties to even. For
 * integer types, values outside of the range become its nearest end, and NaN becomes 0. */
double dtype_round(uint32_t dtype, double value);

/* Returns the unit roundoff, half the distance between neighbouring values near 1: 2^-24 for f32; 0 for integers. */
double dtype_roundoff(uint32_t dtype);

#ifdef __cplusplus
}
#endif

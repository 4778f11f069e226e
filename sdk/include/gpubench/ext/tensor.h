/* gb.tensor/1: the named arrays of a case. The bench declares them. The host allocates and fills them, guards them
 * against writes out of bounds, poisons them (overwrites outputs with a pattern, to see whether a variant writes them),
 * restores and compares them, in the same way for every bench and variant. */
#ifndef GPUBENCH_EXT_TENSOR_H
#define GPUBENCH_EXT_TENSOR_H

#include "../gpubench.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GB_EXT_TENSOR "gb.tensor/1"

/* Storage types. Values are stored in the machine's byte order. */
#define GB_DTYPE_F64 1u
#define GB_DTYPE_F32 2u
#define GB_DTYPE_F16 3u  /* IEEE 754 binary16 */
#define GB_DTYPE_BF16 4u /* the upper half of binary32 */
#define GB_DTYPE_I32 5u
#define GB_DTYPE_U8 6u
#define GB_DTYPE_E4M3 7u /* OCP 8-bit: 4 exponent bits, 3 mantissa bits; up to 448, NaN, no infinities */

/* Roles. A GB_IN tensor is filled, and no variant may change it: the host compares its checksum. A GB_OUT tensor is
 * poisoned (overwritten with a pattern) before each verified run, and every element must be written. A GB_INOUT tensor
 * is filled, and restored outside the timed region before every iteration (with GB_BENCH_STATEFUL: before the first).
 * The contents of a GB_SCRATCH tensor are undefined. */
#define GB_IN 1u
#define GB_OUT 2u
#define GB_INOUT 3u
#define GB_SCRATCH 4u

/* Distributions. Every element is a function of (seed, tensor, storage index), bit for bit the same on host and
 * device. NaN and infinities never occur. */
#define GB_FILL_UNIFORM 1u /* [a, b) with a < b; integers: a .. b-1 */
#define GB_FILL_NORMAL 2u  /* mean a, standard deviation b; sum of four uniforms, so within 3.47 b of a */

/* The bench's `fill` gives the values, by gb.input/1. A tensor with this fill gets new values only between slots
 * (groups of consecutive calls of one variant), never between two calls of a slot. */
#define GB_FILL_BENCH 3u

/* Flags. */
/* for GB_OUT and GB_INOUT: the host compares the tensor bit for bit in every precision; meant for outputs that copy
 * values */
#define GB_TENSOR_EXACT 1u

/* The declaration of a tensor. The plugin gives this struct to `declare`, which copies it; later versions may append
 * members. Since 1.0. The host allocates, fills, guards, poisons, restores and compares every tensor, in whatever
 * memory it lies. On "cuda", variants of a case with a tensor in pageable host memory (GB_MEM_HOST) must be
 * GB_VARIANT_SYNC; others are skipped, because the host accesses pageable memory directly, and not in the order of a
 * stream. On "cpu" all kinds of memory are the same. */
typedef struct gb_tensor {
  uint32_t struct_size;
  uint32_t role;        /* GB_IN, GB_OUT, GB_INOUT or GB_SCRATCH */
  uint32_t dtype;       /* GB_DTYPE_* */
  uint32_t rank;        /* 1 to 8 */
  const char *name;     /* "q" */
  const int64_t *shape; /* `rank` extents, each at least 1 */
  /* `rank` distances between neighbours, in elements; elements must not overlap, so each stride must reach past the
   * last element that can be reached by the smaller strides alone; NULL: row-major, dense */
  const int64_t *strides;
  uint64_t align_bytes;  /* alignment of the first element: a power of two up to 4096; 0: 256 */
  uint64_t offset_bytes; /* shifts the first element off that alignment; at most 4096; 0: none */
  uint32_t fill;         /* GB_FILL_*, for GB_IN and GB_INOUT */
  uint32_t memory;       /* GB_MEM_* of <gpubench/ext/mem.h>; 0: the device's own memory */
  double fill_a;         /* parameters a and b of the distribution */
  double fill_b;
  uint64_t reduction; /* for outputs: number of terms that are summed for an element; with dtype and math it sets the
                         tolerance; `gpubench check` rejects numbers that are too large for the inputs and work */
  double tolerance;   /* for outputs: greatest norm-relative error, below 1; 0: follows from dtype, math, reduction */
  uint32_t flags;     /* GB_TENSOR_* */
  uint32_t reserved;
} gb_tensor;

/* The host gives this table to plugins; it is frozen. A tensor name that does not exist records a failure on the case,
 * which fails the callback whatever it returns, and gives NULL, 0 or GB_EINVAL. Indices are logical: row-major over the
 * shape, whatever the strides. Since 1.0. */
typedef struct gb_tensor_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* Declares a tensor. May be called in a bench's `setup`, at most 256 times per case [case-thread]. The order of the
   * declarations decides the values: the n-th tensor is filled from the n-th stream of random numbers.
   * Returns GB_ENOTSUP if this host does not know the role, dtype, fill, memory, a flag or a later member. The case is
   * then skipped, whatever `setup` returns. */
  gb_status (*declare)(gb_case *c, const gb_tensor *tensor);

  /* Returns the address of the first element: device memory on "cuda" unless gb_tensor.memory says otherwise, host
   * memory on "cpu". May be called after `setup` has returned [case-thread]. Valid until the bench's `teardown`, and
   * the same for every variant of the case. Each call searches by name, so call it in `prepare` and not in `run`. */
  void *(*data)(gb_case *c, const char *name);

  /* Return a property of a declared tensor. May be called while a case runs [case-thread]. */
  uint32_t (*dtype)(gb_case *c, const char *name); /* GB_DTYPE_* */
  uint32_t (*rank)(gb_case *c, const char *name);
  int64_t (*dim)(gb_case *c, const char *name, uint32_t axis);    /* extent; 0 beyond the rank */
  int64_t (*stride)(gb_case *c, const char *name, uint32_t axis); /* in elements; 0 beyond the rank */
  uint32_t (*role)(gb_case *c, const char *name);                 /* GB_IN, ... */

  /* Return the number of tensors, and the name of a tensor by its index in the order of declaration, for variants that
   * work with any contract. May be called while a case runs [case-thread]. `name` gives NULL if `index` is too large;
   * its result is valid until the bench's `teardown`. */
  uint32_t (*count)(gb_case *c);
  const char *(*name)(gb_case *c, uint32_t index);

  /* Reads `count` elements of a GB_IN or GB_INOUT tensor from logical index `first` on, as float64, into host memory.
   * May be called after `setup` has returned, but not in `run` and `after` [case-thread].
   * The values are those that were filled, even if something has overwritten the tensor since. The device is not
   * touched. */
  gb_status (*input)(gb_case *c, const char *name, uint64_t first, uint64_t count, double *values);

  /* Does the same as `input` for elements that are `stride` (at least 1) logical indices apart, so that one call can
   * read a column. */
  gb_status (*input_strided)(gb_case *c, const char *name, uint64_t first, uint64_t stride, uint64_t count,
                             double *values);

  /* Reads `count` elements of a GB_OUT or GB_INOUT tensor as the variant that just ran left them. May be called in
   * `verify` [case-thread]. Each call copies from the device and waits for it, so read many elements at once. */
  gb_status (*output)(gb_case *c, const char *name, uint64_t first, uint64_t count, double *values);
  gb_status (*output_strided)(gb_case *c, const char *name, uint64_t first, uint64_t stride, uint64_t count,
                              double *values);

  /* Returns the number of iterations since the GB_INOUT tensors held their filled values; 0 if that is not known, for
   * example after replays of a graph. May be called in `verify` [case-thread]. */
  uint64_t (*steps)(gb_case *c);

  /* Gives the host the expected values of `count` elements of an output, from logical index `first` on. They are
   * copied. May be called in `reference` [case-thread].
   *
   * After each verified run the host compares the stated elements. Before samples are taken, it compares all of them.
   * In a spot check (a timed run that is verified) it compares all of them or, if that takes more than 5 ms, at least
   * a random sixteenth.
   * The norm-relative error must be within the tensor's own tolerance, or that of (dtype, math, reduction).
   * The error of each element must be within eight times that tolerance (formulas: sdk/abi/POLICY.md).
   * Half the dtype's smallest positive value (fp64: all of it) is subtracted from each difference first, so that a
   * correctly rounded subnormal result passes.
   * Integers must be equal.
   * With GB_TENSOR_EXACT the stated values are rounded to the dtype, to nearest even, and the bits must be equal; any
   * NaN equals any NaN, and -0 is not 0.
   * Every element of a GB_OUT tensor, stated or not, must have been written. */
  gb_status (*expect)(gb_case *c, const char *name, uint64_t first, uint64_t count, const double *values);

  /* Tells the host where this iteration puts the output `index` (the tensor of which `name` gives the name), if `run`
   * leaves it in the variant's own memory and `after` copies it to the case's tensor. May be called in `run` of a
   * variant that has `after` [case-thread]; a call takes nanoseconds.
   * `memory` is on the case's device, dense and row-major.
   * It stays readable and unchanged until the variant's next `run`, `refresh` or `release`.
   * The host reads a few elements there when the clock stops, and compares them with what `after` delivers: an output
   * that was not there yet is wrong.
   * Returns GB_EINVAL if no output has this index. */
  gb_status (*lies_at)(gb_case *c, uint32_t index, const void *memory);
} gb_tensor_ext;

#ifdef __cplusplus
}
#endif
#endif

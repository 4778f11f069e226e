/* Maps the number of a CTA, or of a step of a persistent kernel, to its tile. A grid of rows x columns of tiles is cut
 * into bands of `height` rows; bands follow one another, and within a band numbers run down the rows of a column, then
 * to the next column. The divisors are known before the launch, so a kernel divides by a multiplication and a shift; a
 * division would take it a hundred clocks before its first load. */
#ifndef PLUGINS_BANDS_H
#define PLUGINS_BANDS_H

#include <stdint.h>

#ifdef __CUDACC__
#define BANDS_FN static __host__ __device__ __forceinline__
#else
#define BANDS_FN static inline
#endif

/* A divisor by which divide() divides with a multiplication and a shift. Source: T. Granlund, P. L. Montgomery,
 * "Division by invariant integers using multiplication", PLDI 1994, figure 4.1. */
struct divisor {
  unsigned by, multiplier, shift;
};

/* Returns the divisor for divisions by `by`, which must be at least 1 and less than 2^31. */
BANDS_FN struct divisor divisor_of(unsigned by) {
  struct divisor d = {by, 0, 0};
  while ((uint64_t)1 << d.shift < by)
    ++d.shift;
  d.multiplier = (unsigned)(((((uint64_t)1 << d.shift) - by) << 32) / by + 1);
  return d;
}

/* Returns n / d.by, for n below 2^31. */
BANDS_FN unsigned divide(unsigned n, struct divisor d) {
  return ((unsigned)((uint64_t)n * d.multiplier >> 32) + n) >> d.shift;
}

struct bands {
  unsigned rows, columns;
  struct divisor height, last; /* rows of each band; rows of the last band, which may have fewer */
  struct divisor tiles;        /* tiles of a band */
};

struct bands_place {
  unsigned row, column;
};

/* Returns the bands of a grid. Each argument must be at least 1, and rows * columns and height * columns below 2^31. */
BANDS_FN struct bands bands_of(unsigned rows, unsigned columns, unsigned height) {
  const unsigned left = rows % height;
  const struct bands b = {rows, columns, divisor_of(height), divisor_of(left > 0 ? left : height),
                          divisor_of(height * columns)};
  return b;
}

BANDS_FN struct bands_place bands_at(const struct bands *b, unsigned number) {
  const unsigned band = divide(number, b->tiles), row0 = band * b->height.by, left = number - band * b->tiles.by;
  const struct divisor height = b->rows - row0 < b->height.by ? b->last : b->height;
  const unsigned column = divide(left, height);
  const struct bands_place place = {row0 + left - column * height.by, column};
  return place;
}

#endif

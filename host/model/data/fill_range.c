#include "model/data/fill_range.h"

#include "base/clones.h"

#define KNOWN static inline __attribute__((always_inline))

/* ---- Any type ---- */

/* range_of_kind() and range_of_type() are inlined, with all that they call, where `dtype` and `kind` are constants, so
 * that the compiler removes the branches on these. */
KNOWN void range_of_kind(const struct fill *like, uint32_t dtype, uint32_t kind, uint64_t first, uint64_t count,
                         void *storage) {
  struct fill fill = *like;
  fill.dtype = dtype;
  fill.kind = kind;
  const uint64_t key = rng_key(fill.seed, fill.stream);
  for (uint64_t i = 0; i < count; i++)
    fill_put(dtype, storage, i, fill_element(&fill, key, first + i));
}

KNOWN void range_of_type(const struct fill *fill, uint32_t dtype, uint64_t first, uint64_t count, void *storage) {
  if (fill->kind == GB_FILL_NORMAL)
    range_of_kind(fill, dtype, GB_FILL_NORMAL, first, count, storage);
  else
    range_of_kind(fill, dtype, GB_FILL_UNIFORM, first, count, storage);
}

/* ---- The usual float types, vectorised ---- */

/* A block of elements is filled by vector code without branches. That code is right for elements that are normal
 * numbers of their type and lie inside [a, b) after rounding. The few blocks with other elements are filled again by
 * range_of_kind(). */
enum { BLOCK = 64 };

/* The parameters by which a block is filled. */
struct line {
  uint64_t key;
  double start, width;
  uint64_t from, end; /* `a` and `b`, the limits of uniform values, converted by order_of_value() */
};

/* Converts an integer below 2^53 to float64 exactly. Its high 32 bits become low bits of the mantissa of 2^84, its low
 * 32 bits those of 2^52; any vector unit has the operations for that. */
KNOWN double whole(uint64_t number) {
  const double high = fill_double_of(number >> 32 | UINT64_C(0x453) << 52);
  const double low = fill_double_of((number & UINT64_C(0xFFFFFFFF)) | UINT64_C(0x433) << 52);
  return high - (19342813113834066795298816.0 + 4503599627370496.0) + low;
}

/* Returns start + width * unit with two roundings. The compiler does not fuse the operations, because none of our
 * compiler flags allows that. */
KNOWN double value_of(const struct line *line, uint32_t kind, uint64_t index) {
  const double unit = kind == GB_FILL_NORMAL
                          ? (whole(rng_sum4(line->key, index)) - 8589934590.0) * (1.7320508075688772 / 4294967296.0)
                          : whole(rng_bits(line->key, index) >> 11) * (1.0 / 9007199254740992.0);
  return line->start + line->width * unit;
}

/* Maps a float64, given by its magnitude bits and its sign (1 or 0), to an integer, such that a larger value gets a
 * larger integer, modulo 2^64. */
KNOWN uint64_t order_of(uint64_t magnitude, uint64_t negative) {
  return (magnitude ^ (0 - negative)) + negative;
}

KNOWN uint64_t order_of_value(double value) {
  return order_of(fill_bits_of(value) & (UINT64_MAX >> 1), fill_bits_of(value) >> 63);
}

/* Fills a block without branches. Returns false if one of the elements needs the slower code; the caller then fills the
 * block again. An element is compared with its limits by subtraction: a negative difference means that it lies beyond a
 * limit. `others` combines all differences by OR, so that its sign bit shows whether one of them is negative. No
 * difference overflows, because rounding moves a value beyond a limit by at most one step. */
KNOWN bool fill_block(struct line line, uint32_t dtype, uint32_t kind, uint64_t first, unsigned char *restrict to) {
  const int up = 52 - fill_mantissa(dtype), bias = (1 << (fill_exponent(dtype) - 1)) - 1;
  const uint64_t ahead = (uint64_t)(1023 - bias) << 52, least = ahead + (UINT64_C(1) << 52);
  uint64_t others = 0;
  for (uint64_t i = 0; i < BLOCK; i++) {
    const uint64_t bits = fill_bits_of(value_of(&line, kind, first + i));
    const uint64_t magnitude = bits & (UINT64_MAX >> 1), negative = bits >> 63;
    const uint64_t code = fill_round_shift(magnitude, up) - fill_ahead(dtype);
    const uint64_t rounded = order_of((code << up) + ahead, negative);
    others |= (magnitude - least) | (fill_infinity(dtype) - 1 - code);
    if (kind == GB_FILL_UNIFORM) others |= (rounded - line.from) | (line.end - 1 - rounded);
    fill_put(dtype, to, i, code | negative << fill_sign_shift(dtype));
  }
  return others >> 63 == 0;
}

KNOWN void blocks_of_kind(const struct fill *fill, uint32_t dtype, uint32_t kind, uint64_t first, uint64_t count,
                          void *storage) {
  const bool normal = kind == GB_FILL_NORMAL;
  const struct line line = {.key = rng_key(fill->seed, fill->stream),
                            .start = fill->a,
                            .width = normal ? fill->b : fill_clamp(fill->b - fill->a, 0, 1.7976931348623157e308),
                            .from = order_of_value(fill->a),
                            .end = order_of_value(fill->b)};
  unsigned char *to = (unsigned char *)storage;
  for (; count >= BLOCK && (normal || fill->a < fill->b); count -= BLOCK, first += BLOCK) {
    if (!fill_block(line, dtype, kind, first, to)) range_of_kind(fill, dtype, kind, first, BLOCK, to);
    to += BLOCK * fill_size(dtype);
  }
  range_of_kind(fill, dtype, kind, first, count, to);
}

KNOWN void blocks_of_type(const struct fill *fill, uint32_t dtype, uint64_t first, uint64_t count, void *storage) {
  if (fill->kind == GB_FILL_NORMAL)
    blocks_of_kind(fill, dtype, GB_FILL_NORMAL, first, count, storage);
  else
    blocks_of_kind(fill, dtype, GB_FILL_UNIFORM, first, count, storage);
}

CLONES __attribute__((flatten)) void fill_range(const struct fill *fill, uint64_t first, uint64_t count,
                                                void *storage) {
  switch (fill->dtype) {
    case GB_DTYPE_F64:
      range_of_type(fill, GB_DTYPE_F64, first, count, storage);
      break;
    case GB_DTYPE_F32:
      blocks_of_type(fill, GB_DTYPE_F32, first, count, storage);
      break;
    case GB_DTYPE_F16:
      blocks_of_type(fill, GB_DTYPE_F16, first, count, storage);
      break;
    case GB_DTYPE_BF16:
      blocks_of_type(fill, GB_DTYPE_BF16, first, count, storage);
      break;
    default:
      range_of_kind(fill, fill->dtype, fill->kind, first, count, storage);
  }
}

/* Computes the value of every element of a filled tensor, bit for bit the same on host and device. It uses integer
 * operations and exactly rounded steps that no compiler may fuse. Conversions between float64 and the storage types use
 * one integer algorithm, so they depend neither on the rounding mode nor on flush-to-zero. The functions do no I/O and
 * use no global state; they are compiled as C and as CUDA. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <gpubench/ext/tensor.h>
#include "base/rng.h"

/* How a tensor's storage is filled. The random bits come from base/rng.h. */
struct fill {
  uint32_t dtype, kind; /* GB_DTYPE_*, GB_FILL_* */
  double a, b;
  uint64_t seed, stream;
};

RNG_FUNCTION uint64_t fill_bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

RNG_FUNCTION double fill_double_of(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* fill_mantissa() returns how many bits a float type's mantissa has when it is stored, 0 for other types;
 * fill_exponent() returns how many its exponent has. */
RNG_FUNCTION int fill_mantissa(uint32_t dtype) {
  return dtype == GB_DTYPE_F64    ? 52
         : dtype == GB_DTYPE_F32  ? 23
         : dtype == GB_DTYPE_F16  ? 10
         : dtype == GB_DTYPE_BF16 ? 7
         : dtype == GB_DTYPE_E4M3 ? 3
                                  : 0;
}

RNG_FUNCTION int fill_exponent(uint32_t dtype) {
  return dtype == GB_DTYPE_F64 ? 11 : dtype == GB_DTYPE_F16 ? 5 : dtype == GB_DTYPE_E4M3 ? 4 : 8;
}

/* Returns the code (the bits of a stored value) of infinity in a float type. All smaller codes are finite magnitudes.
 * e4m3 has no infinity: for it the code of its only NaN is returned. */
RNG_FUNCTION uint64_t fill_infinity(uint32_t dtype) {
  if (dtype == GB_DTYPE_E4M3) return 0x7F;
  return ((UINT64_C(1) << fill_exponent(dtype)) - 1) << fill_mantissa(dtype);
}

RNG_FUNCTION int fill_sign_shift(uint32_t dtype) {
  return fill_mantissa(dtype) + fill_exponent(dtype);
}

/* Returns `full` >> `shift`, rounded to nearest, ties to even; 1 <= shift <= 63. A branch would be mispredicted half of
 * the time, so there is none. */
RNG_FUNCTION uint64_t fill_round_shift(uint64_t full, int shift) {
  return (full + (UINT64_C(1) << (shift - 1)) - 1 + (full >> shift & 1)) >> shift;
}

/* Returns the difference between the exponent biases of float64 and the type `dtype`, shifted to the position of the
 * exponent in a code of that type. */
RNG_FUNCTION uint64_t fill_ahead(uint32_t dtype) {
  return (uint64_t)(1024 - (1 << (fill_exponent(dtype) - 1))) << fill_mantissa(dtype);
}

/* Converts float64 to a float type's code, rounding to nearest even. A value that is too large becomes infinity, in
 * e4m3 NaN. */
RNG_FUNCTION uint64_t fill_encode(uint32_t dtype, double value) {
  uint64_t bits = fill_bits_of(value), infinity = fill_infinity(dtype);
  if (dtype == GB_DTYPE_F64) return bits;
  int mantissa = fill_mantissa(dtype), bias = (1 << (fill_exponent(dtype) - 1)) - 1;
  uint64_t sign = (bits >> 63) << fill_sign_shift(dtype), low = bits & ((UINT64_C(1) << 52) - 1);
  int raw = (int)(bits >> 52 & 0x7FF), exponent = raw - 1023 + bias;
  if (raw == 0x7FF) return sign | infinity | (low != 0 ? UINT64_C(1) << (mantissa - 1) : 0);
  if (exponent >=
      1) { /* exponent and mantissa are rounded as one number, so a carry out of the mantissa increments the exponent */
    uint64_t code = fill_round_shift(bits & (UINT64_MAX >> 1), 52 - mantissa) - fill_ahead(dtype);
    return sign | (code > infinity ? infinity : code);
  }
  int shift = 53 - mantissa - exponent;
  if (raw == 0 || shift > 53) return sign; /* below half of the smallest subnormal */
  return sign | fill_round_shift(low | UINT64_C(1) << 52, shift);
}

/* Converts a float type's code to float64, exactly. It has no branches, so that it is vectorised if the type is
 * constant. */
RNG_FUNCTION double fill_decode(uint32_t dtype, uint64_t code) {
  if (dtype == GB_DTYPE_F64) return fill_double_of(code);
  int mantissa = fill_mantissa(dtype), bias = (1 << (fill_exponent(dtype) - 1)) - 1, up = 52 - mantissa;
  uint64_t sign = (code >> fill_sign_shift(dtype) & 1) << 63, low = code & ((UINT64_C(1) << mantissa) - 1);
  uint64_t magnitude = code & ((UINT64_C(1) << fill_sign_shift(dtype)) - 1);
  uint64_t normal = (magnitude << up) + ((uint64_t)(1023 - bias) << 52), special = UINT64_C(0x7FF) << 52 | low << up;
  uint64_t subnormal = fill_bits_of((int32_t)low * fill_double_of((uint64_t)(1024 - bias - mantissa) << 52));
  uint64_t bits = magnitude >= fill_infinity(dtype) ? special : magnitude >> mantissa != 0 ? normal : subnormal;
  return fill_double_of(sign | bits);
}

/* Returns the code of the neighbouring value above (or below) a finite one. */
RNG_FUNCTION uint64_t fill_step(uint32_t dtype, uint64_t code, bool up) {
  uint64_t sign = UINT64_C(1) << fill_sign_shift(dtype);
  if ((code & ~sign) == 0) return up ? 1 : sign | 1;
  return ((code & sign) == 0) == up ? code + 1 : code - 1;
}

/* Returns a + b x with two roundings. A fused multiply-add would give other bits on hardware that has one. */
RNG_FUNCTION double fill_affine(double a, double b, double x) {
#if defined(__CUDA_ARCH__)
  return __dadd_rn(a, __dmul_rn(b, x));
#else
  double product = b * x;
#if defined(__x86_64__)
  __asm__("" : "+x"(product));
#elif defined(__aarch64__)
  __asm__("" : "+w"(product));
#else
  __asm__("" : "+m"(product));
#endif
  return a + product;
#endif
}

RNG_FUNCTION double fill_clamp(double value, double low, double high) {
  return value < low ? low : value > high ? high : value;
}

/* Approximates a standard normal variable by the sum of four uniform 32-bit numbers. Subtracts the mean of such a sum,
 * 2^33 - 2, and divides by its standard deviation, 2^32 / sqrt(3). The result lies within +-3.47. */
RNG_FUNCTION double fill_normal(uint64_t key, uint64_t index) {
  int64_t centred = (int64_t)rng_sum4(key, index) - INT64_C(0x1FFFFFFFE);
  return (double)centred * (1.7320508075688772 / 4294967296.0);
}

RNG_FUNCTION double fill_integer(const struct fill *fill, uint64_t key, uint64_t index) {
  double least = fill->dtype == GB_DTYPE_U8 ? 0 : -2147483648.0, most = fill->dtype == GB_DTYPE_U8 ? 255 : 2147483647.0;
  if (fill->kind == GB_FILL_NORMAL)
    return fill_clamp(floor(fill_affine(fill->a, fill->b, fill_normal(key, index)) + 0.5), least, most);
  double low = fill_clamp(ceil(fill->a), least, most), end = fill_clamp(ceil(fill->b), least, most + 1);
  return end > low ? low + (double)(rng_bits(key, index) % (uint64_t)(end - low)) : low;
}

/* Returns the code of the value of the storage type that is nearest to `value`. If rounding leaves the interval [a, b)
 * of a uniform fill, returns the neighbour inside it. If the type has no value in [a, b), returns a value next to the
 * interval. Never returns an infinity or NaN. */
RNG_FUNCTION uint64_t fill_inside(const struct fill *fill, double value) {
  uint64_t code = fill_encode(fill->dtype, value), sign = code >> fill_sign_shift(fill->dtype)
                                                                      << fill_sign_shift(fill->dtype);
  if ((code ^ sign) == fill_infinity(fill->dtype)) code--; /* infinity becomes the largest finite value */
  if (fill->kind != GB_FILL_UNIFORM) return code;
  double rounded = fill_decode(fill->dtype, code);
  if (rounded >= fill->a && rounded < fill->b) return code;
  uint64_t next = fill_step(fill->dtype, code, rounded < fill->a);
  return (next ^ sign) == fill_infinity(fill->dtype) ? code : next;
}

/* Returns the code of element `index` of a float type. */
RNG_FUNCTION uint64_t fill_float(const struct fill *fill, uint64_t key, uint64_t index) {
  if (fill->kind == GB_FILL_NORMAL) return fill_inside(fill, fill_affine(fill->a, fill->b, fill_normal(key, index)));
  double width = fill_clamp(fill->b - fill->a, 0, 1.7976931348623157e308);
  double unit = (double)(int64_t)(rng_bits(key, index) >> 11) * (1.0 / 9007199254740992.0);
  return fill_inside(fill, fill_affine(fill->a, width, unit));
}

/* Returns the code of `value` in the storage type, rounded to nearest even. For integer types, values outside of the
 * range become its nearest end, and NaN becomes 0. */
RNG_FUNCTION uint64_t fill_code(uint32_t dtype, double value) {
  if (fill_mantissa(dtype) != 0) return fill_encode(dtype, value);
  if (!(value == value)) return 0;
  if (dtype == GB_DTYPE_U8) return (uint64_t)fill_clamp(rint(value), 0, 255);
  return (uint64_t)(int64_t)fill_clamp(rint(value), -2147483648.0, 2147483647.0);
}

RNG_FUNCTION size_t fill_size(uint32_t dtype) {
  switch (dtype) {
    case GB_DTYPE_F64:
      return 8;
    case GB_DTYPE_F32:
    case GB_DTYPE_I32:
      return 4;
    case GB_DTYPE_F16:
    case GB_DTYPE_BF16:
      return 2;
    case GB_DTYPE_U8:
    case GB_DTYPE_E4M3:
      return 1;
    default:
      return 0;
  }
}

/* Stores `code` as element `index`. `storage` needs no alignment; a device writes aligned elements in one store. */
RNG_FUNCTION void fill_put(uint32_t dtype, void *storage, uint64_t index, uint64_t code) {
  size_t size = fill_size(dtype);
  unsigned char *to = (unsigned char *)storage + index * size;
  uint32_t code32 = (uint32_t)code;
  uint16_t code16 = (uint16_t)code;
#if defined(__CUDA_ARCH__)
  bool aligned = ((uintptr_t)to & (size - 1)) == 0;
  if (aligned && size == 8) *(uint64_t *)to = code;
  if (aligned && size == 4) *(uint32_t *)to = code32;
  if (aligned && size == 2) *(uint16_t *)to = code16;
  if (aligned && size > 1) return;
#endif
  if (size == 8) memcpy(to, &code, 8);
  if (size == 4) memcpy(to, &code32, 4);
  if (size == 2) memcpy(to, &code16, 2);
  if (size == 1) *to = (unsigned char)code;
}

RNG_FUNCTION void fill_store(uint32_t dtype, void *storage, uint64_t index, double value) {
  fill_put(dtype, storage, index, fill_code(dtype, value));
}

/* Returns the code of element `index`, a finite value of the storage's type; `key` is rng_key(fill->seed,
 * fill->stream). A value that would overflow becomes the largest one. */
RNG_FUNCTION uint64_t fill_element(const struct fill *fill, uint64_t key, uint64_t index) {
  return fill_mantissa(fill->dtype) != 0 ? fill_float(fill, key, index)
                                         : fill_code(fill->dtype, fill_integer(fill, key, index));
}

RNG_FUNCTION double fill_value(const struct fill *fill, uint64_t key, uint64_t index) {
  return fill_mantissa(fill->dtype) != 0 ? fill_decode(fill->dtype, fill_float(fill, key, index))
                                         : fill_integer(fill, key, index);
}

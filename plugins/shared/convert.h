/* Conversions between float and bf16 or fp16, and from e4m3 to float. They have no branch, so that the compiler can
 * vectorise a loop that calls them. */
#ifndef PLUGINS_CONVERT_H
#define PLUGINS_CONVERT_H

#include <stdint.h>
#include <string.h>

#include "hot.h"

INLINE float bits_to_float(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

INLINE uint32_t float_to_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

INLINE float from_bf16(uint16_t code) {
  return bits_to_float((uint32_t)code << 16);
}

INLINE uint16_t to_bf16(float value) {
  const uint32_t bits = float_to_bits(value);
  const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  return (uint16_t)(value == value ? rounded : 0x7fc0u); /* rounding could carry a NaN into infinity */
}

/* Converts fp16 to float. If the exponent and mantissa bits of the fp16 number are moved to the same fields of a float,
 * that float is the value times 2^-112, also for subnormal values. */
INLINE float from_fp16(uint16_t code) {
  const uint32_t magnitude = (uint32_t)(code & 0x7fffu) << 13, sign = (uint32_t)(code & 0x8000u) << 16;
  const float scaled = bits_to_float(magnitude) * 0x1p112f;
  const uint32_t bits = magnitude >= 0x0f800000u ? magnitude | 0x7f800000u : float_to_bits(scaled); /* infinity, NaN */
  return bits_to_float(bits | sign);
}

/* Converts e4m3 to float, like from_fp16(), but with a factor of 2^-120; e4m3 has NaN but no infinities. */
INLINE float from_e4m3(uint8_t code) {
  const uint32_t magnitude = code & 0x7fu, bits = float_to_bits(bits_to_float(magnitude << 20) * 0x1p120f);
  return bits_to_float((magnitude == 0x7fu ? bits | 0x7f800000u : bits) | (code & 0x80u) << 24);
}

/* Converts to fp16, rounded to nearest even. For subnormal results, adding 0.5 rounds, because the last bit of the sum
 * is worth 2^-24, fp16's smallest number; other results are rounded on their bits, as in to_bf16(). */
INLINE uint16_t to_fp16(float value) {
  const uint32_t bits = float_to_bits(value), magnitude = bits & 0x7fffffffu;
  const uint32_t small = float_to_bits(bits_to_float(magnitude) + 0.5f) - 0x3f000000u;
  const uint32_t normal = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  const uint32_t finite = magnitude < 0x38800000u ? small : normal;
  const uint32_t large = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
  return (uint16_t)((magnitude >= 0x477ff000u ? large : finite) | (bits >> 16 & 0x8000u));
}

#endif

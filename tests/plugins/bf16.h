/* Conversion of bf16 for the test plugins. bf16 is the upper half of a float, rounded to nearest even. The input must
 * not be NaN. */
#ifndef BF16_H
#define BF16_H

#include <stdint.h>
#include <string.h>

static inline float from_bf16(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

static inline uint16_t to_bf16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

#endif

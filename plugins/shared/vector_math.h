/* For CPU loops over floats that the compiler should vectorise: compiler options for the rest of the including file,
 * prefetching, and 2^z. */
#ifndef PLUGINS_VECTOR_MATH_H
#define PLUGINS_VECTOR_MATH_H

#include "convert.h"

/* Allows a * b + c as one instruction, which -ffp-contract=off forbids, and a choice between two floats without a
 * branch: by default gcc without AVX-512 keeps the branch and a scalar loop, because computing the value that is not
 * chosen might raise a floating-point flag. Nothing here reads these flags. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT ON
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=fast", "no-trapping-math")
#endif

/* Prefetches `bytes` bytes. The address need not be valid. */
INLINE void fetch_ahead(const void *from, int bytes) {
  for (int i = 0; i < bytes; i += 64)
    __builtin_prefetch((const char *)from + i);
}

/* Returns 2^z for z <= 128 with a relative error of 2e-9 before rounding. The result is 0 below -126.5, infinity above
 * 127.5, and NaN for NaN. z is split into an integer from -127 to 128 and a rest r with |r| <= 1/2. The integer is
 * found by adding round_shift: it is in the low bits of the sum, and becomes the exponent of the result, where -127
 * gives 0 and 128 infinity. A minimax polynomial computes 2^r. This replaces exp2f() of libm, which does not
 * vectorise. */
INLINE float exp2_fast(float z) {
  const float round_shift = 12582912.0f; /* 1.5 * 2^23 */
  const float t = z < -127.0f ? -127.0f : z;
  const float shifted = t + round_shift;
  const float r = t - (shifted - round_shift);
  float p = 1.53458119e-04f;
  p = p * r + 1.33999316e-03f;
  p = p * r + 9.61848896e-03f;
  p = p * r + 5.55032878e-02f;
  p = p * r + 2.40226469e-01f;
  p = p * r + 6.93147206e-01f;
  p = p * r + 1.0f;
  return p * bits_to_float((float_to_bits(shifted) << 23) + 0x3f800000u);
}

#endif

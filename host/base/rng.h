/* Counter-based random numbers: the number at any index can be computed directly, with the same bits on host and
 * device. Uses only integer operations and exactly rounded steps (no fused multiply-add), so nothing depends on the
 * compiler. No side effects; compiled as C and as CUDA. */
#pragma once

#include <stdint.h>

#if defined(__CUDACC__)
#define RNG_FUNCTION static __host__ __device__ __forceinline__
#else
#define RNG_FUNCTION static inline __attribute__((unused))
#endif

/* Mixes the bits of a number: the finaliser of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
 * generators, OOPSLA 2014). */
RNG_FUNCTION uint64_t rng_mix(uint64_t z) {
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

/* Hashes a text to a stream number (FNV-1a). */
RNG_FUNCTION uint64_t rng_text(const char *text) {
  uint64_t sum = UINT64_C(0xCBF29CE484222325);
  for (; *text != '\0'; text++)
    sum = (sum ^ (unsigned char)*text) * UINT64_C(0x100000001B3);
  return sum;
}

/* Returns the key of a stream of random numbers. Seed and stream number are hashed in two steps, so that neighbouring
 * numbers give unrelated streams. */
RNG_FUNCTION uint64_t rng_key(uint64_t seed, uint64_t stream) {
  return rng_mix(rng_mix(seed + UINT64_C(0x9E3779B97F4A7C15)) + stream * UINT64_C(0xD1B54A32D192ED03) + 1);
}

/* Returns the 64 random bits at position `index` of the stream of random numbers with this key. */
RNG_FUNCTION uint64_t rng_bits(uint64_t key, uint64_t index) {
  return rng_mix(key + (index + 1) * UINT64_C(0x9E3779B97F4A7C15));
}

/* Returns a number from 0 to below 1. */
RNG_FUNCTION double rng_share(uint64_t key, uint64_t index) {
  return (double)(int64_t)(rng_bits(key, index) >> 11) * (1.0 / 9007199254740992.0);
}

/* Returns the sum of four uniform 32-bit numbers: from 0 to 2^34 - 4, with variance 4 * (2^64 - 1) / 12. */
RNG_FUNCTION uint64_t rng_sum4(uint64_t key, uint64_t index) {
  uint64_t x = rng_bits(key, 2 * index), y = rng_bits(key, 2 * index + 1);
  return (x >> 32) + (x & UINT64_C(0xFFFFFFFF)) + (y >> 32) + (y & UINT64_C(0xFFFFFFFF));
}

/* gb.rng/1: the host's counter-based random numbers, for sampling and for data outside tensors. */
#ifndef GPUBENCH_EXT_RNG_H
#define GPUBENCH_EXT_RNG_H

#include "../gpubench.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GB_EXT_RNG "gb.rng/1"

/* The host gives this table to plugins; it is frozen. The functions are pure: the same arguments give the same bits on
 * every machine. Since 1.0. */
typedef struct gb_rng_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* Returns 64 random bits for (seed, stream, index). May be called at any time [any-thread]. The algorithm is
   * SplitMix64 by counter, all modulo 2^64:
   *   mix(z):  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;  z = (z ^ z >> 27) * 0x94D049BB133111EB;  z ^ z >> 31
   *   key  = mix(mix(seed + G) + stream * 0xD1B54A32D192ED03 + 1),  G = 0x9E3779B97F4A7C15
   *   bits = mix(key + (index + 1) * G) */
  uint64_t (*bits)(uint64_t seed, uint64_t stream, uint64_t index);

  /* Returns an integer in [0, bound); `bound` is at least 1. May be called at any time [any-thread]. The result
   * is the upper 64 of the 128 bits of bits(seed, stream, index) * bound. */
  uint64_t (*below)(uint64_t seed, uint64_t stream, uint64_t index, uint64_t bound);
} gb_rng_ext;

#ifdef __cplusplus
}
#endif
#endif

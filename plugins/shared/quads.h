/* Vectors of four 32-bit words, which every 64-bit machine has, and their transposition; for HOT functions (hot.h). */
#ifndef PLUGINS_QUADS_H
#define PLUGINS_QUADS_H

#include <stdint.h>
#include <string.h>

#include "hot.h"

typedef float quad __attribute__((vector_size(4 * sizeof(float))));
#ifdef __clang__
#define PICK(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#else
typedef int32_t quad_mask __attribute__((vector_size(4 * sizeof(int32_t))));
#define PICK(x, y, ...) __builtin_shuffle(x, y, (quad_mask){__VA_ARGS__})
#endif

INLINE quad load_quad(const char *from, int64_t word) {
  quad value;
  memcpy(&value, from + word * (int64_t)sizeof(float), sizeof value);
  return value;
}

INLINE void store_quad(float *to, quad value) {
  memcpy(to, &value, sizeof value);
}

/* Transposes four rows of `count` words, a multiple of 4, to four columns of an array [count][lanes]. */
INLINE void transpose_quads(float *to, const char *const *from, int64_t count, int lanes) {
  for (int64_t i = 0; i < count; i += 4, to += 4 * lanes) {
    const quad r0 = load_quad(from[0], i), r1 = load_quad(from[1], i);
    const quad r2 = load_quad(from[2], i), r3 = load_quad(from[3], i);
    const quad low01 = PICK(r0, r1, 0, 4, 1, 5), low23 = PICK(r2, r3, 0, 4, 1, 5);
    const quad high01 = PICK(r0, r1, 2, 6, 3, 7), high23 = PICK(r2, r3, 2, 6, 3, 7);
    store_quad(to, PICK(low01, low23, 0, 1, 4, 5));
    store_quad(to + lanes, PICK(low01, low23, 2, 3, 6, 7));
    store_quad(to + 2 * lanes, PICK(high01, high23, 0, 1, 4, 5));
    store_quad(to + 3 * lanes, PICK(high01, high23, 2, 3, 6, 7));
  }
}

#endif

/* A kernel of cpu_kernels.c, included once per instruction set, because only functions built for an instruction set may
 * use its vectors. The including file defines NAME (of the function), TARGET (a target attribute or nothing), LANES
 * (floats in a vector), VECTORS (vectors in a row of sums), ROWS (rows of sums) and ADD_PRODUCT(sum, left, right),
 * which adds left * right to `sum` for a number `left` and a vector `right`. With AVX2 or AVX-512, ADD_PRODUCT is
 * inline assembly: from a plain expression gcc makes code that moves the sums between registers and the stack. Sums
 * stay in registers for all of `depth`; each element of a's panel is broadcast to a vector, b is read in whole
 * vectors. */
TARGET static void NAME(float *c, const float *a, const float *b, int64_t depth) {
  typedef float vector __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float)), may_alias));
  vector sum[ROWS * VECTORS];
#pragma GCC unroll 32
  for (int i = 0; i < ROWS * VECTORS; i++)
    sum[i] = (vector){0};
  for (int i = 0; i < ROWS * VECTORS * LANES; i += 16) /* prefetches c now, because it is used only after the loop */
    __builtin_prefetch(c + i, 1);
  for (const float *end = a + depth * ROWS; a < end; a += ROWS * CHUNK) {
#pragma GCC unroll 4
    for (int u = 0; u < CHUNK; u++, b += VECTORS * LANES) {
#pragma GCC unroll 32
      for (int i = 0; i < ROWS; i++) {
#pragma GCC unroll 4
        for (int v = 0; v < VECTORS; v++) {
          ADD_PRODUCT(sum[i * VECTORS + v], a[i * CHUNK + u], ((const vector *)b)[v]);
        }
      }
    }
  }
#pragma GCC unroll 32
  for (int i = 0; i < ROWS * VECTORS; i++)
    ((vector *)c)[i] += sum[i];
}
#undef ADD_PRODUCT
#undef NAME
#undef TARGET
#undef LANES
#undef VECTORS
#undef ROWS

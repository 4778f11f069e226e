/* One kernel of cpu_kernels.c for each inclusion, so that an instruction set's own vectors are seen by functions built
 * for it alone: NAME, TARGET (an attribute or nothing), LANES of a vector, VECTORS in a row of sums, ROWS of them. Sums
 * stay in registers for all of `depth`; of a panel of `a` each element is spread over a vector, of `b` whole vectors
 * are read. ADD_PRODUCT(sum, left, right) with left a number, right a vector: an instruction by name where gcc, left to
 * itself, has sums wander between registers and over the stack. */
TARGET static void NAME(float *c, const float *a, const float *b, int64_t depth) {
  typedef float vector __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float)), may_alias));
  vector sum[ROWS * VECTORS];
#pragma GCC unroll 32
  for (int i = 0; i < ROWS * VECTORS; i++)
    sum[i] = (vector){0};
  for (int i = 0; i < ROWS * VECTORS * LANES; i += 16) /* it is not read before the end */
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

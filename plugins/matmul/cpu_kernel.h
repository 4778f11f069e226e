/* One kernel of cpu_kernels.c for each inclusion, so that an instruction set's own vectors are seen by functions built for
 * it alone: NAME, TARGET (an attribute or nothing), LANES of a vector, VECTORS in a row of sums, ROWS of them. Sums stay in
 * registers for all of `depth`; of a panel of `a` each element is spread over a vector, of `b` whole vectors are read.
 * KEEP, nothing or an asm with nothing in it, says that a sum is where it stays: without it gcc 12 has them wander between
 * registers, and one of them over the stack. */
#ifdef __clang__
#define UNROLLED _Pragma("unroll")
#else
#define UNROLLED _Pragma("GCC unroll 16")
#endif
TARGET static void NAME(float *c, const float *a, const float *b, int64_t depth) {
  typedef float vector __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float)), may_alias));
  vector sum[ROWS][VECTORS];
  UNROLLED for (int i = 0; i < ROWS; i++)
    UNROLLED for (int v = 0; v < VECTORS; v++)
      sum[i][v] = (vector){0};
  for (int i = 0; i < ROWS * VECTORS * LANES; i += 16) /* it is not read before the end */
    __builtin_prefetch(c + i, 1);
  for (const float *end = a + depth * ROWS; a < end; a += ROWS * CHUNK, b += CHUNK * VECTORS * LANES)
    UNROLLED for (int u = 0; u < CHUNK; u++) {
      vector right[VECTORS];
      UNROLLED for (int v = 0; v < VECTORS; v++)
        right[v] = *(const vector *)(b + (u * VECTORS + v) * LANES);
      UNROLLED for (int i = 0; i < ROWS; i++)
        UNROLLED for (int v = 0; v < VECTORS; v++)
        {
          sum[i][v] += a[i * CHUNK + u] * right[v];
          KEEP(sum[i][v]);
        }
    }
  UNROLLED for (int i = 0; i < ROWS; i++)
    UNROLLED for (int v = 0; v < VECTORS; v++)
      *(vector *)(c + (i * VECTORS + v) * LANES) += sum[i][v];
}
#undef UNROLLED
#undef KEEP
#undef NAME
#undef TARGET
#undef LANES
#undef VECTORS
#undef ROWS

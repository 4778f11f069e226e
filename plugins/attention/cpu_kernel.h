/* The kernels of cpu_kernels.c for one instruction set; their vectors are used only in functions that are built for
 * that set. The including file defines NAME(function), TARGET (an attribute or nothing), FLOATS (floats in a vector),
 * VECTORS (vectors in a row of sums), and ADD_PRODUCT(sum, left, right), which adds left * right to `sum` for a
 * number `left` and a vector `right`. With AVX2 or AVX-512 it is written as inline assembly: from a plain expression
 * gcc makes code that moves the sums between registers and through the stack. */

/* Computes c = a * b, or c += a * b if p->keep, for GROUP rows of `a` and VECTORS vectors of columns. The sums stay in
 * registers for all of `depth`. */
TARGET static void NAME(multiply)(const struct product *p, float *c, const float *a, const float *b, int depth) {
  typedef float vector __attribute__((vector_size(FLOATS * sizeof(float)), aligned(sizeof(float)), may_alias));
  const ptrdiff_t c_pitch = p->c_pitch, a_pitch = p->a_pitch, b_pitch = p->b_pitch, b_panel = p->b_panel;
  vector sum[GROUP * VECTORS];
#pragma GCC unroll 32
  for (int i = 0; i < GROUP * VECTORS; ++i)
    sum[i] = p->keep ? ((vector *)(c + i / VECTORS * c_pitch))[i % VECTORS] : (vector){0};
#pragma GCC unroll 4
  for (int k = 0; k < depth; ++k, b += b_pitch) {
#pragma GCC unroll 32
    for (int i = 0; i < GROUP * VECTORS; ++i) {
      const int row = i / VECTORS, column = i % VECTORS * FLOATS;
      ADD_PRODUCT(sum[i], a[row * a_pitch + k], *(const vector *)(b + column / WIDTH * b_panel + column % WIDTH));
    }
  }
#pragma GCC unroll 32
  for (int i = 0; i < GROUP * VECTORS; ++i)
    ((vector *)(c + i / VECTORS * c_pitch))[i % VECTORS] = sum[i];
}

/* attention_cpu_soften() for this instruction set. Computes the maximum in explicit vectors, because compilers may not
 * reorder float maxima and would use a scalar loop. */
TARGET static float NAME(soften)(float *row, int first, int end, int width, float *largest) {
  typedef float vector __attribute__((vector_size(FLOATS * sizeof(float)), aligned(sizeof(float)), may_alias));
  typedef int32_t mask __attribute__((vector_size(FLOATS * sizeof(int32_t))));
  if (first >= end) {
    fill_row(row, 0, width, 0.0f);
    return 0.0f;
  }
  fill_row(row, 0, first, -INFINITY);
  fill_row(row, end, width, -INFINITY);
  vector tops = *(const vector *)row;
  for (int j = FLOATS; j < width; j += FLOATS) {
    const vector next = *(const vector *)(row + j);
    const mask larger = next > tops;
    tops = (vector)(((mask)next & larger) | ((mask)tops & ~larger));
  }
  for (int i = 0; i < FLOATS; ++i)
    *largest = tops[i] > *largest ? tops[i] : *largest;
  const float sum = raise_row(row, width, *largest);
  fill_row(row, 0, first, 0.0f);
  fill_row(row, end, width, 0.0f);
  return sum;
}

TARGET static void NAME(weigh)(float *scores, float *dp, int count, const float *lse, const float *delta, bool each) {
  if (each)
    weigh_row(scores, dp, count, lse, delta, 1);
  else
    weigh_row(scores, dp, count, lse, delta, 0);
}

static const struct kernels NAME(kernels) = {FLOATS * VECTORS, NAME(multiply), NAME(soften), NAME(weigh)};

#undef ADD_PRODUCT
#undef NAME
#undef TARGET
#undef FLOATS
#undef VECTORS

/* A kernel of cpu_flash_kernels.c for one instruction set; its vectors are used only in functions that are built for
 * that set. The including file defines NAME(function), TARGET (an attribute or nothing), FLOATS (floats in a vector),
 * VECTORS (vectors in a row of a panel), ROWS (rows of sums in registers, a divisor of 64), LARGER(x, y), which is y if
 * one of them is NaN, and ADD_PRODUCT(sum, left, right), which adds left * right to `sum` for a number `left` and a
 * vector `right`. With AVX2 or AVX-512 it is written as inline assembly: from a plain expression gcc makes code that
 * moves the sums between registers and through the stack. */

typedef float NAME(vector) __attribute__((vector_size(FLOATS * sizeof(float)), aligned(sizeof(float)), may_alias));
/* The type of arguments and results: gcc 14 for aarch64 fails on arguments of a type with a declared alignment. */
typedef float NAME(value) __attribute__((vector_size(FLOATS * sizeof(float))));
typedef int32_t NAME(whole) __attribute__((vector_size(FLOATS * sizeof(int32_t)), aligned(sizeof(int32_t)), may_alias));

/* Computes sum[rows][] += a b, without the first `skipped` vectors of each row. a_row and a_depth are the distances
 * between the elements of `a` along its rows and along the depth. */
TARGET INLINE void NAME(add)(NAME(vector) * sum, int skipped, int rows, const float *a, ptrdiff_t a_row,
                             ptrdiff_t a_depth, const float *b, int depth) {
  for (int k = 0; k < depth; ++k, a += a_depth, b += FLOATS * VECTORS) {
#pragma GCC unroll 32
    for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 3
      for (int j = skipped; j < VECTORS; ++j)
        ADD_PRODUCT(sum[i * VECTORS + j], a[i * a_row], ((const NAME(vector) *)b)[j]);
    }
  }
}

TARGET INLINE void NAME(score_rows)(const struct flash_step *s, int skipped, int rows, int key) {
  NAME(vector) *to = (NAME(vector) *)s->weights + key * VECTORS, sum[ROWS * VECTORS];
#pragma GCC unroll 32
  for (int i = 0; i < rows * VECTORS; ++i)
    sum[i] = (NAME(vector)){0};
  NAME(add)(sum, skipped, rows, s->k + (ptrdiff_t)key * s->d, s->d, 1, s->q, s->d);
#pragma GCC unroll 32
  for (int i = 0; i < rows * VECTORS; ++i)
    to[i] = sum[i];
}

/* Returns the end of the keys of this block that any query of vector number `vector` sees. */
TARGET INLINE int NAME(end_of)(const struct flash_step *s, int vector) {
  const int end = s->end[(vector + 1) * FLOATS - 1];
  return vector + 1 == VECTORS || end > s->keys ? s->keys : end < 0 ? 0 : end;
}

TARGET static void NAME(score)(const struct flash_step *s) {
  int key = 0;
  for (; key + ROWS <= s->keys; key += ROWS) {
    fetch_ahead(s->ahead);
    if (key < NAME(end_of)(s, 0))
      NAME(score_rows)(s, 0, ROWS, key);
    else if (VECTORS < 3 || key < NAME(end_of)(s, 1))
      NAME(score_rows)(s, 1, ROWS, key);
    else
      NAME(score_rows)(s, 2, ROWS, key);
  }
  for (; key < s->keys; ++key)
    NAME(score_rows)(s, 0, 1, key);
}

/* Sets scores of keys `from` to `to` - 1 to `value` for the queries that do not see them. */
TARGET static void NAME(hide)(const struct flash_step *s, int from, int to, float value) {
  for (int key = from; key < to; ++key)
    for (int j = 0; j < VECTORS; ++j) {
      NAME(whole) *score = (NAME(whole) *)(s->weights + (key * VECTORS + j) * FLOATS);
      const NAME(whole) first = ((const NAME(whole) *)s->first)[j], end = ((const NAME(whole) *)s->end)[j];
      const NAME(whole) seen = (first <= key) & (end > key);
      const NAME(vector) other = value + (NAME(vector)){0};
      *score = (*score & seen) | ((NAME(whole))other & ~seen);
    }
}

TARGET static void NAME(hide_all)(const struct flash_step *s, float value) {
  if (s->all_end <= s->all_first) {
    NAME(hide)(s, 0, s->keys, value);
  } else {
    NAME(hide)(s, 0, s->all_first, value);
    NAME(hide)(s, s->all_end, s->keys, value);
  }
}

/* Returns 2^x for x up to 0, to two units in the last place; for x below -126 the smallest normal number. The
 * polynomial is minimax in relative error on |r| <= 1/2 with its first term fixed. */
TARGET INLINE NAME(value) NAME(power)(NAME(value) x) {
  x = LARGER(-126.0f + (NAME(vector)){0}, x);
  const NAME(vector) shifted = x + 12582912.0f; /* the low bits of the sum are the integer nearest to x */
  const NAME(vector) r = x - (shifted - 12582912.0f);
  NAME(vector) y = 0.001326472614891827f * r + 0.009671512991189957f;
  y = y * r + 0.05550733581185341f;
  y = y * r + 0.24022242426872253f;
  y = y * r + 0.6931470036506653f;
  y = y * r + 1.0f;
  return (NAME(value))((NAME(whole))y + ((NAME(whole))shifted << 23));
}

/* Turns the scores of a vector's queries into weights relative to the largest score so far. Returns the factor by which
 * sums and outputs of earlier blocks must be multiplied. */
TARGET INLINE NAME(value) NAME(weigh)(const struct flash_step *s, int vector) {
  NAME(vector) *rows = (NAME(vector) *)s->weights + vector, *largest = (NAME(vector) *)s->largest + vector;
  NAME(vector) top = rows[0], sum = {0};
  const NAME(vector) scale = s->scale + (NAME(vector)){0};
  const int keys = s->keys;
  for (int key = 1; key < keys; ++key)
    top = LARGER(top, rows[key * VECTORS]);
  top = LARGER(*largest, top * scale);
  for (int key = 0; key < keys; ++key) {
    const NAME(vector) weight = NAME(power)(rows[key * VECTORS] * scale - top);
    rows[key * VECTORS] = weight;
    sum += weight;
  }
  const NAME(vector) factor = NAME(power)(*largest - top);
  *largest = top;
  ((NAME(vector) *)s->sum)[vector] = ((NAME(vector) *)s->sum)[vector] * factor + sum;
  return factor;
}

/* Adds the values, multiplied by their weights, to ROWS columns of the outputs from column `column` on. */
TARGET static void NAME(add_values)(const struct flash_step *s, int column, const NAME(vector) * factor) {
  const int columns = FLOATS * VECTORS;
  NAME(vector) *to = (NAME(vector) *)s->o + column * VECTORS, sum[ROWS * VECTORS];
#pragma GCC unroll 32
  for (int i = 0; i < ROWS * VECTORS; ++i) {
    sum[i] = (NAME(vector)){0};
    if (!s->begins) sum[i] = to[i] * factor[i % VECTORS];
  }
  const int end0 = NAME(end_of)(s, 0), end1 = NAME(end_of)(s, 1);
  const float *v = s->v + column;
  NAME(add)(sum, 0, ROWS, v, 1, s->d, s->weights, end0);
  NAME(add)(sum, 1, ROWS, v + (ptrdiff_t)end0 * s->d, 1, s->d, s->weights + end0 * columns, end1 - end0);
  NAME(add)(sum, 2, ROWS, v + (ptrdiff_t)end1 * s->d, 1, s->d, s->weights + end1 * columns, s->keys - end1);
#pragma GCC unroll 32
  for (int i = 0; i < ROWS * VECTORS; ++i)
    to[i] = sum[i];
}

TARGET static void NAME(take)(const struct flash_step *s) {
  NAME(vector) factor[VECTORS];
  NAME(score)(s);
  NAME(hide_all)(s, -INFINITY);
  for (int i = 0; i < VECTORS; ++i)
    factor[i] = NAME(weigh)(s, i);
  NAME(hide_all)(s, 0.0f);
  for (int column = 0; column < s->d; column += ROWS) {
    fetch_ahead(s->ahead);
    NAME(add_values)(s, column, factor);
  }
}

#undef ADD_PRODUCT
#undef LARGER
#undef NAME
#undef TARGET
#undef FLOATS
#undef VECTORS
#undef ROWS

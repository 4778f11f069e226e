/* Matrix product on the CPU with OpenMP. Knows nothing of the plugin ABI. All products and sums are fp32; narrower
 * storage types are converted on the way in and out. */
#include <omp.h>
#include <string.h>

#define HOT_AVX "fma"
#include "../shared/convert.h"
#include "kernels.h"

/* Strict ISO mode forbids what this file lives on: a * b + c as one instruction. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT ON
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=fast")
#endif

#define BLOCK 256 /* elements converted at a time */

/* ---- Storage ---------------------------------------------------------------------------------------------------- */

/* Exponent and mantissa moved into place are the value times 2^-120, also where it is subnormal. */
INLINE float from_e4m3(uint32_t code) {
  const uint32_t bits = float_to_bits(bits_to_float((code & 0x7fu) << 20) * 0x1p120f);
  return bits_to_float(((code & 0x7fu) == 0x7fu ? bits | 0x7f800000u : bits) | (code & 0x80u) << 24);
}

/* Loops of their own, so that each becomes vector code. */
INLINE void to_floats(float *to, const void *from, int64_t first, int count, int dtype) {
  const uint16_t *half = (const uint16_t *)from + first;
  const uint8_t *byte = (const uint8_t *)from + first;
  if (dtype == MATMUL_FP32) {
    memcpy(to, (const float *)from + first, (size_t)count * sizeof *to);
  } else if (dtype == MATMUL_BF16) {
    for (int i = 0; i < count; i++)
      to[i] = bits_to_float((uint32_t)half[i] << 16);
  } else if (dtype == MATMUL_FP16) {
    for (int i = 0; i < count; i++)
      to[i] = from_fp16(half[i]);
  } else {
    for (int i = 0; i < count; i++)
      to[i] = from_e4m3(byte[i]);
  }
}

INLINE void from_floats(void *to, int64_t first, const float *from, int count, int dtype) {
  uint16_t *half = (uint16_t *)to + first;
  if (dtype == MATMUL_FP32) {
    memcpy((float *)to + first, from, (size_t)count * sizeof *from);
  } else if (dtype == MATMUL_FP16) {
    for (int i = 0; i < count; i++)
      half[i] = to_fp16(from[i]);
  } else {
    for (int i = 0; i < count; i++)
      half[i] = to_bf16(from[i]);
  }
}

HOT static void widen_all(float *to, const void *from, int64_t first, int64_t count, int32_t dtype) {
  for (int64_t i = 0; i < count; i += BLOCK)
    to_floats(to + i, from, first + i, count - i < BLOCK ? (int)(count - i) : BLOCK, dtype);
}

HOT static void narrow_all(void *to, int64_t first, const float *from, int64_t count, int32_t dtype) {
  for (int64_t i = 0; i < count; i += BLOCK)
    from_floats(to, first + i, from + i, count - i < BLOCK ? (int)(count - i) : BLOCK, dtype);
}

/* Functions of several builds are static: some compilers give others a name of their own. */
void matmul_cpu_to_float(float *to, const void *from, int64_t first, int64_t count, int32_t dtype) {
  widen_all(to, from, first, count, dtype);
}

void matmul_cpu_from_float(void *to, int64_t first, const float *from, int64_t count, int32_t dtype) {
  narrow_all(to, first, from, count, dtype);
}

/* ---- naive: each element of c as the product of a row of a and a row of b -----------------------------------------
 */

INLINE float dot(const float *a, const float *b, int count, float sum) {
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < count; i++)
    sum += a[i] * b[i];
  return sum;
}

/* `a` are the k elements of one row as floats. */
INLINE float dot_row(const float *a, const struct matmul_problem *p, int64_t row) {
  float buffer[BLOCK], sum = 0;
  for (int64_t i = 0; i < p->k; i += BLOCK) {
    const int count = p->k - i < BLOCK ? (int)(p->k - i) : BLOCK;
    const float *b = (const float *)p->b + row * p->k + i;
    if (p->dtype != MATMUL_FP32) {
      to_floats(buffer, p->b, row * p->k + i, count, p->dtype);
      b = buffer;
    }
    sum = dot(a + i, b, count, sum);
  }
  return sum;
}

HOT static void naive_row(const struct matmul_problem *p, int64_t row, float *a) {
  float out[BLOCK];
  for (int64_t i = 0; i < p->k; i += BLOCK)
    to_floats(a + i, p->a, row * p->k + i, p->k - i < BLOCK ? (int)(p->k - i) : BLOCK, p->dtype);
  for (int64_t j = 0; j < p->n; j += BLOCK) {
    const int count = p->n - j < BLOCK ? (int)(p->n - j) : BLOCK;
    for (int u = 0; u < count; u++)
      out[u] = dot_row(a, p, j + u);
    from_floats(p->c, row * p->n + j, out, count, p->dtype);
  }
}

static int64_t padded(int64_t count, int64_t unit) {
  return (count + unit - 1) / unit * unit;
}

int64_t matmul_cpu_naive_workspace(const struct matmul_problem *p) {
  return p->threads * padded(p->k, 16); /* threads keep to cache lines of their own */
}

void matmul_cpu_naive(const struct matmul_problem *p) {
#pragma omp parallel for num_threads(p->threads) schedule(static)
  for (int64_t i = 0; i < p->m; i++)
    naive_row(p, i, p->workspace + omp_get_thread_num() * padded(p->k, 16));
}

/* ---- blocked: packed panels, a tile of c in the second-level cache, a register block in registers ------------------
 */

#define GROUP 12    /* rows of a panel of a, and of a register block where registers are many */
#define WIDTH 16    /* columns of a panel of b and of a register block */
#define ROWS 96     /* of a tile, a multiple of GROUP */
#define COLUMNS 192 /* of a tile, a multiple of WIDTH */
#define DEPTH 256   /* of the panels at a time: WIDTH of them fit the first-level cache */

typedef float vector __attribute__((vector_size(WIDTH * sizeof(float))));

/* c[rows][16] += a * b for `depth` of a panel of each: a is [depth][GROUP], b is [depth][16]. */
INLINE void multiply_registers(float *c, const float *a, const float *b, int64_t depth, int rows) {
  vector sum[GROUP];
  for (int i = 0; i < rows; i++)
    memcpy(&sum[i], c + i * COLUMNS, sizeof sum[i]);
  for (int64_t k = 0; k < depth; k++) {
    vector right;
    memcpy(&right, b + k * WIDTH, sizeof right);
    for (int i = 0; i < rows; i++)
      sum[i] += a[k * GROUP + i] * right;
  }
  for (int i = 0; i < rows; i++)
    memcpy(c + i * COLUMNS, &sum[i], sizeof sum[i]);
}

/* 12 x 16 sums fill the registers of AVX-512 as 6 x 16 fill those of AVX. */
#if defined(__x86_64__) && !defined(SANITIZED)
__attribute__((target("avx512f"))) static void multiply_12(float *c, const float *a, const float *b, int64_t depth) {
  multiply_registers(c, a, b, depth, GROUP);
}
static int has_many_registers(void) {
  return __builtin_cpu_supports("avx512f");
}
#else
#define multiply_12 multiply_6
static int has_many_registers(void) {
  return 0;
}
#endif

HOT static void multiply_6(float *c, const float *a, const float *b, int64_t depth) {
  multiply_registers(c, a, b, depth, GROUP / 2);
  multiply_registers(c + GROUP / 2 * COLUMNS, a + GROUP / 2, b, depth, GROUP / 2);
}

/* Rows [first, first + lanes) of x as floats to [depth][lanes]; zeros beyond the matrix. */
INLINE void pack_panel(float *to, const void *x, int64_t first, int64_t rows, int64_t k, int dtype, int lanes) {
  float buffer[WIDTH][BLOCK];
  for (int64_t i = 0; i < k; i += BLOCK) {
    const int count = k - i < BLOCK ? (int)(k - i) : BLOCK;
    for (int lane = 0; lane < lanes; lane++)
      if (first + lane < rows)
        to_floats(buffer[lane], x, (first + lane) * k + i, count, dtype);
      else
        memset(buffer[lane], 0, sizeof buffer[lane]);
    for (int u = 0; u < count; u++)
      for (int lane = 0; lane < lanes; lane++)
        to[(i + u) * lanes + lane] = buffer[lane][u];
  }
}

HOT static void pack_a(float *to, const struct matmul_problem *p, int64_t panel) {
  pack_panel(to + panel * GROUP * p->k, p->a, panel * GROUP, p->m, p->k, p->dtype, GROUP);
}

HOT static void pack_b(float *to, const struct matmul_problem *p, int64_t panel) {
  pack_panel(to + panel * WIDTH * p->k, p->b, panel * WIDTH, p->n, p->k, p->dtype, WIDTH);
}

struct packed {
  const struct matmul_problem *p;
  const float *a, *b;
  void (*multiply)(float *c, const float *a, const float *b, int64_t depth);
};

static void multiply_tile(const struct packed *x, int64_t row0, int64_t column0) {
  const struct matmul_problem *p = x->p;
  const int64_t rows = p->m - row0 < ROWS ? p->m - row0 : ROWS;
  const int64_t columns = p->n - column0 < COLUMNS ? p->n - column0 : COLUMNS;
  _Alignas(64) float tile[ROWS * COLUMNS];
  memset(tile, 0, (size_t)padded(rows, GROUP) * COLUMNS * sizeof *tile);
  for (int64_t i = 0; i < p->k; i += DEPTH) {
    const int64_t depth = p->k - i < DEPTH ? p->k - i : DEPTH;
    for (int64_t column = 0; column < columns; column += WIDTH)
      for (int64_t row = 0; row < rows; row += GROUP)
        x->multiply(tile + row * COLUMNS + column, x->a + (row0 + row) * p->k + i * GROUP,
                    x->b + (column0 + column) * p->k + i * WIDTH, depth);
  }
  for (int64_t row = 0; row < rows; row++)
    narrow_all(p->c, (row0 + row) * p->n + column0, tile + row * COLUMNS, columns, p->dtype);
}

int64_t matmul_cpu_blocked_workspace(const struct matmul_problem *p) {
  return padded(padded(p->m, GROUP) * p->k, 16) + padded(p->n, WIDTH) * p->k;
}

void matmul_cpu_blocked(const struct matmul_problem *p) {
  float *a = p->workspace, *b = a + padded(padded(p->m, GROUP) * p->k, 16);
  const struct packed x = {p, a, b, has_many_registers() ? multiply_12 : multiply_6};
  const int64_t panels_a = padded(p->m, GROUP) / GROUP, panels_b = padded(p->n, WIDTH) / WIDTH;
  const int64_t down = padded(p->m, ROWS) / ROWS, across = padded(p->n, COLUMNS) / COLUMNS;
#pragma omp parallel num_threads(p->threads)
  {
#pragma omp for schedule(static) nowait
    for (int64_t i = 0; i < panels_a; i++)
      pack_a(a, p, i);
#pragma omp for schedule(static)
    for (int64_t i = 0; i < panels_b; i++)
      pack_b(b, p, i);
#pragma omp for schedule(dynamic, 1)
    for (int64_t i = 0; i < down * across; i++)
      multiply_tile(&x, i / across * ROWS, i % across * COLUMNS);
  }
}

void matmul_cpu_stop_threads(void) {
  omp_pause_resource_all(omp_pause_hard);
}

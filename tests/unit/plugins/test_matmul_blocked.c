/* Tests the blocked product with each kernel, bit for bit, on small integers whose sums fp32 holds exactly. Kernels
 * for instruction sets that this machine lacks are replaced by plain code of the same shape, so that packing and
 * edges are tested on any machine. */
#include <stdlib.h>
#include <string.h>

#include "cpu_kernels.h"
#include "kernels.h"
#include "model/data/dtype.h"
#include "model/data/fill.h"
#include "unit.h"

#define CHUNK 4
#define NAME multiply_14_32
#define TARGET
#define LANES 16
#define VECTORS 2
#define ROWS 14
#define ADD_PRODUCT(sum, left, right) sum += left * right
#include "cpu_kernel.h"

#define NAME multiply_8_12
#define TARGET
#define LANES 4
#define VECTORS 3
#define ROWS 8
#define ADD_PRODUCT(sum, left, right) sum += left * right
#include "cpu_kernel.h"

enum { SIDE = 32, WORDS = 16 };

static float half_of(float word, int which) {
  uint16_t halves[2];
  float value;
  memcpy(halves, &word, sizeof halves);
  matmul_cpu_to_float(&value, halves, which, 1, MATMUL_BF16);
  return value;
}

/* Multiplies panels in the layout of cpu_amx.c: a is [depth / 16][32][16] words, b is [depth][32]. */
static void multiply_pairs(float *c, const float *a, const float *b, int64_t depth) {
  for (int64_t l = 0; l < depth; l++)
    for (int i = 0; i < SIDE; i++)
      for (int j = 0; j < SIDE; j++)
        for (int h = 0; h < 2; h++)
          c[i * SIDE + j] += half_of(a[(l / WORDS * SIDE + i) * WORDS + l % WORDS], h) * half_of(b[l * SIDE + j], h);
}

static int always(void) {
  return 1;
}

static const struct matmul_cpu_kernel stand_ins[] = {
    {"14 x 32", 14, 32, CHUNK, 0, always, NULL, NULL, multiply_14_32},
    {"8 x 12", 8, 12, CHUNK, 0, always, NULL, NULL, multiply_8_12},
    {"pairs", SIDE, SIDE, WORDS, 1, always, NULL, NULL, multiply_pairs},
};

static const uint32_t storage[] = {[MATMUL_FP32] = GB_DTYPE_F32,
                                   [MATMUL_FP16] = GB_DTYPE_F16,
                                   [MATMUL_BF16] = GB_DTYPE_BF16,
                                   [MATMUL_E4M3] = GB_DTYPE_E4M3};
static const size_t bytes[] = {[MATMUL_FP32] = 4, [MATMUL_FP16] = 2, [MATMUL_BF16] = 2, [MATMUL_E4M3] = 1};

static uint64_t state = 1;

static int64_t draw(int64_t below) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int64_t)((state >> 33) % (uint64_t)below);
}

/* Fills in values from -4 to 4, as codes and as floats. */
static void fill(void *codes, float *values, int64_t count, int32_t dtype) {
  for (int64_t i = 0; i < count; i++) {
    values[i] = (float)(draw(9) - 4);
    const uint64_t code = fill_encode(storage[dtype], (double)values[i]);
    memcpy((char *)codes + (size_t)i * bytes[dtype], &code, bytes[dtype]);
  }
}

static void *claim(size_t size) {
  void *memory = aligned_alloc(64, (size + 63) / 64 * 64 + 64);
  if (memory == NULL) abort();
  memset(memory, 0xff, (size + 63) / 64 * 64 + 64); /* NaN in every type */
  return memory;
}

/* Returns how many elements of c, or of the memory after it, are wrong. */
static int64_t wrong_of(const struct matmul_cpu_kernel *kernel, struct matmul_problem p) {
  const int32_t out = p.dtype == MATMUL_E4M3 ? MATMUL_BF16 : p.dtype;
  const size_t size = bytes[out];
  void *a = claim((size_t)(p.m * p.k) * bytes[p.dtype]), *b = claim((size_t)(p.n * p.k) * bytes[p.dtype]);
  float *x = claim((size_t)(p.m * p.k) * sizeof *x), *y = claim((size_t)(p.n * p.k) * sizeof *y);
  char *c = claim((size_t)(p.m * p.n) * size), *r = claim((size_t)(p.m * p.n) * size);
  float *z = claim((size_t)(p.m * p.n) * sizeof *z);
  const int64_t floats = matmul_cpu_blocked_workspace_by(kernel, &p);
  int64_t wrong = 0;
  fill(a, x, p.m * p.k, p.dtype);
  fill(b, y, p.n * p.k, p.dtype);
  fill(r, z, p.m * p.n, out);
  p.epilogue = p.dtype != MATMUL_E4M3 && draw(2) ? MATMUL_ADD : MATMUL_PLAIN;
  p.a = a, p.b = b, p.c = c, p.extra = r;
  p.workspace = claim((size_t)floats * sizeof(float));
  matmul_cpu_blocked_by(kernel, &p);
  for (int64_t i = 0; i < p.m; i++)
    for (int64_t j = 0; j < p.n; j++) {
      float sum = 0;
      char expected[4];
      for (int64_t l = 0; l < p.k; l++)
        sum += x[i * p.k + l] * y[j * p.k + l];
      if (p.epilogue == MATMUL_ADD) sum += z[i * p.n + j];
      matmul_cpu_from_float(expected, 0, &sum, 1, out);
      wrong += memcmp(expected, c + (size_t)(i * p.n + j) * size, size) != 0;
    }
  for (size_t i = 0; i < 64; i++)
    wrong += (c + (size_t)(p.m * p.n) * size)[i] != (char)0xff || ((char *)(p.workspace + floats))[i] != (char)0xff;
  free(a), free(b), free(x), free(y), free(c), free(r), free(z), free(p.workspace);
  return wrong;
}

static void check(const struct matmul_cpu_kernel *kernel, struct matmul_problem p) {
  if (kernel->pairs) p.dtype = MATMUL_BF16;
  const int64_t wrong = wrong_of(kernel, p);
  if (wrong > 0)
    UNIT_FAIL("%s, %lld x %lld x %lld, type %d, %d threads: %lld wrong", kernel->name, (long long)p.m, (long long)p.n,
              (long long)p.k, p.dtype, p.threads, (long long)wrong);
}

static void check_sizes(const struct matmul_cpu_kernel *kernel) {
  static const int64_t extents[] = {1, 2, 5, 15, 16, 17, 33, 64, 97};
  enum { COUNT = sizeof extents / sizeof *extents };
  for (int i = 0; i < 60; i++)
    check(kernel, (struct matmul_problem){.m = extents[draw(COUNT)],
                                          .n = extents[draw(COUNT)],
                                          .k = extents[draw(COUNT)],
                                          .dtype = (int32_t)draw(4),
                                          .threads = 1 + (int32_t)draw(3)});
  for (int32_t dtype = 0; dtype < 4; dtype++) { /* several blocks of k and several tiles */
    check(kernel, (struct matmul_problem){.m = 67, .n = 101, .k = 1100 + draw(9), .dtype = dtype, .threads = 2});
    check(kernel, (struct matmul_problem){.m = 1, .n = 2001, .k = 3, .dtype = dtype, .threads = 2});
    check(kernel, (struct matmul_problem){.m = 2001, .n = 1, .k = 3, .dtype = dtype, .threads = 3});
  }
}

static void kernels_of_this_machine(void) {
  for (int i = 0; matmul_cpu_kernels[i] != NULL; i++)
    if (matmul_cpu_kernels[i]->usable()) check_sizes(matmul_cpu_kernels[i]);
  UNIT_PASS();
}

static void kernels_of_others(void) {
  for (size_t i = 0; i < sizeof stand_ins / sizeof *stand_ins; i++)
    check_sizes(&stand_ins[i]);
  UNIT_PASS();
}

static void bf16_alone_is_taken_in_pairs(void) {
  for (int32_t dtype = 0; dtype < 4; dtype++) {
    const struct matmul_problem p = {.m = 1, .n = 1, .k = 1, .dtype = dtype, .threads = 1};
    const struct matmul_cpu_kernel *kernel = matmul_cpu_kernel_for(&p);
    ASSERT_TRUE(kernel->usable());
    ASSERT_TRUE(dtype == MATMUL_BF16 || !kernel->pairs);
  }
}

UNIT_MAIN("matmul_blocked", UNIT_TEST(kernels_of_this_machine), UNIT_TEST(kernels_of_others),
          UNIT_TEST(bf16_alone_is_taken_in_pairs))

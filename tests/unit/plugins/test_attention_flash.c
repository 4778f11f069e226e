/* Tests flash attention on the CPU with each kernel, against float64. Kernels for instruction sets that this machine
 * lacks are replaced by plain code of the same shape, so that panels, blocks and edges are tested on any machine. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_flash.h"
#include "kernels.h"
#include "unit.h"

#pragma GCC diagnostic ignored "-Wpsabi" /* vectors that this machine may lack, in inlined functions */
#define ADD_PRODUCT(sum, left, right) sum += (left) * (right)
#define LARGER(x, y) CHOOSE(x, y, (x) > (y))
#define CHOOSE(x, y, which) (__typeof__(x))(((__typeof__(which))(x) & (which)) | ((__typeof__(which))(y) & ~(which)))
#define NAME(part) part##_8_48
#define TARGET
#define FLOATS 16
#define VECTORS 3
#define ROWS 8
#include "cpu_flash_kernel.h"

#define ADD_PRODUCT(sum, left, right) sum += (left) * (right)
#define LARGER(x, y) CHOOSE(x, y, (x) > (y))
#define NAME(part) part##_8_12
#define TARGET
#define FLOATS 4
#define VECTORS 3
#define ROWS 8
#include "cpu_flash_kernel.h"

static int always(void) {
  return 1;
}

static const struct flash_kernel stand_ins[] = {
    {"8 x 48", 48, 8, always, take_8_48},
    {"8 x 12", 12, 8, always, take_8_12},
};

/* STEP: every STEP-th row is compared with the reference. PROBLEMS: number of random problems for each kernel. A
 * sanitizer slows both down; the build without one compares every row. */
#ifdef __SANITIZE_ADDRESS__
enum { GUARD = 64, STEP = 16, PROBLEMS = 20 };
#else
enum { GUARD = 64, STEP = 1, PROBLEMS = 60 };
#endif

static uint64_t state = 1;

static int draw(int below) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int)((state >> 33) % (uint64_t)below);
}

static void *claim(size_t size) {
  void *memory = aligned_alloc(256, (size + GUARD + 255) / 256 * 256);
  if (memory == NULL) abort();
  memset(memory, 0xff, (size + GUARD + 255) / 256 * 256); /* NaN in every type */
  return memory;
}

static int is_intact(const void *memory, size_t size) {
  for (size_t i = 0; i < GUARD; i++)
    if (((const unsigned char *)memory)[size + i] != 0xff) return 0;
  return 1;
}

static double value_at(const void *x, int64_t at, int stored) {
  float value;
  load_floats(&value, x, (ptrdiff_t)at, 1, stored);
  return (double)value;
}

/* Returns values up to `most` that bf16 and fp16 can hold; for e4m3, codes up to 1.875. */
static void *fill(int64_t count, float most, int stored) {
  unsigned char *x = claim((size_t)count * (size_t)stored_bytes(stored));
  for (int64_t i = 0; i < count && stored == STORED_E4M3; i++)
    x[i] = (unsigned char)(draw(64) | draw(2) << 7);
  if (stored == STORED_E4M3) return x;
  for (int64_t i = 0; i < count; i++) {
    const float value = (float)(draw(257) - 128) / 128.0f * most;
    store_floats(x, (ptrdiff_t)i, &value, 1, stored);
  }
  return x;
}

static int64_t element(const struct attention_problem *p, int64_t heads, int64_t head, int row) {
  return (p->offsets == NULL ? head * p->s + row : row * heads + head) * p->d;
}

/* Returns the largest error in a row. */
static double row_error(const struct attention_problem *p, int64_t head, int row, int first, int end) {
  double weights[1024], sum = 0, top = -1e300, worst = 0;
  const int64_t kv = p->heads / p->group, q = element(p, p->heads, head, row);
  for (int key = first; key < end; key++) {
    double score = 0;
    for (int i = 0; i < p->d; i++)
      score += value_at(p->q, q + i, p->stored) * value_at(p->k, element(p, kv, head / p->group, key) + i, p->stored);
    weights[key] = score / sqrt(p->d);
    if (weights[key] > top) top = weights[key];
  }
  for (int key = first; key < end; key++)
    sum += weights[key] = exp(weights[key] - top);
  for (int i = 0; i < p->d; i++) {
    double o = 0;
    for (int key = first; key < end; key++)
      o += weights[key] / sum * value_at(p->v, element(p, kv, head / p->group, key) + i, p->stored);
    const double error = fabs(o - value_at(p->o, q + i, stored_result(p->stored)));
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

static double problem_error(const struct attention_problem *p) {
  double worst = 0;
  const int32_t whole[] = {0, p->s};
  const int32_t *offsets = p->offsets == NULL ? whole : p->offsets;
  for (int i = 0; i < (p->offsets == NULL ? 1 : p->sequences); i++)
    for (int row = offsets[i]; row < offsets[i + 1]; row += STEP) {
      const int end = p->causal ? row + 1 : offsets[i + 1];
      const int first = p->window > 0 && end - p->window > offsets[i] ? end - p->window : offsets[i];
      for (int64_t head = 0; head < p->heads; head++) {
        const double error = row_error(p, head, row, first, end);
        if (!(error <= worst)) worst = error;
      }
    }
  return worst;
}

/* Runs one problem with this kernel and compares its results with float64. `most` is the largest value of q and k;
 * scores grow with its square. */
static void check(const struct flash_kernel *kernel, struct attention_problem p, float most) {
  const int64_t q = p.heads * p.s * p.d, k = q / p.group;
  const size_t size = (size_t)q * (size_t)stored_bytes(stored_result(p.stored)),
               workspace = (size_t)attention_cpu_flash_workspace(&p);
  void *const in[] = {fill(q, most, p.stored), fill(k, most, p.stored), fill(k, 1.0f, p.stored)};
  p.q = in[0], p.k = in[1], p.v = in[2];
  p.o = claim(size);
  p.workspace = claim(workspace);
  attention_cpu_flash_by(kernel, &p);
  const double error = problem_error(&p);
  const int intact = is_intact(p.o, size) && is_intact(p.workspace, workspace);
  const double allowed = p.stored == STORED_BF16   ? 4e-3
                         : p.stored == STORED_E4M3 ? 8e-3
                         : p.stored == STORED_FP16 ? 6e-4
                                                   : 2e-6 * (double)(1 + most * most);
  if (!(error <= allowed) || !intact)
    UNIT_FAIL(
        "%s, %lld heads of %d rows of %d, group %d, causal %d, window %d, %d sequences, stored as %d, %d threads: "
        "error %g%s",
        kernel->name, (long long)p.heads, p.s, p.d, p.group, p.causal, p.window, p.sequences, p.stored, p.threads,
        error, intact ? "" : ", written behind the end");
  free(p.o), free(p.workspace);
  for (int i = 0; i < 3; i++)
    free(in[i]);
}

/* Checks random problems, of which every other one has packed sequences. */
static void check_drawn(const struct flash_kernel *kernel) {
  for (int i = 0; i < PROBLEMS; i++) {
    static const int groups[] = {1, 1, 2, 4};
    int32_t offsets[8] = {0};
    struct attention_problem p = {.group = groups[draw(4)],
                                  .d = 64 << draw(3),
                                  .causal = draw(2),
                                  .stored = draw(5) % 4, /* two fifths are STORED_FP32 */
                                  .threads = 1 + draw(3),
                                  .s = 1 + draw(draw(3) == 0 ? 300 : 100)};
    p.heads = p.group * (1 + draw(2));
    if (p.causal && draw(3) == 0) p.window = 1 + draw(p.s);
    if (i % 2 != 0) {
      p.sequences = 1 + draw(7 < p.s ? 7 : p.s);
      for (int j = 1; j <= p.sequences; j++) {
        const int left = p.s - offsets[j - 1] - (p.sequences - j);
        offsets[j] = j == p.sequences ? p.s : offsets[j - 1] + 1 + draw(left);
        if (offsets[j] - offsets[j - 1] > p.longest) p.longest = offsets[j] - offsets[j - 1];
      }
      p.offsets = offsets;
    }
    check(kernel, p, draw(4) == 0 ? 8.0f : 2.0f);
  }
}

static void check_lengths(const struct flash_kernel *kernel) {
  for (int s = 1; s <= 100; s++)
    check(kernel,
          (struct attention_problem){.heads = 1, .group = 1, .s = s, .d = 64, .causal = s % 3 > 0, .threads = 2}, 2.0f);
}

static void kernels_of_this_machine(void) {
  for (int i = 0; flash_kernels[i] != NULL; i++)
    if (flash_kernels[i]->usable()) {
      check_drawn(flash_kernels[i]);
      check_lengths(flash_kernels[i]);
    }
  UNIT_PASS();
}

static void kernels_of_others(void) {
  for (size_t i = 0; i < sizeof stand_ins / sizeof *stand_ins; i++) {
    check_drawn(&stand_ins[i]);
    check_lengths(&stand_ins[i]);
  }
  UNIT_PASS();
}

/* The last key may be seen only by the last query, and has by far the largest score and value. If another query gave
 * it any weight, its result would be far off. */
static void hidden_keys_have_no_weight(void) {
  enum { S = 70, D = 64 };
  for (int i = 0; flash_kernels[i] != NULL; i++) {
    if (!flash_kernels[i]->usable()) continue;
    struct attention_problem p = {.heads = 1, .group = 1, .s = S, .d = D, .causal = 1, .threads = 1};
    float *q = fill((int64_t)S * D, 1.0f, 0), *k = fill((int64_t)S * D, 1.0f, 0), *v = fill((int64_t)S * D, 1.0f, 0);
    for (int j = 0; j < D; j++) {
      for (int row = 0; row < S; row++)
        q[row * D + j] = 1.0f;
      k[(S - 1) * D + j] = 1e6f;
      v[(S - 1) * D + j] = 1e6f;
    }
    p.q = q, p.k = k, p.v = v;
    p.o = claim(S * D * sizeof(float));
    p.workspace = claim((size_t)attention_cpu_flash_workspace(&p));
    attention_cpu_flash_by(flash_kernels[i], &p);
    for (int row = 0; row < S - 1; row++)
      ASSERT_TRUE(row_error(&p, 0, row, 0, row + 1) < 1e-5);
    ASSERT_TRUE(fabsf(((float *)p.o)[(S - 1) * D] - 1e6f) < 1.0f);
    free(q), free(k), free(v), free(p.o), free(p.workspace);
  }
  UNIT_PASS();
}

UNIT_MAIN("attention_flash", UNIT_TEST(kernels_of_this_machine), UNIT_TEST(kernels_of_others),
          UNIT_TEST(hidden_keys_have_no_weight))

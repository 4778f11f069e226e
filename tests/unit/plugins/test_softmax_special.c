/* Tests softmax on rows that generated data never contains: large and equal values, infinities, NaN. PyTorch's
 * results are taken as right. Runs the plugin's kernels on the cpu and, if there is one, on a GPU. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../plugins/shared/convert.h"
#include "../../plugins/softmax/kernels.h"
#include "unit.h"
#ifdef GPUBENCH_CUDA
#include <cuda_runtime_api.h>
#endif

enum kind { LARGE, SMALL_AND_LARGE, EQUAL, A_HOLE, ONE_LEFT, NOTHING, A_NAN, AN_INFINITY, KINDS };

static float element(enum kind kind, int64_t i, int64_t n) {
  const float usual = (float)((i * 7919) % 101) * 0.05f;
  switch (kind) {
    case LARGE:
      return i % 3 == 0 ? 1e4f : -1e4f;
    case SMALL_AND_LARGE:
      return i == n / 2 ? 1e4f : usual;
    case EQUAL:
      return -1e4f;
    case A_HOLE:
      return i % 5 == 1 ? -INFINITY : usual;
    case ONE_LEFT:
      return i == n - 1 ? 3.0f : -INFINITY;
    case NOTHING:
      return -INFINITY;
    case A_NAN:
      return i == n / 3 ? NAN : usual;
    default:
      return i == n / 3 ? INFINITY : usual;
  }
}

static void put(void *x, int dtype, int64_t i, float value) {
  if (dtype == SOFTMAX_FP32)
    ((float *)x)[i] = value;
  else
    ((uint16_t *)x)[i] = dtype == SOFTMAX_FP16 ? to_fp16(value) : to_bf16(value);
}

static double get(const void *x, int dtype, int64_t i) {
  if (dtype == SOFTMAX_FP32) return (double)((const float *)x)[i];
  const uint16_t code = ((const uint16_t *)x)[i];
  return (double)(dtype == SOFTMAX_FP16 ? from_fp16(code) : from_bf16(code));
}

/* Returns true if the value is within a step of the type, or if both are NaN. */
static int right(double y, double expected, int dtype) {
  const double step = dtype == SOFTMAX_FP32 ? 1e-5 : dtype == SOFTMAX_FP16 ? 1e-3 : 8e-3;
  if (isnan(expected)) return isnan(y);
  return fabs(y - expected) <= step * expected + 6e-8;
}

static void check_rows(const char *who, const void *x, const void *y, int dtype, int64_t rows, int64_t n) {
  for (int64_t row = 0; row < rows; row++) {
    double max = -INFINITY, sum = 0;
    for (int64_t i = row * n; i < row * n + n; i++) {
      const double v = get(x, dtype, i);
      max = v > max ? v : max;
    }
    for (int64_t i = row * n; i < row * n + n; i++)
      sum += exp(get(x, dtype, i) - max);
    for (int64_t i = 0; i < n; i++) {
      const double expected = exp(get(x, dtype, row * n + i) - max) / sum, found = get(y, dtype, row * n + i);
      if (right(found, expected, dtype)) continue;
      UNIT_FAIL("%s: type %d, row %lld of %lld elements: y[%lld] is %g, should be %g", who, dtype, (long long)row,
                (long long)n, (long long)i, found, expected);
    }
  }
}

static void check(const char *who, const void *x, const void *y, int dtype, int64_t n) {
  check_rows(who, x, y, dtype, KINDS, n);
}

/* Returns rows for [KINDS, n]; the caller frees them. */
static void *rows_of(int dtype, int64_t n) {
  void *x = malloc((size_t)(KINDS * n) * 4);
  for (int64_t i = 0; x != NULL && i < KINDS * n; i++)
    put(x, dtype, i, element((enum kind)(i / n), i % n, n));
  return x;
}

static const int64_t lengths[] = {1, 7, 64, 1000, 1025, 4096, 8192, 16385, 20000, 50257, 65536, 262144};
enum { LENGTHS = sizeof lengths / sizeof lengths[0] };

static void on_the_cpu(void) {
  static const struct {
    const char *name;
    void (*run)(const void *, void *, int64_t, int64_t, int, int, float *);
  } variants[] = {{"naive", softmax_cpu_naive}, {"online", softmax_cpu_online}, {"fused", softmax_cpu_fused}};
  for (int dtype = SOFTMAX_FP32; dtype <= SOFTMAX_FP16; dtype++)
    for (int l = 0; l < LENGTHS; l++) {
      const int64_t n = lengths[l];
      void *x = rows_of(dtype, n), *y = malloc((size_t)(KINDS * n) * 4);
      float *scratch = malloc((size_t)softmax_cpu_scratch(n) * sizeof *scratch);
      for (size_t v = 0; x != NULL && y != NULL && scratch != NULL && v < 3; v++) {
        memset(y, 0xff, (size_t)(KINDS * n) * (dtype == SOFTMAX_FP32 ? 4 : 2));
        variants[v].run(x, y, KINDS, n, dtype, 1, scratch);
        check(variants[v].name, x, y, dtype, n);
      }
      free(x), free(y), free(scratch);
    }
}

/* ---- Rows with hidden elements, which count as -inf even if they are NaN ----------------------------------------- */

enum { MASKS = 4, MASKED_ROWS = KINDS * MASKS, MASKED_MOST = 16385 };

/* Returns 1 if the mask shows element i. Row 0 shows all elements; row 1 none; row 2 all except the special ones of a
 * kind; row 3 only the last one. */
static uint8_t mask_at(int64_t row, int64_t i, int64_t n) {
  return row == 0 || (row == 2 && i % 3 != (n / 3) % 3) || (row == 3 && i == n - 1);
}

struct masked {
  struct masked_call call; /* in host memory; row i is of kind i / MASKS */
  void *hidden;            /* copy of x in which hidden elements are -inf */
  size_t bytes;
};

static struct masked masked_rows(int dtype, int64_t n, int causal) {
  const size_t bytes = (size_t)(MASKED_ROWS * n) * (dtype == SOFTMAX_FP32 ? 4 : 2);
  void *x = malloc(bytes), *hidden = malloc(bytes);
  uint8_t *mask = malloc((size_t)(MASKS * n));
  float *scratch = malloc((size_t)softmax_cpu_scratch(n) * sizeof *scratch);
  ASSERT_TRUE(x != NULL && hidden != NULL && mask != NULL && scratch != NULL);
  for (int64_t k = 0; k < MASKED_ROWS * n; k++) {
    const int64_t row = k / n, i = k % n;
    const float value = element((enum kind)(row / MASKS), i, n);
    const int seen = causal ? i <= row : mask_at(row % MASKS, i, n);
    if (row < MASKS) mask[k] = mask_at(row, i, n);
    put(x, dtype, k, value);
    put(hidden, dtype, k, seen ? value : -INFINITY);
  }
  if (causal) free(mask);
  return (struct masked){{.x = x,
                          .mask = causal ? NULL : mask,
                          .y = malloc(bytes),
                          .rows = MASKED_ROWS,
                          .m = causal ? MASKED_ROWS : MASKS,
                          .n = n,
                          .dtype = dtype,
                          .threads = 1,
                          .scratch = scratch},
                         hidden,
                         bytes};
}

static void masked_free(struct masked *masked) {
  free((void *)masked->call.x), free((void *)masked->call.mask), free(masked->call.y), free(masked->call.scratch);
  free(masked->hidden);
}

static void masked_on_the_cpu(void) {
  for (int dtype = SOFTMAX_FP32; dtype <= SOFTMAX_FP16; dtype++)
    for (int l = 0; l < LENGTHS && lengths[l] <= MASKED_MOST; l++)
      for (int causal = 0; causal < 2; causal++) {
        struct masked masked = masked_rows(dtype, lengths[l], causal);
        ASSERT_TRUE(masked.call.y != NULL);
        memset(masked.call.y, 0x5a, masked.bytes);
        masked_cpu_naive(&masked.call);
        check_rows(causal ? "naive, causal" : "naive, given", masked.hidden, masked.call.y, dtype, MASKED_ROWS,
                   lengths[l]);
        memset(masked.call.y, 0x5a, masked.bytes);
        masked_cpu_fused(&masked.call);
        check_rows(causal ? "fused, causal" : "fused, given", masked.hidden, masked.call.y, dtype, MASKED_ROWS,
                   lengths[l]);
        masked_free(&masked);
      }
}

#ifdef GPUBENCH_CUDA
static int has_gpu(void) {
  int devices = 0, major = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 0;
  return cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) == cudaSuccess && major >= 9;
}

static void masked_on_a_gpu(void) {
  static const struct {
    const char *name;
    int (*run)(const struct masked_call *call);
    int64_t most; /* most elements of a row */
  } variants[] = {{"cuda naive", masked_cuda_naive, MASKED_MOST}, {"cuda fused", masked_cuda_fused, MASKED_FUSED_MAX}};
  if (!has_gpu()) return;
  for (int dtype = SOFTMAX_FP32; dtype <= SOFTMAX_FP16; dtype++)
    for (int l = 0; l < LENGTHS && lengths[l] <= MASKED_MOST; l++)
      for (int causal = 0; causal < 2; causal++) {
        struct masked masked = masked_rows(dtype, lengths[l], causal);
        struct masked_call call = masked.call;
        void *x = NULL, *y = NULL, *mask = NULL;
        const size_t of_mask = (size_t)(MASKS * lengths[l]);
        ASSERT_TRUE(cudaMalloc(&x, masked.bytes) == cudaSuccess && cudaMalloc(&y, masked.bytes) == cudaSuccess);
        ASSERT_TRUE(cudaMalloc(&mask, of_mask) == cudaSuccess);
        ASSERT_TRUE(cudaMemcpy(x, call.x, masked.bytes, cudaMemcpyHostToDevice) == cudaSuccess);
        if (!causal) ASSERT_TRUE(cudaMemcpy(mask, call.mask, of_mask, cudaMemcpyHostToDevice) == cudaSuccess);
        call.x = x, call.y = y, call.mask = causal ? NULL : mask;
        for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++) {
          if (lengths[l] > variants[v].most) continue;
          ASSERT_TRUE(cudaMemset(y, 0x5a, masked.bytes) == cudaSuccess);
          ASSERT_TRUE(variants[v].run(&call) == 0);
          ASSERT_TRUE(cudaMemcpy(masked.call.y, y, masked.bytes, cudaMemcpyDeviceToHost) == cudaSuccess);
          check_rows(variants[v].name, masked.hidden, masked.call.y, dtype, MASKED_ROWS, lengths[l]);
        }
        cudaFree(x), cudaFree(y), cudaFree(mask);
        masked_free(&masked);
      }
}

static void on_a_gpu(void) {
  static const struct {
    const char *name;
    int (*run)(const void *, void *, int64_t, int64_t, int, struct CUstream_st *);
    int64_t above; /* the variant is tested only with rows of more than this many bytes */
  } variants[] = {{"cuda naive", softmax_cuda_naive, 0},
                  {"cuda online", softmax_cuda_online, 0},
                  {"cuda fused", softmax_cuda_fused, 0},
                  {"cuda staged", softmax_cuda_staged, 0},
                  {"cuda both", softmax_cuda_both, SOFTMAX_BOTH_ABOVE},
                  {"cuda paced", softmax_cuda_paced, SOFTMAX_BOTH_ABOVE},
                  {"cuda pieces", softmax_cuda_pieces, SOFTMAX_PIECES_ABOVE}};
  if (!has_gpu()) return;
  void *in = NULL, *out = NULL;
  const size_t most = (size_t)KINDS * 262144 * 4;
  ASSERT_TRUE(cudaMalloc(&in, most) == cudaSuccess && cudaMalloc(&out, most) == cudaSuccess);
  for (int dtype = SOFTMAX_FP32; dtype <= SOFTMAX_FP16; dtype++)
    for (int l = 0; l < LENGTHS; l++) {
      const int64_t n = lengths[l];
      const size_t bytes = (size_t)(KINDS * n) * (dtype == SOFTMAX_FP32 ? 4 : 2);
      void *x = rows_of(dtype, n), *y = malloc(bytes);
      ASSERT_TRUE(x != NULL && y != NULL && cudaMemcpy(in, x, bytes, cudaMemcpyHostToDevice) == cudaSuccess);
      for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++) {
        if ((int64_t)bytes / KINDS <= variants[v].above) continue;
        ASSERT_TRUE(cudaMemset(out, 0x5a, bytes) == cudaSuccess);
        ASSERT_TRUE(variants[v].run(in, out, KINDS, n, dtype, NULL) == 0);
        ASSERT_TRUE(cudaMemcpy(y, out, bytes, cudaMemcpyDeviceToHost) == cudaSuccess);
        check(variants[v].name, x, y, dtype, n);
      }
      free(x), free(y);
    }
  cudaFree(in), cudaFree(out);
}
UNIT_MAIN("softmax_special", UNIT_TEST(on_the_cpu), UNIT_TEST(masked_on_the_cpu), UNIT_TEST(on_a_gpu),
          UNIT_TEST(masked_on_a_gpu))
#else
UNIT_MAIN("softmax_special", UNIT_TEST(on_the_cpu), UNIT_TEST(masked_on_the_cpu))
#endif

/* Tests the matmul plugin's check of all elements of a product c: an error in one place is found, rounding is not
 * reported. Runs on the CPU; with the argument `gpu` on a GPU, whose sums must equal the CPU's (exit 77 if there is
 * none). A further argument limits the number of sizes, for a sanitizer. */
#include <stdlib.h>

#include "check_parts.h"
#include "unit.h"
#ifdef GPUBENCH_CUDA
#include <cuda_runtime_api.h>
#endif

/* ---- A host with a single problem ---- */

struct gb_case {
  int64_t m, n, k;
  int32_t dtype;
  uint64_t seed;
  double *a, *b;             /* rounded as for storage */
  void *stored_a, *stored_b; /* the inputs as stored; in GPU memory if the check runs on a GPU */
  /* stored_c: the product on the host; written_c: the product in the memory in which it is checked */
  void *stored_c, *written_c;
  void *memory; /* the memory that the check has requested; it requests only one piece */
  int on_gpu;
  char message[1000];
};

static size_t bytes_of(int32_t dtype) {
  return dtype == MATMUL_FP32 ? 4 : dtype == MATMUL_E4M3 ? 1 : 2;
}

static int32_t out_of(int32_t dtype) {
  return dtype == MATMUL_E4M3 ? MATMUL_BF16 : dtype;
}

static gb_status fail(const gb_host *host, gb_case *c, gb_status status, const char *message) {
  (void)host;
  snprintf(c->message, sizeof c->message, "%s", message);
  return status;
}

static uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
  return x ^ (x >> 31);
}

static uint64_t bits(uint64_t seed, uint64_t stream, uint64_t index) {
  return mixed(mixed(mixed(seed + 1) + stream) + index);
}

static uint64_t any_below(uint64_t seed, uint64_t stream, uint64_t index, uint64_t bound) {
  return (bits(seed, stream, index) >> 32) % bound;
}

static uint64_t seed_of(gb_case *c) {
  return c->seed;
}

static gb_status read_values(gb_case *c, const char *name, uint64_t first, uint64_t count, double *values) {
  const double *from = *name == 'a' ? c->a : c->b;
  if (*name != 'c') memcpy(values, from + first, (size_t)count * sizeof *values);
  for (uint64_t i = 0; i < count && *name == 'c'; i++) {
    float value;
    matmul_cpu_to_float(&value, c->stored_c, (int64_t)(first + i), 1, out_of(c->dtype));
    values[i] = (double)value;
  }
  return GB_OK;
}

static gb_status expect(gb_case *c, const char *name, uint64_t first, uint64_t count, const double *values) {
  (void)c, (void)name, (void)first, (void)count, (void)values;
  return GB_OK;
}

static void *data(gb_case *c, const char *name) {
  return *name == 'a' ? c->stored_a : *name == 'b' ? c->stored_b : c->written_c;
}

static const gb_host host = {GB_SIZE(gb_host), .fail = fail};
static const gb_case_ext point = {GB_SIZE(gb_case_ext), .places = seed_of};
static const gb_tensor_ext tensor = {GB_SIZE(gb_tensor_ext), .data = data, .input = read_values, .output = read_values,
                                     .expect = expect};
static const gb_rng_ext rng = {GB_SIZE(gb_rng_ext), .bits = bits, .below = any_below};
static gb_sdk sdk = {.host = &host, .point = &point, .tensor = &tensor, .rng = &rng};

/* ---- Problems ---- */

/* All sizes are too large for an expected value of each element, so the check uses sums. Among them are odd sizes, few
 * rows with many columns, a depth that takes two passes, and enough columns that on a GPU only every second one takes
 * part in the sums. */
static const struct {
  int64_t m, n, k;
} sizes[] = {{601, 1103, 211}, {35, 5025, 811}, {17, 20011, 399}, {3, 700, 70001}, {4, (1 << 20) + 3, 43}};
enum { SIZES = sizeof sizes / sizeof sizes[0], DTYPES = MATMUL_E4M3 + 1 };

static void *claim(int64_t count, size_t size) {
  void *memory = calloc((size_t)count, size);
  if (memory == NULL) abort();
  return memory;
}

/* Returns random values of magnitude around 1, as stored; `values` receives them as doubles. */
static void *draw(double *values, int64_t count, int32_t dtype, uint64_t seed) {
  uint8_t *stored = claim(count, bytes_of(dtype));
  for (int64_t i = 0; i < count; i++) {
    const uint64_t x = mixed(seed + (uint64_t)i * UINT64_C(0x9E3779B97F4A7C15));
    float value = (float)((double)(x >> 32) * 0x1p-31 - 1) * 1.7f;
    if (dtype == MATMUL_E4M3)
      stored[i] = (uint8_t)((x & 0x87) | (5 + (x >> 8) % 3) << 3);
    else
      matmul_cpu_from_float(stored, i, &value, 1, dtype);
    matmul_cpu_to_float(&value, stored, i, 1, dtype);
    values[i] = (double)value;
  }
  return stored;
}

static float dot_in_fp32(const double *a, const double *b, int64_t count) {
  float sums[8] = {0};
  for (int64_t i = 0; i < count; i++)
    sums[i % 8] += (float)a[i] * (float)b[i];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

/* Computes c = a b in float64 before storing; with in_fp32, every other row by sums in fp32. */
static void multiply(struct gb_case *c, int in_fp32) {
  float *row = claim(c->n, sizeof *row);
  for (int64_t i = 0; i < c->m; i += 1 + in_fp32) {
    for (int64_t j = 0; j < c->n; j++) {
      const double *a = c->a + i * c->k, *b = c->b + j * c->k;
      row[j] = in_fp32 ? dot_in_fp32(a, b, c->k) : (float)matmul_check_dot(a, b, c->k);
    }
    matmul_cpu_from_float(c->stored_c, i * c->n, row, c->n, out_of(c->dtype));
  }
  free(row);
}

static size_t size_of_c(const struct gb_case *c) {
  return (size_t)(c->m * c->n) * bytes_of(out_of(c->dtype));
}

#ifdef GPUBENCH_CUDA
static void *on_gpu(void *stored, size_t bytes) {
  void *memory = NULL;
  ASSERT_TRUE(cudaMalloc(&memory, bytes) == cudaSuccess);
  ASSERT_TRUE(cudaMemcpy(memory, stored, bytes, cudaMemcpyHostToDevice) == cudaSuccess);
  free(stored);
  return memory;
}
#endif

static void open_case(struct gb_case *c, int size, int32_t dtype, int gpu) {
  *c = (struct gb_case){.m = sizes[size].m, .n = sizes[size].n, .k = sizes[size].k, .dtype = dtype, .on_gpu = gpu};
  c->seed = mixed((uint64_t)(size * DTYPES + dtype + 1));
  c->a = claim(c->m * c->k, sizeof *c->a);
  c->b = claim(c->n * c->k, sizeof *c->b);
  c->stored_a = draw(c->a, c->m * c->k, dtype, c->seed + 1);
  c->stored_b = draw(c->b, c->n * c->k, dtype, c->seed + 2);
  c->stored_c = c->written_c = claim(c->m * c->n, bytes_of(out_of(dtype)));
  multiply(c, 0);
#ifdef GPUBENCH_CUDA
  if (!gpu) return;
  c->stored_a = on_gpu(c->stored_a, (size_t)(c->m * c->k) * bytes_of(dtype));
  c->stored_b = on_gpu(c->stored_b, (size_t)(c->n * c->k) * bytes_of(dtype));
  ASSERT_TRUE(cudaMalloc(&c->written_c, size_of_c(c)) == cudaSuccess);
#endif
}

static void close_case(struct gb_case *c) {
#ifdef GPUBENCH_CUDA
  if (c->on_gpu) {
    cudaFree(c->stored_a), cudaFree(c->stored_b), cudaFree(c->written_c), cudaFree(c->memory);
    c->stored_a = c->stored_b = NULL;
  }
#endif
  free(c->a), free(c->b), free(c->stored_a), free(c->stored_b), free(c->stored_c);
}

/* Returns the message of the check about the present c, or "". */
static const char *verdict(struct gb_case *c, const struct matmul_check *check) {
#ifdef GPUBENCH_CUDA
  if (c->on_gpu)
    ASSERT_TRUE(cudaMemcpy(c->written_c, c->stored_c, size_of_c(c), cudaMemcpyHostToDevice) == cudaSuccess);
#endif
  *c->message = '\0';
  ASSERT_EQ_INT(matmul_check_verify(&sdk, c, check), *c->message != '\0' ? GB_EFAIL : GB_OK);
  return c->message;
}

/* ---- Faults ---- */

static float *get(const struct gb_case *c, int64_t at, float *value) {
  matmul_cpu_to_float(value, c->stored_c, at, 1, out_of(c->dtype));
  return value;
}

static int sampled(const int64_t *line, int64_t count, int64_t value) {
  for (int64_t i = 0; i < count; i++)
    if (line[i] == value) return 1;
  return 0;
}

/* Returns a row or column that takes part in the sums by which the check covers all elements; the search starts at the
 * `from`th one. Prefers one outside of the sample whose elements are compared one by one. */
static int64_t unsampled(const int64_t *taking, int64_t taking_count, const int64_t *line, int64_t count,
                         int64_t from) {
  int64_t i = from % taking_count;
  for (int64_t turns = 0; turns < taking_count && sampled(line, count, taking[i]); turns++)
    i = (i + 1) % taking_count;
  return taking[i];
}

static void add(struct gb_case *c, int64_t row, int64_t column, float by) {
  float value;
  get(c, row * c->n + column, &value);
  value += by * sqrtf((float)c->k);
  matmul_cpu_from_float(c->stored_c, row * c->n + column, &value, 1, out_of(c->dtype));
}

static void swap_rows(struct gb_case *c, int64_t one, int64_t other) {
  const size_t bytes = (size_t)c->n * bytes_of(out_of(c->dtype));
  char *first = (char *)c->stored_c + (size_t)one * bytes, *second = (char *)c->stored_c + (size_t)other * bytes;
  void *kept = claim(1, bytes);
  memcpy(kept, first, bytes);
  memcpy(first, second, bytes);
  memcpy(second, kept, bytes);
  free(kept);
}

struct faulty {
  struct gb_case *c;
  const struct matmul_check *check;
  const char *name;
};

static void found(const struct faulty *f, const char *what) {
  const char *said = verdict(f->c, f->check);
  if (strstr(said, "random weights") == NULL)
    UNIT_FAIL("%s, type %d, %lld x %lld x %lld: %s: says '%s'", f->name, f->c->dtype, (long long)f->c->m,
              (long long)f->c->n, (long long)f->c->k, what, said);
  else
    UNIT_PASS();
}

static void plant(const struct faulty *f) {
  struct gb_case *c = f->c;
  const struct matmul_check *s = f->check;
  const size_t bytes = size_of_c(c);
  void *right = claim(1, (size_t)bytes);
  memcpy(right, c->stored_c, bytes);
  const float much = c->n > 1 << 20 ? 8 : 2; /* rounding of a longer block explains larger errors */
  const int64_t middle[] = {s->sum_rows / 2, s->sum_columns / 2}, last[] = {s->sum_rows - 1, s->sum_columns - 1};
  const int64_t *const places[] = {(int64_t[]){1, 1}, middle, last};
  for (int i = 0; i < 3; i++) {
    const int64_t column = unsampled(s->sum_column, s->sum_columns, s->column, s->columns, places[i][1]);
    add(c, unsampled(s->sum_row, s->sum_rows, s->row, s->rows, places[i][0]), column, i == 1 ? -much : much);
    found(f, "an element");
    memcpy(c->stored_c, right, bytes);
  }
  const int64_t row = unsampled(s->sum_row, s->sum_rows, s->row, s->rows, middle[0]);
  const int64_t column = unsampled(s->sum_column, s->sum_columns, s->column, s->columns, middle[1]);
  for (int64_t i = row; i < row + 16 && i < c->m; i++)
    for (int64_t j = column; j < column + 16 && j < c->n; j++)
      if (!sampled(s->row, s->rows, i) || !sampled(s->column, s->columns, j))
        add(c, i, j, (i + j) % 2 == 0 ? much : -much);
  found(f, "a tile");
  memcpy(c->stored_c, right, bytes);
  const int64_t other = unsampled(s->sum_row, s->sum_rows, s->row, s->rows, middle[0] + 1);
  if (c->m > MATMUL_SAMPLE_ROWS && row != other) {
    swap_rows(c, row, other);
    found(f, "swapped rows");
    memcpy(c->stored_c, right, bytes);
  }
  float nan = NAN;
  matmul_cpu_from_float(c->stored_c, row * c->n + column, &nan, 1, out_of(c->dtype));
  found(f, "not a number");
  memcpy(c->stored_c, right, bytes);
  free(right);
}

static struct matmul_check check_of(const struct gb_case *c) {
  return (struct matmul_check){
      .m = c->m,
      .n = c->n,
      .k = c->k,
      .error_most = c->dtype == MATMUL_E4M3 ? 2.5e-3 + 0x1p-14 * (8.0 + (double)c->k / 32.0) : 0};
}

static void judge(struct gb_case *c, struct matmul_check *check, const char *name) {
  const struct faulty f = {c, check, name};
  ASSERT_EQ_INT(matmul_check_reference(&sdk, c, check), GB_OK);
  ASSERT_EQ_STR(verdict(c, check), "");
  plant(&f);
  multiply(c, 1);
  ASSERT_EQ_STR(verdict(c, check), "");
}

static void here(void) {
  for (int size = 0; size < SIZES; size++)
    for (int32_t dtype = 0; dtype < DTYPES; dtype++) {
      struct gb_case c;
      if (size > 0 && dtype != MATMUL_BF16) continue;
      open_case(&c, size, dtype, 0);
      struct matmul_check check = check_of(&c);
      matmul_check_on_host(&check);
      judge(&c, &check, "cpu");
      matmul_check_close(&check);
      close_case(&c);
    }
}

/* ---- On a GPU ---- */

#ifdef GPUBENCH_CUDA
static cudaStream_t stream;
static int sizes_wanted = SIZES;

static struct CUstream_st *stream_of(gb_case *c) {
  (void)c;
  return stream;
}

static void *allocate(gb_case *c, uint32_t kind, uint64_t bytes) {
  if (kind != GB_MEM_DEVICE || c->memory != NULL) return NULL;
  if (cudaMalloc(&c->memory, bytes) != cudaSuccess) return NULL;
  return cudaMemset(c->memory, 0xFF, bytes) == cudaSuccess ? c->memory : NULL;
}

static const gb_cuda_ext cuda = {GB_SIZE(gb_cuda_ext), .stream = stream_of};
static const gb_mem_ext mem = {GB_SIZE(gb_mem_ext), .alloc = allocate};

/* Checks that the sums of GPU and CPU are equal up to rounding, relative to the size of the sums. */
static void same(const struct gb_case *c, const char *what, const double *gpu, const double *cpu, int64_t count) {
  double size = 0, off = 0;
  for (int64_t i = 0; i < count; i++) {
    const double by = fabs(gpu[i] - cpu[i]);
    size += cpu[i] * cpu[i];
    off = by <= off ? off : by; /* true for NaN as well */
  }
  size = sqrt(size / (double)count);
  if (off <= 1e-12 * size)
    UNIT_PASS();
  else
    UNIT_FAIL("%s, type %d, %lld x %lld x %lld: off by %.3g of %.3g", what, c->dtype, (long long)c->m, (long long)c->n,
              (long long)c->k, off, size);
}

/* Returns the weighted sums of the elements of c, and the sums of their squares, computed one element after another. */
static double *measure(const struct gb_case *c, const struct matmul_check *s) {
  double *sums = claim(s->sum_rows * s->blocks * (MATMUL_VECTORS + 1), sizeof *sums);
  for (int64_t i = 0; i < s->sum_rows; i++)
    for (int64_t j = 0; j < s->sum_columns; j++) {
      double *to = sums + (i * s->blocks + j / s->width) * (MATMUL_VECTORS + 1);
      float stored;
      const double value = (double)*get(c, s->sum_row[i] * c->n + s->sum_column[j], &stored);
      for (int v = 0; v < MATMUL_VECTORS; v++)
        to[v] += s->weight[j * MATMUL_VECTORS + v] * value;
      to[MATMUL_VECTORS] += value * value;
    }
  return sums;
}

/* Compares the sums of GPU and CPU from the same rows, columns and weights; a second run on the GPU must give the
 * same bits. */
static void agree(struct gb_case *c, const struct matmul_check *gpu) {
  struct matmul_check_work work = matmul_check_host;
  struct matmul_check cpu = check_of(c);
  work.stride = gpu->work->stride;
  cpu.work = &work;
  ASSERT_EQ_INT(matmul_check_reference(&sdk, c, &cpu), GB_OK);
  const struct matmul_measured rounding = {.error = 1e-2, .rms = sqrt((double)c->k)};
  const int64_t count = cpu.sum_rows * cpu.blocks;
  double *found = claim(count * (MATMUL_VECTORS + 1), sizeof *found), *again = claim(count * 5, sizeof *again);
  double *written = measure(c, &cpu);
  for (int time = 0; time < 2; time++) {
    double *to = time == 0 ? found : again;
    ASSERT_EQ_INT(gpu->work->state(&sdk, c, (struct matmul_check *)(uintptr_t)gpu), GB_OK);
    ASSERT_EQ_INT(matmul_check_device_sums(gpu, to, NULL), 0);
    if (time == 0) same(c, "sums of the inputs", to, cpu.sums, count * MATMUL_VECTORS);
  }
  ASSERT_TRUE(memcmp(found, again, (size_t)(count * MATMUL_VECTORS) * sizeof *found) == 0);
  for (int time = 0; time < 2; time++) {
    double *to = time == 0 ? found : again;
    ASSERT_EQ_INT(gpu->work->compare(&sdk, c, gpu, &rounding), GB_OK);
    ASSERT_EQ_INT(matmul_check_device_sums(gpu, NULL, to), 0);
    if (time == 0) same(c, "sums of c", to, written, count * (MATMUL_VECTORS + 1));
  }
  ASSERT_TRUE(memcmp(found, again, (size_t)(count * (MATMUL_VECTORS + 1)) * sizeof *found) == 0);
  matmul_check_close(&cpu);
  free(found), free(again), free(written);
}

static void on_a_gpu(void) {
  sdk.cuda = &cuda;
  sdk.mem = &mem;
  ASSERT_TRUE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  for (int size = 0; size < sizes_wanted; size++)
    for (int32_t dtype = 0; dtype < DTYPES; dtype++) {
      struct gb_case c;
      open_case(&c, size, dtype, 1);
      struct matmul_check check = check_of(&c);
      ASSERT_EQ_INT(matmul_check_on_device(&sdk, &c, &check, dtype), GB_OK);
      judge(&c, &check, "cuda");
      agree(&c, &check);
      matmul_check_close(&check);
      close_case(&c);
    }
  cudaStreamDestroy(stream);
}

static int has_gpu(void) {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}
#endif

int main(int argc, char **argv) {
  static const struct unit_test cpu[] = {UNIT_TEST(here)};
  if (argc < 2 || strcmp(argv[1], "gpu") != 0) return unit_run("matmul_check", cpu, 1);
#ifdef GPUBENCH_CUDA
  static const struct unit_test gpu[] = {UNIT_TEST(on_a_gpu)};
  if (argc > 2 && atoi(argv[2]) < SIZES) sizes_wanted = atoi(argv[2]);
  if (has_gpu()) return unit_run("matmul_check_gpu", gpu, 1);
#endif
  puts("skipped: no NVIDIA GPU here");
  return 77;
}

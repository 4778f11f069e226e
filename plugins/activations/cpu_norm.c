/* LayerNorm, RMSNorm and LayerNorm with GELU on the CPU. Each thread computes whole rows. This file does not use the
 * plugin interface. */
#include <assert.h>
#include <math.h>

#include "approx.h"
#include "cpu.h"

typedef struct row_args {
  const void *x; /* the row */
  const void *z; /* added to the row; NULL: nothing is added */
  void *s;       /* where x + z is stored */
  const void *gamma;
  const void *beta;
  void *y;
  int64_t n;
  enum activations_dtype dtype;
  float *scratch; /* scratch memory of this thread */
  float *mean;    /* where the row's mean is stored; NULL: it is not stored */
  float *rstd;
} row_args;

typedef void (*row_fn)(const row_args *row);

int64_t activations_cpu_scratch(int64_t n) {
  return (n + 15) / 16 * 16; /* a multiple of a cache line, so that threads do not share lines */
}

static int run_norm_rows(const struct activations_call *call, void *y, row_fn fn) {
  const int64_t pitch = call->n * element_size(call->dtype);
  const int64_t chunk = activations_cpu_scratch(call->n);
  const int threads = call->threads;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int part = 0; part < threads; part++) {
    float *scratch = call->scratch == NULL ? NULL : call->scratch + part * chunk;
    for (int64_t i = call->m * part / threads; i < call->m * (part + 1) / threads; i++) {
      const row_args row = {.x = (const char *)call->x + i * pitch,
                            .z = call->s == NULL ? NULL : (const char *)call->z + i * pitch,
                            .s = call->s == NULL ? NULL : (char *)call->s + i * pitch,
                            .gamma = call->gamma,
                            .beta = call->beta,
                            .y = (char *)y + i * pitch,
                            .n = call->n,
                            .dtype = call->dtype,
                            .scratch = scratch,
                            .mean = call->mean == NULL ? NULL : call->mean + i,
                            .rstd = call->rstd == NULL ? NULL : call->rstd + i};
      fn(&row);
    }
  }
  return 0;
}

INLINE void save(const row_args *row, float mean, float scale) {
  if (row->mean != NULL) *row->mean = mean;
  if (row->rstd != NULL) *row->rstd = scale;
}

/* ---- Variant "naive": one pass each for mean, mean square and result, with sums in double ----------------------- */

static void naive_norm_row(const row_args *row, int centred) {
  double sum = 0.0, square = 0.0;
  for (int64_t i = 0; centred && i < row->n; i++)
    sum += (double)load_element(row->x, row->dtype, i);
  const float mean = (float)(sum / (double)row->n);
  for (int64_t i = 0; i < row->n; i++) {
    const double d = (double)(load_element(row->x, row->dtype, i) - mean);
    square += d * d;
  }
  const float scale = 1.0f / sqrtf((float)(square / (double)row->n) + ACTIVATIONS_EPSILON);
  save(row, mean, scale);
  for (int64_t i = 0; i < row->n; i++) {
    const float gamma = load_element(row->gamma, row->dtype, i);
    const float beta = centred ? load_element(row->beta, row->dtype, i) : 0.0f;
    store_element(row->y, row->dtype, i, (load_element(row->x, row->dtype, i) - mean) * scale * gamma + beta);
  }
}

static void naive_layernorm(const row_args *row) {
  naive_norm_row(row, 1);
}

static void naive_rmsnorm(const row_args *row) {
  naive_norm_row(row, 0);
}

/* Stores x + z in s first, and then normalises the stored sum. */
static void naive_add(const row_args *row, int centred) {
  row_args sum = *row;
  sum.x = row->s;
  for (int64_t i = 0; i < row->n; i++)
    store_element(row->s, row->dtype, i, load_element(row->x, row->dtype, i) + load_element(row->z, row->dtype, i));
  naive_norm_row(&sum, centred);
}

static void naive_add_layernorm(const row_args *row) {
  naive_add(row, 1);
}

static void naive_add_rmsnorm(const row_args *row) {
  naive_add(row, 0);
}

int activations_cpu_add_layernorm_naive(const struct activations_call *call) {
  return run_norm_rows(call, call->y, naive_add_layernorm);
}

int activations_cpu_add_rmsnorm_naive(const struct activations_call *call) {
  return run_norm_rows(call, call->y, naive_add_rmsnorm);
}

int activations_cpu_layernorm_naive(const struct activations_call *call) {
  return run_norm_rows(call, call->y, naive_layernorm);
}

int activations_cpu_rmsnorm_naive(const struct activations_call *call) {
  return run_norm_rows(call, call->y, naive_rmsnorm);
}

/* ---- Variant "fused": the row is kept in the cache as floats ----------------------------------------------------- */

/* Stores a block of x + z in s, and returns the sums as floats, rounded to the storage type. For fp32 these are in s
 * itself. For 16-bit types they are converted back into `kept`. */
INLINE const float *add_block(const row_args *row, int64_t first, int count, float *kept) {
  float buffer[BLOCK], sums[BLOCK];
  const float *restrict x = load_block(row->x, row->dtype, first, count, kept);
  const float *restrict z = load_block(row->z, row->dtype, first, count, buffer);
  float *restrict sum = result_block(row->s, row->dtype, first, sums);
#pragma omp simd
  for (int j = 0; j < count; j++)
    sum[j] = x[j] + z[j];
  store_block(row->s, row->dtype, first, count, sum);
  return load_block(row->s, row->dtype, first, count, kept);
}

/* Copies the row into the scratch memory as floats, after adding z if there is one, and returns the sum of its
 * elements. Each block is summed separately, so that errors do not grow along the row. */
INLINE float load_row(const row_args *row) {
  float sum = 0.0f;
  assert(row->scratch != NULL);
  for (int64_t i = 0; i < row->n; i += BLOCK) {
    const int count = block_count(row->n, i);
    float *kept = row->scratch + i;
    const float *x = row->z != NULL ? add_block(row, i, count, kept) : load_block(row->x, row->dtype, i, count, kept);
    float part = 0.0f;
#pragma omp simd reduction(+ : part)
    for (int j = 0; j < count; j++) {
      kept[j] = x[j];
      part += x[j];
    }
    sum += part;
  }
  return sum;
}

INLINE float deviations(const row_args *row, float mean) {
  float sum = 0.0f;
  for (int64_t i = 0; i < row->n; i += BLOCK) {
    const int count = block_count(row->n, i);
    const float *x = row->scratch + i;
    float part = 0.0f;
#pragma omp simd reduction(+ : part)
    for (int j = 0; j < count; j++)
      part += (x[j] - mean) * (x[j] - mean);
    sum += part;
  }
  return sum;
}

/* Prefetches the block at the same place in the next row, so that memory is busy while this row is computed. */
INLINE void fetch_below(const void *x, const row_args *row, int64_t first, int count) {
  const int size = element_size(row->dtype);
  fetch_ahead((const char *)x + (row->n + first) * size, count * size);
}

enum finish { LAYERNORM, RMSNORM, LAYERNORM_GELU };

INLINE void write_row(const row_args *row, enum finish finish, float mean, float scale) {
  float gammas[BLOCK], betas[BLOCK], out[BLOCK];
  for (int64_t i = 0; i < row->n; i += BLOCK) {
    const int count = block_count(row->n, i);
    fetch_below(row->x, row, i, count);
    if (row->z != NULL) fetch_below(row->z, row, i, count);
    const float *restrict x = row->scratch + i;
    const float *restrict gamma = load_block(row->gamma, row->dtype, i, count, gammas);
    const float *restrict beta = finish == RMSNORM ? gamma : load_block(row->beta, row->dtype, i, count, betas);
    float *restrict y = result_block(row->y, row->dtype, i, out);
    if (finish == RMSNORM) {
#pragma omp simd
      for (int j = 0; j < count; j++)
        y[j] = x[j] * scale * gamma[j];
    } else {
#pragma omp simd
      for (int j = 0; j < count; j++)
        y[j] = (x[j] - mean) * scale * gamma[j] + beta[j];
    }
    if (finish == LAYERNORM_GELU) {
#pragma omp simd
      for (int j = 0; j < count; j++)
        y[j] = approx_gelu_erf(y[j]);
    }
    store_block(row->y, row->dtype, i, count, y);
  }
}

INLINE void fused_row(const row_args *row, enum finish finish) {
  const float sum = load_row(row);
  const float mean = finish == RMSNORM ? 0.0f : sum / (float)row->n;
  const float scale = 1.0f / sqrtf(deviations(row, mean) / (float)row->n + ACTIVATIONS_EPSILON);
  save(row, mean, scale);
  write_row(row, finish, mean, scale);
}

HOT static void fused_layernorm(const row_args *row) {
  fused_row(row, LAYERNORM);
}

HOT static void fused_rmsnorm(const row_args *row) {
  fused_row(row, RMSNORM);
}

HOT static void fused_layernorm_gelu(const row_args *row) {
  fused_row(row, LAYERNORM_GELU);
}

int activations_cpu_layernorm_fused(const struct activations_call *call) {
  return run_norm_rows(call, call->y, fused_layernorm);
}

int activations_cpu_rmsnorm_fused(const struct activations_call *call) {
  return run_norm_rows(call, call->y, fused_rmsnorm);
}

int activations_cpu_layernorm_saved_naive(const struct activations_call *call) {
  return run_norm_rows(call, call->y, naive_layernorm);
}

int activations_cpu_rmsnorm_saved_naive(const struct activations_call *call) {
  return run_norm_rows(call, call->y, naive_rmsnorm);
}

int activations_cpu_layernorm_saved_fused(const struct activations_call *call) {
  return run_norm_rows(call, call->y, fused_layernorm);
}

int activations_cpu_rmsnorm_saved_fused(const struct activations_call *call) {
  return run_norm_rows(call, call->y, fused_rmsnorm);
}

int activations_cpu_add_layernorm_fused(const struct activations_call *call) {
  return run_norm_rows(call, call->y, fused_layernorm);
}

int activations_cpu_add_rmsnorm_fused(const struct activations_call *call) {
  return run_norm_rows(call, call->y, fused_rmsnorm);
}

int activations_cpu_layernorm_gelu_fused(const struct activations_call *call) {
  return run_norm_rows(call, call->y, fused_layernorm_gelu);
}

int activations_cpu_layernorm_gelu_unfused(const struct activations_call *call) {
  struct activations_call gelu = *call;
  gelu.x = call->middle;
  gelu.form = ACTIVATIONS_ERF;
  run_norm_rows(call, call->middle, fused_layernorm);
  return activations_cpu_gelu_fast(&gelu);
}

/* Softmax of rows with elements hidden by a mask, for the CPU. Each thread works on one row at a time. This file does
 * not use the plugin interface. */
#include <assert.h>
#include <string.h>

#include "cpu.h"

typedef struct masked_args {
  row_args row;        /* row.n is the number of leading elements that the mask may show */
  const uint8_t *mask; /* one byte for each element, 0 hides it; NULL: no element is hidden */
} masked_args;

/* Returns elements [first, first + count) of the row as floats. Hidden elements become -inf. */
INLINE const float *load_seen(const masked_args *args, int64_t first, int count, float *buffer) {
  const float *x = load_block(&args->row, first, count, buffer);
  if (args->mask == NULL) return x;
  const uint8_t *mask = args->mask + first;
  for (int i = 0; i < count; i++)
    buffer[i] = mask[i] != 0 ? x[i] : -INFINITY;
  return buffer;
}

/* ---- Variants -------------------------------------------------------------------------------------------------- */

HOT static void naive_masked_row(const masked_args *args) {
  const row_args *row = &args->row;
  float in[BLOCK], out[BLOCK], max = -INFINITY, sum = 0.0f;
  for (int64_t i = 0; i < row->n; i += BLOCK) {
    const int count = block_count(row->n, i);
    max = max_of(load_seen(args, i, count, in), count, max);
  }
  const float shift = shift_of(max);
  for (int64_t i = 0; i < row->n; i += BLOCK) {
    const int count = block_count(row->n, i);
    sum += sum_exp(load_seen(args, i, count, in), count, shift);
  }
  const float scale = 1.0f / sum;
  for (int64_t i = 0; i < row->n; i += BLOCK) {
    const int count = block_count(row->n, i);
    const float *x = load_seen(args, i, count, in);
    float *y = result_block(row, i, out);
#pragma omp simd
    for (int j = 0; j < count; j++)
      y[j] = exp_fast(x[j] - shift) * scale;
    store_block(row, i, count, y);
  }
}

/* Reads x once. The first loop computes, for each block, the maximum so far and the exponentials relative to that
 * maximum, and keeps both. The second loop rescales the exponentials of all blocks to the final maximum. */
HOT static void fused_masked_row(const masked_args *args) {
  const row_args *row = &args->row;
  float buffer[BLOCK];
  assert(row->scratch != NULL);
  float *held = held_row(row), *maxima = row->scratch + row->n;
  float max = -INFINITY, sum = 0.0f;
  for (int64_t i = 0; i < row->n; i += BLOCK) {
    const int count = block_count(row->n, i);
    const float *x = load_seen(args, i, count, buffer);
    const float grown = max_of(x, count, max);
    fetch_behind(row, i, count);
    const float shift = shift_of(grown);
    sum = sum * exp_fast(max - shift) + write_exp(held + i, x, count, shift);
    max = maxima[i / BLOCK] = grown;
  }
  for (int64_t i = 0; i < row->n; i += BLOCK) {
    const int count = block_count(row->n, i);
    float *y = result_block(row, i, buffer);
    scale_block(y, held + i, count, exp_fast(maxima[i / BLOCK] - shift_of(max)) / sum);
    store_block(row, i, count, y);
  }
}

/* Copies the elements of x that the mask shows, and writes 0 elsewhere. This variant shows how fast a row can be
 * copied; it is for comparison only. */
HOT static void copy_masked_row(const masked_args *args) {
  const row_args *row = &args->row;
  const int64_t size = row->dtype == SOFTMAX_FP32 ? 4 : 2;
  if (args->mask == NULL) {
    memcpy(row->y, row->x, (size_t)(row->n * size));
  } else if (size == 4) {
    for (int64_t i = 0; i < row->n; i++)
      ((uint32_t *)row->y)[i] = args->mask[i] != 0 ? ((const uint32_t *)row->x)[i] : 0;
  } else {
    for (int64_t i = 0; i < row->n; i++)
      ((uint16_t *)row->y)[i] = args->mask[i] != 0 ? ((const uint16_t *)row->x)[i] : 0;
  }
}

/* Writes 0, the result of hidden elements, to elements [seen, n) of y. If element 0 of y is NaN, all results of the row
 * should be, and NaN is written instead. */
static void fill_hidden(char *y, int64_t seen, int64_t n, int dtype) {
  if (dtype == SOFTMAX_FP32) {
    float *row = (float *)y;
    const float hidden = isnan(row[0]) ? row[0] : 0.0f;
    for (int64_t i = seen; i < n; i++)
      row[i] = hidden;
  } else {
    uint16_t *row = (uint16_t *)y;
    const uint16_t hidden = isnan(dtype == SOFTMAX_FP16 ? from_fp16(row[0]) : from_bf16(row[0])) ? row[0] : 0;
    for (int64_t i = seen; i < n; i++)
      row[i] = hidden;
  }
}

typedef void (*masked_fn)(const masked_args *args);

/* Calls `fn` for every row, on all threads. With a causal mask (call->mask is NULL), row i shows elements 0 to i only:
 * `fn` gets these elements, and the hidden ones are written afterwards. */
static int run_masked_rows(const struct masked_call *call, masked_fn fn) {
  const int64_t pitch = call->n * (call->dtype == SOFTMAX_FP32 ? 4 : 2), chunk = softmax_cpu_scratch(call->n);
  const int threads = call->threads;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int part = 0; part < threads; part++)
    for (int64_t i = call->rows * part / threads; i < call->rows * (part + 1) / threads; i++) {
      const int64_t number = i % call->m, seen = call->mask != NULL || number >= call->n ? call->n : number + 1;
      char *y = (char *)call->y + i * pitch;
      const masked_args args = {.row = {.x = (const char *)call->x + i * pitch,
                                        .y = y,
                                        .n = seen,
                                        .dtype = call->dtype,
                                        .scratch = call->scratch == NULL ? NULL : call->scratch + part * chunk},
                                .mask = call->mask == NULL ? NULL : call->mask + number * call->n};
      fn(&args);
      fill_hidden(y, seen, call->n, call->dtype);
    }
  return 0;
}

int masked_cpu_naive(const struct masked_call *call) {
  return run_masked_rows(call, naive_masked_row);
}

int masked_cpu_fused(const struct masked_call *call) {
  return run_masked_rows(call, fused_masked_row);
}

int masked_cpu_copy(const struct masked_call *call) {
  return run_masked_rows(call, copy_masked_row);
}

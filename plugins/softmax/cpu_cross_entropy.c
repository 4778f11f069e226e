/* Cross-entropy for the CPU. Each thread works on one row at a time. This file does not use the plugin interface. */
#include "cpu.h"

typedef float (*loss_fn)(const row_args *row, int64_t target);

static float logit_at(const row_args *row, int64_t i) {
  if (row->dtype == SOFTMAX_FP32) return ((const float *)row->x)[i];
  const uint16_t code = ((const uint16_t *)row->x)[i];
  return row->dtype == SOFTMAX_FP16 ? from_fp16(code) : from_bf16(code);
}

static float row_loss(const row_args *row, row_stat s, int64_t target) {
  return logf(s.sum) + (s.max - logit_at(row, target));
}

HOT static float naive_loss(const row_args *row, int64_t target) {
  return row_loss(row, naive_stat(row), target);
}

HOT static float online_loss(const row_args *row, int64_t target) {
  return row_loss(row, online_stat(row), target);
}

/* Reads and adds every element of the row. This variant shows how fast the row can be read; it is for comparison
 * only. */
HOT static float row_sum(const row_args *row, int64_t target) {
  float in[BLOCK], sum = 0.0f;
  (void)target;
  for (int64_t i = 0; i < row->n; i += BLOCK) {
    const int count = block_count(row->n, i);
    const float *x = load_block(row, i, count, in);
#pragma omp simd reduction(+ : sum)
    for (int j = 0; j < count; j++)
      sum += x[j];
  }
  return sum;
}

static int run_loss_rows(const struct cross_entropy_call *call, loss_fn fn) {
  const int64_t pitch = call->n * (call->dtype == SOFTMAX_FP32 ? 4 : 2);
#pragma omp parallel for num_threads(call->threads) schedule(static)
  for (int64_t i = 0; i < call->m; i++) {
    const row_args row = {.x = (const char *)call->x + i * pitch, .n = call->n, .dtype = call->dtype};
    call->loss[i] = fn(&row, call->target[i]);
  }
  return 0;
}

int cross_entropy_cpu_naive(const struct cross_entropy_call *call) {
  return run_loss_rows(call, naive_loss);
}

int cross_entropy_cpu_online(const struct cross_entropy_call *call) {
  return run_loss_rows(call, online_loss);
}

int cross_entropy_cpu_read(const struct cross_entropy_call *call) {
  return run_loss_rows(call, row_sum);
}

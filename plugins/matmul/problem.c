/* The callbacks of the three benches: they say which sizes are supported, declare the tensors and the number of
 * operations, and compute the reference (the expected output). The check itself is in check.c, check_sums.c and
 * check_device.c. */
#include "problem.h"

#include <stdlib.h>

#include "check.h"

gb_sdk matmul_gb;

#define MOST ((int64_t)1 << 24)          /* m, n and k must be less than this */
#define MOST_OUTPUTS ((int64_t)1 << 38)  /* limit of m * n: what a CUDA grid of the smallest tiles covers */
#define MOST_PRODUCTS ((int64_t)1 << 60) /* limit of m * n * k, so that 64 bits can count operations */

/* Limits of m * n * k and of k for the benches with an epilogue: every element is compared with a plain fp32 product,
 * which takes half a second on an H200 at the first limit. */
#define MOST_CHECKED ((int64_t)1 << 43)
#define MOST_DEPTH ((int64_t)1 << 16)

const char *const matmul_dtype_names[] = {
    [MATMUL_FP32] = "fp32", [MATMUL_FP16] = "fp16", [MATMUL_BF16] = "bf16", [MATMUL_E4M3] = "e4m3"};

static int32_t matmul_dtype_of(gb_case *c) {
  for (int32_t i = 0; i < 4; i++)
    if (gb_axis_is(&matmul_gb, c, "dtype", matmul_dtype_names[i])) return i;
  return MATMUL_FP32;
}

static uint32_t matmul_storage(int32_t dtype) {
  return gb_dtype_named(matmul_dtype_names[dtype]);
}

uint64_t matmul_bytes(int32_t dtype) {
  return gb_dtype_bytes(matmul_storage(dtype));
}

int32_t matmul_out_dtype(int32_t dtype) {
  return dtype == MATMUL_E4M3 ? MATMUL_BF16 : dtype;
}

struct matmul_problem matmul_problem_of(gb_case *c) {
  return (struct matmul_problem){.m = matmul_gb.point->i64(c, "m"),
                                 .n = matmul_gb.point->i64(c, "n"),
                                 .k = matmul_gb.point->i64(c, "k"),
                                 .dtype = matmul_dtype_of(c)};
}

static int32_t epilogue_of(const gb_bench *self) {
  return self->user != NULL ? *(const int32_t *)self->user : MATMUL_PLAIN;
}

gb_status matmul_gemm_supports(const gb_bench *self, gb_case *c) {
  gb_status status = gb_axis_within(&matmul_gb, c, "m", 1, MOST - 1);
  if (status == GB_OK) status = gb_axis_within(&matmul_gb, c, "n", 1, MOST - 1);
  if (status == GB_OK) status = gb_axis_within(&matmul_gb, c, "k", 1, MOST - 1);
  if (status != GB_OK) return status;
  const struct matmul_problem p = matmul_problem_of(c);
  if (p.m > MOST_OUTPUTS / p.n || p.m * p.n > MOST_PRODUCTS / p.k)
    return gb_failf(&matmul_gb, c, GB_SKIP, "m n must be at most 2^38 and m n k 2^60, not %lld * %lld * %lld",
                    (long long)p.m, (long long)p.n, (long long)p.k);
  if (epilogue_of(self) != MATMUL_PLAIN && (p.k > MOST_DEPTH || p.m * p.n * p.k > MOST_CHECKED))
    return gb_failf(&matmul_gb, c, GB_SKIP, "%s is for k up to 2^16 and m n k up to 2^43", self->name);
  return GB_OK;
}

static gb_status declare_operand(gb_case *c, const char *name, int64_t rows, int64_t columns, int32_t dtype,
                                 double deviation) {
  const int64_t shape[] = {rows, columns};
  const gb_tensor t = {GB_SIZE(gb_tensor), .role = GB_IN,  .dtype = matmul_storage(dtype), .rank = 2,
                       .name = name,       .shape = shape, .fill = GB_FILL_NORMAL,         .fill_b = deviation};
  return matmul_gb.tensor->declare(c, &t);
}

/* Declares the input of the epilogue. If c has fewer than 64 elements, the bias is about 8: otherwise all of them might
 * lie in the negative tail of GELU, where relative errors are large. */
static gb_status declare_extra(gb_case *c, const struct matmul_problem *p, int32_t epilogue) {
  const gb_tensor bias = {
      GB_SIZE(gb_tensor), .role = GB_IN,          .dtype = matmul_storage(p->dtype),      .rank = 1,    .name = "bias",
      .shape = &p->n,     .fill = GB_FILL_NORMAL, .fill_a = p->m * p->n < 64 ? 8.0 : 0.0, .fill_b = 0.5};
  if (epilogue == MATMUL_ADD) return declare_operand(c, "r", p->m, p->n, p->dtype, 1.0);
  return epilogue == MATMUL_BIAS_GELU ? matmul_gb.tensor->declare(c, &bias) : GB_OK;
}

/* Declares c. gpubench derives the tolerance from the number of terms of a sum (`reduction`). With GELU, 2048 is added
 * to this number, because GELU adds an error: with cuBLASLt in fp32, 2.9e-6 relative to the norm. */
static gb_status declare_product(gb_case *c, const struct matmul_problem *p, int32_t epilogue) {
  const int64_t shape[] = {p->m, p->n};
  const gb_tensor t = {GB_SIZE(gb_tensor),
                       .role = GB_OUT,
                       .dtype = matmul_storage(matmul_out_dtype(p->dtype)),
                       .rank = 2,
                       .name = "c",
                       .shape = shape,
                       .reduction = (uint64_t)p->k + (epilogue == MATMUL_BIAS_GELU ? 2048 : 0)};
  return matmul_gb.tensor->declare(c, &t);
}

static gb_status declare_gemm_work(gb_case *c, const struct matmul_problem *p, int32_t epilogue) {
  const uint64_t m = (uint64_t)p->m, n = (uint64_t)p->n, k = (uint64_t)p->k;
  const uint64_t extra = epilogue == MATMUL_ADD ? m * n : epilogue == MATMUL_BIAS_GELU ? n : 0;
  const gb_work work = {GB_SIZE(gb_work), .flops = 2 * m * n * k,
                        .bytes_read = ((m + n) * k + extra) * matmul_bytes(p->dtype),
                        .bytes_written = m * n * matmul_bytes(matmul_out_dtype(p->dtype))};
  return matmul_gb.point->work(c, &work);
}

/* Returns the limit of the sample's error for e4m3; 0 (no limit of our own) for other types. Products of e4m3 inputs
 * are exact, so that errors come only from rounding results to bf16 and from the sums in tensor cores, which keep 14
 * bits on Hopper and truncate once every 32 products. */
static double error_most(const struct matmul_problem *p) {
  return p->dtype == MATMUL_E4M3 ? 2.5e-3 + 0x1p-14 * (8.0 + (double)p->k / 32.0) : 0.0;
}

/* Chooses where the check computes and compares its sums: on the GPU if the case runs on CUDA, else on the CPU. */
static gb_status place_check(gb_case *c, struct matmul_check *check, int32_t dtype) {
#ifdef GPUBENCH_CUDA
  if (matmul_gb.cuda->stream(c) != NULL) return matmul_check_on_device(&matmul_gb, c, check, dtype);
#endif
  (void)c, (void)dtype;
  matmul_check_on_host(check);
  return GB_OK;
}

gb_status matmul_gemm_setup(const gb_bench *self, gb_case *c, void **state) {
  const struct matmul_problem p = matmul_problem_of(c);
  const int32_t epilogue = epilogue_of(self);
  /* standard deviation of b; smaller with an epilogue, because most sums of larger numbers would lie where GELU is 0 or
   * linear */
  const double deviation = epilogue == MATMUL_PLAIN ? 1.0 : 0x1p-5;
  gb_status status = declare_operand(c, "a", p.m, p.k, p.dtype, 1.0);
  if (status == GB_OK) status = declare_operand(c, "b", p.n, p.k, p.dtype, deviation);
  if (status == GB_OK) status = declare_extra(c, &p, epilogue);
  if (status == GB_OK) status = declare_product(c, &p, epilogue);
  if (status == GB_OK) status = declare_gemm_work(c, &p, epilogue);
  struct matmul_check *check = status == GB_OK ? calloc(1, sizeof *check) : NULL;
  if (status != GB_OK) return status;
  if (check == NULL) return gb_failf(&matmul_gb, c, GB_ENOMEM, "no host memory");
  *check = (struct matmul_check){.m = p.m, .n = p.n, .k = p.k, .epilogue = epilogue, .error_most = error_most(&p)};
  status = place_check(c, check, p.dtype);
  if (status == GB_OK)
    *state = check;
  else {
    matmul_check_close(check);
    free(check);
  }
  return status;
}

gb_status matmul_gemm_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  return matmul_check_reference(&matmul_gb, c, state);
}

gb_status matmul_gemm_verify(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  return matmul_check_verify(&matmul_gb, c, state);
}

void matmul_gemm_teardown(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)c;
  matmul_check_close(state);
  free(state);
  matmul_cpu_stop_threads();
}

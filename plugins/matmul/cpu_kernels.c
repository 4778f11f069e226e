/* The fp32 kernels, one for each instruction set. A kernel keeps ROWS rows of VECTORS vectors of sums in registers.
 * Together with one row of packed b (VECTORS vectors) they just fill the registers. */
#include "cpu_kernels.h"

#include <string.h>

#include "kernels.h"

/* Strict ISO mode forbids contracting a * b + c into one instruction, which this file's speed depends on. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT ON
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=fast")
#endif

#define CHUNK 4

static int blocked_always(void) {
  return 1;
}

#ifdef __x86_64__
#include <immintrin.h>

#define NAME multiply_avx512
#define TARGET __attribute__((target("avx512f")))
#define LANES 16
#define VECTORS 2
#define ROWS 14
#define ADD_PRODUCT(sum, left, right) \
  __asm__("vfmadd231ps %1, %2, %0" : "+v"(sum) : "v"(_mm512_set1_ps(left)), "v"(right))
#include "cpu_kernel.h"

#define NAME multiply_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define LANES 8
#define VECTORS 2
#define ROWS 6
#define ADD_PRODUCT(sum, left, right) \
  __asm__("vfmadd231ps %1, %2, %0" : "+x"(sum) : "x"(_mm256_set1_ps(left)), "x"(right))
#include "cpu_kernel.h"

static int blocked_has_avx512(void) {
  return __builtin_cpu_supports("avx512f") != 0;
}

static int blocked_has_avx2(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static const struct matmul_cpu_kernel avx512 = {"avx512, 14 x 32",  14,   32,   CHUNK,          0,
                                                blocked_has_avx512, NULL, NULL, multiply_avx512};
static const struct matmul_cpu_kernel avx2 = {"avx2, 6 x 16",   6,    16,   CHUNK,        0,
                                              blocked_has_avx2, NULL, NULL, multiply_avx2};
#endif

/* The kernel for every 64-bit machine: vectors of four floats, in 16 registers (x86-64) or 32 (aarch64). */
#ifdef __aarch64__
#define BASE_ROWS 8
#define BASE_VECTORS 3
#define BASE_LABEL "8 x 12"
#else
#define BASE_ROWS 6
#define BASE_VECTORS 2
#define BASE_LABEL "6 x 8"
#endif
#define NAME multiply_base
#define TARGET
#define LANES 4
#define VECTORS BASE_VECTORS
#define ROWS BASE_ROWS
#define ADD_PRODUCT(sum, left, right) sum += left * right
#include "cpu_kernel.h"

static const struct matmul_cpu_kernel base = {
    "vectors of four, " BASE_LABEL, BASE_ROWS, 4 * BASE_VECTORS, CHUNK, 0, blocked_always, NULL, NULL, multiply_base};

const struct matmul_cpu_kernel *const matmul_cpu_kernels[] = {
#ifdef __x86_64__
    &matmul_cpu_amx, &avx512, &avx2,
#endif
    &base, NULL};

const struct matmul_cpu_kernel *matmul_cpu_kernel_for(const struct matmul_problem *p) {
  const struct matmul_cpu_kernel *const *k = matmul_cpu_kernels;
  while (((*k)->pairs && p->dtype != MATMUL_BF16) || !(*k)->usable())
    k++;
  return *k;
}

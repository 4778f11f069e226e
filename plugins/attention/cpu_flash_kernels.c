/* The kernels of flash attention on the CPU, one for each instruction set. A kernel keeps ROWS rows of VECTORS vectors
 * of sums in registers. Together with one row of a panel (VECTORS vectors) they just fill the registers. */
#include <math.h>

#include "cpu.h"
#include "cpu_flash.h"

static int flash_always(void) {
  return 1;
}

#ifdef __x86_64__
#include <immintrin.h>

#define NAME(part) part##_avx512
#define TARGET __attribute__((target("avx512f")))
#define FLOATS 16
#define VECTORS 3
#define ROWS 8
#define LARGER(x, y) _mm512_max_ps(x, y)
#define ADD_PRODUCT(sum, left, right) \
  __asm__("vfmadd231ps %1, %2, %0" : "+v"(sum) : "v"(_mm512_set1_ps(left)), "v"(right))
#include "cpu_flash_kernel.h"

#define NAME(part) part##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define FLOATS 8
#define VECTORS 3
#define ROWS 4
#define LARGER(x, y) _mm256_max_ps(x, y)
#define ADD_PRODUCT(sum, left, right) \
  __asm__("vfmadd231ps %1, %2, %0" : "+x"(sum) : "x"(_mm256_set1_ps(left)), "x"(right))
#include "cpu_flash_kernel.h"

static int flash_has_avx512(void) {
  return __builtin_cpu_supports("avx512f") != 0;
}

static int flash_has_avx2(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static const struct flash_kernel avx512 = {"avx512, 8 x 48", 48, 8, flash_has_avx512, take_avx512};
static const struct flash_kernel avx2 = {"avx2, 4 x 24", 24, 4, flash_has_avx2, take_avx2};
#endif

/* The kernel for every 64-bit machine: vectors of four floats, in 16 registers (x86-64) or 32 (aarch64). */
#ifdef __aarch64__
#define BASE_ROWS 8
#define BASE_VECTORS 3
#define BASE_LABEL "8 x 12"
#else
#define BASE_ROWS 4
#define BASE_VECTORS 2
#define BASE_LABEL "4 x 8"
#endif
#define NAME(part) part##_base
#define TARGET
#define FLOATS 4
#define VECTORS BASE_VECTORS
#define ROWS BASE_ROWS
#define LARGER(x, y) larger_base(x, y)
#define ADD_PRODUCT(sum, left, right) sum += (left) * (right)
typedef float four __attribute__((vector_size(16), aligned(4), may_alias));
/* the type of function arguments, for the reason given for NAME(value) in cpu_flash_kernel.h */
typedef float four_values __attribute__((vector_size(16)));
typedef int32_t four_whole __attribute__((vector_size(16)));
INLINE four_values larger_base(four_values x, four_values y) {
  const four_whole above = x > y;
  return (four_values)(((four_whole)x & above) | ((four_whole)y & ~above));
}
#include "cpu_flash_kernel.h"

static const struct flash_kernel base = {"vectors of four, " BASE_LABEL, 4 * BASE_VECTORS, BASE_ROWS, flash_always,
                                         take_base};

const struct flash_kernel *const flash_kernels[] = {
#ifdef __x86_64__
    &avx512, &avx2,
#endif
    &base, NULL};

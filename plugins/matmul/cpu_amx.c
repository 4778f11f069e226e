/* The bf16 kernel for Intel AMX. A tile register holds 16 rows of 64 bytes, which are 16 words of two bf16 numbers, or
 * 16 fp32 sums. Four tile registers hold the 32 x 32 sums of a block. */
#include "cpu_kernels.h"

#include <stddef.h>

#if defined(__clang__)
#define COMPILER_HAS_AMX (__clang_major__ >= 12)
#else
#define COMPILER_HAS_AMX (__GNUC__ >= 11)
#endif

#if defined(__x86_64__) && defined(__linux__) && COMPILER_HAS_AMX
#include <cpuid.h>
#include <immintrin.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#define AMX __attribute__((target("amx-tile,amx-bf16")))
#define SIDE 32
#define WORDS 16 /* words in a row of a tile register */

/* Returns true if this machine has AMX for bf16 and the operating system lets the process use it. A process must
 * request the tile state (arch_prctl) before any of its threads uses tiles. */
static int request_tiles(void) {
  enum { REQUEST_STATE = 0x1023, TILE_DATA = 18 };
  const unsigned has_bf16 = 1u << 22, has_tiles = 1u << 24;
  unsigned a, b, c, d;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (d & has_bf16) == 0 || (d & has_tiles) == 0) return 0;
  return syscall(SYS_arch_prctl, REQUEST_STATE, TILE_DATA) == 0;
}

/* Returns whether this machine can run the kernel. The answer is remembered, because every run chooses its kernel, and
 * cpuid is slow in a virtual machine. */
static int usable(void) {
  static atomic_int answer = -1;
  if (answer < 0) answer = request_tiles();
  return answer;
}

AMX static void configure_tiles(void) {
  struct {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
  } shapes = {.palette = 1};
  for (int i = 0; i < 8; i++) {
    shapes.row_bytes[i] = WORDS * 4;
    shapes.rows[i] = 16;
  }
  __asm__ volatile("" : : "m"(shapes)); /* gcc's intrinsic declares a read of the first 8 bytes only */
  _tile_loadconfig(&shapes);
}

AMX static void release_tiles(void) {
  _tile_release();
}

AMX static void multiply_tiles(float *c, const float *a, const float *b, int64_t depth) {
  const int64_t row = SIDE * 4;
  float *lower = c + 16 * SIDE;
  _tile_loadd(0, c, row);
  _tile_loadd(1, c + 16, row);
  _tile_loadd(2, lower, row);
  _tile_loadd(3, lower + 16, row);
  for (int64_t i = 0; i < depth; i += WORDS, a += SIDE * WORDS, b += WORDS * SIDE) {
    _tile_loadd(4, a, WORDS * 4);
    _tile_loadd(5, a + 16 * WORDS, WORDS * 4);
    _tile_loadd(6, b, SIDE * 4);
    _tile_loadd(7, b + 16, SIDE * 4);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, c, row);
  _tile_stored(1, c + 16, row);
  _tile_stored(2, lower, row);
  _tile_stored(3, lower + 16, row);
}
#else
#define SIDE 32
#define WORDS 16
static int usable(void) {
  return 0;
}
#define configure_tiles NULL
#define release_tiles NULL
#define multiply_tiles NULL
#endif

const struct matmul_cpu_kernel matmul_cpu_amx = {"amx, 32 x 32",  SIDE,          SIDE,          WORDS, 1, usable,
                                                 configure_tiles, release_tiles, multiply_tiles};

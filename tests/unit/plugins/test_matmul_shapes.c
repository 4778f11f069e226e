/* Tests the choice of the tile shapes that the matmul plugin times for its wgmma kernels. A model estimates the time of
 * each shape, and only the best MATMUL_WGMMA_TIMED shapes are timed. At sizes measured on H200s (plugins/matmul/LAB.md,
 * "Between the presets" and the tables above it), the fastest shape, or one within 0.5% of it, must be among these. */
#include "unit.h"
#ifdef TEST_HOPPER
#include "kernels.h"

#define MULTIPROCESSORS 132

struct measured {
  int64_t m, n, k;
  const char *fastest, *close; /* fastest: the fastest shape; close: a shape within 0.5% of it, or NULL */
};

static const struct measured bf16[] = {
    {1024, 1024, 1024, "64 x 128, a tile a CTA", NULL},
    {2048, 2048, 2048, "256 x 128 in halves, a tile a CTA", NULL},
    {4096, 4096, 4096, "256 x 128 in halves, cluster 1 x 2", "128 x 256 together, cluster 2 x 1"},
    {8192, 8192, 8192, "128 x 192 by turns, cluster 2 x 1", NULL},
    {16384, 16384, 16384, "256 x 128 in halves, a tile a CTA", NULL},
    {4096, 6144, 4096, "128 x 192 by turns, cluster 2 x 1", NULL},
    {4096, 14336, 4096, "128 x 176 by turns, cluster 2 x 1", NULL},
    {4096, 4096, 14336, "128 x 256 together, cluster 2 x 1", NULL},
    {8192, 3072, 768, "128 x 192 by turns, cluster 2 x 1", NULL},
    {4096, 50257, 768, "64 x 256 by turns, cluster 2 x 1", NULL},
    {16, 6144, 4096, "16 x 48, a tile a CTA", NULL},
    {16, 4096, 4096, "16 x 64, a tile two CTAs", NULL},
    {16, 14336, 4096, "16 x 112, a tile a CTA", NULL},
    {16, 4096, 14336, "16 x 64, a tile two CTAs", NULL},
    {16, 10240, 8192, "16 x 96, a tile a CTA", NULL},
    {16, 8192, 8192, "16 x 64, a tile a CTA", NULL},
    {16, 28672, 8192, "16 x 112, a tile a CTA", NULL},
    {16, 8192, 28672, "16 x 64, a tile a CTA", NULL},
    {64, 6144, 4096, "64 x 48, a tile a CTA", NULL},
    {64, 4096, 4096, "64 x 64, a tile two CTAs", NULL},
    {64, 14336, 4096, "64 x 128, a tile a CTA", NULL},
    {64, 10240, 8192, "64 x 128, a tile a CTA", "64 x 80, a tile a CTA"},
    {64, 8192, 8192, "64 x 128, a tile a CTA", "64 x 96, a tile a CTA"},
    {64, 28672, 8192, "64 x 112, a tile a CTA", "64 x 128, a tile a CTA"},
    {128, 4096, 4096, "128 x 64, a tile two CTAs", NULL},
    {128, 4096, 14336, "128 x 64, a tile two CTAs", NULL},
    {96, 4096, 14336, "128 x 64, a tile two CTAs", NULL},
    {128, 6144, 4096, "64 x 128 by turns, cluster 2 x 1", NULL},
    {128, 14336, 4096, "128 x 112, a tile a CTA", NULL},
    {256, 6144, 4096, "128 x 96, a tile a CTA", NULL},
    {256, 4096, 4096, "64 x 128, a tile a CTA", NULL},
    {256, 14336, 4096, "256 x 112 in halves, cluster 1 x 2", NULL},
    {512, 4096, 4096, "128 x 128, a tile a CTA", NULL},
    {512, 14336, 4096, "256 x 112 in halves, cluster 1 x 2", NULL},
    {1024, 14336, 4096, "128 x 176 by turns, cluster 2 x 1", NULL},
    {2048, 14336, 4096, "128 x 256 together, cluster 2 x 1", "128 x 176 by turns, cluster 2 x 1"},
    {512, 512, 512, "16 x 128, a tile a CTA", "64 x 80, a tile a CTA"},
    {640, 640, 640, "64 x 80, a tile a CTA", NULL},
    {1152, 1152, 1152, "128 x 96, a tile a CTA", NULL},
    {1280, 1280, 1280, "128 x 112, a tile a CTA", NULL},
    {1408, 1408, 1408, "128 x 128, a tile a CTA", NULL},
    {1536, 1536, 1536, "128 x 144, a tile a CTA", NULL},
    {1664, 1664, 1664, "128 x 176, a tile a CTA", NULL},
    {1792, 1792, 1792, "128 x 208, a tile a CTA", NULL},
    {2304, 2304, 2304, "128 x 176 by turns, cluster 2 x 1", NULL},
    {2560, 2560, 2560, "128 x 208, a tile a CTA", NULL},
    {3584, 3584, 3584, "128 x 256 together, cluster 2 x 1", "256 x 128 in halves, cluster 1 x 2"},
    {5120, 5120, 5120, "256 x 112 in halves, cluster 1 x 2", NULL},
    {6144, 6144, 6144, "128 x 256 together, cluster 2 x 1", NULL},
};

static const struct measured tf32[] = {
    {1024, 1024, 1024, "64 x 128 by turns, cluster 2 x 1", NULL},
    {1280, 1280, 1280, "128 x 112, a tile a CTA", NULL},
    {1536, 1536, 1536, "128 x 144, a tile a CTA", NULL},
    {2048, 2048, 2048, "256 x 128 in halves, a tile a CTA", NULL},
    {2560, 2560, 2560, "128 x 208, a tile a CTA", NULL},
    {3072, 3072, 3072, "128 x 192 by turns, cluster 2 x 1", NULL},
    {4096, 4096, 4096, "128 x 256 together, cluster 2 x 1", "256 x 128 in halves, cluster 1 x 2"},
    {5120, 5120, 5120, "256 x 112 in halves, cluster 1 x 2", NULL},
    {256, 6144, 4096, "128 x 96, a tile a CTA", NULL},
    {1024, 14336, 4096, "128 x 176 by turns, cluster 2 x 1", NULL},
};

static const struct measured three_tf32[] = {
    {1024, 1024, 1024, "128 x 112 alternating, cluster 2 x 1", NULL},
    {1280, 1280, 1280, "128 x 112 alternating, cluster 2 x 1", NULL},
    {1536, 1536, 1536, "128 x 144 alternating, cluster 2 x 1", NULL},
    {2048, 2048, 2048, "128 x 128 alternating, cluster 2 x 1", NULL},
    {2560, 2560, 2560, "128 x 144 alternating, cluster 2 x 1", NULL},
    {3072, 3072, 3072, "128 x 192 alternating, cluster 2 x 1", NULL},
    {4096, 4096, 4096, "128 x 128 alternating, cluster 2 x 1", "128 x 176 alternating, cluster 2 x 1"},
    {5120, 5120, 5120, "128 x 160 alternating, cluster 2 x 1", NULL},
    {256, 6144, 4096, "128 x 112 alternating, cluster 2 x 1", NULL},
    {1024, 14336, 4096, "128 x 176 alternating, cluster 2 x 1", NULL},
};

static const struct measured e4m3[] = {
    {1024, 1024, 1024, "128 x 96 together, cluster 2 x 1", NULL},
    {1280, 1280, 1280, "128 x 112 together, cluster 2 x 1", NULL},
    {1536, 1536, 1536, "128 x 144 alternating, cluster 2 x 1", NULL},
    {2048, 2048, 2048, "128 x 128 together, cluster 2 x 1", NULL},
    {2560, 2560, 2560, "128 x 144 alternating, cluster 2 x 1", NULL},
    {3072, 3072, 3072, "128 x 192 alternating, cluster 2 x 1", NULL},
    {4096, 4096, 4096, "128 x 176 alternating, cluster 2 x 1", NULL},
    {5120, 5120, 5120, "128 x 160 alternating, cluster 2 x 1", NULL},
    {256, 6144, 4096, "128 x 96 together, cluster 2 x 1", NULL},
    {1024, 14336, 4096, "128 x 176 alternating, cluster 2 x 1", NULL},
};

static const struct measured e4m3_fast[] = {
    {1024, 1024, 1024, "64 x 128, a tile a CTA", NULL},
    {1280, 1280, 1280, "128 x 112, a tile a CTA", NULL},
    {1536, 1536, 1536, "128 x 144, a tile a CTA", NULL},
    {2048, 2048, 2048, "256 x 128 in halves, a tile a CTA", NULL},
    {2560, 2560, 2560, "256 x 112 in halves, cluster 1 x 2", NULL},
    {3072, 3072, 3072, "128 x 192 by turns, cluster 2 x 1", NULL},
    {4096, 4096, 4096, "256 x 128 in halves, cluster 1 x 2", "128 x 256 together, cluster 2 x 1"},
    {5120, 5120, 5120, "256 x 112 in halves, cluster 1 x 2", NULL},
    {256, 6144, 4096, "128 x 112, a tile a CTA", NULL},
    {1024, 14336, 4096, "128 x 176 by turns, cluster 2 x 1", NULL},
};

static const struct {
  int math, dtype;
  const struct measured *sizes;
  size_t count;
} measured[] = {
    {MATMUL_WGMMA_BF16, MATMUL_BF16, bf16, sizeof bf16 / sizeof *bf16},
    {MATMUL_WGMMA_TF32, MATMUL_FP32, tf32, sizeof tf32 / sizeof *tf32},
    {MATMUL_WGMMA_3XTF32, MATMUL_FP32, three_tf32, sizeof three_tf32 / sizeof *three_tf32},
    {MATMUL_WGMMA_E4M3, MATMUL_E4M3, e4m3, sizeof e4m3 / sizeof *e4m3},
    {MATMUL_WGMMA_E4M3_FAST, MATMUL_E4M3, e4m3_fast, sizeof e4m3_fast / sizeof *e4m3_fast},
};

static int number_of(int math, const char *name) {
  for (int i = 0; i < matmul_wgmma_shapes(math); i++)
    if (strcmp(matmul_wgmma_name(math, i), name) == 0) return i;
  return -1;
}

/* Returns how many shapes rank before this one, in the order of wgmma.c; all if there is no such shape. */
static int before(int math, int dtype, const struct measured *size, const char *name) {
  const struct matmul_problem p = {
      .m = size->m, .n = size->n, .k = size->k, .dtype = dtype, .multiprocessors = MULTIPROCESSORS};
  const int shapes = matmul_wgmma_shapes(math), number = number_of(math, name);
  if (number < 0) return shapes;
  const double cycles = matmul_wgmma_cycles(&p, math, number);
  int count = 0;
  for (int i = 0; i < shapes; i++) {
    const double other = matmul_wgmma_cycles(&p, math, i);
    count += other < cycles || (other == cycles && i < number);
  }
  return count;
}

static void times_the_fastest(void) {
  for (size_t i = 0; i < sizeof measured / sizeof *measured; i++)
    for (size_t j = 0; j < measured[i].count; j++) {
      const int math = measured[i].math, dtype = measured[i].dtype;
      const struct measured *size = &measured[i].sizes[j];
      const int first = before(math, dtype, size, size->fastest);
      if (first < MATMUL_WGMMA_TIMED ||
          (size->close != NULL && before(math, dtype, size, size->close) < MATMUL_WGMMA_TIMED))
        UNIT_PASS();
      else
        UNIT_FAIL("%lld x %lld x %lld: %d shapes are timed before %s", (long long)size->m, (long long)size->n,
                  (long long)size->k, first, size->fastest);
    }
}

UNIT_MAIN("matmul_shapes", UNIT_TEST(times_the_fastest))
#else
int main(void) {
  puts("skipped: a build without CUDA for compute capability 9.0");
  return 77;
}
#endif

/* Variants that are less precise than others. Some declare that; the others only stay within the tolerance. */
#include <string.h>

#include "guest.h"

const char guest_id[] = "declared", guest_backend[] = "cpu";
void (*const guest_close)(void) = NULL;

/* Computes the tanh form of GELU with a cheap exponential function. */
HOT static void rough_gelu(const float *restrict x, float *restrict y, int64_t first, int64_t end) {
#pragma omp simd
  for (int64_t i = first; i < end; i++) {
    const float z = -x[i] * (2.302208F + 0.1029432F * x[i] * x[i]), t = z < -126.0F ? -126.0F : z > 126.0F ? 126.0F : z;
    const float shift = 12582912.0F, shifted = t + shift, r = t - (shifted - shift);
    union {
      float value;
      uint32_t bits;
    } two = {.value = shifted};
    two.bits = (two.bits << 23) + 0x3F800000U;
    y[i] = x[i] / (1.0F + two.value * (1.0F + r * (0.6951F + r * 0.2276F)));
  }
}

static int bf16_run(struct call *call) {
  const int64_t n = call->n, threads = call->threads;
#pragma omp parallel for num_threads(call->threads)
  for (int64_t t = 0; t < threads; t++)
    rough_gelu(call->x, call->y, n * t / threads, n * (t + 1) / threads);
  return 0;
}

static int fp32_run(struct call *call) {
  gelu(call->x, call->y, 0, call->n, call->threads);
  return 0;
}

/* ---- Variants of a bench whose tolerance is far above the error of an honest variant ---- */

static float f(float x) {
  for (int k = 0; k < 32; k++)
    x = x * 0.9F + 0.15F;
  return x;
}

static int rough_run(struct call *call) {
  for (int64_t i = 0; i < call->n; i++)
    call->y[i] = 1.455F + 0.03F * call->x[i];
  return 0;
}

static int all_steps(struct call *call) {
  for (int64_t i = 0; i < call->n; i++)
    call->y[i] = f(call->x[i]);
  return 0;
}

/* ---- Variants of a bench whose reference gives the expected value of one element in a million ---- */

static int one_run(struct call *call) {
  memset(call->y, 0, (size_t)call->n * sizeof(float));
  call->y[0] = f(call->x[0]);
  return 0;
}

#define TOLERANT "gpubench.org/test/cheats/tolerance/1"
#define STATED "gpubench.org/test/cheats/one-stated/1"
const struct guest guests[] = {{"as-bf16", GELU, .run = bf16_run, .math = "bf16"},
                               {"as-fp32-honest", GELU, .run = fp32_run, .math = "fp32"},
                               {"rough", TOLERANT, .run = rough_run},
                               {"rough-honest", TOLERANT, .run = all_steps},
                               {"one-stated", STATED, .run = one_run},
                               {"one-stated-honest", STATED, .run = all_steps},
                               {.name = NULL}};

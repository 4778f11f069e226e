/* The tables of the activations plugin: variants, axes (parameters of a bench), presets and benches. Tensors and
 * references are in benches.c, the callbacks of the variants in glue.c. The kernels are in elementwise.cu, bias.cu,
 * gated.cu, norm.cu, fused.cu, lanes.cu, whole.cu, tensor.cu and cpu_*.c. README.md states what each bench computes. */
#include "benches.h"
#include "glue.h"
#include "kernels.h"

#define gb activations_gb

/* ---- Variants -------------------------------------------------------------------------------------------------- */

#define NORM "N = LayerNorm(X)"
#define PAIR "Y = GELU(LayerNorm(X))"

#define VARIANT(id, label, what, on, enter, check, kind, function, of, does, times, two, floats)                    \
  static const struct activations_method id##_method = {                                                            \
      .run = function, .problem = &activations_##of, .step = does, .reads = times, .pair = two, .scratch = floats}; \
  static const gb_variant id = {GB_SIZE(gb_variant),                                                                \
                                .flags = kind,                                                                      \
                                .name = label,                                                                      \
                                .summary = what,                                                                    \
                                .backend = on,                                                                      \
                                .math = "native",                                                                   \
                                .user = &id##_method,                                                               \
                                .supports = check,                                                                  \
                                .prepare = activations_prepare,                                                     \
                                .run = enter,                                                                       \
                                .release = activations_release}

/* CPU() and CUDA() define a variant. Their arguments, in order, are its bench, its name, its summary, its callback
 * `supports` (CUDA only), its flags, its formula, how often it reads x, whether it consists of two steps, and whether
 * each thread needs a row of floats (CPU only). */
#define CPU(of, label, what, kind, does, times, two, floats)                                                        \
  VARIANT(cpu_##of##_##label, #label, what, "cpu", activations_cpu_run, NULL, kind, activations_cpu_##of##_##label, \
          of, does, times, two, floats)
#define CPU_COPY(of)                                                                                                  \
  VARIANT(cpu_##of##_copy, "copy", "libc's memcpy of x to y", "cpu", activations_cpu_run, NULL, GB_VARIANT_YARDSTICK, \
          activations_cpu_copy, of, "Y = X", 1, 0, 0)
#define CUDA(of, label, what, check, kind, does, times, two)                            \
  VARIANT(cuda_##of##_##label, #label, what, "cuda", activations_cuda_run, check, kind, \
          activations_cuda_##of##_##label, of, does, times, two, 0)
#define CUDA_COPY(of)                                                                                        \
  VARIANT(cuda_##of##_copy, "copy", "x to y, one 16-byte pack a thread", "cuda", activations_cuda_run, NULL, \
          GB_VARIANT_YARDSTICK, activations_cuda_copy, of, "Y = X", 1, 0, 0)
#define FIRST GB_VARIANT_BASELINE

CPU(gelu, naive, "libm's erff or tanhf, one element after the other", FIRST, "Y = GELU(X)", 1, 0, 0);
CPU(gelu, fast, "vectorised, a polynomial and 2^z", 0, "Y = GELU(X)", 1, 0, 0);
CPU_COPY(gelu);
CPU(swish, naive, "libm's expf, one element after the other", FIRST, "Y = Swish(X)", 1, 0, 0);
CPU(swish, fast, "vectorised, 2^z and a division", 0, "Y = Swish(X)", 1, 0, 0);
CPU_COPY(swish);
CPU(swiglu, naive, "libm's expf, one element after the other", FIRST, "Y = Swish(X) Z", 1, 0, 0);
CPU(swiglu, fast, "vectorised, 2^z and a division", 0, "Y = Swish(X) Z", 1, 0, 0);
VARIANT(cpu_swiglu_add, "add", "x + z, vectorised", "cpu", activations_cpu_run, NULL, GB_VARIANT_YARDSTICK,
        activations_cpu_add, swiglu, "Y = X + Z", 1, 0, 0);
CPU(bias_gelu, naive, "libm's erff or tanhf, one element after the other", FIRST, "Y = GELU(X + bias)", 1, 0, 0);
CPU(bias_gelu, fast, "vectorised, a polynomial and 2^z", 0, "Y = GELU(X + bias)", 1, 0, 0);
CPU_COPY(bias_gelu);
CPU(layernorm, naive, "three passes: mean, variance, result", FIRST, "Y = LayerNorm(X)", 3, 0, 0);
CPU(layernorm, fused, "one read: the row waits in the cache as floats", 0, "Y = LayerNorm(X)", 1, 0, 1);
CPU_COPY(layernorm);
CPU(rmsnorm, naive, "two passes: mean square, result", FIRST, "Y = RMSNorm(X)", 2, 0, 0);
CPU(rmsnorm, fused, "one read: the row waits in the cache as floats", 0, "Y = RMSNorm(X)", 1, 0, 1);
CPU_COPY(rmsnorm);
#define SAVED(of) "Y = " #of "(X), and what it found"
#define CPU_COPY_SAVED(of)                                                                                          \
  VARIANT(cpu_##of##_copy, "copy", "libc's memcpy of x to y, zeros for the statistics", "cpu", activations_cpu_run, \
          NULL, GB_VARIANT_YARDSTICK, activations_cpu_copy_saved, of, "Y = X", 1, 0, 0)
CPU(layernorm_saved, naive, "three passes: mean, variance, result", FIRST, SAVED(LayerNorm), 3, 0, 0);
CPU(layernorm_saved, fused, "one read: the row waits in the cache as floats", 0, SAVED(LayerNorm), 1, 0, 1);
CPU_COPY_SAVED(layernorm_saved);
CPU(rmsnorm_saved, naive, "two passes: mean square, result", FIRST, SAVED(RMSNorm), 2, 0, 0);
CPU(rmsnorm_saved, fused, "one read: the row waits in the cache as floats", 0, SAVED(RMSNorm), 1, 0, 1);
CPU_COPY_SAVED(rmsnorm_saved);
#define RESIDUAL(of) "S = X + Z, Y = " #of "(S)"
CPU(add_layernorm, naive, "passes over memory: sum, mean, variance, result", FIRST, RESIDUAL(LayerNorm), 1, 0, 0);
CPU(add_layernorm, fused, "one read: the sum waits in the cache as floats", 0, RESIDUAL(LayerNorm), 1, 0, 1);
CPU(add_rmsnorm, naive, "passes over memory: sum, mean square, result", FIRST, RESIDUAL(RMSNorm), 1, 0, 0);
CPU(add_rmsnorm, fused, "one read: the sum waits in the cache as floats", 0, RESIDUAL(RMSNorm), 1, 0, 1);
#define CPU_PAIR(of)                                                                                       \
  VARIANT(cpu_##of##_copy, "copy", "libc's memcpy of x to s and z to y", "cpu", activations_cpu_run, NULL, \
          GB_VARIANT_YARDSTICK, activations_cpu_copy_pair, of, "S = X, Y = Z", 1, 0, 0)
CPU_PAIR(add_layernorm);
CPU_PAIR(add_rmsnorm);
CPU(layernorm_gelu, unfused, "layernorm/fused, then gelu/fast, with an array between", FIRST, NORM, 1, 1, 1);
CPU(layernorm_gelu, fused, "one read, one write: GELU on the row in the cache", 0, PAIR, 1, 0, 1);
CPU_COPY(layernorm_gelu);

#ifdef GPUBENCH_CUDA
CUDA(gelu, naive, "an element per thread, erff or tanhf", NULL, FIRST, "Y = GELU(X)", 1, 0);
CUDA(gelu, vector, "16-byte accesses, four in flight; erff or tanhf", NULL, 0, "Y = GELU(X)", 1, 0);
CUDA(gelu, fast, "16-byte accesses, four in flight; a polynomial and ex2.approx", NULL, 0, "Y = GELU(X)", 1, 0);
CUDA(gelu, pack, "one 16-byte pack a thread, through L1; a polynomial and ex2.approx", NULL, 0, "Y = GELU(X)", 1, 0);
CUDA_COPY(gelu);
CUDA(swish, naive, "an element per thread, expf and a division", NULL, FIRST, "Y = Swish(X)", 1, 0);
CUDA(swish, vector, "16-byte accesses, four in flight; expf and a division", NULL, 0, "Y = Swish(X)", 1, 0);
CUDA(swish, fast, "16-byte accesses, four in flight; ex2.approx and rcp.approx", NULL, 0, "Y = Swish(X)", 1, 0);
CUDA(swish, pack, "one 16-byte pack a thread, through L1; ex2.approx and rcp.approx", NULL, 0, "Y = Swish(X)", 1, 0);
CUDA_COPY(swish);
CUDA(swiglu, naive, "an element per thread, expf and a division", NULL, FIRST, "Y = Swish(X) Z", 1, 0);
CUDA(swiglu, pack, "16 bytes of each operand a thread, through L1; ex2.approx and rcp.approx", NULL, 0,
     "Y = Swish(X) Z", 1, 0);
VARIANT(cuda_swiglu_add, "add", "x + z, 16 bytes of each a thread", "cuda", activations_cuda_run, NULL,
        GB_VARIANT_YARDSTICK, activations_cuda_add, swiglu, "Y = X + Z", 1, 0, 0);
CUDA(bias_gelu, naive, "an element per thread, erff or tanhf", NULL, FIRST, "Y = GELU(X + bias)", 1, 0);
CUDA(bias_gelu, pack, "one 16-byte pack a thread, through L1; a polynomial and ex2.approx", activations_packs_supports,
     0, "Y = GELU(X + bias)", 1, 0);
CUDA_COPY(bias_gelu);
CUDA(layernorm, naive, "a block per row, three passes over global memory", NULL, FIRST, "Y = LayerNorm(X)", 3, 0);
CUDA(layernorm, fused, "one read: the row stays in registers of a warp, block or cluster", activations_fused_supports,
     0, "Y = LayerNorm(X)", 1, 0);
CUDA(layernorm, lanes, "one read: the row stays in registers of 4 to 32 lanes", activations_lanes_supports, 0,
     "Y = LayerNorm(X)", 1, 0);
CUDA(layernorm, whole, "one read: a block for a row of whole shares, held in registers, nothing checked",
     activations_whole_supports, 0, "Y = LayerNorm(X)", 1, 0);
CUDA(layernorm, staged, "the same, held in shared memory where a bulk copy puts it", activations_staged_supports, 0,
     "Y = LayerNorm(X)", 1, 0);
CUDA(layernorm, tensor, "as whole, the row held as it came and added up by tensor cores", activations_tensor_supports,
     0, "Y = LayerNorm(X)", 1, 0);
CUDA_COPY(layernorm);
CUDA(rmsnorm, naive, "a block per row, two passes over global memory", NULL, FIRST, "Y = RMSNorm(X)", 2, 0);
CUDA(rmsnorm, fused, "one read: the row stays in registers of a warp, block or cluster", activations_fused_supports, 0,
     "Y = RMSNorm(X)", 1, 0);
CUDA(rmsnorm, lanes, "one read: the row stays in registers of 4 to 32 lanes", activations_lanes_supports, 0,
     "Y = RMSNorm(X)", 1, 0);
CUDA(rmsnorm, whole, "one read: a block for a row of whole shares, held in registers, nothing checked",
     activations_whole_supports, 0, "Y = RMSNorm(X)", 1, 0);
CUDA(rmsnorm, staged, "the same, held in shared memory where a bulk copy puts it", activations_staged_supports, 0,
     "Y = RMSNorm(X)", 1, 0);
CUDA(rmsnorm, tensor, "as whole, the row held as it came and added up by tensor cores", activations_tensor_supports, 0,
     "Y = RMSNorm(X)", 1, 0);
CUDA_COPY(rmsnorm);
#define CUDA_SAVED(of, name, passes)                                                                                   \
  CUDA(of, naive, "a block per row, passes over global memory", NULL, FIRST, SAVED(name), passes, 0);                  \
  CUDA(of, lanes, "one read: the row stays in registers of 4 to 32 lanes", activations_lanes_supports, 0, SAVED(name), \
       1, 0);                                                                                                          \
  CUDA(of, whole, "one read: a block for a row of whole shares, held in registers, nothing checked",                   \
       activations_whole_supports, 0, SAVED(name), 1, 0);                                                              \
  CUDA(of, tensor, "as whole, the row held as it came and added up by tensor cores", activations_tensor_supports, 0,   \
       SAVED(name), 1, 0);                                                                                             \
  VARIANT(cuda_##of##_copy, "copy", "x to y, a 16-byte pack a thread, zeros for the statistics", "cuda",               \
          activations_cuda_run, NULL, GB_VARIANT_YARDSTICK, activations_cuda_copy_saved, of, "Y = X", 1, 0, 0)
CUDA_SAVED(layernorm_saved, LayerNorm, 3);
CUDA_SAVED(rmsnorm_saved, RMSNorm, 2);
#define CUDA_ADD(of, name)                                                                                             \
  CUDA(of, naive, "a block per row, the sum first, then passes over it in global memory", NULL, FIRST, RESIDUAL(name), \
       1, 0);                                                                                                          \
  CUDA(of, whole, "one read: a block for a row of whole shares, held in registers, nothing checked",                   \
       activations_whole_supports, 0, RESIDUAL(name), 1, 0);                                                           \
  CUDA(of, tensor, "the same, held as it came, added up by tensor cores", activations_tensor_supports, 0,              \
       RESIDUAL(name), 1, 0);                                                                                          \
  VARIANT(cuda_##of##_copy, "copy", "x to s and z to y, a 16-byte pack of each a thread", "cuda",                      \
          activations_cuda_run, NULL, GB_VARIANT_YARDSTICK, activations_cuda_copy_pair, of, "S = X, Y = Z", 1, 0, 0)
CUDA_ADD(add_layernorm, LayerNorm);
CUDA_ADD(add_rmsnorm, RMSNorm);
CUDA(layernorm_gelu, unfused, "layernorm/fused, then gelu/fast, with an array between", activations_fused_supports,
     FIRST, NORM, 1, 1);
CUDA(layernorm_gelu, fused, "one read, one write: GELU on the row in registers", activations_fused_supports, 0, PAIR, 1,
     0);
CUDA(layernorm_gelu, lanes, "one read, one write: GELU on the row in registers of 4 to 32 lanes",
     activations_lanes_supports, 0, PAIR, 1, 0);
CUDA(layernorm_gelu, whole, "one read, one write: a row of whole shares in registers, nothing checked",
     activations_whole_supports, 0, PAIR, 1, 0);
CUDA(layernorm_gelu, staged, "the same, held in shared memory where a bulk copy puts it", activations_staged_supports,
     0, PAIR, 1, 0);
CUDA(layernorm_gelu, tensor, "as whole, the row held as it came and added up by tensor cores",
     activations_tensor_supports, 0, PAIR, 1, 0);
CUDA_COPY(layernorm_gelu);
#define IF_CUDA(...) __VA_ARGS__
#else
#define IF_CUDA(...)
#endif

/* ---- The tables ------------------------------------------------------------------------------------------------ */

#define LIST(type, ...)   \
  (const type *const[]) { \
    __VA_ARGS__, NULL     \
  }
#define AXIS(id, label, of, what, number)                                      \
  static const gb_axis id = {GB_SIZE(gb_axis), .type = GB_I64,  .name = label, \
                             .unit = of,       .summary = what, .values = number}
#define CHOICE(id, label, what, all, first)                                   \
  static const gb_axis id = {GB_SIZE(gb_axis), .type = GB_STR, .name = label, \
                             .summary = what,  .choices = all, .values = first}
#define PRESET(id, label, where, what, backend) \
  static const gb_preset id = {GB_SIZE(gb_preset), .name = label, .summary = what, .point = where, .backends = backend}

AXIS(axis_m, "m", "rows", "rows", "1024");
AXIS(axis_n, "n", "elements", "row length", "1024");
AXIS(axis_count, "n", "elements", "elements", "1M");
CHOICE(axis_form, "form", "of GELU: by the error function, or its approximation by tanh", "erf,tanh", "erf");
CHOICE(axis_dtype, "dtype", "storage type of all tensors", "fp32,fp16,bf16", "fp32");

PRESET(gelu_fp32, "256m", "n=256M,form=erf,dtype=fp32", "1 GiB in, 1 GiB out", "cuda");
PRESET(gelu_fp16, "256m-fp16", "n=256M,form=erf,dtype=fp16", "half the bytes for the same arithmetic", NULL);
PRESET(gelu_bf16, "256m-bf16", "n=256M,form=erf,dtype=bf16", "the same in bf16", "cuda");
PRESET(gelu_tanh_fp32, "256m-tanh", "n=256M,form=tanh,dtype=fp32", "the form by tanh", NULL);
PRESET(gelu_tanh_bf16, "256m-tanh-bf16", "n=256M,form=tanh,dtype=bf16", "the same in bf16", NULL);
PRESET(gelu_small, "1m-bf16", "n=1M,form=erf,dtype=bf16", "2 MiB: the launch counts", "cuda");
PRESET(gelu_cpu, "cpu-4m", "n=4M,form=erf,dtype=fp32", "16 MiB in, 16 MiB out", "cpu");
PRESET(gelu_cpu_bf16, "cpu-4m-tanh-bf16", "n=4M,form=tanh,dtype=bf16", "the form by tanh in bf16", "cpu");

PRESET(swish_fp32, "256m", "n=256M,dtype=fp32", "1 GiB in, 1 GiB out", NULL);
PRESET(swish_fp16, "256m-fp16", "n=256M,dtype=fp16", "half the bytes for the same arithmetic", NULL);
PRESET(swish_bf16, "256m-bf16", "n=256M,dtype=bf16", "the same in bf16", "cuda");
PRESET(swish_small, "1m-bf16", "n=1M,dtype=bf16", "2 MiB: the launch counts", NULL);
PRESET(swish_cpu, "cpu-4m", "n=4M,dtype=fp32", "16 MiB in, 16 MiB out", "cpu");

PRESET(swiglu_fp32, "256m", "n=256M,dtype=fp32", "2 GiB in, 1 GiB out", NULL);
PRESET(swiglu_mlp, "16k-14k-bf16", "n=224M,dtype=bf16", "16k tokens, inner size 14336", "cuda");
PRESET(swiglu_small, "1m-bf16", "n=1M,dtype=bf16", "2 MiB: the launch counts", NULL);
PRESET(swiglu_cpu, "cpu-4m", "n=4M,dtype=fp32", "32 MiB in, 16 MiB out", "cpu");

PRESET(bias_mlp, "16k-16k-bf16", "m=16384,n=16384,form=erf,dtype=bf16", "16k tokens, inner size 16384", "cuda");
PRESET(bias_mlp_fp32, "8k-16k", "m=8192,n=16384,form=erf,dtype=fp32", "half of it in fp32", NULL);
PRESET(bias_mlp_tanh, "16k-16k-tanh-bf16", "m=16384,n=16384,form=tanh,dtype=bf16", "the form by tanh", NULL);
PRESET(bias_cpu, "cpu-2k-3k", "m=2048,n=3072,form=erf,dtype=fp32", "24 MiB in, 24 MiB out", "cpu");

PRESET(rows_16k_4k, "16k-4k-bf16", "m=16384,n=4096,dtype=bf16", "16k tokens, hidden size 4096", "cuda");
PRESET(rows_16k_4k_fp16, "16k-4k-fp16", "m=16384,n=4096,dtype=fp16", "the same in fp16", NULL);
PRESET(rows_8k_8k, "8k-8k-bf16", "m=8192,n=8192,dtype=bf16", "8k tokens, hidden size 8192", NULL);
PRESET(rows_8k_8k_fp32, "8k-8k", "m=8192,n=8192,dtype=fp32", "the same in fp32", NULL);
PRESET(rows_4k_16k, "4k-16k-bf16", "m=4096,n=16384,dtype=bf16", "long rows", NULL);
PRESET(rows_2k_4k, "2k-4k-bf16", "m=2048,n=4096,dtype=bf16", "16 MiB: fits the cache", NULL);
PRESET(rows_128k_128, "128k-128-bf16", "m=131072,n=128,dtype=bf16", "heads of 128: a warp per row", "cuda");
PRESET(rows_128k_128_named, "128k-128-bf16", "m=131072,n=128,dtype=bf16", "heads of 128: a warp per row", NULL);
PRESET(rows_cpu, "cpu-4k-1k", "m=4096,n=1024,dtype=fp32", "16 MiB in, 16 MiB out", "cpu");

#define HEAD(id, what)                                                                                        \
  GB_SIZE(gb_bench), .name = #id, .contract = "gpubench.org/activations/" #id "/1", .summary = what,          \
                     .user = &activations_##id, .supports = activations_supports, .setup = activations_setup, \
                     .reference = activations_reference
#define ROWS_WITH(short_rows)                                                                              \
  .axes = LIST(gb_axis, &axis_m, &axis_n, &axis_dtype),                                                    \
  .presets = LIST(gb_preset, &rows_16k_4k, &rows_16k_4k_fp16, &rows_8k_8k, &rows_8k_8k_fp32, &rows_4k_16k, \
                  &rows_2k_4k, &short_rows, &rows_cpu)
#define ROWS ROWS_WITH(rows_128k_128)

/* Presets (named sets of axis values) of the norms that also store statistics of each row. They take nearly the same
 * time as the norms without statistics. Therefore there are few presets, and only one of them runs by default on
 * CUDA. */
PRESET(saved_16k_4k, "16k-4k-bf16", "m=16384,n=4096,dtype=bf16", "16k tokens, hidden size 4096", "cuda");
PRESET(saved_8k_8k, "8k-8k", "m=8192,n=8192,dtype=fp32", "8k tokens, hidden size 8192, in fp32", NULL);
#define ROWS_SAVED                                      \
  .axes = LIST(gb_axis, &axis_m, &axis_n, &axis_dtype), \
  .presets = LIST(gb_preset, &saved_16k_4k, &saved_8k_8k, &rows_128k_128_named, &rows_cpu)

static const gb_bench bench_gelu = {
    HEAD(gelu, "GELU of every element"), .axes = LIST(gb_axis, &axis_count, &axis_form, &axis_dtype),
    .presets = LIST(gb_preset, &gelu_fp32, &gelu_fp16, &gelu_bf16, &gelu_tanh_fp32, &gelu_tanh_bf16, &gelu_small,
                    &gelu_cpu, &gelu_cpu_bf16),
    .variants = LIST(gb_variant,
                     IF_CUDA(&cuda_gelu_naive, &cuda_gelu_vector, &cuda_gelu_fast, &cuda_gelu_pack, &cuda_gelu_copy, ) &
                         cpu_gelu_naive,
                     &cpu_gelu_fast, &cpu_gelu_copy)};

static const gb_bench bench_swish = {
    HEAD(swish, "Swish (SiLU) of every element"), .axes = LIST(gb_axis, &axis_count, &axis_dtype),
    .presets = LIST(gb_preset, &swish_fp32, &swish_fp16, &swish_bf16, &swish_small, &swish_cpu),
    .variants =
        LIST(gb_variant,
             IF_CUDA(&cuda_swish_naive, &cuda_swish_vector, &cuda_swish_fast, &cuda_swish_pack, &cuda_swish_copy, ) &
                 cpu_swish_naive,
             &cpu_swish_fast, &cpu_swish_copy)};

static const gb_bench bench_swiglu = {
    HEAD(swiglu, "SwiGLU: Swish of one half, times the other"), .axes = LIST(gb_axis, &axis_count, &axis_dtype),
    .presets = LIST(gb_preset, &swiglu_fp32, &swiglu_mlp, &swiglu_small, &swiglu_cpu),
    .variants = LIST(gb_variant, IF_CUDA(&cuda_swiglu_naive, &cuda_swiglu_pack, &cuda_swiglu_add, ) & cpu_swiglu_naive,
                     &cpu_swiglu_fast, &cpu_swiglu_add)};

static const gb_bench bench_layernorm = {
    HEAD(layernorm, "LayerNorm of every row of a matrix"), ROWS,
    .variants = LIST(gb_variant,
                     IF_CUDA(&cuda_layernorm_naive, &cuda_layernorm_fused, &cuda_layernorm_lanes, &cuda_layernorm_whole,
                             &cuda_layernorm_staged, &cuda_layernorm_tensor, &cuda_layernorm_copy, ) &
                         cpu_layernorm_naive,
                     &cpu_layernorm_fused, &cpu_layernorm_copy)};

static const gb_bench bench_rmsnorm = {
    HEAD(rmsnorm, "RMSNorm of every row of a matrix"), ROWS,
    .variants = LIST(gb_variant,
                     IF_CUDA(&cuda_rmsnorm_naive, &cuda_rmsnorm_fused, &cuda_rmsnorm_lanes, &cuda_rmsnorm_whole,
                             &cuda_rmsnorm_staged, &cuda_rmsnorm_tensor, &cuda_rmsnorm_copy, ) &
                         cpu_rmsnorm_naive,
                     &cpu_rmsnorm_fused, &cpu_rmsnorm_copy)};

static const gb_bench bench_layernorm_gelu = {
    HEAD(layernorm_gelu, "GELU (erf) of LayerNorm of every row: one kernel or two"), ROWS,
    .variants = LIST(gb_variant,
                     IF_CUDA(&cuda_layernorm_gelu_unfused, &cuda_layernorm_gelu_fused, &cuda_layernorm_gelu_lanes,
                             &cuda_layernorm_gelu_whole, &cuda_layernorm_gelu_staged, &cuda_layernorm_gelu_tensor,
                             &cuda_layernorm_gelu_copy, ) &
                         cpu_layernorm_gelu_unfused,
                     &cpu_layernorm_gelu_fused, &cpu_layernorm_gelu_copy)};

#define ADD(id, what)                                                                                                \
  {                                                                                                                  \
    HEAD(id, what), ROWS_WITH(rows_128k_128_named),                                                                  \
        .variants = LIST(gb_variant,                                                                                 \
                         IF_CUDA(&cuda_##id##_naive, &cuda_##id##_whole, &cuda_##id##_tensor, &cuda_##id##_copy, ) & \
                             cpu_##id##_naive,                                                                       \
                         &cpu_##id##_fused, &cpu_##id##_copy)                                                        \
  }

static const gb_bench bench_add_layernorm =
    ADD(add_layernorm, "a residual added, and LayerNorm of every row of the sum");
static const gb_bench bench_add_rmsnorm = ADD(add_rmsnorm, "a residual added, and RMSNorm of every row of the sum");

#define BENCH_SAVED(id, what)                                                                                     \
  {                                                                                                               \
    HEAD(id, what), ROWS_SAVED,                                                                                   \
        .variants = LIST(gb_variant,                                                                              \
                         IF_CUDA(&cuda_##id##_naive, &cuda_##id##_lanes, &cuda_##id##_whole, &cuda_##id##_tensor, \
                                 &cuda_##id##_copy, ) &                                                           \
                             cpu_##id##_naive,                                                                    \
                         &cpu_##id##_fused, &cpu_##id##_copy)                                                     \
  }

static const gb_bench bench_layernorm_saved =
    BENCH_SAVED(layernorm_saved, "LayerNorm with each row's mean and 1 / std dev, which training needs");
static const gb_bench bench_rmsnorm_saved =
    BENCH_SAVED(rmsnorm_saved, "RMSNorm with each row's 1 / rms, which training needs");

static const gb_bench bench_bias_gelu = {
    HEAD(bias_gelu, "GELU of rows to which a bias is added"),
    .axes = LIST(gb_axis, &axis_m, &axis_n, &axis_form, &axis_dtype),
    .presets = LIST(gb_preset, &bias_mlp, &bias_mlp_fp32, &bias_mlp_tanh, &bias_cpu),
    .variants = LIST(gb_variant,
                     IF_CUDA(&cuda_bias_gelu_naive, &cuda_bias_gelu_pack, &cuda_bias_gelu_copy, ) & cpu_bias_gelu_naive,
                     &cpu_bias_gelu_fast, &cpu_bias_gelu_copy)};

static gb_status activations_open(const gb_host *host, gb_registry *registry, void **self) {
  const gb_bench *const benches[] = {&bench_gelu,          &bench_swish,       &bench_swiglu,
                                     &bench_layernorm,     &bench_rmsnorm,     &bench_layernorm_gelu,
                                     &bench_add_layernorm, &bench_add_rmsnorm, &bench_layernorm_saved,
                                     &bench_rmsnorm_saved, &bench_bias_gelu};
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  for (size_t i = 0; i < sizeof benches / sizeof benches[0] && status == GB_OK; i++)
    status = host->add(host, registry, benches[i]);
  return status;
}

GB_EXPORT const gb_plugin gb_plugin_v1 = {
    GB_PLUGIN_HEAD,           .id = "activations",
    .version = "0.1.0",       .summary = "GELU, Swish, SwiGLU, LayerNorm, RMSNorm, and fusions of them",
    .open = activations_open,
};

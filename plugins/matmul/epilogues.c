#include "epilogues.h"

#include "kernels.h"
#include "method.h"
#include "presets.h"
#include "problem.h"
#include "vendor.h"

/* ---- The variants of the benches "bias_gelu" and "add", which are the same -------------------------------------- */

#ifdef GPUBENCH_CUDA
#define ON_CUDA(id, kind)                                                                                             \
  VARIANT(id##_cublaslt, "cublaslt", "cuda", "native", "cuBLASLt's own epilogue, the fastest of its algorithms",      \
          GB_VARIANT_BASELINE, .vendor = &matmul_cublaslt, .takes = MATMUL_TAKES_FLOATS, .capability = 80,            \
          .epilogue = kind);                                                                                          \
  VARIANT(id##_unfused, "unfused", "cuda", "native",                                                                  \
          "cuBLASLt's plain product, then a kernel that reads and writes c", 0, .vendor = &matmul_cublaslt,           \
          .vendor_flags = MATMUL_UNFUSED, .takes = MATMUL_TAKES_FLOATS, .capability = 80, .epilogue = kind);          \
  VARIANT(id##_wgmma, "wgmma", "cuda", "native", "gemm's wgmma, 128 x 192 tiles by turns, the epilogue on registers", \
          0, .vendor = &matmul_wgmma_one, .takes = MATMUL_TAKES(MATMUL_BF16), .capability = 90, .hopper = 1,          \
          .epilogue = kind);                                                                                          \
  VARIANT(id##_wgmma_best, "wgmma-best", "cuda", "native", "the same, the fastest of three tile shapes", 0,           \
          .vendor = &matmul_wgmma_best, .takes = MATMUL_TAKES(MATMUL_BF16), .capability = 90, .hopper = 1,            \
          .epilogue = kind);
#define CUDA_OF(id) &id##_cublaslt, &id##_unfused, &id##_wgmma, &id##_wgmma_best,
#else
#define ON_CUDA(id, kind)
#define CUDA_OF(id)
#endif

#define VARIANTS(id, kind)                                                                                           \
  ON_CUDA(id, kind)                                                                                                  \
  VARIANT(id##_openblas, "openblas", "cpu", "native", "cblas_sgemm, then a loop; narrower types by way of fp32",     \
          GB_VARIANT_BASELINE, .vendor = &matmul_openblas, .vendor_flags = MATMUL_UNFUSED,                           \
          .takes = MATMUL_TAKES_FLOATS, .packs = 1, .epilogue = kind);                                               \
  VARIANT(id##_naive, "naive", "cpu", "native", "a dot product for each element", GB_VARIANT_BASELINE,               \
          .cpu = matmul_cpu_naive, .workspace = matmul_cpu_naive_workspace, .takes = MATMUL_TAKES_FLOATS,            \
          .epilogue = kind);                                                                                         \
  VARIANT(id##_blocked, "blocked", "cpu", "native", "gemm's blocked, the epilogue on tiles in the cache", 0,         \
          .cpu = matmul_cpu_blocked, .workspace = matmul_cpu_blocked_workspace, .kernel = matmul_cpu_blocked_kernel, \
          .takes = MATMUL_TAKES_FLOATS, .packs = 1, .epilogue = kind);                                               \
  static const gb_variant *const id##_variants[] = {CUDA_OF(id) & id##_openblas, &id##_naive, &id##_blocked, NULL};

VARIANTS(bias_gelu, MATMUL_BIAS_GELU)
VARIANTS(add, MATMUL_ADD)

/* ---- The tables ------------------------------------------------------------------------------------------------ */

static const gb_axis axis_dtype = MATMUL_AXIS_DTYPE("storage type of all tensors", "fp32,fp16,bf16");
static const gb_axis *const axes[] = {&matmul_axis_m, &matmul_axis_n, &matmul_axis_k, &axis_dtype, NULL};

MATMUL_PRESET(fc, "cuda", "epilogue/gpt2-fc", "GPT-2, 8 sequences of 1024, a feed-forward's first product",
              "m=8192,n=3072,k=768,dtype=bf16");
MATMUL_PRESET(proj, "cuda", "epilogue/gpt2-proj", "GPT-2, 8 sequences of 1024, a feed-forward's second product",
              "m=8192,n=768,k=3072,dtype=bf16");
MATMUL_PRESET(up, "cuda", "epilogue/llama3-8b-up", "Llama 3 8B's shape, 4096 tokens",
              "m=4096,n=14336,k=4096,dtype=bf16");
MATMUL_PRESET(down, "cuda", "epilogue/llama3-8b-down", "Llama 3 8B, 4096 tokens", "m=4096,n=4096,k=14336,dtype=bf16");
MATMUL_PRESET(square_4k, "cuda", "epilogue/square-4k", "the usual yardstick", "m=4096,n=4096,k=4096,dtype=bf16");
MATMUL_PRESET(cpu_256, "cpu", "epilogue/cpu-256", "fits the second-level cache", "m=256,n=256,k=256,dtype=fp32");
MATMUL_PRESET(cpu_odd, "cpu", "epilogue/cpu-odd", "extents that no tile divides", "m=500,n=333,k=777,dtype=fp32");
static const gb_preset *const presets[] = {&fc, &proj, &up, &down, &square_4k, &cpu_256, &cpu_odd, NULL};

#define BENCH(id, kind, what)                      \
  static const int32_t id##_epilogue = kind;       \
  static const gb_bench id = {                     \
      GB_SIZE(gb_bench),                           \
      .flags = GB_BENCH_BY_NAME,                   \
      .name = #id,                                 \
      .contract = "gpubench.org/matmul/" #id "/1", \
      .summary = what,                             \
      .axes = axes,                                \
      .presets = presets,                          \
      .variants = id##_variants,                   \
      .user = &id##_epilogue,                      \
      .supports = matmul_gemm_supports,            \
      .setup = matmul_gemm_setup,                  \
      .reference = matmul_gemm_reference,          \
      .verify = matmul_gemm_verify,                \
      .teardown = matmul_gemm_teardown,            \
  }

BENCH(bias_gelu, MATMUL_BIAS_GELU, "c = GELU(a b + bias), the form by tanh, a bias for each column");
BENCH(add, MATMUL_ADD, "c = a b + r, a residual of c's shape");

gb_status matmul_epilogues_add(const gb_host *host, gb_registry *registry) {
  const gb_status status = host->add(host, registry, &bias_gelu);
  return status == GB_OK ? host->add(host, registry, &add) : status;
}

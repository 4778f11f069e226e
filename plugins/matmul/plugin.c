/* The matmul plugin: the bench "gemm" and its variants on CUDA and CPU. The benches with an epilogue are in
 * epilogues.c, tensors and checks of all benches in problem.c, the variants' callbacks in method.c, presets in
 * presets.c. README.md says what each bench computes. */
#include "epilogues.h"
#include "kernels.h"
#include "method.h"
#include "presets.h"
#include "problem.h"
#include "vendor.h"

/* ---- Variants -------------------------------------------------------------------------------------------------- */

VARIANT(cpu_naive, "naive", "cpu", "native", "a dot product for each element", GB_VARIANT_BASELINE,
        .cpu = matmul_cpu_naive, .workspace = matmul_cpu_naive_workspace, .takes = MATMUL_TAKES_ALL);
VARIANT(cpu_blocked, "blocked", "cpu", "native", "packed panels, tiles in cache, a block of sums in registers", 0,
        .cpu = matmul_cpu_blocked, .workspace = matmul_cpu_blocked_workspace, .kernel = matmul_cpu_blocked_kernel,
        .takes = MATMUL_TAKES_ALL, .packs = 1);
VARIANT(cpu_openblas, "openblas", "cpu", "native", "cblas_sgemm; narrower types by way of fp32", GB_VARIANT_BASELINE,
        .vendor = &matmul_openblas, .takes = MATMUL_TAKES_ALL, .packs = 1);
VARIANT(cpu_onednn, "onednn", "cpu", "native", "oneDNN's matmul; by way of fp32 what it has no kernel for", 0,
        .vendor = &matmul_onednn, .takes = MATMUL_TAKES_ALL, .packs = 1);

#ifdef GPUBENCH_CUDA
VARIANT(cuda_naive, "naive", "cuda", "native", "a thread for each element, straight from global memory",
        GB_VARIANT_BASELINE, .cuda = matmul_cuda_naive, .takes = MATMUL_TAKES_ALL, .log2_most = 30);
VARIANT(cuda_tiled, "tiled", "cuda", "native", "32 x 32 tiles in shared memory", 0, .cuda = matmul_cuda_tiled,
        .takes = MATMUL_TAKES_ALL, .log2_most = 33);
VARIANT(cuda_register, "register", "cuda", "native", "128 x 128 tiles, 8 x 8 in registers, two halves of shared memory",
        0, .cuda = matmul_cuda_register, .takes = MATMUL_TAKES(MATMUL_FP32), .log2_most = 33);
VARIANT(cuda_ring, "ring", "cuda", "native", "128 x 256 tiles, 8 x 16 in registers, three cp.async stages", 0,
        .cuda = matmul_cuda_ring, .cuda_prepare = matmul_cuda_ring_prepare, .takes = MATMUL_TAKES(MATMUL_FP32),
        .capability = 80);
VARIANT(cuda_tensor, "tensor", "cuda", "native", "mma.sync, 128 x 256 or 64 x 64 tiles, four cp.async stages", 0,
        .cuda = matmul_cuda_tensor, .cuda_prepare = matmul_cuda_tensor_prepare,
        .takes = MATMUL_TAKES_16 | MATMUL_TAKES(MATMUL_E4M3), .capability = 80);
VARIANT(cuda_tensor_tf32, "tensor-tf32", "cuda", "tf32", "the same on fp32 storage", 0, .cuda = matmul_cuda_tensor,
        .cuda_prepare = matmul_cuda_tensor_prepare, .takes = MATMUL_TAKES(MATMUL_FP32), .capability = 80);
VARIANT(cuda_wgmma, "wgmma", "cuda", "native", "wgmma, 128 x 256 tiles, tensor maps, clusters that share b", 0,
        .vendor = &matmul_wgmma_one, .takes = MATMUL_TAKES_16 | MATMUL_TAKES(MATMUL_E4M3), .capability = 90,
        .hopper = 1);
VARIANT(cuda_wgmma_best, "wgmma-best", "cuda", "native", "the same, the fastest of several tile shapes", 0,
        .vendor = &matmul_wgmma_best, .takes = MATMUL_TAKES_16 | MATMUL_TAKES(MATMUL_E4M3), .capability = 90,
        .hopper = 1);
VARIANT(cuda_wgmma_tf32, "wgmma-tf32", "cuda", "tf32", "the same on fp32 storage", 0, .vendor = &matmul_wgmma_best,
        .vendor_flags = MATMUL_TF32, .takes = MATMUL_TAKES(MATMUL_FP32), .capability = 90, .hopper = 1);
VARIANT(cuda_wgmma_3xtf32, "wgmma-3xtf32", "cuda", "3xtf32", "three products of large and small parts, split before", 0,
        .vendor = &matmul_wgmma_best, .vendor_flags = MATMUL_SPLIT, .takes = MATMUL_TAKES(MATMUL_FP32),
        .capability = 90, .hopper = 1);
VARIANT(cuda_wgmma_fast, "wgmma-fast", "cuda", "fp8", "wgmma-best with sums kept in the tensor cores", 0,
        .vendor = &matmul_wgmma_best, .vendor_flags = MATMUL_FAST, .takes = MATMUL_TAKES(MATMUL_E4M3), .capability = 90,
        .hopper = 1);
VARIANT(cuda_cublas, "cublas", "cuda", "native", "cublasGemmEx with its default algorithm", GB_VARIANT_BASELINE,
        .vendor = &matmul_cublas, .takes = MATMUL_TAKES_FLOATS, .capability = 80);
VARIANT(cuda_cublas_tf32, "cublas-tf32", "cuda", "tf32", "cublasGemmEx, tf32 allowed", 0, .vendor = &matmul_cublas,
        .vendor_flags = MATMUL_TF32, .takes = MATMUL_TAKES(MATMUL_FP32), .capability = 80);
VARIANT(cuda_cublaslt, "cublaslt", "cuda", "native", "the fastest algorithm that cuBLASLt's heuristics propose",
        GB_VARIANT_BASELINE, .vendor = &matmul_cublaslt, .takes = MATMUL_TAKES_ALL, .capability = 80);
VARIANT(cuda_cublaslt_padded, "cublaslt-padded", "cuda", "native", "the same with n of 64, by copies of b and c", 0,
        .vendor = &matmul_cublaslt, .vendor_flags = MATMUL_PADDED, .takes = MATMUL_TAKES_FLOATS, .capability = 80);
VARIANT(cuda_cublaslt_tf32, "cublaslt-tf32", "cuda", "tf32", "the same, tf32 allowed", 0, .vendor = &matmul_cublaslt,
        .vendor_flags = MATMUL_TF32, .takes = MATMUL_TAKES(MATMUL_FP32), .capability = 80);
VARIANT(cuda_cublaslt_fast, "cublaslt-fast", "cuda", "fp8", "the same, sums kept in the tensor cores", 0,
        .vendor = &matmul_cublaslt, .vendor_flags = MATMUL_FAST, .takes = MATMUL_TAKES(MATMUL_E4M3), .capability = 89);
#endif

/* ---- The tables ------------------------------------------------------------------------------------------------ */

static const gb_axis axis_dtype = MATMUL_AXIS_DTYPE("storage type; c of e4m3 is bf16", "fp32,fp16,bf16,e4m3");

static const gb_bench gemm = {
    GB_SIZE(gb_bench),
    .name = "gemm",
    .contract = "gpubench.org/matmul/gemm/1",
    .summary = "c = a b, both stored along k",
    .axes = (const gb_axis *const[]){&matmul_axis_m, &matmul_axis_n, &matmul_axis_k, &axis_dtype, NULL},
    .presets = matmul_presets,
    .variants =
        (const gb_variant *const[]){
#ifdef GPUBENCH_CUDA
            &cuda_cublaslt,
            &cuda_cublaslt_padded,
            &cuda_cublaslt_tf32,
            &cuda_cublaslt_fast,
            &cuda_cublas,
            &cuda_cublas_tf32,
            &cuda_naive,
            &cuda_tiled,
            &cuda_register,
            &cuda_ring,
            &cuda_tensor,
            &cuda_tensor_tf32,
            &cuda_wgmma,
            &cuda_wgmma_best,
            &cuda_wgmma_tf32,
            &cuda_wgmma_3xtf32,
            &cuda_wgmma_fast,
#endif
            &cpu_openblas,
            &cpu_naive,
            &cpu_blocked,
            &cpu_onednn,
            NULL},
    .supports = matmul_gemm_supports,
    .setup = matmul_gemm_setup,
    .reference = matmul_gemm_reference,
    .verify = matmul_gemm_verify,
    .teardown = matmul_gemm_teardown,
};

static gb_status matmul_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  const gb_status status = gb_sdk_open(&matmul_gb, host);
  if (status != GB_OK) return status;
  const gb_status added = host->add(host, registry, &gemm);
  return added == GB_OK ? matmul_epilogues_add(host, registry) : added;
}

GB_EXPORT const gb_plugin gb_plugin_v1 = {
    GB_PLUGIN_HEAD,      .id = "matmul",
    .version = "0.1.0",  .summary = "matrix products, from three loops to tensor cores",
    .open = matmul_open,
};

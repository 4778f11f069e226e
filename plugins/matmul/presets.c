#include "presets.h"

static const gb_axis_default large = {GB_SIZE(gb_axis_default), .backend = "cuda", .values = "4k"};
static const gb_axis_default short_type = {GB_SIZE(gb_axis_default), .backend = "cuda", .values = "bf16"};
static const gb_axis_default *const larges[] = {&large, NULL};
const gb_axis_default *const matmul_short_types[] = {&short_type, NULL};

#define EXTENT(id, what)                                                            \
  const gb_axis matmul_axis_##id = {GB_SIZE(gb_axis), .type = GB_I64,  .name = #id, \
                                    .summary = what,  .values = "512", .defaults = larges}
EXTENT(m, "rows of a and c");
EXTENT(n, "rows of b, columns of c");
EXTENT(k, "columns of a and b: terms of a sum");

MATMUL_PRESET(square_1k, "cuda", "square-1k", "too small to fill a large GPU", "m=1024,n=1024,k=1024,dtype=bf16");
MATMUL_PRESET(square_2k, "cuda", "square-2k", "one wave of tiles", "m=2048,n=2048,k=2048,dtype=bf16");
MATMUL_PRESET(square_4k, "cuda", "square-4k", "the usual yardstick", "m=4096,n=4096,k=4096,dtype=bf16");
MATMUL_PRESET(square_8k, "cuda", "square-8k", "bound by power", "m=8192,n=8192,k=8192,dtype=bf16");
MATMUL_PRESET(square_16k, NULL, "square-16k", "12 ms a product", "m=16384,n=16384,k=16384,dtype=bf16");
MATMUL_PRESET(square_4k_fp32, "cuda", "square-4k-fp32", "fp32, and tf32 on the same data",
              "m=4096,n=4096,k=4096,dtype=fp32");
MATMUL_PRESET(square_4k_fp16, NULL, "square-4k-fp16", "the yardstick in fp16", "m=4096,n=4096,k=4096,dtype=fp16");
MATMUL_PRESET(square_8k_e4m3, "cuda", "square-8k-e4m3", "fp8", "m=8192,n=8192,k=8192,dtype=e4m3");
MATMUL_PRESET(llama_qkv, NULL, "llama3-8b/qkv", "Llama 3 8B, 4096 tokens", "m=4096,n=6144,k=4096,dtype=bf16");
MATMUL_PRESET(llama_o, NULL, "llama3-8b/o", "Llama 3 8B, 4096 tokens: square-4k again",
              "m=4096,n=4096,k=4096,dtype=bf16");
MATMUL_PRESET(llama_up, "cuda", "llama3-8b/up", "Llama 3 8B, 4096 tokens", "m=4096,n=14336,k=4096,dtype=bf16");
MATMUL_PRESET(llama_down, "cuda", "llama3-8b/down", "Llama 3 8B, 4096 tokens", "m=4096,n=4096,k=14336,dtype=bf16");
MATMUL_PRESET(decode_qkv, NULL, "llama3-8b/decode-qkv", "16 sequences, a token each", "m=16,n=6144,k=4096,dtype=bf16");
MATMUL_PRESET(decode_o, NULL, "llama3-8b/decode-o", "16 sequences, a token each", "m=16,n=4096,k=4096,dtype=bf16");
MATMUL_PRESET(decode_up, "cuda", "llama3-8b/decode-up", "16 sequences, a token each", "m=16,n=14336,k=4096,dtype=bf16");
MATMUL_PRESET(decode_down, "cuda", "llama3-8b/decode-down", "16 sequences, a token each",
              "m=16,n=4096,k=14336,dtype=bf16");
MATMUL_PRESET(llama7_qkv, NULL, "llama2-7b/decode-qkv", "16 sequences, a token each", "m=16,n=12288,k=4096,dtype=bf16");
MATMUL_PRESET(llama7_o, NULL, "llama2-7b/decode-o", "16 sequences, a token each", "m=16,n=4096,k=4096,dtype=bf16");
MATMUL_PRESET(llama7_up, NULL, "llama2-7b/decode-up", "16 sequences, a token each", "m=16,n=11008,k=4096,dtype=bf16");
MATMUL_PRESET(llama7_down, NULL, "llama2-7b/decode-down", "16 sequences, a token each",
              "m=16,n=4096,k=11008,dtype=bf16");
MATMUL_PRESET(llama70_qkv, NULL, "llama3-70b/decode-qkv", "16 sequences, a token each",
              "m=16,n=10240,k=8192,dtype=bf16");
MATMUL_PRESET(llama70_o, NULL, "llama3-70b/decode-o", "16 sequences, a token each", "m=16,n=8192,k=8192,dtype=bf16");
MATMUL_PRESET(llama70_up, NULL, "llama3-70b/decode-up", "16 sequences, a token each", "m=16,n=28672,k=8192,dtype=bf16");
MATMUL_PRESET(llama70_down, NULL, "llama3-70b/decode-down", "16 sequences, a token each",
              "m=16,n=8192,k=28672,dtype=bf16");
MATMUL_PRESET(gpt2_fc, "cuda", "gpt2/fc", "GPT-2, 8 sequences of 1024", "m=8192,n=3072,k=768,dtype=bf16");
MATMUL_PRESET(gpt2_logits, "cuda", "gpt2/logits", "GPT-2's vocabulary: odd rows of c",
              "m=4096,n=50257,k=768,dtype=bf16");
MATMUL_PRESET(cpu_256, "cpu", "cpu-256", "fits the second-level cache", "m=256,n=256,k=256,dtype=fp32");
MATMUL_PRESET(cpu_512, NULL, "cpu-512", "square", "m=512,n=512,k=512,dtype=fp32");
MATMUL_PRESET(cpu_1k, "cpu", "cpu-1k", "square", "m=1024,n=1024,k=1024,dtype=fp32");
MATMUL_PRESET(cpu_512_bf16, "cpu", "cpu-512-bf16", "bf16, converted on the way", "m=512,n=512,k=512,dtype=bf16");
MATMUL_PRESET(cpu_odd, "cpu", "cpu-odd", "extents that no tile divides", "m=500,n=333,k=777,dtype=fp32");

const gb_preset *const matmul_presets[] = {
    &square_1k,      &square_2k,    &square_4k,    &square_8k,  &square_16k,  &square_4k_fp32, &square_4k_fp16,
    &square_8k_e4m3, &llama_qkv,    &llama_up,     &llama_down, &llama_o,     &decode_qkv,     &decode_o,
    &decode_up,      &decode_down,  &llama7_qkv,   &llama7_o,   &llama7_up,   &llama7_down,    &llama70_qkv,
    &llama70_o,      &llama70_up,   &llama70_down, &gpt2_fc,    &gpt2_logits, &cpu_256,        &cpu_512,
    &cpu_1k,         &cpu_512_bf16, &cpu_odd,      NULL};

#include "forward_points.h"

#include <gpubench/sugar.h>

#define DEFAULTS(axis, on_cuda)                                                                                \
  static const gb_axis_default axis##_cuda = {GB_SIZE(gb_axis_default), .backend = "cuda", .values = on_cuda}; \
  static const gb_axis_default *const axis##_defaults[] = {&axis##_cuda, NULL}
DEFAULTS(axis_b, "2");
DEFAULTS(axis_h, "32");
DEFAULTS(axis_h_kv, "8");
DEFAULTS(axis_s, "4k");
DEFAULTS(axis_d, "128");
DEFAULTS(axis_dtype, "bf16");

static const gb_axis axis_b = {GB_SIZE(gb_axis),   .type = GB_I64, .name = "b",
                               .summary = "batch", .values = "1",  .defaults = axis_b_defaults};
static const gb_axis axis_h = {GB_SIZE(gb_axis),   .type = GB_I64, .name = "h",
                               .summary = "heads", .values = "12", .defaults = axis_h_defaults};
static const gb_axis axis_h_kv = {GB_SIZE(gb_axis), .type = GB_I64,
                                  .name = "h_kv",   .summary = "heads of keys and values; divides h",
                                  .values = "12",   .defaults = axis_h_kv_defaults};
static const gb_axis axis_s = {GB_SIZE(gb_axis), .type = GB_I64,
                               .name = "s",      .summary = "sequence length",
                               .values = "512",  .defaults = axis_s_defaults};
static const gb_axis axis_d = {GB_SIZE(gb_axis), .type = GB_I64,
                               .name = "d",      .summary = "head size: 64, 128 or 256",
                               .values = "64",   .defaults = axis_d_defaults};
static const gb_axis axis_dtype = {GB_SIZE(gb_axis),
                                   .type = GB_STR,
                                   .name = "dtype",
                                   .summary = "storage type",
                                   .values = "fp32",
                                   .choices = "fp32,fp16,bf16,e4m3",
                                   .defaults = axis_dtype_defaults};
static const gb_axis axis_causal = {GB_SIZE(gb_axis),    .type = GB_STR,
                                    .name = "causal",    .summary = "query i sees keys 0 to i",
                                    .choices = "yes,no", .values = "yes"};
const gb_axis *const attention_forward_axes[] = {&axis_b, &axis_h,     &axis_h_kv,   &axis_s,
                                                 &axis_d, &axis_dtype, &axis_causal, NULL};

/* Presets named after models take their heads from the model's config.json (num_attention_heads, num_key_value_heads,
 * head_dim), and fp16 if its torch_dtype is float16. */
#define PRESETS(X)                                                                                                     \
  X(gpt2_1k, "cuda", "gpt2/1k", "GPT-2, 16 sequences", "b=16,h=12,h_kv=12,s=1024,d=64")                                \
  X(llama3_8b_2k, "cuda", "llama3-8b/2k", "Llama 3 8B prefill", "b=4,h=32,h_kv=8,s=2048,d=128")                        \
  X(llama3_8b_4k, NULL, "llama3-8b/4k", "Llama 3 8B prefill", "b=2,h=32,h_kv=8,s=4096,d=128")                          \
  X(llama3_8b_8k, "cuda", "llama3-8b/8k", "Llama 3 8B prefill", "b=1,h=32,h_kv=8,s=8192,d=128")                        \
  X(llama3_70b_4k, NULL, "llama3-70b/4k", "Llama 3 70B prefill", "b=1,h=64,h_kv=8,s=4096,d=128")                       \
  X(bert_large, NULL, "bert-large/512", "BERT large, all keys visible", "b=32,h=16,h_kv=16,s=512,d=64,causal=no")      \
  X(vit_large, "cuda", "vit-l/577", "ViT-L/14 at 336 pixels: an odd length", "b=32,h=16,h_kv=16,s=577,d=64,causal=no") \
  X(long_16k, "cuda", "long/16k", "16 heads of 16k, all keys visible", "b=1,h=16,h_kv=16,s=16384,d=128,causal=no")     \
  X(gpt2_256, "cpu", "gpt2/256", "GPT-2, one short sequence", "b=1,h=12,h_kv=12,s=256,d=64")                           \
  X(odd_500, NULL, "odd/500", "a length that no tile divides", "b=1,h=8,h_kv=2,s=500,d=64")                            \
  X(bert_base, "cpu", "bert-base/384", "BERT base, all keys visible", "b=1,h=12,h_kv=12,s=384,d=64,causal=no")         \
  X(llama3_8b_512, "cpu", "llama3-8b/512", "Llama 3 8B, a short prompt", "b=1,h=32,h_kv=8,s=512,d=128")                \
  X(llama2_7b_4k, NULL, "llama2-7b/4k", "Llama 2 7B: keys for every head", "b=2,h=32,h_kv=32,s=4096,d=128")            \
  X(qwen25_7b_4k, NULL, "qwen2.5-7b/4k", "Qwen 2.5 7B: seven heads share keys", "b=2,h=28,h_kv=4,s=4096,d=128")        \
  X(starcoder_4k, NULL, "starcoder/4k", "StarCoder: the same keys for 48 heads", "b=2,h=48,h_kv=1,s=4096,d=128")       \
  X(falcon_7b_2k, NULL, "falcon-7b/2k", "Falcon 7B: the same keys for 71 heads of 64", "b=4,h=71,h_kv=1,s=2048,d=64")  \
  X(gemma_7b_4k, NULL, "gemma-7b/4k", "Gemma 7B: heads of 256", "b=2,h=16,h_kv=16,s=4096,d=256")                       \
  X(gemma2_9b_8k, NULL, "gemma2-9b/8k", "Gemma 2 9B, a global layer without soft caps",                                \
    "b=1,h=16,h_kv=8,s=8192,d=256")                                                                                    \
  X(gpt_j_2k, NULL, "gpt-j-6b/2k-fp16", "GPT-J 6B, its branch in fp16: heads of 256",                                  \
    "b=4,h=16,h_kv=16,s=2048,d=256,dtype=fp16")                                                                        \
  X(long_256, NULL, "long/16k-d256", "8 heads of 256, 16k, all keys visible",                                          \
    "b=1,h=8,h_kv=8,s=16384,d=256,causal=no")                                                                          \
  X(llama2_7b_fp16, NULL, "llama2-7b/4k-fp16", "Llama 2 7B as it is stored: in fp16",                                  \
    "b=2,h=32,h_kv=32,s=4096,d=128,dtype=fp16")                                                                        \
  X(opt_1b_2k, NULL, "opt-1.3b/2k-fp16", "OPT 1.3B as it is stored: in fp16",                                          \
    "b=4,h=32,h_kv=32,s=2048,d=64,dtype=fp16")                                                                         \
  X(llama3_8b_e4m3, NULL, "llama3-8b/8k-e4m3", "Llama 3 8B prefill, attention in fp8",                                 \
    "b=1,h=32,h_kv=8,s=8192,d=128,dtype=e4m3")                                                                         \
  X(long_e4m3, NULL, "long/16k-e4m3", "16 heads of 16k, all keys visible, in fp8",                                     \
    "b=1,h=16,h_kv=16,s=16384,d=128,causal=no,dtype=e4m3")                                                             \
  X(odd_e4m3, NULL, "odd/500-e4m3", "a length that no tile divides, in fp8", "b=1,h=8,h_kv=2,s=500,d=64,dtype=e4m3")

#define PRESET(id, on, label, text, values) \
  static const gb_preset id = {GB_SIZE(gb_preset), .name = label, .summary = text, .point = values, .backends = on};
#define ADDRESS(id, ...) &id,
PRESETS(PRESET)
const gb_preset *const attention_forward_presets[] = {PRESETS(ADDRESS) NULL};

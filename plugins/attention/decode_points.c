#include "decode_points.h"

#include "axis.h"

AXIS(axis_b, "b", GB_I64, "batch", NULL, "1", "8");
AXIS(axis_s, "s", GB_I64, "keys and values in the cache", NULL, "1k", "8k");
AXIS(axis_dtype, "dtype", GB_STR, "storage type", "fp32,bf16", "fp32", "bf16");

static const gb_axis axis_h = {GB_SIZE(gb_axis), .type = GB_I64, .name = "h", .summary = "heads of queries",
                               .values = "32"};
static const gb_axis axis_h_kv = {GB_SIZE(gb_axis), .type = GB_I64, .name = "h_kv",
                                  .summary = "heads of keys and values; divides h", .values = "8"};
static const gb_axis axis_s_q = {GB_SIZE(gb_axis), .type = GB_I64, .name = "s_q",
                                 .summary = "queries, the last positions: 1 to 16", .values = "1"};
static const gb_axis axis_d = {GB_SIZE(gb_axis), .type = GB_I64, .name = "d", .summary = "head size: 64 or 128",
                               .values = "128"};
const gb_axis *const attention_decode_axes[] = {&axis_b, &axis_h, &axis_h_kv,  &axis_s_q,
                                                &axis_s, &axis_d, &axis_dtype, NULL};

#define PRESET(id, on, label, text, values)                                                                  \
  static const gb_preset preset_##id = {GB_SIZE(gb_preset), .name = label, .summary = text, .point = values, \
                                        .backends = on}
PRESET(llama_8k, "cuda", "llama3-8b/8k", "Llama 3 8B, Mistral 7B, Qwen 3 8B", "b=8,h=32,h_kv=8,s=8k");
PRESET(llama_8k_1, NULL, "llama3-8b/8k-b1", "one sequence", "b=1,h=32,h_kv=8,s=8k");
PRESET(llama_8k_64, NULL, "llama3-8b/8k-b64", "many sequences", "b=64,h=32,h_kv=8,s=8k");
PRESET(llama_8k_4, "cuda", "llama3-8b/8k-draft4", "four tokens, of which a draft model guessed three",
       "b=8,h=32,h_kv=8,s_q=4,s=8k");
PRESET(llama_8k_16, NULL, "llama3-8b/8k-draft16", "sixteen tokens", "b=8,h=32,h_kv=8,s_q=16,s=8k");
PRESET(llama_1k_64, NULL, "llama3-8b/1k-b64", "many short sequences", "b=64,h=32,h_kv=8,s=1k");
PRESET(llama_32k, NULL, "llama3-8b/32k", "a long cache", "b=8,h=32,h_kv=8,s=32k");
PRESET(llama_32k_1, NULL, "llama3-8b/32k-b1", "one sequence", "b=1,h=32,h_kv=8,s=32k");
PRESET(llama_128k, NULL, "llama3-8b/128k", "the longest cache of Llama 3.1", "b=8,h=32,h_kv=8,s=128k");
PRESET(llama_128k_1, NULL, "llama3-8b/128k-b1", "one sequence", "b=1,h=32,h_kv=8,s=128k");
PRESET(llama70_8k, NULL, "llama3-70b/8k", "Llama 3 70B, Qwen 2.5 72B", "b=16,h=64,h_kv=8,s=8k");
PRESET(llama70_8k_4, NULL, "llama3-70b/8k-draft4", "four tokens", "b=16,h=64,h_kv=8,s_q=4,s=8k");
PRESET(llama70_32k, NULL, "llama3-70b/32k", "a long cache", "b=4,h=64,h_kv=8,s=32k");
PRESET(llama70_128k, NULL, "llama3-70b/128k", "the longest", "b=2,h=64,h_kv=8,s=128k");
PRESET(qwen_32k, NULL, "qwen2.5-7b/32k", "seven heads share a cache", "b=16,h=28,h_kv=4,s=32k");
PRESET(qwen3_32k, NULL, "qwen3-30b/32k", "Qwen 3 30B-A3B", "b=16,h=32,h_kv=4,s=32k");
PRESET(llama2_4k, NULL, "llama2-7b/4k", "a cache for every head", "b=4,h=32,h_kv=32,s=4k");
PRESET(starcoder_8k, NULL, "starcoder/8k", "one cache for 48 heads", "b=64,h=48,h_kv=1,s=8k");
PRESET(falcon_2k, NULL, "falcon-7b/2k", "one cache for 71 heads of 64", "b=64,h=71,h_kv=1,s=2k,d=64");
PRESET(llama_1k, "cpu", "llama3-8b/1k", "Llama 3 8B, one short sequence", "b=1,h=32,h_kv=8,s=1k");
PRESET(odd_777, NULL, "odd/777", "a length that no tile divides, two queries", "b=2,h=6,h_kv=2,s_q=2,s=777,d=64");

const gb_preset *const attention_decode_presets[] = {
    &preset_llama_8k,    &preset_llama_8k_1,
    &preset_llama_8k_64, &preset_llama_8k_4,
    &preset_llama_8k_16, &preset_llama_1k_64,
    &preset_llama_32k,   &preset_llama_32k_1,
    &preset_llama_128k,  &preset_llama_128k_1,
    &preset_llama70_8k,  &preset_llama70_8k_4,
    &preset_llama70_32k, &preset_llama70_128k,
    &preset_qwen_32k,    &preset_qwen3_32k,
    &preset_llama2_4k,   &preset_starcoder_8k,
    &preset_falcon_2k,   &preset_llama_1k,
    &preset_odd_777,     NULL,
};

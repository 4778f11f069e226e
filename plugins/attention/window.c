/* The tables of the bench "window": attention in which a query sees only the last `window` keys up to its own. The
 * window is not an axis (a parameter) of the bench "forward", because results of nightly runs are kept under keys that
 * name all axes of a bench: with a new axis they could not be compared with earlier results. */
#include "axis.h"
#include "benches.h"
#include "forward.h"

AXIS(axis_b, "b", GB_I64, "batch", NULL, "1", "1");
AXIS(axis_h, "h", GB_I64, "heads", NULL, "12", "32");
AXIS(axis_h_kv, "h_kv", GB_I64, "heads of keys and values; divides h", NULL, "12", "8");
AXIS(axis_s, "s", GB_I64, "sequence length", NULL, "512", "16k");
AXIS(axis_window, "window", GB_I64, "query i sees keys i - window + 1 to i", NULL, "128", "4k");
AXIS(axis_d, "d", GB_I64, "head size: 64 or 128", NULL, "64", "128");
AXIS(axis_dtype, "dtype", GB_STR, "storage type", "fp32,bf16", "fp32", "bf16");
static const gb_axis *const axes[] = {&axis_b, &axis_h, &axis_h_kv, &axis_s, &axis_window, &axis_d, &axis_dtype, NULL};

/* The presets. Heads and windows are those of the models' config.json (sliding_window). Sequences are at most as long
 * as those that the models were made for. */
#define PRESETS(X)                                                                                                \
  X(mistral_8k, "cuda", "mistral-7b/8k", "Mistral 7B v0.1", "h=32,h_kv=8,s=8k,window=4k,d=128")                   \
  X(mistral_32k, "cuda", "mistral-7b/32k", "Mistral 7B v0.1, a long prompt", "h=32,h_kv=8,s=32k,window=4k,d=128") \
  X(gemma2_8k, NULL, "gemma2-27b/8k", "Gemma 2 27B, a local layer without soft caps",                             \
    "h=32,h_kv=16,s=8k,window=4k,d=128")                                                                          \
  X(gemma3_8k, NULL, "gemma3-27b/8k", "Gemma 3 27B, a local layer", "h=32,h_kv=16,s=8k,window=1k,d=128")          \
  X(gemma3_32k, "cuda", "gemma3-27b/32k", "Gemma 3 27B, a local layer", "h=32,h_kv=16,s=32k,window=1k,d=128")     \
  X(phi3_4k, "cuda", "phi3-medium/4k", "Phi-3 medium: an odd window", "h=40,h_kv=10,s=4k,window=2047,d=128")      \
  X(starcoder2_3b, NULL, "starcoder2-3b/16k", "StarCoder2 3B", "h=24,h_kv=2,s=16k,window=4k,d=128")               \
  X(starcoder2_15b, "cuda", "starcoder2-15b/16k", "StarCoder2 15B", "h=48,h_kv=4,s=16k,window=4k,d=128")          \
  X(gpt_oss_16k, "cuda", "gpt-oss/16k", "gpt-oss, a local layer without its sinks",                               \
    "h=64,h_kv=8,s=16k,window=128,d=64")                                                                          \
  X(gpt_oss_1k, "cpu", "gpt-oss/1k", "gpt-oss, a short prompt", "h=64,h_kv=8,s=1k,window=128,d=64")               \
  X(odd_777, "cpu", "odd/777-w100", "a length and a window that no tile divides", "h=6,h_kv=2,s=777,window=100,d=64")
#define PRESET(id, on, label, text, values)                                                                \
  static const gb_preset id = {GB_SIZE(gb_preset), .name = label, .summary = text, .point = "b=1," values, \
                               .backends = on};
#define ADDRESS(id, ...) &id,
PRESETS(PRESET)
static const gb_preset *const presets[] = {PRESETS(ADDRESS) NULL};

static const gb_bench window = {
    GB_SIZE(gb_bench),
    ATTENTION_FORWARD,
    .flags = GB_BENCH_BY_NAME,
    .name = "window",
    .contract = ATTENTION_WINDOW,
    .summary = "softmax(q k^T / sqrt(d)) v, a query sees the last keys up to its own",
    .axes = axes,
    .presets = presets,
    .variants = attention_window_variants,
};

gb_status attention_window_add(const gb_host *host, gb_registry *registry) {
  return host->add(host, registry, &window);
}

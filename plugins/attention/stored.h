/* Storage types of a problem's elements. Results of e4m3 problems are bf16. Structs with a flag `bf16` instead of
 * `stored` support only fp32 and bf16. */
#ifndef ATTENTION_STORED_H
#define ATTENTION_STORED_H

enum { STORED_FP32, STORED_BF16, STORED_FP16, STORED_E4M3 };

static inline int stored_bytes(int stored) {
  return stored == STORED_FP32 ? 4 : stored == STORED_E4M3 ? 1 : 2;
}

static inline int stored_result(int stored) {
  return stored == STORED_E4M3 ? STORED_BF16 : stored;
}

#endif

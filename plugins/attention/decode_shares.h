// How the keys of a unit are cut into shares, and where the partial result of each share is kept until all are merged.
#ifndef ATTENTION_DECODE_SHARES_H
#define ATTENTION_DECODE_SHARES_H

#include <stdint.h>

#include "decode_kernels.h"

namespace attention {

// The running softmax of a row of queries. Scores are scaled by log2(e), so that a weight is exp2(score - largest).
// `largest` is -inf until the row has seen a key.
struct softmax_state {
  float largest;
  float sum;
};

// The properties of a kernel that share_keys_of() needs. Such a kernel has one CTA per share, and one CTA per SM at a
// time.
struct share_plan {
  int rows;     // rows of queries that a CTA handles
  int keys;     // keys in a block of keys; a share is a number of whole blocks
  int cost;     // the time to start and end a share, as the number of keys that are processed in this time
  int largest;  // the most shares of a unit
};

inline int row_blocks_of(const decode_problem *p, int rows) {
  return (p->rows + rows - 1) / rows;
}

// Returns how many keys a share has, so that the waves of CTAs take the least time: enough shares to keep all SMs busy
// until the end, but no more, because each costs time to start and end.
inline int share_keys_of(const decode_problem *p, const share_plan &how) {
  const int64_t blocks = (p->s + how.keys - 1) / how.keys;
  const int64_t ctas = p->units * row_blocks_of(p, how.rows);  // number of CTAs if each unit is one share
  const int64_t at_once = static_cast<int64_t>(p->workers);
  int64_t best = blocks, best_time = INT64_MAX;
  for (int64_t shares = 1; shares <= blocks; ++shares) {
    const int64_t each = (blocks + shares - 1) / shares;
    const int64_t used = (blocks + each - 1) / each;
    const int64_t time = (ctas * used + at_once - 1) / at_once * (each * how.keys + how.cost);
    if (time < best_time) best = each, best_time = time;
    if (ctas * shares > 16 * at_once || shares >= how.largest) break;
  }
  return static_cast<int>(best) * how.keys;
}

// The arrays in the workspace. They are empty if each unit is one share, because there is nothing to merge.
struct share_parts {
  unsigned *finished;      // [units][row blocks] number of finished shares; 0 before and after a run
  softmax_state *softmax;  // [units][shares][rows]
  float *o;                // [units][shares][rows][d]
  int shares;
  uint64_t counters;  // bytes of `finished`
  uint64_t bytes;     // bytes of all parts
};

inline share_parts share_parts_of(const decode_problem *p, int row_blocks) {
  const auto aligned = [](uint64_t bytes) { return (bytes + 255) / 256 * 256; };
  share_parts parts = {};
  parts.shares = (p->s + p->share_keys - 1) / p->share_keys;
  if (parts.shares == 1) return parts;
  const uint64_t rows = static_cast<uint64_t>(p->units) * parts.shares * p->rows;
  parts.counters = aligned(static_cast<uint64_t>(p->units) * row_blocks * sizeof(unsigned));
  const uint64_t states = aligned(rows * sizeof(softmax_state));
  parts.bytes = parts.counters + states + rows * p->d * sizeof(float);
  unsigned char *at = static_cast<unsigned char *>(p->workspace);
  if (at == nullptr) return parts;
  parts.finished = reinterpret_cast<unsigned *>(at);
  parts.softmax = reinterpret_cast<softmax_state *>(at + parts.counters);
  parts.o = reinterpret_cast<float *>(at + parts.counters + states);
  return parts;
}

}  // namespace attention
#endif

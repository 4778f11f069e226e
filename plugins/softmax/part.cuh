// What a block has of a row that several blocks share, whatever boundary the row starts at: packs of 16 bytes, the
// first and the last of which may hold elements of other rows. Those packs' own elements, fewer than two packs, are the
// edges: one for each of some threads.
#ifndef SOFTMAX_PART_CUH
#define SOFTMAX_PART_CUH

#include "device.cuh"

namespace softmax {

template <typename T>
struct Part {
  static constexpr int kWidth = Pack<T>::kWidth;
  int64_t begin;  // the first pack's index in the matrix
  int packs;
  int low, high;  // whole packs
  int edge;       // element of this thread, counted from the first pack, or -1

  // `ranks` blocks have the row. Shares are whole multiples of `unit` packs, counted from such a multiple.
  __device__ __forceinline__ Part(int64_t row, int n, int rank, int ranks, int unit = 1) {
    const int64_t start = row * n / kWidth, to = (row * n + n + kWidth - 1) / kWidth, from = start / unit * unit;
    const int64_t share = (int(unsigned(to - from - 1) / unsigned(ranks)) + unit) / unit * unit;
    begin = min(from + rank * share, to);
    packs = int(min(share, to - begin));
    const int first = int(max(row * n - begin * kWidth, int64_t(0)));
    const int last = int(min(row * n + n - begin * kWidth, int64_t(packs) * kWidth));
    low = (first + kWidth - 1) / kWidth;
    high = max(low, last / kWidth);
    const int heads = max(min(low * kWidth, last) - first, 0), tails = max(last - high * kWidth, 0),
              id = int(threadIdx.x);
    edge = id < heads ? first + id : id < heads + tails ? high * kWidth + id - heads : -1;
  }
};

}  // namespace softmax

#endif

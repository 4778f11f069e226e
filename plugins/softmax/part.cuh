// Computes a block's part of a row that several blocks share. The row may start at any alignment. The part is counted
// in packs of 16 bytes. The row's first and last pack may also hold elements of neighbouring rows. The row's own
// elements in these two packs are its edge elements, each of which is handled by one thread.
#ifndef SOFTMAX_PART_CUH
#define SOFTMAX_PART_CUH

#include "device.cuh"

namespace softmax {

template <typename T>
struct Part {
  static constexpr int kWidth = Pack<T>::kWidth;
  int64_t begin;  // index in the matrix of the part's first pack
  int packs;
  int low, high;  // numbers of the packs [low, high) that have no element of another row
  int edge;       // index of this thread's edge element, from the part's first pack on; -1: none

  // Computes the part of block `rank` of the `ranks` blocks that share row `row`. The number of packs in a part, and
  // its first pack, are multiples of `unit`.
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

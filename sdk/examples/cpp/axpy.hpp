// What is measured: a class that was there before and knows nothing of gpubench.
#ifndef AXPY_HPP
#define AXPY_HPP

#include <cstddef>

template <typename T>
class Axpy {
 public:
  Axpy(T a, std::size_t tile) : a_(a), tile_(tile) {}

  // z = a x + y, a tile after the other; a tile of 0 is all of it.
  void operator()(const T *x, const T *y, T *z, std::size_t n) const {
    const std::size_t step = tile_ != 0 && tile_ < n ? tile_ : n;
    for (std::size_t first = 0; first < n; first += step)
      for (std::size_t i = first; i < n && i - first < step; i++)
        z[i] = a_ * x[i] + y[i];
  }

 private:
  T a_;
  std::size_t tile_;
};

#endif

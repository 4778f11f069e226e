// flush [--count]
// Tests whether gpubench's flush of the L2 cache also removes the effects of earlier writes. A kernel that only reads
// is timed after a flush. Before the flush, either another kernel writes lines, or there is another flush instead; the
// two alternate. Their median times must agree within kAllowedUs, whatever was written and however it was written. The
// program also prints the time that a flush takes. With --count it times nothing: it launches each pair of a writer and
// `reader` once, for a profiler that counts what the readers write (flush.sh). Exits with 1 if a time differs, with 77
// without a GPU.
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <vector>

#include "device/cuda/kernels.h"

namespace {

constexpr double kAllowedUs = 0.1;
constexpr int kThreads = 256, kTurns = 101, kTries = 3;
constexpr uint64_t kMB = 1000000, kReads[] = {4 * kMB, 17 * kMB, 67 * kMB}, kMost = 250 * kMB;

void check(cudaError_t code, const char *what) {
  if (code == cudaSuccess) return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(code));
  exit(1);
}
#define CHECK(call) check(call, #call)

__device__ uint64_t first() {
  return blockIdx.x * uint64_t{kThreads} + threadIdx.x;
}
__device__ uint64_t step() {
  return gridDim.x * uint64_t{kThreads};
}

__global__ void plain(uint4 *to, uint64_t count, unsigned value) {
  for (uint64_t i = first(); i < count; i += step())
    to[i] = make_uint4(value, value, value, value);
}

// Writes lines that L2 should keep when others are evicted: PTX ISA, "Cache Eviction Priority Hints".
__global__ void lasting(uint4 *to, uint64_t count, unsigned value) {
  uint64_t policy;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  for (uint64_t i = first(); i < count; i += step())
    asm volatile("st.global.L2::cache_hint.v4.u32 [%0], {%1, %1, %1, %1}, %2;" ::"l"(to + i), "r"(value), "l"(policy)
                 : "memory");
}

// Writes a part of each line.
__global__ void sparse(uint4 *to, uint64_t count, unsigned value) {
  for (uint64_t i = first(); i < count / 8; i += step())
    reinterpret_cast<unsigned *>(to + 8 * i)[value % 4] = value;
}

__global__ void reader(const uint4 *from, uint64_t count, unsigned *out) {
  unsigned sum = 0;
#pragma unroll 4
  for (uint64_t i = first(); i < count; i += step()) {
    const uint4 word = from[i];
    sum |= word.x | word.y | word.z | word.w;
  }
  if (sum == 1) *out = sum;  // never happens, which the compiler cannot know
}

struct writer {
  const char *name;
  void (*kernel)(uint4 *, uint64_t, unsigned);
  uint64_t bytes;
};
constexpr writer kWriters[] = {{"34 MB", plain, 34 * kMB},
                               {"250 MB", plain, kMost},
                               {"34 MB to stay", lasting, 34 * kMB},
                               {"250 MB to stay", lasting, kMost},
                               {"a word of each line of 60 MB", sparse, 60 * kMB}};

struct place {
  cudaStream_t stream;
  cudaEvent_t started, stopped;
  void *flush;
  size_t flush_bytes;
  unsigned multiprocessors, *out;
  uint4 *written, *read;
  struct scan *scan;
  struct gate *gate;
  uint64_t closings;
};

void open_place(place &at) {
  cudaDeviceProp facts;
  CHECK(kernels_load());
  CHECK(cudaGetDeviceProperties(&facts, 0));
  at.multiprocessors = unsigned(facts.multiProcessorCount);
  at.flush_bytes = kernels_flush_bytes(size_t(facts.l2CacheSize));
  CHECK(cudaStreamCreate(&at.stream));
  CHECK(cudaEventCreate(&at.started));
  CHECK(cudaEventCreate(&at.stopped));
  CHECK(cudaMalloc(&at.flush, at.flush_bytes));
  CHECK(cudaMalloc(&at.written, kMost));
  CHECK(cudaMalloc(&at.read, kMost));
  CHECK(cudaMalloc(&at.out, sizeof *at.out));
  CHECK(cudaMalloc(&at.scan, sizeof *at.scan));
  CHECK(cudaHostAlloc(&at.gate, sizeof *at.gate, cudaHostAllocMapped));
  *at.gate = {0, 0};
  CHECK(cudaMemset(at.flush, 0, at.flush_bytes));
  CHECK(cudaMemset(at.read, 0, kMost));
}

void flush(place &at) {
  CHECK(kernels_flush(at.stream, at.flush, at.flush_bytes, at.multiprocessors, at.scan));
}

void write(place &at, const writer &by, unsigned value) {
  by.kernel<<<8 * at.multiprocessors, kThreads, 0, at.stream>>>(at.written, by.bytes / sizeof(uint4), value);
}

void read(place &at, uint64_t bytes) {
  reader<<<8 * at.multiprocessors, kThreads, 0, at.stream>>>(at.read, bytes / sizeof(uint4), at.out);
}

// Takes a sample as gpubench does in the mode "cold": a gate holds the stream back until everything is enqueued.
template <typename Before, typename Work>
double sample_us(place &at, Before before, Work work) {
  float ms;
  CHECK(kernels_gate(at.stream, at.gate, ++at.closings, 2000000000));
  before();
  CHECK(cudaEventRecord(at.started, at.stream));
  work();
  CHECK(cudaEventRecord(at.stopped, at.stream));
  at.gate->opened = at.closings;
  CHECK(cudaStreamSynchronize(at.stream));
  CHECK(cudaEventElapsedTime(&ms, at.started, at.stopped));
  return 1000.0 * ms;
}

double median(std::vector<double> &values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct pair {
  double clean_us, written_us;
};

pair compare(place &at, const writer &by, uint64_t bytes) {
  std::vector<double> clean, written;
  const auto work = [&] { read(at, bytes); };
  for (int i = 0; i < kTurns; i++) {
    clean.push_back(sample_us(
        at, [&] { flush(at), flush(at); }, work));
    written.push_back(sample_us(
        at, [&] { write(at, by, unsigned(i)), flush(at); }, work));
  }
  return {median(clean), median(written)};
}

// Returns true if both medians agree in one of kTries tries. A difference that disappears in another try is noise.
bool agrees(place &at, const writer &by, uint64_t bytes) {
  for (int i = 0; i < kTries; i++) {
    const pair us = compare(at, by, bytes);
    const bool fits = us.written_us - us.clean_us <= kAllowedUs && us.clean_us - us.written_us <= kAllowedUs;
    printf("reads %3llu MB behind writes of %-28s %6.2f us, clean %6.2f: %+.2f%s\n",
           static_cast<unsigned long long>(bytes / kMB), by.name, us.written_us, us.clean_us,
           us.written_us - us.clean_us, fits ? "" : " TOO FAR");
    if (fits) return true;
  }
  return false;
}

void print_cost(place &at) {
  std::vector<double> clean, written;
  for (int i = 0; i < kTurns; i++) {
    clean.push_back(sample_us(
        at, [&] { flush(at); }, [&] { flush(at); }));
    written.push_back(sample_us(
        at, [&] { write(at, kWriters[1], unsigned(i)); }, [&] { flush(at); }));
  }
  printf("a flush reads %.1f MB and takes %.1f us, behind 250 MB of writes %.1f us\n", double(at.flush_bytes) / kMB,
         median(clean), median(written));
}

void launch_each(place &at) {
  for (const writer &by : kWriters)
    for (uint64_t bytes : kReads) {
      write(at, by, 1);
      flush(at);
      read(at, bytes);
      CHECK(cudaStreamSynchronize(at.stream));
    }
}

}  // namespace

int main(int argc, char **argv) {
  int devices = 0;
  place at = {};
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return puts("skipped: no NVIDIA GPU here"), 77;
  open_place(at);
  if (argc > 1 && strcmp(argv[1], "--count") == 0) return launch_each(at), 0;
  print_cost(at);
  bool all = true;
  for (const writer &by : kWriters)
    for (uint64_t bytes : kReads)
      all = agrees(at, by, bytes) && all;
  return all ? 0 : 1;
}

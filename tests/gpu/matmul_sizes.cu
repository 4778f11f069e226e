// matmul_sizes [--seed S] [--small N] [--large N] [--deep N] [--only TEXT]
// Tests the CUDA variants of the matmul plugin whose names contain TEXT, in all their tile shapes and for each storage
// type, on random sizes: N small ones (m, n and k of 1 to 300), N large ones (300 to 6000), and N deep ones (m and n of
// 1 to 150, and a k that all kernels accept and that needs more steps than any kernel has stages). Every element is
// compared with a product in fp64. The bytes around c must stay unchanged. NaN follows a and b in memory, so that
// reading beyond them spoils the result. Exits with 1 if a variant is wrong or accepted no size, with 77 without a GPU.
// matmul_sizes.sh also runs this program under memcheck and racecheck.
#include <cuda_runtime.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels.h"
#include "matmul_expected.cuh"

namespace {

using expected::check_cuda;

// A type that a and b are stored in. fp32 occurs twice: with inputs rounded to tf32, which tf32 kernels need to meet
// the expected result, and with all bits, for kernels of full fp32 precision.
struct storage {
  const char *name;
  int dtype, result_bytes;
  bool whole;
};

constexpr storage kStorages[] = {{"fp32", MATMUL_FP32, 4, false},
                                 {"fp16", MATMUL_FP16, 2, false},
                                 {"bf16", MATMUL_BF16, 2, false},
                                 {"e4m3", MATMUL_E4M3, 2, false},
                                 {"fp32, all bits", MATMUL_FP32, 4, true}};
constexpr int kStorageCount = sizeof kStorages / sizeof *kStorages;

// The ranges that m, n and k are drawn from. `multiple`: k is a multiple of it; 16 is what the strictest kernel needs.
enum { kSmall, kLarge, kDeep, kRanges, kSeed = kRanges, kOnly };
struct range {
  const char *name;
  int64_t least, most, least_k, most_k, multiple;
};

constexpr range kDrawn[kRanges] = {
    {"small", 1, 300, 1, 300, 1}, {"large", 300, 6000, 300, 6000, 1}, {"deep", 1, 150, 2600, 3200, 16}};
constexpr int64_t kMost = kDrawn[kLarge].most, kMostProducts = INT64_C(1) << 33, kMostOutputs = INT64_C(1) << 23;

// ---- The variants --------------------------------------------------------------------------------------------------

struct variant {
  std::string name;
  unsigned storages;  // bit mask of indices into kStorages
  int64_t most;       // largest m * n * k with which the variant is tested; more takes too long
  int64_t k_multiple;
  int (*run)(const matmul_problem *p, const variant *v);
  int math, number;                   // which wgmma shape
  int multiprocessors, shared_bytes;  // pretended values; 0: the device's
  int64_t checked, wrong;
};

int run_naive(const matmul_problem *p, const variant *) {
  return matmul_cuda_naive(p, nullptr);
}

int run_tiled(const matmul_problem *p, const variant *) {
  return matmul_cuda_tiled(p, nullptr);
}

int run_register(const matmul_problem *p, const variant *) {
  return matmul_cuda_register(p, nullptr);
}

int run_ring(const matmul_problem *p, const variant *) {
  const int code = matmul_cuda_ring_prepare(p);
  return code != 0 ? code : matmul_cuda_ring(p, nullptr);
}

int run_tensor(const matmul_problem *p, const variant *) {
  const int code = matmul_cuda_tensor_prepare(p);
  return code != 0 ? code : matmul_cuda_tensor(p, nullptr);
}

int run_wgmma(const matmul_problem *p, const variant *v) {
  matmul_wgmma *plan = nullptr;
  const int code = matmul_wgmma_open(p, v->math, v->number, &plan);
  if (code != 0) return code;
  const int launched = matmul_wgmma_run(plan, nullptr);
  matmul_wgmma_close(plan);  // The launch has copied the arguments, so the plan may be closed before the kernel ends.
  return launched;
}

constexpr unsigned kTf32 = 1, k32 = 1 | 16, k16 = 2 | 4, kE4m3 = 8, kAll = 31;

struct wgmma_takes {
  const char *name;
  unsigned storages;
  int64_t k_multiple;
};

// No storage is listed for the last two, which have an epilogue: matmul_epilogues.sh tests them.
constexpr wgmma_takes kWgmma[MATMUL_WGMMA_MATHS] = {{"fp16", 2, 8},      {"bf16", 4, 8},  {"tf32", kTf32, 4},
                                                    {"3xtf32", k32, 4},  {"e4m3", 8, 16}, {"e4m3, fast", 8, 16},
                                                    {"bias_gelu", 0, 8}, {"add", 0, 8}};

std::vector<variant> all_variants(const char *only) {
  std::vector<variant> all = {
      {"naive", kAll, INT64_C(1) << 30, 1, run_naive, 0, 0, 0, 0, 0, 0},
      {"tiled", kAll, kMostProducts, 1, run_tiled, 0, 0, 0, 0, 0, 0},
      {"register", k32, kMostProducts, 1, run_register, 0, 0, 0, 0, 0, 0},
      {"ring", k32, kMostProducts, 1, run_ring, 0, 0, 0, 0, 0, 0},
      {"ring, large tiles", k32, kMostProducts, 1, run_ring, 0, 0, 1, 0, 0, 0},
      {"ring, large tiles, 99 KB", k32, kMostProducts, 1, run_ring, 0, 0, 1, 99 * 1024, 0, 0},
      {"tensor", kTf32 | k16 | kE4m3, kMostProducts, 1, run_tensor, 0, 0, 0, 0, 0, 0},
      {"tensor, large tiles", kTf32 | k16 | kE4m3, kMostProducts, 1, run_tensor, 0, 0, 1, 0, 0, 0},
      {"tensor, large tiles, 163 KB", kTf32 | k16 | kE4m3, kMostProducts, 1, run_tensor, 0, 0, 1, 163 * 1024, 0, 0},
      {"tensor, large tiles, 99 KB", kTf32 | k16 | kE4m3, kMostProducts, 1, run_tensor, 0, 0, 1, 99 * 1024, 0, 0},
  };
  for (int math = 0; matmul_wgmma_here() && math < MATMUL_WGMMA_MATHS; ++math)
    for (int i = 0; kWgmma[math].storages != 0 && i < matmul_wgmma_shapes(math); ++i)
      for (int few = 0; few < 2; ++few)  // with few CTAs, each CTA computes several tiles even of a small matrix
        all.push_back(
            {std::string("wgmma ") + kWgmma[math].name + ", " + matmul_wgmma_name(math, i) + (few ? ", few CTAs" : ""),
             kWgmma[math].storages, kMostProducts, kWgmma[math].k_multiple, run_wgmma, math, i, few ? 16 : 0, 0, 0, 0});
  all.erase(std::remove_if(all.begin(), all.end(),
                           [only](const variant &v) { return v.name.find(only) == std::string::npos; }),
            all.end());
  return all;
}

double off_by(const variant &v, int dtype, int64_t k) {
  if (v.run == run_wgmma && v.math == MATMUL_WGMMA_E4M3_FAST) return expected::tensor_core_error(k);
  if (v.run == run_tensor && dtype == MATMUL_E4M3) return expected::tensor_core_error(k);
  if (v.run != run_wgmma || v.math != MATMUL_WGMMA_E4M3) return 0;
  return expected::tensor_core_error(k < 128 ? k : 128) * sqrt(static_cast<double>((k + 127) / 128));
}

// ---- Random sizes --------------------------------------------------------------------------------------------------

uint64_t next_random(uint64_t *state) {  // splitmix64
  uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

int64_t draw_extent(uint64_t *state, int64_t least, int64_t most) {
  return least + static_cast<int64_t>(next_random(state) % static_cast<uint64_t>(most - least + 1));
}

// Draws a size. In each group of four sizes, the first has a k and an n that are multiples of `line`, and the second
// has such a k. Tensor maps require this. With a `line` of 16 all tensor maps are possible, with 8 all except e4m3's.
matmul_problem draw_size(uint64_t *state, const range &from, uint64_t number) {
  matmul_problem p = {};
  do {
    p.m = draw_extent(state, from.least, from.most);
    p.n = draw_extent(state, from.least, from.most);
    p.k = draw_extent(state, from.least_k, from.most_k) / from.multiple * from.multiple;
  } while (p.m * p.n > kMostOutputs || p.m * p.n * p.k > kMostProducts);
  const int64_t line = number / 4 % 2 == 0 ? 16 : 8;
  if (number % 4 < 2) p.k = (p.k + line - 1) / line * line;
  if (number % 4 == 0) p.n = (p.n + line - 1) / line * line;
  return p;
}

// ---- The test ------------------------------------------------------------------------------------------------------

struct device {
  int multiprocessors, shared_bytes, major, minor;
};

int test_size(std::vector<variant> *all, const device &d, matmul_problem p, int number, uint64_t seed,
              expected::buffers *memory) {
  const storage &as = kStorages[number];
  int failures = 0;
  p.dtype = as.dtype;
  p.workspace = memory->workspace;
  expected::state(memory, p.m, p.n, p.k, p.dtype, as.whole, seed);
  p.a = memory->a;
  p.b = memory->b;
  p.c = memory->c + expected::kGuard;
  for (variant &v : *all) {
    if ((v.storages >> number & 1) == 0 || p.m * p.n * p.k > v.most || p.k % v.k_multiple != 0) continue;
    p.multiprocessors = v.multiprocessors > 0 ? v.multiprocessors : d.multiprocessors;
    p.shared_bytes = v.shared_bytes > 0 && v.shared_bytes < d.shared_bytes ? v.shared_bytes : d.shared_bytes;
    if (v.run == run_tensor && p.dtype == MATMUL_E4M3 && d.major * 10 + d.minor < 89) continue;
    if (v.run == run_wgmma && isinf(matmul_wgmma_cycles(&p, v.math, v.number))) continue;
    expected::poison(memory, p.m * p.n * as.result_bytes);
    const int code = v.run(&p, &v);
    const expected::finding found =
        code != 0 ? expected::finding{} : expected::compare(memory, p.m, p.n, p.dtype, off_by(v, p.dtype, p.k));
    ++v.checked;
    if (code == 0 && found.wrong == 0 && found.outside == 0) continue;
    ++v.wrong;
    ++failures;
    printf("%s %lld x %lld x %lld, %s: ", as.name, static_cast<long long>(p.m), static_cast<long long>(p.n),
           static_cast<long long>(p.k), v.name.c_str());
    if (code != 0)
      printf("%s\n", matmul_cuda_error(code));
    else
      printf("%llu elements wrong, the first [%lld, %lld]: %g, must be %g; %llu bytes around c overwritten\n",
             found.wrong, static_cast<long long>(found.first / static_cast<unsigned long long>(p.n)),
             static_cast<long long>(found.first % static_cast<unsigned long long>(p.n)), found.is, found.must,
             found.outside);
  }
  return failures;
}

int test_all(std::vector<variant> *all, const device &d, uint64_t seed, const uint64_t count[kRanges]) {
  expected::buffers memory = expected::open(kMostOutputs + 16 * kMost, (kMost + 16) * (kMost + 16));
  uint64_t state = seed;
  int failures = 0;
  for (int number = 0; number < kStorageCount; ++number)
    for (int r = 0; r < kRanges; ++r)
      for (uint64_t i = 0; i < count[r] && failures < 100; ++i) {
        const matmul_problem p = draw_size(&state, kDrawn[r], i);
        failures += test_size(all, d, p, number, next_random(&state), &memory);
      }
  expected::close(&memory);
  return failures;
}

bool take_number(const char *text, uint64_t *number) {
  char *end = nullptr;
  *number = strtoull(text, &end, 10);
  return end != text && *end == '\0' && *text != '-';
}

}  // namespace

int main(int argc, char **argv) {
  static const option options[] = {{kDrawn[kSmall].name, required_argument, nullptr, kSmall},
                                   {kDrawn[kLarge].name, required_argument, nullptr, kLarge},
                                   {kDrawn[kDeep].name, required_argument, nullptr, kDeep},
                                   {"seed", required_argument, nullptr, kSeed},
                                   {"only", required_argument, nullptr, kOnly},
                                   {}};
  uint64_t numbers[kSeed + 1] = {3000, 200, 100, static_cast<uint64_t>(time(nullptr))};
  const char *only = "";
  for (int i; (i = getopt_long(argc, argv, "", options, nullptr)) != -1;)
    if (i == kOnly) {
      only = optarg;
    } else if (i < 0 || i > kSeed || !take_number(optarg, &numbers[i]) || (i < kRanges && numbers[i] > 1000000)) {
      fprintf(stderr, "usage: %s [--seed S] [--small N] [--large N] [--deep N] [--only TEXT]\n", argv[0]);
      return 2;
    }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    puts("skipped: no NVIDIA GPU here");
    return 77;
  }
  device d = {};
  check_cuda(cudaDeviceGetAttribute(&d.multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  check_cuda(cudaDeviceGetAttribute(&d.major, cudaDevAttrComputeCapabilityMajor, 0));
  check_cuda(cudaDeviceGetAttribute(&d.minor, cudaDevAttrComputeCapabilityMinor, 0));
  check_cuda(cudaDeviceGetAttribute(&d.shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  std::vector<variant> all = all_variants(only);
  printf("--seed %llu", static_cast<unsigned long long>(numbers[kSeed]));
  for (int r = 0; r < kRanges; ++r)
    printf(" --%s %llu", kDrawn[r].name, static_cast<unsigned long long>(numbers[r]));
  puts("");
  const int failures = test_all(&all, d, numbers[kSeed], numbers);
  int missing = 0;
  for (const variant &v : all) {
    printf("%-60s %6lld right of %6lld\n", v.name.c_str(), static_cast<long long>(v.checked - v.wrong),
           static_cast<long long>(v.checked));
    missing += v.checked == 0;
  }
  if (missing > 0) printf("wrong: %d variants took none of the sizes\n", missing);
  if (all.empty()) printf("wrong: no variant has \"%s\" in its name\n", only);
  return failures + missing > 0 || all.empty();
}

/* Kernels of the cuda backend: most fill, copy or scan memory in grid-stride loops; others empty the L2 cache, hold a
 * stream back, or read a clock. */
#include "device/cuda/kernels.h"

#include "base/rng.h"
#include "model/data/fill.h"

namespace {

constexpr unsigned kThreads = 256, kBlocksMax = 2048;

unsigned blocks_for(uint64_t items) {
  uint64_t blocks = (items + kThreads - 1) / kThreads;
  return blocks < kBlocksMax ? static_cast<unsigned>(blocks) : kBlocksMax;
}

__device__ uint64_t thread_index() {
  return static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__device__ uint64_t thread_count() {
  return static_cast<uint64_t>(gridDim.x) * blockDim.x;
}

__device__ uint64_t nanoseconds() {
  uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

/* Adds the values of all threads of the block to `total`, with one atomic operation per warp. All threads must call
 * this function. */
__device__ void add_to(unsigned long long *total, unsigned long long value) {
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_down_sync(0xFFFFFFFFu, value, offset);
  if (threadIdx.x % 32 == 0 && value != 0) atomicAdd(total, value);
}

__global__ void fill_kernel(void *memory, uint64_t elements, struct fill fill, uint64_t key) {
  for (uint64_t i = thread_index(); i < elements; i += thread_count())
    fill_put(fill.dtype, memory, i, fill_element(&fill, key, i));
}

/* Fills memory. Type and kind are template parameters, so that most shifts are by constants. */
template <uint32_t kDtype, uint32_t kKind>
__global__ void fill_known_kernel(void *memory, uint64_t elements, struct fill fill, uint64_t key) {
  fill.dtype = kDtype;
  fill.kind = kKind;
  for (uint64_t i = thread_index(); i < elements; i += thread_count())
    fill_put(kDtype, memory, i, fill_element(&fill, key, i));
}

/* Sets each word to (word & kept) | value. If `kept` is 0, the memory is not read. */
template <typename Word>
__device__ void write_words(volatile Word *words, uint64_t count, Word kept, Word value) {
  for (uint64_t i = thread_index(); i < count; i += thread_count())
    words[i] = kept == 0 ? value : static_cast<Word>((words[i] & kept) | value);
}

__global__ void write_kernel(unsigned char *memory, uint64_t bytes, uint64_t kept, uint64_t value) {
  uint64_t head = -reinterpret_cast<uintptr_t>(memory) % 8;
  if (head > bytes) head = bytes;
  uint64_t words = (bytes - head) / 8, done = head + 8 * words;
  const auto kept8 = static_cast<unsigned char>(kept), value8 = static_cast<unsigned char>(value);
  write_words(memory, head, kept8, value8);
  write_words(reinterpret_cast<uint64_t *>(memory + head), words, kept, value);
  write_words(memory + done, bytes - done, kept8, value8);
}

__device__ bool is_poison(const unsigned char *element, unsigned bytes, unsigned char byte) {
  for (unsigned i = 0; i < bytes; i++)
    if (element[i] != byte) return false;
  return true;
}

__global__ void count_poison_kernel(const unsigned char *memory, unsigned element_bytes, uint64_t elements,
                                    unsigned char byte, struct scan *scan) {
  unsigned long long count = 0, first = UINT64_MAX;
  for (uint64_t i = thread_index(); i < elements; i += thread_count()) {
    if (!is_poison(memory + i * element_bytes, element_bytes, byte)) continue;
    if (count++ == 0) first = i;
  }
  if (count > 0) atomicMin(&scan->first, first);
  add_to(&scan->count, count);
}

template <typename Element>
__global__ void shuffle_kernel(Element *to, const Element *from, uint64_t elements, struct shuffle order) {
  for (uint64_t i = thread_index(); i < elements; i += thread_count())
    to[i] = from[i / SHUFFLE_BLOCK * SHUFFLE_BLOCK + (i * order.factor + order.offset) % SHUFFLE_BLOCK];
}

/* Copies the elements at the given indices. The indices are arguments of the launch, so that no memory holds them
 * before the launch, where a plugin could read them. */
__global__ void gather_kernel(unsigned char *to, const unsigned char *from, unsigned bytes,
                              const __grid_constant__ struct places places) {
  const uint64_t i = thread_index();
  if (i >= places.count) return;
  for (unsigned j = 0; j < bytes; j++)
    to[i * bytes + j] = from[places.at[i] * bytes + j];
}

__global__ void plant_kernel(unsigned char *to, unsigned char *memory, unsigned bytes, uint64_t kept, uint64_t flipped,
                             const __grid_constant__ struct places places) {
  const uint64_t i = thread_index();
  if (i >= places.count) return;
  unsigned char *element = memory + places.at[i] * bytes;
  for (unsigned j = 0; j < bytes; j++)
    to[i * bytes + j] = element[j] = static_cast<unsigned char>((element[j] & kept >> 8 * j) ^ flipped >> 8 * j);
}

/* Loads the 8-byte little-endian word `index`; bytes beyond the end of the memory are zero. The memory need not be
 * aligned. */
__device__ uint64_t load_word(const unsigned char *memory, uint64_t bytes, uint64_t index, bool aligned) {
  uint64_t start = index * 8;
  if (aligned && start + 8 <= bytes) return *reinterpret_cast<const uint64_t *>(memory + start);
  uint64_t word = 0;
  for (uint64_t i = 0; i < 8 && start + i < bytes; i++)
    word |= static_cast<uint64_t>(memory[start + i]) << (8 * i);
  return word;
}

__global__ void checksum_kernel(const unsigned char *memory, uint64_t bytes, uint64_t key, struct scan *scan) {
  bool aligned = reinterpret_cast<uintptr_t>(memory) % 8 == 0;
  unsigned long long sum = 0;
  for (uint64_t i = thread_index(); i < (bytes + 7) / 8; i += thread_count())
    sum += rng_mix(rng_bits(load_word(memory, bytes, i, aligned), i) ^ key);
  add_to(&scan->count, sum);
}

#if __CUDA_ARCH__ >= 800
/* Loads a word and marks its cache line as evict_last, the last to be evicted from L2 (PTX ISA, "createpolicy" and
 * "Cache Eviction Priority Hints"). */
__device__ uint4 load_to_stay(const uint4 *from) {
  uint64_t policy;
  uint4 word;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  asm volatile("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
               : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
               : "l"(from), "l"(policy));
  return word;
}

__device__ void let_go(const uint4 *line) {
  asm volatile("applypriority.global.L2::evict_normal [%0], 128;" : : "l"(line) : "memory");
}
#else
__device__ uint4 load_to_stay(const uint4 *from) {
  return *from;
}

__device__ void let_go(const uint4 *) {}
#endif

/* Reads memory to flush the L2 cache. The reads mark their lines as evict_last: ordinary reads would not evict lines
 * that were loaded with evict_last themselves or are kept by an access policy window. After one pass up to 0.24 MB of
 * written lines remain on an H200 (tests/gpu/flush.sh), so a third of the memory is read again. `sum` is never 1,
 * because the memory holds zeros, but the compiler cannot know this and keeps the reads. */
__global__ void flush_kernel(const uint4 *memory, uint64_t count, struct scan *scan) {
  constexpr unsigned kWordsPerLine = 128 / sizeof(uint4);
  unsigned sum = 0;
#pragma unroll 4
  for (uint64_t i = thread_index(); i < count + count / 3; i += thread_count()) {
    const uint4 word = load_to_stay(memory + (i < count ? i : i - count));
    sum |= word.x | word.y | word.z | word.w;
  }
  if (sum == 1) scan->count = sum;
  if (threadIdx.x % kWordsPerLine != 0) return;
  for (uint64_t i = thread_index(); i < count; i += thread_count())
    let_go(memory + i);
}

__global__ void gate_kernel(struct gate *gate, uint64_t closing, uint64_t limit_ns) {
  uint64_t start = nanoseconds();
  while (gate->opened < closing) {
    if (nanoseconds() - start > limit_ns) {
      gate->gave_up = closing;
      __threadfence_system();
      return;
    }
    __nanosleep(100);
  }
}

__device__ uint32_t multiprocessor() {
  uint32_t id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

__global__ void clock_kernel(struct clock_reading *to) {
  to->multiprocessor = multiprocessor();
  to->cycles = static_cast<uint64_t>(clock64());
  to->ns = nanoseconds();
  __threadfence_system();
}

template <unsigned kBytes>
struct parameters {
  uint64_t spin_ns;
  unsigned char rest[kBytes];
};

template <unsigned kBytes>
__global__ void null_kernel(uint64_t *out, struct parameters<kBytes> parameters) {
  uint64_t start = nanoseconds();
  while (nanoseconds() - start < parameters.spin_ns)
    continue;
  if (blockIdx.x == 0 && threadIdx.x == 0) *out = start;
}

constexpr unsigned kFew = 8, kMany = 4000, kNullShared = 200 * 1024, kNullThreads = 32;

template <unsigned kBytes>
cudaError_t launch_null(cudaStream_t stream, const struct null_launch *launch, uint64_t *out) {
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute attribute = {};
  config.gridDim = dim3(launch->blocks);
  config.blockDim = dim3(kNullThreads);
  config.dynamicSmemBytes = launch->shared_bytes;
  config.stream = stream;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = launch->cluster;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = launch->cluster > 1 ? 1 : 0;
  return cudaLaunchKernelEx(&config, null_kernel<kBytes>, out, parameters<kBytes>{});
}

template <unsigned kBytes>
cudaError_t allow_shared(uint32_t bytes) {
  return cudaFuncSetAttribute(null_kernel<kBytes>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              static_cast<int>(bytes));
}

using Filler = decltype(&fill_kernel);

template <uint32_t kDtype>
Filler filler_of_kind(uint32_t kind) {
  return kind == GB_FILL_NORMAL    ? fill_known_kernel<kDtype, GB_FILL_NORMAL>
         : kind == GB_FILL_UNIFORM ? fill_known_kernel<kDtype, GB_FILL_UNIFORM>
                                   : fill_kernel;
}

Filler filler_of(const struct fill *fill) {
  switch (fill->dtype) {
    case GB_DTYPE_F32:
      return filler_of_kind<GB_DTYPE_F32>(fill->kind);
    case GB_DTYPE_F16:
      return filler_of_kind<GB_DTYPE_F16>(fill->kind);
    case GB_DTYPE_BF16:
      return filler_of_kind<GB_DTYPE_BF16>(fill->kind);
    case GB_DTYPE_E4M3:
      return filler_of_kind<GB_DTYPE_E4M3>(fill->kind);
    default:
      return fill_kernel;
  }
}

template <typename Kernel>
cudaError_t load_one(Kernel *kernel) {
  cudaFuncAttributes attributes;
  return cudaFuncGetAttributes(&attributes, kernel);
}

/* Loads the fill kernels in advance. A kernel that is first loaded while the gate (a kernel that holds the stream back)
 * is closed would wait for the gate. */
cudaError_t load_fillers() {
  for (uint32_t dtype = GB_DTYPE_F64; dtype <= GB_DTYPE_E4M3; dtype++)
    for (uint32_t kind = GB_FILL_UNIFORM; kind <= GB_FILL_NORMAL; kind++) {
      const struct fill fill = {dtype, kind, 0, 0, 0, 0};
      const cudaError_t code = load_one(filler_of(&fill));
      if (code != cudaSuccess) return code;
    }
  return cudaSuccess;
}

}  // namespace

cudaError_t load_shufflers() {
  const cudaError_t codes[] = {load_one(shuffle_kernel<uint8_t>), load_one(shuffle_kernel<uint16_t>),
                               load_one(shuffle_kernel<uint32_t>), load_one(shuffle_kernel<uint64_t>)};
  for (cudaError_t code : codes)
    if (code != cudaSuccess) return code;
  return cudaSuccess;
}

cudaError_t kernels_load(void) {
  cudaError_t codes[] = {
      load_fillers(),        load_one(count_poison_kernel), load_one(checksum_kernel),   load_one(flush_kernel),
      load_one(gate_kernel), load_one(clock_kernel),        load_one(null_kernel<kFew>), load_one(null_kernel<kMany>),
      load_shufflers(),      load_one(write_kernel),        load_one(gather_kernel),     load_one(plant_kernel)};
  for (cudaError_t code : codes)
    if (code != cudaSuccess) return code;
  return cudaSuccess;
}

int kernels_capability(void) {
  cudaFuncAttributes attributes;
  return cudaFuncGetAttributes(&attributes, gate_kernel) == cudaSuccess ? attributes.ptxVersion : 0;
}

cudaError_t kernels_write(cudaStream_t stream, void *memory, size_t bytes, unsigned char kept, unsigned char value) {
  constexpr uint64_t kEachByte = 0x0101010101010101;
  if (bytes == 0) return cudaSuccess;
  write_kernel<<<blocks_for(bytes / 8 + 1), kThreads, 0, stream>>>(static_cast<unsigned char *>(memory), bytes,
                                                                   kept * kEachByte, value * kEachByte);
  return cudaGetLastError();
}

cudaError_t kernels_fill(cudaStream_t stream, void *memory, uint64_t elements, const struct fill *fill) {
  if (elements == 0) return cudaSuccess;
  filler_of(fill)<<<blocks_for(elements), kThreads, 0, stream>>>(memory, elements, *fill,
                                                                 rng_key(fill->seed, fill->stream));
  return cudaGetLastError();
}

cudaError_t kernels_count_poison(cudaStream_t stream, const void *memory, size_t element_bytes, uint64_t elements,
                                 unsigned char byte, struct scan *scan) {
  if (elements == 0) return cudaSuccess;
  count_poison_kernel<<<blocks_for(elements), kThreads, 0, stream>>>(
      static_cast<const unsigned char *>(memory), static_cast<unsigned>(element_bytes), elements, byte, scan);
  return cudaGetLastError();
}

template <typename Element>
static cudaError_t shuffle(cudaStream_t stream, void *to, const void *from, uint64_t elements, struct shuffle order) {
  shuffle_kernel<<<blocks_for(elements), kThreads, 0, stream>>>(static_cast<Element *>(to),
                                                                static_cast<const Element *>(from), elements, order);
  return cudaGetLastError();
}

cudaError_t kernels_shuffle(cudaStream_t stream, void *to, const void *from, size_t element_bytes, uint64_t elements,
                            struct shuffle order) {
  if (elements == 0) return cudaSuccess;
  const auto shuffle_as = element_bytes == 1   ? shuffle<uint8_t>
                          : element_bytes == 2 ? shuffle<uint16_t>
                          : element_bytes == 4 ? shuffle<uint32_t>
                                               : shuffle<uint64_t>;
  return shuffle_as(stream, to, from, elements, order);
}

cudaError_t kernels_gather(cudaStream_t stream, void *to, const void *from, size_t element_bytes,
                           const struct places *places) {
  static_assert(PLACES_MOST <= kThreads, "one block has a thread for each place");
  if (places->count == 0) return cudaSuccess;
  gather_kernel<<<1, kThreads, 0, stream>>>(static_cast<unsigned char *>(to), static_cast<const unsigned char *>(from),
                                            static_cast<unsigned>(element_bytes), *places);
  return cudaGetLastError();
}

cudaError_t kernels_plant(cudaStream_t stream, void *to, void *memory, size_t element_bytes,
                          const struct places *places, uint64_t kept, uint64_t flipped) {
  if (places->count == 0) return cudaSuccess;
  plant_kernel<<<1, kThreads, 0, stream>>>(static_cast<unsigned char *>(to), static_cast<unsigned char *>(memory),
                                           static_cast<unsigned>(element_bytes), kept, flipped, *places);
  return cudaGetLastError();
}

cudaError_t kernels_checksum(cudaStream_t stream, const void *memory, size_t bytes, uint64_t key, struct scan *scan) {
  if (bytes == 0) return cudaSuccess;
  checksum_kernel<<<blocks_for((bytes + 7) / 8), kThreads, 0, stream>>>(static_cast<const unsigned char *>(memory),
                                                                        bytes, key, scan);
  return cudaGetLastError();
}

cudaError_t kernels_flush(cudaStream_t stream, const void *memory, size_t bytes, uint32_t multiprocessors,
                          struct scan *scan) {
  /* So few blocks that all of them run at the same time. Each one first reads the memory and then gives its lines
   * normal priority again. When the first one does that, the others have nearly finished reading. */
  constexpr unsigned kBlocksEach = 4;
  flush_kernel<<<kBlocksEach * multiprocessors, kThreads, 0, stream>>>(static_cast<const uint4 *>(memory), bytes / 16,
                                                                       scan);
  return cudaGetLastError();
}

cudaError_t kernels_gate(cudaStream_t stream, struct gate *gate, uint64_t closing, uint64_t limit_ns) {
  gate_kernel<<<1, 1, 0, stream>>>(gate, closing, limit_ns);
  return cudaGetLastError();
}

cudaError_t kernels_clock(cudaStream_t stream, struct clock_reading *to) {
  clock_kernel<<<1, 1, 0, stream>>>(to);
  return cudaGetLastError();
}

void kernels_null_shape(uint32_t shape, uint32_t multiprocessors, uint32_t shared_most, struct null_launch *launch) {
  /* Limits shared memory so that one block fits into a multiprocessor: otherwise further blocks would have to wait, and
   * their time would not be launch cost. */
  const uint32_t plain = shape % NULL_SHAPES_PLAIN, cluster = shape / NULL_SHAPES_PLAIN + 1;
  const bool shared = plain >= 6;
  const uint32_t index = shared ? plain - 6 : plain, grid = index / 2;
  launch->blocks = grid == 0 ? cluster : grid == 1 ? multiprocessors : 8 * multiprocessors;
  launch->blocks -= launch->blocks % cluster;
  launch->shared_bytes = !shared ? 0 : shared_most < kNullShared ? shared_most : kNullShared;
  launch->cluster = cluster;
  launch->many_parameters = index % 2 != 0;
}

cudaError_t kernels_null(cudaStream_t stream, const struct null_launch *launch, uint64_t *out) {
  cudaError_t code = cudaSuccess;
  if (launch->shared_bytes > 0)
    code =
        launch->many_parameters ? allow_shared<kMany>(launch->shared_bytes) : allow_shared<kFew>(launch->shared_bytes);
  if (code == cudaSuccess)
    code = launch->many_parameters ? launch_null<kMany>(stream, launch, out) : launch_null<kFew>(stream, launch, out);
  if (code != cudaSuccess) (void)cudaGetLastError();
  return code;
}

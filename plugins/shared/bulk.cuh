// Bulk copies between global and shared memory by the SM's copy engine (TMA), from compute capability 9.0. One thread
// requests thousands of bytes, and an mbarrier in shared memory signals their arrival. Addresses and sizes are
// multiples of 16 bytes. Everything is inlined; below 9.0 nothing here may be called.
#ifndef PLUGINS_BULK_CUH
#define PLUGINS_BULK_CUH

#include <stdint.h>

#include "l2.cuh"

namespace bulk {

__device__ __forceinline__ uint32_t shared_address(const void *p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

// ---- Barriers: a phase ends when `arrivals` threads have arrived and all bytes that they expect are there -----------

__device__ __forceinline__ void barrier_init(uint64_t *barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;\n" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

// Makes initialised barriers visible to the copy engine. Call it after the last barrier_init(), before a copy uses a
// barrier.
__device__ __forceinline__ void barriers_ready() {
  asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async.shared::cta;\n" ::: "memory");
}

__device__ __forceinline__ void arrive_and_expect(uint64_t *barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;\n" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
}

// Waits until the barrier's phase with parity `parity` ends. Phases have parity 0 and 1 in turn; the first one has 0.
__device__ __forceinline__ void wait(uint64_t *barrier, unsigned parity) {
  unsigned over = 0;
  while (!over)
    asm volatile(
        "{\n"
        ".reg .pred over;\n"
        "mbarrier.try_wait.parity.shared.b64 over, [%1], %2;\n"
        "selp.u32 %0, 1, 0, over;\n"
        "}\n"
        : "=r"(over)
        : "r"(shared_address(barrier)), "r"(parity)
        : "memory");
}

// ---- Copies --------------------------------------------------------------------------------------------------------

__device__ __forceinline__ void load(void *to, const void *from, unsigned bytes, uint64_t *barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;\n" ::
          "r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(barrier)), "l"(l2::evict_last())
      : "memory");
}

// Starts a bulk copy from shared to global memory. If threads wrote the data, not a bulk copy, they need a proxy fence
// first.
__device__ __forceinline__ void store(void *to, const void *from, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n" ::"l"(to), "r"(shared_address(from)),
               "r"(bytes)
               : "memory");
}

// Closes a bulk group, which is all stores that this thread has requested since its last commit().
__device__ __forceinline__ void commit() {
  asm volatile("cp.async.bulk.commit_group;\n" ::: "memory");
}

// Waits until all but the last kPending groups of this thread have read their shared memory.
template <int kPending>
__device__ __forceinline__ void wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;\n" ::"n"(kPending) : "memory");
}

// ---- Between the blocks of a cluster -------------------------------------------------------------------------------

// The two halves of a barrier of the cluster, which all threads of all blocks must call: cluster_arrive() when their
// block's mbarriers are initialised, cluster_wait() before their first send(). Unlike in the cluster barrier of
// cooperative groups, the arrival is relaxed: it does not wait until earlier loads and stores are visible everywhere,
// which takes a microsecond or two while memory is busy.
__device__ __forceinline__ void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;\n" ::: "memory");
}

__device__ __forceinline__ void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;\n" ::: "memory");
}

// Writes two floats to the shared memory of block `rank`, at the address that `to` has there, and reports these 8 bytes
// to that block's mbarrier at the address of `barrier`.
__device__ __forceinline__ void send(void *to, float a, float b, uint64_t *barrier, int rank) {
  asm volatile(
      "{\n"
      ".reg .b32 there, then;\n"
      "mapa.shared::cluster.u32 there, %0, %4;\n"
      "mapa.shared::cluster.u32 then, %1, %4;\n"
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [there], {%2, %3}, [then];\n"
      "}\n" ::"r"(shared_address(to)),
      "r"(shared_address(barrier)), "f"(a), "f"(b), "r"(rank)
      : "memory");
}

}  // namespace bulk
#endif

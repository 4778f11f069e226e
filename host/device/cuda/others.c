/* The other GPUs of the machine, for benches that use several. Nothing is created on a GPU until memory or a stream on
 * it is requested. */
#include <stdlib.h>

#include "base/memory.h"
#include "device/cuda/cuda.h"

void cuda_others_count(struct cuda_device *cuda, int count) {
  if (count <= 1) return;
  cuda->base.other_count = (uint32_t)count - 1;
  cuda->base.others = xcalloc((size_t)count - 1, sizeof *cuda->base.others);
  cuda->others = xcalloc((size_t)count - 1, sizeof *cuda->others);
  for (int i = 1; i < count; i++)
    cuda->others[i - 1].ordinal = (cuda->ordinal + i) % count;
}

static void go_home(const struct cuda_device *cuda) {
  if (cudaSetDevice(cuda->ordinal) != cudaSuccess) (void)cudaGetLastError();
}

void *cuda_other_alloc(struct device *device, uint32_t other, size_t bytes) {
  struct cuda_device *cuda = (struct cuda_device *)device;
  void *memory = NULL;
  if (bytes == 0) bytes = 1;
  cudaError_t code = cudaSetDevice(cuda->others[other].ordinal);
  cuda->others[other].used = true;
  if (code == cudaSuccess) code = cudaMalloc(&memory, bytes);
  if (code == cudaSuccess) code = cudaMemset(memory, 0xFF, bytes);
  if (code == cudaSuccess) code = cudaDeviceSynchronize();
  go_home(cuda);
  if (code == cudaSuccess) return memory;
  (void)cudaGetLastError();
  cudaFree(memory);
  return NULL;
}

void *cuda_other_stream(struct device *device, uint32_t other) {
  struct cuda_device *cuda = (struct cuda_device *)device;
  struct cuda_other *there = &cuda->others[other];
  if (there->stream != NULL) return there->stream;
  there->used = true;
  if (cudaSetDevice(there->ordinal) != cudaSuccess ||
      cudaStreamCreateWithFlags(&there->stream, cudaStreamNonBlocking) != cudaSuccess)
    (void)cudaGetLastError();
  go_home(cuda);
  return there->stream;
}

int cuda_others_sync(struct cuda_device *cuda, struct err *err) {
  cudaError_t code = cudaSuccess;
  bool away = false;
  for (uint32_t i = 0; i < cuda->base.other_count && code == cudaSuccess; i++) {
    if (!cuda->others[i].used) continue;
    away = true;
    code = cudaSetDevice(cuda->others[i].ordinal);
    if (code == cudaSuccess) code = cudaDeviceSynchronize();
  }
  if (away) go_home(cuda);
  return cuda_check(code, err);
}

void cuda_others_free(struct cuda_device *cuda) {
  for (uint32_t i = 0; i < cuda->base.other_count; i++)
    if (cuda->others[i].stream != NULL) cudaStreamDestroy(cuda->others[i].stream);
  free(cuda->others);
  free(cuda->base.others);
}

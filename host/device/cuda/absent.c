/* Detects device memory that a plugin has replaced. A plugin can free an allocation by its address and map other
 * physical pages there (cuMemMap). If it maps them at a second address as well, their contents appear at both. */
#include <cuda.h>
#include <string.h>

#include "base/rng.h"
#include "device/cuda/cuda.h"

typedef CUresult (*attribute_function)(void *value, CUpointer_attribute attribute, CUdeviceptr address);

/* Looks up cuPointerGetAttribute() by name, because the host is not linked with the driver. */
void cuda_absent_open(struct cuda_device *cuda) {
  static const char name[] = "cuPointerGetAttribute";
  void *function = NULL;
  enum cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  const cudaError_t code = cudaGetDriverEntryPointByVersion(name, &function, 11000, cudaEnableDefault, &found);
#else
  const cudaError_t code = cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &found);
#endif
  if (code != cudaSuccess) (void)cudaGetLastError();
  cuda->attribute = code == cudaSuccess && found == cudaDriverEntryPointSuccess ? function : NULL;
}

/* Returns true if the address was mapped by cuMemMap(). Such memory differs from memory of cudaMalloc() in that legacy
 * CUDA IPC cannot share it. */
static bool is_mapped_there(const struct cuda_device *cuda, const char *address) {
  attribute_function attribute;
  unsigned char by_first_way = 1;
  memcpy(&attribute, &cuda->attribute, sizeof attribute); /* ISO C has no cast to a function pointer */
  const CUresult code =
      attribute(&by_first_way, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, (CUdeviceptr)(uintptr_t)address);
  return code == CUDA_SUCCESS && by_first_way == 0;
}

const char *cuda_absent(struct device *device, const void *memory, size_t bytes, uint64_t key) {
  enum { DRAWN = 4 };
  const struct cuda_device *cuda = (const struct cuda_device *)device;
  const char *start = memory;
  struct cudaPointerAttributes attributes = {0};
  if (bytes == 0 || cuda->attribute == NULL) return NULL;
  if (cudaPointerGetAttributes(&attributes, memory) != cudaSuccess) {
    (void)cudaGetLastError();
    return NULL;
  }
  if (attributes.type == cudaMemoryTypeManaged) return "is managed memory, which moves to where it is used";
  if (attributes.type == cudaMemoryTypeUnregistered) return "is not mapped";
  for (uint32_t i = 0; i < DRAWN && attributes.type == cudaMemoryTypeDevice; i++)
    if (is_mapped_there(cuda, start + (i == 0 ? 0 : i == 1 ? bytes - 1 : rng_bits(key, i) % bytes)))
      return "is shared with other memory";
  return NULL;
}

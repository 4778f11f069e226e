/* Memory that was allocated by address may be freed by anybody, and physical pages of another mapping put there instead
 * (cuMemMap), whose contents appear at two addresses at once. */
#include <cuda.h>
#include <string.h>

#include "base/rng.h"
#include "device/cuda/cuda.h"

typedef CUresult (*retain_function)(CUmemGenericAllocationHandle *handle, void *address);
typedef CUresult (*release_function)(CUmemGenericAllocationHandle handle);

/* Puts one of the driver's functions, by its name, at `to`, or NULL: the host is not linked with the driver. */
static void find(const char *name, void **to) {
  void *function = NULL;
  enum cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  const cudaError_t code = cudaGetDriverEntryPointByVersion(name, &function, 11000, cudaEnableDefault, &found);
#else
  const cudaError_t code = cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &found);
#endif
  if (code != cudaSuccess) (void)cudaGetLastError();
  *to = code == cudaSuccess && found == cudaDriverEntryPointSuccess ? function : NULL;
}

void cuda_absent_open(struct cuda_device *cuda) {
  find("cuMemRetainAllocationHandle", &cuda->retain);
  find("cuMemRelease", &cuda->release);
}

/* The driver knows a handle of nothing else. */
static bool is_mapped_there(const struct cuda_device *cuda, const char *address) {
  CUmemGenericAllocationHandle handle;
  retain_function retain;
  release_function release;
  memcpy(&retain, &cuda->retain, sizeof retain); /* ISO C has no cast for it */
  memcpy(&release, &cuda->release, sizeof release);
  if (retain(&handle, (void *)(uintptr_t)address) != CUDA_SUCCESS) return false;
  (void)release(handle);
  return true;
}

const char *cuda_absent(struct device *device, const void *memory, size_t bytes, uint64_t key) {
  enum { DRAWN = 4 };
  const struct cuda_device *cuda = (const struct cuda_device *)device;
  const char *start = memory;
  struct cudaPointerAttributes attributes = {0};
  if (bytes == 0 || cuda->retain == NULL || cuda->release == NULL) return NULL;
  if (cudaPointerGetAttributes(&attributes, memory) != cudaSuccess) {
    (void)cudaGetLastError();
    return NULL;
  }
  if (attributes.type == cudaMemoryTypeManaged) return "is managed memory, which moves to where it is used";
  if (attributes.type == cudaMemoryTypeUnregistered) return "is not mapped";
  for (uint32_t i = 0; i < DRAWN; i++)
    if (is_mapped_there(cuda, start + (i == 0 ? 0 : i == 1 ? bytes - 1 : rng_bits(key, i) % bytes)))
      return "is shared with other memory";
  return NULL;
}

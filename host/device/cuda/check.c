/* Turns faults that CUDA reports into errors. */
#include "device/cuda/cuda.h"

int cuda_check(cudaError_t code, struct err *err) {
  if (code == cudaSuccess) return 0;
  (void)cudaGetLastError(); /* clears the error, because otherwise the next launch would be blamed for it */
  return err_set(err, EXIT_FAILED, "%s (%s)", cudaGetErrorString(code), cudaGetErrorName(code));
}

int cuda_finish(struct cuda_device *cuda, cudaError_t code, struct err *err) {
  if (cuda_check(code, err) != 0) return -1;
  return cuda_check(cudaStreamSynchronize(cuda->stream), err);
}

/* Launchers of bad_hang_cuda.cu. */
#ifndef BAD_HANG_CUDA_H
#define BAD_HANG_CUDA_H

struct CUstream_st;

#ifdef __cplusplus
extern "C" {
#endif

/* Both return a cudaError_t. bad_hang_cuda_endless() launches a kernel that never ends, on another stream, so that the
 * host's stream does not wait for it. */
int bad_hang_cuda_scale(const float *x, float *y, int n, struct CUstream_st *stream);
int bad_hang_cuda_endless(void);

#ifdef __cplusplus
}
#endif
#endif

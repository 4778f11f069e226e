/* Launchers of bad_cuda.cu. */
#ifndef BAD_CUDA_H
#define BAD_CUDA_H

struct CUstream_st;

enum fault { FAULT_NONE, FAULT_NULL, FAULT_MISALIGNED, FAULT_TRAP, FAULT_BEYOND, FAULT_RACE, FAULT_SYNC, FAULT_HANG };

#ifdef __cplusplus
extern "C"
#endif
    /* y = 2 * x over n floats, with one fault on the way. Returns the launch's cudaError_t. */
    int
    bad_cuda_launch(enum fault fault, const float *x, float *y, int n, struct CUstream_st *stream);

#endif

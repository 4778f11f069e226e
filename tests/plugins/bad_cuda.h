/* Launchers of bad_cuda.cu. */
#ifndef BAD_CUDA_H
#define BAD_CUDA_H

struct CUstream_st;

enum fault {
  FAULT_NONE,
  /* Faults in the kernel: */
  FAULT_NULL,       /* writes near address 0, which is not mapped */
  FAULT_WILD,       /* accesses an address far away from the memory of the variant */
  FAULT_MISALIGNED, /* accesses a double at an odd address */
  FAULT_TRAP,
  FAULT_ASSERT,
  FAULT_STACK, /* endless recursion */
  FAULT_HANG,
  FAULT_RACE,       /* a data race in shared memory that does not change the results */
  FAULT_BEYOND,     /* writes one element behind the end of the output */
  FAULT_FAR_BEYOND, /* writes the element 1024 places behind the end of the output */
  FAULT_INPUT,      /* changes its input */
  FAULT_NAN,        /* writes one NaN */
  FAULT_PART,       /* does not write the last element of the output */
  FAULT_THERE,      /* does nothing if the output already contains values */
  /* Faults in the launch: */
  FAULT_LAUNCH,         /* requests too many threads, and reports the error */
  FAULT_LAUNCH_MUTE,    /* requests too many threads, and does not report the error */
  FAULT_SYNC,           /* waits until its work is done, which `run` must not do */
  FAULT_ESCAPE,         /* works on another stream, for which gpubench's stream does not wait */
  FAULT_LEGACY,         /* uses the legacy default stream */
  FAULT_ALLOCATE,       /* calls cudaMalloc() and cudaFree() */
  FAULT_ALLOCATE_ASYNC, /* calls cudaMallocAsync() and cudaFreeAsync() */
  FAULT_FIRST,          /* only the first call works */
  FAULT_RESET,          /* calls cudaDeviceReset() */
  FAULT_DESTROY,        /* destroys gpubench's stream */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Computes y = 2 * x over n floats, with this fault. `calls` is the number of earlier calls of the variant. Returns a
 * cudaError_t. */
int bad_cuda_launch(enum fault fault, const float *x, float *y, int n, int calls, struct CUstream_st *stream);

/* Allocates all memory of the device without asking gpubench, and keeps it. */
int bad_cuda_take_all(void);

#ifdef __cplusplus
}
#endif
#endif

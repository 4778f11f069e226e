/* Launchers of bad_cuda.cu. */
#ifndef BAD_CUDA_H
#define BAD_CUDA_H

struct CUstream_st;

enum fault {
  FAULT_NONE,
  /* Faults in the kernel: */
  FAULT_NULL,       /* an unmapped address */
  FAULT_WILD,       /* one far away */
  FAULT_MISALIGNED, /* a double at an odd address */
  FAULT_TRAP,
  FAULT_ASSERT,
  FAULT_STACK, /* endless recursion */
  FAULT_HANG,
  FAULT_RACE,       /* in shared memory, without consequences */
  FAULT_BEYOND,     /* writes one element past the output's end */
  FAULT_FAR_BEYOND, /* writes the element 1024 further on */
  FAULT_INPUT,      /* changes its input */
  FAULT_NAN,        /* one NaN */
  FAULT_PART,       /* leaves the last element out */
  FAULT_THERE,      /* does nothing if the output is already there */
  /* Faults in the launch: */
  FAULT_LAUNCH,         /* too many threads, and reports it */
  FAULT_LAUNCH_MUTE,    /* the same, unreported */
  FAULT_SYNC,           /* waits for its work */
  FAULT_ESCAPE,         /* uses another stream, and does not join it */
  FAULT_LEGACY,         /* the legacy default stream */
  FAULT_ALLOCATE,       /* cudaMalloc and cudaFree */
  FAULT_ALLOCATE_ASYNC, /* cudaMallocAsync and cudaFreeAsync */
  FAULT_FIRST,          /* only the first call works */
  FAULT_RESET,          /* cudaDeviceReset */
  FAULT_DESTROY,        /* destroys the host's stream */
};

#ifdef __cplusplus
extern "C" {
#endif

/* y = 2 * x over n floats, with one fault on the way; `calls` counts this variant's calls from 0. Returns a
 * cudaError_t. */
int bad_cuda_launch(enum fault fault, const float *x, float *y, int n, int calls, struct CUstream_st *stream);

/* Takes all memory of the device, past the host's services, and keeps it. */
int bad_cuda_take_all(void);

#ifdef __cplusplus
}
#endif
#endif

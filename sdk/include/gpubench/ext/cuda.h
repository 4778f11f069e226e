/* gb.cuda/1: the stream on which a "cuda" variant enqueues its work. Needs no CUDA header: the struct tag is the one in
 * the toolkit's headers, so the pointer converts to cudaStream_t and CUstream without a cast. */
#ifndef GPUBENCH_EXT_CUDA_H
#define GPUBENCH_EXT_CUDA_H

#include "../gpubench.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GB_EXT_CUDA "gb.cuda/1"

struct CUstream_st;

/* The host gives this table to plugins; it is frozen. Since 1.0. */
typedef struct gb_cuda_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* Returns the case's stream, a non-blocking one. May be called while a case runs [case-thread].
   * The device is current on this thread; all runtimes in the process share its primary context.
   * NULL on other backends. Valid until `teardown` returns.
   * Settings that affect all work on the device must be the same after a callback as before: the L2 limits for
   * persisting lines and for fetches, the preference between L1 and shared memory, the device's scheduling flags, and
   * the stream's access policy window.
   * The host checks them after each callback, puts them back, and fails a variant whose `run` changed one. */
  struct CUstream_st *(*stream)(gb_case *c);
} gb_cuda_ext;

#ifdef __cplusplus
}
#endif
#endif

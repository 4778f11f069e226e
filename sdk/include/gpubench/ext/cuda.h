/* gb.cuda/1: where a "cuda" variant enqueues its work. Needs no CUDA header: the tag is the toolkit's own, so the
 * pointer converts to cudaStream_t and CUstream as it is. */
#ifndef GPUBENCH_EXT_CUDA_H
#define GPUBENCH_EXT_CUDA_H

#include "../gpubench.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GB_EXT_CUDA "gb.cuda/1"

struct CUstream_st;

/* Host to plugin; frozen. Since 1.0. */
typedef struct gb_cuda_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* The stream of this case, a non-blocking one. [case] The device is current on this thread, its primary context
   * shared by every runtime in the process. NULL on other backends. Valid until `teardown` returns. No callback leaves
   * changed what everybody's work on the device shares: the limits of persisting lines and of fetches in L2, the
   * preference between L1 and shared memory, the device's flags, an access policy window on the stream. The host looks
   * after each callback, puts them back, and fails a variant whose `run` did it. */
  struct CUstream_st *(*stream)(gb_case *c);
} gb_cuda_ext;

#ifdef __cplusplus
}
#endif
#endif

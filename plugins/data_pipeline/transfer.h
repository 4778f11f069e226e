/* The bench `transfer`: copies between host and device. CUDA only. */
#ifndef DATA_PIPELINE_TRANSFER_H
#define DATA_PIPELINE_TRANSFER_H

#include "pool.h"
#include "trouble.h"

extern const gb_bench transfer_bench;

/* The state of a case, which its variants use. `x` and `y` are in device memory. */
struct transfer {
  bool to_device, to_host, on_device;
  void *x, *y;
  uint64_t bytes;
  struct pool *pool;
  int threads; /* number of threads of the variant that copies through pinned memory */
  uint64_t chunk;
  int device;
  char *window;          /* pinned memory through which device memory is verified */
  uint64_t seed, digest; /* seed and checksum of the current contents of x */
  /* The host memory to which the last variant copied; NULL if it copied to none. */
  char *arrived;
  bool seen; /* true: `verify` has already found this received data right */
};

#define TRANSFER_WINDOW ((uint64_t)16 << 20)

enum transfer_kind {
  TRANSFER_PAGEABLE,
  TRANSFER_PINNED,
  TRANSFER_REGISTERED,
  TRANSFER_COMBINED,
  TRANSFER_STAGED,
  TRANSFER_DEVICE,
};

struct transfer_buffers;

/* [in prepare] Allocates host memory of this kind, fills the send buffer with x, and creates streams. Returns NULL
 * after a failure, whose message the host has and whose status is in `*status`. */
struct transfer_buffers *transfer_open(struct transfer *t, enum transfer_kind kind, gb_case *c, gb_status *status);
/* [in refresh] Fills the send buffer with x again. */
gb_status transfer_refresh(struct transfer_buffers *b, gb_case *c);
void transfer_close(struct transfer_buffers *b);

gb_status transfer_run(struct transfer_buffers *b, gb_case *c);

/* [in reference, verify] Computes the checksum of t->bytes of device `memory`. */
gb_status transfer_digest(const struct transfer *t, const void *memory, gb_case *c, uint64_t *sum);

#endif

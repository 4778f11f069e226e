/* The bench `transfer`, which copies between host and device; CUDA only. Brackets, as in [in prepare], name the
 * callback of the plugin in which a function may be called. */
#ifndef DATA_PIPELINE_TRANSFER_H
#define DATA_PIPELINE_TRANSFER_H

#include "pool.h"
#include "trouble.h"

extern const gb_bench transfer_bench;

/* The state of a case, which all its variants use. `x` and `y` are in device memory. */
struct transfer {
  bool to_device, to_host, on_device;
  void *x, *y;
  uint64_t bytes;
  struct pool *pool;
  int threads; /* number of threads of the variant "staged", which copies through pinned memory */
  uint64_t chunk;
  int device;
  char *window;          /* pinned memory into which device memory is read for checksums */
  uint64_t seed, digest; /* seed from which x was filled, and checksum of x */
  /* The host memory to which the variant that ran last copied; NULL if it copied to none. */
  char *arrived;
  bool seen; /* true: `verify` has already found that this data is correct */
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

/* [in prepare] Allocates host memory of this kind, copies x to the send buffer, and creates streams. Returns NULL after
 * a failure, which has been reported to the host and whose status is in `*status`. */
struct transfer_buffers *transfer_open(struct transfer *t, enum transfer_kind kind, gb_case *c, gb_status *status);
/* [in refresh] Copies the new contents of x to the send buffer. */
gb_status transfer_refresh(struct transfer_buffers *b, gb_case *c);
void transfer_close(struct transfer_buffers *b);

gb_status transfer_run(struct transfer_buffers *b, gb_case *c);

/* [in reference or verify] Computes the checksum of t->bytes bytes of device memory at `memory`. */
gb_status transfer_digest(const struct transfer *t, const void *memory, gb_case *c, uint64_t *sum);

#endif

/* The bench `transfer`: between host and device. Only where there is CUDA. */
#ifndef DATA_PIPELINE_TRANSFER_H
#define DATA_PIPELINE_TRANSFER_H

#include "pool.h"
#include "trouble.h"

extern const gb_bench transfer_bench;

/* What a case consists of, for its variants. `x` and `y` are on the device. */
struct transfer {
  bool to_device, to_host, on_device;
  void *x, *y;
  uint64_t bytes;
  struct pool *pool;
  int threads; /* of staging */
  uint64_t chunk;
  int device;
  char *window;          /* pinned memory through which the device's is looked at */
  uint64_t seed, digest; /* of what x holds now */
  char *arrived;         /* host memory that the last variant received into; NULL: none */
  bool seen;             /* `verify` has looked at what arrived, and found it right */
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

/* [in prepare] Host memory of this kind, what is sent the same as x, and streams. NULL: a failure is recorded and its
 * status in `*status`. */
struct transfer_buffers *transfer_open(struct transfer *t, enum transfer_kind kind, gb_case *c, gb_status *status);
/* [in refresh] What is sent becomes the same as x again. */
gb_status transfer_refresh(struct transfer_buffers *b, gb_case *c);
void transfer_close(struct transfer_buffers *b);

gb_status transfer_run(struct transfer_buffers *b, gb_case *c);

/* [in reference, verify] Checksum of the device's `memory`, of which a case has t->bytes. */
gb_status transfer_digest(const struct transfer *t, const void *memory, gb_case *c, uint64_t *sum);

#endif

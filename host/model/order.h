/* Cases that are ordered: several processes measure one case in turn, and the parent says which does what next. Each
 * runs until it is ready for an order, says so, and waits. */
#ifndef MODEL_ORDER_H
#define MODEL_ORDER_H

#include <stdint.h>

#include "model/message.h"

/* What a process is ready for. */
enum ready_for {
  READY_SIZES = 1, /* to size its batches, by what all variants take */
  READY_LEVEL,     /* to make its slots as long as those of the others */
  READY_SLOT       /* to take a slot, or to end */
};

/* How far a device is from needing rest (measure/pace.h): handed on with the turn, as the device is. */
struct pace_state {
  double rest, most_w, worked_s;
  int64_t rested_ns; /* monotonic clock */
};

struct ready_message {
  uint32_t ready_for;            /* enum ready_for */
  uint32_t aside;                /* rounds up to here are repeated, with more rest */
  uint32_t replicas, slot_least; /* iterations per sample; samples of its shortest slot */
  double fastest_ns, slowest_ns; /* READY_SIZES: of its variants */
  double left_s;                 /* READY_SLOT: what its rows need after the samples takes so long */
  struct pace_state pace;
  uint64_t alive[CASE_VARIANTS_MAX / 64]; /* bits: by place in its request */
};

enum order_kind {
  ORDER_SIZES = 1, /* answers READY_SIZES */
  ORDER_LEVEL,     /* answers READY_LEVEL */
  ORDER_SLOT,      /* these two READY_SLOT */
  ORDER_END
};

struct order_message {
  uint32_t kind;                 /* enum order_kind */
  uint32_t variant;              /* place in its request */
  uint32_t round, position;      /* of the slot, among those of all processes */
  uint32_t opens, closes;        /* it is the process's first, its last of the round */
  uint32_t last;                 /* of the round that comes when samples are enough */
  uint32_t reason;               /* enum stop_reason: why they are */
  uint32_t aside;                /* rounds up to here are repeated */
  uint32_t slot_least;           /* ORDER_LEVEL: of all processes */
  double fastest_ns, slowest_ns; /* ORDER_SIZES: likewise */
  struct pace_state pace;
};

static inline bool ready_is_alive(const struct ready_message *ready, uint32_t place) {
  return place < CASE_VARIANTS_MAX && (ready->alive[place / 64] >> place % 64 & 1) != 0;
}

#endif

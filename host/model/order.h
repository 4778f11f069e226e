/* Ordered cases: several processes measure one case in turn, and the parent decides which process measures the next
 * slot (consecutive samples of one variant). Each process runs until it needs a decision, sends struct ready_message,
 * and waits for struct order_message. */
#pragma once

#include <stdint.h>

#include "model/message.h"

/* The information that a process waits for. */
enum ready_for {
  READY_SIZES = 1, /* the fastest and the slowest time of all variants, from which the process computes the size of
                      batches */
  READY_LEVEL, /* the number of samples in the shortest slot (consecutive samples of one variant) of all processes */
  READY_SLOT   /* the order to measure a slot, or to end sampling */
};

/* State from which the next cooldown (pause of the device) is computed; the members are those of struct pace
 * (measure/pace.h). The processes share the device, so before a process measures a slot it gets the state from the
 * process that measured last. */
struct pace_state {
  double cooldown, most_w, worked_s;
  int64_t rested_ns; /* when the last cooldown ended, on the monotonic clock */
};

struct ready_message {
  uint32_t ready_for; /* enum ready_for */
  /* number of a round: the process has discarded its samples of all earlier rounds, because cooldowns began or became
   * longer */
  uint32_t kept_from;
  uint32_t replicas, slot_least; /* replicas: iterations per sample; slot_least: number of samples in the process's
                                    shortest slot (series of samples) */
  double fastest_ns, slowest_ns; /* READY_SIZES: the fastest and the slowest time of the process's variants */
  double left_s;                 /* READY_SLOT: seconds that the process's rows still need after sampling */
  /* READY_SLOT; 1: a variant must still be verified more often, as `verifications` in the request asks */
  uint32_t lacks_verifications, reserved;
  struct pace_state pace;
  uint64_t alive[CASE_VARIANTS_MAX / 64]; /* bits of variants still measured, by index in the process's request */
};

enum order_kind {
  ORDER_SIZES = 1, /* answers READY_SIZES */
  ORDER_LEVEL,     /* answers READY_LEVEL */
  ORDER_SLOT,      /* ORDER_SLOT and ORDER_END answer READY_SLOT */
  ORDER_END
};

struct order_message {
  uint32_t kind;    /* enum order_kind */
  uint32_t variant; /* index in the process's request */
  /* round: number of the slot's round; position: its position among the slots of that round in all processes */
  uint32_t round, position;
  /* opens, closes: 1 if this is the process's first slot of the round, or its last one */
  uint32_t opens, closes;
  /* 1: there are enough samples, and the slot belongs to the last round */
  uint32_t last;
  /* 1: the variant's intervals are as narrow as asked; the process cannot tell, because it has no times of the others
   */
  uint32_t precise;
  uint32_t reason; /* enum stop_reason: why sampling ends */
  /* number of a round: samples of all earlier rounds must be discarded */
  uint32_t kept_from;
  uint32_t slot_least, reserved; /* slot_least, ORDER_LEVEL: samples in the shortest slot of all processes */
  double fastest_ns, slowest_ns; /* ORDER_SIZES: the fastest and the slowest time of all processes */
  struct pace_state pace;
};

static inline bool ready_is_alive(const struct ready_message *ready, uint32_t place) {
  return place < CASE_VARIANTS_MAX && (ready->alive[place / 64] >> place % 64 & 1) != 0;
}

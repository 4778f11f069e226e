/* Whose slot comes next, of a case that several processes measure in turn: the order of rounds, when samples are
 * enough, and what one process must know of the others. Knows no process: hands carry out what is ordered, and tests
 * have others. What a process says of itself may be invented: it costs that process alone. */
#ifndef ASK_TURNS_H
#define ASK_TURNS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/enough.h"
#include "model/order.h"

struct turns_hands {
  void *user;
  /* Lets a process do what is ordered. False: it has ended, whichever way; else it is ready for the next. */
  bool (*go)(void *user, uint32_t process, const struct order_message *order, struct ready_message *ready);
  /* What there is of a variant so far in this epoch; false: it is not measured any more. */
  bool (*slots)(void *user, uint32_t process, uint32_t place, const struct slot **slots, size_t *count);
  /* The run is to end. */
  bool (*interrupted)(void *user);
};

struct turns_entry {
  uint32_t process, place;    /* place: in the request of the process */
  struct denominator against; /* indices into these entries */
  bool precise, partner;
};

struct turns_process {
  bool waits;
  struct ready_message ready; /* what it said last */
};

struct turns {
  /* in */
  struct turns_hands hands;
  struct turns_entry *entries; /* at most CASE_VARIANTS_MAX */
  uint32_t entry_count, process_count;
  struct turns_process *processes; /* as their requests have begun */
  double precision, tick_ns;       /* the step of the device's clock */
  uint64_t seed, order_seed;
  double case_time_s, rest;
  int64_t started_ns, until_ns;
  /* out */
  uint32_t rounds;
  enum stop_reason reason; /* STOP_NONE: no process got as far as that */
  /* own */
  uint32_t aside;
  int64_t sampling_ns; /* when the first round began, later by what processes took that ended in their turn */
  struct pace_state pace;
};

/* From where all processes are ready, or have ended, to the end of all. */
void turns_run(struct turns *turns);

#endif

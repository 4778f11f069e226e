/* Decides which slot comes next in a case that several processes measure in turn: the order of rounds, when samples are
 * enough, and the figures that a process needs of the others. Processes are reached through callbacks only, which tests
 * replace. A process may send invented reports: these harm its own results only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/enough.h"
#include "model/order.h"

struct turns_hands {
  void *user;
  /* Lets a process carry out an order. Returns false if it has ended, for whatever reason, and true if it is ready for
   * the next order. */
  bool (*go)(void *user, uint32_t process, const struct order_message *order, struct ready_message *ready);
  /* Returns a variant's slots of this epoch; false: it is not measured any more. */
  bool (*slots)(void *user, uint32_t process, uint32_t place, const struct slot **slots, size_t *count);
  /* Returns true if the run should end. */
  bool (*interrupted)(void *user);
};

struct turns_entry {
  uint32_t process, place;    /* place: in the request of the process */
  struct denominator against; /* indices into these entries */
  bool precise, partner;
};

struct turns_process {
  bool waits;
  struct ready_message ready; /* its last message */
};

struct turns {
  /* input */
  struct turns_hands hands;
  struct turns_entry *entries; /* at most CASE_VARIANTS_MAX */
  uint32_t entry_count, process_count;
  struct turns_process *processes; /* in the state after their requests */
  double precision, tick_ns;       /* tick_ns: resolution of the device's clock */
  uint64_t seed, order_seed;
  double case_time_s, rest;
  int64_t started_ns, until_ns;
  /* output */
  uint32_t rounds;
  enum stop_reason reason; /* STOP_NONE: no process reached the end of sampling */
  /* internal */
  uint32_t aside;
  /* start of the first round, moved later by the time of processes that ended during their turn */
  int64_t sampling_ns;
  struct pace_state pace;
};

/* Runs all processes from the point where they are ready, or have ended, until all have ended. */
void turns_run(struct turns *turns);

/* Decides which slot comes next in a case that several processes measure in turn: the order of the slots in each round,
 * and when there are enough samples. Reaches processes only through callbacks, which tests replace. A process may send
 * invented reports; these harm only its own results. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/enough.h"
#include "model/order.h"

struct schedule_hands {
  void *user;
  /* Lets a process carry out an order. Returns true if the process is ready for its next order, false if it has ended
   * for whatever reason. */
  bool (*go)(void *user, uint32_t process, const struct order_message *order, struct ready_message *ready);
  /* Returns the slots of a variant in this epoch; false: the variant is not measured any more. */
  bool (*slots)(void *user, uint32_t process, uint32_t place, const struct slot **slots, size_t *count);
  /* Returns true if the run should end. */
  bool (*interrupted)(void *user);
};

struct schedule_entry {
  /* `process`: index of the variant's process; `place`: index of the variant in the request of that process */
  uint32_t process, place;
  struct denominator against; /* the variants that this variant's speedup may divide by, as indices into `entries` */
  bool precise, partner;
};

struct schedule_process {
  bool waits;
  /* the last message in which the process said that it is ready for an order */
  struct ready_message ready;
};

struct schedule {
  /* input */
  struct schedule_hands hands;
  struct schedule_entry *entries; /* the variants of all processes; at most CASE_VARIANTS_MAX */
  uint32_t entry_count, process_count;
  struct schedule_process *processes; /* at the start each process is ready for its first order, or has ended */
  double precision, tick_ns; /* `precision` as asked for by the user; `tick_ns`: resolution of the device's clock */
  uint64_t seed, order_seed;
  double case_time_s, cooldown;
  uint32_t verifications; /* how often a suspect must be verified; 0: no variant is verified more often than usual */
  int64_t started_ns, until_ns;
  /* output */
  uint32_t rounds;
  enum stop_reason reason; /* why sampling ended; STOP_NONE: no process got as far as the end of sampling */
  /* internal */
  uint32_t kept_from;
  /* when the first round began; moved later by the time that was lost when a process ended during its turn */
  int64_t sampling_ns;
  struct pace_state pace;
};

/* Runs all processes, from the point where each is ready or has ended, until all have ended. */
void schedule_run(struct schedule *schedule);

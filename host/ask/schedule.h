/* Decides which variant is measured next in a case that several processes measure in turn, and when there are enough
 * samples. A round has one slot (series of samples) of every variant that still needs samples. The processes are
 * reached only through callbacks, which tests replace. */
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
  /* Returns the slots (series of samples) of a variant that its present process has measured; false: the variant is not
   * measured any more. */
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
  /* how often a suspect (variant that may have caused a fault) must be verified; 0: no variant is verified more
   * often than usual */
  uint32_t verifications;
  int64_t started_ns, until_ns;
  /* output */
  uint32_t rounds;
  enum stop_reason reason; /* why sampling ended; STOP_NONE: no process got as far as the end of sampling */
  /* internal */
  uint32_t kept_from;
  /* when the first round began, plus the time that was lost with processes that ended while they carried out an
   * order */
  int64_t sampling_ns;
  struct pace_state pace;
};

/* Gives the processes their orders until all of them have ended. At the start each process must be ready for its first
 * order, or have ended. */
void schedule_run(struct schedule *schedule);

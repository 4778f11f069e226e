/* When the samples of a case are enough: one rule, whether its variants share a process or each provider has its own.
 * Pure. */
#ifndef MODEL_ENOUGH_H
#define MODEL_ENOUGH_H

#include "model/denominator.h"
#include "model/message.h"
#include "stats/slot.h"

/* A variant of the case, in the order that denominators refer to. */
struct enough_variant {
  const struct slot *slots; /* of this epoch */
  size_t slot_count;
  struct denominator against;
  bool alive;   /* it is still measured */
  bool precise; /* in, out: its intervals are as narrow as asked, now or before */
  bool partner; /* out: a variant that is not precise is divided by it */
};

struct enough_terms {
  double precision; /* relative half width that is asked for; 0: no width is enough */
  double tick_ns;   /* the clock's step in a time of one iteration */
  uint64_t seed;
};

/* Marks the variants, and returns whether all that are measured are precise. */
bool enough_precise(const struct enough_terms *terms, struct enough_variant *variants, uint32_t count);

/* A variant that is precise is sampled on only as a partner. */
bool enough_wants_slot(bool precise, bool partner);

struct enough_times { /* by the monotonic clock */
  int64_t now_ns, started_ns, sampling_ns;
  int64_t until_ns; /* when the case is to end; 0: whenever it does */
  double case_time_s;
  double left_s; /* what rows need after the samples takes so long */
};

/* What comes on top of a case's time where its rows cannot stand without it. */
int64_t enough_more_ns(const struct enough_times *times);

/* Whether time ends the sampling after so many rounds; STOP_NONE: it goes on. */
enum stop_reason enough_time(const struct enough_times *times, uint32_t rounds);

#endif

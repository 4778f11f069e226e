/* Decides when a case has enough samples. The rule is the same whether all variants share a process or each plugin has
 * a separate process. The functions do no I/O and use no global state. */
#pragma once

#include "model/denominator.h"
#include "model/message.h"
#include "stats/slot.h"

/* A variant of the case. Its index in the array of variants is the one that struct denominator refers to. */
struct enough_variant {
  const struct slot *slots; /* the variant's slots (series of samples) that the present process measured */
  size_t slot_count;
  struct denominator against;
  bool alive; /* the variant is still measured */
  /* in and out: the variant's confidence intervals are as narrow as asked, or were so earlier in this process */
  bool precise;
  /* out: another variant that is not precise yet is compared with this one */
  bool partner;
};

struct enough_terms {
  /* largest relative half width at which an interval is narrow enough; 0: none is */
  double precision;
  double tick_ns; /* the clock's resolution, in ns per iteration */
  uint64_t seed;
};

/* Sets `precise` and `partner` of the variants. Returns true if all that are still measured are precise. */
bool enough_precise(const struct enough_terms *terms, struct enough_variant *variants, uint32_t count);

/* Returns true if the variant needs more samples: it is not precise yet, or it is the partner of one that is not. */
bool enough_wants_slot(bool precise, bool partner);

/* A variant that failed in a process with other variants is measured again alone, and must then be verified more often
 * than usual. Its sampling may take this many times the usual time of a case. */
enum { VERIFICATION_TIMES = 4 };

struct enough_times { /* members that end in _ns are times of the monotonic clock */
  int64_t now_ns, started_ns, sampling_ns;
  int64_t until_ns; /* when the case should end; 0: no limit */
  double case_time_s;
  double left_s; /* seconds that the work after sampling will take */
  /* a variant must still be verified more often than usual (`verifications` in struct case_request) */
  bool lacks_verifications;
};

/* Returns how many ns a case may run past its planned end to measure the rounds that it still needs. */
int64_t enough_more_ns(const struct enough_times *times);

/* Returns the reason if sampling must end after this many rounds because the time is used up; otherwise STOP_NONE. */
enum stop_reason enough_time(const struct enough_times *times, uint32_t rounds);

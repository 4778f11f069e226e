/* ANALYSE: results of a case to rows. Pure. */
#ifndef ANALYSE_ANALYSE_H
#define ANALYSE_ANALYSE_H

#include "analyse/ceilings.h"
#include "model/result.h"
#include "plan/plan.h"
#include "record/record.h"

/* What every row of a run shares. */
struct run_identity {
  const char *run_id, *host;
  const struct device_facts *facts;
  const struct catalog *catalog;
  struct ceilings ceilings;
  uint64_t seed;
  bool quick, isolated;
};

/* Fills one record per variant of the case, in the plan's order. `records` are initialised here. Returns whether words
 * lack processes. */
bool analyse_case(const struct plan_case *plan_case, const struct case_result *result,
                  const struct run_identity *identity, struct record *records);

/* Takes a yardstick's ceiling from its rows, best variant. */
void analyse_ceiling(const struct plan_case *plan_case, const struct record *records, struct ceilings *ceilings);

/* Nominal work of one iteration. */
struct work {
  double flops, bytes_read, bytes_written;
};

/* What the ceilings allow for this work: the least time by arithmetic and by memory. 0: none of it; NaN: the ceiling is
 * not known. */
struct roof {
  double math_ns, memory_ns;
};
struct roof analyse_roof(const struct ceilings *ceilings, const char *math, const struct work *work);

/* Is this faster than the device can be? `cold`: nothing of the inputs was in its caches. By how much: a multiple of
 * what is beyond doubt; 0: it is not, or cannot be told. */
double analyse_above_roof(const struct ceilings *ceilings, const struct device_facts *facts, const char *math,
                          const struct work *work, bool cold, double ns);

/* The roofline's bound over the time taken. NaN: not known. */
double analyse_roof_share(const struct roof *roof, double ns);
/* "memory" or "compute", whichever roof is nearer, where it explains a third of the time; else "latency": neither does.
 * NULL: not known. */
const char *analyse_bound(const struct roof *roof, double ns);

#endif

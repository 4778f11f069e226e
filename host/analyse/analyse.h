/* Turns the results of a case into rows, one for each variant. The functions do no I/O and use no global state. */
#pragma once

#include "analyse/ceilings.h"
#include "model/result.h"
#include "plan/plan.h"
#include "record/record.h"

/* Facts that all rows of a run share. */
struct run_identity {
  const char *run_id, *host;
  const struct device_facts *facts;
  const struct catalog *catalog;
  struct ceilings ceilings;
  uint64_t seed;
  bool quick, isolated;
};

/* Fills one record per variant of the case, in the plan's order, and initialises the records. Returns true if a verdict
 * needs more processes. */
bool analyse_case(const struct plan_case *plan_case, const struct case_result *result,
                  const struct run_identity *identity, struct record *records);

/* Sets a ceiling (the highest rate of the device) from the rows of the case that measures it. The rate of the fastest
 * variant counts. */
void analyse_ceiling(const struct plan_case *plan_case, const struct record *records, struct ceilings *ceilings);

/* The work of one iteration, as the bench declares it. */
struct work {
  double flops, bytes_read, bytes_written;
};

/* The least times that arithmetic and memory accesses take at the ceilings, the highest rates that were measured on the
 * device. 0: there is no such work; NaN: the ceiling is not known. */
struct least_time {
  double math_ns, memory_ns;
};
struct least_time analyse_least_time(const struct ceilings *ceilings, const char *math, const struct work *work);

/* Returns by which factor `ns` is shorter than the shortest time that the device allows: the least time at its ceilings
 * (highest measured rates), reduced by a margin. 0: `ns` is not shorter, or that cannot be judged. `cold`: the inputs
 * are not in the caches. */
double analyse_above_ceiling(const struct ceilings *ceilings, const struct device_facts *facts, const char *math,
                             const struct work *work, bool cold, double ns);

/* Returns the least time at the ceilings (the roofline's bound) as a share of `ns`; NaN: not known. */
double analyse_ceiling_share(const struct least_time *least, double ns);
/* Returns what limits a time: "memory" or "compute", whichever of the two least times is longer, if that is at least a
 * third of `ns`; otherwise "latency". NULL: not known. */
const char *analyse_bound(const struct least_time *least, double ns);

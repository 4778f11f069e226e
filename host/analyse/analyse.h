/* Turns the results of a case into rows. The functions do no I/O and use no global state. */
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

/* Sets a ceiling from its yardstick's rows: the best variant counts. */
void analyse_ceiling(const struct plan_case *plan_case, const struct record *records, struct ceilings *ceilings);

/* Nominal work of one iteration. */
struct work {
  double flops, bytes_read, bytes_written;
};

/* The least times that the ceilings allow for the arithmetic and for the memory accesses of some work. 0: there is no
 * such work; NaN: the ceiling is not known. */
struct roof {
  double math_ns, memory_ns;
};
struct roof analyse_roof(const struct ceilings *ceilings, const char *math, const struct work *work);

/* Returns by which factor `ns` is shorter than the ceilings allow, margins included; 0: it is not shorter, or that
 * cannot be judged. `cold`: the caches hold nothing of the inputs. */
double analyse_above_roof(const struct ceilings *ceilings, const struct device_facts *facts, const char *math,
                          const struct work *work, bool cold, double ns);

/* Returns the roofline's bound divided by the time; NaN: not known. */
double analyse_roof_share(const struct roof *roof, double ns);
/* Returns "memory" or "compute", whichever bound is nearer, if it explains a third of the time; else "latency". NULL:
 * not known. */
const char *analyse_bound(const struct roof *roof, double ns);

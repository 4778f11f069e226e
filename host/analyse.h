/* ANALYSE: results of a case to rows. Pure. */
#ifndef ANALYSE_H
#define ANALYSE_H

#include "conduct.h"
#include "record.h"

/* What the yardsticks showed in this run; NaN: not known. */
struct ceilings {
  double copy_gb_per_s, fp32_tflops, bf16_tflops;
  double floor_ns; /* an iteration that does nothing: what isolation and launch cost, part of every time */
};

/* What every row of a run shares. */
struct run_identity {
  const char *run_id, *host;
  const struct device_facts *facts;
  const struct catalog *catalog;
  struct ceilings ceilings;
  uint64_t seed;
  bool quick;
};

/* Fills one record per variant of the case, in the plan's order. `records` are initialised here. */
void analyse_case(const struct plan_case *plan_case, const struct case_result *result,
                  const struct run_identity *identity, struct record *records);

/* Takes a yardstick's ceiling or floor from its rows, best variant. */
void analyse_ceiling(const struct plan_case *plan_case, const struct record *records, struct ceilings *ceilings);

/* Share of what the ceilings allow for this work in this time: the roofline's bound over the time taken. NaN: unknown.
 */
double analyse_roof_share(const struct ceilings *ceilings, const char *math, double flops, double bytes, double ns);

/* Contracts of the yardsticks. */
#define CONTRACT_EMPTY "gpubench.org/calibrate/empty/1"
#define CONTRACT_COPY "gpubench.org/calibrate/copy/1"
#define CONTRACT_FMA "gpubench.org/calibrate/fma/1"
#define CONTRACT_TENSOR "gpubench.org/calibrate/tensor/1"

#endif

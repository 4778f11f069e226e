/* A rule of the table, and what it finds. */
#ifndef DOCTOR_FINDING_H
#define DOCTOR_FINDING_H

#include "doctor/facts.h"

enum severity {
  SEVERITY_UNFIT,   /* wrong results, no results, or times that are not this GPU's */
  SEVERITY_WARNING, /* times may be others than elsewhere */
  SEVERITY_NOTE,
  SEVERITY_COUNT
};

struct doctor_rule;

struct doctor_finding {
  const struct doctor_rule *rule;
  int64_t gpu; /* by the driver's number; -1: the machine */
  char seen[EXPR_SIZE], expected[TEXT_SIZE], action[EXPR_SIZE];
};

/* One line of the table. What is not known breaks no rule. */
struct doctor_rule {
  const char *id; /* never changes its meaning */
  enum severity severity;
  /* Says what it has seen where the rule is broken, and what it expected where the table does not. One of the two:
   * of the machine, or of each GPU that answers. */
  bool (*of_machine)(const struct doctor_facts *facts, struct doctor_finding *finding);
  bool (*of_gpu)(const struct doctor_facts *facts, const struct nvml_health *gpu, struct doctor_finding *finding);
  const char *expected; /* NULL: the function says it */
  const char *action;   /* {i} is the GPU's number */
};

struct doctor_findings {
  struct doctor_finding *items; /* the worst first, then as in the table */
  size_t count, of[SEVERITY_COUNT];
};

#endif

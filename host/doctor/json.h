/* What doctor knows and finds, for other tools: reports/schema/doctor.schema.json. */
#ifndef DOCTOR_JSON_H
#define DOCTOR_JSON_H

#include <stdio.h>

#include "doctor/rules.h"

struct doctor_report {
  const struct doctor_facts *facts;
  const struct doctor_findings *findings;
  bool strict;
};

/* An output_fn. */
int doctor_json(const void *report, FILE *out, struct err *err);

#endif

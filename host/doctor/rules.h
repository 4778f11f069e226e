/* From facts to findings: what is not as it should be, and what to do about it. Pure. */
#ifndef DOCTOR_RULES_H
#define DOCTOR_RULES_H

#include "doctor/facts.h"

/* "unfit", "warning", "note". */
const char *severity_name(enum severity severity);

extern const struct doctor_rule doctor_rules[];
extern const size_t doctor_rule_count;

void doctor_judge(const struct doctor_facts *facts, struct doctor_findings *findings);
void doctor_findings_free(struct doctor_findings *findings);
/* Does nothing keep the machine from measuring? With `strict` warnings do. */
bool doctor_is_fit(const struct doctor_findings *findings, bool strict);

#endif

/* Compares the facts about the machine with rules, and makes a finding with a remedy for each broken rule. No I/O. */
#pragma once

#include "doctor/facts.h"

/* Returns "unfit", "warning" or "note". */
const char *severity_name(enum severity severity);

extern const struct doctor_rule doctor_rules[];
extern const size_t doctor_rule_count;

void doctor_judge(const struct doctor_facts *facts, struct doctor_findings *findings);
void doctor_findings_free(struct doctor_findings *findings);
/* Returns true if no finding makes the machine unfit for measurements. With `strict`, warnings also make it unfit. */
bool doctor_is_fit(const struct doctor_findings *findings, bool strict);

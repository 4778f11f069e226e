/* Checks verdicts between providers by measuring the two variants again, each alone: the denominator in a process with
 * the bench's owner and its own provider, then the variant in another such process. Verdicts between variants of one
 * provider are the responsibility of its author and are not checked. */
#pragma once

#include "run/claims.h"

/* Measures both variants of each verdict between providers alone and writes the result into their rows: a verdict that
 * does not hold becomes "unproven", one that could not be checked enough "not checked alone". These samples enter no
 * other figure of a row. Returns false if an interruption prevented the check. */
bool alone_check(const struct alone_check *check);

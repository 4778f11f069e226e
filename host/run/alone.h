/* Checks verdicts on variants of two providers (plugins) by measuring both variants again, each alone: first the
 * denominator in a process that has loaded the bench's owner and the denominator's provider, then the variant in
 * another such process. Verdicts between variants of one provider are the responsibility of its author and are not
 * checked. */
#pragma once

#include "run/claims.h"

/* Measures both variants of each verdict on variants of two providers alone and writes the result into their rows. A
 * verdict that does not hold becomes "unproven"; one that could not be checked enough becomes "not checked alone". The
 * samples of these measurements are used for nothing else in a row. Returns false if an interruption prevented the
 * check. */
bool alone_check(const struct alone_check *check);

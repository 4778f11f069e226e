/* Checks verdicts on variants of two providers (plugins) by measuring each of the two again alone. First
 * the denominator of their ratio is measured, in a process that has loaded only its provider and the plugin that
 * defines the bench; then the other variant, in another such process. Verdicts on two variants of one provider are not
 * checked: they are the responsibility of its author. */
#pragma once

#include "run/claims.h"

/* Measures both variants of each verdict on variants of two providers alone and writes the result into their rows. A
 * verdict that does not hold becomes "unproven"; one that could not be checked enough becomes "not checked alone". The
 * samples of these measurements are used for nothing else in a row. Returns false if an interruption prevented the
 * check. */
bool alone_check(const struct alone_check *check);

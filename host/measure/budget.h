/* Limits the time for verifying outputs and for the reuse test to shares of the sampling time: while sampling 2% for
 * verifications and 4% for single calls, afterwards 6% for all of them together. The few calls and the last round that
 * every row needs are not limited, so short cases exceed this. Writing inputs between samples is limited separately
 * (measure/sampling.c). */
#pragma once

#include "measure/measurement.h"

/* Returns how many seconds verification and the reuse test may have taken up to now. */
double budget_s(const struct measurement *m);
/* Returns true if another `seconds` may be spent on verification and the reuse test. */
bool budget_allows(const struct measurement *m, double seconds);
/* Returns true if there is time for more single calls of spot checks (timed calls at random moments), not counting the
 * time to verify their outputs. */
bool budget_allows_calls(const struct measurement *m);
/* Returns for how many verifications there is time, on average, if samples have been taken for `seconds`. */
double budget_verifications(const struct measurement *m, double seconds);
/* Returns true if there is time to call the bench's `reference` again, so that it draws new places at which this
 * variant's outputs are compared. `timed`: the outputs are those of a timed slot. */
bool budget_draws(const struct measurement *m, const struct contestant *k, bool timed);
/* Returns the seconds that a verification takes, including a call of `reference` that draws the places to be
 * compared. */
double budget_verification_s(const struct measurement *m);
/* Returns the share of the values that a verification may compare if each variant is to be verified twice. */
double budget_verification_share(const struct measurement *m);
/* Returns true if it takes too long to fill the inputs anew for each variant. */
bool budget_fills_are_dear(const struct measurement *m);
/* Returns true if it takes too long to compute new inputs and their reference twice for each variant. */
bool budget_news_is_dear(const struct measurement *m);

/* Limits the cost of verifying timed slots and of the reuse test to a tenth of the sampling time, apart from what a row
 * cannot do without: a few calls, and the last round, which always runs. In cases that last a few tenths of a second,
 * these alone take more than a tenth. */
#pragma once

#include "measure/measurement.h"

/* Returns the seconds that verification and the reuse test may have cost by now. */
double budget_s(const struct measurement *m);
/* Returns true if another `seconds` may be spent on them. */
bool budget_allows(const struct measurement *m, double seconds);
/* Returns true if more single calls of spot checks may be made, without verification. */
bool budget_allows_calls(const struct measurement *m);
/* Returns how many verifications `seconds` of sampling afford, on average. */
double budget_looks(const struct measurement *m, double seconds);
/* Returns true if `reference` may be called again, to draw the places at which this variant's outputs are compared. */
bool budget_draws(const struct measurement *m, const struct contestant *k, bool timed);
/* Returns the seconds that a verification takes, with those of drawing the places that are compared. */
double budget_look_s(const struct measurement *m);
/* Returns the share of the values that a verification may compare if each variant is to be verified twice. */
double budget_look_share(const struct measurement *m);
/* Returns true if filling the inputs for each variant costs too much. */
bool budget_fills_are_dear(const struct measurement *m);
/* Returns true if new inputs and their reference, computed twice for each variant, cost too much. */
bool budget_news_is_dear(const struct measurement *m);

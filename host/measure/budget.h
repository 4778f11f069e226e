/* Limits the cost of verifying timed slots and of the reuse test to a tenth of the sampling time, apart from what a row
 * cannot do without: a few calls, and the last round, which is always kept. In cases of a few tenths of a second these
 * take more than that. */
#pragma once

#include "measure/measurement.h"

double budget_s(const struct measurement *m);                    /* seconds that they may have cost by now */
bool budget_allows(const struct measurement *m, double seconds); /* true if these may be added */
/* Returns true if single calls without verification may be added. */
bool budget_allows_calls(const struct measurement *m);
/* Returns the number of verifications that this sampling time affords, on average. */
double budget_looks(const struct measurement *m, double seconds);
/* Returns true if `reference` may be entered again, to draw the places at which this variant's outputs are compared. */
bool budget_draws(const struct measurement *m, const struct contestant *k, bool timed);
double budget_look_s(const struct measurement *m); /* cost of a verification, with that of drawing places */
/* Returns the share of the values that a verification compares, if each variant is verified twice. */
double budget_look_share(const struct measurement *m);
/* Returns true if filling the inputs for each variant costs too much. */
bool budget_fills_are_dear(const struct measurement *m);
/* Returns true if new inputs and their reference, two for each variant, cost too much. */
bool budget_news_is_dear(const struct measurement *m);

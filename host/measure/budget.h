/* What looking at timed slots may cost: a tenth of the time of sampling, but for what a row cannot do without: a few
 * calls, and the last round, which is always kept. In cases of a few tenths of a second these take more than that. */
#ifndef MEASURE_BUDGET_H
#define MEASURE_BUDGET_H

#include "measure/measurement.h"

double budget_s(const struct measurement *m);                     /* so much, so far */
bool budget_allows(const struct measurement *m, double seconds);  /* these too? */
bool budget_allows_calls(const struct measurement *m);            /* whose outputs nobody looks at */
double budget_looks(const struct measurement *m, double seconds); /* so much time has room for, on average */
/* May `reference` be entered again for the places that a look at this variant's outputs compares? */
bool budget_draws(const struct measurement *m, const struct contestant *k, bool timed);
double budget_look_s(const struct measurement *m);       /* what a look costs with that */
double budget_look_share(const struct measurement *m);   /* of the values, where each is looked at twice */
bool budget_fills_are_dear(const struct measurement *m); /* of the inputs, for each variant */
bool budget_news_is_dear(const struct measurement *m);   /* its fills and references, two for each variant */

#endif

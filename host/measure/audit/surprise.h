/* Surprises: a small piece of the inputs is of other values, a small piece of the outputs poisoned, right before an
 * iteration that nothing tells from the others. There is no pause to notice, as there is before a trial's own call.
 *
 * In batches iterations follow each other: one batch more, which is not kept, ends the slot, and there it is. On a
 * processor another is before it, in which as many bytes of the inputs are written and do not change; and pieces are of
 * all sizes, from a line of caches to half of an input, so that who keeps results by pieces has as much to do anew.
 * Single calls may be surprised too, any of a slot's, which is kept: what it takes to change the pieces is not in its
 * time. Then times count as well: with surprises before all iterations of a batch, or before the call, and without, in
 * the sample before and in slots that nobody has touched. Where changes take their turn on a stream they would be known
 * by their time, with honest variants too.
 */
#ifndef MEASURE_AUDIT_SURPRISE_H
#define MEASURE_AUDIT_SURPRISE_H

#include "measure/measurement.h"

/* May it be known by its times whether this one remembers? And are more of them wanted? */
bool surprises_are_timed(const struct measurement *m, const struct contestant *k);
bool surprises_are_wanted(const struct measurement *m, const struct contestant *k);

/* For the next slot; none in most. Iterations count from the first of the sample that it comes in. */
struct surprise surprise_choose(struct measurement *m, const struct contestant *k, const struct trial *trial);

/* Is it in one sample more? Else it is in one that is kept. */
bool surprise_is_extra(const struct measurement *m, const struct contestant *k);

/* A slot's last portion has been taken, at `ns` the samples that are kept. Times of a slot that nobody has touched are
 * held against those with surprises, for a sample that might as well have had one: who knows by anything at all which
 * slots will have one works in all calls of those. */
void surprise_note(struct measurement *m, struct contestant *k, const struct trial *trial, const struct turn *turn,
                   const double *ns, uint32_t count);

#endif

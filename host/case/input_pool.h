/* Other contents for a case's inputs, at the price of a copy.
 *
 * Beside each input that the host fills lies a pool of values that are drawn in the same way, half as long again as the
 * input. A window of the pool, from any element on and in another order of its elements, is as good an input
 * as any: two of them have no row, line or stretch in common but by chance, so that nothing kept of one serves another.
 * What is kept of single elements does; to look up each costs about what it saves. To compute as many values anew would
 * take ten times as long on a processor, and would leave them in the caches of other cores.
 *
 * What the inputs hold while a window is shown has a number that is nobody's seed, so that a variant which asks for the
 * seed of its inputs sees that they are others. Nothing is compared then: they are put back before. */
#ifndef CASE_INPUT_POOL_H
#define CASE_INPUT_POOL_H

#include "case/case.h"

/* Allocates and fills the pools from `seed`, and waits for it. Returns whether there are any: the bench may have no
 * input that the host fills, or the device may lack the memory, of which they take at most a quarter. -1: the device
 * failed. */
int input_pool_open(struct gb_case *c, uint64_t seed, bool *there, struct err *err);
void input_pool_close(struct gb_case *c);

/* These are ordered on the stream and need not be complete when they return. */
int input_pool_show(struct gb_case *c, uint64_t number,
                    struct err *err);                          /* keeps what the inputs hold, the first time */
int input_pool_show_again(struct gb_case *c, struct err *err); /* writes what the inputs hold once more */
int input_pool_put_back(struct gb_case *c, struct err *err);   /* what was kept; nothing where nothing was */

#endif

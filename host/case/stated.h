/* Which elements of the outputs are compared, and whether a variant could know them before its outputs were final.
 *
 * If `reference` states all elements (gives expected values for them), there is nothing to foresee. A `reference` that
 * states only a part draws these elements from a random number (gb.case/1 `places`). It is called again for each
 * comparison, when the outputs are final. The bench's `verify` reads all elements that are not stated, or a part of
 * them that it draws in the same way. */
#pragma once

#include "case/case.h"

enum { STATED_ENOUGH = 1000 }; /* number of elements of an output whose values must be stated, unless it has fewer */

/* Returns true if the last `reference` stated too few elements of an output. */
bool stated_too_few(const struct tensor *t);

/* Call stated_begin() before `reference` or `verify`: it draws the random number that decides which elements are
 * stated. Call stated_end() after `reference`: it counts the stated elements. */
void stated_begin(struct gb_case *c);
void stated_end(struct gb_case *c);

/* Returns the random number from which the running `reference` or `verify` draws the elements that it states or
 * reads. */
uint64_t stated_places(struct gb_case *c);

/* Notes that `verify` has read `count` elements of an output. */
void stated_note_read(struct tensor *t, uint64_t count);

/* Returns true if the reference states a part of an output, at places that it draws anew each time it is called. */
bool stated_is_drawn(const struct gb_case *c);

/* Call it after a comparison and the `verify` that belongs to it. Returns true if no variant could foresee which
 * elements of the outputs were checked. `values` is true if the stated elements were compared. */
bool stated_afterwards(const struct gb_case *c, bool values);

/* Returns an output for which `reference` stated the same elements in all calls, although the random number that they
 * should be drawn from changed; NULL: none. */
const char *stated_fixed(const struct gb_case *c);

/* Returns an output of which the last `reference` stated only a part, without asking for the random number that the
 * elements should be drawn from; NULL: none. */
const char *stated_undrawn(const struct gb_case *c);

/* Writes which elements could be foreseen and what the bench can do about it. `reference_s`: how long its reference
 * takes. */
void stated_why_foreseen(const struct gb_case *c, double reference_s, char *to, size_t size);

/* Which elements of the outputs are compared, and whether a variant could know them before its outputs were final.
 *
 * A `reference` that states (gives expected values for) only a part of the elements chooses them by a random number
 * (gb.case/1 `places`). It is called again for each comparison, when the outputs are final. The bench's `verify` reads
 * the other elements, or a part of them that it chooses in the same way. */
#pragma once

#include "case/case.h"

enum { STATED_ENOUGH = 1000 }; /* number of elements of an output whose values must be stated, unless it has fewer */

/* Returns true if the last `reference` gave expected values for too few elements of an output. */
bool stated_too_few(const struct tensor *t);

/* Call stated_begin() before `reference` or `verify`: it sets the random number by which `reference` chooses the
 * elements that it gives expected values for, and `verify` the elements that it reads. Call stated_end() after
 * `reference`: it counts the elements with expected values. */
void stated_begin(struct gb_case *c);
void stated_end(struct gb_case *c);

/* Returns the random number by which the running `reference` chooses the elements for which it gives expected values,
 * or the running `verify` the elements that it reads. */
uint64_t stated_places(struct gb_case *c);

/* Notes that `verify` has read `count` elements of an output. */
void stated_note_read(struct tensor *t, uint64_t count);

/* Returns true if `reference` gives expected values for only a part of an output, and has asked for the random number
 * by which it should choose that part. */
bool stated_is_drawn(const struct gb_case *c);

/* Call it after a comparison and the `verify` that belongs to it. Returns true if no variant could foresee which
 * elements of the outputs were checked. `values` is true if outputs were compared with the expected values. */
bool stated_afterwards(const struct gb_case *c, bool values);

/* Returns an output for which all calls of `reference` gave expected values for the same elements, although the random
 * number by which it should choose them changed; NULL: none. */
const char *stated_fixed(const struct gb_case *c);

/* Returns an output for which the last `reference` gave expected values for only a part of the elements, without asking
 * for the random number by which it should choose them; NULL: none. */
const char *stated_undrawn(const struct gb_case *c);

/* Writes which elements could be foreseen and what the bench can do about it. `reference_s`: how long its reference
 * takes. */
void stated_why_foreseen(const struct gb_case *c, double reference_s, char *to, size_t size);

/* What of the outputs is compared, and whether that could be known before they were final.
 *
 * A reference may state all elements; then there is nothing to foresee. One that states a part draws its places from
 * gb.case/1 `places`, and is entered again for each comparison, when the outputs are final. Of elements that are not
 * stated the bench's `verify` reads all, or a part at places that it draws likewise. */
#ifndef CASE_STATED_H
#define CASE_STATED_H

#include "case/case.h"

/* Before a `reference` or a `verify` is entered: draws its number. Behind a `reference`: notes what it has stated. */
void stated_begin(struct gb_case *c);
void stated_end(struct gb_case *c);

/* The number of the `reference` or `verify` that runs. */
uint64_t stated_places(struct gb_case *c);

/* Notes that `verify` has been given `count` elements of an output. */
void stated_note_read(struct tensor *t, uint64_t count);

/* Does the reference state a part of an output, at places that it draws anew whenever it is entered? */
bool stated_is_drawn(const struct gb_case *c);

/* Returns, behind a comparison and its `verify`, whether nobody could foresee which elements of the outputs are looked
 * at. `values`: what is stated has been compared. */
bool stated_afterwards(const struct gb_case *c, bool values);

/* An output whose stated places never differed though the number that they are to be drawn from did, or NULL. */
const char *stated_fixed(const struct gb_case *c);

/* An output of which the last `reference` has stated a part, at places that it has not drawn; or NULL. */
const char *stated_undrawn(const struct gb_case *c);

/* Says which elements could be foreseen and what the bench can do about it; its reference takes `reference_s`. */
void stated_why_foreseen(const struct gb_case *c, double reference_s, char *to, size_t size);

#endif

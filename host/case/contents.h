/* What a case's tensors hold: inputs are filled, outputs poisoned, guard zones marked.
 *
 * What the inputs hold has a number, the case's `seed`. They are filled from it whole; or from another one, `whole`,
 * but for a small piece of each that is filled from `seed`: putting that in takes no time that could be noticed. */
#ifndef CASE_CONTENTS_H
#define CASE_CONTENTS_H

#include "case/calls.h"
#include "case/case.h"

int tensors_fill(struct gb_case *c, uint64_t seed, struct err *err); /* refills; forgets expectations */
int tensors_repair(struct gb_case *c, struct err *err);              /* inputs and guards as after tensors_fill() */

/* These are ordered on the stream and need not be complete when they return. */
int tensors_poison(struct gb_case *c, struct err *err);                        /* outputs */
int tensors_poison_piece(struct gb_case *c, uint64_t number, struct err *err); /* of each, by chance */
int tensors_rewrite(struct gb_case *c, struct err *err);                       /* outputs, with what they hold */
int tensors_restore(struct gb_case *c, struct err *err);                       /* inout */
int tensors_guard(struct gb_case *c, struct err *err);                         /* guards as after tensors_fill() */
int tensors_change(struct gb_case *c, uint64_t seed, struct err *err);         /* inputs, whole */

/* A piece of each input of GB_IN becomes that of `seed`, and what was a piece before is again as the rest; with the
 * whole's own seed there is none. It is quick when it has been made ready. What was made ready may also be put
 * elsewhere: into contents that have no number, until the next change. */
int tensors_ready_piece(struct gb_case *c, uint64_t seed, struct err *err);
int tensors_change_piece(struct gb_case *c, uint64_t seed, struct err *err);
int tensors_move_piece(struct gb_case *c, uint64_t place, struct err *err);
int tensors_touch_piece(struct gb_case *c, uint64_t place, struct err *err); /* the same with what is there: no piece */
bool tensors_have_pieces(const struct gb_case *c);

/* Nothing of the inputs is to be had, and then they are again what they were. `*changed`: one that was not, if that is
 * known, or NULL. */
int tensors_hide(struct gb_case *c, const char **changed, struct err *err);
int tensors_show(struct gb_case *c, struct err *err);

/* Are the inputs what is known, but for their pieces? */
bool tensors_have_other_piece(const struct gb_case *c);

/* Fills again those inputs that are not what tensors_fill() or tensors_adopt() left. */
int tensors_mend(struct gb_case *c, struct err *err);

/* What the inputs were changed to is from here on what was filled; expectations are forgotten. `*changed`: an input
 * that is no longer so, or NULL. */
int tensors_adopt(struct gb_case *c, const char **changed, struct err *err);
bool tensors_need_restore(const struct gb_case *c); /* has inout ones */
bool tensors_keep_state(const struct gb_case *c);   /* but they stay as `run` leaves them: a trajectory */
bool tensors_have_inputs(const struct gb_case *c);
uint64_t tensors_input_elements(const struct gb_case *c);

/* What outputs are filled with before a verified run. 0xFF is NaN in every float type. To an integer it may be the
 * right value: of those there are two, and no value is right by being left alone with both. */
enum { POISON_BYTE = 0xFF, OTHER_POISON_BYTE = 0x5A };
unsigned char tensor_poison_byte(const struct gb_case *c, const struct tensor *tensor);
bool tensor_is_integer(const struct tensor *tensor);

bool bench_fills(const struct gb_case *c); /* any */

/* Enters the bench's `fill` for this seed, unless its values are those already. What is not OUTCOME_OK leaves them
 * unknown: the bench failed, or gave other values than it once had for this seed. */
void bench_fill(struct gb_case *c, uint64_t seed, struct outcome *outcome);

/* In `fill`: elements from logical index `first` on. False: misuse recorded. */
bool bench_fill_write(struct gb_case *c, const char *name, uint64_t first, uint64_t count, const double *values);

#endif

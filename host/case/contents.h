/* Writes the contents of a case's tensors: fills inputs, poisons outputs (fills them with a pattern that marks
 * unwritten elements), and writes guard zones.
 *
 * gb_case.seed identifies what the inputs hold. They are filled from it entirely, or from another number,
 * gb_case.whole, except a small piece of each. Writing only the piece takes too little time for a variant to notice. */
#pragma once

#include "case/calls.h"
#include "case/case.h"

/* Fills all inputs from `seed` and drops the expected values of outputs. */
int tensors_fill(struct gb_case *c, uint64_t seed, struct err *err);
/* Writes inputs and guards again as tensors_fill() left them. */
int tensors_repair(struct gb_case *c, struct err *err);

/* These functions enqueue their work on the stream; it may still be pending when they return. */
int tensors_poison(struct gb_case *c, struct err *err); /* poisons all outputs */
/* Fills a random piece of each output with the pattern that marks unwritten elements. */
int tensors_poison_piece(struct gb_case *c, uint64_t number, struct err *err);
/* Writes to all outputs the values that they already hold, for calls that are compared with calls after
 * tensors_poison(). */
int tensors_rewrite(struct gb_case *c, struct err *err);
int tensors_restore(struct gb_case *c, struct err *err); /* fills inout tensors with their first contents again */
int tensors_guard(struct gb_case *c, struct err *err);   /* writes guards with a new secret byte */
int tensors_change(struct gb_case *c, uint64_t seed, struct err *err); /* fills inputs entirely from `seed` */

/* tensors_change_piece() fills a piece of each GB_IN input from `seed`, and restores the piece that was filled before;
 * if `seed` is gb_case.whole, it only restores. It is fast if tensors_ready_piece() has computed the values.
 * tensors_move_piece() writes these values to another place; until the next change no seed describes the inputs. */
int tensors_ready_piece(struct gb_case *c, uint64_t seed, struct err *err);
int tensors_change_piece(struct gb_case *c, uint64_t seed, struct err *err);
int tensors_move_piece(struct gb_case *c, uint64_t place, struct err *err);
/* Copies as many bytes as tensors_move_piece(), but leaves the contents of the inputs unchanged. So a call
 * after it takes as long as one after tensors_move_piece(), unless new values make a difference. */
int tensors_touch_piece(struct gb_case *c, uint64_t place, struct err *err);
bool tensors_have_pieces(const struct gb_case *c);

/* tensors_hide() overwrites the inputs and waits for the device; tensors_show() fills them again. `*changed` is set to
 * the name of an input that the variant had changed before; NULL: none, or it is not known. */
int tensors_hide(struct gb_case *c, const char **changed, struct err *err);
int tensors_show(struct gb_case *c, struct err *err);

/* The expected values belong to certain contents of the inputs. Returns true if the inputs differ from these contents,
 * but only in their pieces. */
bool tensors_have_other_piece(const struct gb_case *c);

/* Fills those inputs again whose contents differ from what tensors_fill() or tensors_adopt() left. */
int tensors_mend(struct gb_case *c, struct err *err);

/* Drops the expected values, and computes the checksums of the present contents of the inputs. Expected values that are
 * computed later belong to these contents. `*changed` is set to the name of an input that no longer holds the values
 * that were filled in; NULL: none. */
int tensors_adopt(struct gb_case *c, const char **changed, struct err *err);
bool tensors_need_restore(const struct gb_case *c); /* true if there are inout tensors */
/* true if each call continues from the inout tensors as the one before left them */
bool tensors_keep_state(const struct gb_case *c);
bool tensors_have_inputs(const struct gb_case *c);
uint64_t tensors_input_elements(const struct gb_case *c);

/* The bytes that outputs are filled with before a verified run, to find elements that are not written. 0xFF bytes are a
 * NaN in every float type. An integer may have that value rightly, so integers have two poisons: an element that equals
 * the poison after runs with both was not written. */
enum { POISON_BYTE = 0xFF, OTHER_POISON_BYTE = 0x5A };
unsigned char tensor_poison_byte(const struct gb_case *c, const struct tensor *tensor);
bool tensor_is_integer(const struct tensor *tensor);

bool bench_fills(const struct gb_case *c); /* true if the bench fills any input */

/* Calls the bench's `fill` for this seed, unless the values that it wrote last are for this seed. An outcome other than
 * OUTCOME_OK means that `fill` failed, or that it gave other values for this seed than before. Then the values count as
 * unknown. */
void bench_fill(struct gb_case *c, uint64_t seed, struct outcome *outcome);

/* Writes `count` elements of the input `name` from logical index `first` on, while the bench's `fill` runs. Returns
 * false if it recorded a misuse. */
bool bench_fill_write(struct gb_case *c, const char *name, uint64_t first, uint64_t count, const double *values);

/* Spot checks: the tests of a slot. Its outputs may be verified, and it may begin with a single call: a call that is
 * timed by itself, for the reuse test. Random numbers choose the tests right before the slot, so that no variant can
 * know them.
 *
 * Right before the single call, inputs are filled with new values or their present ones, and outputs are poisoned
 * (filled with a pattern that marks unwritten elements) or rewritten. The same is done before the slot's last sample,
 * which a variant cannot know to be the last. The single call takes the place of the sample that is dropped after a
 * switch of variants; it is not kept. */
#pragma once

#include "measure/measurement.h"

/* A quiet round does not fill the inputs anew, so that reuse of results shows in the times. In a loud round pieces of
 * the inputs change during the slots, for all variants to the same new values. Other rounds have single calls.
 * choose_round() chooses. */
struct spot_check_round {
  enum round_stage stage;
  bool quiet;
  uint64_t from, to; /* in a loud round: seeds of the inputs before and after a perturbation; see struct spot_check */
  double slot_share; /* the slots of this round have this share of their usual number of samples */
  /* not 0: each variant gets new inputs in this round. If their slots share the inputs (`shared` in struct spot_check),
   * this is the seed; otherwise each slot draws another one */
  uint64_t news;
};

/* Begin and end a round of slots. -1: the device failed. */
int spot_check_round_begin(struct measurement *m, enum round_stage stage, struct spot_check_round *round,
                           struct err *err);
int spot_check_round_end(struct measurement *m, struct err *err);

/* Chooses the spot check (the tests) of the variant's next slot. Many slots have none, for example because spot checks
 * have used their share of the time: then the members `on` and `judged` of the result are false. */
struct spot_check spot_check_choose(struct measurement *m, const struct spot_check_round *round, struct contestant *k);

/* If the bench has a state (inout tensors with which each call continues from the one before), fills it with new values
 * before a slot. So results that a variant keeps, for itself or for another variant, do not help in the next slot. -1:
 * the device failed. */
int spot_check_new_state(struct measurement *m, struct err *err);

/* Returns true if the single call at the start of a slot replaces the sample that is dropped after a switch of
 * variants, because it is timed like the other samples. */
bool spot_check_stands_in(const struct measurement *m, const struct contestant *k, const struct spot_check *check);

/* Begin and end the spot check, before and after the slot's samples. -1: the device failed. */
int spot_check_begin(struct measurement *m, struct contestant *k, const struct spot_check *check, struct err *err);
int spot_check_end(struct measurement *m, struct contestant *k, const struct spot_check *check, struct slot_task *task,
                   struct err *err);

/* Slots that are verified, and calls that are timed against each other. Which ones these are is drawn as it comes to
 * them, so that nobody can know before; and their samples count as all others do.
 *
 * A trial is a slot that begins with a call of its own, in the place of the sample that is dropped after a switch.
 * Right before that call, behind `before` and the emptying of the caches, outputs are poisoned or written with what
 * they hold, and inputs are filled with new values or with those that they have. The same is done before the slot's
 * last sample, which nobody can know to be the last. Then, before anything is refilled, the slot's outputs are judged,
 * in slots that are drawn by what that costs.
 * The times of either show who remembers what he has computed (stats/audit.h). */
#ifndef MEASURE_AUDIT_TRIAL_H
#define MEASURE_AUDIT_TRIAL_H

#include "measure/measurement.h"

/* A round of slots: with trials, or quiet, or loud. In quiet ones inputs stay as they are, so that it shows who
 * remembers them; in a loud one, which comes after a quiet one, all are surprised by the same new ones. Where filling
 * the inputs takes long, all variants get new ones in the same rounds of trials. */
struct trial_round {
  enum trial_stage stage;
  bool quiet;
  uint64_t from, to; /* of a loud one; see struct trial */
  double share;      /* of a slot's samples that are taken */
  uint64_t news;     /* seed of inputs that are new to all; 0: there are none */
};

int trial_round_begin(struct measurement *m, enum trial_stage stage, struct trial_round *round, struct err *err);
int trial_round_end(struct measurement *m, struct err *err);

/* For the next slot of this variant; none where they have taken their share of the time. */
struct trial trial_choose(struct measurement *m, const struct trial_round *round, struct contestant *k);

/* Before a slot: a state that nobody has been in, where the bench has one. Whatever anybody keeps of a trajectory, also
 * for somebody else, is of no use in another. -1: the device failed. */
int trial_new_state(struct measurement *m, struct err *err);

/* Its own call stands for the sample that would be dropped after a switch, where it is like the others. */
bool trial_stands_in(const struct measurement *m, const struct contestant *k, const struct trial *trial);

/* Before the slot's samples, and after them. -1: the device failed. */
int trial_begin(struct measurement *m, struct contestant *k, const struct trial *trial, struct err *err);
int trial_end(struct measurement *m, struct contestant *k, const struct trial *trial, struct turn *turn,
              struct err *err);

#endif

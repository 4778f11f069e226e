/* Prepares the samples that are kept: warms up, chooses the sizes of slots and batches, puts the device under load
 * before a slot if the mode asks for that, and chooses the samples that run on new inputs. */
#pragma once

#include "measure/measurement.h"

/* Runs all variants for at least `least_s` seconds until their times hardly change any more, and chooses the sizes of
 * slots and batches. -1: the device failed. */
int sampling_warm_up(struct measurement *m, double least_s, struct err *err);

/* Called before a slot: brings the device into the state that the load of the mode demands, idle or busy. -1: the
 * device failed. */
int sampling_lead_in(struct measurement *m, struct contestant *k, struct err *err);

/* Returns true if a slot's first sample is dropped because a switch of variants may have lengthened it. */
bool sampling_drops_first(const struct measurement *m, const struct contestant *k);

/* Called after all variants have been verified. Allocates other contents for the inputs (measure/audit/sample_inputs.h)
 * and times how long it takes to write them to the inputs. -1: the device failed. */
int sampling_open_inputs(struct measurement *m, struct err *err);

/* Returns true if this variant has had too few calls with new inputs for any conclusion, and inputs may still be
 * written for it. */
bool sampling_needs_new(const struct measurement *m, const struct contestant *k);

/* Decides whether inputs are written before some samples of the next slot, with new values or the same ones again.
 * Where possible that is always done while the variant needs samples on new inputs, otherwise in three of four slots,
 * at random. The test of perturbations needs slots in which nothing changes. */
bool sampling_rotates(struct measurement *m, const struct contestant *k, const struct spot_check *check);

/* Returns true if this variant should have more calls with new inputs, even if writing them takes more than its usual
 * share of the time. */
bool sampling_lacks_new(const struct measurement *m, const struct contestant *k);

/* Returns the share of all samples (or slots) before which inputs may be written, so that writing takes no more than
 * its share of the time. `seconds`: how long it takes to write the inputs once; `of_s`: seconds from one sample (or
 * slot) to the next. The result is 1 if inputs may be written before each sample. */
double sampling_writes_share(double seconds, double of_s);

/* Chooses before how many of the slot's samples inputs are written, and how many of these samples get new values.
 * Chooses no samples in batched modes, in which a sample consists of several calls: there rotated_batch_begin() brings
 * new inputs. */
struct rotation sampling_rotation(struct measurement *m, const struct contestant *k, const struct spot_check *check);

/* Chooses at random which of `count` samples of a slot, or which iteration of a batch with new inputs, is watched for
 * work that other threads do before it begins (measure/audit/untimed.h). Returns its number, from 1; 0: none. A watched
 * sample is not kept. Works only if all variants belong to one plugin, because threads cannot be attributed to
 * plugins. */
uint32_t sampling_watches(struct measurement *m, struct contestant *k, uint32_t count);

/* Called right before the samples of a slot whose samples are batches of iterations. Brings new inputs to some slots,
 * chosen at random: on a GPU it writes them for the whole slot, on a CPU it adds two extra batches to the task, before
 * whose iterations inputs are written. The caller restores the inputs after the slot. -1: the device failed. */
int rotated_batch_begin(struct measurement *m, struct contestant *k, const struct spot_check *check,
                        struct slot_task *task, struct err *err);
/* Notes for the reuse test the times of the extra batches, which begin at `task->ns[at]`. */
void rotated_batch_note(struct contestant *k, const struct slot_task *task, uint32_t at);

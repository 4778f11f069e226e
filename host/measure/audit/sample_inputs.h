/* Samples on new inputs, among ordinary samples.
 *
 * In a slot of cold mode, the inputs of some samples are written again before the caches are emptied. Before each
 * sample a random number decides whether its inputs are written: some samples get values that the variant has not seen,
 * and half as many get the same values again. The two kinds differ in nothing else, neither in addresses nor in the
 * pause before the call nor in the state of the caches, and both count like all samples. So a variant that keeps
 * results is slower in the first kind than in the second. And a variant counts as faster than another one only if it is
 * faster on new inputs as well (record_unproven()).
 *
 * In modes that do not empty the caches, at most one sample in eight is rotated (has its inputs written), and the
 * effect of the writing on its time is subtracted. Inputs are not rotated for variants that derive something from them,
 * if the bench fills them, if calls continue from each other's results, and between iterations that follow each other
 * without a pause.
 *
 * Batches (samples of many iterations) get new inputs in another way. On a CPU a slot may end with two batches that are
 * not kept: before each iteration of one of them the inputs get values that the variant has not seen, before each
 * iteration of the other they are written again unchanged. The time of writing is subtracted. On a GPU it could not be
 * subtracted, so the whole slot runs on other inputs. */
#pragma once

#include "measure/slot_task.h"

/* Called before each sample (index `sample`) of a slot with `count` samples: writes the inputs if `rotation` selects
 * this sample. If the slot's outputs are verified, restores the inputs before the last sample; otherwise the caller
 * restores them after the slot. */
int sample_inputs_apply(struct gb_case *c, struct rotation *rotation, uint32_t sample, uint32_t count, struct err *err);

/* Removes one of the `count` samples in `ns`: the one that was watched for work of other threads (rotation->watched),
 * because it is not kept. */
void sample_inputs_take_out(struct rotation *rotation, double *ns, uint32_t count);

/* Notes for the reuse test the times of samples whose inputs were written. Ignores the first `skipped` samples in `ns`,
 * and considers the next `count`. Returns how many of these had their inputs written. */
uint32_t sample_inputs_note(struct contestant *k, const struct rotation *rotation, const double *ns, uint32_t skipped,
                            uint32_t count);

/* Returns whether new values or the same ones are written to the inputs before each iteration of an extra batch, which
 * is run only for the reuse test. `batch`: its number, 0 or 1. */
enum sample_inputs rotation_of_batch(const struct rotation *rotation, uint32_t batch);

/* Writes the inputs; INPUTS_LEFT does nothing. `number` selects the new contents. */
int sample_inputs_write(struct gb_case *c, enum sample_inputs inputs, uint64_t number, struct err *err);

/* The time of a row, with which times on new inputs are compared. */
struct row_median {
  double ns; /* median of the row's samples */
  /* number of samples that `ns` is the median of, if samples with new inputs are among them; otherwise 0 */
  uint64_t samples;
  /* largest number of ns by which a call may take longer because inputs, new or not, were written before it; 0 if
   * caches are emptied */
  double writing_ns;
};

/* Computes the median of the samples with new inputs and the standard uncertainty of its excess over the row's median;
 * NaN with fewer than SAMPLES_NEW_LEAST samples. Writing inputs makes the next sample slower, so the excess of samples
 * with repeated inputs is subtracted. At most `row->writing_ns` is subtracted, because a variant that does its work
 * whenever anything was written would pass otherwise. */
enum { SAMPLES_NEW_LEAST = 4 };
void sample_inputs_median(const struct contestant *k, const struct row_median *row, double *ns, double *uncertainty_ns);

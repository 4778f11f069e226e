/* Samples on new inputs, among ordinary samples. Before random samples of a slot, inputs are written: some samples get
 * new values, and half as many get the same values again. A variant that keeps results is slower with new values. Both
 * kinds count like all samples, and a variant counts as faster than another only if it is faster on new inputs as well
 * (record_unproven()).
 *
 * In modes that do not empty the caches, at most one sample in eight is rotated (has its inputs written), and the
 * effect of the writing is subtracted from its time. Inputs are not rotated for variants that derive something from
 * them, and not if the bench fills them or calls continue from each other's results.
 *
 * Batches (samples of many iterations): on a CPU a slot may end with two more batches, which are not kept. One gets new
 * inputs before each iteration, the other the same ones again. On a GPU whole slots run on other inputs. */
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

/* Computes how much the median of samples with new inputs exceeds the row's median, and the standard uncertainty of
 * that; NaN with fewer than SAMPLES_NEW_LEAST samples. The excess of samples with repeated inputs is subtracted, but at
 * most `row->writing_ns`: a variant may do its work whenever something was written. */
enum { SAMPLES_NEW_LEAST = 4 };
void sample_inputs_median(const struct contestant *k, const struct row_median *row, double *ns, double *uncertainty_ns);

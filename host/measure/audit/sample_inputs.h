/* New inputs among ordinary samples.
 *
 * In a slot of cold mode the inputs of some samples are written anew before the caches are emptied, and which ones is
 * drawn as each sample comes: of some with values that the variant has not met, of half as many others with those that
 * it had in the call before. Nothing else tells the two apart, neither addresses nor the pause before the call nor the
 * caches, and both count as all samples do. So a variant that keeps results takes longer in the first than in the
 * second; and what a row gains over another on repeated inputs, it must gain on new ones as well
 * (record_unproven()).
 *
 * In modes where caches stay as they are, at most one sample in eight is rotated, and what writing does to a time is
 * taken off. Not where a variant has derived something from the inputs, where the bench gives them, where they are a
 * state, and where iterations follow each other without a pause.
 *
 * There batches have them: on a processor a slot may end with two batches that are not kept: before each iteration of
 * one the inputs become others that the variant has not met, before each of the other they are written again as they
 * are. What writing takes is not in the time. On a GPU, where it would be, the slot is one of other inputs from its
 * first sample to its last.
 */
#ifndef MEASURE_AUDIT_SAMPLE_INPUTS_H
#define MEASURE_AUDIT_SAMPLE_INPUTS_H

#include "measure/turn.h"

/* Before a sample, one of `count`. Inputs are put back before the last one of a slot whose outputs are judged, and
 * otherwise by the caller, behind the slot. */
int sample_inputs_apply(struct gb_case *c, struct rotation *rotation, uint32_t sample, uint32_t count, struct err *err);

/* Takes the sample that was watched out of `count` that lie there. */
void sample_inputs_take_out(struct rotation *rotation, double *ns, uint32_t count);

/* Keeps the times of samples whose inputs were written: of those that count, all but the first `skipped`. Returns how
 * many samples had them written. */
uint32_t sample_inputs_note(struct contestant *k, const struct rotation *rotation, const double *ns, uint32_t skipped,
                            uint32_t count);

/* What is written before the iterations of this one of its batches. */
enum sample_inputs rotation_of_batch(const struct rotation *rotation, uint32_t batch);

/* Writes the inputs, or leaves them. */
int sample_inputs_write(struct gb_case *c, enum sample_inputs inputs, uint64_t number, struct err *err);

/* What calls with new inputs are held against. */
struct usual {
  double ns;        /* the row's median */
  uint64_t samples; /* that it is of, where those with new inputs are among them; else 0 */
  double
      writing_ns; /* what writing inputs may make a call longer by, whatever is written; 0 where caches are emptied */
};

/* The median of samples with new inputs, and the standard uncertainty of what it is above the usual one; NaN of fewer
 * than SAMPLES_NEW_LEAST. What samples with repeated inputs take longer than usual is taken off, but no more of it than
 * writing may be to blame for: or who works whenever something was written would not be seen. */
enum { SAMPLES_NEW_LEAST = 4 };
void sample_inputs_median(const struct contestant *k, const struct usual *usual, double *ns, double *uncertainty_ns);

#endif

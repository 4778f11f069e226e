/* Writes the inputs before some samples: with new values, or with the same ones again. */
#include "measure/audit/sample_inputs.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "case/input_pool.h"

static enum sample_inputs draw_inputs(const struct rotation *rotation, uint32_t sample) {
  const double number = rng_share(rotation->key, sample);
  return number < rotation->share * rotation->new_share ? INPUTS_NEW
         : number < rotation->share                     ? INPUTS_AGAIN
                                                        : INPUTS_LEFT;
}

enum sample_inputs rotation_of_batch(const struct rotation *rotation, uint32_t batch) {
  return (rotation->key >> 32 & 1) == batch ? INPUTS_NEW : INPUTS_AGAIN;
}

int sample_inputs_write(struct gb_case *c, enum sample_inputs inputs, uint64_t number, struct err *err) {
  switch (inputs) {
    case INPUTS_NEW:
      return input_pool_show(c, number | 1, err);
    case INPUTS_AGAIN:
      return input_pool_show_again(c, err);
    default:
      return 0;
  }
}

int sample_inputs_apply(struct gb_case *c, struct rotation *rotation, uint32_t sample, uint32_t count,
                        struct err *err) {
  if (sample >= SLOT_SAMPLES_MAX) { /* a slot with this many samples never writes inputs */
    assert(rotation->share <= 0 && rotation->watched == 0 && !rotation->ends);
    return 0;
  }
  rotation->inputs[sample] = INPUTS_LEFT;
  if (sample + 1 == count && rotation->ends) return input_pool_put_back(c, err);
  const bool watched = sample + 1 == rotation->watched;
  rotation->inputs[sample] = (unsigned char)(watched ? INPUTS_NEW : draw_inputs(rotation, sample));
  return sample_inputs_write(c, (enum sample_inputs)rotation->inputs[sample], rng_bits(rotation->key, sample), err);
}

void sample_inputs_take_out(struct rotation *rotation, double *ns, uint32_t count) {
  const uint32_t at = rotation->watched - 1;
  memmove(ns + at, ns + at + 1, (count - at - 1) * sizeof *ns);
  memmove(rotation->inputs + at, rotation->inputs + at + 1, (count - at - 1) * sizeof *rotation->inputs);
}

uint32_t sample_inputs_note(struct contestant *k, const struct rotation *rotation, const double *ns, uint32_t skipped,
                            uint32_t count) {
  uint32_t written = 0;
  assert(rotation->share <= 0 || skipped + count <= SLOT_SAMPLES_MAX);
  for (uint32_t i = skipped; rotation->share > 0 && i < skipped + count; i++) {
    written += rotation->inputs[i] != INPUTS_LEFT;
    if (rotation->inputs[i] == INPUTS_NEW) audit_note(&k->rotated, AUDIT_FRESH, ns[i]);
    if (rotation->inputs[i] == INPUTS_AGAIN) audit_note(&k->rotated, AUDIT_SEEN, ns[i]);
  }
  return written;
}

/* The median of `count` samples is compared with the median of all `samples` samples, which include them. Both medians
 * vary together, so the difference is less uncertain than the first median. Returns the factor, at most 1, for its
 * uncertainty; 1 if `samples` is 0. */
static double part_of_all(uint32_t count, uint64_t samples) {
  const double most = 0.9, kept = fmin(count, AUDITS_MAX);
  return samples > 0 ? sqrt(1 - fmin(most, kept / (double)samples)) : 1;
}

void sample_inputs_median(const struct contestant *k, const struct row_median *row, double *ns,
                          double *uncertainty_ns) {
  const struct audits *rotated = &k->rotated;
  *ns = *uncertainty_ns = NAN;
  if (rotated->count[AUDIT_FRESH] < SAMPLES_NEW_LEAST) return;
  *ns = audit_median(rotated, AUDIT_FRESH);
  *uncertainty_ns =
      audit_median_uncertainty(rotated, AUDIT_FRESH) * part_of_all(rotated->count[AUDIT_FRESH], row->samples);
  if (row->writing_ns <= 0 || rotated->count[AUDIT_SEEN] < SAMPLES_NEW_LEAST) return;
  *ns -= fmax(0, fmin(row->writing_ns, audit_median(rotated, AUDIT_SEEN) - row->ns));
  *uncertainty_ns = hypot(*uncertainty_ns, audit_median_uncertainty(rotated, AUDIT_SEEN));
}

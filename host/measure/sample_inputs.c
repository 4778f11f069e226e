/* Inputs of samples. */
#include "measure/sample_inputs.h"

#include <math.h>

#include "base/rng.h"
#include "case/input_pool.h"

static enum sample_inputs draw(const struct rotation *rotation, uint32_t sample) {
  const double number = rng_share(rotation->key, sample), new_share = 2.0 / 3;
  return number < rotation->share * new_share ? INPUTS_NEW : number < rotation->share ? INPUTS_AGAIN : INPUTS_LEFT;
}

int sample_inputs_apply(struct gb_case *c, struct rotation *rotation, uint32_t sample, uint32_t count,
                        struct err *err) {
  if (sample >= SLOT_SAMPLES_MAX) return 0; /* one that is not kept */
  rotation->inputs[sample] = INPUTS_LEFT;
  if (sample + 1 == count && rotation->ends) return input_pool_put_back(c, err);
  rotation->inputs[sample] = (unsigned char)draw(rotation, sample);
  switch (rotation->inputs[sample]) {
    case INPUTS_NEW:
      return input_pool_show(c, rng_bits(rotation->key, sample) | 1, err);
    case INPUTS_AGAIN:
      return input_pool_show_again(c, err);
    default:
      return 0;
  }
}

uint32_t sample_inputs_note(struct contestant *k, const struct rotation *rotation, const double *ns, uint32_t skipped,
                            uint32_t count) {
  uint32_t written = 0;
  for (uint32_t i = skipped; rotation->share > 0 && i < skipped + count && i < SLOT_SAMPLES_MAX; i++) {
    written += rotation->inputs[i] != INPUTS_LEFT;
    if (rotation->inputs[i] == INPUTS_NEW) audit_note(&k->rotated, AUDIT_FRESH, ns[i]);
    if (rotation->inputs[i] == INPUTS_AGAIN) audit_note(&k->rotated, AUDIT_SEEN, ns[i]);
  }
  return written;
}

void sample_inputs_median(const struct contestant *k, double *ns, double *uncertainty_ns) {
  const uint32_t count = k->rotated.count[AUDIT_FRESH];
  *ns = *uncertainty_ns = NAN;
  if (count < SAMPLES_NEW_LEAST) return;
  *ns = audit_median(&k->rotated, AUDIT_FRESH);
  *uncertainty_ns = audit_median_uncertainty(&k->rotated, AUDIT_FRESH);
}

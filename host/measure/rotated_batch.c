/* New inputs in batches. */
#include "measure/rotated_batch.h"

#include "base/rng.h"
#include "case/input_pool.h"
#include "measure/iteration.h"
#include "measure/sample_inputs.h"
#include "measure/sampling.h"

static const uint32_t batches = 2;

int rotated_batch_begin(struct measurement *m, struct contestant *k, const struct trial *trial, struct turn *turn,
                        struct err *err) {
  const bool cpu = measure_on_cpu(m), lacks = cpu && sampling_lacks_new(m, k);
  const double written_s = iterations_of(k, turn->timing) * m->rotation_s;
  const double costs_s = cpu ? batches * (1e-9 * k->cost_ns + written_s) : 2 * m->rotation_s;
  if (!trial->rotates || trial->on || trial->judged || !mode_is_batched(m->request->mode)) return 0;
  if (!lacks && measure_draw_share(m) >= sampling_writes_share(costs_s, k->slot_wall_ns * 1e-9)) return 0;
  if (!cpu) return input_pool_show(m->c, measure_draw(m) | 1, err);
  turn->rotation.batches = batches;
  turn->rotation.key = measure_draw(m);
  turn->rotation.watched = sampling_watches(m, k, iterations_of(k, turn->timing));
  m->rotations_s += costs_s;
  return 0;
}

void rotated_batch_note(struct contestant *k, const struct turn *turn, uint32_t at) {
  const struct rotation *rotation = &turn->rotation;
  const uint32_t iterations = iterations_of(k, turn->timing);
  for (uint32_t i = 0; i < rotation->batches && contestant_alive(k); i++) {
    const enum audit_kind kind = rotation_of_batch(rotation, i) == INPUTS_NEW ? AUDIT_FRESH : AUDIT_SEEN;
    audit_note(&k->rotated, kind, turn->ns[at + i] - rotation->written_ns[i] / iterations);
  }
}

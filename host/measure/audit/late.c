/* Detects late writes and changed clocks. */
#include "measure/audit/late.h"

#include <stdio.h>

#include "case/contents.h"

/* Returns what the outputs hold when the last sample begins. */
static enum witness_ground ground_of(const struct contestant *k, const struct turn *turn) {
  const bool filled = turn->last.on && turn->last.fill,
             alone = turn->count < 2 || device_is(k->c->device, DEVICE_SCRIPTED);
  /* if there is an `after`, no values are planted in the outputs */
  if (turn->poisoned || k->variant->own.after != NULL) return WITNESS_POISON;
  const bool others = filled || turn->surprise.last > 0 || turn->rotation.share > 0 ||
                      turn->rotation.batches > 0; /* the last sample's inputs differ from those before */
  return others || alone || tensors_keep_state(k->c) ? WITNESS_ANY : WITNESS_RIGHT;
}

void late_begin(const struct contestant *k, struct turn *turn) {
  turn->late = (struct witness_finding){0};
  turn->doubt = (struct clock_doubt){0};
  k->c->delivered = false;
  if (turn->check_done) witness_draw(k->c, ground_of(k, turn));
}

/* Asks first which pages of the outputs are present, and does not read pages that a fault handler would have to fill:
 * the read could start the handler, which would then do the variant's work. */
int late_look(const struct contestant *k, struct turn *turn, struct err *err) {
  if (!turn->witnessed || turn->late.output != NULL) return 0;
  witness_look_at_memory(k->c, &turn->late);
  return turn->late.output != NULL ? 0 : witness_look(k->c, &turn->late, err);
}

/* A few doubtful samples may come from the migration of a virtual machine; more of them mean that the clock was
 * changed. */
bool late_clock(struct contestant *k, const struct turn *turn, char *text, size_t size) {
  enum { FEW = 2 };
  const uint32_t doubted = turn->doubt.samples;
  k->clocked += turn->timed ? turn->count : 0;
  k->doubted += doubted;
  if (doubted == 0 || (doubted <= FEW && k->doubted <= FEW)) return false;
  snprintf(
      text, size,
      "the clock was changed: %u of %u samples are shorter by clock_gettime() than by the processor's counter, one "
      "of them %.4g us instead of %.4g us",
      doubted, turn->count, turn->doubt.shown_ns * 1e-3, turn->doubt.passed_ns * 1e-3);
  return true;
}

bool late_may_be_clock(const struct contestant *k) {
  enum { ONE_OF = 20 };
  return k->doubted > 0 && k->doubted * ONE_OF >= k->clocked;
}

void late_text(const struct turn *turn, char *text, size_t size) {
  const struct witness_finding *late = &turn->late;
  if (late->absent != NULL)
    snprintf(text, size, "memory of output '%s' %s when the clock stops", late->output, late->absent);
  else
    snprintf(text, size,
             "element %llu of '%s' was written afterwards, by a thread or a stream that it does not wait for",
             (unsigned long long)late->element, late->output);
}

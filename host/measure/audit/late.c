/* Detects outputs that are written after the clock stopped, and clocks that a plugin has changed. */
#include "measure/audit/late.h"

#include <stdio.h>

#include "case/contents.h"

/* Returns what the outputs hold when the last sample begins. */
static enum witness_ground ground_of(const struct contestant *k, const struct slot_task *task) {
  const bool filled = task->last.on && task->last.fill,
             alone = task->count < 2 || device_is(k->c->device, DEVICE_SCRIPTED);
  /* a variant with a callback `after` is treated like one with poisoned outputs (filled with a pattern that marks
   * unwritten elements): no elements of its outputs are changed before the last sample (iteration_slot()) */
  if (task->poisoned || k->variant->own.after != NULL) return WITNESS_POISON;
  const bool others = filled || task->surprise.last > 0 || task->rotation.share > 0 ||
                      task->rotation.batches > 0; /* the last sample's inputs differ from those before */
  return others || alone || tensors_keep_state(k->c) ? WITNESS_ANY : WITNESS_RIGHT;
}

void late_begin(const struct contestant *k, struct slot_task *task) {
  task->late = (struct witness_finding){0};
  task->doubt = (struct clock_doubt){0};
  k->c->delivered = false;
  if (task->check_done) witness_draw(k->c, ground_of(k, task));
}

/* Asks first which pages of the outputs are present, and does not read pages that a fault handler would have to fill:
 * the read could start the handler, which would then do the variant's work. */
int late_look(const struct contestant *k, struct slot_task *task, struct err *err) {
  if (!task->witnessed || task->late.output != NULL) return 0;
  witness_look_at_memory(k->c, &task->late);
  return task->late.output != NULL ? 0 : witness_look(k->c, &task->late, err);
}

/* Allows a few doubtful samples, on which two clocks disagree, because they may come from the migration of a virtual
 * machine. More of them mean that the clock was changed. */
bool late_clock(struct contestant *k, const struct slot_task *task, char *text, size_t size) {
  enum { FEW = 2 };
  const uint32_t doubted = task->doubt.samples;
  k->clocked += task->timed ? task->count : 0;
  k->doubted += doubted;
  if (doubted == 0 || (doubted <= FEW && k->doubted <= FEW)) return false;
  snprintf(
      text, size,
      "the clock was changed: %u of %u samples are shorter by clock_gettime() than by the processor's counter, one "
      "of them %.4g us instead of %.4g us",
      doubted, task->count, task->doubt.shown_ns * 1e-3, task->doubt.passed_ns * 1e-3);
  return true;
}

bool late_may_be_clock(const struct contestant *k) {
  enum { ONE_OF = 20 };
  return k->doubted > 0 && k->doubted * ONE_OF >= k->clocked;
}

void late_text(const struct slot_task *task, char *text, size_t size) {
  const struct witness_finding *late = &task->late;
  if (late->absent != NULL)
    snprintf(text, size, "memory of output '%s' %s when the clock stops", late->output, late->absent);
  else
    snprintf(text, size,
             "element %llu of '%s' was written afterwards, by a thread or a stream that it does not wait for",
             (unsigned long long)late->element, late->output);
}

/* Chooses perturbations (unannounced changes of the tensors between two iterations) and notes the times of perturbed
 * samples. */
#include "measure/audit/surprise.h"

#include "case/contents.h"
#include "measure/iteration.h"

/* Number of perturbed calls that the reuse test needs to state how much time reuse may save unnoticed. Half of
 * AUDITS_ENOUGH suffices, because their times vary less than those of single calls. With 12 calls that are all slower a
 * variant can be suspected; stats/audit.c says when it is accused. */
enum { ENOUGH = AUDITS_ENOUGH / 2 };

bool surprises_are_timed(const struct measurement *m, const struct contestant *k) {
  return measure_on_cpu(m) && !contestant_is_derived(k) && tensors_have_pieces(m->c);
}

bool surprises_are_wanted(const struct measurement *m, const struct contestant *k) {
  return surprises_are_timed(m, k) && k->surprised.count[AUDIT_FRESH] < ENOUGH;
}

static uint32_t batch_iterations(const struct measurement *m, const struct contestant *k) {
  return iterations_of(k, m->request->mode.timing);
}

bool surprise_is_extra(const struct measurement *m, const struct contestant *k) {
  return batch_iterations(m, k) > 1 || (mode_is_batched(m->request->mode) && measure_on_cpu(m));
}

/* Chooses at random the sample that is perturbed, that is, before which tensors are changed: any sample of the slot,
 * but in three of four cases the last one, because later samples could repair a wrong result. */
static void place_surprise(struct measurement *m, struct surprise *surprise) {
  surprise->sample = measure_draw(m);
  surprise->ends = measure_draw(m) % 4 != 0;
}

/* Chooses at random the iteration that is perturbed: any of `count`, but in half of the cases the last one, because
 * later iterations could notice and repair what an earlier one left wrong. */
static uint32_t one_of(struct measurement *m, uint32_t count) {
  const uint64_t number = measure_draw(m);
  return number % 2 == 0 ? count : 1 + (uint32_t)(number / 2 % count);
}

/* Chooses the perturbation (the change of tensors) in a slot of a loud round or of the last one. Usually the tensors
 * change before each iteration of the chosen sample; in one of four slots of a loud round before only one iteration. In
 * the last round the sample is the last one of the slot. */
static struct surprise with_inputs(struct measurement *m, const struct contestant *k, const struct spot_check *check) {
  const uint32_t count = batch_iterations(m, k), one = one_of(m, count);
  struct surprise surprise = {.first = 1, .last = count, .inputs = check->to};
  place_surprise(m, &surprise);
  surprise.ends = surprise.ends || check->stage == STAGE_LAST;
  surprise.touched = surprise_is_extra(m, k) ? count : 0;
  if (measure_draw(m) % 4 != 0 || check->stage == STAGE_LAST) return surprise;
  surprise.touched = 0;
  surprise.first = surprise.last = one;
  surprise.whole = count > 1 && measure_draw(m) % 2 != 0;
  return surprise;
}

/* In a loud round and in the last one, every slot is perturbed with new inputs, unless the variant derives something
 * from them. Other slots that are verified may have their outputs perturbed: all of them with batches of mode hot, and
 * half of them, at random, on a CPU with one call per sample. */
struct surprise surprise_choose(struct measurement *m, const struct contestant *k, const struct spot_check *check) {
  const bool timed = surprises_are_timed(m, k), extra = surprise_is_extra(m, k);
  if (check->to != 0 && timed) return with_inputs(m, k, check);
  const uint32_t one = one_of(m, batch_iterations(m, k));
  const bool possible = extra ? m->request->mode.timing == TIMING_HOT : timed;
  if (!possible || !check->judged || (!extra && measure_draw(m) % 2 != 0)) return (struct surprise){0};
  struct surprise surprise = {.first = one, .last = one, .whole = extra && (!timed || measure_draw(m) % 2 != 0)};
  place_surprise(m, &surprise);
  return surprise;
}

/* Returns the index of a random sample, with the same probabilities as the perturbed sample that place_surprise()
 * chooses. */
static uint32_t usual_sample(struct measurement *m, uint32_t count) {
  struct surprise surprise = {0};
  place_surprise(m, &surprise);
  return surprise.ends ? count - 1 : (uint32_t)(surprise.sample % count);
}

bool surprise_spares_kept(const struct measurement *m, const struct contestant *k, const struct slot_task *task) {
  return task->surprise.last == 0 || surprise_is_extra(m, k);
}

void surprise_note(struct measurement *m, struct contestant *k, const struct spot_check *check,
                   const struct slot_task *task, const double *ns, uint32_t count) {
  const struct surprise *surprise = &task->surprise;
  const bool all = surprise->first == 1 && surprise->last == batch_iterations(m, k) && !surprise->whole;
  if (!task->inputs_stay || !surprises_are_timed(m, k)) return;
  if (check->to == 0 && !check->on && surprise_spares_kept(m, k, task))
    audit_note(&k->surprised, AUDIT_USUAL, ns[usual_sample(m, count)]);
  if (!all || surprise->inputs == 0 || task->surprised == 0) return;
  audit_note(&k->surprised, AUDIT_FRESH, task->ns[task->surprised]);
  audit_note(&k->surprised, AUDIT_SEEN, task->ns[task->surprised - 1]);
}

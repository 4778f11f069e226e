/* Chooses, at random, the slots that are verified and those that begin with a single call for the reuse test. Makes
 * these calls, and verifies outputs. */
#include "measure/audit/spot_check.h"

#include <math.h>

#include "base/clock.h"
#include "base/rng.h"
#include "case/calls.h"
#include "case/contents.h"
#include "case/verify.h"
#include "measure/audit/evidence.h"
#include "measure/audit/overruns.h"
#include "measure/audit/surprise.h"
#include "measure/budget.h"
#include "measure/sampling.h"
#include "measure/steps.h"
#include "measure/verify.h"

static const double see_s = 0.02; /* the longest time for which a variant runs on its inputs before a single call */
static const char in_slot[] = "in a timed slot: ";

/* ---- Choosing ---- */

/* Returns true if some variant still needs calls on new inputs. */
static bool news_wanted(const struct measurement *m) {
  for (const struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1))
    if (evidence_wanted(m, k) && k->single.count[AUDIT_FRESH] < k->single.count[AUDIT_SEEN]) return true;
  return false;
}

/* Returns true if each variant gets new inputs in this round. If filling the inputs is cheap, single calls bring them
 * instead (choose_kind()), except in the last round. */
static bool brings_news(struct measurement *m, enum round_stage stage) {
  if (stage == STAGE_LAST) return true;
  if (!budget_fills_are_dear(m) || !tensors_have_inputs(m->c)) return false;
  return stage == STAGE_EVIDENCE ? news_wanted(m) : measure_draw(m) % 4 == 0 && budget_allows(m, 2 * m->fill_s);
}

/* Returns true if some variant still needs single calls, which are timed one by one for the reuse test. */
static bool spot_checks_wanted(const struct measurement *m) {
  for (const struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1))
    if (evidence_is_of_calls(m, k)) return true;
  return false;
}

/* Returns the number of samples in each slot of this round, as a share of the usual number. While sampling, half of the
 * rounds have full slots and the others mostly long ones. After sampling, slots are mostly short. On a CPU they have
 * the same lengths as before, because their times are compared with those of kept slots. */
static double slot_share(struct measurement *m, enum round_stage stage) {
  const bool alike = measure_on_cpu(m) && tensors_have_pieces(m->c);
  const bool whole = measure_draw(m) % 2 == 0 || m->report->rounds == 0 || m->request->trajectory > 0;
  const double share = measure_draw_share(m);
  return stage == STAGE_EVIDENCE && !alike ? pow(share, 6) : whole ? 1 : sqrt(share);
}

/* Brings new data for a bench without inputs, which works on its own data: changes the seed and calls `reference`,
 * which makes the data before any variant runs. */
static int bring_own(struct measurement *m, struct spot_check_round *round, struct err *err) {
  const uint64_t seed = round->news;
  round->news = 0;
  return tensors_fill(m->c, seed, err) != 0 ? -1 : verify_reference(m, err);
}

/* Returns the chance, in eighths, that a quiet round (which does not fill the inputs anew) is followed by another quiet
 * one. The chance is higher while a variant with one sample per slot, or with batches as samples, still needs calls on
 * new inputs. Such a variant gets none in loud rounds, in which only pieces of the inputs change. */
static uint32_t quiet_share(const struct measurement *m) {
  enum { QUIET = 3, QUIET_TO_ROTATE = 4, QUIET_IN_NEED = 6 };
  for (const struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1))
    if ((k->slot_size == 1 || mode_is_batched(m->request->mode)) && sampling_needs_new(m, k)) return QUIET_IN_NEED;
  return m->rotates ? QUIET_TO_ROTATE : QUIET;
}

/* Chooses whether the round is quiet, is loud, or has single calls (struct spot_check_round). host/docs/reuse-test.md
 * has a table of the rules. After sampling, rounds with single calls do not count as the round before, so a loud round
 * may come right after one. */
static void choose_round(struct measurement *m, struct spot_check_round *round) {
  const uint64_t number = measure_draw(m) % 8;
  if (round->stage == STAGE_LAST || !measure_on_cpu(m) || !tensors_have_pieces(m->c) || m->request->yardstick) return;
  if (round->stage == STAGE_EVIDENCE && number % 2 != 0 && spot_checks_wanted(m)) return;
  const bool single_calls = m->was_quiet && number == 7;
  round->quiet = !m->was_quiet || number < quiet_share(m);
  m->was_quiet = round->quiet;
  if (round->quiet || single_calls) return;
  round->from = m->c->known_seed;
  round->to = rng_key(m->request->seed, measure_draw(m)) | 1;
}

/* Begins a round. If it is too expensive to fill new inputs for each variant, they are filled here, once for all
 * variants of the round. */
int spot_check_round_begin(struct measurement *m, enum round_stage stage, struct spot_check_round *round,
                           struct err *err) {
  const int64_t start = clock_now_ns();
  *round = (struct spot_check_round){.stage = stage, .slot_share = slot_share(m, stage)};
  choose_round(m, round);
  const bool changes = !round->quiet && round->to == 0;
  if (changes && brings_news(m, stage)) round->news = rng_key(m->request->seed, measure_draw(m)) | 1;
  if (round->news == 0 || (tensors_have_inputs(m->c) && !budget_fills_are_dear(m))) return 0;
  const int rc = tensors_have_inputs(m->c) ? tensors_change(m->c, round->news, err) : bring_own(m, round, err);
  m->spot_checks_s += clock_seconds_since(start);
  return rc;
}

/* Chooses what the spot check's single call gets: new inputs several times, then old ones several times, because a
 * variant may begin to reuse results only after a while. On a GPU, the calls that every row needs come first: while
 * sampling they cost no additional slots. */
static enum audit_kind choose_kind(struct measurement *m, const struct spot_check_round *round, struct contestant *k) {
  if (round->quiet || round->to != 0) return AUDIT_POISONED;
  if (!tensors_have_inputs(m->c)) return measure_draw(m) % 2 != 0 ? AUDIT_POISONED : AUDIT_SEEN;
  const uint64_t number = measure_draw(m) % 8;
  const bool dear = budget_fills_are_dear(m), at_once = !measure_on_cpu(m);
  if (at_once && !dear && evidence_lacks(m, k, AUDIT_FRESH)) return AUDIT_FRESH;
  if (at_once && evidence_lacks(m, k, AUDIT_SEEN)) return AUDIT_SEEN;
  if (number < 3) return AUDIT_POISONED;
  if (dear) return AUDIT_SEEN;
  return k->call_kind = audit_next(&k->single, k->call_kind, number == 7);
}

/* Returns the seed of the inputs. A seed drawn at random makes inputs that no variant can have predicted. */
static uint64_t choose_seed(struct measurement *m, enum audit_kind kind) {
  return kind == AUDIT_FRESH ? rng_key(m->request->seed, measure_draw(m)) : m->c->known_seed;
}

static struct change choose_first(struct measurement *m, const struct spot_check_round *round,
                                  const struct spot_check *check) {
  struct change first = {.on = check->on, .poison = check->kind != AUDIT_SEEN, .fill = !budget_fills_are_dear(m)};
  first.seed = check->shared && round->news ? round->news : choose_seed(m, check->kind);
  return first;
}

/* Returns the change that is made before the slot's last sample. If it poisons outputs only, it does not rewrite the
 * inputs, so that it takes no time that a variant could notice. */
static struct change choose_last(struct measurement *m, const struct contestant *k, const struct spot_check *check) {
  struct change last = check->first;
  last.fill = last.fill && check->kind != AUDIT_POISONED && !tensors_keep_state(m->c);
  if (!check->shared && !contestant_is_derived(k)) last.seed = choose_seed(m, check->kind);
  return last;
}

/* Returns true if the slot begins with a single call. While sampling such a call costs next to nothing, because it
 * takes the place of a sample that would be dropped. If the variant must have seen the inputs before such a call, a
 * usual slot on these inputs comes first. */
static bool choose_on(struct measurement *m, const struct spot_check_round *round, const struct contestant *k,
                      enum audit_kind kind) {
  const bool timed = surprises_are_timed(m, k), seen = k->last_seed == m->c->seed;
  if (round->to != 0) return false;
  if (round->news != 0 || round->stage == STAGE_LAST) return true;
  if (round->stage == STAGE_EVIDENCE && (!timed || (!round->quiet && evidence_is_of_calls(m, k)))) return true;
  const bool ready = timed || seen || (kind == AUDIT_FRESH && !measure_on_cpu(m));
  if (round->stage == STAGE_SAMPLING && !ready) return false;
  const uint64_t number = measure_draw(m) % 8;
  /* in every second slot, so that a short case has such calls in several of its slots */
  if (!measure_on_cpu(m) && evidence_lacks(m, k, kind)) return number < 4;
  return number < (timed ? 1 : 5) && budget_allows_calls(m);
}

/* Returns true at random, but only so often that verification does not take more than its share of the time. */
static bool draws_verification(struct measurement *m) {
  const double since_s = clock_seconds_since(m->drawn_ns != 0 ? m->drawn_ns : m->sampling_ns);
  m->drawn_ns = clock_now_ns();
  return measure_draw_share(m) < budget_verifications(m, since_s);
}

/* Returns true if the slot's outputs are verified. The first rule that applies decides:
 * (1) Yes in the last round, and after a variant's first perturbation.
 * (2) No if all samples of the slot should run on new inputs, unless the variant lacks requested verifications: a
 *     verified slot must end on known inputs.
 * (3) While sampling: yes if the variant lacks requested verifications, otherwise chance decides.
 * (4) After sampling: in loud rounds and half of the other slots, within the budget; and after single calls on new
 *     inputs or poisoned outputs (evidence_is_to_verify()). */
static bool is_judged(struct measurement *m, const struct contestant *k, const struct spot_check *check) {
  const bool first = check->to != 0 && k->surprised.count[AUDIT_SEEN] == 0;
  if (first || check->stage == STAGE_LAST) return true;
  const bool all = k->slot_size == 1 || (mode_is_batched(m->request->mode) && sampling_needs_new(m, k));
  if (check->rotates && all && k->verified >= m->request->verifications) return false;
  if (check->stage == STAGE_SAMPLING) return k->verified < m->request->verifications || draws_verification(m);
  const bool allowed = (check->to != 0 || measure_draw(m) % 2 != 0) && budget_allows(m, 0);
  return allowed ||
         (check->on && check->kind != AUDIT_SEEN && (check->kind != AUDIT_POISONED || evidence_is_to_verify(m, k)));
}

/* Returns true if a slot leaves the result of many iterations in the inout tensors. */
static bool goes_far(const struct measurement *m) {
  return tensors_need_restore(m->c) && (tensors_keep_state(m->c) || mode_is_batched(m->request->mode));
}

/* Chooses which outputs of the slot are verified: those after the single call (judged_first), those after the slot's
 * last sample (judged), or both. The single call is considered only if it has new inputs. Then chance chooses one of
 * the two, and in the last round both are verified.
 *
 * With goes_far(), a verified slot always has its single call verified: the outputs at its end are not those of one
 * iteration, for which expected values exist. */
static void choose_verification(struct measurement *m, const struct contestant *k, struct spot_check *check) {
  const bool far = goes_far(m);
  check->judged = is_judged(m, k, check);
  check->judged_first = check->judged && check->on && (check->kind == AUDIT_FRESH || far);
  if (!check->judged_first || far || check->stage == STAGE_LAST) return;
  check->judged = measure_draw(m) % 2 != 0;
  check->judged_first = !check->judged;
}

/* Sets the perturbation of the slot: a change of pieces of the inputs between two calls. In the last round each slot
 * gets one where possible. If all variants share the inputs of that round, the slot starts on other inputs and the
 * perturbation changes them to the shared ones, for which `reference` was computed. */
static void choose_surprise(struct measurement *m, const struct spot_check_round *round, const struct contestant *k,
                            struct spot_check *check) {
  check->from = round->from;
  check->to = round->to;
  if (round->stage != STAGE_LAST || !surprises_are_timed(m, k)) return;
  const uint64_t other = rng_key(m->request->seed, measure_draw(m)) | 1;
  check->from = check->shared ? other : 0;
  check->to = check->shared ? check->first.seed : other;
}

struct spot_check spot_check_choose(struct measurement *m, const struct spot_check_round *round, struct contestant *k) {
  struct spot_check check = {.stage = round->stage, .to = round->to};
  check.kind = round->news != 0 ? AUDIT_FRESH : choose_kind(m, round, k);
  if (round->stage == STAGE_LAST && round->news == 0) check.kind = AUDIT_POISONED;
  check.shared = budget_fills_are_dear(m) || (round->news != 0 && budget_news_is_dear(m));
  m->c->other_poison = measure_draw(m) % 2 != 0;
  check.on = choose_on(m, round, k, check.kind);
  check.rotates = sampling_rotates(m, k, &check);
  choose_verification(m, k, &check);
  check.first = choose_first(m, round, &check);
  check.last = choose_last(m, k, &check);
  choose_surprise(m, round, k, &check);
  return check;
}

/* ---- The single call ---- */

int spot_check_new_state(struct measurement *m, struct err *err) {
  if (!tensors_keep_state(m->c)) return 0;
  m->unexpected = true;
  return tensors_fill(m->c, rng_key(m->request->seed, measure_draw(m)) | 1, err);
}

/* Prepares the variant again for other inputs if it derives something from them. Does nothing if calls continue from
 * each other's results: then the variant derives again at the start of each slot (begin_trajectory() in
 * measure/contestant.c). */
static int prepare_for(struct measurement *m, struct contestant *k, uint64_t seed, struct err *err) {
  if (!contestant_is_derived(k) || tensors_keep_state(m->c) || k->prepared_seed == seed) return 0;
  if (m->c->seed != seed && tensors_change(m->c, seed, err) != 0) return -1;
  return call_sync(m->c, err) != 0 ? -1 : verify_prepare_again(m, k, err);
}

/* Runs the variant on its present inputs before the single call, unless its last call was on these. So a call of kind
 * AUDIT_SEEN repeats earlier work. host/docs/reuse-test.md says when calls on new inputs skip this. */
static int run_on_present(struct measurement *m, struct contestant *k, const struct spot_check *check,
                          struct err *err) {
  enum { CALLS_MOST = 12, WARM = 2 };
  double ns[CALLS_MOST];
  const double fit = see_s * 1e9 / fmax(k->cost_ns, 1);
  const double most = check->kind == AUDIT_FRESH && !measure_on_cpu(m) ? WARM : CALLS_MOST;
  struct slot_task task = measure_slot_task(m, (uint32_t)fmax(1, fmin(most, fit)), ns);
  task.single = true;
  const bool behind_others = check->stage != STAGE_EVIDENCE && !measure_on_cpu(m);
  /* if first.fill is false, the new inputs are there already */
  if (check->kind == AUDIT_FRESH && (behind_others || !check->first.fill)) return 0;
  if (!check->first.fill && tensors_mend(m->c, err) != 0) return -1;
  return k->last_seed == m->c->seed || device_is(m->c->device, DEVICE_SCRIPTED) ? 0 : measure_take(m, k, &task, err);
}

/* Returns true if the reference is computed for the inputs after a perturbation has changed them: always in the last
 * round and after the variant's first perturbation, otherwise if the budget allows it. */
static bool reference_wanted(const struct measurement *m, const struct contestant *k, const struct spot_check *check) {
  const bool first = check->to != 0 && k->surprised.count[AUDIT_SEEN] <= 1;
  return check->stage == STAGE_LAST || first || budget_allows(m, m->reference_s);
}

/* Prepares the verification of outputs if a perturbation has changed the inputs during the slot and reference_wanted():
 * makes the changed inputs the known ones, so that the reference is computed for them. */
static int adopt_inputs(struct measurement *m, struct contestant *k, const struct spot_check *check, struct err *err) {
  const char *changed = NULL;
  if (case_is_known(m->c) || !reference_wanted(m, k, check)) return 0;
  m->unexpected = true;
  if (tensors_adopt(m->c, &changed, err) != 0) return -1;
  if (changed != NULL) contestant_drop(k, ROW_WRONG, "%schanged its input '%s'", in_slot, changed);
  return 0;
}

/* Returns the share of the values that a verification compares. While sampling it is all of them, because the number of
 * verifications is limited instead; afterwards as many as time allows. */
static double verified_share(const struct measurement *m, const struct spot_check *check) {
  return check->stage == STAGE_SAMPLING ? 1 : budget_verification_share(m);
}

/* Verifies the present contents of the outputs. */
static int verify_contents(struct measurement *m, struct contestant *k, const struct spot_check *check,
                           struct err *err) {
  m->running = k;
  if (call_sync(m->c, err) != 0) return -1;
  m->running = NULL;
  if (contestant_alive(k) && overruns_look(m, k, GUARDS_ALL, err) != 0) return -1;
  const int64_t start = clock_now_ns();
  if (contestant_alive(k) && adopt_inputs(m, k, check, err) != 0) return -1;
  const struct verify_options options = {in_slot, verified_share(m, check), true};
  if (contestant_alive(k) && verify_present_outputs(m, k, &options, err) != 0) return -1;
  m->verifications_s += clock_seconds_since(start);
  return 0;
}

/* Changes the tensors as before a single call, but makes no call. Used on scripted devices, where times come from a
 * script. */
static int change_only(struct measurement *m, const struct spot_check *check, struct err *err) {
  struct gb_case *c = m->c;
  if (tensors_guard(c, err) != 0 || (check->first.poison ? tensors_poison(c, err) : tensors_rewrite(c, err)) != 0)
    return -1;
  return check->first.fill ? tensors_change(c, check->first.seed, err) : 0;
}

/* Replaces the inputs if they already hold the values that should be new to the variant in its single call. Otherwise
 * the variant's callback `before`, which runs before that call, could read them. */
static int take_away(struct measurement *m, const struct spot_check *check, struct err *err) {
  const struct change *first = &check->first;
  if (check->kind != AUDIT_FRESH || !first->fill || m->c->seed != first->seed) return 0;
  return tensors_change(m->c, first->seed + 1, err);
}

/* Begins a slot without a single call. In a loud round the inputs first get the values with which every variant begins.
 * Before a slot that is verified, the guards (known bytes around each allocation) are checked. */
static int begin_without(struct measurement *m, struct contestant *k, const struct spot_check *check, struct err *err) {
  const bool loud = check->to != 0 && surprises_are_timed(m, k);
  if (loud && m->c->seed != check->from && tensors_change_piece(m->c, check->from, err) != 0) return -1;
  if (prepare_for(m, k, m->c->seed, err) != 0) return -1;
  if (!check->judged || !contestant_alive(k)) return 0;
  if (tensors_guard(m->c, err) != 0 || overruns_look(m, NULL, GUARDS_ALL, err) != 0) return -1;
  if (!contestant_alive(k) || !case_is_known(m->c)) return 0;
  const int64_t start = clock_now_ns();
  const int rc = tensors_mend(m->c, err);
  m->mend_s = clock_seconds_since(start);
  return rc;
}

/* Begins a slot. If it has a single call: lets the variant see the present inputs, makes the changes right before the
 * call, notes its time, and verifies its outputs. */
static int begin_spot_check(struct measurement *m, struct contestant *k, const struct spot_check *check,
                            struct err *err) {
  const bool counts = check->kind != AUDIT_FRESH || k->last_seed != check->first.seed;
  double ns = NAN;
  if (!check->on) return begin_without(m, k, check, err);
  if (take_away(m, check, err) != 0 || prepare_for(m, k, check->first.seed, err) != 0) return -1;
  if (contestant_alive(k) && run_on_present(m, k, check, err) != 0) return -1;
  if (!contestant_alive(k)) return 0;
  if (device_is(m->c->device, DEVICE_SCRIPTED)) return change_only(m, check, err);
  struct slot_task task = measure_slot_task(m, 1, &ns);
  task.single = true;
  task.first = check->first;
  task.check_held = check->kind == AUDIT_POISONED;
  task.check_done = true;
  task.poisoned = check->first.poison;
  if (overhead_after_pause(m, err) != 0) return -1;
  if (task.check_held && tensors_poison(m->c, err) != 0) return -1;
  if (measure_take(m, k, &task, err) != 0) return -1;
  if (contestant_alive(k) && counts) audit_note(&k->single, check->kind, ns);
  if (check->judged_first && contestant_alive(k) && verify_contents(m, k, check, err) != 0) return -1;
  /* if true, verifying the single call's outputs replaces verifying what the slot leaves */
  const bool instead = check->judged_first && goes_far(m) && !tensors_keep_state(m->c);
  k->verified += instead && contestant_alive(k) && contestant_is_checked(k);
  const bool late = task.late.output != NULL && contestant_alive(k);
  if (late && verify_present_outputs(m, k, &(struct verify_options){in_slot, 1, true}, err) != 0) return -1;
  if (contestant_check_done(k, &task, err) != 0) return -1;
  return check->from != 0 && contestant_alive(k) ? tensors_change_piece(m->c, check->from, err) : 0;
}

bool spot_check_stands_in(const struct measurement *m, const struct contestant *k, const struct spot_check *check) {
  const bool alike =
      !device_is(m->c->device, DEVICE_SCRIPTED) && !mode_is_batched(m->request->mode) && !tensors_keep_state(m->c);
  return check->on && alike && sampling_drops_first(m, k);
}

int spot_check_begin(struct measurement *m, struct contestant *k, const struct spot_check *check, struct err *err) {
  const int64_t start = clock_now_ns();
  const int rc = begin_spot_check(m, k, check, err);
  m->spot_checks_s += fmax(0, clock_seconds_since(start) - (spot_check_stands_in(m, k, check) ? k->cost_ns * 1e-9 : 0));
  return rc;
}

/* ---- After the slot ---- */

static int judge_spot_check(struct measurement *m, struct contestant *k, const struct spot_check *check,
                            struct err *err) {
  if (verify_contents(m, k, check, err) != 0) return -1;
  k->verified += contestant_alive(k) && contestant_is_checked(k);
  measure_tell(m, k);
  return 0;
}

/* Returns to the inputs with known expected outputs, and repairs what a variant may have changed in them. */
static int go_back(struct measurement *m, struct err *err) {
  if (case_is_known(m->c)) return 0;
  return (tensors_have_other_piece(m->c) ? tensors_change_piece : tensors_change)(m->c, m->c->known_seed, err);
}

int spot_check_round_end(struct measurement *m, struct err *err) {
  const int64_t start = clock_now_ns();
  const int rc = go_back(m, err);
  m->spot_checks_s += clock_seconds_since(start);
  return rc;
}

/* Ends a slot: verifies the outputs, drops the variant if an output was late, and returns to known inputs. */
static int end_spot_check(struct measurement *m, struct contestant *k, const struct spot_check *check,
                          struct slot_task *task, struct err *err) {
  /* a late output is verified even if the slot is not to be: this tells whether it was written after the clock stopped
   * or never */
  const bool wanted = check->judged || task->late.output != NULL;
  if (wanted && judge_spot_check(m, k, check, err) != 0) return -1;
  if (contestant_check_done(k, task, err) != 0) return -1;
  /* repairs what the variant may have damaged, so that the next variant is not blamed */
  if (!contestant_alive(k)) return tensors_repair(m->c, err);
  if ((check->first.fill || tensors_have_other_piece(m->c)) && go_back(m, err) != 0) return -1;
  return prepare_for(m, k, m->c->seed, err);
}

int spot_check_end(struct measurement *m, struct contestant *k, const struct spot_check *check, struct slot_task *task,
                   struct err *err) {
  const int64_t start = clock_now_ns();
  const int rc = end_spot_check(m, k, check, task, err);
  m->spot_checks += check->on || check->to != 0;
  m->spot_checks_s += clock_seconds_since(start);
  return rc;
}

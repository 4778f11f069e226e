/* Trials. */
#include "measure/audit/trial.h"

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
#include "measure/verify.h"

static const double see_s = 0.02;
static const char in_slot[] = "in a timed slot: ";

/* ---- Choosing ---- */

/* Are new inputs what is missing of somebody? */
static bool news_wanted(const struct measurement *m) {
  for (const struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1))
    if (evidence_wanted(m, k) && k->first.count[AUDIT_FRESH] < k->first.count[AUDIT_SEEN]) return true;
  return false;
}

static bool brings_news(struct measurement *m, enum trial_stage stage) {
  if (stage == TRIAL_LAST) return true;
  if (!budget_fills_are_dear(m) || !tensors_have_inputs(m->c)) return false;
  return stage == TRIAL_EVIDENCE ? news_wanted(m) : measure_draw(m) % 4 == 0 && budget_allows(m, 2 * m->fill_s);
}

/* Is anybody waiting for trials? */
static bool trials_wanted(const struct measurement *m) {
  for (const struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1))
    if (evidence_is_of_calls(m, k)) return true;
  return false;
}

/* Every second round is a whole one. The others are of any length, and rather long than short; but those that are not
 * kept, unless times with surprises are compared with those of slots that are. */
static double slot_share(struct measurement *m, enum trial_stage stage) {
  const bool alike = measure_on_cpu(m) && tensors_have_pieces(m->c);
  const bool whole = measure_draw(m) % 2 == 0 || m->report->rounds == 0 || m->request->trajectory > 0;
  const double share = measure_draw_share(m);
  return stage == TRIAL_EVIDENCE && !alike ? pow(share, 6) : whole ? 1 : sqrt(share);
}

/* What a bench without inputs works on is its own: `reference` brings it, before anybody runs. */
static int bring_own(struct measurement *m, struct trial_round *round, struct err *err) {
  const uint64_t seed = round->news;
  round->news = 0;
  return tensors_fill(m->c, seed, err) != 0 ? -1 : verify_reference(m, err);
}

/* Of eight rounds behind a quiet one so many are quiet, too: more where slots of a sample each have to bring new
 * inputs. */
static uint32_t quiet_share(const struct measurement *m) {
  enum { QUIET = 3, QUIET_TO_ROTATE = 4, QUIET_IN_NEED = 6 };
  for (const struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1))
    if ((k->slot_size == 1 || mode_is_batched(m->request->mode)) && sampling_needs_new(m, k)) return QUIET_IN_NEED;
  return m->rotates ? QUIET_TO_ROTATE : QUIET;
}

static void choose_round(struct measurement *m, struct trial_round *round) {
  const uint64_t number = measure_draw(m) % 8;
  if (round->stage == TRIAL_LAST || !measure_on_cpu(m) || !tensors_have_pieces(m->c) || m->request->yardstick) return;
  if (round->stage == TRIAL_EVIDENCE && number % 2 != 0 && trials_wanted(m)) return;
  const bool trials = m->was_quiet && number == 7;
  round->quiet = !m->was_quiet || number < quiet_share(m);
  m->was_quiet = round->quiet;
  if (round->quiet || trials) return;
  round->from = m->c->known_seed;
  round->to = rng_key(m->request->seed, measure_draw(m)) | 1;
}

int trial_round_begin(struct measurement *m, enum trial_stage stage, struct trial_round *round, struct err *err) {
  const int64_t start = clock_now_ns();
  *round = (struct trial_round){.stage = stage, .share = slot_share(m, stage)};
  choose_round(m, round);
  const bool changes = !round->quiet && round->to == 0;
  if (changes && brings_news(m, stage)) round->news = rng_key(m->request->seed, measure_draw(m)) | 1;
  if (round->news == 0 || (tensors_have_inputs(m->c) && !budget_fills_are_dear(m))) return 0;
  const int rc = tensors_have_inputs(m->c) ? tensors_change(m->c, round->news, err) : bring_own(m, round, err);
  m->trial_s += clock_seconds_since(start);
  return rc;
}

/* New inputs several times, and then none several times: only who is left alone for a while begins to remember. On a
 * GPU first what a row cannot do without: behind the samples it costs more. */
static enum audit_kind choose_kind(struct measurement *m, const struct trial_round *round, struct contestant *k) {
  enum { IN_A_ROW = 5 };
  if (round->quiet || round->to != 0) return AUDIT_POISONED;
  if (!tensors_have_inputs(m->c)) return measure_draw(m) % 2 != 0 ? AUDIT_POISONED : AUDIT_SEEN;
  const uint32_t fresh = k->first.count[AUDIT_FRESH], seen = k->first.count[AUDIT_SEEN];
  const uint64_t number = measure_draw(m) % 8;
  const bool dear = budget_fills_are_dear(m), at_once = !measure_on_cpu(m);
  if (at_once && !dear && evidence_lacks(m, k, AUDIT_FRESH)) return AUDIT_FRESH;
  if (at_once && evidence_lacks(m, k, AUDIT_SEEN)) return AUDIT_SEEN;
  if (number < 3) return AUDIT_POISONED;
  if (dear) return AUDIT_SEEN;
  if (fresh >= seen + IN_A_ROW || (number == 7 && fresh > seen)) k->turn = AUDIT_SEEN;
  if (seen >= fresh + IN_A_ROW || (number == 7 && seen > fresh)) k->turn = AUDIT_FRESH;
  return k->turn;
}

/* Inputs of an unknown seed are new to everybody, also to whoever has foreseen the next one. */
static uint64_t choose_seed(struct measurement *m, enum audit_kind kind) {
  return kind == AUDIT_FRESH ? rng_key(m->request->seed, measure_draw(m)) : m->c->known_seed;
}

static struct change choose_first(struct measurement *m, const struct trial_round *round, const struct trial *trial) {
  struct change first = {.on = trial->on, .poison = trial->kind != AUDIT_SEEN, .fill = !budget_fills_are_dear(m)};
  first.seed = trial->shared && round->news ? round->news : choose_seed(m, trial->kind);
  return first;
}

/* What takes no time cannot be noticed. */
static struct change choose_last(struct measurement *m, const struct contestant *k, const struct trial *trial) {
  struct change last = trial->first;
  last.fill = last.fill && trial->kind != AUDIT_POISONED && !tensors_keep_state(m->c);
  if (!trial->shared && !contestant_is_derived(k)) last.seed = choose_seed(m, trial->kind);
  return last;
}

/* Is its own call wanted? While samples are taken it costs next to nothing: it stands for a sample that would be
 * dropped, and whoever has not seen the inputs, and is to have, sees them in a usual slot first. */
static bool choose_on(struct measurement *m, const struct trial_round *round, const struct contestant *k,
                      enum audit_kind kind) {
  const bool timed = surprises_are_timed(m, k), seen = k->last_seed == m->c->seed;
  if (round->to != 0) return false;
  if (round->news != 0 || round->stage == TRIAL_LAST) return true;
  if (round->stage == TRIAL_EVIDENCE && (!timed || (!round->quiet && evidence_is_of_calls(m, k)))) return true;
  const bool ready = timed || seen || (kind == AUDIT_FRESH && !measure_on_cpu(m));
  if (round->stage == TRIAL_SAMPLING && !ready) return false;
  const uint64_t number = measure_draw(m) % 8;
  if (!measure_on_cpu(m) && evidence_lacks(m, k, kind)) return number < 4; /* all along a short case */
  return number < (timed ? 1 : 5) && budget_allows_calls(m);
}

/* By chance, and so often that it takes its share of the time. */
static bool draws_a_look(struct measurement *m) {
  const double since_s = clock_seconds_since(m->drawn_ns != 0 ? m->drawn_ns : m->sampling_ns);
  m->drawn_ns = clock_now_ns();
  return measure_draw_share(m) < budget_looks(m, since_s);
}

/* Are its outputs looked at? To compare many takes many times as long as such a call does: where sampling is over, and
 * evidence has had its share of the time, calls of who is suspected are for their times. Of unknown inputs there is
 * nothing to compare, until a reference of them is made: for the first surprise, and while there is time for it. A slot
 * of one sample is either rotated or judged. */
static bool is_judged(struct measurement *m, const struct contestant *k, const struct trial *trial) {
  const bool first = trial->to != 0 && k->surprised.count[AUDIT_SEEN] == 0;
  if (first || trial->stage == TRIAL_LAST) return true;
  const bool all = k->slot_size == 1 || (mode_is_batched(m->request->mode) && sampling_needs_new(m, k));
  if (trial->rotates && all && k->verified >= m->request->looks) return false;
  if (trial->stage == TRIAL_SAMPLING) return k->verified < m->request->looks || draws_a_look(m);
  const bool allowed = (trial->to != 0 || measure_draw(m) % 2 != 0) && budget_allows(m, 0);
  return allowed ||
         (trial->on && trial->kind != AUDIT_SEEN && (trial->kind != AUDIT_POISONED || evidence_is_to_verify(m, k)));
}

/* Does a slot leave what many iterations have made of the inout tensors? */
static bool goes_far(const struct measurement *m) {
  return tensors_need_restore(m->c) && (tensors_keep_state(m->c) || mode_is_batched(m->request->mode));
}

/* A result of former inputs may be right for all later calls, and one that is right at first need not be later: while
 * samples are taken it is at either, in the last round at both. But expectations are of one iteration: its own call's.
 */
static void choose_looks(struct measurement *m, const struct contestant *k, struct trial *trial) {
  const bool far = goes_far(m);
  trial->judged = is_judged(m, k, trial);
  trial->judged_first = trial->judged && trial->on && (trial->kind == AUDIT_FRESH || far);
  if (!trial->judged_first || far || trial->stage == TRIAL_LAST) return;
  trial->judged = measure_draw(m) % 2 != 0;
  trial->judged_first = !trial->judged;
}

/* The last round ends with a surprise, where there are any: how many of those before it were looked at is a matter of
 * the time that there was. Contents that others share are the ones that it leads back to, of which no other reference
 * is to be made. */
static void choose_surprise(struct measurement *m, const struct trial_round *round, const struct contestant *k,
                            struct trial *trial) {
  trial->from = round->from;
  trial->to = round->to;
  if (round->stage != TRIAL_LAST || !surprises_are_timed(m, k)) return;
  const uint64_t other = rng_key(m->request->seed, measure_draw(m)) | 1;
  trial->from = trial->shared ? other : 0;
  trial->to = trial->shared ? trial->first.seed : other;
}

struct trial trial_choose(struct measurement *m, const struct trial_round *round, struct contestant *k) {
  struct trial trial = {.stage = round->stage, .to = round->to};
  trial.kind = round->news != 0 ? AUDIT_FRESH : choose_kind(m, round, k);
  if (round->stage == TRIAL_LAST && round->news == 0) trial.kind = AUDIT_POISONED;
  trial.shared = budget_fills_are_dear(m) || (round->news != 0 && budget_news_is_dear(m));
  m->c->other_poison = measure_draw(m) % 2 != 0;
  trial.on = choose_on(m, round, k, trial.kind);
  trial.rotates = sampling_rotates(m, k, &trial);
  choose_looks(m, k, &trial);
  trial.first = choose_first(m, round, &trial);
  trial.last = choose_last(m, k, &trial);
  choose_surprise(m, round, k, &trial);
  return trial;
}

/* ---- The call that is timed ---- */

int trial_new_state(struct measurement *m, struct err *err) {
  if (!tensors_keep_state(m->c)) return 0;
  m->unexpected = true;
  return tensors_fill(m->c, rng_key(m->request->seed, measure_draw(m)) | 1, err);
}

/* What a variant computed from former inputs goes with them; of a state, whenever a trajectory begins. */
static int prepare_for(struct measurement *m, struct contestant *k, uint64_t seed, struct err *err) {
  if (!contestant_is_derived(k) || tensors_keep_state(m->c) || k->prepared_seed == seed) return 0;
  if (m->c->seed != seed && tensors_change(m->c, seed, err) != 0) return -1;
  return call_sync(m->c, err) != 0 ? -1 : verify_prepare_again(m, k, err);
}

/* What is called seen has been computed with before, and more than once; and what is called new comes behind it too.
 * On a GPU either comes behind somebody else's slot while samples are taken, as what is new does in the last round;
 * caches and threads of a processor would know the difference. */
static int see(struct measurement *m, struct contestant *k, const struct trial *trial, struct err *err) {
  enum { CALLS_MOST = 12, WARM = 2 };
  double ns[CALLS_MOST];
  const double fit = see_s * 1e9 / fmax(k->cost_ns, 1);
  const double most = trial->kind == AUDIT_FRESH && !measure_on_cpu(m) ? WARM : CALLS_MOST;
  struct turn turn = measure_turn(m, (uint32_t)fmax(1, fmin(most, fit)), ns);
  turn.single = true;
  const bool behind_others = trial->stage != TRIAL_EVIDENCE && !measure_on_cpu(m);
  if (trial->kind == AUDIT_FRESH && (behind_others || !trial->first.fill)) return 0; /* or they are there already */
  if (!trial->first.fill && tensors_mend(m->c, err) != 0) return -1;
  return k->last_seed == m->c->seed || device_is(m->c->device, DEVICE_SCRIPTED) ? 0 : measure_take(m, k, &turn, err);
}

/* Each is held against a reference of new inputs at least when the samples are enough, and after a first surprise. */
static bool reference_wanted(const struct measurement *m, const struct contestant *k, const struct trial *trial) {
  const bool first = trial->to != 0 && k->surprised.count[AUDIT_SEEN] <= 1;
  return trial->stage == TRIAL_LAST || first || budget_allows(m, m->reference_s);
}

/* The contents that the trial brought stay, where expectations for them are wanted or cost little. */
static int adopt(struct measurement *m, struct contestant *k, const struct trial *trial, struct err *err) {
  const char *changed = NULL;
  if (case_is_known(m->c) || !reference_wanted(m, k, trial)) return 0;
  m->unexpected = true;
  if (tensors_adopt(m->c, &changed, err) != 0) return -1;
  if (changed != NULL) contestant_drop(k, ROW_WRONG, "%schanged its input '%s'", in_slot, changed);
  return 0;
}

/* While samples are taken looks are drawn by what they cost; afterwards they are as large as there is time for. */
static double share_of(const struct measurement *m, const struct trial *trial) {
  return trial->stage == TRIAL_SAMPLING ? 1 : budget_look_share(m);
}

/* At what is in the outputs now. */
static int look(struct measurement *m, struct contestant *k, const struct trial *trial, struct err *err) {
  m->running = k;
  if (call_sync(m->c, err) != 0) return -1;
  m->running = NULL;
  if (contestant_alive(k) && overruns_look(m, k, GUARDS_ALL, err) != 0) return -1;
  const int64_t start = clock_now_ns();
  if (contestant_alive(k) && adopt(m, k, trial, err) != 0) return -1;
  const struct look look = {in_slot, share_of(m, trial), true};
  if (contestant_alive(k) && verify_look(m, k, &look, err) != 0) return -1;
  m->looked_s += clock_seconds_since(start);
  return 0;
}

/* Where time is scripted there is nothing to learn from a call by itself. */
static int change_only(struct measurement *m, const struct trial *trial, struct err *err) {
  struct gb_case *c = m->c;
  if (tensors_guard(c, err) != 0 || (trial->first.poison ? tensors_poison(c, err) : tensors_rewrite(c, err)) != 0)
    return -1;
  return trial->first.fill ? tensors_change(c, trial->first.seed, err) : 0;
}

/* What is new to the call is not to be there when its `before` runs. */
static int take_away(struct measurement *m, const struct trial *trial, struct err *err) {
  const struct change *first = &trial->first;
  if (trial->kind != AUDIT_FRESH || !first->fill || m->c->seed != first->seed) return 0;
  return tensors_change(m->c, first->seed + 1, err);
}

/* In a loud round the inputs are again those that everybody begins with. And whoever had the slot before may have left
 * damage that nobody has looked for. */
static int begin_without(struct measurement *m, struct contestant *k, const struct trial *trial, struct err *err) {
  const bool loud = trial->to != 0 && surprises_are_timed(m, k);
  if (loud && m->c->seed != trial->from && tensors_change_piece(m->c, trial->from, err) != 0) return -1;
  if (prepare_for(m, k, m->c->seed, err) != 0) return -1;
  if (!trial->judged || !contestant_alive(k)) return 0;
  if (tensors_guard(m->c, err) != 0 || overruns_look(m, NULL, GUARDS_ALL, err) != 0) return -1;
  if (!contestant_alive(k) || !case_is_known(m->c)) return 0;
  const int64_t start = clock_now_ns();
  const int rc = tensors_mend(m->c, err);
  m->mend_s = clock_seconds_since(start);
  return rc;
}

static int begin(struct measurement *m, struct contestant *k, const struct trial *trial, struct err *err) {
  const bool counts = trial->kind != AUDIT_FRESH || k->last_seed != trial->first.seed;
  double ns = NAN;
  if (!trial->on) return begin_without(m, k, trial, err);
  if (take_away(m, trial, err) != 0 || prepare_for(m, k, trial->first.seed, err) != 0) return -1;
  if (contestant_alive(k) && see(m, k, trial, err) != 0) return -1;
  if (!contestant_alive(k)) return 0;
  if (device_is(m->c->device, DEVICE_SCRIPTED)) return change_only(m, trial, err);
  struct turn turn = measure_turn(m, 1, &ns);
  turn.single = true;
  turn.first = trial->first;
  turn.check_held = trial->kind == AUDIT_POISONED;
  turn.check_done = true;
  turn.poisoned = trial->first.poison;
  if (turn.check_held && tensors_poison(m->c, err) != 0) return -1;
  if (measure_take(m, k, &turn, err) != 0) return -1;
  if (contestant_alive(k) && counts) audit_note(&k->first, trial->kind, ns);
  if (trial->judged_first && contestant_alive(k) && look(m, k, trial, err) != 0) return -1;
  const bool instead = trial->judged_first && goes_far(m) && !tensors_keep_state(m->c); /* of what the slot leaves */
  k->verified += instead && contestant_alive(k) && contestant_is_checked(k);
  const bool late = turn.late.output != NULL && contestant_alive(k);
  if (late && verify_look(m, k, &(struct look){in_slot, 1, true}, err) != 0) return -1;
  if (contestant_check_done(k, &turn, err) != 0) return -1;
  return trial->from != 0 && contestant_alive(k) ? tensors_change_piece(m->c, trial->from, err) : 0;
}

bool trial_stands_in(const struct measurement *m, const struct contestant *k, const struct trial *trial) {
  const bool alike =
      !device_is(m->c->device, DEVICE_SCRIPTED) && !mode_is_batched(m->request->mode) && !tensors_keep_state(m->c);
  return trial->on && alike && sampling_drops_first(m, k);
}

int trial_begin(struct measurement *m, struct contestant *k, const struct trial *trial, struct err *err) {
  const int64_t start = clock_now_ns();
  const int rc = begin(m, k, trial, err);
  m->trial_s += fmax(0, clock_seconds_since(start) - (trial_stands_in(m, k, trial) ? k->cost_ns * 1e-9 : 0));
  return rc;
}

/* ---- What the slot has left ---- */

static int judge(struct measurement *m, struct contestant *k, const struct trial *trial, struct err *err) {
  if (look(m, k, trial, err) != 0) return -1;
  k->verified += contestant_alive(k) && contestant_is_checked(k);
  measure_tell(m, k);
  return 0;
}

/* Back to the inputs for which everything is known. What a variant may have done to the rest of them is mended before
 * anybody is judged by them. */
static int go_back(struct measurement *m, struct err *err) {
  if (case_is_known(m->c)) return 0;
  return (tensors_have_other_piece(m->c) ? tensors_change_piece : tensors_change)(m->c, m->c->known_seed, err);
}

int trial_round_end(struct measurement *m, struct err *err) {
  const int64_t start = clock_now_ns();
  const int rc = go_back(m, err);
  m->trial_s += clock_seconds_since(start);
  return rc;
}

static int end(struct measurement *m, struct contestant *k, const struct trial *trial, struct turn *turn,
               struct err *err) {
  const bool wanted = trial->judged || turn->late.output != NULL; /* was it written afterwards, or not at all? */
  if (wanted && judge(m, k, trial, err) != 0) return -1;
  if (contestant_check_done(k, turn, err) != 0) return -1;
  if (!contestant_alive(k)) return tensors_repair(m->c, err); /* what it damaged is not laid at the next one's door */
  if ((trial->first.fill || tensors_have_other_piece(m->c)) && go_back(m, err) != 0) return -1;
  return prepare_for(m, k, m->c->seed, err);
}

int trial_end(struct measurement *m, struct contestant *k, const struct trial *trial, struct turn *turn,
              struct err *err) {
  const int64_t start = clock_now_ns();
  const int rc = end(m, k, trial, turn, err);
  m->trials += trial->on || trial->to != 0;
  m->trial_s += clock_seconds_since(start);
  return rc;
}

/* Trials. */
#include "measure/trial.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "case/calls.h"
#include "case/tensors.h"
#include "case/verify.h"
#include "measure/verify.h"

static const double time_share = 0.1, dear_share = 0.25, limit_wanted = 0.05, see_s = 0.02;
static const char in_slot[] = "in a timed slot: ";

/* ---- Choosing ---- */

static uint64_t draw(struct measurement *m) {
  return rng_bits(m->secret, m->drawn++);
}

static double draw_share(struct measurement *m) {
  return (double)(draw(m) >> 11) * 0x1p-53;
}

/* On a scripted device the same happens each time, however long it takes. */
static bool affordable(const struct measurement *m, double seconds) {
  return m->c->device->scripted || m->trial_s + seconds <= time_share * measure_seconds_since(m->started_ns);
}

/* Does filling the inputs for each of them take too long? */
static bool fills_are_dear(const struct measurement *m) {
  double slot_ns = 0;
  for (const struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1))
    slot_ns = fmax(slot_ns, k->slot_wall_ns);
  return !m->c->device->scripted && m->fill_s > dear_share * slot_ns * 1e-9;
}

/* Are new inputs what is missing of somebody? */
static bool news_wanted(const struct measurement *m) {
  for (const struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1))
    if (trial_wanted(m, k) && k->first.count[AUDIT_FRESH] < k->first.count[AUDIT_SEEN]) return true;
  return false;
}

static bool brings_news(struct measurement *m, enum trial_stage stage) {
  if (stage == TRIAL_LAST) return true;
  if (!fills_are_dear(m) || !tensors_have_inputs(m->c)) return false;
  return stage == TRIAL_EVIDENCE ? news_wanted(m) : draw(m) % 4 == 0 && affordable(m, 2 * m->fill_s);
}

/* Every second round is a whole one. The others are of any length, and rather long than short; but those that are not
 * kept. */
static double slot_share(struct measurement *m, enum trial_stage stage) {
  const bool whole = draw(m) % 2 == 0 || m->report->rounds == 0 || m->request->trajectory > 0;
  const double share = draw_share(m);
  return stage == TRIAL_EVIDENCE ? share * share * share : whole ? 1 : sqrt(share);
}

/* Without their heat calls are of another speed. */
void trial_begin_evidence(struct measurement *m) {
  for (struct contestant *k = measure_next(m, 0); k != NULL && m->long_slots; k = measure_next(m, k->index + 1))
    k->first = k->late = (struct audits){0};
}

/* What a bench without inputs works on is its own: `reference` brings it, before anybody runs. */
static int bring_own(struct measurement *m, struct trial_round *round, struct err *err) {
  const uint64_t seed = round->news;
  round->news = 0;
  return tensors_fill(m->c, seed, err) != 0 ? -1 : verify_reference(m, err);
}

int trial_round_begin(struct measurement *m, enum trial_stage stage, struct trial_round *round, struct err *err) {
  const int64_t start = clock_now_ns();
  *round = (struct trial_round){.stage = stage, .share = slot_share(m, stage)};
  if (brings_news(m, stage)) round->news = rng_key(m->request->seed, draw(m)) | 1;
  if (round->news == 0 || (tensors_have_inputs(m->c) && !fills_are_dear(m))) return 0;
  const int rc = tensors_have_inputs(m->c) ? tensors_change(m->c, round->news, err) : bring_own(m, round, err);
  m->trial_s += measure_seconds_since(start);
  return rc;
}

/* New inputs several times, and then none several times: only who is left alone for a while begins to remember. */
static enum audit_kind choose_kind(struct measurement *m, struct contestant *k) {
  enum { IN_A_ROW = 5 };
  if (!tensors_have_inputs(m->c)) return draw(m) % 2 != 0 ? AUDIT_POISONED : AUDIT_SEEN;
  const uint32_t fresh = k->first.count[AUDIT_FRESH], seen = k->first.count[AUDIT_SEEN];
  const uint64_t number = draw(m) % 8;
  if (number < 2) return AUDIT_POISONED;
  if (fills_are_dear(m)) return AUDIT_SEEN;
  if (fresh >= seen + IN_A_ROW || (number == 7 && fresh > seen)) k->turn = AUDIT_SEEN;
  if (seen >= fresh + IN_A_ROW || (number == 7 && seen > fresh)) k->turn = AUDIT_FRESH;
  return k->turn;
}

static bool references_are_dear(const struct measurement *m) {
  return !m->c->device->scripted && m->reference_s * m->count > time_share * measure_seconds_since(m->started_ns);
}

/* Inputs of an unknown seed are new to everybody, also to whoever has foreseen the next one. */
static uint64_t choose_seed(struct measurement *m, enum audit_kind kind) {
  return kind == AUDIT_FRESH ? rng_key(m->request->seed, draw(m)) : m->c->known_seed;
}

struct trial trial_choose(struct measurement *m, const struct trial_round *round, struct contestant *k) {
  struct trial trial = {.kind = round->news != 0 ? AUDIT_FRESH : choose_kind(m, k)};
  if (round->stage == TRIAL_LAST && round->news == 0) trial.kind = AUDIT_POISONED;
  const bool shared = fills_are_dear(m) || (round->news != 0 && references_are_dear(m));
  const bool derived = (k->variant->desc.flags & GB_VARIANT_DERIVED) != 0;
  const bool poison = trial.kind != AUDIT_SEEN, fill = !fills_are_dear(m);
  m->c->other_poison = draw(m) % 2 != 0;
  trial.on = round->news != 0 || round->stage != TRIAL_SAMPLING || (draw(m) % 8 < 5 && affordable(m, 0));
  trial.judged = poison;
  trial.reference = round->stage == TRIAL_LAST;
  trial.first =
      (struct change){trial.on, poison, fill, shared && round->news ? round->news : choose_seed(m, trial.kind)};
  trial.last = trial.first;
  trial.last.fill = fill && trial.kind != AUDIT_POISONED; /* what takes no time cannot be noticed */
  if (!shared && !derived) trial.last.seed = choose_seed(m, trial.kind);
  return trial;
}

/* ---- The call that is timed ---- */

/* What a variant computed from former inputs goes with them. */
static int prepare_for(struct measurement *m, struct contestant *k, uint64_t seed, struct err *err) {
  if ((k->variant->desc.flags & GB_VARIANT_DERIVED) == 0 || k->prepared_seed == seed) return 0;
  if (m->c->seed != seed && tensors_change(m->c, seed, err) != 0) return -1;
  return m->c->device->ops->sync(m->c->device, err) != 0 ? -1 : verify_prepare_again(m, k, err);
}

/* What is called seen has been computed with before, and more than once; and what is called new comes behind it too. */
static int see(struct measurement *m, struct contestant *k, const struct trial *trial, struct err *err) {
  enum { CALLS_MOST = 12 };
  double ns[CALLS_MOST];
  const double fit = see_s * 1e9 / fmax(k->cost_ns, 1);
  struct turn turn = measure_turn(m, (uint32_t)fmax(1, fmin(CALLS_MOST, fit)), ns);
  turn.single = true;
  if (trial->kind == AUDIT_FRESH && m->c->seed == trial->first.seed) return 0; /* the new ones are there already */
  if (!trial->first.fill && tensors_mend(m->c, err) != 0) return -1;
  return k->last_seed == m->c->seed || m->c->device->scripted ? 0 : measure_take(m, k, &turn, err);
}

/* The contents that the trial brought stay, where expectations for them are wanted or cost little. */
static int adopt(struct measurement *m, struct contestant *k, const struct trial *trial, struct err *err) {
  const char *changed = NULL;
  if (m->c->seed == m->c->known_seed || (!trial->reference && !affordable(m, m->reference_s))) return 0;
  if (tensors_adopt(m->c, &changed, err) != 0 || verify_reference(m, err) != 0) return -1;
  if (changed != NULL) contestant_drop(k, ROW_WRONG, "%schanged its input '%s'", in_slot, changed);
  return 0;
}

/* A result of former inputs may be right for all later calls. */
static int check_first(struct measurement *m, struct contestant *k, const struct trial *trial, struct err *err) {
  const bool wanted = trial->reference || affordable(m, m->reference_s);
  if (trial->kind != AUDIT_FRESH || !contestant_alive(k) || !wanted) return 0;
  if (m->c->device->ops->sync(m->c->device, err) != 0 || adopt(m, k, trial, err) != 0) return -1;
  return contestant_alive(k) ? contestant_check(k, in_slot, err) : 0;
}

/* Where time is scripted there is nothing to learn from a call by itself. */
static int change_only(struct measurement *m, const struct trial *trial, struct err *err) {
  struct gb_case *c = m->c;
  if (tensors_guard(c, err) != 0 || (trial->first.poison ? tensors_poison(c, err) : tensors_rewrite(c, err)) != 0)
    return -1;
  return trial->first.fill ? tensors_change(c, trial->first.seed, err) : 0;
}

static int begin(struct measurement *m, struct contestant *k, const struct trial *trial, struct err *err) {
  const bool counts = trial->kind != AUDIT_FRESH || k->last_seed != trial->first.seed;
  double ns = NAN;
  const bool there = trial->kind == AUDIT_FRESH && trial->first.fill && m->c->seed == trial->first.seed;
  if (there && tensors_change(m->c, trial->first.seed + 1, err) != 0) return -1; /* `before` is to see others */
  if (prepare_for(m, k, trial->first.seed, err) != 0) return -1;
  if (contestant_alive(k) && see(m, k, trial, err) != 0) return -1;
  if (!contestant_alive(k)) return 0;
  if (m->c->device->scripted) return change_only(m, trial, err);
  struct turn turn = measure_turn(m, 1, &ns);
  turn.single = true;
  turn.first = trial->first;
  turn.check_held = trial->kind == AUDIT_POISONED;
  turn.check_done = true;
  if (turn.check_held && tensors_poison(m->c, err) != 0) return -1;
  if (measure_take(m, k, &turn, err) != 0) return -1;
  if (contestant_alive(k) && counts) audit_note(&k->first, trial->kind, ns);
  if (check_first(m, k, trial, err) != 0) return -1;
  if (turn.unfinished == NULL || !contestant_alive(k)) return 0;
  if (contestant_check(k, in_slot, err) != 0) return -1;
  contestant_check_done(k, &turn);
  return 0;
}

int trial_begin(struct measurement *m, struct contestant *k, const struct trial *trial, struct err *err) {
  const int64_t start = clock_now_ns();
  const int rc = begin(m, k, trial, err);
  m->trial_s += measure_seconds_since(start);
  return rc;
}

/* ---- What the slot has left ---- */

static int judge(struct measurement *m, struct contestant *k, const struct trial *trial, struct err *err) {
  m->running = k;
  if (m->c->device->ops->sync(m->c->device, err) != 0) return -1;
  m->running = NULL;
  if (contestant_alive(k) && adopt(m, k, trial, err) != 0) return -1;
  if (contestant_alive(k) && contestant_check(k, in_slot, err) != 0) return -1;
  k->verified += contestant_alive(k);
  measure_tell(m, k);
  return 0;
}

/* Back to the inputs for which everything is known. */
static int go_back(struct measurement *m, struct err *err) {
  return case_is_known(m->c) ? 0 : tensors_change(m->c, m->c->known_seed, err);
}

int trial_round_end(struct measurement *m, struct err *err) {
  const int64_t start = clock_now_ns();
  const int rc = go_back(m, err);
  m->trial_s += measure_seconds_since(start);
  return rc;
}

static int end(struct measurement *m, struct contestant *k, const struct trial *trial, const struct turn *turn,
               struct err *err) {
  if (trial->judged && judge(m, k, trial, err) != 0) return -1;
  contestant_check_done(k, turn);
  if (!contestant_alive(k)) return tensors_repair(m->c, err); /* what it damaged is not laid at the next one's door */
  if (trial->first.fill && go_back(m, err) != 0) return -1;
  return prepare_for(m, k, m->c->seed, err);
}

int trial_end(struct measurement *m, struct contestant *k, const struct trial *trial, const struct turn *turn,
              struct err *err) {
  const int64_t start = clock_now_ns();
  const int rc = end(m, k, trial, turn, err);
  m->trial_s += measure_seconds_since(start);
  return rc;
}

uint32_t trial_spoils(struct measurement *m, const struct contestant *k, const struct trial *trial) {
  const bool batches = m->request->mode.timing == TIMING_HOT && k->replicas > 1;
  return trial->on && trial->judged && batches ? 1 + (uint32_t)(draw(m) % k->replicas) : 0;
}

/* ---- Evidence ---- */

static bool by_host(const struct measurement *m) {
  return m->request->mode.timing >= TIMING_LATENCY || strcmp(m->c->device->facts.backend, "cpu") == 0;
}

void trial_note(struct contestant *k, const struct trial *trial, const double *ns, uint32_t count) {
  double others[SLOT_SAMPLES_MAX];
  const bool counts = trial->kind != AUDIT_FRESH || (trial->last.fill && trial->last.seed != trial->first.seed);
  if (!trial->on && count <= SLOT_SAMPLES_MAX) {
    memcpy(others, ns, count * sizeof *others);
    audit_note(&k->first, AUDIT_USUAL, stats_median(others, count));
  }
  if (!trial->on || trial->kind == AUDIT_POISONED || count < 2 || count > SLOT_SAMPLES_MAX || !counts) return;
  memcpy(others, ns, (count - 1) * sizeof *others);
  audit_note(&k->late, trial->kind, ns[count - 1] / fmax(stats_median(others, count - 1), 1e-3));
}

static double usual_ns(const struct measurement *m, const struct contestant *k) {
  struct interval ci95;
  double median = NAN;
  (void)stats_median_interval(k->slots, k->slot_count, measure_tick_ns(m), m->request->seed, &median, &ci95);
  return median;
}

/* A call by itself is not like those that follow each other without a pause, and on a processor not like the one before
 * it either. */
static double usual_margin(const struct measurement *m) {
  const bool pauses = !mode_is_batched(m->request->mode) && m->request->mode.timing != TIMING_LATENCY_GRAPH;
  return pauses ? by_host(m) ? 2 : 1.25 : 4;
}

/* A processor learns the branches of short work by heart, and no variant is to blame for that. */
struct audit_words trial_words(const struct measurement *m, const struct contestant *k) {
  const double usual = usual_ns(m, k), learned_ns = by_host(m) ? 200e3 : 0;
  const double learned = mode_is_batched(m->request->mode) ? 4 : 1.5; /* in batches a pause is not usual */
  const struct audit_margins margins = {learned_ns, learned, usual_margin(m)}, late = {learned_ns / usual, learned, 1};
  struct audit_words words = audit_judge(&k->first, &margins), other = audit_judge(&k->late, &late);
  const double limit = fmin(words.limit, other.limit);
  other.work_ns *= usual;
  other.seen_ns *= usual;
  if (other.remembers > words.remembers || (!words.remembers && other.suspect > words.suspect)) words = other;
  words.limit = limit;
  return words;
}

bool trial_wanted(const struct measurement *m, const struct contestant *k) {
  enum { FRESH_LEAST = 2, SEEN_LEAST = 4, USUAL = 5, VERIFIED = 16, SUSPECT_TIMES = 50 };
  const double most_s = time_share * measure_seconds_since(m->started_ns);
  const uint32_t fresh = k->first.count[AUDIT_FRESH], seen = k->first.count[AUDIT_SEEN];
  const uint32_t fewer = fresh < seen && tensors_have_inputs(m->c) ? fresh : seen;
  const struct audit_words words = trial_words(m, k);
  if (m->c->device->scripted) return false;
  const double since_s = measure_seconds_since(m->over_ns);
  const bool news = tensors_have_inputs(m->c);
  if ((news && fresh < FRESH_LEAST) || seen < SEEN_LEAST || (words.suspect && since_s < SUSPECT_TIMES * most_s))
    return true;
  if (words.remembers || since_s > most_s) return false;
  return fewer < USUAL || k->verified < VERIFIED ||
         (!by_host(m) && fewer < AUDITS_ENOUGH && !(words.limit <= limit_wanted));
}

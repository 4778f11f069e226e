/* Collects the times of calls for the reuse test, which finds variants that keep results of earlier calls, and decides
 * which calls the test still needs. */
#include "measure/audit/evidence.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "case/contents.h"
#include "case/memory.h"
#include "case/tensors.h"
#include "measure/audit/surprise.h"
#include "measure/budget.h"

/* CALLS_ENOUGH: this number of single calls on new inputs, and of single calls on inputs that were seen before, is
 * usually enough for the reuse test. VERIFIED_ENOUGH: this number of verified slots (series of samples) of a variant is
 * enough. */
enum { CALLS_ENOUGH = 5, VERIFIED_ENOUGH = 16 };

/* After this number of rounds of the reuse test, no more are run for the few calls that every row needs. The limit is
 * reached only if such calls of a variant cannot be timed at all. */
enum { ROUNDS_MOST = 256 };

/* limit_wanted: the test should notice a variant that saves at least this share of its time by reuse.
 *
 * least_*: a variant is accused of reuse only if calls with new work take at least this many times as long as repeated
 * ones. Times of honest variants differ by up to 12% on a busy CPU. In mode wall on a GPU they differed by 22%, because
 * the host's caches hold other data after a pause. */
static const double limit_wanted = 0.05, least_on_cpu = 1.25, least_rotated_on_cpu = 1.1, least_in_wall = 1.5,
                    least_on_gpu = 1.03;

/* If the host's processors do the work, or their clock times it, a pause may lengthen the next call by this many ns,
 * because branches must be learned again and threads must wake up. */
static const double pause_ns = 200e3;

/* The bus to the host's memory is slower after a pause. A kernel that adds two vectors of 120 KB in that memory took
 * 12.2 us in a series of calls, and 12 to 20.5 us in single calls (30 processes on an H200). Twice the longest delay
 * (8.3 us) is allowed. */
static const double bus_ns = 16e3;

/* The time of a single call contains the whole launch, while the launches of a batch overlap. A kernel that writes one
 * number took 4.9 us alone as a graph, and 1.1 us in a batch of graphs (H200). Twice the difference (3.8 us) is
 * allowed. */
static const double launch_ns = 8e3;

/* Inputs that were seen before may be faster to process, because the branch predictor knows their branches. A decoder
 * (`branching` in tests/plugins/ok_pipeline.c) gained 5 to 6 ns per byte for up to 8192 bytes, and nothing for 32768.
 * Twice as much is allowed, and at least branches_least_ns. */
static const double branch_ns = 10, branches_least_ns = 5e3, branches_most_ns = 60e3;

/* Returns the difference of times below which no variant is accused. On a busy machine honest calls of 0.75 and 7.5 us
 * took 5.6 and 27.8 us after a pause, because other processes had used the caches. If the work is queued for threads of
 * the host, these threads must wake up as well: calls of 17 us took 79 us on new inputs. */
static double clear_ns(const struct measurement *m) {
  return measure_on_cpu(m) || m->wake_ns > 0 ? 30e3 + m->wake_ns : 0;
}

static double branches_ns(const struct measurement *m) {
  return fmax(branches_least_ns, fmin(branches_most_ns, branch_ns * (double)tensors_input_elements(m->c)));
}

static bool by_host(const struct measurement *m) {
  return mode_is_by_host(m->request->mode) || measure_on_cpu(m);
}

/* Returns true if nothing was written before the kept samples of the slot, and if they ran on the inputs with known
 * expected outputs. Slots with written inputs are excluded, because a variant could do all its work in them (all that
 * were written before some samples) and keep results in the others. */
static bool is_untouched(const struct measurement *m, const struct contestant *k, const struct spot_check *check,
                         const struct slot_task *task) {
  const bool rotated = task->rotation.share > 0 || m->c->shown.kept;
  return !check->on && check->to == 0 && !rotated && surprise_spares_kept(m, k, task);
}

/* Notes the times of a slot for the reuse test: the median of its samples if nothing was written before them. If the
 * slot began with a single call, notes a ratio instead: the time of its last sample, before which tensors were written,
 * divided by the median of the others. host/docs/reuse-test.md lists what is noted for which slots. */
void evidence_note(struct measurement *m, struct contestant *k, const struct spot_check *check,
                   const struct slot_task *task, const double *ns, uint32_t count) {
  double others[SLOT_MOST];
  const bool counts = check->kind != AUDIT_FRESH || (check->last.fill && check->last.seed != check->first.seed);
  surprise_note(m, k, check, task, ns, count);
  assert(count <= SLOT_MOST);
  memcpy(others, ns, count * sizeof *others);
  if (is_untouched(m, k, check, task)) audit_note(&k->single, AUDIT_USUAL, stats_median(others, count));
  /* if calls continue from each other's results, each slot starts from a new state, so nothing can be reused */
  if (tensors_keep_state(m->c)) return;
  if (!check->on || check->kind == AUDIT_POISONED || task->surprise.last > 0 || !counts || count < 2) return;
  memcpy(others, ns, (count - 1) * sizeof *others);
  audit_note(&k->last_ratio, check->kind, ns[count - 1] / fmax(stats_median(others, count - 1), 1e-3));
}

/* Returns how many ns longer a sample may take because inputs were written before it. It is 0 if the mode empties the
 * caches. Otherwise the written data must be fetched from the caches of other cores (10 GB/s), and threads must be
 * woken. */
static double writing_ns(const struct measurement *m) {
  const double byte_ns = 0.1, least_ns = 5e3;
  return m->request->mode.timing == TIMING_COLD ? 0 : least_ns + byte_ns * (double)tensors_bytes(m->c);
}

static double row_median_ns(const struct measurement *m, const struct contestant *k) {
  struct interval ci95;
  double median = NAN;
  (void)stats_median_interval(k->slots, k->slot_count, measure_tick_ns(m), m->request->seed, &median, &ci95);
  return median;
}

struct row_median evidence_row_median(const struct measurement *m, const struct contestant *k) {
  struct row_median row = {.ns = row_median_ns(m, k), .writing_ns = writing_ns(m)};
  for (size_t i = 0; i < k->slot_count && !mode_is_batched(m->request->mode); i++)
    row.samples += k->slots[i].count;
  return row;
}

/* Returns the mean over the slots, without the lowest and the highest fifth. Ratios between variants are computed from
 * it. It is below the median if a few slots are much faster than the others. */
static double compared_ns(const struct contestant *k) {
  SCOPED double *logs = xcalloc(k->slot_count, sizeof *logs);
  for (size_t i = 0; i < k->slot_count; i++) {
    SCOPED double *ns = xcalloc(k->slots[i].count, sizeof *ns);
    memcpy(ns, k->slots[i].ns, k->slots[i].count * sizeof *ns);
    logs[i] = log(fmax(stats_median(ns, k->slots[i].count), 1e-3));
  }
  return exp(stats_trimmed_mean(logs, k->slot_count));
}

static bool mode_pauses(const struct measurement *m) {
  return !mode_is_unbroken(m->request->mode);
}

/* Returns the factor by which a single call at the start of a slot may take longer than a usual call without suspicion,
 * because there is a pause before the single call. There is no limit on a CPU, where the call may have to wait for a
 * processor. */
static double usual_margin(const struct measurement *m) {
  return measure_on_cpu(m) ? INFINITY : !mode_pauses(m) ? 4 : by_host(m) ? 2 : 1.25;
}

/* Returns the ns by which a single call at the start of a slot may take longer than a usual call in addition to the
 * factor usual_margin(), because there is a pause before it or because its launch does not overlap with other calls. */
static double woken_ns(const struct measurement *m) {
  if (m->wake_ns > 0) return clear_ns(m);
  return case_has_pinned(m->c) ? bus_ns : mode_pauses(m) ? 0 : launch_ns;
}

static bool is_worse(const struct audit_words *words, const struct audit_words *than) {
  return words->remembers > than->remembers || (!than->remembers && words->suspect > than->suspect);
}

/* Judges two sets, and returns the worse result: the single calls, which are timed one by one at the start of slots,
 * and the last samples of these slots. A variant that reuses results, but not in calls after a pause, passes the first.
 */
static struct audit_words words_of_calls(const struct measurement *m, const struct contestant *k) {
  const double median_ns = row_median_ns(m, k);
  const bool batched = mode_is_batched(m->request->mode);
  /* true if calls are so short that learning the branches anew may take much of their time */
  const bool branches = measure_on_cpu(m) && median_ns < 2 * branches_ns(m);
  const double learned_ns = by_host(m) ? pause_ns : 0;
  /* in batched modes a single call comes after a pause, while other calls follow each other without one */
  const double learned = branches || batched ? 4 : 1.5;
  const bool wall = m->request->mode.timing == TIMING_WALL;
  const double least = measure_on_cpu(m) ? least_on_cpu : wall ? least_in_wall : least_on_gpu;
  const struct audit_margins margins = {.least = least,
                                        .learned_ns = learned_ns,
                                        .learned = learned,
                                        .clear_ns = clear_ns(m),
                                        .over_usual = usual_margin(m),
                                        .woken_ns = woken_ns(m),
                                        .claimed_ns = k->slot_count > 0 ? compared_ns(k) : 0};
  const struct audit_margins ratio = {.least = least,
                                      .learned_ns = learned_ns / median_ns,
                                      .learned = learned,
                                      .clear_ns = clear_ns(m) / median_ns,
                                      .over_usual = 1};
  struct audit_words words = audit_judge(&k->single, &margins), other = audit_judge(&k->last_ratio, &ratio);
  const double limit = fmin(words.limit, other.limit);
  other.work_ns *= median_ns;
  other.seen_ns *= median_ns;
  if (is_worse(&other, &words)) words = other;
  words.limit = measure_on_cpu(m) ? NAN : limit;
  return words;
}

/* Judges the samples whose inputs were written, some with new values and some with the same ones again. The two kinds
 * differ in nothing else, so repeated inputs may be faster only by what the processor's branch predictor learns. Never
 * asks for more calls (`suspect`), because no such samples can be added after sampling. */
static struct audit_words words_of_rotation(const struct measurement *m, const struct contestant *k) {
  const bool cpu = measure_on_cpu(m);
  const struct audit_margins margins = {.least = cpu ? least_rotated_on_cpu : least_on_gpu,
                                        .learned_ns = cpu ? branches_ns(m) : 0,
                                        .learned = 4,
                                        .clear_ns = clear_ns(m),
                                        .alike = true};
  struct audit_words words = audit_judge(&k->rotated, &margins);
  words.suspect = false;
  return words;
}

/* Returns the most incriminating result of the variant's sets of calls. The margins differ: a single call comes after a
 * pause, which lengthens it; a perturbed call comes without one, so smaller differences are suspicious. Writing large
 * pieces may lengthen a perturbed call, and then larger differences are allowed. */
struct audit_words evidence_words(const struct measurement *m, const struct contestant *k) {
  const bool large = m->c->large_pieces;
  const struct audit_margins margins = {.least = least_on_cpu,
                                        .learned_ns = branches_ns(m),
                                        .learned = 4,
                                        .clear_ns = clear_ns(m),
                                        .alike = !large,
                                        .over_usual = least_on_cpu,
                                        .woken_ns = large ? writing_ns(m) : 0};
  const struct audit_words surprised = audit_judge(&k->surprised, &margins), calls = words_of_calls(m, k);
  const struct audit_words rotated = words_of_rotation(m, k);
  struct audit_words words = is_worse(&surprised, &calls) ? surprised : calls;
  if (is_worse(&rotated, &words)) words = rotated;
  words.limit = fmin(words.limit, rotated.limit); /* fmin() ignores NaN */
  if (surprises_are_timed(m, k)) words.limit = surprises_are_wanted(m, k) ? NAN : surprised.limit;
  return words;
}

/* Returns the largest share of its time that the variant may save by reuse: the largest of these shares.
 * (1) What the comparisons may have missed (audit_hidden()).
 * (2) By how much usual slots are faster than perturbed calls. These do all the work, or their outputs would be wrong.
 * (3) By how much usual slots are faster than calls whose inputs are all new, if that is more than `pause_ns`. It finds
 *     variants that keep results for pieces of the inputs, which (2) misses.
 * (2) and (3) are known only if perturbed calls are timed. */
double evidence_hidden(const struct measurement *m, const struct contestant *k, const struct audit_words *words) {
  if (tensors_keep_state(m->c)) return 0; /* each slot starts from a new state: nothing can be reused */
  double hidden = audit_hidden(words);
  if (isnan(hidden) || !surprises_are_timed(m, k)) return hidden;
  const double stated_ns = fmin(row_median_ns(m, k), compared_ns(k)), new_ns = audit_median(&k->single, AUDIT_FRESH);
  hidden = fmax(hidden, audit_saved(&k->surprised, stated_ns, words->limit));
  return new_ns > stated_ns + pause_ns ? fmax(hidden, audit_saved(&k->single, stated_ns, words->limit)) : hidden;
}

/* Returns the number of calls on new inputs (fresh) or on repeated ones (seen), whichever is smaller. */
static uint32_t fewer_calls(const struct measurement *m, const struct contestant *k) {
  const uint32_t fresh = k->single.count[AUDIT_FRESH], seen = k->single.count[AUDIT_SEEN];
  return fresh < seen && tensors_have_inputs(m->c) ? fresh : seen;
}

/* Returns the time that spot checks have taken, as a share of their budget; INFINITY if the case's time is over. */
static double share_spent(const struct measurement *m) {
  return measure_late(m) ? INFINITY : m->spot_checks_s / budget_s(m);
}

/* Returns false until the reuse test has enough timed calls. They come before verifications, because a row that lacks
 * their times gets a mark. */
bool evidence_is_to_verify(const struct measurement *m, const struct contestant *k) {
  const bool timed = surprises_are_timed(m, k) || fewer_calls(m, k) >= CALLS_ENOUGH;
  return timed && k->verified < VERIFIED_ENOUGH && share_spent(m) <= 1;
}

static uint32_t missing(uint32_t count, uint32_t least) {
  return count < least ? least - count : 0;
}

double evidence_left_s(const struct measurement *m) {
  uint32_t calls = 0;
  if (m->request->yardstick) return 0;
  for (const struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1)) {
    const uint32_t fresh = tensors_have_inputs(m->c) ? missing(k->single.count[AUDIT_FRESH], AUDIT_FRESH_LEAST) : 0;
    const uint32_t seen = missing(k->single.count[AUDIT_SEEN], AUDIT_SEEN_LEAST);
    calls += 1 + (surprises_are_timed(m, k) ? k->surprised.count[AUDIT_SEEN] == 0 : fresh + seen);
  }
  const double call_s = (m->spot_checks_s - m->verifications_s) / fmax(m->spot_checks, 1);
  return calls * call_s + 2 * budget_verification_s(m) * m->count + m->reference_s;
}

/* Returns true while a variant that is suspected of reusing results should be measured further: for as long as the case
 * took from its beginning to the end of the last round. That holds even if the case's time is over, because a variant
 * could otherwise escape by using up that time. */
static bool is_pursued(const struct measurement *m, const struct audit_words *words) {
  return words->suspect && clock_now_ns() - m->over_ns < m->over_ns - m->started_ns;
}

bool evidence_is_of_calls(const struct measurement *m, const struct contestant *k) {
  if (!surprises_are_timed(m, k)) return evidence_wanted(m, k);
  const struct audit_words words = words_of_calls(m, k);
  if (words.suspect) return is_pursued(m, &words);
  return k->single.count[AUDIT_FRESH] < AUDIT_FRESH_LEAST && share_spent(m) <= 1;
}

bool evidence_lacks(const struct measurement *m, const struct contestant *k, enum audit_kind kind) {
  const uint32_t least = kind == AUDIT_SEEN                                 ? AUDIT_SEEN_LEAST
                         : kind == AUDIT_FRESH && tensors_have_inputs(m->c) ? AUDIT_FRESH_LEAST
                                                                            : 0;
  return !surprises_are_timed(m, k) && k->single.count[kind] < least;
}

/* Returns true if the reuse test needs more calls of the variant. Three reasons:
 * (1) The variant is suspected, and is_pursued() still gives it time.
 * (2) It lacks calls that every row needs, for at most ROUNDS_MOST rounds.
 * (3) More calls or verifications are useful, and the budget is not used up. The budget is FEW_TIMES as large while
 *     there are fewer than AUDIT_SEEN_LEAST perturbed calls. */
bool evidence_wanted(const struct measurement *m, const struct contestant *k) {
  enum { FEW_TIMES = 4 };
  const uint32_t fresh = k->single.count[AUDIT_FRESH];
  const uint32_t pairs = k->surprised.count[AUDIT_SEEN];
  const bool news = tensors_have_inputs(m->c), timed = surprises_are_timed(m, k);
  const uint32_t fewer = fewer_calls(m, k);
  const struct audit_words words = evidence_words(m, k);
  if (device_is(m->c->device, DEVICE_SCRIPTED) || m->request->yardstick) return false;
  if (is_pursued(m, &words)) return true;
  const bool may = m->evidence_rounds < ROUNDS_MOST;
  if (may && (evidence_lacks(m, k, AUDIT_FRESH) || evidence_lacks(m, k, AUDIT_SEEN))) return true;
  if (may && timed && pairs == 0) return true;
  if (timed && pairs < AUDIT_SEEN_LEAST && share_spent(m) < FEW_TIMES) return true;
  if (words.remembers || share_spent(m) > 1) return false;
  if (k->verified < VERIFIED_ENOUGH || surprises_are_wanted(m, k) || (news && fresh < AUDIT_FRESH_LEAST)) return true;
  return !timed && (fewer < CALLS_ENOUGH || (!by_host(m) && fewer < AUDITS_ENOUGH && !(words.limit <= limit_wanted)));
}

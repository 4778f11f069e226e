/* Samples of three kinds, and what they accuse of. */
#include "stats/audit.h"

#include <math.h>
#include <string.h>

#include "stats/math.h"

/* An accusation takes much: noise alone gets beyond 4.1 standard deviations in 2 of 100,000 cases, and it takes a dozen
 * calls of each kind to get there. And a difference that counts (`least`). Who is to be suspected for long must give
 * more reason to: `suspected` times the root of their number. */
static const double accused = 4.1, suspected = 0.4;

/* Noise of single calls, in standard deviations, that a difference has to reach to be seen with AUDITS_ENOUGH of each
 * kind in 95 of 100 cases (tests/unit/host/stats/test_audit.c). */
static const double seen_deviations = 2.2;

/* Who works now and then, by chance, is found by calls that took less than any with work to be done: as many as that
 * come first by chance in 1 of 65,000 cases. */
enum { BELOW_ALL = 16 };

enum { FRESH_LEAST = 2, SEEN_LEAST = 4, LIMIT_LEAST = 3, SUSPECTED_MOST = 60 };

void audit_note(struct audits *audits, enum audit_kind kind, double ns) {
  audits->ns[kind][audits->count[kind]++ % AUDITS_MAX] = ns;
}

/* The kept ones of a kind, sorted. */
struct calls {
  double ns[AUDITS_MAX];
  uint32_t count;
};

static struct calls calls_of(const struct audits *audits, enum audit_kind kind) {
  struct calls calls = {.count = audits->count[kind] < AUDITS_MAX ? audits->count[kind] : AUDITS_MAX};
  memcpy(calls.ns, audits->ns[kind], calls.count * sizeof *calls.ns);
  stats_sort(calls.ns, calls.count);
  return calls;
}

/* Mann and Whitney's U, in standard deviations: how far the first tend to be above the second. */
static double deviations(const struct calls *first, const struct calls *second) {
  const double m = first->count, n = second->count;
  double u = 0;
  for (uint32_t i = 0; i < first->count; i++)
    for (uint32_t j = 0; j < second->count; j++)
      u += first->ns[i] > second->ns[j] ? 1 : first->ns[i] == second->ns[j] ? 0.5 : 0;
  return (u - m * n / 2) / sqrt(m * n * (m + n + 1) / 12);
}

static uint32_t below_all(const struct calls *seen, const struct calls *work, const struct audit_margins *margins) {
  uint32_t count = 0;
  while (count < seen->count) {
    const double least = work->ns[0] - seen->ns[count] < margins->learned_ns ? margins->learned : margins->least;
    if (work->ns[0] <= least * seen->ns[count]) break;
    count++;
  }
  return count;
}

/* Calls with work to be done against those with it done. */
static struct audit_words compare(const struct audits *audits, enum audit_kind kind, enum audit_kind against,
                                  const struct audit_margins *margins) {
  struct calls work = calls_of(audits, kind), seen = calls_of(audits, against);
  const uint32_t fewer = work.count < seen.count ? work.count : seen.count;
  struct audit_words words = {.kind = against == AUDIT_USUAL ? AUDIT_USUAL : kind,
                              .count = work.count,
                              .work_ns = stats_median(work.ns, work.count),
                              .seen_ns = stats_median(seen.ns, seen.count)};
  if (work.count < FRESH_LEAST || seen.count < SEEN_LEAST) return words;
  const double least = words.work_ns - words.seen_ns < margins->learned_ns ? margins->learned : margins->least;
  const double z = words.work_ns > least * words.seen_ns ? deviations(&work, &seen) : 0;
  const uint32_t below = below_all(&seen, &work, margins);
  words.remembers = z >= accused || (below >= BELOW_ALL && work.count >= BELOW_ALL);
  words.suspect = !words.remembers && fewer < SUSPECTED_MOST && (z >= suspected * sqrt(fewer) || 5 * below >= fewer);
  return words;
}

/* Whoever tells all these calls from timed ones is as slow in all of them. */
static struct audit_words compare_usual(const struct audits *audits, const struct audit_margins *margins) {
  struct calls work = calls_of(audits, AUDIT_FRESH), usual = calls_of(audits, AUDIT_USUAL);
  struct audit_words words = {.kind = AUDIT_USUAL,
                              .count = work.count,
                              .work_ns = stats_median(work.ns, work.count),
                              .seen_ns = stats_median(usual.ns, usual.count)};
  const double bound = fmax(margins->usual * words.seen_ns, words.seen_ns + margins->learned_ns);
  if (usual.count < FRESH_LEAST || work.count < FRESH_LEAST || work.ns[work.count / 4] <= bound) return words;
  words.remembers = work.count >= AUDITS_ENOUGH;
  words.suspect = !words.remembers;
  return words;
}

/* The noise of single calls is that of those with nothing to be done. */
static double limit(const struct audits *audits, const struct audit_margins *margins) {
  struct calls seen = calls_of(audits, AUDIT_SEEN);
  if (seen.count < SEEN_LEAST || audits->count[AUDIT_FRESH] < LIMIT_LEAST) return NAN;
  const double median = stats_median(seen.ns, seen.count),
               noise = 1.4826 * stats_deviation(seen.ns, seen.count, median);
  double ratio = fmax(margins->least, 1 + seen_deviations * noise / median);
  if (margins->learned_ns > 0) ratio = fmax(ratio, fmin(margins->learned, 1 + margins->learned_ns / median));
  return 1 - 1 / ratio;
}

struct audit_words audit_judge(const struct audits *audits, const struct audit_margins *margins) {
  const struct audit_words all[] = {
      compare(audits, AUDIT_FRESH, AUDIT_SEEN, margins), compare(audits, AUDIT_POISONED, AUDIT_SEEN, margins),
      margins->alike ? compare(audits, AUDIT_FRESH, AUDIT_USUAL, margins) : compare_usual(audits, margins)};
  struct audit_words words = all[0];
  for (int i = 1; i < 3; i++)
    if (all[i].remembers > words.remembers || (!words.remembers && all[i].suspect > words.suspect)) words = all[i];
  words.limit = limit(audits, margins);
  return words;
}

double audit_hidden(const struct audit_words *words) {
  if (isnan(words->limit) || !words->suspect) return words->limit;
  return fmax(words->limit, 1 - words->seen_ns / words->work_ns);
}

double audit_median(const struct audits *audits, enum audit_kind kind) {
  struct calls calls = calls_of(audits, kind);
  return stats_median(calls.ns, calls.count);
}

double audit_saved(const struct audits *audits, double usual_ns, double unseen) {
  const double work_ns = audit_median(audits, AUDIT_FRESH);
  return isnan(work_ns) ? 1 : 1 - (1 - unseen) * fmin(1, usual_ns / work_ns);
}

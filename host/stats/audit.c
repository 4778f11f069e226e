/* The reuse test finds variants that keep the results of a call for later calls. It compares the times of calls that
 * had new work to do with those of calls that repeated earlier work. */
#include "stats/audit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/math.h"

/* Thresholds for the result of deviations(): by how many standard deviations calls with new work take longer than
 * repeated calls. The difference must also exceed `least` (struct audit_margins).
 *
 * From `accused` on, the variant is accused of keeping results. An honest variant reaches 4.2 in at most 1 of 100,000
 * comparisons (counted over all orders of up to 64 alternating calls of each kind). A variant whose calls with new work
 * are all slower reaches it with 13 calls of each kind.
 *
 * A variant is suspected, and measured longer, from `suspected` times the square root of the number of calls of a kind
 * on, but not below suspected_least: a few calls on a busy machine differ by chance. */
static const double accused = 4.2, suspected = 0.4, suspected_least = 1.3;

/* The test detects a difference of this many standard deviations of a single call in 95 of 100 cases, if there are
 * AUDITS_ENOUGH calls with new work and as many repeated ones (tests/unit/host/stats/test_audit.c). */
static const double seen_deviations = 2.2;

/* A variant is accused if this many of its repeated calls were faster than every call with new work. That finds
 * variants that skip their work only now and then. An honest variant with m repeated and n new calls does this with
 * probability C(m, 16) / C(m + n, 16): 1 in 65,536 for m = n, but 1 in 300 for m = 64 and n = 24. So the 16 calls must
 * also be faster by a margin (struct audit_margins). */
enum { BELOW_ALL = 16 };

/* WORK_LEAST: fewest calls with new work that are compared with repeated ones; SUSPECTED_MOST: number of
 * calls of each kind from which on a variant is no longer suspected */
enum { WORK_LEAST = 2, SUSPECTED_MOST = 60 };

/* Number of calls in a row that are compared with each other. Other processes may slow a variant down for a while,
 * which affects all calls of such a window. A window with calls of one kind only is not used. */
enum { WINDOW = 12 };
_Static_assert(2 * AUDIT_AHEAD < WINDOW, "a window is longer than a turn of calls of one kind");

void audit_note(struct audits *audits, enum audit_kind kind, double ns) {
  const uint32_t i = audits->count[kind]++ % AUDITS_MAX;
  audits->ns[kind][i] = ns;
  audits->at[kind][i] = audits->all++;
}

enum audit_kind audit_next(const struct audits *audits, enum audit_kind now, bool ends) {
  const enum audit_kind other = now == AUDIT_FRESH ? AUDIT_SEEN : AUDIT_FRESH;
  const uint32_t least = audits->count[other] + (ends ? 1 : AUDIT_AHEAD);
  return audits->count[now] >= least ? other : now;
}

/* The times of the last calls of one kind (at most AUDITS_MAX), sorted. */
struct calls {
  double ns[AUDITS_MAX];
  uint32_t count;
};

static uint32_t count_kept(const struct audits *audits, enum audit_kind kind) {
  return audits->count[kind] < AUDITS_MAX ? audits->count[kind] : AUDITS_MAX;
}

static struct calls calls_of(const struct audits *audits, enum audit_kind kind) {
  struct calls calls = {.count = count_kept(audits, kind)};
  memcpy(calls.ns, audits->ns[kind], calls.count * sizeof *calls.ns);
  stats_sort(calls.ns, calls.count);
  return calls;
}

/* The time of one call, its position among the calls of all kinds, and whether it had new work to do. */
struct timed_call {
  double ns;
  uint32_t at;
  bool work;
};

struct timed_calls {
  struct timed_call all[2 * AUDITS_MAX];
  uint32_t count;
};

static int calls_by_time(const void *first, const void *second) {
  const struct timed_call *a = first, *b = second;
  return (a->at > b->at) - (a->at < b->at);
}

static struct timed_calls calls_by_kind(const struct audits *audits, enum audit_kind work, enum audit_kind seen) {
  struct timed_calls calls = {.count = 0};
  for (uint32_t i = 0; i < count_kept(audits, work); i++)
    calls.all[calls.count++] = (struct timed_call){audits->ns[work][i], audits->at[work][i], true};
  for (uint32_t i = 0; i < count_kept(audits, seen); i++)
    calls.all[calls.count++] = (struct timed_call){audits->ns[seen][i], audits->at[seen][i], false};
  qsort(calls.all, calls.count, sizeof *calls.all, calls_by_time);
  return calls;
}

/* Calls that follow each other in time, and how many of them had new work to do. */
struct window {
  const struct timed_call *calls;
  uint32_t count, work;
};

/* Returns the window of calls that begins with call `first`. If too few calls for another window would remain behind
 * it, the window takes them too. */
static struct window window_at(const struct timed_calls *calls, uint32_t first) {
  const uint32_t left = calls->count - first;
  struct window window = {.calls = &calls->all[first], .count = left < 2 * WINDOW ? left : WINDOW};
  for (uint32_t i = 0; i < window.count; i++)
    window.work += window.calls[i].work;
  return window;
}

/* Counts the pairs of a call with new work and a repeated call in which the call with new work took longer (Mann and
 * Whitney's U). */
static double count_longer(const struct window *window) {
  double u = 0;
  for (uint32_t i = 0; i < window->count; i++)
    for (uint32_t j = 0; j < window->count; j++) {
      const struct timed_call *work = &window->calls[i], *seen = &window->calls[j];
      if (work->work && !seen->work) u += work->ns > seen->ns ? 1 : work->ns == seen->ns ? 0.5 : 0;
    }
  return u;
}

/* Returns by how many standard deviations calls with new work tend to take longer than repeated calls. It is computed
 * from the sum of Mann and Whitney's U over all windows (van Elteren). */
static double deviations(const struct timed_calls *calls) {
  double sum = 0, variance = 0;
  for (uint32_t first = 0; first < calls->count;) {
    const struct window window = window_at(calls, first);
    const double pairs = (double)window.work * (window.count - window.work);
    sum += (count_longer(&window) - pairs / 2) / (window.count + 1);
    variance += pairs / (12.0 * (window.count + 1));
    first += window.count;
  }
  return variance > 0 ? sum / sqrt(variance) : 0;
}

/* Counts the repeated calls that took less time (by the margin `least` or `learned`) than `least_ns`, the time of the
 * fastest call with new work. Only windows that have calls of both kinds count. */
static uint32_t below_all(const struct timed_calls *calls, double least_ns, const struct audit_margins *margins) {
  uint32_t count = 0;
  for (uint32_t first = 0; first < calls->count;) {
    const struct window window = window_at(calls, first);
    for (uint32_t i = 0; i < window.count && window.work > 0; i++) {
      const double ns = window.calls[i].ns;
      const double least = least_ns - ns < margins->learned_ns ? margins->learned : margins->least;
      count += !window.calls[i].work && least_ns > least * ns;
    }
    first += window.count;
  }
  return count;
}

/* Compares the calls of `kind`, which had new work to do, with the repeated calls of kind `against`. */
static struct audit_words compare_calls(const struct audits *audits, enum audit_kind kind, enum audit_kind against,
                                        const struct audit_margins *margins) {
  struct calls work = calls_of(audits, kind), seen = calls_of(audits, against);
  const uint32_t fewer = work.count < seen.count ? work.count : seen.count;
  struct audit_words words = {.kind = against == AUDIT_USUAL ? AUDIT_USUAL : kind,
                              .count = work.count,
                              .work_ns = stats_median(work.ns, work.count),
                              .seen_ns = stats_median(seen.ns, seen.count)};
  if (work.count < WORK_LEAST || seen.count < AUDIT_SEEN_LEAST) return words;
  const double least = words.work_ns - words.seen_ns < margins->learned_ns ? margins->learned : margins->least;
  const struct timed_calls calls = calls_by_kind(audits, kind, against);
  const double z = words.work_ns > least * words.seen_ns ? deviations(&calls) : 0;
  const uint32_t below = below_all(&calls, work.ns[0], margins);
  /* the fastest repeated call saved less than clear_ns, which is too little to accuse a variant */
  if (words.work_ns - seen.ns[0] < margins->clear_ns) return words;
  words.remembers = z >= accused || (below >= BELOW_ALL && work.count >= BELOW_ALL);
  const bool more = z >= fmax(suspected_least, suspected * sqrt(fewer)), some = below > 1 && 5 * below >= fewer;
  words.suspect = !words.remembers && fewer < SUSPECTED_MOST && (more || some);
  return words;
}

/* Compares single calls on new inputs (AUDIT_FRESH) with timed slots (AUDIT_USUAL). This finds a variant that
 * recognises single calls and saves work in all others. It becomes suspect if at least three quarters of its single
 * calls take longer than the margins allow.
 *
 * The time of the slots is their median or claimed_ns, the time that the results state, whichever is less. With fewer
 * than two slots it is claimed_ns. */
static struct audit_words compare_usual(const struct audits *audits, const struct audit_margins *margins) {
  struct calls work = calls_of(audits, AUDIT_FRESH), usual = calls_of(audits, AUDIT_USUAL);
  struct audit_words words = {.kind = AUDIT_USUAL,
                              .count = work.count,
                              .work_ns = stats_median(work.ns, work.count),
                              .seen_ns = stats_median(usual.ns, usual.count)};
  const bool few = usual.count < WORK_LEAST;
  const bool claimed = margins->claimed_ns > 0;
  if (claimed) words.seen_ns = few ? margins->claimed_ns : fmin(words.seen_ns, margins->claimed_ns);
  const double more_ns = fmax(margins->learned_ns, margins->woken_ns);
  const double bound = fmax(margins->over_usual * words.seen_ns, words.seen_ns + more_ns);
  if ((few && !claimed) || work.count < WORK_LEAST || work.ns[work.count / 4] <= bound) return words;
  words.remembers = work.count >= AUDITS_ENOUGH;
  words.suspect = !words.remembers;
  return words;
}

/* Returns the largest share of its time that a variant could save by keeping results without being noticed. The share
 * follows from how much the times of single calls scatter, which is measured on repeated calls. */
static double unseen_share(const struct audits *audits, const struct audit_margins *margins) {
  struct calls seen = calls_of(audits, AUDIT_SEEN);
  if (seen.count < AUDIT_SEEN_LEAST || audits->count[AUDIT_FRESH] < AUDIT_FRESH_LEAST) return NAN;
  const double median = stats_median(seen.ns, seen.count),
               noise = 1.4826 * stats_deviation(seen.ns, seen.count, median);
  double ratio = fmax(margins->least, 1 + seen_deviations * noise / median);
  if (margins->learned_ns > 0) ratio = fmax(ratio, fmin(margins->learned, 1 + margins->learned_ns / median));
  ratio = fmax(ratio, 1 + margins->clear_ns / median);
  return 1 - 1 / ratio;
}

struct audit_words audit_judge(const struct audits *audits, const struct audit_margins *margins) {
  const struct audit_words all[] = {
      compare_calls(audits, AUDIT_FRESH, AUDIT_SEEN, margins),
      compare_calls(audits, AUDIT_POISONED, AUDIT_SEEN, margins),
      margins->alike ? compare_calls(audits, AUDIT_FRESH, AUDIT_USUAL, margins) : compare_usual(audits, margins)};
  struct audit_words words = all[0];
  for (int i = 1; i < 3; i++)
    if (all[i].remembers > words.remembers || (!words.remembers && all[i].suspect > words.suspect)) words = all[i];
  words.limit = unseen_share(audits, margins);
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

static double standard_deviation(const struct calls *calls, double median) {
  double squares = 0;
  for (uint32_t i = 0; i < calls->count; i++)
    squares += (calls->ns[i] - median) * (calls->ns[i] - median);
  return sqrt(squares / (calls->count - 1.0));
}

/* Returns the larger of two estimates of the median's uncertainty, from n values.
 *
 * (1) 1.2533 s / sqrt(n), the standard error for normal noise, increased for small n. The deviation s follows from the
 *     median distance from the median, which may be small by chance.
 * (2) With fewer than FEW values, the same with the plain standard deviation. With more values, from a 95% interval of
 *     the median, which a few outliers do not widen. */
double audit_median_uncertainty(const struct audits *audits, enum audit_kind kind) {
  enum { MORE = 6, FEW = 10 };
  const double reach95 = 1.96;
  struct calls calls = calls_of(audits, kind);
  const double n = calls.count, median = stats_median(calls.ns, calls.count);
  if (calls.count < 2) return NAN;
  const double of_median = 1.2533 / sqrt(n) * sqrt((n + MORE) / n);
  const double near = of_median * 1.4826 * stats_deviation(calls.ns, calls.count, median);
  if (calls.count < FEW) return fmax(near, of_median * standard_deviation(&calls, median));
  const struct interval ci95 = stats_quantile_interval(calls.ns, calls.count, 0.5, n);
  return fmax(near, (ci95.hi - ci95.lo) / 2 / reach95);
}

double audit_saved(const struct audits *audits, double stated_ns, double unseen) {
  const double work_ns = audit_median(audits, AUDIT_FRESH);
  return isnan(work_ns) ? 1 : 1 - (1 - unseen) * fmin(1, stated_ns / work_ns);
}

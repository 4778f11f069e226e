/* Pairs of samples, and what they accuse of. */
#include "stats/audit.h"

#include <math.h>

#include "stats/math.h"

void audit_note(struct audits *audits, bool fresh, double ns) {
  struct audit *last = &audits->pairs[audits->count > 0 ? audits->count - 1 : 0];
  if (fresh && audits->count < AUDITS_MAX) audits->pairs[audits->count++] = (struct audit){ns, NAN};
  if (!fresh && audits->count > 0 && isnan(last->seen_ns)) last->seen_ns = ns;
}

/* How many of all comparisons of a first sample with a second one find the first slower: Mann and Whitney's U, of 1. */
static double share_slower(const double *fresh, const double *seen, uint32_t n) {
  double u = 0;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < n; j++)
      u += fresh[i] > seen[j] ? 1 : fresh[i] == seen[j] ? 0.5 : 0;
  return u / n / n;
}

/* An accusation, so it takes much: of ten pairs alike 1 in 10,000 has a share of 0.95, and of twenty one of 0.85.
 * Twenty are for whom ten do not convict: a disturbed sample may cost a tenth of them. And by 3%, or by half where
 * repeated work may honestly gain as much. */
struct audit_words audit_judge(const struct audits *audits, double learned_ns) {
  enum { FIRST_LOOK = 10, LAST_LOOK = 20 };
  double fresh[AUDITS_MAX], seen[AUDITS_MAX];
  struct audit_words words = {.fresh_ns = NAN, .seen_ns = NAN};
  for (uint32_t i = 0; i < audits->count; i++) {
    if (isnan(audits->pairs[i].seen_ns)) continue;
    fresh[words.count] = audits->pairs[i].fresh_ns;
    seen[words.count++] = audits->pairs[i].seen_ns;
  }
  if (words.count == 0) return words;
  const double share = share_slower(fresh, seen, words.count);
  words.fresh_ns = stats_median(fresh, words.count);
  words.seen_ns = stats_median(seen, words.count);
  const double least = words.fresh_ns - words.seen_ns < learned_ns ? 1.5 : 1.03;
  if (words.fresh_ns <= least * words.seen_ns) return words;
  words.remembers = (words.count == FIRST_LOOK && share >= 0.95) || (words.count >= LAST_LOOK && share >= 0.85);
  words.suspect = !words.remembers && words.count < LAST_LOOK && share >= 0.7;
  return words;
}

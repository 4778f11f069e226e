/* Pairs of samples, and what they accuse of. */
#include "audit.h"

#include <math.h>

#include "stats_math.h"

void audit_note(struct audits *audits, bool fresh, double ns) {
  struct audit *last = &audits->pairs[audits->count > 0 ? audits->count - 1 : 0];
  if (fresh && audits->count < AUDITS_MAX) audits->pairs[audits->count++] = (struct audit){ns, NAN};
  if (!fresh && audits->count > 0 && isnan(last->seen_ns)) last->seen_ns = ns;
}

/* An accusation, so it takes much: every first sample slower than every second one but one, which may have been
 * disturbed. Of ten pairs alike fewer than 1 in 10,000 are divided like that. And by 3%, or by half where repeated work
 * may honestly gain as much. */
struct audit_words audit_judge(const struct audits *audits, double learned_ns) {
  double fresh[AUDITS_MAX], seen[AUDITS_MAX];
  struct audit_words words = {.fastest_ns = NAN, .seen_ns = NAN};
  for (uint32_t i = 0; i < audits->count; i++) {
    if (isnan(audits->pairs[i].seen_ns)) continue;
    fresh[words.count] = audits->pairs[i].fresh_ns;
    seen[words.count++] = audits->pairs[i].seen_ns;
  }
  if (words.count == 0) return words;
  const double fresh_ns = stats_median(fresh, words.count); /* which sorts them */
  words.seen_ns = stats_median(seen, words.count);
  words.fastest_ns = fresh[0];
  const double slowest_ns = seen[words.count > 1 ? words.count - 2 : 0];
  const double least = fresh_ns - words.seen_ns < learned_ns ? 1.5 : 1.03;
  words.remembers = words.fastest_ns > slowest_ns && fresh_ns > least * words.seen_ns;
  words.sure = words.count >= AUDITS_SURE;
  return words;
}

/* Does a variant remember its inputs? Pairs of samples that differ in one thing: before the first its work is still to
 * be done, before the second it has been done. Pure. */
#ifndef STATS_AUDIT_H
#define STATS_AUDIT_H

#include <stdbool.h>
#include <stdint.h>

enum { AUDITS_MAX = 32 };

struct audits {
  struct audit {
    double fresh_ns, seen_ns; /* NaN: not yet */
  } pairs[AUDITS_MAX];
  uint32_t count;
};

/* The first sample of a pair, or its second. Those of more than AUDITS_MAX pairs are not kept. */
void audit_note(struct audits *audits, bool fresh, double ns);

struct audit_words {
  bool remembers;           /* enough pairs say so */
  bool suspect;             /* some do, and more are wanted */
  uint32_t count;           /* of pairs */
  double fresh_ns, seen_ns; /* medians: with work to be done, and with it done */
};

/* `learned_ns`: what honest work may gain when it is repeated. */
struct audit_words audit_judge(const struct audits *audits, double learned_ns);

#endif

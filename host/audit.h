/* Does a variant remember its inputs? Pairs of samples that differ in one thing: before the first its work is still to
 * be done, before the second it has been done. Pure. */
#ifndef AUDIT_H
#define AUDIT_H

#include <stdbool.h>
#include <stdint.h>

enum { AUDITS_MAX = 32, AUDITS_SURE = 10 };

struct audits {
  struct audit {
    double fresh_ns, seen_ns; /* NaN: not yet */
  } pairs[AUDITS_MAX];
  uint32_t count;
};

/* The first sample of a pair, or its second. Those of more than AUDITS_MAX pairs are not kept. */
void audit_note(struct audits *audits, bool fresh, double ns);

struct audit_words {
  bool remembers, sure;       /* sure: no more pairs are needed to say so */
  uint32_t count;             /* of pairs */
  double fastest_ns, seen_ns; /* the fastest with work to be done; the median of the others */
};

/* `learned_ns`: what honest work may gain when it is repeated. */
struct audit_words audit_judge(const struct audits *audits, double learned_ns);

#endif

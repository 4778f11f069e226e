/* What rows say of joules beyond their figures: which of a case's variants nothing beats in both time and joules, and
 * whether the counter can be believed. Pure. */
#ifndef REPORTS_JOULES_H
#define REPORTS_JOULES_H

#include <stdbool.h>
#include <stddef.h>

#include "record/record.h"
#include "record/run_data.h"

#define JOULES_SELFTEST "gpubench.org/energy/selftest/1"

/* Are its joules and its time known? May be NULL. */
bool joules_known(const struct record *record);
/* Was anything said of its joules, be it why there are none? May be NULL. */
bool joules_asked(const struct record *record);

struct joules_point {
  double ns, joules;
  bool front; /* no other is at least as good in both and better in one */
};
void joules_front(struct joules_point *points, size_t count);

/* A load that pulses with the counter's step drew the same in all phases, or it did not. */
enum joules_trust { JOULES_UNTESTED, JOULES_AGREES, JOULES_UNSURE, JOULES_ALIASES };
struct joules_verdict {
  enum joules_trust trust;
  size_t phases;
  double spread; /* (largest - smallest) / mean of their joules; of several cases the worst */
  double period_ms;
};

/* Are both of the same devices in the same run? */
bool joules_same_device(const struct run_data *data, const struct record *a, const struct record *b);
/* Of the selftest's rows of the devices that `record` was measured on, in its run. */
struct joules_verdict joules_verdict(const struct run_data *data, const struct record *record);
/* "the counter does not alias: 10 phases agree within 0.8%" */
void joules_verdict_text(const struct joules_verdict *verdict, char *to, size_t size);

#endif

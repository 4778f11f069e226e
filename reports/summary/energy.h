/* What rows say of joules beyond their figures: which of a case's variants nothing beats in both time and joules, and
 * whether the counter can be believed. Pure. */
#ifndef SUMMARY_ENERGY_H
#define SUMMARY_ENERGY_H

#include <stdbool.h>
#include <stddef.h>

#include "record/record.h"
#include "record/run_data.h"

#define ENERGY_SELFTEST "gpubench.org/energy/selftest/1"

/* Are its joules and its time known? May be NULL. */
bool energy_known(const struct record *record);
/* Was anything said of its joules, be it why there are none? May be NULL. */
bool energy_asked(const struct record *record);

struct energy_point {
  double ns, joules;
  bool front; /* no other is at least as good in both and better in one */
};
void energy_front(struct energy_point *points, size_t count);

/* A load that pulses with the counter's step drew the same in all phases, or it did not. */
enum energy_trust { ENERGY_UNTESTED, ENERGY_AGREES, ENERGY_UNSURE, ENERGY_ALIASES };
struct energy_verdict {
  enum energy_trust trust;
  size_t phases;
  double spread; /* (largest - smallest) / mean of their joules; of several cases the worst */
  double period_ms;
};

/* Are both of the same devices in the same run? */
bool energy_same_device(const struct run_data *data, const struct record *a, const struct record *b);
/* Of the selftest's rows of the devices that `record` was measured on, in its run. */
struct energy_verdict energy_verdict(const struct run_data *data, const struct record *record);
/* "the counter does not alias: 10 phases agree within 0.8%" */
void energy_verdict_text(const struct energy_verdict *verdict, char *to, size_t size);

#endif

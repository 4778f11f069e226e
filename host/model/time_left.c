#include "model/time_left.h"

#include <math.h>
#include <stdint.h>

/* A case plans to use only this share of the time that the run has for it. The rest is for one more round and for the
 * work after sampling. */
static const double aimed_share = 0.8;
/* A case that has not reached the six rounds that a verdict (faster, slower or same) needs may take 1.5 times as long
 * as planned (model/enough.h). Therefore only this share of the longest time that it may take is planned. */
static const double without_words = 2.0 / 3;

/* If no variant of a case fits into the remaining time, the quickest one is measured nevertheless, provided that this
 * share of the time that it needs remains and no other case waits for that time. */
static const double tried_share = 1.0 / 3;

double time_busy(double share, double load, double processors) {
  /* all processors are free now; `load` is not used, because it may still count work that has ended */
  if (share >= 1) return 1;
  const double now = 1 / share, lately = isnan(load) ? 1 : (processors + load) / processors;
  return fmin(TIME_BUSIEST, fmax(1, fmax(now, lately)));
}

double time_part_s(const struct time_left *t) {
  const double promised_s = t->own_s + t->after_s, least_s = t->own_least_s + t->after_least_s;
  const double there_s = t->left_s - t->kept_s, free_s = there_s - t->times * promised_s;
  const double part_s = promised_s > 0 ? aimed_share * t->own_s / promised_s * there_s : 0;
  const double aimed_s = fmax(part_s, free_s > 0 ? t->times * t->own_s + free_s / 2 : 0);
  const double most_s = t->left_s - t->times * t->after_least_s;
  if (aimed_s <= most_s) return aimed_s;
  const double scarce_s = least_s > 0 ? t->own_least_s / least_s * t->left_s : t->left_s;
  return without_words * fmax(most_s, scarce_s);
}

double time_last_s(const struct time_left *t) {
  const double promised_s = t->own_s + t->after_s, least_s = t->own_least_s + t->after_least_s;
  const double share = fmax(promised_s > 0 ? t->after_s / promised_s : 0, least_s > 0 ? t->after_least_s / least_s : 0);
  const double others_s = fmax(t->times * t->after_least_s, t->after_s);
  return t->left_s - fmin(others_s, share * fmax(t->left_s, 0));
}

/* Marks variants as left out, longest first, until the rest fit into `left_s`. Those marked in `kept` (NULL: none) are
 * never left out. Returns how many variants remain, or 0 if those in `kept` do not fit. */
static size_t leave_longest(const double *needs_s, const bool *kept, size_t count, double left_s, bool *left_out) {
  size_t remaining = 0;
  double sum_s = 0;
  for (size_t i = 0; i < count; i++) {
    left_out[i] = false;
    remaining += needs_s[i] > 0;
    sum_s += needs_s[i];
  }
  while (sum_s > left_s && remaining > 0) {
    size_t longest = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
      const bool may_go = needs_s[i] > 0 && !left_out[i] && (kept == NULL || !kept[i]);
      if (may_go && (longest == SIZE_MAX || needs_s[i] > needs_s[longest])) longest = i;
    }
    if (longest == SIZE_MAX) return 0; /* all that remain are marked in `kept`, and they do not fit */
    left_out[longest] = true;
    sum_s -= needs_s[longest];
    remaining--;
  }
  return remaining;
}

/* Leaves out variants, longest first, until the rest fit into `left_s`, but none that is marked in `bases` (the
 * variants that others are compared with). Returns true if these fit together with at least half of the other
 * variants. */
static bool bases_fit(const double *needs_s, const bool *bases, size_t count, double left_s, bool *left_out) {
  size_t base_count = 0, all = 0;
  for (size_t i = 0; i < count; i++) {
    all += needs_s[i] > 0;
    base_count += needs_s[i] > 0 && bases[i];
  }
  const size_t remaining = leave_longest(needs_s, bases, count, left_s, left_out);
  return base_count > 0 && remaining > base_count && 2 * (remaining - base_count) >= all - base_count;
}

void time_leave_out(const double *needs_s, const bool *bases, size_t count, double left_s, bool others_wait,
                    bool *left_out) {
  if (bases_fit(needs_s, bases, count, left_s, left_out)) return;
  if (leave_longest(needs_s, NULL, count, left_s, left_out) > 0 || others_wait) return;
  size_t last = SIZE_MAX; /* the quickest one */
  for (size_t i = 0; i < count; i++)
    if (needs_s[i] > 0 && (last == SIZE_MAX || needs_s[i] < needs_s[last])) last = i;
  if (last < count && needs_s[last] * tried_share <= left_s) left_out[last] = false;
}

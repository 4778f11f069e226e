#include "model/time_left.h"

#include <math.h>
#include <stdint.h>

/* A bound that is announced for a busy machine is at most so many times that of an idle one. */
static const double busiest = 4;
/* Of its part a case aims at so much: a round more, and what comes after the samples, may take the rest. */
static const double aimed_share = 0.8;
/* Words need six rounds, for which a case takes half as much time again (model/enough.h). */
static const double without_words = 2.0 / 3;

/* Who needs that share of what it should have is tried where nobody else would have the time. */
static const double tried_share = 1.0 / 3;

double time_busy(double share, double load, double processors) {
  if (share >= 1) return 1; /* whatever ran before us has ended */
  const double now = 1 / share, lately = isnan(load) ? 1 : (processors + load) / processors;
  return fmin(busiest, fmax(1, fmax(now, lately)));
}

double time_part_s(const struct time_left *t) {
  const double promised_s = t->own_s + t->after_s, least_s = t->own_least_s + t->after_least_s;
  const double free_s = t->left_s - t->times * promised_s;
  const double part_s = promised_s > 0 ? aimed_share * t->own_s / promised_s * t->left_s : 0;
  const double aimed_s = fmax(part_s, free_s > 0 ? t->times * t->own_s + free_s / 2 : 0);
  const double kept_s = t->left_s - t->times * t->after_least_s;
  if (aimed_s <= kept_s) return aimed_s;
  const double scarce_s = least_s > 0 ? t->own_least_s / least_s * t->left_s : t->left_s;
  return without_words * fmax(kept_s, scarce_s);
}

void time_leave_out(const double *needs_s, size_t count, double left_s, bool others_wait, bool *left_out) {
  size_t kept = count;
  double sum_s = 0;
  for (size_t i = 0; i < count; i++) {
    left_out[i] = false;
    sum_s += needs_s[i];
  }
  while (sum_s > left_s && kept > 0) {
    size_t longest = SIZE_MAX;
    for (size_t i = 0; i < count; i++)
      if (!left_out[i] && (longest == SIZE_MAX || needs_s[i] > needs_s[longest])) longest = i;
    if (kept == 1 && !others_wait && needs_s[longest] * tried_share <= left_s) return;
    left_out[longest] = true;
    sum_s -= needs_s[longest];
    kept--;
  }
}

#include "lengths.h"

static int64_t common_divisor(int64_t a, int64_t b) {
  while (b != 0) {
    const int64_t left = a % b;
    a = b;
    b = left;
  }
  return a;
}

static double length_weight(const struct lengths *l, int64_t i) {
  const double rank = (double)(1 + (i * l->step + l->sequences / 2) % l->sequences);
  return l->how == 'e' ? 1.0 : l->how == 'u' ? rank : 1.0 / rank;
}

/* Starts to enumerate the sequences. Each has a different rank from 1 to `sequences`, on which its length depends
 * (unless all lengths are equal). From one sequence to the next, the rank grows by about 0.618 * `sequences`, modulo
 * `sequences`, so that long and short sequences alternate. This step has no common divisor with `sequences`; therefore
 * every rank occurs. */
struct lengths lengths_begin(const char *how, int64_t total, int64_t sequences) {
  struct lengths l = {.total = total, .sequences = sequences, .how = how[0]};
  l.step = sequences * 618 / 1000 + 1;
  while (common_divisor(l.step, sequences) != 1)
    l.step++;
  for (int64_t i = 0; i < sequences; ++i)
    l.all += length_weight(&l, i);
  return l;
}

int64_t lengths_next(struct lengths *l) {
  l->sum += length_weight(l, l->next++);
  if (l->next == l->sequences) return l->total;
  return l->next + (int64_t)((double)(l->total - l->sequences) * l->sum / l->all);
}

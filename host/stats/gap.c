/* Names of gaps, and those that a row shows by itself. */
#include "stats/gap.h"

#include <math.h>
#include <string.h>

static const char *const names[GAPS] = {"",
                                        "busy machine",
                                        "too few rounds",
                                        "interrupted",
                                        "above the roof",
                                        "undecided (one process)",
                                        "too noisy",
                                        "slower by an unsure amount",
                                        "not alike",
                                        "no interval",
                                        "not timed",
                                        "missing"};

const char *gap_name(enum gap gap) {
  return names[gap];
}

enum gap gap_parse(const char *name) {
  for (enum gap gap = GAP_CONTENDED; gap < GAPS; gap++)
    if (strcmp(name, names[gap]) == 0) return gap;
  return GAP_NONE;
}

enum gap gap_of_row(bool contended, int64_t rounds) {
  if (contended) return GAP_CONTENDED;
  return rounds < WORD_ROUNDS ? GAP_ROUNDS : GAP_NONE;
}

bool gap_is_noisy(double lo, double hi, double most) {
  return !(log(hi / lo) / 2 <= log1p(most));
}

const char *gap_or_word(const struct ratio *ratio, bool contended) {
  const enum verdict word = stats_verdict(ratio);
  enum gap gap = gap_of_row(contended, (int64_t)ratio->rounds);
  if (gap == GAP_NONE && word == VERDICT_UNDECIDED && gap_is_noisy(ratio->lo95, ratio->hi95, GAP_NOISY_HALF))
    gap = GAP_NOISY;
  if (gap == GAP_NONE && stats_needs_processes(ratio)) gap = GAP_PROCESSES;
  return gap != GAP_NONE ? gap_name(gap) : stats_verdict_name(word);
}

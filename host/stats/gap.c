/* A gap is the reason why a ratio or a row has no verdict. This file has the names of gaps, and the rules that choose
 * between a verdict and a gap. */
#include "stats/gap.h"

#include <math.h>
#include <string.h>

static const char *const names[GAPS] = {"",
                                        "busy machine",
                                        "too few rounds",
                                        "interrupted",
                                        "above the ceiling",
                                        "undecided (one process)",
                                        "undecided (launch)",
                                        "undecided (one of many)",
                                        "unproven",
                                        "not checked alone",
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

bool gap_is_undecided(enum gap gap) {
  return gap == GAP_PROCESSES || gap == GAP_LAUNCH || gap == GAP_MANY || gap == GAP_UNPROVEN || gap == GAP_ALONE;
}

bool gap_is_unchecked(enum gap gap) {
  return gap == GAP_ALONE || gap == GAP_CONTENDED || gap == GAP_ROUNDS;
}

enum gap gap_of_row(bool contended, int64_t rounds) {
  if (contended) return GAP_CONTENDED;
  return rounds < WORD_ROUNDS ? GAP_ROUNDS : GAP_NONE;
}

bool gap_is_beyond(double lo99, double hi99) {
  return lo99 > GAP_CONTENTION || hi99 < 1 / GAP_CONTENTION;
}

bool gap_is_noisy(double lo, double hi, double most) {
  return !(log(hi / lo) / 2 <= log1p(most));
}

/* Returns the verdict "faster" or "slower" if the variants differ in every single round by more than contention can
 * explain (GAP_EACH_ROUND); VERDICT_NONE otherwise. */
static enum verdict word_of_each(const struct ratio *ratio) {
  if (!(fabs(ratio->nearest) > log(GAP_EACH_ROUND))) return VERDICT_NONE;
  return ratio->nearest < 0 ? VERDICT_FASTER : VERDICT_SLOWER;
}

/* A verdict must hold for the times with the launch overhead (`ratio`) and without it (`less`). If the ratio without it
 * is not known, the gap is GAP_LAUNCH, even if processes are missing too: more processes would not help. */
const char *gap_or_word(const struct ratio *ratio, const struct ratio *less, bool contended) {
  enum gap gap = gap_of_row(contended, (int64_t)ratio->rounds);
  const enum verdict each = gap != GAP_NONE && ratio->speedup > 0 ? word_of_each(ratio) : VERDICT_NONE;
  const enum verdict word = each != VERDICT_NONE ? each : stats_verdict(ratio);
  const bool decided = word != VERDICT_NONE && word != VERDICT_UNDECIDED, lost = less != NULL && !(less->speedup > 0);
  if (decided && (each != VERDICT_NONE || gap_is_beyond(ratio->lo99, ratio->hi99))) gap = GAP_NONE;
  if (gap == GAP_NONE && word == VERDICT_UNDECIDED && gap_is_noisy(ratio->lo95, ratio->hi95, GAP_NOISY_HALF))
    gap = GAP_NOISY;
  if (gap == GAP_NONE && decided && lost) gap = GAP_LAUNCH;
  if (gap == GAP_NONE && stats_needs_processes(ratio)) gap = GAP_PROCESSES;
  if (gap == GAP_NONE && decided && less != NULL && stats_verdict(less) != word) gap = GAP_LAUNCH;
  return gap != GAP_NONE ? gap_name(gap) : stats_verdict_name(word);
}

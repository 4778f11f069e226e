/* Names of gaps, and those that a row shows by itself. */
#include "stats/gap.h"

#include <string.h>

static const char *const names[GAPS] = {
    "",          "busy machine", "too few rounds", "interrupted", "too noisy", "slower by an unsure amount",
    "not alike", "no interval",  "not timed",      "missing"};

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

/* Looks and counts of the four words. */
#include "summary/verdict.h"

#include <string.h>

#include "base/phrase.h"
#include "base/text.h"

struct verdict_look verdict_look(const char *verdict, bool utf8) {
  static const struct verdict_look looks[][2] = {
      {{"+ ", "faster", GRID_BLUE}, {"\xE2\x96\xB2 ", "faster", GRID_BLUE}},
      {{"- ", "slower", GRID_ORANGE}, {"\xE2\x96\xBC ", "slower", GRID_ORANGE}},
      {{"= ", "same", GRID_PLAIN}, {"= ", "same", GRID_PLAIN}},
      {{"? ", "undecided", GRID_PLAIN}, {"? ", "undecided", GRID_PLAIN}},
  };
  for (size_t i = 0; verdict != NULL && i < sizeof looks / sizeof looks[0]; i++)
    if (strcmp(verdict, looks[i][0].word) == 0) return looks[i][utf8];
  const enum gap gap = gap_parse(text_or_empty(verdict));
  return (struct verdict_look){"", gap_name(gap), GRID_FAINT};
}

struct verdict_counts verdict_counts(const struct run_bench *bench) {
  struct verdict_counts counts = {0};
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);) {
    if (!row_contends(at.row) || !row_is_twin(at.row)) continue;
    const char *verdict = row_verdict(at.row);
    counts.faster += text_same(verdict, "faster");
    counts.slower += text_same(verdict, "slower");
    counts.same += text_same(verdict, "same");
    const enum gap gap = gap_parse(verdict);
    counts.undecided += text_same(verdict, "undecided") || gap_is_undecided(gap);
    counts.none += gap != GAP_NONE && !gap_is_undecided(gap);
  }
  return counts;
}

static void add_count(char *to, size_t size, size_t count, const char *what) {
  if (count > 0) phrase_add(to, size, ", ", "%zu %s", count, what);
}

void verdict_counts_text(const struct verdict_counts *counts, char *to, size_t size) {
  to[0] = '\0';
  add_count(to, size, counts->faster, "faster");
  add_count(to, size, counts->slower, "slower");
  add_count(to, size, counts->same, "same");
  add_count(to, size, counts->undecided, "undecided");
  add_count(to, size, counts->none, "without a verdict");
}

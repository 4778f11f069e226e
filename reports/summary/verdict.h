/* The words of comparisons: how they look wherever they are shown, and how many there are of each. Pure. */
#ifndef SUMMARY_VERDICT_H
#define SUMMARY_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/grid.h"
#include "summary/bench.h"

/* A glyph and a word, and a colour for those who see it. */
struct verdict_look {
  const char *glyph; /* with the space after it; may be empty */
  const char *word;
  enum grid_style style;
};

/* Also of the reasons why there is no word, which have no glyph. Empty for a verdict that is NULL or unknown. */
struct verdict_look verdict_look(const char *verdict, bool utf8);

struct verdict_counts {
  size_t faster, slower, same, undecided, none;
};
/* Of the rows that are compared with their twins. */
struct verdict_counts verdict_counts(const struct run_bench *bench);
/* "1 faster, 9 same"; empty where there are none. */
void verdict_counts_text(const struct verdict_counts *counts, char *to, size_t size);

#endif

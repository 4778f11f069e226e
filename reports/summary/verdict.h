/* What the word of a comparison looks like, wherever it is shown. Pure. */
#ifndef SUMMARY_VERDICT_H
#define SUMMARY_VERDICT_H

#include <stdbool.h>

#include "base/grid.h"

/* A glyph and a word, and a colour for those who see it. */
struct verdict_look {
  const char *glyph; /* with the space after it; may be empty */
  const char *word;
  enum grid_style style;
};

/* Empty for a verdict that is NULL or no word that we know. */
struct verdict_look verdict_look(const char *verdict, bool utf8);

#endif

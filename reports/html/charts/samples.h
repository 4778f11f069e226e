/* Samples of a case, ready to be drawn. html/charts/samples.c makes them, html/charts/rounds.c draws them over the
 * rounds. */
#ifndef HTML_CHARTS_SAMPLES_H
#define HTML_CHARTS_SAMPLES_H

#include "html/page.h"

/* One variant of the case: those without samples are left out. */
struct sampled {
  const struct record *row;
  const struct run_samples *samples;
  size_t place;    /* of the variant in its bench */
  double *percent; /* ascending: each sample's distance from the median */
};

struct sampled_case {
  const struct page *page;
  const struct run_bench *bench;
  const struct run_case *point;
  struct sampled *items;
  size_t count;
  const char *name; /* of bench and case, for titles */
  size_t number;    /* on the page, for ids */
};

void html_rounds(const struct sampled_case *sampled);

#endif

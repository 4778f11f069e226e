/* Samples of a case, prepared for drawing. html/charts/samples.c fills in these structs; html/charts/rounds.c draws the
 * samples in the order in which they were taken. */
#pragma once

#include "html/page.h"

/* A variant of the case. Variants without samples are left out. */
struct sampled {
  const struct record *row;
  const struct run_samples *samples;
  size_t place;    /* index of the variant in its bench */
  double *percent; /* distance of each sample from the median in percent, ascending */
};

struct sampled_case {
  const struct page *page;
  const struct run_bench *bench;
  const struct run_case *point;
  struct sampled *items;
  size_t count;
  const char *name; /* names of bench and case, for titles */
  size_t number;    /* number of the case on the page, for ids */
};

void html_rounds(const struct sampled_case *sampled);

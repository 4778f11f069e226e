/* One chart as inline SVG. Geometry and colours are attributes, so that it stays whole where style sheets and scripts
 * are blocked; text takes the page's colour. Knows nothing of records. */
#ifndef REPORTS_SVG_H
#define REPORTS_SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { SVG_COLORS = 8 };

/* Okabe-Ito's colours, orange, sky and purple darkened: each at least 3:1 against the light and the dark page. */
extern const char *const svg_colors[SVG_COLORS];

struct svg_point {
  double y, lo, hi; /* NaN: not known */
  char *tip;        /* shown on hover and read out; may be NULL */
};

struct svg_series {
  const char *name;
  bool limit;               /* a ceiling: a line without marks */
  struct svg_point *points; /* one per category */
};

struct svg_chart {
  const char *id; /* unique on the page; made by us */
  const char *title, *description, *unit;
  const char **categories;
  size_t category_count;
  struct svg_series *series;
  size_t series_count;
};

/* Lines with one mark per category; bars where there is only one category. */
void svg_chart(FILE *out, const struct svg_chart *chart);

#endif

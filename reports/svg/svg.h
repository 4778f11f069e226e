/* Charts as inline SVG. Geometry and colours are attributes, so that a chart stays whole where style sheets and
 * scripts are blocked; text takes the page's colour. Knows nothing of records. Numbers that are not finite, or not
 * positive on a scale that cannot have them, are left out. */
#ifndef SVG_SVG_H
#define SVG_SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { SVG_COLORS = 16, SVG_WIDTH = 480 };

/* Okabe-Ito's colours, orange, sky and purple darkened; then those that differ most from all before them, also for
 * whoever sees no green. Each at least 3:1 against the light and the dark page. */
extern const char *const svg_colors[SVG_COLORS];

/* What every chart says of itself. The id is unique on the page and made by us; the rest is untrusted. */
struct svg_head {
  const char *id, *title, *description;
};

/* Lines with one mark per category where an axis of numbers orders them, else rows of marks; bars where there is only
 * one category. */
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
  struct svg_head head;
  const char *unit; /* of y, above the chart */
  bool bytes;       /* y counts bytes */
  bool intervals;   /* its figures have some: one that is not known is drawn so */
  const char **categories;
  size_t category_count;
  const double *x;    /* ascending places of the categories on an axis of numbers; NULL: nothing orders them */
  const char *x_name; /* of that axis, or what the categories are values of; NULL: they need no such word */
  struct svg_series *series;
  size_t series_count;
};

void svg_chart(FILE *out, const struct svg_chart *chart);

/* Distribution of samples around their median, one row for each variant on a common scale. */
struct svg_spread_row {
  const char *name, *note;
  size_t place;          /* of the variant among its bench's: colour and mark */
  const double *percent; /* ascending: how far each sample is from the median */
  size_t count;
  double tick; /* the clock's step in percent; 0: not known */
};

struct svg_spread {
  struct svg_head head;
  const struct svg_spread_row *rows;
  size_t count;
};

void svg_spread(FILE *out, const struct svg_spread *spread);

/* One strip for each variant over the rounds of a case, below them the clock and when the device was slowed down. */
struct svg_track {
  const char *name, *note;
  size_t place;
  double *x, *y; /* round, and percent from the median (the clock: MHz) */
  size_t count;
};

struct svg_rounds {
  struct svg_head head;
  const struct svg_track *tracks;
  size_t track_count;
  struct svg_track clock;  /* count 0: not known */
  const double *throttled; /* x */
  size_t throttled_count;
  const char *throttled_note;
  const double *breaks; /* x at which another process begins */
  size_t break_count;
  double rounds; /* x goes from 0 to this */
  double step;   /* between points that follow each other */
};

void svg_rounds(FILE *out, const struct svg_rounds *rounds);

/* Rate against operations per byte, below what the machine was seen to sustain. */
struct svg_roof {
  const char *name;
  double gb_per_s, tflops; /* one of them; the other NaN */
  double least_gb_per_s;   /* of several memory roofs that are one line; NaN: it is one */
};

struct svg_roof_point {
  double intensity, tflops;
  size_t place;
  size_t number; /* of its case, from 1 on; 0: it needs none */
  char *tip;     /* may be NULL */
};

struct svg_roofline {
  struct svg_head head;
  const struct svg_roof *roofs;
  size_t roof_count;
  const struct svg_roof_point *points;
  size_t point_count;
  const char *const *names; /* of the variants, by place */
  size_t name_count;
};

void svg_roofline(FILE *out, const struct svg_roofline *roofline);

/* What went on when: a row for each lane, a bar for each span. */
struct svg_lane {
  const char *name;
  bool strong;   /* in bold */
  size_t levels; /* bars of it at once */
};

struct svg_bar { /* of lanes in their order, each in order of time */
  size_t lane, level;
  double from, to;
  const char *label, *tip; /* within it where there is room, and on hover; may be NULL */
};

struct svg_timeline {
  struct svg_head head;
  const char *unit; /* of time, below the axis */
  const struct svg_lane *lanes;
  size_t lane_count;
  const struct svg_bar *bars;
  size_t bar_count;
  double from, to;
};

void svg_timeline(FILE *out, const struct svg_timeline *timeline);

/* Joules against time, a mark for each variant. */
struct svg_pareto_point {
  double x, y; /* time in `unit`, joules */
  size_t place;
  bool front; /* nothing is at least as good in both and better in one */
  const char *name;
  char *tip; /* may be NULL */
};

struct svg_pareto {
  struct svg_head head;
  const char *unit; /* of time */
  const struct svg_pareto_point *points;
  size_t point_count;
};

void svg_pareto(FILE *out, const struct svg_pareto *pareto);

/* Power over time, a line for each variant: x in s, y in W; the note is its mark's tip. */
struct svg_power {
  struct svg_head head;
  const struct svg_track *tracks;
  size_t track_count;
};

void svg_power(FILE *out, const struct svg_power *power);

#endif

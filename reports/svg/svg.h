/* Charts as inline SVG. Geometry and colours are attributes, so that a chart stays complete if style sheets and scripts
 * are blocked; text takes the page's colour. The functions know nothing of records. They leave out numbers that are not
 * finite and, on scales that start at zero or are logarithmic, numbers that are not positive. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { SVG_COLORS = 16, SVG_WIDTH = 480 };

/* The colours of Okabe and Ito, with orange, sky blue and purple darkened; then colours that differ most from all
 * before them, including for readers who see no green. Each has a contrast of at least 3:1 against the light and the
 * dark page. */
extern const char *const svg_colors[SVG_COLORS];

/* Title and description of a chart. The id is unique on the page and trusted; the other texts are escaped. */
struct svg_head {
  const char *id, *title, *description;
};

/* A chart of series over categories. It is drawn as bars if there is a single category; as lines with a mark per
 * category if a numeric axis orders the categories; otherwise as a row of marks for each category. */
struct svg_point {
  double y, lo, hi; /* value and its interval; NaN: not known */
  char *tip;        /* shown on hover and read out by screen readers; may be NULL */
};

struct svg_series {
  const char *name;
  bool limit;               /* true for a ceiling, which is drawn as a line without marks */
  struct svg_point *points; /* one point for each category */
};

struct svg_chart {
  struct svg_head head;
  const char *unit; /* unit of y, written above the chart */
  bool bytes;       /* true if y counts bytes */
  bool intervals;   /* true if values have intervals; a value without one is drawn hollow */
  const char **categories;
  size_t category_count;
  const double *x;    /* ascending positions of the categories on a numeric axis; NULL: no axis orders them */
  const char *x_name; /* name of that axis, or what the categories are called; NULL: not shown */
  struct svg_series *series;
  size_t series_count;
};

void svg_chart(FILE *out, const struct svg_chart *chart);

/* Distribution of samples around their median: a row for each variant, on a common scale. */
struct svg_spread_row {
  const char *name, *note;
  size_t place;          /* index of the variant in its bench, which determines its colour and mark */
  const double *percent; /* distance of each sample from the median in percent, ascending */
  size_t count;
  double tick; /* the clock's resolution in percent; 0: not known */
};

struct svg_spread {
  struct svg_head head;
  const struct svg_spread_row *rows;
  size_t count;
};

void svg_spread(FILE *out, const struct svg_spread *spread);

/* Samples over the rounds of a case (a round takes some samples of every variant). The chart has a strip for each
 * variant; below the strips are the device's clock and the rounds in which the device was throttled. */
struct svg_track {
  const char *name, *note;
  size_t place;
  double *x, *y; /* x: number of the round; y: distance of the time from the median in percent, or the clock in MHz */
  size_t count;
};

struct svg_rounds {
  struct svg_head head;
  const struct svg_track *tracks;
  size_t track_count;
  struct svg_track clock;  /* the device's clock over the rounds; its count is 0 if the clock is not known */
  const double *throttled; /* the x of each round in which the device was throttled */
  size_t throttled_count;
  const char *throttled_note;
  const double *breaks; /* each x at which another worker process begins */
  size_t break_count;
  double rounds; /* end of the x axis, which begins at 0 */
  double step;   /* distance in x between consecutive rounds */
};

void svg_rounds(FILE *out, const struct svg_rounds *rounds);

/* Rate against operations per byte, below the ceilings that were measured on this machine. */
struct svg_ceiling {
  const char *name;
  double gb_per_s, tflops; /* one of the two is known; the other is NaN */
  double least_gb_per_s;   /* if several memory ceilings are drawn as this line, the lowest of them; otherwise NaN */
};

struct svg_ceiling_point {
  double intensity, tflops;
  size_t place;
  size_t number; /* number of the point's case, from 1; 0: the number is not shown */
  char *tip;     /* may be NULL */
};

struct svg_roofline {
  struct svg_head head;
  const struct svg_ceiling *ceilings;
  size_t ceiling_count;
  const struct svg_ceiling_point *points;
  size_t point_count;
  const char *const *names; /* names of the variants, indexed by the `place` of a point */
  size_t name_count;
};

void svg_roofline(FILE *out, const struct svg_roofline *roofline);

/* Spans over time: a row for each lane, a bar for each span. */
struct svg_lane {
  const char *name;
  bool strong;   /* true if the name is bold */
  size_t levels; /* number of bars that may overlap in this lane */
};

struct svg_bar { /* the bars are sorted by lane, then by time */
  size_t lane, level;
  double from, to;
  const char *label, *tip; /* label: inside the bar if there is room; tip: on hover; both may be NULL */
};

struct svg_timeline {
  struct svg_head head;
  const char *unit; /* unit of time, written below the axis */
  const struct svg_lane *lanes;
  size_t lane_count;
  const struct svg_bar *bars;
  size_t bar_count;
  double from, to;
};

void svg_timeline(FILE *out, const struct svg_timeline *timeline);

/* Joules against time: a mark for each variant. */
struct svg_pareto_point {
  double x, y; /* x: time in `unit`; y: joules */
  size_t place;
  bool front; /* true if no other point is at least as good in both and better in one */
  const char *name;
  char *tip; /* may be NULL */
};

struct svg_pareto {
  struct svg_head head;
  const char *unit; /* unit of time */
  const struct svg_pareto_point *points;
  size_t point_count;
};

void svg_pareto(FILE *out, const struct svg_pareto *pareto);

/* Power over time: a line for each variant, x in s, y in W. The note of a track is shown when the mark of its line is
 * hovered over. */
struct svg_power {
  struct svg_head head;
  const struct svg_track *tracks;
  size_t track_count;
};

void svg_power(FILE *out, const struct svg_power *power);

/* Boxes and arrows: what a diagram is made of, and where it lies once that is found. Knows nothing of runs. */
#ifndef DIAGRAM_DIAGRAM_H
#define DIAGRAM_DIAGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

enum diagram_look {
  DIAGRAM_PLAIN,
  DIAGRAM_STRONG, /* what the picture is about */
  DIAGRAM_STEP,   /* rounded: something is done */
  DIAGRAM_HOST,   /* rounded, grey: done by the CPU */
  DIAGRAM_MINOR,  /* rounded, dashed: done by the way */
  DIAGRAM_DATA,   /* square, with a bar: something lies here */
};

struct diagram_cluster {
  struct strings lines;            /* of its title */
  int width, height;               /* of the title */
  double left, top, right, bottom; /* found by the layout, as all places below */
};

struct diagram_node {
  struct strings lines; /* what fits, title first */
  size_t title_lines;
  char *tip; /* all of it */
  enum diagram_look look;
  int cluster; /* -1: in none */
  int place;   /* of a variant among its bench's: its mark is shown; -1: no mark */
  int width, height;
  double x, y; /* centre */
};

struct diagram_edge {
  size_t from, to;
  struct strings lines; /* of its label; may be empty */
  bool arrow, free;     /* free: does not make `to` come behind `from` */
  double weight;        /* 0 to 1: how thick */
  int width, height;
  double label_x, label_y;
  double *points; /* x, y, x, y ...: Bezier control points, at last the tip */
  size_t point_count;
};

struct diagram {
  char id[32];               /* unique on the page, made by us */
  char *title, *description; /* untrusted, as all texts here */
  bool across;               /* ranks go from left to right, not down */
  struct diagram_cluster *clusters;
  struct diagram_node *nodes;
  struct diagram_edge *edges;
  size_t cluster_count, node_count, edge_count;
  double width, height;
};

/* Title and description are copied. */
void diagram_init(struct diagram *d, const char *id, const char *title, const char *description);
void diagram_free(struct diagram *d);

/* Text is copied, wrapped, and cut where it is long. The first two return the index. */
size_t diagram_cluster(struct diagram *d, const char *title);
size_t diagram_node(struct diagram *d, int cluster, enum diagram_look look, const char *title);
void diagram_line(struct diagram *d, size_t node, const char *text); /* smaller, below the title; "" adds none */
/* These return the edge, until the next one is made. "" or NULL: no label. */
struct diagram_edge *diagram_edge(struct diagram *d, size_t from, size_t to, const char *label);
struct diagram_edge *diagram_link(struct diagram *d, size_t from, size_t to, const char *label); /* without an arrow */

/* Text into the lines of a box. Bounded: what is long is cut and ends in an ellipsis. */

/* Columns, and how many lines. */
enum { DIAGRAM_TITLE_MOST = 30, DIAGRAM_LINE_MOST = 34, DIAGRAM_LABEL_MOST = 22, DIAGRAM_LINES_MOST = 3 };

/* At most DIAGRAM_LINES_MOST lines of `most` columns, broken at spaces where there are any. */
void diagram_wrap(struct strings *lines, const char *text, size_t most);
/* Columns: one per code point, two for those of Asia. */
size_t diagram_columns(const char *text);

#endif

/* A diagram as boxes and arrows, without positions. Nothing here depends on the data of runs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

enum diagram_look {
  DIAGRAM_PLAIN,
  DIAGRAM_STRONG, /* the subject of the diagram */
  DIAGRAM_STEP,   /* an operation: a box with round corners */
  DIAGRAM_HOST,   /* an operation of the CPU: another colour */
  DIAGRAM_MINOR,  /* a minor operation: dashed */
  DIAGRAM_DATA,   /* data: a square box with a bar */
};

struct diagram_node {
  struct strings lines; /* lines of text in the box, those of the title first; cut to what fits */
  size_t title_lines;
  char *tip; /* the whole text, shown on hover */
  enum diagram_look look;
  int cluster; /* index of the node's cluster; -1: none */
  int place;   /* index in its bench of the variant whose mark (colour and shape) is drawn in the box; -1: none */
};

struct diagram_edge {
  size_t from, to;
  struct strings lines; /* the label; may have no lines */
  bool arrow, free;     /* free: the layout need not place the node `to` after the node `from` */
  double weight;        /* thickness of the line, from 0 to 1 */
};

struct diagram {
  char id[32];               /* unique on the page; trusted */
  char *title, *description; /* untrusted, as are all texts here */
  bool across;               /* ranks go from left to right instead of down */
  struct strings clusters;   /* their titles */
  struct diagram_node *nodes;
  struct diagram_edge *edges;
  size_t node_count, edge_count;
};

/* Copies title and description. */
void diagram_init(struct diagram *d, const char *id, const char *title, const char *description);
void diagram_free(struct diagram *d);

/* Add a cluster and a node. The text is copied, wrapped into lines and cut if it is long. Both return the index of the
 * new item. */
size_t diagram_cluster(struct diagram *d, const char *title);
size_t diagram_node(struct diagram *d, int cluster, enum diagram_look look, const char *title);
/* Adds a line in smaller type below the title. NULL or "" adds none. */
void diagram_line(struct diagram *d, size_t node, const char *text);
/* diagram_edge() adds an arrow and returns it; the pointer is valid until the next edge is added. A label of NULL or ""
 * is none. */
struct diagram_edge *diagram_edge(struct diagram *d, size_t from, size_t to, const char *label);
/* adds a line without an arrowhead */
struct diagram_edge *diagram_link(struct diagram *d, size_t from, size_t to, const char *label);

/* ---- Wrapping text into the lines of a box. Text that does not fit is cut and ends in an ellipsis. ---- */

/* The largest widths, in columns, of a line of a title, of further text and of a label; and the largest number of
 * lines. */
enum { DIAGRAM_TITLE_MOST = 30, DIAGRAM_LINE_MOST = 34, DIAGRAM_LABEL_MOST = 22, DIAGRAM_LINES_MOST = 3 };

/* Appends at most DIAGRAM_LINES_MOST lines of `most` columns each. Breaks at spaces if there are any. A code point
 * takes one column, or two if it is of an East Asian script. */
void diagram_wrap(struct strings *lines, const char *text, size_t most);

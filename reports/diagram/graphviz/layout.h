/* Constants of the protocol between gpubench-diagram and its caller; README.md describes the format. */
#pragma once

#define LAYOUT_HEADING "gpubench-diagram 1"

enum {
  LAYOUT_CLUSTERS_MAX = 32,
  LAYOUT_NODES_MAX = 96,
  LAYOUT_EDGES_MAX = 160,
  LAYOUT_PIXELS_MAX = 2000, /* width or height of a node or a label */
  LAYOUT_POINTS_MAX = 1000, /* largest number of points of an edge */
};

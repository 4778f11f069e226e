/* gpubench-diagram: reads the sizes of boxes, writes coordinates. README.md describes the format. */
#include <graphviz/gvc.h>
#include <graphviz/gvplugin.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "diagram/graphviz/layout.h"

enum { INPUT_MAX = 64 * 1024 };

struct box {
  int cluster, width, height;
};

struct line {
  int from, to, free, width, height;
};

struct request {
  int across, cluster_count, node_count, edge_count;
  struct box clusters[LAYOUT_CLUSTERS_MAX], nodes[LAYOUT_NODES_MAX];
  struct line edges[LAYOUT_EDGES_MAX];
};

static _Noreturn void refuse_request(const char *format, ...) __attribute__((format(printf, 1, 2)));
static _Noreturn void refuse_request(const char *format, ...) {
  va_list args;
  va_start(args, format);
  vprintf(format, args);
  va_end(args);
  putchar('\n');
  exit(EXIT_FAILURE);
}

/* ---- Reading the request ---- */

static int take_request_number(char **rest, int least, int most) {
  char *end;
  long value = strtol(*rest, &end, 10);
  if (end == *rest) refuse_request("a number is missing");
  if (value < least || value > most) refuse_request("%ld is not %d to %d", value, least, most);
  *rest = end;
  return (int)value;
}

static void read_boxes(char **rest, struct box *boxes, int count, int clusters) {
  for (int i = 0; i < count; i++) {
    boxes[i].cluster = clusters >= 0 ? take_request_number(rest, -1, clusters - 1) : -1;
    boxes[i].width = take_request_number(rest, 0, LAYOUT_PIXELS_MAX);
    boxes[i].height = take_request_number(rest, 0, LAYOUT_PIXELS_MAX);
  }
}

static void read_request(struct request *r) {
  static char input[INPUT_MAX];
  size_t size = fread(input, 1, sizeof input - 1, stdin), heading = strlen(LAYOUT_HEADING);
  char *rest = input + heading;
  if (strncmp(input, LAYOUT_HEADING, heading) != 0) refuse_request("this is no description for " LAYOUT_HEADING);
  if (size == sizeof input - 1) refuse_request("the description is too long");
  r->across = take_request_number(&rest, 0, 1);
  r->cluster_count = take_request_number(&rest, 0, LAYOUT_CLUSTERS_MAX);
  r->node_count = take_request_number(&rest, 1, LAYOUT_NODES_MAX);
  r->edge_count = take_request_number(&rest, 0, LAYOUT_EDGES_MAX);
  read_boxes(&rest, r->clusters, r->cluster_count, -1);
  read_boxes(&rest, r->nodes, r->node_count, r->cluster_count);
  for (int i = 0; i < r->edge_count; i++) {
    r->edges[i].from = take_request_number(&rest, 0, r->node_count - 1);
    r->edges[i].to = take_request_number(&rest, 0, r->node_count - 1);
    r->edges[i].free = take_request_number(&rest, 0, 1);
    r->edges[i].width = take_request_number(&rest, 0, LAYOUT_PIXELS_MAX);
    r->edges[i].height = take_request_number(&rest, 0, LAYOUT_PIXELS_MAX);
  }
}

/* ---- Building the graph: one pixel is one point of Graphviz ---- */

struct drawing {
  Agraph_t *graph, *clusters[LAYOUT_CLUSTERS_MAX];
  Agnode_t *nodes[LAYOUT_NODES_MAX];
  Agedge_t *edges[LAYOUT_EDGES_MAX];
};

static void set_attribute(void *object, const char *name, const char *value) {
  char copies[2][32]; /* copies, because in version 2.42 the functions of cgraph take char *, not const char * */
  snprintf(copies[0], sizeof copies[0], "%s", name);
  snprintf(copies[1], sizeof copies[1], "%s", value);
  agsafeset(object, copies[0], copies[1], (char[]){""});
}

static void set_inches(void *object, const char *name, int pixels) {
  char text[32];
  snprintf(text, sizeof text, "%.4f", pixels / 72.0);
  set_attribute(object, name, text);
}

/* Reserves space for a text by an empty table of fixed size, because Graphviz does not get the text itself. */
static void set_label(Agraph_t *graph, void *object, int width, int height) {
  char text[256];
  if (width == 0 || height == 0) return;
  snprintf(text, sizeof text,
           "<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLPADDING=\"0\" CELLSPACING=\"0\" FIXEDSIZE=\"TRUE\" WIDTH=\"%d\" "
           "HEIGHT=\"%d\"><TR><TD></TD></TR></TABLE>",
           width, height);
  char *label = agstrdup_html(graph, text);
  agsafeset(object, (char[]){"label"}, label, (char[]){""});
  agstrfree(graph, label);
}

/* Returns the index at which an item is added. In a layout from left to right the order is reversed, because Graphviz
 * puts the first item at the bottom. */
static int turned_index(const struct request *r, int index, int count) {
  return r->across ? count - 1 - index : index;
}

static void build_clusters(struct drawing *d, const struct request *r) {
  char name[32];
  for (int k = 0; k < r->cluster_count; k++) {
    int i = turned_index(r, k, r->cluster_count);
    snprintf(name, sizeof name, "cluster%d", i);
    d->clusters[i] = agsubg(d->graph, name, 1);
    set_attribute(d->clusters[i], "margin", "12");
    set_attribute(d->clusters[i], "labeljust", "l");
    set_label(d->graph, d->clusters[i], r->clusters[i].width, r->clusters[i].height);
  }
}

static void build_drawing(struct drawing *d, const struct request *r) {
  char name[32];
  d->graph = agopen((char[]){"g"}, Agdirected, NULL);
  set_attribute(d->graph, "rankdir", r->across ? "LR" : "TB");
  set_attribute(d->graph, "ranksep", "0.45");
  set_attribute(d->graph, "nodesep", "0.3");
  set_attribute(d->graph, "nslimit", "1"); /* these three attributes limit the time that a hard graph takes */
  set_attribute(d->graph, "nslimit1", "1");
  set_attribute(d->graph, "mclimit", "0.1");
  build_clusters(d, r);
  for (int k = 0; k < r->node_count; k++) {
    int i = turned_index(r, k, r->node_count);
    const struct box *box = &r->nodes[i];
    snprintf(name, sizeof name, "n%d", i);
    Agraph_t *home = box->cluster >= 0 ? d->clusters[box->cluster] : d->graph;
    d->nodes[i] = agnode(home, name, 1);
    set_attribute(d->nodes[i], "shape", "box");
    set_attribute(d->nodes[i], "label", "");
    set_attribute(d->nodes[i], "fixedsize", "true");
    set_inches(d->nodes[i], "width", box->width);
    set_inches(d->nodes[i], "height", box->height);
  }
  for (int k = 0; k < r->edge_count; k++) {
    int i = turned_index(r, k, r->edge_count);
    const struct line *line = &r->edges[i];
    snprintf(name, sizeof name, "e%d", i);
    d->edges[i] = agedge(d->graph, d->nodes[line->from], d->nodes[line->to], name, 1);
    set_attribute(d->edges[i], "constraint", line->free ? "false" : "true");
    set_label(d->graph, d->edges[i], line->width, line->height);
  }
}

/* ---- Writing the answer: Graphviz counts y from the bottom ---- */

static void print_edge(const Agedge_t *edge, double top) {
  const textlabel_t *label = ED_label(edge);
  const splines *curve = ED_spl(edge);
  bool placed = label != NULL && label->set;
  if (curve == NULL || curve->size < 1) refuse_request("Graphviz left an edge out");
  const bezier *first = &curve->list[0];
  size_t count = (size_t)first->size;
  printf("edge %.1f %.1f %zu", placed ? label->pos.x : 0, placed ? top - label->pos.y : 0, count + 1);
  for (size_t i = 0; i < count; i++)
    printf(" %.1f %.1f", first->list[i].x, top - first->list[i].y);
  pointf tip = first->eflag ? first->ep : first->list[count - 1];
  printf(" %.1f %.1f\n", tip.x, top - tip.y);
}

static void print_drawing(const struct drawing *d, const struct request *r) {
  boxf all = GD_bb(d->graph);
  double top = all.UR.y;
  printf("size %.1f %.1f\n", all.UR.x, all.UR.y);
  for (int i = 0; i < r->cluster_count; i++) {
    boxf box = GD_bb(d->clusters[i]);
    printf("cluster %.1f %.1f %.1f %.1f\n", box.LL.x, top - box.UR.y, box.UR.x, top - box.LL.y);
  }
  for (int i = 0; i < r->node_count; i++)
    printf("node %.1f %.1f\n", ND_coord(d->nodes[i]).x, top - ND_coord(d->nodes[i]).y);
  for (int i = 0; i < r->edge_count; i++)
    print_edge(d->edges[i], top);
  puts("end");
}

static int silent(char *message) {
  (void)message;
  return 0;
}

int main(void) {
  extern gvplugin_library_t gvplugin_dot_layout_LTX_library;
  lt_symlist_t plugins[] = {{"gvplugin_dot_layout_LTX_library", &gvplugin_dot_layout_LTX_library}, {NULL, NULL}};
  static struct request request;
  static struct drawing drawing;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  read_request(&request);
  agseterrf(silent);
  GVC_t *context = gvContextPlugins(plugins, 0); /* 0: Graphviz does not search for plugins at run time */
  if (context == NULL) refuse_request("Graphviz does not start");
  build_drawing(&drawing, &request);
  if (gvLayout(context, drawing.graph, "dot") != 0) refuse_request("Graphviz found no layout");
  print_drawing(&drawing, &request);
  /* Exits without cleanup, because Graphviz would free only a part of its memory. */
  _exit(fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* The request to the program, and its answer. */
#include "diagram/layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "diagram/child.h"
#include "diagram/graphviz/layout.h"

static void write_request(FILE *out, const struct diagram *d) {
  fprintf(out, LAYOUT_HEADING " %d %zu %zu %zu\n", d->across, d->cluster_count, d->node_count, d->edge_count);
  for (size_t i = 0; i < d->cluster_count; i++)
    fprintf(out, "%d %d\n", d->clusters[i].width, d->clusters[i].height);
  for (size_t i = 0; i < d->node_count; i++)
    fprintf(out, "%d %d %d\n", d->nodes[i].cluster, d->nodes[i].width, d->nodes[i].height);
  for (size_t i = 0; i < d->edge_count; i++)
    fprintf(out, "%zu %zu %d %d %d\n", d->edges[i].from, d->edges[i].to, d->edges[i].free, d->edges[i].width,
            d->edges[i].height);
}

/* ---- The answer ---- */

struct reader {
  const char *at;
  bool bad;
};

static void expect(struct reader *r, const char *word) {
  size_t length = strlen(word);
  r->at += strspn(r->at, "\n");
  if (strncmp(r->at, word, length) != 0 || strchr(" \n", r->at[length]) == NULL) r->bad = true;
  if (!r->bad) r->at += length;
}

static double number(struct reader *r) {
  char *end;
  double value = r->bad ? 0 : strtod(r->at, &end);
  if (r->bad || end == r->at || !isfinite(value) || fabs(value) > 1e5) {
    r->bad = true;
    return 0;
  }
  r->at = end;
  return value;
}

static void read_edge(struct reader *r, struct diagram_edge *edge) {
  expect(r, "edge");
  edge->label_x = number(r);
  edge->label_y = number(r);
  double count = number(r);
  if (r->bad || count < 5 || count > LAYOUT_POINTS_MAX || fmod(count, 3) != 2) {
    r->bad = true;
    return;
  }
  free(edge->points);
  edge->point_count = (size_t)count;
  edge->points = xcalloc(2 * edge->point_count, sizeof *edge->points);
  for (size_t i = 0; i < 2 * edge->point_count; i++)
    edge->points[i] = number(r);
}

bool diagram_parse(struct diagram *d, const char *answer) {
  struct reader r = {answer, false};
  expect(&r, "size");
  d->width = number(&r);
  d->height = number(&r);
  for (size_t i = 0; i < d->cluster_count; i++) {
    expect(&r, "cluster");
    d->clusters[i].left = number(&r);
    d->clusters[i].top = number(&r);
    d->clusters[i].right = number(&r);
    d->clusters[i].bottom = number(&r);
  }
  for (size_t i = 0; i < d->node_count; i++) {
    expect(&r, "node");
    d->nodes[i].x = number(&r);
    d->nodes[i].y = number(&r);
  }
  for (size_t i = 0; i < d->edge_count && !r.bad; i++)
    read_edge(&r, &d->edges[i]);
  expect(&r, "end");
  return !r.bad && d->width > 0 && d->height > 0;
}

static int check_size(const struct diagram *d, struct err *err) {
  if (d->node_count == 0) return err_set(err, EXIT_FAILED, "there is nothing to draw");
  if (d->node_count > LAYOUT_NODES_MAX || d->edge_count > LAYOUT_EDGES_MAX || d->cluster_count > LAYOUT_CLUSTERS_MAX)
    return err_set(err, EXIT_FAILED, "%zu boxes and %zu arrows are more than %d and %d", d->node_count, d->edge_count,
                   LAYOUT_NODES_MAX, LAYOUT_EDGES_MAX);
  return 0;
}

int diagram_layout(struct diagram *d, struct err *err) {
  if (check_size(d, err) != 0) return -1;
  struct memory_text memory;
  write_request(memory_text_begin(&memory), d);
  SCOPED char *request = memory_text_end(&memory), *answer = diagram_ask(request, memory.size, err);
  bool good = answer != NULL && diagram_parse(d, answer);
  if (answer != NULL && !good) err_set(err, EXIT_FAILED, "gpubench-diagram gave no layout that can be read");
  return good ? 0 : -1;
}

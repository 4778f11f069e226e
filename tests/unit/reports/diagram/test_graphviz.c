/* Tests diagrams with Graphviz. Skipped if this build has none. */
#include <stdlib.h>

#include "diagram/draw.h"
#include "diagram/graphviz/layout.h"
#include "diagram/layout.h"
#include "unit.h"

static void chain(struct diagram *d, size_t count) {
  diagram_init(d, "d", "t", "");
  for (size_t i = 0; i < count; i++) {
    diagram_node(d, -1, DIAGRAM_PLAIN, "a box");
    if (i > 0) diagram_edge(d, i - 1, i, "label");
  }
}

/* Returns false, and fails the test, if there is no drawing: the tests below read positions from it. */
static bool drawn(struct diagram *d) {
  struct err err = {0};
  char *svg = diagram_svg(d, &err);
  ASSERT_EQ_STR(err.text, "");
  free(svg);
  return svg != NULL;
}

static void assert_inside(const struct diagram *d) {
  for (size_t i = 0; i < d->node_count; i++) {
    const struct diagram_node *n = &d->nodes[i];
    ASSERT_TRUE(n->x - n->width / 2.0 >= -1 && n->x + n->width / 2.0 <= d->width + 1);
    ASSERT_TRUE(n->y - n->height / 2.0 >= -1 && n->y + n->height / 2.0 <= d->height + 1);
  }
}

/* Checks that every arrow ends at its box, including arrows that go up. */
static void assert_tips(const struct diagram *d) {
  for (size_t i = 0; i < d->edge_count; i++) {
    const struct diagram_edge *e = &d->edges[i];
    const struct diagram_node *to = &d->nodes[e->to], *from = &d->nodes[e->from];
    const double *tip = &e->points[2 * (e->point_count - 1)];
    ASSERT_TRUE(2 * fabs(tip[0] - to->x) <= to->width + 4 && 2 * fabs(tip[1] - to->y) <= to->height + 4);
    ASSERT_TRUE(2 * fabs(e->points[0] - from->x) <= from->width + 4 &&
                2 * fabs(e->points[1] - from->y) <= from->height + 4);
  }
}

static bool overlap(const struct diagram_node *a, const struct diagram_node *b) {
  return 2 * fabs(a->x - b->x) < a->width + b->width && 2 * fabs(a->y - b->y) < a->height + b->height;
}

static void chains_go_down_or_across(void) {
  for (int across = 0; across <= 1; across++) {
    struct diagram d;
    chain(&d, 4);
    d.across = across;
    if (!drawn(&d)) return;
    assert_inside(&d);
    for (size_t i = 1; i < d.node_count; i++) {
      ASSERT_TRUE(across ? d.nodes[i].x > d.nodes[i - 1].x : d.nodes[i].y > d.nodes[i - 1].y);
      ASSERT_TRUE(!overlap(&d.nodes[i], &d.nodes[i - 1]));
    }
    diagram_free(&d);
  }
}

static void tips_end_at_their_boxes(void) {
  struct diagram d;
  chain(&d, 2);
  if (!drawn(&d)) return;
  const struct diagram_edge *e = &d.edges[0];
  double tip = e->points[2 * e->point_count - 1], top = d.nodes[1].y - d.nodes[1].height / 2.0;
  ASSERT_NEAR(tip, top, 1.5);
  ASSERT_NEAR(e->points[1], d.nodes[0].y + d.nodes[0].height / 2.0, 1.5);
  diagram_free(&d);
}

static void clusters_hold_their_boxes(void) {
  struct diagram d;
  diagram_init(&d, "d", "t", "");
  int cluster = (int)diagram_cluster(&d, "a cluster with a long title, longer than its boxes");
  size_t a = diagram_node(&d, cluster, DIAGRAM_PLAIN, "a"), b = diagram_node(&d, -1, DIAGRAM_PLAIN, "b");
  diagram_edge(&d, a, b, "");
  if (!drawn(&d)) return;
  const struct diagram_cluster *c = &d.clusters[0];
  ASSERT_TRUE(c->left < d.nodes[a].x && d.nodes[a].x < c->right && c->top < d.nodes[a].y && d.nodes[a].y < c->bottom);
  ASSERT_TRUE(d.nodes[b].y > c->bottom);
  ASSERT_TRUE(c->right - c->left >= c->width);
  diagram_free(&d);
}

static void the_same_gives_the_same(void) {
  char *svg[2];
  for (int i = 0; i < 2; i++) {
    struct diagram d;
    struct err err = {0};
    chain(&d, 9);
    diagram_edge(&d, 0, 8, "far");
    svg[i] = diagram_svg(&d, &err);
    diagram_free(&d);
  }
  ASSERT_TRUE(svg[0] != NULL && svg[1] != NULL);
  if (svg[0] != NULL && svg[1] != NULL) ASSERT_EQ_STR(svg[0], svg[1]);
  free(svg[0]);
  free(svg[1]);
}

/* The largest diagram, with random arrows, gives an answer or an error within the limits, and never a crash. */
static void the_largest_comes_to_an_end(void) {
  struct diagram d;
  unsigned state = 1;
  struct err err = {0};
  diagram_init(&d, "d", "t", "");
  for (int i = 0; i < LAYOUT_NODES_MAX; i++)
    diagram_node(&d, -1, DIAGRAM_PLAIN, "a box with text");
  while (d.edge_count < LAYOUT_EDGES_MAX) {
    state = state * 1103515245u + 12345u;
    size_t from = (state >> 16) % LAYOUT_NODES_MAX;
    state = state * 1103515245u + 12345u;
    size_t to = (state >> 16) % LAYOUT_NODES_MAX;
    if (from != to) diagram_edge(&d, from, to, "label");
  }
  char *svg = diagram_svg(&d, &err);
  ASSERT_TRUE((svg != NULL) == (err.text[0] == '\0'));
  if (svg == NULL)
    ASSERT_HAS(err.text, "no layout within");
  else
    assert_tips(&d);
  free(svg);
  diagram_free(&d);
}

static void circles_and_repeated_arrows_are_drawn(void) {
  struct diagram d;
  chain(&d, 3);
  diagram_edge(&d, 2, 0, "back");
  diagram_edge(&d, 0, 1, "again");
  diagram_edge(&d, 0, 1, "");
  if (drawn(&d)) assert_tips(&d);
  diagram_free(&d);
}

static void nonsense_is_refused(void) {
  static const char *const requests[] = {"",
                                         "digraph{a->b}",
                                         LAYOUT_HEADING,
                                         LAYOUT_HEADING " 0 0 1 0\n-1 99999 10\n",
                                         LAYOUT_HEADING " 0 0 1 1\n-1 10 10\n0 1 0 0 0\n",
                                         LAYOUT_HEADING " 0 0 9999 0\n",
                                         LAYOUT_HEADING " 0 0 1 0\n0 10 10\n",
                                         LAYOUT_HEADING " 2 0 1 0\n-1 10 10\n"};
  for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
    struct err err = {0};
    char *answer = diagram_ask(requests[i], strlen(requests[i]), &err);
    if (answer != NULL) UNIT_FAIL("'%s' was answered: %.60s", requests[i], answer);
    ASSERT_HAS(err.text, "gpubench-diagram: ");
    free(answer);
  }
}

int main(void) {
  static const struct unit_test tests[] = {
      UNIT_TEST(chains_go_down_or_across),    UNIT_TEST(tips_end_at_their_boxes),
      UNIT_TEST(clusters_hold_their_boxes),   UNIT_TEST(the_same_gives_the_same),
      UNIT_TEST(the_largest_comes_to_an_end), UNIT_TEST(circles_and_repeated_arrows_are_drawn),
      UNIT_TEST(nonsense_is_refused),
  };
  struct err why = {0};
  if (!diagram_ready(&why)) {
    puts(why.text);
    return 77;
  }
  return unit_run("diagram_graphviz", tests, sizeof tests / sizeof tests[0]);
}

/* Tests diagrams with Graphviz. Skipped if this build has none. */
#include <stdlib.h>

#include "capture.h"
#include "diagram/draw.h"
#include "diagram/program.h"

static void chain(struct diagram *d, size_t count) {
  diagram_init(d, "d", "t", "");
  for (size_t i = 0; i < count; i++) {
    diagram_node(d, -1, i % 2 ? DIAGRAM_STEP : DIAGRAM_DATA, "a box");
    if (i > 0) diagram_edge(d, i - 1, i, "label");
  }
}

/* Returns the drawing and frees the diagram. The test fails if there is no drawing; "" is returned then. */
static char *drawn(struct diagram *d) {
  struct err err = {0};
  char *svg = diagram_svg(d, &err);
  ASSERT_EQ_STR(err.text, "");
  diagram_free(d);
  return svg != NULL ? svg : strdup("");
}

/* ---- Positions in a drawing ---- */

struct box {
  double left, top, right, bottom;
};

/* Returns the box around all points of an attribute's value. */
static struct box box_of_points(const char *at) {
  struct box box = {1e9, 1e9, -1e9, -1e9};
  for (size_t i = 0; *at != '"' && *at != '\0'; i++) {
    at += strcspn(at, "-0123456789\"");
    char *end;
    double value = strtod(at, &end);
    if (end == at) break;
    at = end;
    double *least = i % 2 ? &box.top : &box.left, *most = i % 2 ? &box.bottom : &box.right;
    *least = fmin(*least, value);
    *most = fmax(*most, value);
  }
  return box;
}

/* Returns the bounding box of the last shape of the `index`-th item of the class: the outline of a node, or the head
 * of an arrow. */
static struct box box_of(const char *svg, const char *class, size_t index) {
  char begin[64];
  const char *at = svg;
  snprintf(begin, sizeof begin, "<g class=\"%s", class);
  for (size_t i = 0; at != NULL && i <= index; i++)
    at = strstr(at + 1, begin);
  const char *end = at != NULL ? strstr(at, "</g>") : NULL, *points = NULL;
  for (; at != NULL && at < end; at++)
    if (strncmp(at, " points=\"", 9) == 0 || strncmp(at, " d=\"", 4) == 0) points = strchr(at, '"') + 1;
  if (points == NULL) UNIT_FAIL("there is no %s %zu", class, index);
  return box_of_points(points != NULL ? points : "\"");
}

static struct box node_box(const char *svg, size_t index) {
  return box_of(svg, "node", index);
}

/* Checks that all nodes are within the picture. */
static void assert_inside(const char *svg, size_t nodes) {
  double width = 0, height = 0, right = 0, down = 0;
  const char *view = strstr(svg, "viewBox=\""), *moved = strstr(svg, "translate(");
  ASSERT_TRUE(view != NULL && sscanf(view, "viewBox=\"0 0 %lf %lf", &width, &height) == 2);
  ASSERT_TRUE(moved != NULL && sscanf(moved, "translate(%lf %lf)", &right, &down) == 2);
  for (size_t i = 0; i < nodes; i++) {
    const struct box box = node_box(svg, i);
    ASSERT_TRUE(box.left + right >= 0 && box.right + right <= width);
    ASSERT_TRUE(box.top + down >= 0 && box.bottom + down <= height);
  }
}

static void chains_go_down_or_across(void) {
  for (int across = 0; across <= 1; across++) {
    struct diagram d;
    chain(&d, 4);
    d.across = across;
    char *svg = drawn(&d);
    assert_inside(svg, 4);
    for (size_t i = 1; i < 4; i++) {
      /* if ranks go from left to right, the nodes stand in the file in reverse order */
      const struct box a = node_box(svg, across ? 4 - i : i - 1), b = node_box(svg, across ? 3 - i : i);
      ASSERT_TRUE(across ? a.right < b.left : a.bottom < b.top);
    }
    free(svg);
  }
}

static void tips_end_at_their_boxes(void) {
  struct diagram d;
  chain(&d, 2);
  char *svg = drawn(&d);
  const struct box head = box_of(svg, "edge", 0), from = node_box(svg, 0), to = node_box(svg, 1);
  ASSERT_NEAR(head.bottom, to.top, 1.5);
  ASSERT_TRUE(head.left > to.left && head.right < to.right && head.top > from.bottom);
  free(svg);
}

static void links_have_no_heads(void) {
  struct diagram d;
  chain(&d, 1);
  diagram_node(&d, -1, DIAGRAM_STEP, "b");
  diagram_link(&d, 0, 1, "")->free = true;
  char *svg = drawn(&d);
  const struct box line = box_of(svg, "edge free", 0), a = node_box(svg, 0), b = node_box(svg, 1);
  ASSERT_NEAR(line.left, a.right, 1.5);
  ASSERT_NEAR(line.right, b.left, 1.5);
  free(svg);
}

static void clusters_hold_their_boxes(void) {
  struct diagram d;
  diagram_init(&d, "d", "t", "");
  int cluster = (int)diagram_cluster(&d, "a cluster with a long title, longer than its boxes");
  size_t a = diagram_node(&d, cluster, DIAGRAM_PLAIN, "a"), b = diagram_node(&d, -1, DIAGRAM_PLAIN, "b");
  diagram_edge(&d, a, b, "");
  char *svg = drawn(&d);
  const struct box c = box_of(svg, "cluster", 0), in = node_box(svg, 0), out = node_box(svg, 1);
  ASSERT_TRUE(c.left < in.left && in.right < c.right && c.top < in.top && in.bottom < c.bottom);
  ASSERT_TRUE(out.top > c.bottom);
  ASSERT_TRUE(c.right - c.left >= 250); /* 50 letters */
  free(svg);
}

static void the_same_gives_the_same(void) {
  char *svg[2];
  for (int i = 0; i < 2; i++) {
    struct diagram d;
    chain(&d, 9);
    diagram_edge(&d, 0, 8, "far");
    svg[i] = drawn(&d);
  }
  ASSERT_EQ_STR(svg[0], svg[1]);
  ASSERT_EQ_INT(count_of(svg[0], "class=\"edge"), 9);
  free(svg[0]);
  free(svg[1]);
}

/* Text that Graphviz would read as an escape, an entity or markup is shown unchanged. */
static void hostile_text_is_shown(void) {
  static const char *const texts[][2] = {
      {"\\N \\G \\L \\n \\l \\\\", "\\N \\G \\L \\n \\l \\\\"},
      {"&lt; &amp;lt; &#60; &", "&amp;lt; &amp;amp;lt; &amp;#60; &amp;"},
      {"</text><script>x</script>", "&lt;/text&gt;&lt;script&gt;x&lt;/script&gt;"},
      {"<b>HTML</b>", "&lt;b&gt;HTML&lt;/b&gt;"},
      {"a\"];b[URL=\"x\"", "a&quot;];b[URL=&quot;x&quot;"},
      {"a\\\"b\\", "a\\&quot;b\\"},
      {"/* # // {|}", "/* # // {|}"},
      {"\xE6\xB3\xA8 \xFF \x01", "\xE6\xB3\xA8 \xEF\xBF\xBD \xEF\xBF\xBD"},
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    struct diagram d;
    char title[256], line[256];
    diagram_init(&d, "d", "t", "");
    size_t a = diagram_node(&d, -1, DIAGRAM_STEP, texts[i][0]), b = diagram_node(&d, -1, DIAGRAM_PLAIN, "b");
    diagram_line(&d, b, texts[i][0]);
    diagram_edge(&d, a, b, texts[i][0]);
    char *svg = drawn(&d);
    snprintf(title, sizeof title, "> %s </text>", texts[i][1]);
    snprintf(line, sizeof line, ">%s</text>", texts[i][1]);
    ASSERT_HAS(svg, title);
    ASSERT_HAS(svg, line);
    ASSERT_EQ_INT(count_of(svg, "<g "), 4);
    free(svg);
  }
}

/* The largest diagram, with random arrows, gives an answer or an error within the limits, and never a crash. */
static void the_largest_comes_to_an_end(void) {
  struct diagram d;
  unsigned state = 1;
  struct err err = {0};
  diagram_init(&d, "d", "t", "");
  for (int i = 0; i < DIAGRAM_NODES_MAX; i++)
    diagram_node(&d, -1, DIAGRAM_PLAIN, "a box with text");
  while (d.edge_count < DIAGRAM_EDGES_MAX) {
    state = state * 1103515245u + 12345u;
    size_t from = (state >> 16) % DIAGRAM_NODES_MAX;
    state = state * 1103515245u + 12345u;
    size_t to = (state >> 16) % DIAGRAM_NODES_MAX;
    if (from != to) diagram_edge(&d, from, to, "label");
  }
  char *svg = diagram_svg(&d, &err);
  ASSERT_TRUE((svg != NULL) == (err.text[0] == '\0'));
  if (svg == NULL)
    ASSERT_HAS(err.text, "no layout within");
  else
    ASSERT_EQ_INT(count_of(svg, "class=\"edge"), DIAGRAM_EDGES_MAX);
  free(svg);
  diagram_free(&d);
}

/* A diagram with as many boxes as allowed and the longest texts stays below the limit of the output. */
static void the_longest_texts_are_drawn(void) {
  struct diagram d;
  diagram_init(&d, "d", "t", "");
  char text[200];
  memset(text, '&', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  for (size_t i = 0; i < DIAGRAM_NODES_MAX; i++) {
    diagram_node(&d, -1, DIAGRAM_STEP, text);
    diagram_line(&d, i, text);
    diagram_line(&d, i, text);
    if (i > 0) diagram_edge(&d, i - 1, i, text);
  }
  char *svg = drawn(&d);
  ASSERT_EQ_INT(count_of(svg, "class=\"node"), DIAGRAM_NODES_MAX);
  free(svg);
}

static void circles_and_repeated_arrows_are_drawn(void) {
  struct diagram d;
  chain(&d, 3);
  diagram_edge(&d, 2, 0, "back");
  diagram_edge(&d, 0, 1, "again");
  diagram_edge(&d, 0, 1, "");
  char *svg = drawn(&d);
  ASSERT_EQ_INT(count_of(svg, "class=\"edge"), 5);
  free(svg);
}

static void nonsense_is_refused(void) {
  static const char *const requests[] = {"", "digraph{", "digraph{a->}", "gpubench-diagram 1",
                                         "digraph{a [label=\"x]}"};
  for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
    struct err err = {0};
    char *answer = diagram_ask(requests[i], strlen(requests[i]), &err);
    if (answer != NULL) UNIT_FAIL("'%s' was answered: %.60s", requests[i], answer);
    ASSERT_EQ_STR(err.text, "gpubench-diagram: this is no graph in DOT");
    free(answer);
  }
}

int main(void) {
  static const struct unit_test tests[] = {
      UNIT_TEST(chains_go_down_or_across),
      UNIT_TEST(tips_end_at_their_boxes),
      UNIT_TEST(links_have_no_heads),
      UNIT_TEST(clusters_hold_their_boxes),
      UNIT_TEST(the_same_gives_the_same),
      UNIT_TEST(hostile_text_is_shown),
      UNIT_TEST(the_largest_comes_to_an_end),
      UNIT_TEST(the_longest_texts_are_drawn),
      UNIT_TEST(circles_and_repeated_arrows_are_drawn),
      UNIT_TEST(nonsense_is_refused),
  };
  struct err why = {0};
  if (!diagram_ready(&why)) {
    puts(why.text);
    return 77;
  }
  return unit_run("diagram_graphviz", tests, sizeof tests / sizeof tests[0]);
}

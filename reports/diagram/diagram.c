/* Builds a diagram: wraps texts into lines, adds boxes and arrows. */
#include "diagram/diagram.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Returns how many bytes the character at `text` has, and how many columns it takes. An invalid byte counts as one
 * character. */
static size_t next_character_columns(const char *text, size_t *columns) {
  size_t length = text_utf8_length(text);
  *columns = (unsigned char)text[0] >= 0xE3 && length >= 3 ? 2 : 1;
  return length > 0 ? length : 1;
}

/* Returns how many bytes of the text fit into `most` columns. *whole becomes true if the whole text fits. */
static size_t fitting(const char *text, size_t most, bool *whole) {
  size_t bytes = 0, used = 0, columns;
  while (text[bytes] != '\0' && text[bytes] != '\n') {
    size_t length = next_character_columns(text + bytes, &columns);
    if (used + columns > most) break;
    used += columns;
    bytes += length;
  }
  *whole = text[bytes] == '\0';
  return bytes;
}

/* Returns the length of the line that begins at `text`. The line ends at the last space that fits, or within a word
 * that is too long for a line. */
static size_t line_length(const char *text, size_t most, bool *whole) {
  size_t bytes = fitting(text, most, whole);
  if (*whole || text[bytes] == '\n' || text[bytes] == ' ') return bytes;
  size_t space = bytes;
  while (space > 0 && text[space - 1] != ' ')
    space--;
  return space > 0 ? space : bytes;
}

void diagram_wrap(struct strings *lines, const char *text, size_t most) {
  char line[4 * 64];
  bool whole = text[0] == '\0';
  for (size_t i = 0; !whole && i < DIAGRAM_LINES_MOST; i++) {
    bool last = i + 1 == DIAGRAM_LINES_MOST;
    size_t length = line_length(text, most, &whole);
    if (last && !whole) length = fitting(text, most - 1, &whole);
    size_t shown = length < sizeof line - 4 ? length : sizeof line - 4;
    while (shown > 0 && text[shown - 1] == ' ')
      shown--;
    memcpy(line, text, shown);
    strcpy(line + shown, last && !whole ? "\xE2\x80\xA6" : "");
    strings_add(lines, line);
    text += length;
    text += strspn(text, " \n");
    whole = whole || *text == '\0';
  }
}

void diagram_init(struct diagram *d, const char *id, const char *title, const char *description) {
  *d = (struct diagram){.title = xstrdup(title), .description = xstrdup(description)};
  text_copy(d->id, sizeof d->id, id);
}

void diagram_free(struct diagram *d) {
  strings_free(&d->clusters);
  for (size_t i = 0; i < d->node_count; i++) {
    strings_free(&d->nodes[i].lines);
    free(d->nodes[i].tip);
  }
  for (size_t i = 0; i < d->edge_count; i++)
    strings_free(&d->edges[i].lines);
  free(d->nodes);
  free(d->edges);
  free(d->title);
  free(d->description);
  *d = (struct diagram){0};
}

size_t diagram_cluster(struct diagram *d, const char *title) {
  strings_add(&d->clusters, title);
  return d->clusters.count - 1;
}

size_t diagram_node(struct diagram *d, int cluster, enum diagram_look look, const char *title) {
  d->nodes = xrealloc(d->nodes, d->node_count + 1, sizeof *d->nodes);
  struct diagram_node *node = &d->nodes[d->node_count];
  *node = (struct diagram_node){.look = look, .cluster = cluster, .place = -1, .tip = xstrdup(title)};
  diagram_wrap(&node->lines, title, DIAGRAM_TITLE_MOST);
  node->title_lines = node->lines.count;
  return d->node_count++;
}

void diagram_line(struct diagram *d, size_t index, const char *text) {
  struct diagram_node *node = &d->nodes[index];
  if (text == NULL || text[0] == '\0') return;
  size_t length = strlen(node->tip);
  node->tip = xrealloc(node->tip, length + strlen(text) + 2, 1);
  node->tip[length] = '\n';
  strcpy(node->tip + length + 1, text);
  diagram_wrap(&node->lines, text, DIAGRAM_LINE_MOST);
}

struct diagram_edge *diagram_edge(struct diagram *d, size_t from, size_t to, const char *label) {
  d->edges = xrealloc(d->edges, d->edge_count + 1, sizeof *d->edges);
  struct diagram_edge *edge = &d->edges[d->edge_count++];
  *edge = (struct diagram_edge){.from = from, .to = to, .arrow = true};
  if (label != NULL) diagram_wrap(&edge->lines, label, DIAGRAM_LABEL_MOST);
  return edge;
}

struct diagram_edge *diagram_link(struct diagram *d, size_t from, size_t to, const char *label) {
  struct diagram_edge *edge = diagram_edge(d, from, to, label);
  edge->arrow = false;
  return edge;
}

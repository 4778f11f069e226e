/* The machine of each run. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "diagram/kinds.h"
#include "html/gallery.h"

static const char topology[] = "topology.";

static bool is_topology(const struct pair *pair) {
  return strncmp(pair->name, topology, sizeof topology - 1) == 0;
}

static bool same_topology(const struct pairs *a, const struct pairs *b) {
  size_t count[2] = {0, 0};
  for (size_t i = 0; i < a->count; i++) {
    if (!is_topology(&a->items[i])) continue;
    const char *other = pairs_get(b, a->items[i].name);
    if (other == NULL || strcmp(other, a->items[i].value) != 0) return false;
    count[0]++;
  }
  for (size_t i = 0; i < b->count; i++)
    count[1] += is_topology(&b->items[i]);
  return count[0] == count[1];
}

static void machine_table(struct gallery *g, bool folded, const char *title, const struct pairs *environment) {
  static const char *const heads[] = {"part", "value"};
  char caption[KEY_SIZE];
  size_t rows = 0;
  snprintf(caption, sizeof caption, "%.900s: its parts", title);
  gallery_table_open(g, folded, caption, heads, 2);
  for (size_t i = 0; i < environment->count; i++) {
    if (!is_topology(&environment->items[i]) || rows++ >= GALLERY_ROWS_MAX) continue;
    html_row(g->out, environment->items[i].name + sizeof topology - 1);
    html_words(g->out, environment->items[i].value);
    fputs("</tr>\n", g->out);
  }
  gallery_table_close(g, folded);
}

/* `run`: its name, where there are several; else empty. */
static void show_machine(struct gallery *g, size_t number, const char *run, const struct pairs *environment) {
  struct diagram d = {0};
  char id[32], title[KEY_SIZE];
  snprintf(id, sizeof id, "machine-%zu", number);
  if (diagram_of_machine(&d, id, environment)) {
    snprintf(title, sizeof title, "%.500s%s%.255s", d.title, run[0] ? ", " : "", run);
    free(d.title);
    d.title = xstrdup(title);
    gallery_part(g, d.title);
    fputs("<div class=\"diagrams\">\n", g->out);
    bool drawn = gallery_draw(g, &d, "");
    fputs("</div>\n", g->out);
    machine_table(g, drawn, title, environment);
  }
  diagram_free(&d);
}

void gallery_machines(struct gallery *g) {
  const struct run_data *data = g->page->data;
  char run[TEXT_SIZE];
  if (data->run_count < 2) show_machine(g, 0, "", &data->environment);
  for (size_t i = 0; i < data->run_count && data->run_count > 1; i++) {
    bool known = false;
    for (size_t j = 0; j < i; j++)
      known = known || same_topology(&data->runs[i].environment, &data->runs[j].environment);
    run_data_run_name(data, i, run, sizeof run);
    if (!known) show_machine(g, i, run, &data->runs[i].environment);
  }
}

/* Several runs as one, and what they have in common. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "record/foreign_match.h"
#include "record/run_data.h"

static bool has_pair(const struct pairs *pairs, const struct pair *pair) {
  for (size_t i = 0; i < pairs->count; i++)
    if (strcmp(pairs->items[i].name, pair->name) == 0 && strcmp(pairs->items[i].value, pair->value) == 0) return true;
  return false;
}

static void share_pairs(struct pairs *common, const struct run_info *runs, size_t count, bool tags) {
  pairs_free(common);
  const struct pairs *first = tags ? &runs[0].tags : &runs[0].environment;
  for (size_t i = 0; i < first->count; i++) {
    bool everywhere = true;
    for (size_t run = 1; run < count; run++)
      everywhere = everywhere && has_pair(tags ? &runs[run].tags : &runs[run].environment, &first->items[i]);
    if (everywhere) pairs_add_text(common, first->items[i].name, first->items[i].value);
  }
}

static void share_notes(struct run_data *data) {
  char name[TEXT_SIZE], note[MSG_SIZE + TEXT_SIZE];
  strings_free(&data->notes);
  for (size_t run = 0; run < data->run_count; run++) {
    run_data_run_name(data, run, name, sizeof name);
    for (size_t i = 0; i < data->runs[run].notes.count; i++) {
      const char *text = data->runs[run].notes.items[i];
      snprintf(note, sizeof note, "%s: %s", name, text);
      strings_add(&data->notes, data->run_count > 1 ? note : text);
    }
  }
}

void run_data_share(struct run_data *data) {
  share_pairs(&data->environment, data->runs, data->run_count, false);
  share_pairs(&data->tags, data->runs, data->run_count, true);
  share_notes(data);
  foreign_match(data);
  free(data->dir);
  data->dir = data->run_count == 1 && data->runs[0].dir != NULL ? xstrdup(data->runs[0].dir) : NULL;
}

static void take_graphs(struct run_data *into, struct run_data *from) {
  into->graphs = xrealloc(into->graphs, into->graph_count + from->graph_count, sizeof *into->graphs);
  for (size_t i = 0; i < from->graph_count; i++) {
    from->graphs[i].run += into->run_count;
    into->graphs[into->graph_count++] = from->graphs[i];
  }
  from->graph_count = 0;
}

void run_data_merge(struct run_data *into, struct run_data *from) {
  into->records = xrealloc(into->records, into->count + from->count, sizeof *into->records);
  if (from->count != 0) memcpy(into->records + into->count, from->records, from->count * sizeof *from->records);
  run_data_take_samples(into, from);
  take_graphs(into, from);
  extras_merge(&into->extras, &from->extras, into->run_count);
  foreign_merge_runs(&into->foreign, &from->foreign, into->run_count);
  into->runs = xrealloc(into->runs, into->run_count + from->run_count, sizeof *into->runs);
  for (size_t i = 0; i < from->run_count; i++) {
    from->runs[i].first += into->count;
    into->runs[into->run_count++] = from->runs[i];
  }
  into->count += from->count;
  from->count = from->run_count = 0;
  run_data_free(from);
  run_data_share(into);
}

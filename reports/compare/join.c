/* Rows are joined through a hash table, so that 100,000 of them take less time than reading them does. */
#include "compare/build.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "summary/row.h"

enum { KEY_PARTS = 4 };

struct join {
  struct compare *compare;
  struct map base, *runs;
  bool only_yardsticks; /* then they were asked for */
};

/* Devices are part of the name where a run has several of them; else another machine's GPU is the same row. */
static void key_of(const struct join *join, const struct record *record, const char **key) {
  key[0] = text_or_empty(record->case_key);
  key[1] = text_or_empty(record->variant);
  key[2] = text_or_empty(record->mode);
  key[3] = join->compare->many_devices ? text_or_empty(record->devices) : "";
}

/* Where a run was resumed a row may be there twice: the later one counts. */
static void index_rows(const struct join *join, const struct run_data *data, struct map *map) {
  const char *key[KEY_PARTS];
  for (size_t i = data->count; i-- > 0;) {
    key_of(join, &data->records[i], key);
    map_put(map, key, KEY_PARTS, i);
  }
}

static const struct record *find_row(const struct join *join, const struct run_data *data, const struct map *map,
                                     const struct record *record) {
  const char *key[KEY_PARTS];
  key_of(join, record, key);
  size_t index = map_get(map, key, KEY_PARTS);
  return index != MAP_NONE ? &data->records[index] : NULL;
}

static bool is_yardstick(const struct record *record) {
  return row_is_yardstick(record) || row_is_calibration(record);
}

static bool only_yardsticks(const struct run_data *data) {
  for (size_t i = 0; i < data->count; i++)
    if (!is_yardstick(&data->records[i])) return false;
  return true;
}

static bool many_devices(const struct run_data *data) {
  for (size_t i = 1; i < data->count; i++)
    if (strcmp(text_or_empty(data->records[i].devices), text_or_empty(data->records[0].devices)) != 0) return true;
  return false;
}

/* It was tried and came to nothing. */
static bool broke(enum row_status status) {
  return row_status_failed(status) && status != ROW_NOT_RUN && status != ROW_UNKNOWN;
}

static enum against_fate fate_of(const struct record *base, const struct record *row) {
  if (row == NULL) return AGAINST_ONLY_BASE;
  if (row_timed(base) && row_timed(row)) return AGAINST_BOTH;
  enum row_status before = row_status_of(base), after = row_status_of(row);
  if (before == ROW_OK && broke(after)) return AGAINST_LOST;
  if (broke(before) && after == ROW_OK) return AGAINST_MENDED;
  return AGAINST_UNTIMED;
}

static void add_only(const struct record ***list, size_t *count, const struct record *record) {
  *list = xgrow(*list, *count, sizeof **list);
  (*list)[(*count)++] = record;
}

/* A row of the base: into the comparison where any run has it. */
static void join_row(struct join *join, const struct record *base) {
  struct compare *compare = join->compare;
  bool yardstick = is_yardstick(base) && !join->only_yardsticks, common = false;
  struct compare_cell *cells = xcalloc(compare->run_count, sizeof *cells);
  for (size_t i = 0; i < compare->run_count; i++) {
    struct compare_run *run = &compare->runs[i];
    const struct record *row = find_row(join, run->data, &join->runs[i], base);
    cells[i] = (struct compare_cell){.row = row, .fate = fate_of(base, row)};
    common = common || row != NULL;
    if (row == NULL && !yardstick) add_only(&run->only_base, &run->only_base_count, base);
  }
  if (!common) {
    free(cells);
    return;
  }
  struct compare_row *to =
      yardstick ? &compare->yardsticks[compare->yardstick_count++] : &compare->rows[compare->row_count++];
  *to = (struct compare_row){.base = base, .cells = cells};
}

static void find_new_rows(struct join *join, size_t index) {
  struct compare_run *run = &join->compare->runs[index];
  for (size_t i = 0; i < run->data->count; i++) {
    const struct record *record = &run->data->records[i];
    if (find_row(join, run->data, &join->runs[index], record) != record) continue;
    if (is_yardstick(record) && !join->only_yardsticks) continue;
    if (find_row(join, join->compare->base, &join->base, record) == NULL)
      add_only(&run->only_new, &run->only_new_count, record);
  }
}

static void look_at_all(struct join *join) {
  struct compare *compare = join->compare;
  join->only_yardsticks = only_yardsticks(compare->base);
  compare->many_devices = many_devices(compare->base);
  for (size_t i = 0; i < compare->run_count; i++) {
    compare->many_devices = compare->many_devices || many_devices(compare->runs[i].data);
    join->only_yardsticks = join->only_yardsticks && only_yardsticks(compare->runs[i].data);
  }
}

void compare_join(struct compare *compare) {
  const struct run_data *base = compare->base;
  struct join join = {.compare = compare, .runs = xcalloc(compare->run_count, sizeof *join.runs)};
  look_at_all(&join);
  index_rows(&join, base, &join.base);
  for (size_t i = 0; i < compare->run_count; i++)
    index_rows(&join, compare->runs[i].data, &join.runs[i]);
  compare->rows = xcalloc(base->count, sizeof *compare->rows);
  compare->yardsticks = xcalloc(base->count, sizeof *compare->yardsticks);
  for (size_t i = 0; i < base->count; i++)
    if (find_row(&join, base, &join.base, &base->records[i]) == &base->records[i]) join_row(&join, &base->records[i]);
  for (size_t i = 0; i < compare->run_count; i++) {
    find_new_rows(&join, i);
    map_free(&join.runs[i]);
  }
  map_free(&join.base);
  free(join.runs);
}

/* Places foreign rows (results of other programs) in the table of cases. */
#include "summary/foreign.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/precision.h"

/* ---- Placing foreign rows ---- */

/* The position of a case in the summary. Cases of several devices or runs may have the same key and mode: `next` is the
 * index of the next such case in `items`. */
struct spot {
  size_t bench, point, next;
};

struct spots {
  struct map first;
  struct spot *items;
  size_t count;
};

static void add_spot(struct spots *spots, const struct run_summary *summary, size_t bench, size_t point) {
  const char *const key[] = {summary->benches[bench].cases[point].key, summary->benches[bench].mode};
  spots->items = xgrow(spots->items, spots->count, sizeof *spots->items);
  const size_t at = spots->count++, first = map_put(&spots->first, key, 2, at);
  spots->items[at] = (struct spot){bench, point, MAP_NONE};
  if (first == at) return;
  spots->items[at].next = spots->items[first].next;
  spots->items[first].next = at;
}

static struct spots find_spots(const struct run_summary *summary) {
  struct spots spots = {0};
  for (size_t i = 0; i < summary->bench_count; i++)
    for (size_t j = 0; j < summary->benches[i].case_count; j++)
      add_spot(&spots, summary, i, j);
  return spots;
}

static bool is_of_run(const struct run_data *data, const struct run_bench *bench, const struct run_case *point,
                      size_t run) {
  if (run == FOREIGN_ANY_RUN || data->run_count < 2) return true;
  for (size_t i = 0; i < bench->variant_count; i++)
    if (point->rows[i] != NULL && run_data_run_of(data, point->rows[i]) == run) return true;
  return false;
}

static size_t foreign_column_of(struct run_bench *bench, const struct foreign_row *row) {
  for (size_t i = 0; i < bench->foreign_count; i++)
    if (text_same(bench->foreign[i].variant, row->variant) && text_same(bench->foreign[i].source, row->source))
      return i;
  if (bench->foreign_count == FOREIGN_COLUMNS_MAX) return FOREIGN_COLUMNS_MAX;
  bench->foreign = xrealloc(bench->foreign, FOREIGN_COLUMNS_MAX, sizeof *bench->foreign);
  bench->foreign[bench->foreign_count] = (struct foreign_column){row->variant, row->source};
  return bench->foreign_count++;
}

static void place_row(const struct run_data *data, struct run_bench *bench, struct run_case *point,
                      const struct foreign_row *row) {
  if (row->device[0] != '\0' && !text_same(row->device, bench->device_name) && !text_same(row->device, bench->devices))
    return;
  if (!is_of_run(data, bench, point, row->run)) return;
  const size_t column = foreign_column_of(bench, row);
  if (column == FOREIGN_COLUMNS_MAX) {
    bench->foreign_left++;
    return;
  }
  if (point->foreign == NULL) point->foreign = xcalloc(FOREIGN_COLUMNS_MAX, sizeof *point->foreign);
  point->foreign[column] = row;
}

void foreign_place(const struct run_data *data, struct run_summary *summary) {
  if (data->foreign.count == 0) return;
  struct spots spots = find_spots(summary);
  for (size_t i = 0; i < data->foreign.count && spots.items != NULL; i++) {
    const struct foreign_row *row = &data->foreign.items[i];
    const char *const key[] = {row->case_key, row->mode};
    if (row->place != FOREIGN_MATCHED) continue;
    for (size_t at = map_get(&spots.first, key, 2); at != MAP_NONE; at = spots.items[at].next) {
      struct run_bench *bench = &summary->benches[spots.items[at].bench];
      place_row(data, bench, &bench->cases[spots.items[at].point], row);
    }
  }
  map_free(&spots.first);
  free(spots.items);
}

void foreign_place_free(struct run_bench *bench) {
  for (size_t i = 0; i < bench->case_count; i++)
    free(bench->cases[i].foreign);
  free(bench->foreign);
}

/* ---- Figures and sentences about foreign rows ---- */

const struct foreign_row *foreign_at(const struct run_case *point, size_t column) {
  return point->foreign != NULL ? point->foreign[column] : NULL;
}

double foreign_ratio(const struct run_case *point, const struct foreign_row *row) {
  return row_timed(point->base) ? point->base->median_raw_ns / row->median_ns : (double)NAN;
}

double foreign_rate(enum rate rate, const struct run_bench *bench, const struct run_case *point,
                    const struct foreign_row *row) {
  for (size_t i = 0; i < bench->variant_count; i++) {
    const struct record *record = point->rows[i];
    if (record == NULL) continue;
    if (rate == RATE_TFLOPS && record->flops > 0) return (double)record->flops / row->median_ns * 1e-3;
    if (rate == RATE_GB && record->bytes > 0) return (double)record->bytes / row->median_ns;
  }
  return (double)NAN;
}

bool foreign_is_mixed(const struct run_case *point, const struct foreign_row *row) {
  const char *math = row_timed(point->base) ? text_or_empty(point->base->math) : "";
  if (math[0] == '\0' || row->math[0] == '\0' || text_same(math, row->math)) return false;
  const int own = precision_bits(row->math), base = precision_bits(math);
  return own == 0 || base == 0 || own < base;
}

void foreign_name(const struct run_bench *bench, size_t column, char *to, size_t size) {
  const struct foreign_column *of = &bench->foreign[column];
  bool taken = false;
  for (size_t i = 0; i < bench->variant_count; i++)
    taken = taken || text_same(bench->variants[i], of->variant);
  for (size_t i = 0; i < bench->foreign_count; i++)
    taken = taken || (i != column && text_same(bench->foreign[i].variant, of->variant));
  if (taken)
    snprintf(to, size, "%s (%s)", of->variant, of->source);
  else
    snprintf(to, size, "%s", of->variant);
}

void foreign_sentence(const struct run_data *data, char *to, size_t size) {
  enum { SOURCES_MAX = 4 };
  const char *sources[SOURCES_MAX] = {0};
  size_t rows = 0, count = 0;
  char list[TEXT_SIZE];
  for (size_t i = 0; i < data->foreign.count; i++) {
    const struct foreign_row *row = &data->foreign.items[i];
    size_t at = 0;
    if (row->place != FOREIGN_MATCHED) continue;
    rows++;
    while (at < count && strcmp(sources[at], row->source) != 0)
      at++;
    if (at == count && count < SOURCES_MAX) sources[count++] = row->source;
  }
  text_join(list, sizeof list, sources, count);
  to[0] = '\0';
  if (rows != 0)
    snprintf(to, size, "%zu row%s timed by %s, not interleaved: in no count, mean or verdict", rows,
             rows == 1 ? "" : "s", list);
}

void foreign_left_out(const struct run_bench *bench, char *to, size_t size) {
  to[0] = '\0';
  if (bench->foreign_left != 0)
    snprintf(to, size, "%zu more foreign rows of %s have no column here: there are %d", bench->foreign_left,
             bench->name, FOREIGN_COLUMNS_MAX);
}

/* Foreign rows beside cases. */
#include "summary/foreign.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/precision.h"

enum { KEY_PARTS = 4 };

/* ---- Which rows have a case ---- */

/* Texts that a row looks for: case, mode, device, run; "" is any. */
struct wanted {
  const char *parts[KEY_PARTS];
  char run[24];
};

static void want(struct wanted *wanted, const char *case_key, const char *mode, const char *device, size_t run) {
  *wanted = (struct wanted){{case_key, mode, device, wanted->run}, ""};
  if (run != FOREIGN_ANY_RUN) snprintf(wanted->run, sizeof wanted->run, "%zu", run);
}

static void add_places(struct map *places, const struct record *record, size_t run) {
  const char *key = text_or_empty(record->case_key), *mode = text_or_empty(record->mode);
  const char *const devices[] = {"", text_or_empty(record->device_name), text_or_empty(record->devices)};
  struct wanted wanted;
  want(&wanted, key, "", "", run);
  map_put(places, wanted.parts, KEY_PARTS, 0);
  for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
    want(&wanted, key, mode, devices[i], run);
    map_put(places, wanted.parts, KEY_PARTS, 0);
  }
}

/* Variants of a case follow each other: only the first is of interest. */
static bool is_new_place(const struct record *record, const struct record *before) {
  return !text_same(record->case_key, before->case_key) || !text_same(record->mode, before->mode) ||
         !text_same(record->devices, before->devices) || !text_same(record->device_name, before->device_name);
}

static struct map find_places(const struct run_data *data) {
  struct map places = {0};
  size_t last_run = FOREIGN_ANY_RUN;
  for (size_t i = 0; i < data->count; i++) {
    const size_t run = run_data_run_of(data, &data->records[i]);
    if (run == last_run && !is_new_place(&data->records[i], &data->records[i - 1])) continue;
    add_places(&places, &data->records[i], run);
    add_places(&places, &data->records[i], FOREIGN_ANY_RUN);
    last_run = run;
  }
  return places;
}

static bool is_there(const struct map *places, const struct foreign_row *row, const char *mode, const char *device,
                     size_t run) {
  struct wanted wanted;
  want(&wanted, row->case_key, mode, device, run);
  return map_get(places, wanted.parts, KEY_PARTS) != MAP_NONE;
}

static enum foreign_fate fate_of(const struct map *places, const struct foreign_row *row) {
  if (is_there(places, row, row->mode, row->device, row->run)) return FOREIGN_MATCHED;
  if (is_there(places, row, row->mode, "", row->run)) return FOREIGN_OTHER_DEVICE;
  return is_there(places, row, "", "", row->run) ? FOREIGN_OTHER_MODE : FOREIGN_NO_CASE;
}

bool foreign_is_of(const struct run_data *data, const struct foreign_row *row, size_t run) {
  if (row->fate != FOREIGN_MATCHED || (row->run != FOREIGN_ANY_RUN && row->run != run)) return false;
  if (row->run == run || data->run_count < 2) return true;
  for (size_t i = data->runs[run].first; i < data->runs[run].first + data->runs[run].count; i++)
    if (text_same(data->records[i].case_key, row->case_key) && text_same(data->records[i].mode, row->mode)) return true;
  return false;
}

/* ---- What has none ---- */

enum { NAMED_MAX = 3, CANDIDATES_MAX = 1000 };

struct sentence {
  char *to;
  size_t size, used;
};

static void say(struct sentence *sentence, const char *format, ...) ERR_PRINTF(2, 3);
static void say(struct sentence *sentence, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int length = vsnprintf(sentence->to + sentence->used, sentence->size - sentence->used, format, args);
  va_end(args);
  if (length > 0) sentence->used += (size_t)length;
  if (sentence->used >= sentence->size) sentence->used = sentence->size - 1;
}

/* The key that this one may be a slip of, or NULL; *like: any of its bench. Keys of other benches are no slips of it.
 */
static const char *nearest_key(const struct run_data *data, const char *key, const char **like) {
  const char *candidates[CANDIDATES_MAX];
  const size_t name = strcspn(key, "[");
  size_t count = 0;
  for (size_t i = 0; i < data->count && count < CANDIDATES_MAX; i++) {
    const char *other = text_or_empty(data->records[i].case_key);
    if (count != 0 && strcmp(candidates[count - 1], other) == 0) continue;
    if (strncmp(other, key, name) == 0 && strlen(other) < KEY_SIZE) candidates[count++] = other;
  }
  *like = count != 0 ? candidates[0] : NULL;
  return text_nearest(key, candidates, count);
}

static void say_no_case(struct sentence *sentence, const struct run_data *data, size_t count) {
  size_t named = 0;
  say(sentence, "%zu of %zu are of no case here: ", count, data->foreign.count);
  for (size_t i = 0; i < data->foreign.count && named < NAMED_MAX; i++) {
    const struct foreign_row *row = &data->foreign.items[i];
    if (row->fate != FOREIGN_NO_CASE) continue;
    const char *like = NULL, *near = nearest_key(data, row->case_key, &like);
    say(sentence, "%s'%.120s' %.40s", named != 0 ? ", " : "", row->case_key, row->variant);
    if (near != NULL)
      say(sentence, " (nearest: '%.120s')", near);
    else if (like != NULL && named == 0)
      say(sentence, " (keys here are like '%.120s')", like);
    named++;
  }
  if (count > named) say(sentence, " and %zu more", count - named);
}

static const struct foreign_row *first_of(const struct run_data *data, enum foreign_fate fate) {
  for (size_t i = 0; i < data->foreign.count; i++)
    if (data->foreign.items[i].fate == fate) return &data->foreign.items[i];
  return NULL;
}

static void say_other(struct sentence *sentence, const struct run_data *data, enum foreign_fate fate, size_t count) {
  const struct foreign_row *row = first_of(data, fate);
  if (row == NULL) return;
  say(sentence, "%s%zu of %zu are of a case that was not timed %s here: ", sentence->used != 0 ? "; " : "", count,
      data->foreign.count, fate == FOREIGN_OTHER_MODE ? "in their mode" : "on their device");
  say(sentence, "%s'%.120s' %.40s, %s %.60s", count > 1 ? "first " : "", row->case_key, row->variant,
      fate == FOREIGN_OTHER_MODE ? "mode" : "device", fate == FOREIGN_OTHER_MODE ? row->mode : row->device);
}

/* One line for all of them. */
static void note_unmatched(struct run_data *data, const size_t counts[FOREIGN_OTHER_DEVICE + 1]) {
  char text[MSG_SIZE], note[MSG_SIZE + 32];
  struct sentence sentence = {text, sizeof text, 0};
  if (counts[FOREIGN_MATCHED] == data->foreign.count) return;
  text[0] = '\0';
  if (counts[FOREIGN_NO_CASE] != 0) say_no_case(&sentence, data, counts[FOREIGN_NO_CASE]);
  say_other(&sentence, data, FOREIGN_OTHER_MODE, counts[FOREIGN_OTHER_MODE]);
  say_other(&sentence, data, FOREIGN_OTHER_DEVICE, counts[FOREIGN_OTHER_DEVICE]);
  snprintf(note, sizeof note, "Foreign rows: %s.", text);
  strings_add(&data->notes, note);
}

void foreign_judge(struct run_data *data) {
  size_t counts[FOREIGN_OTHER_DEVICE + 1] = {0};
  if (data->foreign.count == 0) return;
  struct map places = find_places(data);
  for (size_t i = 0; i < data->foreign.count; i++) {
    struct foreign_row *row = &data->foreign.items[i];
    row->fate = fate_of(&places, row);
    counts[row->fate]++;
  }
  map_free(&places);
  note_unmatched(data, counts);
}

/* ---- Beside the cases ---- */

/* Cases of one key and mode: of several devices, or of several runs. */
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

static size_t column_of(struct run_bench *bench, const struct foreign_row *row) {
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
  const size_t column = column_of(bench, row);
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
    if (row->fate != FOREIGN_MATCHED) continue;
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

/* ---- What may be said ---- */

const struct foreign_row *foreign_at(const struct run_case *point, size_t column) {
  return point->foreign != NULL ? point->foreign[column] : NULL;
}

double foreign_ratio(const struct run_case *point, const struct foreign_row *row) {
  return summary_timed(point->base) ? point->base->median_raw_ns / row->median_ns : (double)NAN;
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
  const char *math = summary_timed(point->base) ? text_or_empty(point->base->math) : "";
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
    if (row->fate != FOREIGN_MATCHED) continue;
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

/* Sorting rows into benches and cases. */
#include "summary/sort_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/text.h"

/* The yardsticks of the calibrate plugin are recorded in every run; where they are all there is, they were asked for.
 */
static bool only_calibration(const struct run_data *data) {
  for (size_t i = 0; i < data->count; i++)
    if (!row_is_calibration(&data->records[i])) return false;
  return true;
}

/* What is known while the rows are sorted into benches. */
struct builder {
  const struct run_data *data;
  struct run_summary *summary;
  struct map rows;           /* bench, mode, devices, case, variant -> run */
  struct map repeats;        /* bench, mode, devices whose rows two runs have */
  struct map benches, cases; /* cases by bench and key */
  struct map variants;       /* by bench and name */
};

enum { PLACE_PARTS = 6 };

/* Name, mode, devices, run and two more: a row's place. */
struct place {
  const char *parts[PLACE_PARTS];
  char run[24], bench[24];
};

static void place_of(const struct builder *build, const struct record *record, struct place *place) {
  *place = (struct place){{text_or_empty(record->bench), text_or_empty(record->mode), text_or_empty(record->devices),
                           text_or_empty(record->case_key), text_or_empty(record->variant), ""},
                          "",
                          ""};
  if (build->data->run_count < 2 || map_get(&build->repeats, place->parts, 3) == MAP_NONE) return;
  snprintf(place->run, sizeof place->run, "%zu", run_data_run_of(build->data, record));
}

/* Runs of different cases, or on different devices, make one whole; two runs of the same rows stay apart. */
static void find_repeats(struct builder *build) {
  for (size_t i = 0; build->data->run_count > 1 && i < build->data->count; i++) {
    struct place place;
    size_t run = run_data_run_of(build->data, &build->data->records[i]);
    place_of(build, &build->data->records[i], &place);
    if (map_put(&build->rows, place.parts, 5, run) != run) map_put(&build->repeats, place.parts, 3, 1);
  }
}

static size_t bench_of(struct builder *build, const struct record *record) {
  struct run_summary *summary = build->summary;
  struct place place;
  place_of(build, record, &place);
  const char *const key[] = {place.parts[0], place.parts[1], place.parts[2], place.run};
  size_t index = map_put(&build->benches, key, 4, summary->bench_count);
  if (index < summary->bench_count) return index;
  summary->benches = xrealloc(summary->benches, summary->bench_count + 1, sizeof *summary->benches);
  summary->benches[summary->bench_count++] = (struct run_bench){.name = key[0],
                                                                .mode = key[1],
                                                                .devices = key[2],
                                                                .device_name = text_or_empty(record->device_name),
                                                                .run = run_data_run_of(build->data, record),
                                                                .repeated = place.run[0] != '\0'};
  return index;
}

static void parse_axes(struct pairs *pairs, const char *text) {
  char *copy = xstrdup(text), *rest = copy, *item = NULL;
  while ((item = strsep(&rest, ";")) != NULL) {
    char *value = strchr(item, '=');
    if (value == NULL) continue;
    *value++ = '\0';
    text_percent_decode(item);
    text_percent_decode(value);
    pairs_add_text(pairs, item, value);
  }
  free(copy);
}

static size_t case_of(struct builder *build, size_t index, const struct record *record) {
  struct run_bench *bench = &build->summary->benches[index];
  char number[24];
  const char *const key[] = {number, text_or_empty(record->case_key)};
  snprintf(number, sizeof number, "%zu", index);
  size_t at = map_put(&build->cases, key, 2, bench->case_count);
  if (at < bench->case_count) return at;
  bench->cases = xgrow(bench->cases, bench->case_count, sizeof *bench->cases);
  struct run_case *point = &bench->cases[bench->case_count++];
  *point = (struct run_case){.key = key[1], .preset = text_or_empty(record->preset)};
  parse_axes(&point->axes, text_or_empty(record->axes));
  if (point->preset[0] != '\0') bench->has_presets = true;
  return at;
}

static size_t variant_of(struct builder *build, size_t index, const struct record *record) {
  struct run_bench *bench = &build->summary->benches[index];
  char number[24];
  const char *const key[] = {number, text_or_empty(record->variant)};
  snprintf(number, sizeof number, "%zu", index);
  size_t at = map_put(&build->variants, key, 2, bench->variant_count);
  if (at < bench->variant_count) return at;
  bench->variants = xrealloc(bench->variants, bench->variant_count + 1, sizeof *bench->variants);
  bench->variants[bench->variant_count++] = key[1];
  return at;
}

/* Benches, variants and cases first: the rows are put in when the number of variants is known. */
static void collect_names(struct builder *build) {
  const struct run_data *data = build->data;
  bool asked_for = only_calibration(data);
  for (size_t i = 0; i < 2 * data->count; i++) { /* twice: yardsticks in the second round */
    bool second = i >= data->count;
    const struct record *record = &data->records[second ? i - data->count : i];
    bool yardstick = !asked_for && row_is_calibration(record);
    if (yardstick != second) continue;
    size_t index = bench_of(build, record);
    struct run_bench *bench = &build->summary->benches[index];
    bench->yardstick = yardstick;
    build->summary->has_yardsticks = build->summary->has_yardsticks || yardstick;
    if (bench->baseline == NULL && record->baseline != NULL) bench->baseline = record->baseline;
    variant_of(build, index, record);
    case_of(build, index, record);
  }
}

/* The place in the table of the variant that appeared as the `variant`th: the baseline goes first. */
static size_t column_of(const struct run_bench *bench, size_t baseline, size_t variant) {
  if (baseline == bench->variant_count || variant > baseline) return variant;
  return variant == baseline ? 0 : variant + 1;
}

static size_t first_column(const struct run_bench *bench) {
  size_t at = 0;
  while (at < bench->variant_count && !(bench->baseline != NULL && text_same(bench->variants[at], bench->baseline)))
    at++;
  return at;
}

/* Where a run was resumed a row may be there twice: the later one counts. */
static void place_rows(struct builder *build) {
  struct run_summary *summary = build->summary;
  SCOPED size_t *baselines = xcalloc(summary->bench_count, sizeof *baselines);
  for (size_t i = 0; i < summary->bench_count; i++) {
    struct run_bench *bench = &summary->benches[i];
    baselines[i] = first_column(bench);
    for (size_t j = 0; j < bench->case_count; j++)
      bench->cases[j].rows = xcalloc(bench->variant_count, sizeof *bench->cases[j].rows);
  }
  for (size_t i = 0; i < build->data->count; i++) {
    const struct record *record = &build->data->records[i];
    size_t index = bench_of(build, record);
    struct run_bench *bench = &summary->benches[index];
    size_t variant = variant_of(build, index, record);
    bench->cases[case_of(build, index, record)].rows[column_of(bench, baselines[index], variant)] = record;
  }
  for (size_t i = 0; i < summary->bench_count; i++) {
    struct run_bench *bench = &summary->benches[i];
    if (baselines[i] == bench->variant_count) continue;
    const char *name = bench->variants[baselines[i]];
    memmove(bench->variants + 1, bench->variants, baselines[i] * sizeof *bench->variants);
    bench->variants[0] = name;
  }
}

static bool is_yardstick_column(const struct run_bench *bench, size_t variant) {
  for (size_t i = 0; i < bench->case_count; i++)
    if (bench->cases[i].rows[variant] != NULL) return row_is_yardstick(bench->cases[i].rows[variant]);
  return false;
}

static void move_last(struct run_bench *bench, size_t variant) {
  const size_t last = bench->variant_count - 1;
  const char *name = bench->variants[variant];
  memmove(bench->variants + variant, bench->variants + variant + 1, (last - variant) * sizeof *bench->variants);
  bench->variants[last] = name;
  for (size_t i = 0; i < bench->case_count; i++) {
    const struct record **rows = bench->cases[i].rows, *row = rows[variant];
    memmove(rows + variant, rows + variant + 1, (last - variant) * sizeof *rows);
    rows[last] = row;
  }
}

/* Below all that is held against them. */
static void sink_yardsticks(struct run_bench *bench) {
  size_t at = 0;
  for (size_t seen = 0, count = bench->variant_count; seen < count; seen++)
    if (is_yardstick_column(bench, at))
      move_last(bench, at);
    else
      at++;
}

void sort_rows(const struct run_data *data, struct run_summary *summary) {
  struct builder build = {.data = data, .summary = summary};
  find_repeats(&build);
  collect_names(&build);
  place_rows(&build);
  for (size_t i = 0; i < summary->bench_count; i++)
    sink_yardsticks(&summary->benches[i]);
  map_free(&build.rows);
  map_free(&build.repeats);
  map_free(&build.benches);
  map_free(&build.cases);
  map_free(&build.variants);
}

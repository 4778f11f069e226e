/* Sorts rows into benches and cases, finds the fastest of each case, and counts. summary/sentence.c puts the result
 * into words. */
#include "summary/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/text.h"
#include "summary/bench.h"
#include "summary/foreign.h"

/* Returns true if all rows are yardsticks of the calibrate plugin. Every run records such rows; if there are no others,
 * the user asked for them. */
static bool only_calibration(const struct run_data *data) {
  for (size_t i = 0; i < data->count; i++)
    if (!row_is_calibration(&data->records[i])) return false;
  return true;
}

/* State while rows are sorted into benches. */
struct builder {
  const struct run_data *data;
  struct run_summary *summary;
  struct map rows;    /* maps bench, mode, devices, case and variant to the run */
  struct map repeats; /* the combinations of bench, mode and devices for which two runs have the same rows */
  /* benches: maps name, mode, devices and run to the bench; cases: maps bench and key to the case */
  struct map benches, cases;
  struct map variants; /* maps bench and name to the variant */
};

enum { PLACE_PARTS = 6 };

/* The place of a row in the summary: name of the bench, mode, devices, case, variant and run. */
struct place {
  const char *parts[PLACE_PARTS];
  char run[24];
};

static void locate_record(const struct builder *build, const struct record *record, struct place *place) {
  *place = (struct place){{text_or_empty(record->bench), text_or_empty(record->mode), text_or_empty(record->devices),
                           text_or_empty(record->case_key), text_or_empty(record->variant), ""},
                          ""};
  if (build->data->run_count < 2 || map_get(&build->repeats, place->parts, 3) == MAP_NONE) return;
  snprintf(place->run, sizeof place->run, "%zu", run_data_run_of(build->data, record));
}

/* Finds benches for which two runs have the same rows; each run then gets a separate run_bench. Rows of other runs,
 * with different cases or devices, are combined into one summary. */
static void find_repeats(struct builder *build) {
  for (size_t i = 0; build->data->run_count > 1 && i < build->data->count; i++) {
    struct place place;
    size_t run = run_data_run_of(build->data, &build->data->records[i]);
    locate_record(build, &build->data->records[i], &place);
    if (map_put(&build->rows, place.parts, 5, run) != run) map_put(&build->repeats, place.parts, 3, 1);
  }
}

static size_t bench_index_of(struct builder *build, const struct record *record) {
  struct run_summary *summary = build->summary;
  struct place place;
  locate_record(build, record, &place);
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
  row_axes(record, &point->axes);
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

/* Collects benches, variants and cases. Rows are placed later, when the number of variants of each bench is known. */
static void collect_names(struct builder *build) {
  const struct run_data *data = build->data;
  bool asked_for = only_calibration(data);
  for (size_t i = 0; i < 2 * data->count; i++) { /* two passes over the rows: the second adds yardsticks */
    bool second = i >= data->count;
    const struct record *record = &data->records[second ? i - data->count : i];
    bool yardstick = !asked_for && row_is_calibration(record);
    if (yardstick != second) continue;
    size_t index = bench_index_of(build, record);
    struct run_bench *bench = &build->summary->benches[index];
    bench->yardstick = yardstick;
    build->summary->has_yardsticks = build->summary->has_yardsticks || yardstick;
    if (bench->baseline == NULL && record->baseline != NULL) bench->baseline = record->baseline;
    variant_of(build, index, record);
    case_of(build, index, record);
  }
}

/* Returns the column of a variant. `variant` is its index in order of appearance; the baseline is moved to column 0. */
static size_t variant_column_of(const struct run_bench *bench, size_t baseline, size_t variant) {
  if (baseline == bench->variant_count || variant > baseline) return variant;
  return variant == baseline ? 0 : variant + 1;
}

static size_t first_column(const struct run_bench *bench) {
  size_t at = 0;
  while (at < bench->variant_count && !(bench->baseline != NULL && text_same(bench->variants[at], bench->baseline)))
    at++;
  return at;
}

/* Places the rows in their cases. A resumed run may have a row twice; the later one counts. */
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
    size_t index = bench_index_of(build, record);
    struct run_bench *bench = &summary->benches[index];
    size_t variant = variant_of(build, index, record);
    bench->cases[case_of(build, index, record)].rows[variant_column_of(bench, baselines[index], variant)] = record;
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

/* Moves yardsticks (rows for comparison only, such as a plain copy) behind the variants that are compared with them. */
static void sink_yardsticks(struct run_bench *bench) {
  size_t at = 0;
  for (size_t seen = 0, count = bench->variant_count; seen < count; seen++)
    if (is_yardstick_column(bench, at))
      move_last(bench, at);
    else
      at++;
}

static void sort_rows(const struct run_data *data, struct run_summary *summary) {
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

/* Returns the index of a text in a list; appends the text if it is new. The list does not own its texts. */
static size_t intern(const char ***list, size_t *count, const char *text) {
  for (size_t i = 0; i < *count; i++)
    if (strcmp((*list)[i], text) == 0) return i;
  *list = xrealloc(*list, *count + 1, sizeof **list);
  (*list)[*count] = text;
  return (*count)++;
}

static void find_axes(struct run_bench *bench) {
  for (size_t i = 0; i < bench->case_count; i++)
    for (size_t j = 0; j < bench->cases[i].axes.count; j++)
      intern(&bench->axes, &bench->axis_count, bench->cases[i].axes.items[j].name);
  bench->varies = xcalloc(bench->axis_count, sizeof *bench->varies);
  for (size_t a = 0; a < bench->axis_count; a++)
    for (size_t i = 1; i < bench->case_count; i++)
      if (!text_same(pairs_get(&bench->cases[i].axes, bench->axes[a]),
                     pairs_get(&bench->cases[0].axes, bench->axes[a])))
        bench->varies[a] = true;
}

/* Returns true if row `a` is clearly faster than row `b`. Needed for rows of older versions, which do not record which
 * row is fastest. If one row is the other's baseline, the recorded verdict decides; otherwise the intervals of the
 * medians must not overlap. */
static bool clearly_faster(const struct run_case *point, const struct record *a, const struct record *b) {
  if (b == baseline_of(point, a) && a->verdict != NULL) return strcmp(a->verdict, "faster") == 0;
  if (a == baseline_of(point, b) && b->verdict != NULL) return strcmp(b->verdict, "slower") == 0;
  if (isnan(a->ci95_hi_ns) || isnan(b->ci95_lo_ns)) return a->median_raw_ns < b->median_raw_ns;
  return a->ci95_hi_ns < b->ci95_lo_ns;
}

/* Returns true if the launch overhead is a large part of the row's time, but only the raw time is known, as in rows of
 * older versions. */
static bool is_half_known(const struct record *row) {
  return row_launch_limited(row) && isnan(row->median_lo_ns);
}

static bool is_fastest(const struct run_bench *bench, const struct run_case *point, const struct record *best) {
  for (size_t i = 0; i < bench->variant_count; i++) {
    const struct record *row = point->rows[i];
    if (row == NULL || !row_contends(row)) continue;
    if ((row_gap(row) != GAP_NONE && best->fastest != 1) || is_half_known(row)) return false;
    if (row != best && best->fastest < 0 && !clearly_faster(point, best, row)) return false;
  }
  return best->fastest != 0;
}

static void find_winner(const struct run_bench *bench, struct run_case *point) {
  const struct record *best = NULL;
  size_t timed = 0;
  for (size_t i = 0; i < bench->variant_count; i++) {
    const struct record *row = point->rows[i];
    if (row == NULL || !row_contends(row) || row_cut(row)) continue;
    timed++;
    if (best == NULL || row->median_raw_ns < best->median_raw_ns) best = row;
  }
  const bool clear = timed >= 2 && is_fastest(bench, point, best);
  point->winner = clear ? best : NULL;
  point->tie = timed >= 2 && !clear;
}

/* Returns true if the column `bound` says "memory" in some row of the bench, and "compute" in none. */
static bool bound_by_memory(const struct run_bench *bench) {
  bool memory = false;
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);) {
    if (text_same(at.row->bound, "compute")) return false;
    memory = memory || text_same(at.row->bound, "memory");
  }
  return memory;
}

/* Chooses the rate that the bench's tables show. Work with fewer than 4 operations per byte is limited by memory on
 * every machine that we know, so GB/s says more than TFLOP/s. The same holds if the rows were found to be limited by
 * memory. */
static enum rate choose_rate(const struct run_bench *bench) {
  enum rate rate = RATE_NONE;
  const bool memory = bound_by_memory(bench);
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);) {
    if (!row_timed(at.row)) continue;
    const bool flops = at.row->tflops > 0, bytes = at.row->gb_per_s > 0;
    const bool few = memory || at.row->tflops * 1e3 < 4 * at.row->gb_per_s;
    if (flops && (!bytes || !few)) return RATE_TFLOPS;
    if (bytes) rate = RATE_GB;
  }
  return rate;
}

static void finish_bench(struct run_bench *bench) {
  find_axes(bench);
  baseline_find(bench);
  for (size_t i = 0; i < bench->case_count; i++)
    find_winner(bench, &bench->cases[i]);
  bench->rate = choose_rate(bench);
  bench->rate_unit = bench_rate_unit(bench);
}

static double used_share(const struct record *record) {
  return record->verify_tolerance > 0 ? record->verify_error / record->verify_tolerance : record->verify_error;
}

static void count_rounds(struct run_summary *summary, int64_t rounds) {
  if (rounds < 0) return;
  if (summary->rounds_min < 0 || rounds < summary->rounds_min) summary->rounds_min = rounds;
  if (rounds > summary->rounds_max) summary->rounds_max = rounds;
}

/* Counts the row in `reached` if its interval is as narrow as requested, and in `stepped` if it is wider, but sampling
 * stopped because half its width was at most 20 ns or a step of the clock. The reason to stop is "precision" then,
 * too: see measure/rounds.c. */
static void count_precision(struct run_summary *summary, const struct record *record, double asked) {
  enum { NARROWEST_NS = 20 };
  const double half = (record->ci95_hi_ns - record->ci95_lo_ns) / 2, slack = 1 + 1e-9;
  const bool stopped = text_same(record->stop_reason, "precision");
  const bool narrow = row_reached(record, asked);
  if (!summary->asked) summary->precision = asked;
  if (summary->precision != asked) summary->precision = (double)NAN;
  summary->asked = summary->asked || !isnan(asked);
  summary->reached += narrow; /* counted even if sampling went on until a ratio was precise enough */
  summary->hurried += text_same(record->stop_reason, "budget");
  summary->stepped += stopped && !narrow && half <= fmax(NARROWEST_NS, record->tick_ns) * slack;
}

static void count_row(struct run_summary *summary, const struct record *record, double asked) {
  enum row_status status = row_status_of(record);
  if (status == ROW_OK && row_is_yardstick(record)) return; /* yardsticks that are ok are not counted as results */
  summary->rows++;
  summary->statuses[status]++;
  if (row_timed(record)) {
    summary->timed++;
    summary->cut += row_cut(record);
    summary->in_slots += record->verified_slots > 0;
    count_precision(summary, record, asked);
    count_rounds(summary, record->rounds);
  } else {
    summary->untimed += status == ROW_OK && row_cut(record);
  }
  if (isnan(record->verify_error)) return;
  summary->checked++;
  if (status != ROW_OK) return;
  summary->verified++;
  if (summary->worst == NULL || used_share(record) > used_share(summary->worst)) summary->worst = record;
}

void summary_build(const struct run_data *data, struct run_summary *summary) {
  *summary = (struct run_summary){.rounds_min = -1, .rounds_max = -1, .precision = (double)NAN};
  sort_rows(data, summary);
  for (size_t i = 0; i < summary->bench_count; i++) {
    struct run_bench *bench = &summary->benches[i];
    bench->fastest_named = run_data_get(data, "baselines") != NULL;
    finish_bench(bench);
    if (bench->yardstick) continue;
    for (struct bench_walk at = {.bench = bench}; bench_walk(&at);)
      count_row(summary, at.row, row_asked(at.row, run_data_environment(data, at.row)));
  }
  foreign_place(data, summary);
}

bool summary_failed(const struct run_data *data, const struct run_summary *summary, const struct record *record) {
  if (summary->has_yardsticks && row_is_calibration(record)) return false;
  const bool failed = row_status_failed(row_status_of(record)) && !row_left_out(record);
  return failed || record_required(data, record);
}

void summary_free(struct run_summary *summary) {
  for (size_t i = 0; i < summary->bench_count; i++) {
    struct run_bench *bench = &summary->benches[i];
    foreign_place_free(bench);
    for (size_t j = 0; j < bench->case_count; j++) {
      pairs_free(&bench->cases[j].axes);
      free(bench->cases[j].rows);
      free(bench->cases[j].bases);
    }
    free(bench->cases);
    free(bench->variants);
    free(bench->axes);
    free(bench->varies);
  }
  free(summary->benches);
  *summary = (struct run_summary){0};
}

/* Functions about one bench: its baselines, its name, its verdicts, its axes. */
#include "summary/bench.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "record/run_data.h"
#include "stats/math.h"

bool bench_walk(struct bench_walk *walk) {
  const size_t variants = walk->bench->variant_count, places = walk->bench->case_count * variants;
  for (walk->row = NULL; walk->row == NULL && walk->next < places; walk->next++) {
    walk->variant = walk->next % variants;
    walk->point = &walk->bench->cases[walk->next / variants];
    walk->row = walk->point->rows[walk->variant];
  }
  return walk->row != NULL;
}

bool bench_is_latency(const struct run_bench *bench) {
  return strncmp(bench->mode, "latency", 7) == 0;
}

bool bench_case_launch_limited(const struct run_bench *bench, const struct run_case *point) {
  for (size_t i = 0; i < bench->variant_count; i++)
    if (point->rows[i] != NULL && row_launch_limited(point->rows[i])) return true;
  return false;
}

const struct record *bench_find(const struct run_bench *bench, bool (*is_wanted)(const struct record *row)) {
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);)
    if (is_wanted(at.row)) return at.row;
  return NULL;
}

struct number_unit bench_time_unit(const struct run_bench *bench) {
  SCOPED double *times = xcalloc(bench->case_count * bench->variant_count, sizeof *times);
  size_t count = 0;
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);)
    if (row_timed(at.row)) times[count++] = at.row->median_raw_ns;
  stats_sort(times, count);
  return number_time_unit(count != 0 ? times[count / 2] : 1e6);
}

struct rate_unit bench_rate_unit(const struct run_bench *bench) {
  double most = 0;
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);)
    if (row_timed(at.row) && row_rate(bench->rate, at.row) > most) most = row_rate(bench->rate, at.row);
  const bool small = most > 0 && most < 1;
  if (!small) return (struct rate_unit){row_rate_unit(bench->rate), 1};
  return (struct rate_unit){bench->rate == RATE_TFLOPS ? "GFLOP/s" : "MB/s", 1e3};
}

void bench_rate_text(const struct run_bench *bench, double rate, char *to, size_t size) {
  const struct number text = number_significant(rate * bench->rate_unit.per, 3);
  snprintf(to, size, "%s%s%s", text.text, text.text[0] != '\0' ? " " : "",
           text.text[0] != '\0' ? bench->rate_unit.name : "");
}

bool bench_has_ceilings(const struct run_bench *bench) {
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);)
    if (row_timed(at.row) && at.row->ceiling_share > 0) return true;
  return false;
}

size_t bench_wins(const struct run_bench *bench, size_t variant) {
  size_t wins = 0;
  for (size_t i = 0; i < bench->case_count; i++) {
    const struct run_case *point = &bench->cases[i];
    wins += point->winner != NULL && point->winner == point->rows[variant];
  }
  return wins;
}

size_t bench_contests(const struct run_bench *bench) {
  size_t contests = 0;
  for (size_t i = 0; i < bench->case_count; i++)
    contests += bench->cases[i].winner != NULL || bench->cases[i].tie;
  return contests;
}

static void add_axes(const struct run_bench *bench, const struct run_case *point, bool varying, char *to, size_t size) {
  for (size_t i = 0; i < bench->axis_count; i++) {
    const char *value = pairs_get(&point->axes, bench->axes[i]);
    if (bench->varies[i] == varying && value != NULL) phrase_add(to, size, " ", "%s=%s", bench->axes[i], value);
  }
}

struct label bench_case_label(const struct run_bench *bench, const struct run_case *point, bool with_axes) {
  struct label label;
  text_copy(label.text, sizeof label.text, point->preset);
  if (with_axes || label.text[0] == '\0') add_axes(bench, point, true, label.text, sizeof label.text);
  if (label.text[0] == '\0') text_copy(label.text, sizeof label.text, bench->case_count == 1 ? "all" : point->key);
  return label;
}

void bench_fixed_axes(const struct run_bench *bench, char *to, size_t size) {
  to[0] = '\0';
  if (bench->case_count != 0) add_axes(bench, &bench->cases[0], false, to, size);
}

/* ---- Finding and naming baselines ---- */

/* Returns the name of the row's baseline. Returns NULL for a yardstick (a row for comparison only, such as a plain
 * copy), even if the row names a baseline. */
static const char *name_of(const struct record *row) {
  return row == NULL || row_is_yardstick(row) ? NULL : row->baseline;
}

static const struct record *row_named(const struct run_case *point, const char *name) {
  for (size_t i = 0; name != NULL && i < point->row_count; i++)
    if (point->rows[i] != NULL && text_same(point->rows[i]->variant, name)) return point->rows[i];
  return NULL;
}

const struct record *baseline_of(const struct run_case *point, const struct record *row) {
  for (size_t i = 0; point->bases != NULL && row != NULL && i < point->row_count; i++)
    if (point->rows[i] == row) return point->bases[i];
  return point->base;
}

bool baseline_is(const struct run_case *point, const struct record *row) {
  return row != NULL && baseline_of(point, row) == row;
}

static void find_case(struct run_case *point, size_t count) {
  const char *name = NULL;
  bool shared = true;
  point->row_count = count;
  point->bases = xcalloc(count, sizeof *point->bases);
  for (size_t i = 0; i < count; i++) {
    const char *own = name_of(point->rows[i]);
    if (own == NULL) continue;
    if (name == NULL) name = own;
    shared = shared && text_same(own, name);
    point->bases[i] = row_named(point, own);
  }
  point->base = shared ? row_named(point, name) : NULL;
}

/* The different baselines that the rows of a bench name. */
struct bases {
  const char **names; /* the names of the baselines, each once */
  size_t count;
  const char *label;  /* label of the first row with a twin: "@old" */
  const char *rest;   /* baseline of the first row without a twin */
  bool proper, mixed; /* proper: true if some row has a twin (the same variant in another build); mixed: true if twins
                         have different labels, or if rows without a twin have different baselines */
};

static void add_row_baseline(struct bases *bases, const struct record *row) {
  bool known = false, twin = row_is_twin(row);
  const char **first = twin ? &bases->label : &bases->rest,
             *own = twin ? record_label_of(row->baseline) : row->baseline;
  for (size_t i = 0; i < bases->count && !known; i++)
    known = text_same(bases->names[i], row->baseline);
  if (!known) bases->names[bases->count++] = row->baseline;
  bases->proper = bases->proper || (twin && !text_same(row->variant, row->baseline));
  if (*first == NULL) *first = own;
  bases->mixed = bases->mixed || !text_same(*first, own);
}

static struct bases gather_baselines(const struct run_bench *bench) {
  struct bases bases = {.names = xcalloc(bench->case_count * bench->variant_count, sizeof *bases.names)};
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);)
    if (name_of(at.row) != NULL) add_row_baseline(&bases, at.row);
  return bases;
}

static enum run_bases kind_of_baselines(const struct bases *bases) {
  if (bases->count == 0) return BASES_NONE;
  if (bases->count == 1) return bases->proper && bases->rest == NULL ? BASES_TWINS : BASES_ONE;
  return bases->proper && !bases->mixed ? BASES_TWINS : BASES_SEVERAL;
}

void baseline_find(struct run_bench *bench) {
  for (size_t i = 0; i < bench->case_count; i++) {
    struct run_case *point = &bench->cases[i];
    find_case(point, bench->variant_count);
    for (size_t v = 0; v < bench->variant_count; v++)
      if (point->bases[v] != NULL && point->bases[v] != point->rows[0]) bench->baseline_varies = true;
  }
  struct bases bases = gather_baselines(bench);
  bench->bases = kind_of_baselines(&bases);
  free(bases.names);
}

void baseline_text(const struct run_bench *bench, char *to, size_t size) {
  struct bases bases = gather_baselines(bench);
  char list[TEXT_SIZE];
  text_join(list, sizeof list, bases.names, bases.count);
  if (bases.count > 1 && bench->bases == BASES_TWINS)
    snprintf(to, size, "the same variant %s%s%s", bases.label, bases.rest != NULL ? ", else " : "",
             text_or_empty(bases.rest));
  else
    snprintf(to, size, "%s%s", list, bench->bases == BASES_SEVERAL ? " (each row says which)" : "");
  free(bases.names);
}

const char *baseline_label(const struct run_bench *bench) {
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);)
    if (name_of(at.row) != NULL && row_is_twin(at.row)) return record_label_of(at.row->baseline);
  return "";
}

size_t baseline_column(const struct run_bench *bench, size_t variant) {
  size_t found = SIZE_MAX;
  for (size_t i = 0; i < bench->case_count; i++) {
    const struct run_case *point = &bench->cases[i];
    const struct record *base = point->bases != NULL ? point->bases[variant] : point->base;
    size_t at = 0;
    if (base == NULL) continue;
    while (point->rows[at] != base)
      at++;
    if (found != SIZE_MAX && found != at) return SIZE_MAX;
    found = at;
  }
  return found;
}

const char *baseline_beside(const struct run_bench *bench, const struct record *row) {
  bool own = bench->bases == BASES_SEVERAL || (bench->bases == BASES_TWINS && !row_is_twin(row));
  return own ? row->baseline : NULL;
}

/* ---- Titles: names of benches and of the places where they ran ---- */

void title_device(const struct run_summary *summary, const char *name, const char *devices, char *to, size_t size) {
  bool alike = false; /* true if there is another device of the same model */
  for (size_t i = 0; i < summary->bench_count; i++)
    alike =
        alike || (text_same(summary->benches[i].device_name, name) && !text_same(summary->benches[i].devices, devices));
  if (name[0] == '\0' || strcmp(name, devices) == 0)
    text_copy(to, size, devices);
  else if (alike)
    snprintf(to, size, "%s (%s)", name, devices);
  else
    text_copy(to, size, name);
}

/* Writes the name of the bench's device. Devices of a single run have the names that the user gave to --device. */
static void name_device(const struct run_data *data, const struct run_summary *summary, const struct run_bench *bench,
                        char *to, size_t size) {
  struct bench_walk first = {.bench = bench};
  if (bench_walk(&first) && data->run_count == 1 && data->runs[0].device_count > 0)
    devices_label(data, first.row, to, size);
  else
    title_device(summary, bench->device_name, bench->devices, to, size);
}

void title_where(const struct run_data *data, const struct run_summary *summary, const struct run_bench *bench,
                 char *to, size_t size) {
  bool several = false;
  for (size_t i = 0; i < summary->bench_count; i++)
    several = several || (text_same(summary->benches[i].name, bench->name) &&
                          !text_same(summary->benches[i].devices, bench->devices));
  to[0] = '\0';
  if (several) name_device(data, summary, bench, to, size);
  if (!bench->repeated) return;
  phrase_add(to, size, ", ", "%s", run_data_run_name(data, bench->run).text);
}

struct label title_bench(const struct run_data *data, const struct run_summary *summary,
                         const struct run_bench *bench) {
  struct label result;
  char where[KEY_SIZE];
  bool modes = false;
  for (size_t i = 0; i < summary->bench_count; i++)
    modes = modes ||
            (text_same(summary->benches[i].name, bench->name) && !text_same(summary->benches[i].mode, bench->mode));
  title_where(data, summary, bench, where, sizeof where);
  text_copy(result.text, sizeof result.text, bench->name);
  if (modes) phrase_add(result.text, sizeof result.text, ", ", "%s", bench->mode);
  if (where[0] != '\0') phrase_add(result.text, sizeof result.text, ", ", "%s", where);
  return result;
}

/* ---- How verdicts look, and how many there are of each ---- */

struct verdict_look verdict_look(const char *verdict, bool utf8) {
  static const struct verdict_look looks[][2] = {
      {{"+ ", "faster", GRID_BLUE}, {"\xE2\x96\xB2 ", "faster", GRID_BLUE}},
      {{"- ", "slower", GRID_ORANGE}, {"\xE2\x96\xBC ", "slower", GRID_ORANGE}},
      {{"= ", "same", GRID_PLAIN}, {"= ", "same", GRID_PLAIN}},
      {{"? ", "undecided", GRID_PLAIN}, {"? ", "undecided", GRID_PLAIN}},
  };
  for (size_t i = 0; verdict != NULL && i < sizeof looks / sizeof looks[0]; i++)
    if (strcmp(verdict, looks[i][0].word) == 0) return looks[i][utf8];
  const enum gap gap = gap_parse(text_or_empty(verdict));
  return (struct verdict_look){"", gap_name(gap), GRID_FAINT};
}

struct verdict_counts verdict_counts(const struct run_bench *bench) {
  struct verdict_counts counts = {0};
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);) {
    if (!row_contends(at.row) || !row_is_twin(at.row)) continue;
    const char *verdict = row_verdict(at.row);
    counts.faster += text_same(verdict, "faster");
    counts.slower += text_same(verdict, "slower");
    counts.same += text_same(verdict, "same");
    const enum gap gap = gap_parse(verdict);
    counts.undecided += text_same(verdict, "undecided") || gap_is_undecided(gap);
    counts.none += gap != GAP_NONE && !gap_is_undecided(gap);
  }
  return counts;
}

static void add_count(char *to, size_t size, size_t count, const char *what) {
  if (count > 0) phrase_add(to, size, ", ", "%zu %s", count, what);
}

void verdict_counts_text(const struct verdict_counts *counts, char *to, size_t size) {
  to[0] = '\0';
  add_count(to, size, counts->faster, "faster");
  add_count(to, size, counts->slower, "slower");
  add_count(to, size, counts->same, "same");
  add_count(to, size, counts->undecided, "undecided");
  add_count(to, size, counts->none, "without a verdict");
}

/* ---- Choosing the axis of a chart's x ---- */

static const char *case_axis_value(const struct run_bench *bench, const struct run_case *point, size_t axis) {
  return text_or_empty(pairs_get(&point->axes, bench->axes[axis]));
}

static bool parse_axis_number(const char *text, double *value) {
  char *end = NULL;
  if (text[0] < '0' || text[0] > '9') return false;
  *value = strtod(text, &end);
  return *end == '\0' && isfinite(*value);
}

static bool all_numbers(const struct run_bench *bench, size_t axis) {
  double value = 0;
  for (size_t i = 0; i < bench->case_count; i++)
    if (!parse_axis_number(case_axis_value(bench, &bench->cases[i], axis), &value)) return false;
  return true;
}

static size_t count_axis_values(const struct run_bench *bench, size_t axis) {
  enum { ENOUGH = 64 };
  const char *seen[ENOUGH];
  size_t count = 0;
  for (size_t i = 0; i < bench->case_count && count < ENOUGH; i++) {
    const char *value = case_axis_value(bench, &bench->cases[i], axis);
    size_t j = 0;
    while (j < count && strcmp(seen[j], value) != 0)
      j++;
    if (j == count) seen[count++] = value;
  }
  return count;
}

/* Returns the numeric axis with the most values, or axis_count if none has more than two. */
static size_t choose_axis(const struct run_bench *bench) {
  size_t best = bench->axis_count, most = 2;
  for (size_t i = 0; i < bench->axis_count; i++) {
    if (!bench->varies[i] || !all_numbers(bench, i)) continue;
    size_t count = count_axis_values(bench, i);
    if (count > most) {
      most = count;
      best = i;
    }
  }
  return best;
}

static void label_of(const struct run_bench *bench, const struct run_case *point, size_t axis, char *to, size_t size) {
  to[0] = '\0';
  for (size_t i = 0; i < bench->axis_count; i++)
    if (bench->varies[i] && i != axis)
      phrase_add(to, size, " ", "%s=%s", bench->axes[i], case_axis_value(bench, point, i));
}

static struct facet *facet_of(struct facets *facets, const char *label) {
  for (size_t i = 0; i < facets->count; i++)
    if (strcmp(facets->items[i].label, label) == 0) return &facets->items[i];
  facets->items = xrealloc(facets->items, facets->count + 1, sizeof *facets->items);
  struct facet *facet = &facets->items[facets->count++];
  *facet = (struct facet){0};
  text_copy(facet->label, sizeof facet->label, label);
  return facet;
}

static void insert_facet_case(struct facet *facet, const struct run_case *point, double x) {
  size_t at = facet->count++;
  facet->cases = xrealloc(facet->cases, facet->count, sizeof *facet->cases);
  facet->x = xrealloc(facet->x, facet->count, sizeof *facet->x);
  for (; at > 0 && facet->x[at - 1] > x; at--) {
    facet->cases[at] = facet->cases[at - 1];
    facet->x[at] = facet->x[at - 1];
  }
  facet->cases[at] = point;
  facet->x[at] = x;
}

/* Splits the cases into facets: sets of cases that differ only in `axis`, which a chart shows as x. Returns false if
 * there are more than `most` facets, or if a facet has fewer than three cases or two cases at the same x. */
static bool split_facets(const struct run_bench *bench, size_t axis, size_t most, struct facets *facets) {
  char label[EXPR_SIZE];
  for (size_t i = 0; i < bench->case_count; i++) {
    double x = 0;
    label_of(bench, &bench->cases[i], axis, label, sizeof label);
    if (!parse_axis_number(case_axis_value(bench, &bench->cases[i], axis), &x)) return false;
    insert_facet_case(facet_of(facets, label), &bench->cases[i], x);
    if (facets->count > most) return false;
  }
  for (size_t i = 0; i < facets->count; i++) {
    if (facets->items[i].count < 3) return false;
    for (size_t j = 1; j < facets->items[i].count; j++)
      if (!(facets->items[i].x[j] > facets->items[i].x[j - 1])) return false;
  }
  return facets->count != 0;
}

void facets_free(struct facets *facets) {
  for (size_t i = 0; i < facets->count; i++) {
    free(facets->items[i].cases);
    free(facets->items[i].x);
  }
  free(facets->items);
  *facets = (struct facets){0};
}

void facets_build(const struct run_bench *bench, size_t most, struct facets *facets) {
  *facets = (struct facets){0};
  size_t axis = choose_axis(bench);
  if (axis != bench->axis_count && split_facets(bench, axis, most, facets)) {
    facets->axis = bench->axes[axis];
    return;
  }
  facets_free(facets);
  struct facet *facet = facet_of(facets, "");
  for (size_t i = 0; i < bench->case_count; i++)
    insert_facet_case(facet, &bench->cases[i], (double)i);
  free(facet->x);
  facet->x = NULL;
}

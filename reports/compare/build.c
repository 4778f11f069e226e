/* Compares runs: finds the rows (results of one variant in one case) that they have in common, gives each a verdict,
 * and counts and sorts the rows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "compare/compare.h"
#include "record/record.h"
#include "summary/row.h"

/* ---- Joining rows. A hash table is used, so that joining 100,000 rows takes less time than reading them. ---- */

enum { KEY_PARTS = 4 };

static bool is_reference_row(const struct record *record) {
  return row_is_yardstick(record) || row_is_calibration(record);
}

static bool only_yardsticks(const struct run_data *data) {
  for (size_t i = 0; i < data->count; i++)
    if (!is_reference_row(&data->records[i])) return false;
  return true;
}

struct join {
  struct compare *compare;
  struct map base, *runs;
  bool only_yardsticks; /* true if all runs have only yardsticks (rows such as a plain copy), so that the user wants to
                           compare these */
};

/* Fills in the key by which a row is found. Devices are part of the key only if a run has several of them. Otherwise
 * they are left out, so that rows from the GPUs of two machines are compared. */
static void key_of(const struct join *join, const struct record *record, const char **key) {
  key[0] = text_or_empty(record->case_key);
  key[1] = text_or_empty(record->variant);
  key[2] = text_or_empty(record->mode);
  key[3] = join->compare->many_devices ? text_or_empty(record->devices) : "";
}

/* Adds the rows of a run to the map. A resumed run may have a row twice; the later one counts. */
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

static bool many_devices(const struct run_data *data) {
  for (size_t i = 1; i < data->count; i++)
    if (strcmp(text_or_empty(data->records[i].devices), text_or_empty(data->records[0].devices)) != 0) return true;
  return false;
}

/* Returns true if the variant was run and failed. */
static bool is_broken_status(enum row_status status) {
  return row_status_failed(status) && status != ROW_NOT_RUN && status != ROW_UNKNOWN;
}

static enum against_outcome outcome_of_rows(const struct record *base, const struct record *row) {
  if (row == NULL) return AGAINST_ONLY_BASE;
  if (row_timed(base) && row_timed(row)) return AGAINST_BOTH;
  enum row_status before = row_status_of(base), after = row_status_of(row);
  if (before == ROW_OK && is_broken_status(after)) return AGAINST_BROKEN;
  if (is_broken_status(before) && after == ROW_OK) return AGAINST_FIXED;
  return AGAINST_UNTIMED;
}

static void add_only(const struct record ***list, size_t *count, const struct record *record) {
  *list = xgrow(*list, *count, sizeof **list);
  (*list)[(*count)++] = record;
}

/* Adds a row of the base run to the comparison if any of the compared runs has the same row. */
static void join_row(struct join *join, const struct record *base) {
  struct compare *compare = join->compare;
  bool yardstick = is_reference_row(base) && !join->only_yardsticks, common = false;
  struct compare_cell *cells = xcalloc(compare->run_count, sizeof *cells);
  for (size_t i = 0; i < compare->run_count; i++) {
    struct compare_run *run = &compare->runs[i];
    const struct record *row = find_row(join, run->data, &join->runs[i], base);
    cells[i] = (struct compare_cell){.row = row, .outcome = outcome_of_rows(base, row)};
    common = common || row != NULL;
    if (row == NULL && !yardstick) add_only(&run->only_base, &run->only_base_count, base);
  }
  if (!common) {
    free(cells);
    return;
  }
  struct compare_row *to =
      yardstick ? &compare->yardsticks[compare->yardstick_count++] : &compare->rows[compare->row_count++];
  *to = (struct compare_row){base, row_timed(base) ? base->median_raw_ns : (double)NAN, cells, NULL};
}

static void find_new_rows(struct join *join, size_t index) {
  struct compare_run *run = &join->compare->runs[index];
  for (size_t i = 0; i < run->data->count; i++) {
    const struct record *record = &run->data->records[i];
    if (find_row(join, run->data, &join->runs[index], record) != record) continue;
    if (is_reference_row(record) && !join->only_yardsticks) continue;
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

/* Fills in the rows, the yardsticks (rows about the machine, such as a plain copy) and the rows that only one run has.
 * Rows are in the base's order; nothing is judged yet. */
static void compare_join(struct compare *compare) {
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

#define GATE_ERROR 0.01

static bool texts_differ(const char *a, const char *b) {
  return strcmp(text_or_empty(a), text_or_empty(b)) != 0;
}

/* ---- Judging ------------------------------------------------------------------------------------------------- */

static bool known_to_differ(const char *a, const char *b) {
  return a != NULL && b != NULL && strcmp(a, b) != 0;
}

/* Returns the condition in which this row differs from the base's row, so that their ratio says nothing about the code;
 * NULL if there is none. Rows of one run may differ in conditions: a resumed run may have rows of two drivers, and a
 * file may have rows of several runs. */
static const char *unlike_of(const struct compare_run *run, const struct record *a, const struct record *b) {
  if (texts_differ(a->contract, b->contract)) return "contract";
  if (run->against->unlike_count != 0) return NULL; /* the whole runs are unlike, which is reported once for the run */
  if (known_to_differ(a->device_name, b->device_name)) return "device";
  if (known_to_differ(a->driver, b->driver)) return "driver";
  if (a->seed >= 0 && b->seed >= 0 && a->seed != b->seed) return "seed of the data";
  return a->quick >= 0 && b->quick >= 0 && a->quick != b->quick ? "quick" : NULL;
}

/* Returns true if the row's median has an interval. A median without one would be taken as exact, so its ratio gets no
 * verdict. */
static bool has_median_interval(const struct record *record) {
  return record->ci95_lo_ns > 0 && record->ci95_hi_ns >= record->ci95_lo_ns;
}

/* Returns the reason why a ratio cannot have a verdict, whatever its value. */
static enum gap gap_before(const struct compare *compare, const struct compare_run *run, const struct record *base,
                           const struct compare_cell *cell) {
  const bool force = compare->options.force;
  if (!run->judged || (cell->unlike != NULL && !force)) return GAP_UNLIKE;
  const int64_t fewest = base->rounds < cell->row->rounds ? base->rounds : cell->row->rounds;
  const enum gap gap = gap_of_row(cell->contended && !force, fewest);
  if (gap != GAP_NONE) return gap;
  if (cell->ratio.from_rows && !(has_median_interval(base) && has_median_interval(cell->row))) return GAP_INTERVAL;
  if (row_cut(base) || row_cut(cell->row)) return GAP_CUT;
  if (cell->ratio.alone) return GAP_PROCESSES;
  return base->above_ceiling > 0 || cell->row->above_ceiling > 0 ? GAP_CEILING : GAP_NONE;
}

static void judge_cell(const struct compare *compare, const struct compare_run *run, const struct record *base,
                       struct compare_cell *cell) {
  if (cell->outcome == AGAINST_UNTIMED && compare_asks(base)) cell->gap = GAP_UNTIMED;
  if (cell->outcome != AGAINST_BOTH) return;
  compare_ratio_find(compare->base, base, run->data, cell->row, &cell->ratio);
  cell->unlike = unlike_of(run, base, cell->row);
  cell->contended = base->contended > 0 || cell->row->contended > 0;
  cell->gap = gap_before(compare, run, base, cell);
  if (cell->gap != GAP_NONE) return;
  cell->word = compare_ratio_word(&cell->ratio, compare->options.threshold);
  if (cell->word == VERDICT_NONE) cell->gap = GAP_INTERVAL;
  cell->unproven = record_word_taken(cell->word, cell->row, base);
  if (cell->unproven == 0) return;
  cell->word = VERDICT_NONE;
  cell->gap = GAP_UNPROVEN;
}

static void judge_rows(const struct compare *compare, struct compare_row *rows, size_t count) {
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < compare->run_count; j++)
      judge_cell(compare, &compare->runs[j], rows[i].base, &rows[i].cells[j]);
}

static size_t with_words(const struct compare *compare, struct compare_cell **cells) {
  size_t count = 0;
  for (size_t i = 0; i < compare->row_count; i++)
    for (size_t j = 0; j < compare->run_count; j++)
      if (compare->rows[i].cells[j].word != VERDICT_NONE) cells[count++] = &compare->rows[i].cells[j];
  return count;
}

/* Returns why the cell's result is not clear; GAP_NONE if it is. GAP_NOISY: half the width of the interval is more than
 * the threshold, so that the interval may hide a difference beyond the threshold. GAP_LAUNCH: the times without the
 * launch overhead do not agree. GAP_UNSURE: the row is slower, perhaps by twice the threshold, but it is not certain
 * that it is slower by more than the threshold. */
static enum gap gap_behind(const struct compare_cell *cell, double threshold) {
  const struct compare_ratio *ratio = &cell->ratio;
  if (cell->word == VERDICT_UNDECIDED && gap_is_noisy(ratio->lo95, ratio->hi95, threshold)) return GAP_NOISY;
  if (!compare_overhead_agrees(ratio, cell->word, threshold)) return GAP_LAUNCH;
  const bool much = cell->word == VERDICT_SLOWER && !cell->beyond && ratio->lo95 < 1 / (1 + 2 * threshold);
  return much ? GAP_UNSURE : GAP_NONE;
}

/* Applies Holm's rule (a correction for many comparisons) to all cells with a verdict; a cell is a row in one of the
 * compared runs. If nothing changed between the runs, at most 1% of comparisons then report any regression. In
 * addition, the interval of a regression must lie beyond the threshold. */
static void judge_together(struct compare *compare) {
  size_t all = compare->row_count * compare->run_count;
  const double limit = 1 + compare->options.threshold;
  SCOPED double *p = xcalloc(all, sizeof *p);
  SCOPED struct compare_cell **cells = xcalloc(all, sizeof *cells);
  SCOPED bool *sure = xcalloc(all, sizeof *sure);
  size_t count = with_words(compare, cells);
  for (size_t i = 0; i < count; i++)
    p[i] = cells[i]->ratio.p;
  stats_holm(p, count, GATE_ERROR, sure);
  for (size_t i = 0; i < count; i++) {
    bool slower = cells[i]->word == VERDICT_SLOWER && cells[i]->ratio.hi95 < 1 / limit;
    bool faster = cells[i]->word == VERDICT_FASTER && cells[i]->ratio.lo95 > limit;
    cells[i]->beyond = sure[i] && (slower || faster);
    cells[i]->gap = gap_behind(cells[i], compare->options.threshold);
    if (cells[i]->gap == GAP_NOISY || cells[i]->gap == GAP_LAUNCH) {
      cells[i]->word = VERDICT_NONE;
      cells[i]->beyond = false;
    }
  }
}

/* ---- Withdrawing verdicts that may be chance among many comparisons --------------------------------------------- */

struct member {
  struct compare_cell *cell;
  size_t family;
};

static int by_family(const void *a, const void *b) {
  size_t x = ((const struct member *)a)->family, y = ((const struct member *)b)->family;
  return (x > y) - (x < y);
}

/* Returns all cells that can have a verdict, grouped by family (the cells that share an error rate). A cell is a row in
 * one of the compared runs. The caller frees the list. */
static struct member *gather_members(const struct compare *compare, size_t *count) {
  struct member *members = xcalloc(compare->row_count * compare->run_count, sizeof *members);
  struct map families = {0};
  size_t next = 0;
  *count = 0;
  for (size_t i = 0; i < compare->row_count; i++)
    for (size_t j = 0; j < compare->run_count; j++) {
      const struct compare_row *row = &compare->rows[i];
      char run[24];
      const char *const key[] = {text_or_empty(row->base->bench), text_or_empty(row->base->mode), run};
      if (row->cells[j].word == VERDICT_NONE && row->cells[j].gap != GAP_NOISY) continue;
      snprintf(run, sizeof run, "%zu", j);
      const size_t family = map_put(&families, key, 3, next);
      next += family == next;
      members[(*count)++] = (struct member){&row->cells[j], family};
    }
  map_free(&families);
  qsort(members, *count, sizeof *members, by_family);
  return members;
}

/* Makes those verdicts of one family (the cells that share an error rate) undecided that fail Holm's rule. Returns
 * their number. */
static size_t correct_members(const struct member *members, size_t count) {
  SCOPED double *p = xcalloc(count, sizeof *p);
  SCOPED bool *sure = xcalloc(count, sizeof *sure);
  size_t lost = 0;
  for (size_t i = 0; i < count; i++)
    p[i] = members[i].cell->ratio.p;
  stats_holm(p, count, STATS_FAMILY_ERROR, sure);
  for (size_t i = 0; i < count; i++) {
    struct compare_cell *cell = members[i].cell;
    const bool differs = cell->word == VERDICT_SLOWER || cell->word == VERDICT_FASTER;
    if (!differs || sure[i] || cell->gap != GAP_NONE || cell->beyond) continue;
    cell->word = VERDICT_UNDECIDED;
    lost++;
  }
  return lost;
}

/* Withdraws verdicts that may be due to chance. The verdicts of a bench and mode in a run share an error rate, as in a
 * run's own report (summary/sentence.h): those that fail the correction become undecided. This step comes last and only
 * removes verdicts. Whether a cell is judged and whether it is a regression was decided before: a CI job must not miss
 * more regressions because it compares more rows. */
static void settle_words(struct compare *compare) {
  size_t count;
  SCOPED struct member *members = gather_members(compare, &count);
  for (size_t begin = 0, end = 0; begin < count; begin = end) {
    while (end < count && members[end].family == members[begin].family)
      end++;
    compare->lost += correct_members(members + begin, end - begin);
  }
  compare->compared = count;
}

/* ---- Counting ------------------------------------------------------------------------------------------------ */

static void widen_range(struct compare_range *range, size_t value) {
  if (range->most == 0 || value < range->least) range->least = value;
  if (value > range->most) range->most = value;
}

static void count_cell(struct compare_run *run, const struct record *base, const struct compare_cell *cell) {
  run->outcomes[cell->outcome]++;
  run->common += cell->outcome != AGAINST_ONLY_BASE;
  run->gaps[cell->gap] += cell->gap != GAP_NONE;
  if (row_status_of(base) == ROW_OK && cell->row != NULL) {
    bool checked = cell->outcome == AGAINST_BROKEN || row_status_of(cell->row) == ROW_OK;
    run->checked += checked;
    run->unchecked += !checked;
  }
  if (cell->outcome != AGAINST_BOTH) return;
  run->judged_rows += cell->gap == GAP_NONE;
  if (cell->gap == GAP_NONE) run->words[cell->word]++;
  run->slower += cell->beyond && cell->word == VERDICT_SLOWER;
  run->faster += cell->beyond && cell->word == VERDICT_FASTER;
  run->assumed += isnan(cell->ratio.assumed_sd) ? 0 : 1;
  run->from_rows += cell->ratio.from_rows;
  run->contended += cell->contended;
  widen_range(&run->base_restarts, cell->ratio.base_restarts);
  widen_range(&run->restarts, cell->ratio.other_restarts);
}

static void count_absent(struct compare_run *run) {
  for (size_t i = 0; i < run->only_base_count; i++) {
    run->gaps[GAP_ABSENT] += compare_asks(run->only_base[i]);
    run->unchecked += row_status_of(run->only_base[i]) == ROW_OK;
  }
}

static enum against_verdict verdict_of_run(const struct compare_run *run) {
  if (run->outcomes[AGAINST_BROKEN] != 0) return AGAINST_INCORRECT;
  if (run->slower != 0) return AGAINST_SLOWER;
  if (run->outcomes[AGAINST_BOTH] == 0) return AGAINST_NOTHING;
  if (run->judged_rows == 0) return AGAINST_UNJUDGED;
  return compare_unjudged(run) != 0 ? AGAINST_PARTLY : AGAINST_CLEAR;
}

static void count_cells(struct compare *compare) {
  for (size_t i = 0; i < compare->row_count; i++) {
    const struct record *base = compare->rows[i].base, *first = compare->rows[0].base;
    compare->many_benches = compare->many_benches || texts_differ(base->bench, first->bench);
    compare->many_modes = compare->many_modes || texts_differ(base->mode, first->mode);
    for (size_t j = 0; j < compare->run_count; j++)
      count_cell(&compare->runs[j], base, &compare->rows[i].cells[j]);
  }
  for (size_t j = 0; j < compare->run_count; j++) {
    count_absent(&compare->runs[j]);
    compare->runs[j].verdict = verdict_of_run(&compare->runs[j]);
  }
}

/* ---- Ordering ------------------------------------------------------------------------------------------------ */

enum urgency { BROKEN, SLOWER, FASTER, FIXED, OTHER_STATUS, CALM, NOWHERE_TIMED };

struct ranked {
  struct compare_row row;
  size_t index;
  enum urgency urgency;
  double size; /* size of the change: absolute value of ln(ratio) */
};

static enum urgency urgency_of(const struct compare *compare, const struct record *base,
                               const struct compare_cell *cell) {
  double limit = 1 + compare->options.threshold;
  switch (cell->outcome) {
    case AGAINST_BROKEN:
      return BROKEN;
    case AGAINST_FIXED:
      return FIXED;
    case AGAINST_BOTH:
      break;
    case AGAINST_UNTIMED:
      return row_status_of(base) != row_status_of(cell->row) ? OTHER_STATUS : NOWHERE_TIMED;
    default:
      return NOWHERE_TIMED;
  }
  bool judged = cell->word != VERDICT_NONE; /* a cell without a verdict is ordered by its ratio */
  if (judged ? cell->word == VERDICT_SLOWER : cell->ratio.speedup < 1 / limit) return SLOWER;
  if (judged ? cell->word == VERDICT_FASTER : cell->ratio.speedup > limit) return FASTER;
  return CALM;
}

static struct ranked rank_row(const struct compare *compare, size_t index) {
  struct ranked ranked = {compare->rows[index], index, NOWHERE_TIMED, 0};
  for (size_t i = 0; i < compare->run_count; i++) {
    const struct compare_cell *cell = &ranked.row.cells[i];
    enum urgency urgency = urgency_of(compare, ranked.row.base, cell);
    double size = cell->outcome == AGAINST_BOTH ? fabs(log(cell->ratio.speedup)) : 0;
    if (urgency > ranked.urgency || isnan(size)) continue;
    ranked.size = urgency < ranked.urgency ? size : fmax(size, ranked.size);
    ranked.urgency = urgency;
  }
  return ranked;
}

static int by_rank(const void *a, const void *b) {
  const struct ranked *x = a, *y = b;
  if (x->urgency != y->urgency) return x->urgency < y->urgency ? -1 : 1;
  if (x->size != y->size) return x->size > y->size ? -1 : 1;
  return x->index < y->index ? -1 : 1;
}

static void order_rows(struct compare *compare) {
  SCOPED struct ranked *ranked = xcalloc(compare->row_count, sizeof *ranked);
  for (size_t i = 0; i < compare->row_count; i++)
    ranked[i] = rank_row(compare, i);
  qsort(ranked, compare->row_count, sizeof *ranked, by_rank);
  for (size_t i = 0; i < compare->row_count; i++)
    compare->rows[i] = ranked[i].row;
}

/* ---- Building the comparison ------------------------------------------------------------------------------------ */

void compare_build(const struct compare_options *options, const struct compare_input *base,
                   const struct compare_input *others, size_t count, struct compare *compare) {
  *compare = (struct compare){.options = *options, .base = base->data, .run_count = count};
  compare->runs = xcalloc(count, sizeof *compare->runs);
  for (size_t i = 0; i < count; i++) {
    struct compare_run *run = &compare->runs[i];
    run->data = others[i].data;
    run->against = xcalloc(1, sizeof *run->against);
    compare_differences_find(base->data, run);
    run->judged = run->against->unlike_count == 0 || options->force;
  }
  compare_label_runs(base, others, compare);
  compare_join(compare);
  judge_rows(compare, compare->rows, compare->row_count);
  judge_rows(compare, compare->yardsticks, compare->yardstick_count);
  judge_together(compare);
  settle_words(compare);
  count_cells(compare);
  compare_label_rows(compare->rows, compare->row_count);
  compare_label_rows(compare->yardsticks, compare->yardstick_count);
  order_rows(compare);
  against_fill(compare, base->asked);
}

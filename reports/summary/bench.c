/* Answers from the rows of one bench. */
#include "summary/bench.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/phrase.h"
#include "base/text.h"
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

bool bench_case_floored(const struct run_bench *bench, const struct run_case *point) {
  for (size_t i = 0; i < bench->variant_count; i++)
    if (point->rows[i] != NULL && row_floored(point->rows[i])) return true;
  return false;
}

const struct record *bench_floored(const struct run_bench *bench) {
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);)
    if (row_floored(at.row)) return at.row;
  return NULL;
}

struct number_unit bench_time_unit(const struct run_bench *bench) {
  SCOPED double *times = xcalloc(bench->case_count * bench->variant_count, sizeof *times);
  size_t count = 0;
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);)
    if (row_timed(at.row)) times[count++] = at.row->median_raw_ns;
  stats_sort(times, count);
  struct number_unit unit = number_time_unit(count != 0 ? times[count / 2] : 1e6);
  return unit;
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
    if (row_timed(at.row) && at.row->roof_share > 0) return true;
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

/* Writes sentences about the results of a whole run, such as "All 9 results correct; cudnn is fastest". */
#include "summary/sentence.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "model/proof/unproven.h"
#include "stats/gap.h"
#include "summary/bench.h"
#include "summary/row.h"
#include "summary/summary.h"

static bool lost_to_correction(const struct record *row) {
  return gap_parse(text_or_empty(row->verdict)) == GAP_MANY;
}

/* Returns true if the row can have a verdict: it is ranked, no reason rules a verdict out, and its p-value is known. */
static bool row_is_comparable(const struct record *row) {
  return row_contends(row) && row_gap(row) == GAP_NONE && row->speedup_p >= 0;
}

static struct record *writable(struct run_data *data, const struct record *row) {
  return &data->records[row - data->records];
}

static void settle_case(struct run_data *data, const struct run_bench *bench, const struct run_case *point) {
  for (size_t i = 0; i < bench->variant_count; i++) {
    const struct record *row = point->rows[i];
    if (row != NULL && row->fastest == 1 && !record_star_agrees(point->rows, bench->variant_count, row))
      writable(data, row)->fastest = 0;
  }
}

static void settle_bench(struct run_data *data, const struct run_bench *bench) {
  const size_t most = bench->case_count * bench->variant_count;
  SCOPED struct record **rows = xcalloc(most, sizeof *rows);
  SCOPED double *p = xcalloc(most, sizeof *p);
  SCOPED bool *sure = xcalloc(most, sizeof *sure);
  size_t count = 0;
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);) {
    if (!row_is_comparable(at.row)) continue;
    p[count] = at.row->speedup_p;
    rows[count++] = writable(data, at.row);
  }
  stats_holm(p, count, STATS_FAMILY_ERROR, sure);
  for (size_t i = 0; i < count; i++) {
    if (lost_to_correction(rows[i]))
      record_set(&rows[i]->verdict, stats_verdict_name(rows[i]->speedup > 1 ? VERDICT_FASTER : VERDICT_SLOWER));
    const bool differs = record_has_verdict(rows[i], VERDICT_FASTER) || record_has_verdict(rows[i], VERDICT_SLOWER);
    if (differs && !sure[i]) record_set(&rows[i]->verdict, gap_name(GAP_MANY));
  }
  for (size_t i = 0; i < bench->case_count; i++)
    settle_case(data, bench, &bench->cases[i]);
}

void words_settle(struct run_data *data) {
  struct run_summary summary;
  summary_build(data, &summary);
  for (size_t i = 0; i < summary.bench_count; i++)
    settle_bench(data, &summary.benches[i]);
  summary_free(&summary);
}

struct word_counts words_count(const struct run_bench *bench) {
  struct word_counts counts = {0};
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);) {
    counts.compared += row_is_comparable(at.row);
    counts.lost += row_is_comparable(at.row) && lost_to_correction(at.row);
  }
  return counts;
}

void words_sentence(const struct run_bench *bench, char *to, size_t size) {
  const struct word_counts counts = words_count(bench);
  char lost[64] = "none";
  to[0] = '\0';
  if (STATS_FAMILY_ERROR / (double)counts.compared >= 0.01) return;
  if (counts.lost != 0) snprintf(lost, sizeof lost, "%zu", counts.lost);
  snprintf(to, size, "%zu comparisons share an error of %g%% (Holm's rule): %s %s undecided for it", counts.compared,
           100 * STATS_FAMILY_ERROR, lost,
           counts.lost == 1   ? "is"
           : counts.lost == 0 ? "of them is"
                              : "are");
}

bool conditions_quick(const struct run_data *data) {
  const char *quick = run_data_get(data, "quick");
  if (quick != NULL && strcmp(quick, "0") != 0 && strcmp(quick, "no") != 0 && quick[0] != '\0') return true;
  for (size_t i = 0; i < data->count; i++)
    if (data->records[i].quick > 0) return true;
  return false;
}

void conditions_isolated(const struct run_data *data, char *to, size_t size) {
  const char *isolated = run_data_get(data, "isolated");
  bool any = isolated != NULL && isolated[0] != '\0';
  for (size_t i = 0; i < data->count; i++)
    any = any || data->records[i].isolated > 0;
  to[0] = '\0';
  if (!any) return;
  snprintf(to, size, "isolated: each plugin in a process of its own, slots in turn%s%s", isolated != NULL ? "; " : "",
           isolated != NULL ? isolated : "");
}

void conditions_throttled(const struct run_summary *summary, char *to, size_t size) {
  size_t rows = 0;
  double most = 0;
  to[0] = '\0';
  for (size_t i = 0; i < summary->bench_count; i++)
    for (struct bench_walk at = {.bench = &summary->benches[i]}; bench_walk(&at);) {
      if (summary->benches[i].yardstick || !row_contends(at.row) || !(at.row->throttled_share > 0)) continue;
      rows++;
      most = fmax(most, at.row->throttled_share);
    }
  if (rows == 0) return;
  snprintf(to, size, "throttled in %zu of %zu results, there in up to %.*f%% of the rounds", rows, summary->timed,
           most >= 0.0995 ? 0 : 1, 100 * most);
}

struct words {
  char *to;
  size_t size;
};

#define say(words, ...) phrase_add((words)->to, (words)->size, "", __VA_ARGS__)

static void say_correct(struct words *words, const struct run_summary *summary) {
  /* "ok" means that the row passed: it was compared with its reference, or checked by its bench's verify */
  size_t wrong = summary->statuses[ROW_WRONG], right = summary->statuses[ROW_OK], results = right + wrong;
  if (wrong != 0)
    say(words, "%zu of %zu results %s wrong", wrong, results, wrong == 1 ? "is" : "are");
  else if (right == summary->rows - summary->statuses[ROW_SKIPPED])
    say(words, right == 1 ? "The result is correct" : "All %zu results correct", right);
  else
    say(words, "%zu result%s correct", right, right == 1 ? "" : "s");
}

void sentence_reached(const struct run_summary *summary, char *to, size_t size) {
  struct words words = {to, size};
  to[0] = '\0';
  if (summary->timed == 0 || !summary->asked) return;
  if (summary->precision == 0)
    say(&words, "none was asked for a precision");
  else if (isnan(summary->precision))
    say(&words, "%zu of %zu reached the requested precision", summary->reached, summary->timed);
  else
    say(&words, "%zu of %zu reached %.6g%%", summary->reached, summary->timed, 100 * summary->precision);
  if (summary->stepped > 0) say(&words, ", %zu stopped at the clock's step", summary->stepped);
  if (summary->hurried > 0) say(&words, ", %zu stopped early to keep the run's time", summary->hurried);
  if (summary->untimed > 0) say(&words, ", %zu more correct and not timed", summary->untimed);
}

/* Returns the provider (the plugin) of the baseline of row `index`; NULL if the baseline has no row. */
static const char *provider_of_baseline(const struct run_data *data, size_t index) {
  const struct record *row = &data->records[index];
  for (size_t i = 0; i < data->count; i++) {
    const struct record *other = &data->records[i];
    if (text_same(other->variant, text_or_empty(row->baseline)) &&
        text_same(other->run_id, text_or_empty(row->run_id)) &&
        text_same(other->case_key, text_or_empty(row->case_key)) && text_same(other->mode, text_or_empty(row->mode)))
      return other->provider;
  }
  return NULL;
}

void sentence_alone(const struct run_data *data, char *to, size_t size) {
  const char *provider = NULL;
  size_t all = 0, broken = 0, unchecked = 0;
  bool several = false;
  struct words words = {to, size};
  to[0] = '\0';
  for (size_t i = 0; i < data->count; i++) {
    const struct record *row = &data->records[i];
    if (row->alone_pairs < 0) continue;
    const char *own = provider_of_baseline(data, i);
    several = several || (all > 0 && strcmp(text_or_empty(own), text_or_empty(provider)) != 0);
    provider = own;
    all++;
    broken += (unproven_parse(row->unproven) & UNPROVEN_BIT(UNPROVEN_ALONE)) != 0;
    unchecked += gap_parse(text_or_empty(row->verdict)) == GAP_ALONE;
  }
  if (all == 0) return;
  say(&words, "%zu of %zu verdict%s between providers hold%s alone", all - broken - unchecked, all, all == 1 ? "" : "s",
      all - broken - unchecked == 1 ? "s" : "");
  if (broken > 0) say(&words, ", %zu do%s not", broken, broken == 1 ? "es" : "");
  if (unchecked > 0) say(&words, ", %zu not checked", unchecked);
  if (!several && provider != NULL) say(&words, "; baseline by %s", provider);
}

void sentence_when(const struct run_summary *summary, char *to, size_t size) {
  const size_t timed = summary->timed, in_slots = summary->in_slots, cut = summary->cut;
  struct words words = {to, size};
  to[0] = '\0';
  if (timed == 0) return;
  say(&words, "before timing");
  if (in_slots == timed)
    say(&words, " and in random timed slots");
  else if (in_slots > 0)
    say(&words, ", %zu of %zu in random timed slots too", in_slots, timed);
  if (cut == timed)
    say(&words, " (interrupted)");
  else if (cut > 0)
    say(&words, " (%zu of %zu interrupted)", cut, timed);
}

/* Adds which share of the ceiling (the highest rate measured on the device) the fastest rows reach: the lowest and the
 * highest share. */
static void say_shares(struct words *words, const struct run_bench *bench, size_t variant) {
  double lo = HUGE_VAL, hi = 0;
  for (size_t i = 0; i < bench->case_count; i++) {
    const struct run_case *point = &bench->cases[i];
    if (point->winner == NULL || point->winner != point->rows[variant]) continue;
    double share = point->winner->ceiling_share;
    if (!(share > 0)) return;
    lo = fmin(lo, share);
    hi = fmax(hi, share);
  }
  if (hi < 0.01) return; /* no share is known, or the ceilings do not apply to this kind of rate */
  const struct number from = number_percent(lo);
  const struct number to = number_percent(hi);
  if (strcmp(from.text, to.text) == 0)
    say(words, ", at %s%% of the measured ceiling", to.text);
  else
    say(words, ", at %s%% to %s%% of the measured ceiling", from.text, to.text);
}

/* Says which variant of the bench is fastest. `title` is the bench's title, or NULL if it is the only bench. */
static void say_fastest(struct words *words, const struct run_bench *bench, const char *title) {
  size_t contests = bench_contests(bench), best = 0;
  if (contests == 0) return;
  for (size_t i = 1; i < bench->variant_count; i++)
    if (bench_wins(bench, i) > bench_wins(bench, best)) best = i;
  size_t wins = bench_wins(bench, best);
  say(words, "; ");
  if (title != NULL) say(words, "%s: ", title);
  if (wins == 0) {
    say(words, "none is clearly fastest");
    return;
  }
  say(words, "%s is fastest", bench->variants[best]);
  if (wins == contests && wins == 2) say(words, " in both cases");
  if (wins == contests && wins > 2) say(words, " in all %zu cases", wins);
  if (wins < contests) say(words, " in %zu of %zu cases", wins, contests);
  say_shares(words, bench, best);
}

/* Says how many verdicts of each kind there are. This replaces say_fastest() if two builds are compared. */
static void say_builds(struct words *words, const struct run_bench *bench, const char *title) {
  const struct verdict_counts verdicts = verdict_counts(bench);
  char counts[TEXT_SIZE];
  verdict_counts_text(&verdicts, counts, sizeof counts);
  if (counts[0] == '\0') return;
  say(words, "; %s%s%s against %s", title != NULL ? title : "", title != NULL ? ": " : "", counts,
      baseline_label(bench));
}

static void say_other_statuses(struct words *words, const struct run_summary *summary) {
  static const enum row_status order[] = {ROW_CRASHED, ROW_TIMEOUT, ROW_ERROR, ROW_NOT_RUN, ROW_SKIPPED, ROW_UNKNOWN};
  const char *between = " ";
  for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
    size_t count = summary->statuses[order[i]];
    if (count == 0) continue;
    if (order[i] == ROW_ERROR)
      say(words, "%s%zu error%s", between, count, count == 1 ? "" : "s");
    else
      say(words, "%s%zu %s", between, count, row_status_words(order[i]));
    between = ", ";
  }
  if (between[0] == ',') say(words, ".");
}

static size_t unmeasured_devices(const struct run_data *data) {
  size_t count = 0;
  for (size_t run = 0; run < data->run_count; run++)
    for (size_t i = 0; i < data->runs[run].device_count; i++)
      count += data->runs[run].devices[i].unmeasured;
  return count;
}

/* Returns the number of plugins that were requested and could not be loaded. */
static size_t refused_plugins(const struct run_data *data) {
  size_t count = 0;
  for (size_t run = 0; run < data->run_count; run++)
    for (size_t i = 0; i < data->runs[run].environment.count; i++)
      count += strcmp(data->runs[run].environment.items[i].name, "refused") == 0;
  return count;
}

static void say_missing(struct words *words, size_t count, const char *one, const char *what) {
  if (count > 0) say(words, " %zu %s%s %s.", count, one, count == 1 ? " was" : "s were", what);
}

static enum run_outcome run_outcome_of(const struct run_data *data, const struct run_summary *summary) {
  enum run_outcome outcome = RUN_PASSED;
  if (summary->rows == summary->statuses[ROW_SKIPPED]) outcome = RUN_NOTHING;
  if (unmeasured_devices(data) + refused_plugins(data) > 0) outcome = RUN_INCOMPLETE;
  for (size_t i = 0; i < data->count; i++) {
    if (outcome == RUN_PASSED && row_left_out(&data->records[i])) outcome = RUN_LEFT_OUT;
    if (!summary_failed(data, summary, &data->records[i])) continue;
    if (row_status_of(&data->records[i]) != ROW_NOT_RUN) return RUN_FAILED;
    outcome = RUN_INCOMPLETE;
  }
  return outcome;
}

/* Returns the number of benches that the user selected. In the summary they come before yardsticks (benches that only
 * measure the highest rates of the device). */
static size_t asked_count(const struct run_summary *summary) {
  size_t count = 0;
  while (count < summary->bench_count && !summary->benches[count].yardstick)
    count++;
  return count;
}

static void say_bench(struct words *words, const struct run_bench *bench, const char *title) {
  (bench->bases == BASES_TWINS ? say_builds : say_fastest)(words, bench, title);
}

static void say_each(struct words *words, const struct run_data *data, const struct run_summary *summary) {
  size_t count = asked_count(summary);
  for (size_t i = 0; i < count && count <= 3; i++) {
    say_bench(words, &summary->benches[i], count > 1 ? title_bench(data, summary, &summary->benches[i]).text : NULL);
  }
}

/* If the run has one bench, measured on several devices with the same result on each, says the result once and returns
 * true. */
static bool say_once(struct words *words, const struct run_summary *summary) {
  size_t count = asked_count(summary);
  char first[TEXT_SIZE], other[TEXT_SIZE];
  for (size_t i = 0; i < count; i++) {
    const struct run_bench *bench = &summary->benches[i], *before = &summary->benches[0];
    struct words one = {i == 0 ? first : other, sizeof first};
    one.to[0] = '\0';
    say_bench(&one, bench, NULL);
    bool alike = strcmp(bench->name, before->name) == 0 && strcmp(bench->mode, before->mode) == 0 && !bench->repeated;
    if (!alike || (i > 0 && strcmp(first, other) != 0)) return false;
  }
  if (count < 2 || first[0] == '\0') return false;
  say(words, "%s, on each of %zu devices", first, count);
  return true;
}

enum run_outcome summary_sentence(const struct run_data *data, const struct run_summary *summary, char *to,
                                  size_t size) {
  struct words words = {to, size};
  to[0] = '\0';
  if (summary->statuses[ROW_OK] + summary->statuses[ROW_WRONG] == 0)
    say(&words, "Nothing was measured");
  else
    say_correct(&words, summary);
  if (!say_once(&words, summary)) say_each(&words, data, summary);
  say(&words, ".");
  say_other_statuses(&words, summary);
  say_missing(&words, unmeasured_devices(data), "device", "not measured");
  say_missing(&words, refused_plugins(data), "plugin", "refused");
  return run_outcome_of(data, summary);
}

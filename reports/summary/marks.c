/* Marks of rows whose figures are weaker than they look, and the reasons. */
#include "summary/marks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "model/precision.h"
#include "model/proof/unproven.h"
#include "options/device_list.h"
#include "record/record.h"
#include "summary/bench.h"
#include "summary/foreign.h"

static const struct {
  const char *word, *meaning;
} mark_texts[MARK_COUNT] = {
    [MARK_APART] =
        {"not interleaved",
         "measured apart from the baseline, in another process or at another time: no paired speedup and no verdict."},
    [MARK_GROUPS] = {"in groups",
                     "the variants did not fit into memory together and were measured in groups, so not all of them "
                     "were interleaved."},
    [MARK_MATH] = {"mixed math",
                   "computed with fewer significant bits than the baseline: part of the speedup may be "
                   "the price of precision."},
    [MARK_LAUNCH] =
        {"launch-limited",
         "an empty launch (the launch overhead) takes more than 5% of the time: times and speedups are shown with and "
         "without it, rates and shares of the ceiling are without it, and a verdict needs both. On a GPU "
         "mode graph measures such kernels better."},
    [MARK_IMPRECISE] = {"imprecise", "the time limit was reached before the interval was as narrow as requested."},
    [MARK_QUICK] = {"quick", "from a quick run: a look at 5%, not a measurement."},
    [MARK_THROTTLED] = {"throttled", "the device reported throttling in some of the rounds."},
    [MARK_CONDITIONS] = {"conditions", "something was wrong with the machine during the case; the details say what."},
    [MARK_CEILING] =
        {"above the ceiling",
         "faster than the device can be, given the work that its bench declares: no speedup and no verdict."},
    [MARK_UNPROVEN] = {"unproven",
                       "something keeps its time from proving that it is faster; where that would matter its verdict "
                       "reads unproven. The details say what."},
    [MARK_FEW] =
        {"few verified",
         "fewer than 1000 elements of its outputs were compared with the reference, and its bench has no other check."},
    [MARK_DERIVED] = {"prepared from inputs",
                      "its untimed prepare reads the inputs: part of the work may be done there."},
    [MARK_UNVERIFIED] =
        {"partly unverified",
         "part of what it does is not held against the reference: steps of a trajectory, iterations of a "
         "batch, or work in its untimed after; the details say which."},
    [MARK_REUSE] =
        {"may reuse results",
         "its calls were too few or too noisy to rule out that it keeps results of earlier calls and so saves "
         "a tenth of its time or more, or as much as it is faster by; the details say how much."},
};

const char *mark_word(enum mark mark) {
  return mark_texts[mark].word;
}

const char *mark_meaning(enum mark mark) {
  return mark_texts[mark].meaning;
}

static bool row_text_contains(const struct record *row, const char *words) {
  return strstr(text_or_empty(row->message), words) != NULL || strstr(text_or_empty(row->conditions), words) != NULL;
}

static bool is_apart(const struct run_case *point, const struct record *row) {
  if (row_text_contains(row, "not interleaved")) return true;
  if (row_is_yardstick(row)) return false;
  const struct record *base = baseline_of(point, row);
  return row_timed(base) && row != base && isnan(row->speedup);
}

/* Returns true if the launch overhead is a large part of the row's time. Rows of older versions do not record the
 * overhead; it is then taken from the section [environment] of run.ini. */
static bool is_launch_limited(const struct run_data *data, const struct record *row) {
  const char *text = pairs_get(run_data_environment(data, row), "launch_overhead_ns");
  const struct launch_overhead overhead = {text != NULL ? strtod(text, NULL) : (double)NAN, (double)NAN};
  return row->launch_overhead_ns > 0 ? row_launch_limited(row) : overhead_counts(&overhead, row->median_raw_ns);
}

/* Returns true if sampling stopped before the requested precision was reached, for example at a time limit, and the
 * row's interval is wider than requested. (The interval may be narrow enough if only that of the ratio to the baseline
 * was not.) */
static bool is_imprecise(const struct run_data *data, const struct record *row) {
  if (row->stop_reason == NULL || strcmp(row->stop_reason, "precision") == 0) return false;
  const double asked = row_asked(row, run_data_environment(data, row));
  return asked != 0 && !row_reached(row, asked);
}

/* Returns true if the row's arithmetic differs from the baseline's and may have fewer significant bits; this includes
 * number formats whose precisions cannot be ordered. */
static bool is_mixed(const struct run_case *point, const struct record *row) {
  const struct record *base = baseline_of(point, row);
  if (!row_timed(base) || strcmp(text_or_empty(row->math), text_or_empty(base->math)) == 0) return false;
  int own = precision_bits(text_or_empty(row->math)), theirs = precision_bits(text_or_empty(base->math));
  return own == 0 || theirs == 0 || own < theirs;
}

/* Returns true if the variant may have saved much of the row's time by reusing results of earlier calls. On a GPU that
 * is so if more than 10% may have been saved. On a CPU a large saving can never be ruled out, so the row must also be
 * faster than the baseline (even if a busy machine prevents the verdict), and reuse must be able to explain the
 * difference. Returns false for yardsticks, and for rows of older versions, which lack the column `verified_slots`. */
static bool may_reuse(const struct record *row) {
  const bool faster = text_same(row->verdict, "faster") || (row_gap(row) != GAP_NONE && row->speedup_lo > 1);
  if (row_is_yardstick(row) || row_is_calibration(row) || row->verified_slots < 0) return false;
  if (devices_are(text_or_empty(row->backend), DEVICE_IS_GPU)) return !(row->reuse_limit <= 0.1);
  return faster && !(row->reuse_limit < 1 - 1 / row->speedup);
}

unsigned marks_of(const struct run_data *data, const struct run_case *point, const struct record *row) {
  if (!row_timed(row)) return 0;
  const bool holds[MARK_COUNT] = {
      [MARK_APART] = is_apart(point, row),
      [MARK_GROUPS] = row_text_contains(row, "in groups"),
      [MARK_MATH] = is_mixed(point, row),
      [MARK_LAUNCH] = is_launch_limited(data, row),
      [MARK_IMPRECISE] = is_imprecise(data, row),
      [MARK_QUICK] = row->quick > 0,
      [MARK_THROTTLED] = row->throttled_share > 0,
      [MARK_CEILING] = row->above_ceiling > 0,
      [MARK_UNPROVEN] = unproven_parse(row->unproven) != 0 || gap_parse(row_verdict(row)) == GAP_UNPROVEN,
      [MARK_FEW] = row->few_verified > 0,
      [MARK_DERIVED] = row->derived > 0 && record_untimed_counts(row),
      [MARK_UNVERIFIED] = row->unverified_work != NULL && row->unverified_work[0] != '\0',
      [MARK_REUSE] = may_reuse(row),
      [MARK_CONDITIONS] = row->conditions != NULL && row->conditions[0] != '\0',
  };
  unsigned bits = 0;
  for (unsigned i = 0; i < MARK_COUNT; i++)
    bits |= (unsigned)holds[i] << i;
  return bits;
}

void marks_text(unsigned bits, char *to, size_t size) {
  to[0] = '\0';
  for (unsigned i = 0; i < MARK_COUNT; i++)
    if (bits >> i & 1) phrase_add(to, size, ", ", "%s", mark_texts[i].word);
}

bool marks_cover_message(unsigned bits) {
  return (bits & (1U << MARK_APART | 1U << MARK_GROUPS | 1U << MARK_MATH)) != 0;
}

static const char clocks_differ[] = "clocks differ"; /* the text in a row's column `conditions` if clocks differ */

static struct bench_walk begin_scope_walk(const struct mark_scope *scope) {
  const size_t first = scope->point != NULL ? (size_t)(scope->point - scope->bench->cases) : 0;
  return (struct bench_walk){.bench = scope->bench, .next = first * scope->bench->variant_count};
}

/* Goes to the next row of the scope that has the mark; to the next timed row if `mark` is MARK_COUNT. Returns false at
 * the end. */
static bool next_row(const struct mark_scope *scope, enum mark mark, struct bench_walk *at) {
  while (bench_walk(at) && (scope->point == NULL || at->point == scope->point)) {
    if (!row_timed(at->row) || (scope->row != NULL && at->row != scope->row)) continue;
    if (mark == MARK_COUNT || marks_of(scope->data, at->point, at->row) >> mark & 1) return true;
  }
  return false;
}

size_t marks_count(const struct mark_scope *scope, enum mark mark) {
  size_t count = 0;
  for (struct bench_walk at = begin_scope_walk(scope); next_row(scope, mark, &at);)
    count++;
  return count;
}

size_t marks_rows(const struct mark_scope *scope) {
  return marks_count(scope, MARK_COUNT);
}

unsigned marks_shared(const struct mark_scope *scope) {
  unsigned all = ~0U;
  bool any = false;
  for (struct bench_walk at = begin_scope_walk(scope); next_row(scope, MARK_COUNT, &at);) {
    all &= marks_of(scope->data, at.point, at.row);
    any = true;
  }
  return any ? all : 0;
}

unsigned marks_seen(const struct run_data *data, const struct run_bench *bench) {
  unsigned seen = 0;
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);)
    seen |= marks_of(data, at.point, at.row);
  for (size_t i = 0; i < bench->case_count; i++)
    for (size_t j = 0; j < bench->foreign_count; j++) {
      const struct foreign_row *row = foreign_at(&bench->cases[i], j);
      if (row != NULL && foreign_is_mixed(&bench->cases[i], row)) seen |= 1U << MARK_MATH;
    }
  return seen;
}

/* ---- The number that is shown with a mark ---- */

static double figure_of(enum mark mark, const struct record *row) {
  switch (mark) {
    case MARK_IMPRECISE:
      return (row->ci95_hi_ns - row->ci95_lo_ns) / 2 / row->median_raw_ns;
    case MARK_LAUNCH:
      return row->launch_overhead_ns / row->median_raw_ns;
    case MARK_THROTTLED:
      return row->throttled_share;
    case MARK_REUSE:
      return row->reuse_limit;
    case MARK_FEW:
      return row->verify_elements >= 0 ? (double)row->verify_elements : (double)NAN;
    case MARK_CEILING:
      return row->above_ceiling;
    default:
      return (double)NAN;
  }
}

/* Writes the figure of the mark, "21%", or "up to 35%" if the rows have different ones; empty if it is not known. */
static void range_text(const struct mark_scope *scope, enum mark mark, const char *before, char *to, size_t size) {
  const bool percent = mark != MARK_FEW && mark != MARK_CEILING;
  double lo = HUGE_VAL, hi = -HUGE_VAL;
  struct number least, most;
  to[0] = '\0';
  for (struct bench_walk at = begin_scope_walk(scope); next_row(scope, mark, &at);) {
    lo = fmin(lo, figure_of(mark, at.row)); /* fmin and fmax ignore NaN */
    hi = fmax(hi, figure_of(mark, at.row));
  }
  if (!(lo <= hi)) return;
  if (percent) {
    least = number_percent(lo);
    most = number_percent(hi);
  } else {
    snprintf(least.text, sizeof least.text, "%.3g", lo);
    snprintf(most.text, sizeof most.text, "%.3g", hi);
  }
  const char *more = strcmp(least.text, most.text) == 0 ? "" : mark == MARK_FEW ? "as few as " : "up to ";
  snprintf(to, size, "%s%s%s%s", more, before, mark == MARK_FEW ? least.text : most.text, percent ? "%" : "");
}

/* ---- Conditions in words ---- */

/* Writes the column `conditions` (what was wrong with the machine) if it is the same in all rows; otherwise "clocks
 * differ" if all rows contain that text; otherwise nothing. */
static void conditions_text(const struct mark_scope *scope, char *to, size_t size) {
  const char *first = NULL;
  bool same = true, clocks = true;
  for (struct bench_walk at = begin_scope_walk(scope); next_row(scope, MARK_CONDITIONS, &at);) {
    if (first == NULL) first = at.row->conditions;
    same = same && strcmp(first, at.row->conditions) == 0;
    clocks = clocks && strstr(at.row->conditions, clocks_differ) != NULL;
  }
  text_copy(to, size, first == NULL ? "" : same ? first : clocks ? clocks_differ : "");
}

struct clock_range {
  size_t variants, lowest, highest; /* variants: number of variants whose clock is known; lowest, highest: the variants
                                       with the lowest and the highest clock */
  double lo, hi;
};

static struct clock_range clocks_of(const struct mark_scope *scope, size_t variant) {
  struct clock_range range = {0, 0, 0, HUGE_VAL, 0};
  size_t last = SIZE_MAX;
  for (size_t v = 0; v < scope->bench->variant_count; v++)
    for (struct bench_walk at = begin_scope_walk(scope); next_row(scope, MARK_CONDITIONS, &at);) {
      if (at.variant != v || (variant != SIZE_MAX && v != variant) || !(at.row->sm_clock_mhz > 0)) continue;
      range.variants += v != last;
      last = v;
      if (at.row->sm_clock_mhz < range.lo) range.lowest = v;
      if (at.row->sm_clock_mhz > range.hi) range.highest = v;
      range.lo = fmin(range.lo, at.row->sm_clock_mhz);
      range.hi = fmax(range.hi, at.row->sm_clock_mhz);
    }
  return range;
}

/* Writes the clocks of the variants: "standard 1911, flash 1813 MHz", or for many variants "1589 (tensor) to 1979 MHz
 * (naive)". Empty if the clocks do not differ. */
static void clocks_text(const struct mark_scope *scope, char *to, size_t size) {
  enum { NAMED_MOST = 3 };
  const struct clock_range all = clocks_of(scope, SIZE_MAX);
  to[0] = '\0';
  if (all.variants < 2 || lround(all.lo) == lround(all.hi)) return;
  if (all.variants > NAMED_MOST) {
    snprintf(to, size, "%ld (%.100s) to %ld MHz (%.100s)", lround(all.lo), scope->bench->variants[all.lowest],
             lround(all.hi), scope->bench->variants[all.highest]);
    return;
  }
  for (size_t v = 0; v < scope->bench->variant_count; v++) {
    const struct clock_range own = clocks_of(scope, v);
    if (own.variants == 0) continue;
    phrase_add(to, size, ", ", "%.100s %ld", scope->bench->variants[v], lround(own.lo));
    if (lround(own.lo) != lround(own.hi)) phrase_add(to, size, " to ", "%ld", lround(own.hi));
  }
  phrase_add(to, size, " ", "MHz");
}

static void tell_conditions(const struct mark_scope *scope, char *to, size_t size) {
  char text[MSG_SIZE], clocks[TEXT_SIZE];
  conditions_text(scope, text, sizeof text);
  clocks_text(scope, clocks, sizeof clocks);
  const char *at = clocks[0] != '\0' ? strstr(text, clocks_differ) : NULL;
  const char *behind = at != NULL ? at + sizeof clocks_differ - 1 : text + strlen(text);
  phrase_add(to, size, "; ", "%s%s%.*s", mark_word(MARK_CONDITIONS), text[0] ? ": " : "", (int)(behind - text), text);
  if (at != NULL) phrase_add(to, size, ": ", "%s%s", clocks, behind);
}

/* ---- Marks in words ---- */

/* Writes how the arithmetic differs, "tf32 against fp32", if that is the same for all rows. */
static void math_text(const struct mark_scope *scope, char *to, size_t size) {
  char text[TEXT_SIZE];
  to[0] = '\0';
  for (struct bench_walk at = begin_scope_walk(scope); next_row(scope, MARK_MATH, &at);) {
    snprintf(text, sizeof text, "%.60s against %.60s", text_or_empty(at.row->math),
             text_or_empty(baseline_of(at.point, at.row)->math));
    if (to[0] != '\0' && strcmp(to, text) != 0) {
      to[0] = '\0';
      return;
    }
    text_copy(to, size, text);
  }
}

/* Returns true if a row of the scope may owe any share of its speed to reused results: it has the mark MARK_REUSE, and
 * no upper limit of the saved time is known. */
static bool saves_any(const struct mark_scope *scope) {
  for (struct bench_walk at = begin_scope_walk(scope); next_row(scope, MARK_REUSE, &at);)
    if (!(at.row->reuse_limit < 1)) return true;
  return false;
}

/* Writes the longest time that a variant in the scope spent preparing and that its row's time does not include: "up
 * to 1.88 ms that is not in the time". */
static void derived_text(const struct mark_scope *scope, char *to, size_t size) {
  double most = 0;
  to[0] = '\0';
  for (struct bench_walk at = begin_scope_walk(scope); next_row(scope, MARK_DERIVED, &at);)
    most = fmax(most, at.row->untimed_ns);
  if (!(most > 0)) return;
  snprintf(to, size, "up to %s that is not in the time", number_time(most).text);
}

/* Writes the column `unverified_work` of the first row that has the mark. */
static void unverified_text(const struct mark_scope *scope, char *to, size_t size) {
  struct bench_walk at = begin_scope_walk(scope);
  if (next_row(scope, MARK_UNVERIFIED, &at)) text_copy(to, size, at.row->unverified_work);
}

/* Writes why the times of rows are unproven, that is why a check of gpubench doubts them. Adds the doubts about the
 * baseline if rows have no verdict because of them. If a variant's speedup was not confirmed in a process without the
 * other plugin's variants, quotes the message of the first such row. */
static void unproven_text(const struct mark_scope *scope, char *to, size_t size) {
  uint32_t own = 0, theirs = 0;
  char text[MSG_SIZE];
  const char *alone = NULL;
  for (struct bench_walk at = begin_scope_walk(scope); next_row(scope, MARK_UNPROVEN, &at);) {
    const struct record *base = baseline_of(at.point, at.row);
    const uint32_t reasons = unproven_parse(at.row->unproven);
    own |= reasons;
    if (alone == NULL && (reasons & UNPROVEN_BIT(UNPROVEN_ALONE)) != 0) alone = at.row->message;
    if (base != NULL && base != at.row && gap_parse(row_verdict(at.row)) == GAP_UNPROVEN)
      theirs |= record_unproven(base, at.row) & ~record_unproven(at.row, base);
  }
  unproven_words(own, to, size);
  unproven_words(theirs, text, sizeof text);
  if (theirs != 0) phrase_add(to, size, "; ", "of the baseline: %s", text);
  if (alone != NULL) phrase_add(to, size, ": ", "%s", alone);
}

static void reason_of(const struct mark_scope *scope, enum mark mark, char *to, size_t size) {
  char range[80];
  range_text(scope, mark, mark == MARK_IMPRECISE ? "\xC2\xB1" : "", range, sizeof range);
  to[0] = '\0';
  if (mark == MARK_MATH) math_text(scope, to, size);
  if (mark == MARK_DERIVED) derived_text(scope, to, size);
  if (mark == MARK_UNVERIFIED) unverified_text(scope, to, size);
  if (mark == MARK_UNPROVEN) unproven_text(scope, to, size);
  if (mark == MARK_REUSE && saves_any(scope)) text_copy(to, size, "any share of the time");
  if (to[0] != '\0') return;
  if (range[0] == '\0') return;
  const char *behind = mark == MARK_LAUNCH      ? " of the time"
                       : mark == MARK_REUSE     ? " of the time"
                       : mark == MARK_FEW       ? " elements"
                       : mark == MARK_CEILING   ? " times what the device can"
                       : mark == MARK_THROTTLED ? " of rounds"
                                                : "";
  snprintf(to, size, "%s%s", range, behind);
}

void marks_tell(const struct mark_scope *scope, unsigned marks, char *to, size_t size) {
  char text[MSG_SIZE];
  const bool conditions = marks >> MARK_CONDITIONS & 1;
  to[0] = '\0';
  if (conditions) conditions_text(scope, text, sizeof text);
  if (conditions && strstr(text, mark_word(MARK_THROTTLED)) != NULL) marks &= ~(1U << MARK_THROTTLED);
  for (unsigned i = 0; i < MARK_COUNT; i++) {
    if (!(marks >> i & 1)) continue;
    if (i == MARK_CONDITIONS) {
      tell_conditions(scope, to, size);
      continue;
    }
    reason_of(scope, i, text, sizeof text);
    phrase_add(to, size, "; ", "%s%s%s", mark_word(i), text[0] ? ": " : "", text);
  }
}

enum mark marks_worst(unsigned marks) {
  static const enum mark order[] = {MARK_CEILING,    MARK_UNPROVEN, MARK_FEW,    MARK_REUSE,     MARK_CONDITIONS,
                                    MARK_THROTTLED,  MARK_APART,    MARK_QUICK,  MARK_IMPRECISE, MARK_MATH,
                                    MARK_UNVERIFIED, MARK_DERIVED,  MARK_GROUPS, MARK_LAUNCH};
  for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
    if (marks >> order[i] & 1) return order[i];
  return MARK_COUNT;
}

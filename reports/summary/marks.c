/* Words for rows whose figures are weaker than they look. */
#include "summary/marks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/phrase.h"
#include "model/precision.h"
#include "model/unproven.h"
#include "options/device_list.h"
#include "summary/baseline.h"

static const struct {
  const char *word, *meaning;
} marks[MARK_COUNT] = {
    [MARK_APART] =
        {"not interleaved",
         "measured apart from the baseline, in another process or at another time: no paired speedup and no verdict."},
    [MARK_GROUPS] = {"in groups",
                     "the variants did not fit into memory together and were measured in groups, so not all of them "
                     "were interleaved."},
    [MARK_MATH] = {"mixed math",
                   "computed with fewer significant bits than the baseline: part of the speedup may be "
                   "the price of precision."},
    [MARK_FLOOR] = {"floor-limited",
                    "an empty launch (the floor) takes more than 5% of the time: times and speedups are shown with and "
                    "without it, rates and shares of the ceiling are without it, and a verdict needs both. On a GPU "
                    "mode graph measures such kernels better."},
    [MARK_IMPRECISE] = {"imprecise", "the time limit was reached before the interval was as narrow as requested."},
    [MARK_QUICK] = {"quick", "from a quick run: a look at 5%, not a measurement."},
    [MARK_THROTTLED] = {"throttled", "the device reported throttling in some of the rounds."},
    [MARK_CONDITIONS] = {"conditions", "something was wrong with the machine during the case; the details say what."},
    [MARK_ROOF] = {"above the roof",
                   "faster than the device can be, given the work that its bench declares: no speedup and no verdict."},
    [MARK_UNPROVEN] = {"unproven",
                       "something keeps its time from proving that it is faster; where that would matter its verdict "
                       "reads unproven. The details say what."},
    [MARK_FEW] =
        {"few compared",
         "fewer than 1000 elements of its outputs were compared with the reference, and its bench has no other check."},
    [MARK_DERIVED] = {"prepared from inputs",
                      "its untimed prepare reads the inputs: part of the work may be done there."},
    [MARK_UNSEEN] = {"partly unseen",
                     "part of what it does is not held against the reference: steps of a trajectory, iterations of a "
                     "batch, or work in its untimed after; the details say which."},
    [MARK_REUSE] =
        {"may reuse results",
         "its calls were too few or too noisy to rule out that it keeps results of earlier calls and so saves "
         "a tenth of its time or more, or as much as it is faster by; the details say how much."},
};

const char *mark_word(enum mark mark) {
  return marks[mark].word;
}

const char *mark_meaning(enum mark mark) {
  return marks[mark].meaning;
}

static bool says(const struct record *row, const char *words) {
  return strstr(text_or_empty(row->message), words) != NULL || strstr(text_or_empty(row->conditions), words) != NULL;
}

static bool is_apart(const struct run_case *point, const struct record *row) {
  if (says(row, "not interleaved")) return true;
  if (row_is_yardstick(row)) return false;
  const struct record *base = baseline_of(point, row);
  return row_timed(base) && row != base && isnan(row->speedup);
}

/* Rows of old have it in their environment. */
static bool is_floored(const struct run_data *data, const struct record *row) {
  const char *text = pairs_get(run_data_environment(data, row), "floor_ns");
  const struct floor_time floor = {text != NULL ? strtod(text, NULL) : (double)NAN, (double)NAN};
  return row->floor_ns > 0 ? row_floored(row) : floor_counts(&floor, row->median_raw_ns);
}

/* Stopped by something else than its precision, and wider than that; where time ran out for the sake of a ratio, the
 * median may well be as precise as requested. */
static bool is_imprecise(const struct run_data *data, const struct record *row) {
  if (row->stop_reason == NULL || strcmp(row->stop_reason, "precision") == 0) return false;
  const double asked = row_asked(row, run_data_environment(data, row));
  return asked != 0 && !row_reached(row, asked);
}

/* Different arithmetic that we cannot put in order is mixed, too. */
static bool is_mixed(const struct run_case *point, const struct record *row) {
  const struct record *base = baseline_of(point, row);
  if (!row_timed(base) || strcmp(text_or_empty(row->math), text_or_empty(base->math)) == 0) return false;
  int own = precision_bits(text_or_empty(row->math)), theirs = precision_bits(text_or_empty(base->math));
  return own == 0 || theirs == 0 || own < theirs;
}

/* Rows that are older than this column have none of it. On a processor more is never ruled out, and a mark at every row
 * says nothing: there it is for who is faster beyond doubt, also where a busy machine keeps the word from it, and may
 * have saved as much. A yardstick has nothing to gain. */
static bool may_reuse(const struct record *row) {
  const bool faster = text_same(row->verdict, "faster") || (row_gap(row) != GAP_NONE && row->speedup_lo > 1);
  if (row_is_yardstick(row) || row_is_calibration(row) || row->verified_slots < 0) return false;
  if (devices_are(text_or_empty(row->backend), DEVICE_IS_GPU)) return !(row->hidden_share <= 0.1);
  return faster && !(row->hidden_share < 1 - 1 / row->speedup);
}

unsigned marks_of(const struct run_data *data, const struct run_case *point, const struct record *row) {
  if (!row_timed(row)) return 0;
  const bool holds[MARK_COUNT] = {
      [MARK_APART] = is_apart(point, row),
      [MARK_GROUPS] = says(row, "in groups"),
      [MARK_MATH] = is_mixed(point, row),
      [MARK_FLOOR] = is_floored(data, row),
      [MARK_IMPRECISE] = is_imprecise(data, row),
      [MARK_QUICK] = row->quick > 0,
      [MARK_THROTTLED] = row->throttled_share > 0,
      [MARK_ROOF] = row->above_roof > 0,
      [MARK_UNPROVEN] = unproven_parse(row->unproven) != 0 || gap_parse(row_verdict(row)) == GAP_UNPROVEN,
      [MARK_FEW] = row->few_compared > 0,
      [MARK_DERIVED] = row->derived > 0 && record_untimed_counts(row),
      [MARK_UNSEEN] = row->unseen != NULL && row->unseen[0] != '\0',
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
    if (bits >> i & 1) phrase_add(to, size, ", ", "%s", marks[i].word);
}

bool marks_cover_message(unsigned bits) {
  return (bits & (1U << MARK_APART | 1U << MARK_GROUPS | 1U << MARK_MATH)) != 0;
}

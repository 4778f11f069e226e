/* The schema of results.csv as a table, and the conversion between fields and texts. Knows nothing of CSV or
 * reports. */
#include "record/record.h"

#include "base/memory.h"
#include "base/number.h"
#include "model/precision.h"
#include "stats/gap.h"
#include "stats/stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORD_ENTRY(kind, name, unit, doc) {RECORD_##kind, #name, unit, doc, offsetof(struct record, name)},

const struct record_field record_fields[] = {RECORD_FIELDS(RECORD_ENTRY)};
const size_t record_field_count = sizeof record_fields / sizeof record_fields[0];

const struct record_field *record_field(const char *name) {
  for (size_t i = 0; i < record_field_count; i++)
    if (strcmp(record_fields[i].name, name) == 0) return &record_fields[i];
  return NULL;
}

static void *member(struct record *record, const struct record_field *field) {
  return (char *)record + field->offset;
}

static const void *const_member(const struct record *record, const struct record_field *field) {
  return (const char *)record + field->offset;
}

static void forget(struct record *record, const struct record_field *field) {
  switch (field->kind) {
    case RECORD_TEXT:
      *(char **)member(record, field) = NULL;
      break;
    case RECORD_REAL:
      *(double *)member(record, field) = (double)NAN;
      break;
    case RECORD_WHOLE:
      *(int64_t *)member(record, field) = -1;
      break;
  }
}

void record_init(struct record *record) {
  for (size_t i = 0; i < record_field_count; i++)
    forget(record, &record_fields[i]);
}

void record_free(struct record *record) {
  for (size_t i = 0; i < record_field_count; i++)
    if (record_fields[i].kind == RECORD_TEXT) free(*(char **)member(record, &record_fields[i]));
  record_init(record);
}

void record_set(char **field, const char *text) {
  char *copy = text != NULL && text[0] != '\0' ? xstrdup(text) : NULL;
  free(*field);
  *field = copy;
}

/* Writes real numbers with the fewest digits from which the same value is read back. */
const char *record_text(const struct record *record, const struct record_field *field, char *buffer, size_t size) {
  buffer[0] = '\0';
  if (field->kind == RECORD_TEXT) {
    const char *text = *(char *const *)const_member(record, field);
    return text != NULL ? text : "";
  }
  if (field->kind == RECORD_REAL) {
    double value = *(const double *)const_member(record, field);
    if (!isnan(value)) text_shortest(buffer, size, value);
  } else {
    int64_t value = *(const int64_t *)const_member(record, field);
    if (value >= 0) snprintf(buffer, size, "%" PRId64, value);
  }
  return buffer;
}

static int parse_record_real(double *to, const char *text) {
  char *end = NULL;
  double value = strtod(text, &end);
  if (strchr("+-.0123456789i", text[0]) == NULL || *end != '\0' || isnan(value)) return 0;
  *to = value;
  return 1;
}

static int parse_whole(int64_t *to, const char *text) {
  uint64_t value;
  if (!number_whole(text, INT64_MAX, &value)) return 0;
  *to = (int64_t)value;
  return 1;
}

int record_parse(struct record *record, const struct record_field *field, const char *text) {
  if (field->kind == RECORD_TEXT) {
    record_set(member(record, field), text);
    return 1;
  }
  if (text[0] == '\0') {
    forget(record, field);
    return 1;
  }
  if (field->kind == RECORD_REAL) return parse_record_real(member(record, field), text);
  return parse_whole(member(record, field), text);
}

bool record_has_epoch(const struct record *record, uint32_t epoch) {
  if (record->epochs == NULL || record->epochs[0] == '\0') return true;
  for (const char *at = record->epochs; *at != '\0';) { /* the column has the form "1;3" */
    char *end = NULL;
    unsigned long long value = strtoull(at, &end, 10);
    if (end == at) return false;
    if (value == epoch) return true;
    at = *end == ';' ? end + 1 : end;
  }
  return false;
}

/* ---- Labels of builds ---- */

const char *record_label_of(const char *variant) {
  const char *at = strrchr(variant, '@');
  return at != NULL ? at : "";
}

/* Returns the label of the build: the text from the last '@' of the variant's name on. If two plugins bring variants of
 * the same name to one bench, the name of the plugin follows the '@' instead; then returns "". */
const char *record_label(const struct record *record) {
  const char *label = record_label_of(text_or_empty(record->variant));
  return record->provider != NULL && label[0] != '\0' && strcmp(label + 1, record->provider) == 0 ? "" : label;
}

/* ---- The fastest row of a case ---- */

static bool takes_part(const struct record *row) {
  return row != NULL && row->median_raw_ns > 0 && row->yardstick != 1;
}

struct launch_overhead record_overhead(const struct record *row) {
  return (struct launch_overhead){row->launch_overhead_ns, row->launch_overhead_unc_ns};
}

bool record_has_verdict(const struct record *row, enum verdict word) {
  return text_same(row->verdict, stats_verdict_name(word));
}

bool record_star_agrees(const struct record *const *rows, size_t count, const struct record *best) {
  const bool is_base = text_same(best->baseline, best->variant);
  for (size_t i = 0; i < count; i++) {
    if (!takes_part(rows[i]) || rows[i] == best) continue;
    if (text_same(rows[i]->variant, best->baseline) && !is_base && !record_has_verdict(best, VERDICT_FASTER))
      return false;
    if (text_same(rows[i]->baseline, best->variant) && !record_has_verdict(rows[i], VERDICT_SLOWER)) return false;
    if (record_word_taken(VERDICT_FASTER, best, rows[i]) != 0) return false;
    if (record_is_between(best, rows[i]) && gap_is_unchecked(gap_parse(text_or_empty(rows[i]->verdict)))) return false;
  }
  return true;
}

/* ---- Reasons why a row does not prove that it is faster ---- */

void record_add_message(struct record *row, const char *text) {
  char both[2 * MSG_SIZE];
  snprintf(both, sizeof both, "%s%s%s", text_or_empty(row->message), row->message != NULL ? "; " : "", text);
  record_set(&row->message, both);
}

void record_add_unproven(struct record *row, uint32_t reasons) {
  char text[UNPROVEN_TEXT];
  unproven_print(unproven_parse(row->unproven) | reasons, text, sizeof text);
  record_set(&row->unproven, text);
}

/* An error is suspiciously large if it is more than ERROR_TIMES the error of the other row and more than ERROR_SHARE of
 * the tolerance. Probably the row is then faster only because it is less accurate. */
#define ERROR_TIMES 100.0
#define ERROR_SHARE 0.1

/* Returns true if the row computes with fewer bits than the other. A math mode without a known number of bits
 * ("native") is not compared. */
static bool has_fewer_bits(const struct record *row, const struct record *than) {
  const int own = precision_bits(text_or_empty(row->math)), theirs = precision_bits(text_or_empty(than->math));
  return own > 0 && own < theirs;
}

/* Returns true if the error of `row` is suspiciously large compared with the error of `than`. The error of `than` may
 * be 0. */
static bool has_much_larger_error(const struct record *row, const struct record *than) {
  return row->verify_error > ERROR_SHARE * row->verify_tolerance &&
         row->verify_error > ERROR_TIMES * than->verify_error;
}

/* Compares how much two rows of a case slow down on new inputs. A variant that reuses results of earlier calls is
 * slower on inputs that it has not seen before.
 * more: ln(time on new inputs / median time) of one row, minus the same logarithm of the other row.
 * unc: the standard uncertainty of `more`.
 * allowed: the largest value of `more` that is no sign of reuse. Writing new inputs makes each call a little slower,
 * and the shorter the call, the larger is the share of that delay. Therefore `allowed` is larger for a short time. */
struct reuse {
  double more, unc, allowed;
};

static struct reuse reuse_of(const struct record *row, const struct record *than) {
  const double band = 0.005, writing_ns = 300;
  const bool both = than->fresh_ns > 0;
  const double theirs = both ? log(than->fresh_ns / than->median_raw_ns) : 0;
  const double their_unc = both ? than->fresh_unc_ns / than->fresh_ns : 0;
  return (struct reuse){.more = log(row->fresh_ns / row->median_raw_ns) - theirs,
                        .unc = hypot(row->fresh_unc_ns / row->fresh_ns, their_unc),
                        .allowed = band + writing_ns / row->median_raw_ns};
}

static bool gains_by_reuse(const struct record *row, const struct record *than) {
  const double deviations = 3.9;
  const struct reuse reuse = reuse_of(row, than);
  /* NaN in `more` makes the comparison false; fmax() ignores NaN in `unc` */
  return than->fresh_ns > 0 && reuse.more > fmax(reuse.allowed, deviations * reuse.unc);
}

/* Returns true if reuse of results of earlier calls may explain the lead of the row. Reuse explains the lead if it
 * saves more than half of the difference to the other row (in logarithms), and more than REUSE_LEAST of the time. If
 * the row has samples on new inputs, they decide, with 95% confidence. Otherwise the limit from calls that were timed
 * one by one (`reuse_limit`) decides. Without that, the column `unproven` tells whether reuse is possible. Never
 * returns true for yardsticks and for derived rows (their untimed `prepare` reads the inputs). */
#define REUSE_LEAST 0.05
#define REUSE_DEVIATIONS 1.645

static bool may_gain_by_reuse(const struct record *row, const struct record *than) {
  const bool unbounded = (unproven_parse(row->unproven) & UNPROVEN_BIT(UNPROVEN_REUSE)) != 0;
  const double most = fmax(log1p(REUSE_LEAST), fabs(log(than->median_raw_ns / row->median_raw_ns)) / 2);
  if (row->derived == 1 || row->yardstick == 1) return false;
  if (row->fresh_ns > 0) {
    const struct reuse reuse = reuse_of(row, than);
    return reuse.more + REUSE_DEVIATIONS * reuse.unc - reuse.allowed > most;
  }
  return isnan(row->reuse_limit) ? unbounded : -log1p(-row->reuse_limit) > most;
}

/* Limits of untimed work (work in callbacks outside the measured time). A row may do UNTIMED_TIMES as much untimed work
 * as the other row. The time that it spends beyond that is the excess. An excess below UNTIMED_LEAST of the row's time
 * is ignored. A larger one must stay below UNTIMED_MOST of the row's time, and must not explain half of the difference
 * between the rows (in logarithms). */
#define UNTIMED_TIMES 2.0
#define UNTIMED_MOST 0.5
#define UNTIMED_LEAST 0.005

bool record_is_unbounded(const struct record *row) {
  return isnan(row->untimed_ns) && (unproven_parse(row->unproven) & UNPROVEN_BIT(UNPROVEN_UNTIMED)) != 0;
}

bool record_untimed_counts(const struct record *row) {
  return !(row->untimed_ns < UNTIMED_LEAST * row->median_raw_ns);
}

static bool has_much_untimed(const struct record *row, const struct record *than) {
  if (!(row->untimed_ns > 0) || record_is_unbounded(than)) return false;
  const double more_ns = row->untimed_ns - UNTIMED_TIMES * (than->untimed_ns > 0 ? than->untimed_ns : 0);
  const double gain = log(than->median_raw_ns / row->median_raw_ns);
  if (gain < -log1p(UNTIMED_LEAST)) return false; /* the row is slower, so untimed work did not help it */
  const double most = fmax(log1p(UNTIMED_LEAST), fmin(log1p(UNTIMED_MOST), gain / 2));
  return more_ns > 0 && !(log1p(more_ns / row->median_raw_ns) < most);
}

/* Returns true if the row was measured on a busy machine, and is faster by more than the load of that machine can
 * explain. A smaller difference gets no verdict on a busy machine, so it needs no proof. */
static bool leads_beyond_contention(const struct record *row, const struct record *than) {
  return row->contended == 1 && row->yardstick != 1 && than->median_raw_ns > GAP_CONTENTION * row->median_raw_ns;
}

/* Returns true if reuse of results probably explains more than half of the lead of the row. Applies only on a busy
 * machine. There the times of calls scatter widely, so that a test which demands certainty would hardly ever find
 * reuse. Therefore the best estimate is used, without regard to its uncertainty. */
static bool seems_to_gain_by_reuse(const struct record *row, const struct record *than) {
  const struct reuse reuse = reuse_of(row, than);
  const double gain = log(than->median_raw_ns / row->median_raw_ns);
  return leads_beyond_contention(row, than) && row->derived != 1 && reuse.more - reuse.allowed > gain / 2;
}

/* Returns true if the outside clock (the parent's clock around batches of calls) leaves the lead of the row in doubt:
 * it shows a longer time than the worker reported, and the difference between the two clocks is more than half of the
 * lead (in logarithms). With --isolate, also returns true if the outside clock is too inaccurate to tell. Applies only
 * on a busy machine. There a longer time by the outside clock is no proof that the worker cheated, because the batch
 * may have waited for a processor. */
static bool clock_leaves_open(const struct record *row, const struct record *than) {
  const double gain = log(than->median_raw_ns / row->median_raw_ns);
  const double passed_ns = row->outside_ns - row->outside_slack_ns;
  if (!leads_beyond_contention(row, than)) return false;
  if (row->isolated > 0 && !(row->outside_slack_ns <= row->median_raw_ns)) return true;
  return log(passed_ns / row->median_raw_ns) > gain / 2;
}

bool record_is_between(const struct record *row, const struct record *other) {
  return strcmp(text_or_empty(row->provider), text_or_empty(other->provider)) != 0 ||
         strcmp(record_label(row), record_label(other)) != 0;
}

uint32_t record_unproven(const struct record *row, const struct record *than) {
  uint32_t reasons = unproven_parse(row->unproven) & ~UNPROVEN_OF_TWO;
  if (!record_is_unbounded(row)) reasons &= ~UNPROVEN_BIT(UNPROVEN_UNTIMED);
  if (has_much_untimed(row, than)) reasons |= UNPROVEN_BIT(UNPROVEN_UNTIMED);
  if (has_fewer_bits(row, than)) reasons |= UNPROVEN_BIT(UNPROVEN_PRECISION);
  if (has_much_larger_error(row, than)) reasons |= UNPROVEN_BIT(UNPROVEN_ERROR);
  if (clock_leaves_open(row, than)) reasons |= UNPROVEN_BIT(UNPROVEN_CLOCK);
  if (gains_by_reuse(row, than) || seems_to_gain_by_reuse(row, than) ||
      (record_is_between(row, than) && may_gain_by_reuse(row, than)))
    reasons |= UNPROVEN_BIT(UNPROVEN_REUSE);
  return reasons;
}

/* Returns the reasons that remove the verdict `word` about `row` compared with `than`. In general, a reason that both
 * rows have removes nothing. The reasons in `lasting` are different if the rows come from two plugins: they count even
 * if both rows have them, because one plugin may have cheated in this way and the other not. UNPROVEN_ALONE (a failure
 * when measured alone) removes every verdict between rows of two plugins, and none between rows of one. */
uint32_t record_word_taken(enum verdict word, const struct record *row, const struct record *than) {
  const uint32_t alone = UNPROVEN_BIT(UNPROVEN_ALONE);
  const uint32_t lasting = UNPROVEN_BIT(UNPROVEN_FORESEEN) | UNPROVEN_BIT(UNPROVEN_FEW) | UNPROVEN_BIT(UNPROVEN_CLOCK) |
                           UNPROVEN_BIT(UNPROVEN_REUSE);
  const uint32_t own = record_unproven(row, than), theirs = record_unproven(than, row);
  const bool is_word = word == VERDICT_FASTER || word == VERDICT_SLOWER || word == VERDICT_SAME;
  uint32_t taken = unproven_takes(word, own & ~alone, theirs & ~alone);
  if (is_word && record_is_between(row, than)) taken |= (own | theirs) & alone;
  if (strcmp(text_or_empty(row->provider), text_or_empty(than->provider)) == 0) return taken;
  return taken | unproven_takes(word, own & lasting, 0) | unproven_takes(word, 0, theirs & lasting);
}

/* Describes a trend in words. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "trend/trend.h"

const char *trend_kind_word(enum trend_kind kind) {
  switch (kind) {
    case TREND_SLOWER:
      return night_state_name(NIGHT_SLOWER);
    case TREND_SUSPECT_SLOWER:
      return night_state_name(NIGHT_SUSPECT_SLOWER);
    case TREND_FASTER:
      return night_state_name(NIGHT_FASTER);
    case TREND_SUSPECT_FASTER:
      return night_state_name(NIGHT_SUSPECT_FASTER);
    case TREND_MACHINE:
      return night_state_name(NIGHT_MACHINE);
    case TREND_CLEARED:
      return night_state_name(NIGHT_CLEARED);
    default:
      break;
  }
  return kind == TREND_BROKEN    ? "no longer correct"
         : kind == TREND_MISSING ? "missing"
         : kind == TREND_NEW     ? "new"
         : kind == TREND_STEADY  ? "steady"
                                 : "gone";
}

const char *trend_verdict_word(enum trend_verdict verdict) {
  static const char *const words[] = {"ok", "suspect", "not judged", "regression", "failed"};
  return words[verdict];
}

const char *trend_open_word(enum trend_open open) {
  static const char *const words[] = {[TREND_CLOSED] = "",
                                      [TREND_ASKS] = "asks for a confirmation",
                                      [TREND_UNDECIDED] = "the confirmation was undecided",
                                      [TREND_UNCONFIRMED] = "not confirmed",
                                      [TREND_BUSY] = "not judged: the machine was busy",
                                      [TREND_UNPROVEN] = "not judged: unproven, or proven, otherwise than before",
                                      [TREND_NOISY] = "not judged: too noisy from night to night"};
  return words[open];
}

void trend_grounds(const struct trend_row *row, char *to, size_t size) {
  const bool changed = row->kind == TREND_SLOWER || row->kind == TREND_FASTER;
  const bool confirmed = row->ground == NIGHT_GROUNDS_CONFIRMED;
  const char *more = trend_open_word(row->open);
  if (changed && (row->open == TREND_CLOSED || row->open == TREND_UNCONFIRMED))
    snprintf(to, size, "%s%s", night_grounds_name(row->ground), confirmed ? "" : ", not confirmed");
  else
    snprintf(to, size, "%s%s%s", changed ? night_grounds_name(row->ground) : "", changed && more[0] ? "; " : "", more);
}

/* ---- Sentences ---- */

static void add_count_phrase(char *to, size_t size, size_t count, const char *what) {
  if (count > 0) phrase_add(to, size, ", ", "%zu %s", count, what);
}

static void count_kinds(const struct trend *trend, char *to, size_t size) {
  static const char *const words[TREND_KINDS] = {[TREND_SUSPECT_SLOWER] = "suspected to be slower",
                                                 [TREND_SUSPECT_FASTER] = "suspected to be faster",
                                                 [TREND_MACHINE] = "moved by the machine"};
  to[0] = '\0';
  for (enum trend_kind kind = 0; kind < TREND_GONE; kind++)
    if (kind != TREND_STEADY)
      add_count_phrase(to, size, trend->counts[kind], words[kind] != NULL ? words[kind] : trend_kind_word(kind));
  if (to[0] == '\0') text_copy(to, size, "no change");
}

static size_t open_regressions(const struct trend *trend) {
  size_t found = 0;
  for (size_t i = 0; i < trend->count; i++)
    found += !trend->rows[i].series->yardstick && trend->rows[i].now->since != SIZE_MAX;
  return found;
}

/* Writes for how many series the last night does not show whether they became slower, and why. */
static void left_open(const struct trend *trend, char *to, size_t size) {
  static const char *const words[] = {[TREND_ASKS] = "ask for a confirmation",
                                      [TREND_UNDECIDED] = "not judged: their confirmation was undecided",
                                      [TREND_UNCONFIRMED] = "established by no confirmation",
                                      [TREND_BUSY] = "not judged: the machine was busy",
                                      [TREND_UNPROVEN] = "not judged: unproven, or proven, otherwise than before",
                                      [TREND_NOISY] = "not judged: too noisy from night to night"};
  to[0] = '\0';
  for (enum trend_open open = TREND_ASKS; open <= TREND_NOISY; open++)
    add_count_phrase(to, size, trend_count_open(trend, trend->data->night_count - 1, open), words[open]);
}

static size_t series_count(const struct trend *trend) {
  size_t series = 0;
  for (enum trend_kind kind = 0; kind < TREND_GONE; kind++)
    series += trend->counts[kind];
  return series;
}

static void print_series_counts(const struct trend *trend, char *to, size_t size) {
  char said[TEXT_SIZE], left[TEXT_SIZE];
  const size_t open = open_regressions(trend), tonight = trend_count_regressed(trend, trend->data->night_count - 1);
  count_kinds(trend, said, sizeof said);
  left_open(trend, left, sizeof left);
  snprintf(to, size, "%zu series: %s within %d nights", series_count(trend), said, TREND_WINDOW);
  if (open > tonight)
    phrase_add(to, size, "; ", "%zu slower since earlier nights, neither fixed nor accepted", open - tonight);
  phrase_add(to, size, left[0] != '\0' ? "; " : "", "%s.", left);
}

void trend_sentence(const struct trend *trend, char *to, size_t size) {
  if (trend->data->night_count == 0) {
    snprintf(to, size, "There are no nights yet.");
    return;
  }
  const struct history_night *last = &trend->data->nights[trend->data->night_count - 1];
  if (last->fault[0] != '\0')
    snprintf(to, size, "The last night failed: %.300s.", last->fault);
  else if (last->sentence[0] != '\0')
    snprintf(to, size, "%.1000s", last->sentence);
  else
    print_series_counts(trend, to, size);
}

static void list_regressions(const struct trend *trend, size_t night, char *to, size_t size) {
  size_t shown = 0;
  for (size_t i = 0; i < trend->count; i++) {
    char one[2 * TREND_NAME];
    if (!trend_regressed(&trend->rows[i], night)) continue;
    trend_regression(trend, &trend->rows[i], one, sizeof one);
    if (strlen(to) + strlen(one) + 40 > size) break;
    phrase_add(to, size, shown++ > 0 ? "; " : " ", "%s", one);
  }
  const size_t more = trend_count_regressed(trend, night) - shown;
  if (more > 0) phrase_add(to, size, shown > 0 ? "; " : " ", "and %zu more", more);
}

void trend_decision(const struct trend *trend, char *to, size_t size) {
  const size_t night = trend->data->night_count - 1, regressed = trend_count_regressed(trend, night);
  const struct history_night *last = &trend->data->nights[night];
  char left[TEXT_SIZE];
  if (last->fault[0] != '\0') {
    snprintf(to, size, "The night failed: %.300s.", last->fault);
    return;
  }
  left_open(trend, left, sizeof left);
  if (regressed > 0) {
    snprintf(to, size, "%zu confirmed regression%s in %zu series:", regressed, regressed == 1 ? "" : "s",
             series_count(trend));
    list_regressions(trend, night, to, size - sizeof left);
  } else if (trend_broken(trend) > 0) {
    snprintf(to, size, "%zu of %zu series no longer timed or no longer correct", trend_broken(trend),
             series_count(trend));
  } else if (left[0] != '\0') {
    snprintf(to, size, "Not judged to the end: of %zu series", series_count(trend));
  } else {
    snprintf(to, size, night > 0 ? "No confirmed regression in %zu series" : "The first night, of %zu series",
             series_count(trend));
  }
  const char *between = regressed > 0 || trend_broken(trend) > 0 ? "; " : " ";
  phrase_add(to, size, left[0] != '\0' ? between : "", "%s.", left);
}

void trend_regression(const struct trend *trend, const struct trend_row *row, char *to, size_t size) {
  char name[TREND_NAME], cause[TEXT_SIZE];
  trend_name(row, name, sizeof name);
  trend_cause(trend, row, cause, sizeof cause);
  snprintf(to, size, "%.1500s %+.1f%% since %.10s%s%s", name, 100 * row->now->step,
           row->now->first_bad < trend->data->night_count ? trend->data->nights[row->now->first_bad].started : "",
           cause[0] ? ", " : "", cause);
}

void trend_name(const struct trend_row *row, char *to, size_t size) {
  const struct history_series *s = row->series;
  const bool usual = strcmp(s->mode, "cold") == 0 || s->mode[0] == '\0';
  snprintf(to, size, "%.1000s %.250s%s%.60s", s->case_key, s->variant, usual ? "" : " ", usual ? "" : s->mode);
}

/* ---- What changed ---- */

static void change(char *to, size_t size, const char *what, const char *before, const char *now) {
  if (strcmp(before, now) == 0 || before[0] == '\0' || now[0] == '\0') return;
  phrase_add(to, size, "; ", "%s %.60s -> %.60s", what, before, now);
}

void trend_marks(const struct trend *trend, size_t night, char *to, size_t size) {
  to[0] = '\0';
  if (night == 0 || night >= trend->data->night_count) return;
  const struct history_night *before = &trend->data->nights[night - 1], *now = &trend->data->nights[night];
  change(to, size, "driver", before->drivers, now->drivers);
  change(to, size, "clock", before->clocks, now->clocks);
  change(to, size, "host", before->hosts, now->hosts);
  change(to, size, "device", before->uuids, now->uuids);
}

/* Returns the newest earlier night in which the series was timed; SIZE_MAX: none. */
static size_t last_timed_before(const struct trend_row *row, size_t night) {
  for (size_t i = night; i-- > 0;)
    if (row->series->points[i].ns > 0) return i;
  return SIZE_MAX;
}

static void name_build(const struct trend *trend, const struct trend_row *row, size_t before, size_t night, char *to,
                       size_t size) {
  const size_t a = row->series->points[before].build, b = row->series->points[night].build;
  if (a == SIZE_MAX || b == SIZE_MAX) return;
  const struct history_build *x = &trend->data->builds[a], *y = &trend->data->builds[b];
  if (strcmp(x->sha256, y->sha256) == 0)
    snprintf(to, size, "the plugin is the same file");
  else if (strcmp(x->version, y->version) != 0)
    snprintf(to, size, "%.60s %.60s -> %.60s", y->plugin, x->version, y->version);
  else
    snprintf(to, size, "%.60s sha256 %.8s -> %.8s", y->plugin, x->sha256, y->sha256);
}

void trend_cause(const struct trend *trend, const struct trend_row *row, char *to, size_t size) {
  char marks[TEXT_SIZE * 2];
  to[0] = '\0';
  if (row->first_bad == SIZE_MAX) return;
  const size_t before = last_timed_before(row, row->first_bad);
  const struct history_night *night = &trend->data->nights[row->first_bad];
  if (night->commit[0] != '\0')
    snprintf(to, size, "commit %.12s", night->commit);
  else if (before != SIZE_MAX)
    name_build(trend, row, before, row->first_bad, to, size);
  trend_marks(trend, row->first_bad, marks, sizeof marks);
  if (marks[0] != '\0') phrase_add(to, size, "; ", "%s", marks);
}

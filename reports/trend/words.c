/* A trend in words. */
#include <stdio.h>
#include <string.h>

#include "trend/trend.h"

const char *trend_kind_word(enum trend_kind kind) {
  static const char *const words[TREND_KINDS] = {"slower", "faster", "no longer correct", "missing", "new",
                                                 "steady", "gone"};
  return words[kind];
}

const char *trend_verdict_word(enum trend_verdict verdict) {
  static const char *const words[] = {"ok", "suspect", "not judged", "regression", "failed"};
  return words[verdict];
}

enum trend_verdict trend_verdict(const struct trend *trend, size_t night) {
  const struct history_night *n = &trend->data->nights[night];
  const bool last = night + 1 == trend->data->night_count;
  if (strcmp(n->verdict, "failed") == 0 || n->fault[0] != '\0' || n->timed == 0) return TREND_FAILED;
  if (strcmp(n->verdict, "regression") == 0) return TREND_REGRESSION;
  if (last && trend->counts[TREND_BROKEN] + trend->counts[TREND_MISSING] > 0) return TREND_FAILED;
  if (strcmp(n->verdict, "unjudged") == 0) return TREND_UNJUDGED;
  if (strcmp(n->verdict, "ok") == 0) return TREND_OK;
  return last && trend->counts[TREND_SLOWER] > 0 ? TREND_SUSPECT : TREND_OK;
}

static void add(char *to, size_t size, size_t count, const char *what, size_t *parts) {
  const size_t used = strlen(to);
  if (count == 0 || used >= size) return;
  snprintf(to + used, size - used, "%s%zu %s", *parts > 0 ? ", " : "", count, what);
  (*parts)++;
}

static void counts(const struct trend *trend, char *to, size_t size) {
  size_t parts = 0;
  to[0] = '\0';
  for (enum trend_kind kind = 0; kind < TREND_GONE; kind++)
    if (kind != TREND_STEADY) add(to, size, trend->counts[kind], trend_kind_word(kind), &parts);
  if (parts == 0) snprintf(to, size, "no change");
}

void trend_sentence(const struct trend *trend, char *to, size_t size) {
  char said[TEXT_SIZE];
  size_t series = 0;
  if (trend->data->night_count == 0) {
    snprintf(to, size, "There are no nights yet.");
    return;
  }
  const struct history_night *last = &trend->data->nights[trend->data->night_count - 1];
  for (enum trend_kind kind = 0; kind < TREND_GONE; kind++)
    series += trend->counts[kind];
  counts(trend, said, sizeof said);
  if (last->fault[0] != '\0')
    snprintf(to, size, "The last night failed: %.300s.", last->fault);
  else if (last->sentence[0] != '\0')
    snprintf(to, size, "%.1000s", last->sentence);
  else
    snprintf(to, size, "%zu series: %s within %d nights%s.", series, said, TREND_WINDOW,
             trend->counts[TREND_SLOWER] > 0 ? ", as the history suspects" : "");
}

void trend_name(const struct trend_row *row, char *to, size_t size) {
  const struct history_series *s = row->series;
  const bool usual = strcmp(s->mode, "cold") == 0 || s->mode[0] == '\0';
  snprintf(to, size, "%.1000s %.250s%s%.60s", s->case_key, s->variant, usual ? "" : " ", usual ? "" : s->mode);
}

/* ---- What changed ---- */

static void change(char *to, size_t size, const char *what, const char *before, const char *now) {
  const size_t used = strlen(to);
  if (strcmp(before, now) == 0 || before[0] == '\0' || now[0] == '\0' || used >= size) return;
  snprintf(to + used, size - used, "%s%s %.60s -> %.60s", used > 0 ? "; " : "", what, before, now);
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

/* The newest night before this one in which the series was timed; SIZE_MAX. */
static size_t timed_before(const struct trend_row *row, size_t night) {
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
  const size_t before = timed_before(row, row->first_bad);
  const struct history_night *night = &trend->data->nights[row->first_bad];
  if (night->commit[0] != '\0')
    snprintf(to, size, "commit %.12s", night->commit);
  else if (before != SIZE_MAX)
    name_build(trend, row, before, row->first_bad, to, size);
  trend_marks(trend, row->first_bad, marks, sizeof marks);
  const size_t used = strlen(to);
  if (marks[0] != '\0' && used < size) snprintf(to + used, size - used, "%s%s", used > 0 ? "; " : "", marks);
}

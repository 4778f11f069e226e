/* A trend: how the times of each series developed over the nights (nightly runs) of a history. It holds the judgement
 * of every series in every night by the rule in stats/nights.h, the levels of the times, and new and missing series. A
 * level is a stretch of consecutive nights without a change. Every output shows the results that are computed here. No
 * I/O. Pointers lead into the history_data, which must live longer than the trend. */
#pragma once

#include <stdbool.h>

#include "history/series.h"
#include "history/store.h"
#include "stats/nights.h"

enum {
  TREND_RECENT = 20, /* largest number of nights whose median is shown as the current time of a series */
  TREND_WINDOW = 60, /* number of newest nights (the window) whose changes are listed first, and which charts show */
  TREND_NAME = 2 * 1024,
};

#define TREND_BLIND 0.25

enum trend_kind {
  TREND_SLOWER,         /* the newest change within the last TREND_WINDOW nights is an established regression */
  TREND_SUSPECT_SLOWER, /* the last night looks slower, but a regression is not established */
  TREND_FASTER,
  TREND_SUSPECT_FASTER,
  TREND_MACHINE, /* the machine, not the code, changed the times within the last TREND_WINDOW nights, and has not
                    changed them back */
  TREND_CLEARED, /* the last night looked slower or faster, but a confirmation (a measurement of the old and the new
                    code in turns) shows no change of the code */
  TREND_BROKEN,  /* timed in an earlier night, but wrong, crashed, timed out or in error in the last night */
  TREND_MISSING, /* timed in one of the last TREND_WINDOW nights, but without a row or a time in the last night */
  TREND_NEW,     /* the series exists only in the last night */
  TREND_STEADY,
  TREND_GONE, /* the series was not timed in any of the last TREND_WINDOW nights */
  TREND_KINDS
};

/* Reasons why a night does not show whether the code of a series became slower. */
enum trend_open {
  TREND_CLOSED,
  TREND_ASKS,        /* needs a confirmation (a measurement of the old and the new code in turns), and none was made */
  TREND_UNDECIDED,   /* a confirmation was made and was undecided */
  TREND_UNCONFIRMED, /* a regression was established, but not by a confirmation (a measurement of the old and the new
                        code in turns) */
  TREND_BUSY,     /* other jobs ran in all earlier nights; or they ran in the last night, and its time is too long to be
                     called unchanged */
  TREND_UNPROVEN, /* a check of gpubench doubts this time (unproven) but not the earlier ones, or the reverse, or
                     doubts both for different reasons; such times are not compared */
  TREND_NOISY,    /* the times scatter widely: even a step of TREND_BLIND (25%) would go unnoticed */
};

struct trend_row {
  const struct history_series *series;
  struct nights_segment *segments;
  size_t segment_count;
  const struct night_judgement *judgements; /* one judgement for each night */
  const struct night_judgement *now;        /* the judgement of the last night */
  enum trend_kind kind;
  enum trend_open open; /* why the last night does not show whether this series became slower */
  double ns, lo, hi; /* ns: median over the newest nights without a change; lo, hi: its 95% interval; NaN: not known */
  size_t nights;     /* number of nights over which `ns` is the median */
  double change;     /* the relative change of the time that `kind` is about; NaN: none */
  enum night_grounds ground; /* the evidence for that change */
  size_t first_bad;          /* index of the night in which the change began; SIZE_MAX: there is none */
  size_t last;               /* index of the newest night with a time; SIZE_MAX: there is none */
  /* true if the series is missing in the last night, but was timed in the last earlier night that was complete and
   * measured its device */
  bool lost;
};

enum trend_verdict { TREND_OK, TREND_SUSPECT, TREND_UNJUDGED, TREND_REGRESSION, TREND_FAILED };

struct trend {
  const struct history_data *data;
  struct trend_row *rows; /* the largest changes first */
  size_t count, counts[TREND_KINDS];
  size_t *absent; /* for each night, the number of days without a run between the night before it and this one */
  struct night_judgement *judgements;
};

void trend_build(const struct history_data *data, struct trend *trend);
void trend_free(struct trend *trend);

/* ---- The rule, applied to a history ---- */

/* Returns the number of series that are no longer timed or no longer correct in the last night. If there are any, the
 * night fails whatever its times. */
size_t trend_broken(const struct trend *trend);
enum trend_open trend_open(const struct trend_row *row, size_t night);
/* Returns true if a confirmation (a measurement of the old and the new code in turns) established a regression in this
 * night. */
bool trend_regressed(const struct trend_row *row, size_t night);
/* trend_count_open() returns the number of rows that the night does not decide for the reason `open`,
 * trend_count_regressed() the number of rows in which the night established a regression. Neither counts yardsticks
 * (rows for comparison only, such as a plain copy). */
size_t trend_count_open(const struct trend *trend, size_t night, enum trend_open open);
size_t trend_count_regressed(const struct trend *trend, size_t night);
/* Returns the verdict on a night by the rule in stats/nights.h. Ignores the verdict in the night's decided.csv. */
enum trend_verdict trend_judged(const struct trend *trend, size_t night);
/* Returns the verdict on a night: that in its decided.csv, which `gpubench history decide` writes, otherwise that of
 * trend_judged(). If one of the two is a failure or a regression, returns that one. */
enum trend_verdict trend_verdict(const struct trend *trend, size_t night);
/* Returns the exit code for the last night. A regression fails only the night that establishes it, because failing
 * every night until it is fixed would hide the next regression; trend_sentence() goes on naming it. If a regression was
 * established without a confirmation, the code is EXIT_UNJUDGED. */
int trend_exit_code(const struct trend *trend);

/* ---- trend/words.c. The texts contain untrusted names; outputs must escape them. ---- */

const char *trend_verdict_word(enum trend_verdict verdict); /* returns "suspect", ... */
const char *trend_kind_word(enum trend_kind kind);          /* returns "suspect: slower", ... */
const char *trend_open_word(enum trend_open open); /* returns "asks for a confirmation", ...; "" for TREND_CLOSED */
/* Returns true if the row's `kind` means that its time changed by a step. */
bool trend_has_change(const struct trend_row *row);
/* Writes the evidence for the change: "confirmed", "two nights in a row, not confirmed", "asks for a confirmation". */
void trend_grounds(const struct trend_row *row, char *to, size_t size);
void trend_sentence(const struct trend *trend, char *to, size_t size);
/* Writes the sentence about the last night that is stored in its decided.csv. It names as many regressions as fit into
 * `to`. */
void trend_decision(const struct trend *trend, char *to, size_t size);
/* Writes where a regression of the last night is, how large, and since when. Example for a variant named "twice":
 * "n=4096 twice +10.0% since 2026-01-11, commit abc0010". */
void trend_regression(const struct trend *trend, const struct trend_row *row, char *to, size_t size);
/* Writes the case key, the variant, and the timing mode unless it is "cold". */
void trend_name(const struct trend_row *row, char *to, size_t size);
/* Writes what changed in the night in which the row's change began: commit or build, driver, clock. Empty if nothing is
 * known. */
void trend_cause(const struct trend *trend, const struct trend_row *row, char *to, size_t size);
/* Writes what changed about the machine since the night before: "driver 580 -> 590". */
void trend_marks(const struct trend *trend, size_t night, char *to, size_t size);

/* A history as it was known after one of its nights, and its trend. */

struct as_of {
  struct history_data data; /* the history up to that night */
  struct trend trend;
  size_t nights; /* number of nights in the whole history */
};

/* Reads a history and judges it. `run_id` names the night up to which it is read; NULL: the newest. Returns an exit
 * code: 2 if there is no such night, 3 if the history has no nights. `by_uuid`: see history_choice. */
int as_of_open(const struct history *history, bool by_uuid, const char *run_id, struct as_of *as_of, struct err *err);
/* Returns the index of a night in the whole history; SIZE_MAX: none. */
size_t as_of_find(const struct as_of *as_of, const char *run_id);
size_t as_of_index(const struct as_of *as_of); /* returns the index of the night up to which the history was read */
const struct history_night *as_of_night(const struct as_of *as_of);
void as_of_close(struct as_of *as_of);

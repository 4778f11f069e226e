/* The nights of a history together: the rule's judgement of every series in every night (stats/nights.h), levels, new
 * and missing series. Every output shows these same answers. Pure. Pointers lead into the history_data, which must
 * outlive the trend. */
#pragma once

#include <stdbool.h>

#include "history/series.h"
#include "history/store.h"
#include "stats/nights.h"

enum {
  TREND_RECENT = 20, /* most nights in the median of the newest level */
  TREND_WINDOW = 60, /* nights of the window: their changes come first, and the strip shows them */
  TREND_NAME = 2 * 1024,
};

#define TREND_BLIND 0.25

enum trend_kind {
  TREND_SLOWER,         /* a regression was established within the window; of several changes the newest counts */
  TREND_SUSPECT_SLOWER, /* in the last night */
  TREND_FASTER,
  TREND_SUSPECT_FASTER,
  TREND_MACHINE, /* the machine has moved it within the window, and not back */
  TREND_CLEARED, /* suspect in the last night, but a confirmation shows no change of the code */
  TREND_BROKEN,  /* timed in an earlier night; wrong, crashed, timed out or in error in the last one */
  TREND_MISSING, /* timed in an earlier night of the window; no row or no time in the last one */
  TREND_NEW,     /* only in the last night */
  TREND_STEADY,
  TREND_GONE, /* not timed within the window */
  TREND_KINDS
};

/* Reasons why a night leaves a series open. */
enum trend_open {
  TREND_CLOSED,
  TREND_ASKS,        /* a confirmation is asked for, and none was made */
  TREND_UNDECIDED,   /* a confirmation was made and was undecided */
  TREND_UNCONFIRMED, /* a regression was established, but not by a confirmation */
  TREND_BUSY,        /* other jobs ran: the night is too slow to be called quiet, or no earlier night counts */
  TREND_UNPROVEN,    /* its time is unproven, or proven, for other reasons than those of the nights before */
  TREND_NOISY,       /* nights scatter widely: even a step of TREND_BLIND would not be suspect */
};

struct trend_row {
  const struct history_series *series;
  struct nights_segment *segments;
  size_t segment_count;
  const struct night_judgement *judgements; /* one per night */
  const struct night_judgement *now;        /* that of the last night */
  enum trend_kind kind;
  enum trend_open open;      /* in the last night */
  double ns, lo, hi;         /* median of the newest level's last nights and its 95% interval; NaN: not known */
  size_t nights;             /* number of nights in that median */
  double change;             /* the step that `kind` is about; NaN: none */
  enum night_grounds ground; /* the evidence for it */
  size_t first_bad;          /* the night in which it began; SIZE_MAX: none */
  size_t last;               /* newest night with a time; SIZE_MAX: none */
  bool lost;                 /* missing now, but timed in the last whole night of its device */
};

enum trend_verdict { TREND_OK, TREND_SUSPECT, TREND_UNJUDGED, TREND_REGRESSION, TREND_FAILED };

struct trend {
  const struct history_data *data;
  struct trend_row *rows; /* the largest changes first */
  size_t count, counts[TREND_KINDS];
  size_t *absent; /* per night: days before it without a run */
  struct night_judgement *judgements;
};

void trend_build(const struct history_data *data, struct trend *trend);
void trend_free(struct trend *trend);

/* ---- The rule, applied to a history ---- */

/* Returns the number of series in the last night that are no longer timed or no longer correct: reasons to fail the
 * night whatever its times. */
size_t trend_broken(const struct trend *trend);
enum trend_open trend_open(const struct trend_row *row, size_t night);
/* Returns true if a confirmation established a regression in this night. */
bool trend_regressed(const struct trend_row *row, size_t night);
/* Return the number of rows, without yardsticks, that are open for this reason; and of those that regressed. */
size_t trend_count_open(const struct trend *trend, size_t night, enum trend_open open);
size_t trend_count_regressed(const struct trend *trend, size_t night);
/* Returns the verdict of the rule alone, without a user's decision. */
enum trend_verdict trend_judged(const struct trend *trend, size_t night);
/* Returns the verdict on a night: the user's decision, or without one the rule's. A failure or a regression counts from
 * either. */
enum trend_verdict trend_verdict(const struct trend *trend, size_t night);
/* Returns the exit code for the last night. A regression counts only in the night that establishes it: a gate that
 * stays red until it is fixed would hide the next one. The sentence still names it. A regression that no confirmation
 * established is EXIT_UNJUDGED. */
int trend_exit_code(const struct trend *trend);

/* ---- trend/words.c. The texts contain untrusted names; outputs must escape them. ---- */

const char *trend_verdict_word(enum trend_verdict verdict); /* "suspect" */
const char *trend_kind_word(enum trend_kind kind);          /* "suspect: slower" */
const char *trend_open_word(enum trend_open open);          /* "asks for a confirmation"; "" */
/* Returns true if `kind` has a step to show. */
bool trend_has_change(const struct trend_row *row);
/* Writes the evidence for the change: "confirmed", "two nights in a row, not confirmed", "asks for a confirmation". */
void trend_grounds(const struct trend_row *row, char *to, size_t size);
void trend_sentence(const struct trend *trend, char *to, size_t size);
/* Writes the decision on the last night for its decided.csv: names regressions as far as there is room. */
void trend_decision(const struct trend *trend, char *to, size_t size);
/* Writes "n=4096 twice +10.0% since 2026-01-11, commit abc0010" for a regression of the last night. */
void trend_regression(const struct trend *trend, const struct trend_row *row, char *to, size_t size);
/* Writes the case key, the variant, and the mode unless it is the usual one. */
void trend_name(const struct trend_row *row, char *to, size_t size);
/* Writes what changed in the night in which the change began: commit or build, driver, clock. Empty if nothing is
 * known. */
void trend_cause(const struct trend *trend, const struct trend_row *row, char *to, size_t size);
/* Writes what changed of the machine since the night before: "driver 580 -> 590". */
void trend_marks(const struct trend *trend, size_t night, char *to, size_t size);

/* A history as it was known after one of its nights, judged. */

struct as_of {
  struct history_data data; /* ends with that night */
  struct trend trend;
  size_t nights; /* number of nights in the whole history */
};

/* Reads a history and judges it. `run_id` names the night; NULL: the newest. Exit 2: there is no such night; 3: the
 * history has no nights. `by_uuid`: see history_choice. */
int as_of_open(const struct history *history, bool by_uuid, const char *run_id, struct as_of *as_of, struct err *err);
/* Returns the index of a night in the whole history; SIZE_MAX: none. */
size_t as_of_find(const struct as_of *as_of, const char *run_id);
size_t as_of_index(const struct as_of *as_of); /* the index of its night */
const struct history_night *as_of_night(const struct as_of *as_of);
void as_of_close(struct as_of *as_of);

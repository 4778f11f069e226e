/* What the nights of a history say together: the rule's judgement of every series in every night (stats/nights.h),
 * levels, what is new and gone. Every output shows these same answers. Pure. Pointers are into the history_data, which
 * must outlive the trend. */
#ifndef TREND_TREND_H
#define TREND_TREND_H

#include <stdbool.h>

#include "history/series.h"
#include "history/store.h"
#include "stats/nights.h"

enum {
  TREND_RECENT = 20, /* nights that the newest level's median is of, at most */
  TREND_WINDOW = 60, /* changes of the last so many nights come first, and the strip has so many */
  TREND_NAME = 2 * 1024,
};

#define TREND_BLIND 0.25

enum trend_kind {
  TREND_SLOWER, /* a regression was established in a night of the window; of several changes the newest counts */
  TREND_SUSPECT_SLOWER, /* in the last night */
  TREND_FASTER,
  TREND_SUSPECT_FASTER,
  TREND_MACHINE, /* the machine has moved it within the window, and not back */
  TREND_CLEARED, /* suspect in the last night, and no change of the code */
  TREND_BROKEN,  /* was timed in an earlier night; wrong, crashed, timed out or in error in the last one */
  TREND_MISSING, /* was timed in an earlier night of the window; no row in the last one, or not timed */
  TREND_NEW,     /* not in any night but the last */
  TREND_STEADY,
  TREND_GONE, /* not timed within the window */
  TREND_KINDS
};

/* Why a night leaves a series open. */
enum trend_open {
  TREND_CLOSED,
  TREND_ASKS,        /* a confirmation is asked for, and none was made */
  TREND_UNDECIDED,   /* one was made, and said nothing */
  TREND_UNCONFIRMED, /* a regression was established, but by no confirmation */
  TREND_BUSY,        /* others were at work: the night is too slow to be called quiet, or nothing before it counts */
  TREND_UNPROVEN,    /* what takes its proof is not what took that of the nights before */
  TREND_NOISY,       /* its nights lie so far apart that a step of TREND_BLIND would not be suspect */
};

struct trend_row {
  const struct history_series *series;
  struct nights_segment *segments;
  size_t segment_count;
  const struct night_judgement *judgements; /* of each night */
  const struct night_judgement *now;        /* of the last one */
  enum trend_kind kind;
  enum trend_open open;      /* of the last night */
  double ns, lo, hi;         /* median of the newest level's last nights, its 95% interval; NaN: not known */
  size_t nights;             /* that it is of */
  double change;             /* what `kind` tells of, as a step; NaN: nothing */
  enum night_grounds ground; /* what establishes it */
  size_t first_bad;          /* night that it began in; SIZE_MAX */
  size_t last;               /* newest night with a time; SIZE_MAX */
  bool lost;                 /* missing, and timed in the whole night before of its device: that is news */
};

enum trend_verdict { TREND_OK, TREND_SUSPECT, TREND_UNJUDGED, TREND_REGRESSION, TREND_FAILED };

struct trend {
  const struct history_data *data;
  struct trend_row *rows; /* the largest changes first */
  size_t count, counts[TREND_KINDS];
  size_t *absent; /* per night: days without a run before it */
  struct night_judgement *judgements;
};

void trend_build(const struct history_data *data, struct trend *trend);
void trend_free(struct trend *trend);

/* ---- The rule, held over a history ---- */

/* Does the night fail without regard to times: what is timed no longer is, or no longer correct. Of the last night. */
size_t trend_broken(const struct trend *trend);
enum trend_open trend_open(const struct trend_row *row, size_t night);
/* Is it a regression that a confirmation established in this night? */
bool trend_regressed(const struct trend_row *row, size_t night);
/* Rows but yardsticks that are so. */
size_t trend_count_open(const struct trend *trend, size_t night, enum trend_open open);
size_t trend_count_regressed(const struct trend *trend, size_t night);
/* By the rule alone, whatever was decided. */
enum trend_verdict trend_judged(const struct trend *trend, size_t night);
/* Of a night: by what was decided of it; where nothing was, by the rule. */
enum trend_verdict trend_verdict(const struct trend *trend, size_t night);
/* What the last night is worth as an exit code. A regression counts in the night that establishes it and not again: a
 * gate that stays red until it is mended hides the next one; the sentence goes on naming it. One that no confirmation
 * established is EXIT_UNJUDGED. */
int trend_exit_code(const struct trend *trend);

/* ---- trend/words.c. Texts of others are in these: to be made inert where they are shown. ---- */

const char *trend_verdict_word(enum trend_verdict verdict); /* "suspect" */
const char *trend_kind_word(enum trend_kind kind);          /* "suspect: slower" */
const char *trend_open_word(enum trend_open open);          /* "asks for a confirmation"; "" */
/* Has `kind` a step to show? */
bool trend_has_change(const struct trend_row *row);
/* "confirmed", "two nights in a row, not confirmed", "asks for a confirmation": what the change rests on. */
void trend_grounds(const struct trend_row *row, char *to, size_t size);
void trend_sentence(const struct trend *trend, char *to, size_t size);
/* What was decided of the last night, for its decided.csv: names each regression, as far as there is room. */
void trend_decision(const struct trend *trend, char *to, size_t size);
/* "n=4096 twice +10.0% since 2026-01-11, commit abc0010" of a regression of the last night. */
void trend_regression(const struct trend *trend, const struct trend_row *row, char *to, size_t size);
void trend_name(const struct trend_row *row, char *to,
                size_t size); /* case key, variant, mode where it says something */
/* What changed in the night the change began in: commit or build, driver, clock. Empty: nothing that is known. */
void trend_cause(const struct trend *trend, const struct trend_row *row, char *to, size_t size);
/* What of the machine changed in a night against the one before: "driver 580 -> 590". */
void trend_marks(const struct trend *trend, size_t night, char *to, size_t size);

/* A history as it was after one of its nights, judged. */

struct as_of {
  struct history_data data; /* the night is the last of its nights */
  struct trend trend;
  size_t nights; /* that the history has */
};

/* `run_id` NULL: the newest. Exit 2: there is no such night; 3: there is none at all. `by_uuid`: see history_choice. */
int as_of_open(const struct history *history, bool by_uuid, const char *run_id, struct as_of *as_of, struct err *err);
/* SIZE_MAX: not there. */
size_t as_of_find(const struct as_of *as_of, const char *run_id);
size_t as_of_index(const struct as_of *as_of); /* the night's */
const struct history_night *as_of_night(const struct as_of *as_of);
void as_of_close(struct as_of *as_of);

#endif

/* What the nights of a history say together: levels, changes, what is new and gone. Every output shows these same
 * answers. A level seen in the history is a suspicion; who is to blame is for a confirmation to say, and what was said
 * of a night stands in its decisions. Pure. Pointers are into the history_data, which must outlive the trend. */
#ifndef TREND_TREND_H
#define TREND_TREND_H

#include <stdbool.h>
#include <stdio.h>

#include "history/series.h"
#include "stats/nights.h"

enum {
  TREND_RECENT = 20, /* nights that the newest level's median is of, at most */
  TREND_WINDOW = 60, /* changes of the last so many nights come first, and the strip has so many */
  TREND_NAME = 2 * 1024,
};

enum trend_kind {
  TREND_SLOWER, /* the newest level is above the one before it, since a night in the window */
  TREND_FASTER,
  TREND_BROKEN,  /* was timed in an earlier night; wrong, crashed, timed out or in error in the last one */
  TREND_MISSING, /* was timed in an earlier night of the window; no row in the last one, or not timed */
  TREND_NEW,     /* not in any night but the last */
  TREND_STEADY,
  TREND_GONE, /* not timed within the window */
  TREND_KINDS
};

struct trend_row {
  const struct history_series *series;
  struct nights_segment *segments;
  size_t segment_count;
  enum trend_kind kind;
  double ns, lo, hi; /* median of the newest level's last nights, its 95% interval; NaN: not known */
  size_t nights;     /* that it is of */
  double change;     /* step of the newest level; NaN: there is only one */
  size_t first_bad;  /* night that the newest level began in; SIZE_MAX */
  size_t last;       /* newest night with a time; SIZE_MAX */
};

enum trend_verdict { TREND_OK, TREND_SUSPECT, TREND_UNJUDGED, TREND_REGRESSION, TREND_FAILED };

struct trend {
  const struct history_data *data;
  struct trend_row *rows; /* the largest changes first */
  size_t count, counts[TREND_KINDS];
  size_t *absent; /* per night: days without a run before it */
};

void trend_build(const struct history_data *data, struct trend *trend);
void trend_free(struct trend *trend);

/* Of a night: by what was decided of it; where nothing was, by whether it is whole and, of the last, by its changes. */
enum trend_verdict trend_verdict(const struct trend *trend, size_t night);
const char *trend_verdict_word(enum trend_verdict verdict); /* "suspect" */
const char *trend_kind_word(enum trend_kind kind);          /* "slower" */

/* Texts of others are in these: to be made inert where they are shown. */
void trend_sentence(const struct trend *trend, char *to, size_t size);
void trend_name(const struct trend_row *row, char *to,
                size_t size); /* case key, variant, mode where it says something */
/* What changed in the night the newest level began in: commit or build, driver, clock. Empty: nothing that is known. */
void trend_cause(const struct trend *trend, const struct trend_row *row, char *to, size_t size);
/* What of the machine changed in a night against the one before: "driver 580 -> 590". */
void trend_marks(const struct trend *trend, size_t night, char *to, size_t size);

/* trend/levels.c: levels of a series; as nights_segments() in stats/nights.h. */
size_t trend_levels(const double *ns, size_t count, struct nights_segment *segments);

#endif

/* Nights in a row: is a case slower tonight than in the nights before, and is it the code? Pure.
 *
 * Statistics within a run cannot tell what a machine does between nights. So history only suspects; what decides is a
 * confirmation: the binaries of an earlier night and tonight's, taking turns tonight on the same device. The caller
 * judges, makes the confirmations that are asked for, notes what they said in the nights, and judges again until nobody
 * asks. All is computed anew from the nights, so nothing but them and what was confirmed has to be kept. */
#ifndef STATS_NIGHTS_H
#define STATS_NIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/stats.h"

#define NIGHTS_LEAST 0.01  /* a smaller step is none */
#define NIGHTS_SIGMAS 2.5  /* beyond so many standard deviations a night is suspect */
#define NIGHTS_FLOOR 0.003 /* the least standard deviation between nights */
#define NIGHTS_PRIOR 0.01  /* the standard deviation of a suite of which too little is known */

enum {
  NIGHTS_FEW = 8,       /* with fewer nights before it a night alarms only by a confirmation */
  NIGHTS_BASELINE = 20, /* the centre is of at most so many */
  NIGHTS_CONFIRM = 5,   /* processes of a confirmation; of 3 an interval is twice as wide. An undecided one: */
  NIGHTS_CONFIRM_MORE = 10,
};

/* What is known of a case, variant and mode in one night. */
struct night {
  double ns;              /* the median; NaN: not timed, or on a busy machine */
  double busy_ns;         /* likewise on a busy machine, which is no level; 0 and NaN: it was not */
  double sd;              /* relative, between its restarts; NaN: not known */
  uint32_t restarts;      /* 0: not known */
  double again_ns;        /* measured once more that night, in new processes, for lack of old binaries; NaN: not */
  enum verdict confirmed; /* new over old, of a confirmation made that night; VERDICT_NONE: none was made */
  double confirmed_step;  /* its new time / old time - 1; NaN where none was made */
  bool accepted;          /* people accept the level that begins here */
};

/* A case, variant and mode on one kind of machine. */
struct nights_series {
  const struct night *nights; /* as many as the suite has had, oldest first */
  uint32_t bound;             /* what limits it: series that share this are moved together by the machine */
  bool yardstick;             /* measures the machine, not the code: never alarms */
};

enum night_state {
  NIGHT_MISSING,
  NIGHT_FIRST,   /* nothing before it */
  NIGHT_QUIET,   /* as the nights before it */
  NIGHT_KNOWN,   /* at the other of two levels that the machine goes back and forth between */
  NIGHT_MACHINE, /* moved as all that the same thing limits: one event of the machine */
  NIGHT_SUSPECT_SLOWER,
  NIGHT_SUSPECT_FASTER,
  NIGHT_CLEARED, /* suspect, and no change of the code by a confirmation: not slower, or by less than NIGHTS_LEAST */
  NIGHT_SLOWER,  /* a regression was established in this night */
  NIGHT_FASTER,  /* an improvement was */
};

const char *night_state_name(enum night_state state); /* "suspect: slower" */

/* What establishes a change. */
enum night_grounds {
  NIGHT_GROUNDS_NONE,
  NIGHT_GROUNDS_CONFIRMED, /* old and new binaries took turns */
  NIGHT_GROUNDS_TWICE,     /* suspect in two nights in a row, and no confirmation was made in either */
  NIGHT_GROUNDS_LARGE,     /* at least max(8%, 5 sd), measured twice that night, and no confirmation was made */
};

const char *night_grounds_name(enum night_grounds grounds); /* "confirmed" */

struct night_judgement {
  enum night_state state;
  bool few;    /* fewer than NIGHTS_FEW nights before it */
  bool asks;   /* a confirmation should be made tonight, of the binaries of `reference` or before */
  bool alarms; /* exit 1: true once for a regression, in the night that establishes it */
  enum night_grounds grounds;
  size_t baseline;   /* nights that the centre is of */
  double centre_ns;  /* what was expected; NaN: nothing */
  double sd;         /* relative, between nights, at least NIGHTS_FLOOR; NaN as above */
  double threshold;  /* a larger step is suspect */
  double step;       /* tonight / expected - 1, the machine's part taken out; of a confirmation, its step */
  double detectable; /* the step that is all but surely found within two nights */
  double machine;    /* by which the machine is off tonight against the segment's beginning: factor - 1; 0: it is not */
  size_t first_bad;  /* the night in which the change began; SIZE_MAX: none */
  size_t reference;  /* the newest night whose binaries are surely from before it; SIZE_MAX: none */
  size_t since;      /* the first night of a regression that is neither mended nor accepted; SIZE_MAX: none */
  double since_step; /* and its size, as a step */
};

/* `judgements` has room for series * nights, those of a series behind each other, oldest night first. What is asked for
 * in nights before the last can no longer be confirmed. */
void nights_judge(const struct nights_series *series, size_t count, size_t nights, struct night_judgement *judgements);

/* ---- Levels of a series, for those who look at it --------------------------------------------------------------- */

/* Nights of one level. */
struct nights_segment {
  size_t first, last; /* nights; between segments there may be missing ones */
  size_t timed;       /* how many of them have a time */
  double level_ns;
  double step;             /* against the segment before it: level / level - 1; NaN for the first */
  double confidence;       /* that there is a step: 0 to 1; NaN for the first */
  size_t earliest, latest; /* nights in which it may have begun (95%) */
};

/* The levels of a series as looking back shows them: as few as explain it, single nights that are off are none.
 * `segments` has room for one more than half of the nights. Returns how many there are; 0 where nothing is timed. */
size_t nights_segments(const struct night *nights, size_t count, struct nights_segment *segments);

#endif

/* Judges nightly runs: whether a case is slower tonight than in the nights before, and whether the code is the cause.
 * The functions do no I/O and use no global state.
 *
 * Earlier nights only raise suspicions, because a machine changes between nights. A confirmation decides: an earlier
 * night's binaries and tonight's take turns tonight on the same device. The caller judges, makes the confirmations
 * asked for, adds their results to the nights, and judges again until none is asked for. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/stats.h"

#define NIGHTS_LEAST 0.01 /* a smaller relative change of the time counts as none */
/* a night whose time differs from the expected one by more standard deviations is suspect */
#define NIGHTS_SIGMAS 2.5
#define NIGHTS_SD_LEAST 0.003 /* the standard deviation between nights is assumed to be at least this */
#define NIGHTS_PRIOR 0.01     /* assumed standard deviation of a suite of which too little is known */

enum {
  /* with fewer earlier nights than this, an alarm needs a confirmation run that shows the change */
  NIGHTS_FEW = 8,
  /* the expected time is the median of at most this many earlier nights */
  NIGHTS_BASELINE = 20,
  NIGHTS_CONFIRM = 5, /* number of processes in a confirmation; with 3 its interval would be twice as wide as with 5 */
  /* number of processes in a confirmation that repeats an undecided one */
  NIGHTS_CONFIRM_MORE = 10,
};

/* What was measured in one night for one series, that is one variant in one case and one timing mode. */
struct night {
  double ns; /* median time of a call; NaN: no time was measured, or the machine was busy */
  /* median time of a call in a night in which the machine was busy. No expected time is computed from it. 0 or NaN: the
   * machine was not busy */
  double busy_ns;
  double sd;         /* relative standard deviation between the times of the night's processes; NaN: not known */
  uint32_t restarts; /* number of processes that measured the time in this night; 0: not known */
  /* median time from further processes, which measured tonight's binaries once more in the same night; NaN: there were
   * none */
  double again_ns;
  /* verdict of this night's confirmation, which compares tonight's binaries with earlier ones; VERDICT_NONE: no
   * confirmation was made */
  enum verdict confirmed;
  /* time of tonight's binaries / time of the earlier ones - 1, by this night's confirmation; NaN: no confirmation */
  double confirmed_step;
  /* a user accepted the time of this night: it is the expected time from this night on */
  bool accepted;
};

/* A series: the nightly times of one variant in one case (a benchmark with certain parameters) and in one timing mode,
 * on one kind of machine. */
struct nights_series {
  const struct night *nights; /* all nights of the suite, oldest first */
  /* number of the resource (such as memory or compute) that limits the variant; a change of the machine changes the
   * times of all series with the same number together */
  uint32_t bound;
  bool yardstick; /* measures the machine, not the code, and therefore never raises an alarm */
};

enum night_state {
  NIGHT_MISSING,
  NIGHT_FIRST, /* there is no earlier night */
  NIGHT_QUIET, /* the time is like the times of the nights before */
  NIGHT_KNOWN, /* the time is at another of the levels between which the machine alternates */
  /* the machine changed: the times of all series with the same `bound` changed together */
  NIGHT_MACHINE,
  NIGHT_SUSPECT_SLOWER,
  NIGHT_SUSPECT_FASTER,
  /* the night was suspect, but a confirmation showed that the code is not slower, or by less than NIGHTS_LEAST */
  NIGHT_CLEARED,
  NIGHT_SLOWER, /* a regression was established in this night */
  NIGHT_FASTER, /* an improvement was established in this night */
};

const char *night_state_name(enum night_state state); /* returns "suspect: slower" and the like */

/* Why a change of the time counts as established. */
enum night_grounds {
  NIGHT_GROUNDS_NONE,
  NIGHT_GROUNDS_CONFIRMED, /* a confirmation, in which old and new binaries took turns */
  NIGHT_GROUNDS_TWICE,     /* the time was suspect in two consecutive nights, neither of which had a confirmation */
  /* the time changed by at least 8% and 5 standard deviations, and two measurements of that night showed it */
  NIGHT_GROUNDS_LARGE,
};

const char *night_grounds_name(enum night_grounds grounds); /* returns "confirmed" and the like */

struct night_judgement {
  enum night_state state;
  bool few;  /* there are fewer than NIGHTS_FEW nights before this one */
  bool asks; /* a confirmation should be made tonight, with the binaries of `reference` or older ones */
  /* the command exits with 1; set only in the night that establishes a regression */
  bool alarms;
  enum night_grounds grounds;
  /* number of earlier nights; the expected time `centre_ns` is the median of their times */
  size_t baseline;
  double centre_ns; /* the expected time; NaN: none */
  /* relative standard deviation between nights, at least NIGHTS_SD_LEAST; NaN: there is no expected time */
  double sd;
  double threshold; /* a night is suspect if its `step` (below) is farther from 0 than this */
  /* relative change of the time: tonight's time / expected time - 1, after subtracting what a change of the machine
   * caused; if a confirmation was made, the change that it measured */
  double step;
  /* smallest relative change of the time that is almost surely found within two nights */
  double detectable;
  /* relative change of the time that changes of the machine have caused since the present segment (nights at one level)
   * began; 0: none */
  double machine;
  size_t first_bad;  /* the night in which the change began; SIZE_MAX: none */
  size_t reference;  /* the newest night whose binaries surely do not have the change yet; SIZE_MAX: none */
  size_t since;      /* the first night of a regression that is neither fixed nor accepted; SIZE_MAX: none */
  double since_step; /* the relative change of the time that this regression caused */
};

/* Judges all nights of all series. `judgements` has room for count * nights entries: those of the first series, oldest
 * night first, then those of the next series. If a night before the last one asks for a confirmation, it is too late to
 * make it. */
void nights_judge(const struct nights_series *series, size_t count, size_t nights, struct night_judgement *judgements);

/* ---- Levels of a series, for reports ---- */

/* A range of nights at one level. */
struct nights_segment {
  size_t first, last; /* indices of nights; nights may be missing between segments */
  size_t timed;       /* number of nights with a time */
  double level_ns;
  double step;             /* level_ns / level_ns of the segment before - 1; NaN for the first segment */
  double confidence;       /* probability, from 0 to 1, that there is a step; NaN for the first */
  size_t earliest, latest; /* the first and the last night in which the step may have begun (95%) */
};

/* Divides the nights of a series into segments, within each of which the time is about the same. The number of segments
 * is as small as the times allow; a single outlying night is not a segment. `segments` has room for one more than half
 * of the nights. Returns the number of segments; 0 if no night is timed. */
size_t nights_segments(const struct night *nights, size_t count, struct nights_segment *segments);

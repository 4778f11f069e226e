/* Runs against a base run: rows joined by case, variant and mode, ratios judged, what differs between the runs beside
 * the code. Every output of `gpubench compare` shows these same answers. Pure. Pointers are into the runs' data, which
 * must outlive the comparison. */
#ifndef COMPARE_COMPARE_H
#define COMPARE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/number.h"
#include "record/against.h"
#include "record/run_data.h"
#include "stats/stats.h"

struct compare_options {
  double threshold; /* 0.02: a smaller change fails nothing, and rows known to lie within it are the same */
  bool force;       /* judge although the runs are not alike, or the machine was busy */
  bool allow_unjudged;
};

struct compare_ratio {
  double speedup, lo95, hi95, lo99, hi99; /* base time / other time; NaN: not known */
  struct ratio less;                      /* of times less the floor; NaN: not known */
  bool floored;                           /* the floor counts in one of them: a word needs both ratios */
  double p;                               /* of no change, two-sided */
  size_t base_restarts, other_restarts;
  double assumed_sd; /* noise between restarts that was taken from elsewhere; NaN: measured on both sides */
  bool alone;     /* of processors that others share, and a side has so few processes that nothing is known of that */
  bool from_rows; /* a side has no samples: made of medians and their intervals */
};

struct compare_cell {
  const struct record *row;   /* NULL: absent */
  enum against_fate fate;     /* what the row of the base became here */
  struct compare_ratio ratio; /* of AGAINST_BOTH */
  enum verdict word;          /* VERDICT_NONE where there is no ratio or it may not be judged */
  bool beyond;                /* faster or slower by more than the threshold, surely: by Holm's rule over all cells */
  enum gap gap;               /* why it is not judged, though the base has timed it */
  uint32_t unproven;          /* the reasons that took its word */
  const char *unlike;         /* in what this row alone is not alike ("contract"), or NULL */
  bool contended;             /* others were at work while one side was measured */
};

struct compare_row {
  const struct record *base;
  struct compare_cell *cells; /* one per run */
  char *label;                /* the case: its preset, or the axes that vary */
};

struct compare_range {
  size_t least, most; /* both 0: of nothing */
};

struct compare_differences {
  struct against_difference *items; /* those that count first */
  size_t count, counting;
  struct strings unknown; /* what would count and is known of one run only */
  bool same_files;        /* all plugins are the same files: a look at the machine, not at a change */
};

/* One run against the base. */
struct compare_run {
  char *label;
  const struct run_data *data;
  struct compare_differences differences;
  bool judged; /* alike, or --force */
  const struct record **only_base, **only_new;
  size_t only_base_count, only_new_count;
  size_t common, fates[AGAINST_FATES];
  size_t judged_rows, words[5] /* of them, by enum verdict */;
  size_t slower, faster; /* of words: beyond the threshold */
  size_t gaps[GAPS];     /* of rows that the base has timed */
  size_t checked;        /* rows that are ok in the base, and ok or broken here */
  size_t unchecked;      /* and neither */
  enum against_verdict verdict;
  struct compare_range base_restarts, restarts;
  size_t assumed;   /* ratios whose noise between restarts was not measured */
  size_t from_rows; /* ratios made without samples */
  size_t contended; /* ratios of which a side was measured while others were at work */
};

struct compare {
  struct compare_options options;
  const struct run_data *base;
  char *base_label;
  struct compare_run *runs;
  size_t run_count;
  struct compare_row *rows; /* what needs attention first; then by size */
  size_t row_count;
  struct compare_row *yardsticks; /* what tells of the machine, not of the code: never judged for exit 1 */
  size_t yardstick_count;
  size_t compared, lost; /* cells that could have a word; of them undecided because they are so many */
  bool many_benches, many_modes, many_devices;
};

struct compare_input {
  const char *argument; /* as it was asked for */
  const struct run_data *data;
};

/* compare/build.c. To be freed. */
void compare_build(const struct compare_options *options, const struct compare_input *base,
                   const struct compare_input *others, size_t count, struct compare *compare);
void compare_free(struct compare *compare);

/* Has this row of the base to be judged: what it has timed, and what it says of which is not understood. */
bool compare_asks(const struct record *base);
/* Of all runs, the one that weighs most. */
enum against_verdict compare_verdict(const struct compare *compare);
/* Rows that the base has timed and that are not judged. */
size_t compare_unjudged(const struct compare_run *run);
/* Is any run unlike the base in what counts; is none, but for --force. */
bool compare_unlike(const struct compare *compare);
bool compare_judged(const struct compare *compare);

/* The speedup of one row over the same row of another run. The unit is the restart: two runs differ by more than the
 * scatter within each of them. Pure. */

/* Both rows are ok and timed. */
void compare_ratio_find(const struct run_data *base_data, const struct record *base, const struct run_data *other_data,
                        const struct record *other, struct compare_ratio *ratio);

/* Faster and slower: the 99% interval excludes 1 and the difference is at least 0.5%, as within a run. Same: neither,
 * and the 95% interval lies within the threshold. */
enum verdict compare_ratio_word(const struct compare_ratio *ratio, double threshold);

/* Does the ratio of times less the floor, where that counts, say this word too? Of what is undecided: is it known at
 * least as well as the threshold? */
bool compare_floor_agrees(const struct compare_ratio *ratio, enum verdict word, double threshold);

/* What differs between two runs beside their times. One table says what makes them unlike, so that their ratios are no
 * statement about the code, and what is only shown. Pure. */

void compare_differences_find(const struct run_data *base, const struct run_data *other,
                              struct compare_differences *differences);

/* What compare/build.c puts a comparison together from. Pure. */

/* As much as tells apart. Of the runs their names where they differ, else their directories' names,
 * else what was typed; of the rows the preset and those axes that vary among the cases of its bench, or the key's where
 * that is nothing. */
void compare_label_runs(const struct compare_input *base, const struct compare_input *others, struct compare *compare);
void compare_label_rows(struct compare_row *rows, size_t count);

/* ---- compare/against.c: what is kept of a comparison with the run (record/against.h) ---- */

/* Of one of the runs that were compared. `asked`: what the user called the base. */
struct against *against_make(const struct compare *compare, size_t run, const char *asked);

/* "vs last"; where runs were compared with different ones, "vs base". Cut where it is long. */
void against_head(const struct run_data *data, char *to, size_t size);

/* "0.912x" and "[0.907, 0.917]", "" where not known. */
struct number against_ratio(const struct against_row *row);
struct number against_interval(const struct against_row *row);
/* "slower >2%": what the word says, without its glyph. */
void against_word_text(const struct against *against, const struct against_row *row, char *to, size_t size);

/* Of all runs that were compared with another, the verdict that weighs most. */
enum against_verdict against_worst(const struct run_data *data);

#endif

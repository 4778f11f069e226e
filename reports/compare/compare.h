/* Compares runs with a base run: joins rows by case, variant and mode, judges ratios, and finds the differences between
 * the runs apart from the code. Every output of `gpubench compare` shows the results that are computed here. No I/O.
 * Pointers lead into the runs' data, which must live longer than the comparison. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/number.h"
#include "record/against.h"
#include "record/run_data.h"
#include "stats/stats.h"

struct compare_options {
  double threshold; /* as a share, such as 0.02: a smaller change is no regression, and a row that surely changed by
                       less is "same" */
  bool force;       /* true: judge although the runs are unlike or the machine was busy */
  bool allow_unjudged;
};

struct compare_ratio {
  double speedup, lo95, hi95, lo99, hi99; /* base time / other time; NaN: not known */
  struct ratio less;                      /* ratio of the times without the launch overhead; NaN: not known */
  bool floored; /* true if the launch overhead is a large part of the time in one of the runs: a verdict then needs both
ratios */
  double p;     /* two-sided p-value of "no change" */
  size_t base_restarts, other_restarts;
  double assumed_sd; /* noise between restarts, taken from elsewhere; NaN: it was measured in both runs */
  bool alone; /* true if the rows are from shared CPUs and one run has too few processes to know the noise between them
               */
  bool from_rows; /* true if one run has no samples: the ratio is computed from medians and their intervals */
};

struct compare_cell {
  const struct record *row;   /* NULL: the run has no such row */
  enum against_fate fate;     /* what became of the base's row in this run */
  struct compare_ratio ratio; /* valid if the fate is AGAINST_BOTH */
  enum verdict word;          /* VERDICT_NONE if there is no ratio, or if it must not be judged */
  bool beyond;                /* surely faster or slower by more than the threshold, by Holm's rule over all cells */
  enum gap gap;               /* why the cell is not judged, although the base has timed it */
  uint32_t unproven;          /* reasons (bits) that removed the cell's verdict */
  const char *unlike;         /* the difference that makes only this row unlike the base's row ("contract"), or NULL */
  bool contended;             /* true if other jobs ran while the row was measured in one of the runs */
};

struct compare_row {
  const struct record *base;
  struct compare_cell *cells; /* one for each run */
  char *label;                /* label of the case: its preset, or the axes that vary */
};

struct compare_range {
  size_t least, most; /* both 0: there are no values */
};

struct compare_differences {
  struct against_difference *items; /* differences that make the runs unlike come first */
  size_t count, counting;
  struct strings unknown; /* conditions that would make the runs unlike if they differ, but that only one run knows */
  bool same_files;        /* all plugins are the same files: the comparison is about the machine, not about a change */
};

/* The comparison of one run with the base. */
struct compare_run {
  char *label;
  const struct run_data *data;
  struct compare_differences differences;
  bool judged; /* true if verdicts are given: the runs are alike, or --force was given */
  const struct record **only_base, **only_new;
  size_t only_base_count, only_new_count;
  size_t common, fates[AGAINST_FATES];
  size_t judged_rows, words[5] /* number of rows in both runs that were judged, by enum verdict */;
  size_t slower, faster; /* number of verdicts beyond the threshold */
  size_t gaps[GAPS];     /* number of rows that the base has timed but that are not judged, by the reason */
  size_t checked;        /* number of rows that are ok in the base, and ok or failed in this run */
  size_t unchecked;      /* number of rows that are ok in the base, and neither ok nor failed in this run */
  enum against_verdict verdict;
  struct compare_range base_restarts, restarts;
  size_t assumed;   /* number of ratios whose noise between restarts is taken from elsewhere */
  size_t from_rows; /* number of ratios that are computed without samples */
  size_t contended; /* number of ratios for which other jobs ran while one of the rows was measured */
};

struct compare {
  struct compare_options options;
  const struct run_data *base;
  char *base_label;
  struct compare_run *runs;
  size_t run_count;
  struct compare_row *rows; /* rows that need attention come first, then the others by the size of the change */
  size_t row_count;
  struct compare_row *yardsticks; /* rows about the machine, not the code; they never lead to exit code 1 */
  size_t yardstick_count;
  /* number of cells that could have a verdict; and of those that are undecided because there are so many */
  size_t compared, lost;
  bool many_benches, many_modes, many_devices;
};

struct compare_input {
  const char *argument; /* the run's name as the user typed it */
  const struct run_data *data;
};

/* Defined in compare/build.c. The caller frees the result with compare_free(). */
void compare_build(const struct compare_options *options, const struct compare_input *base,
                   const struct compare_input *others, size_t count, struct compare *compare);
void compare_free(struct compare *compare);

/* Returns true if this row of the base must be judged: the row was timed, or this version does not understand its
 * status. */
bool compare_asks(const struct record *base);
/* Returns the worst verdict of all runs. */
enum against_verdict compare_verdict(const struct compare *compare);
/* Returns the number of rows that the base has timed and that are not judged. */
size_t compare_unjudged(const struct compare_run *run);
/* compare_unlike() returns true if some run differs from the base in a condition that makes them unlike;
 * compare_judged() if all runs are judged, because they are alike or because of --force. */
bool compare_unlike(const struct compare *compare);
bool compare_judged(const struct compare *compare);

/* The speedup of a row over the same row of another run. Two runs differ if the difference exceeds the scatter between
 * restarts, so the unit of the statistics is the restart. */

/* Computes the ratio of two rows, which must both be ok and timed. */
void compare_ratio_find(const struct run_data *base_data, const struct record *base, const struct run_data *other_data,
                        const struct record *other, struct compare_ratio *ratio);

/* Returns the verdict. "Faster" and "slower" need a 99% interval without 1 and a difference of at least 0.5%, as within
 * a run. "Same" needs a 95% interval within the threshold. */
enum verdict compare_ratio_word(const struct compare_ratio *ratio, double threshold);

/* Returns true if the ratio of the times without the launch overhead, where that counts, leads to the same verdict. For
 * an undecided ratio: if the ratio is known at least as precisely as the threshold. */
bool compare_floor_agrees(const struct compare_ratio *ratio, enum verdict word, double threshold);

/* Finds the differences between two runs apart from their times. A table says which of them make the runs unlike, so
 * that ratios say nothing about the code, and which are only shown. No I/O. */

void compare_differences_find(const struct run_data *base, const struct run_data *other,
                              struct compare_differences *differences);

/* ---- Labels, which compare/build.c needs ---- */

/* Label runs and rows by as little as distinguishes them. Runs: by their names; if these are equal, by their ids;
 * otherwise by the text that the user typed. Rows: by the preset and the axes that vary among the cases of the bench,
 * or by the key if there are none. */
void compare_label_runs(const struct compare_input *base, const struct compare_input *others, struct compare *compare);
void compare_label_rows(struct compare_row *rows, size_t count);

/* ---- compare/against.c: the result of a comparison as it is stored with a run (record/against.h) ---- */

/* Makes the stored result for one of the compared runs. `asked` is the name that the user gave to the base. The caller
 * frees the result. */
struct against *against_make(const struct compare *compare, size_t run, const char *asked);

/* Returns the heading of the column with the comparison: "vs last"; "vs base" if several runs were compared with
 * different ones. A long name is cut. */
struct text against_head(const struct run_data *data);

/* Return the ratio, "0.912x", and its interval, "[0.907, 0.917]"; "" if not known. */
struct number against_ratio(const struct against_row *row);
struct number against_interval(const struct against_row *row);
/* Writes "slower >2%": the verdict without its glyph. */
void against_word_text(const struct against *against, const struct against_row *row, char *to, size_t size);

/* Returns the worst verdict of all runs in `data` that were compared with a baseline run. */
enum against_verdict against_worst(const struct run_data *data);

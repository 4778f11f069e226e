/* Compares runs with a base run: joins rows by case, variant and mode, judges ratios, and finds differences between the
 * runs other than the code. Every output of `gpubench compare` shows the results that are computed here. No I/O.
 * Pointers lead into the runs' data, which must live longer than the comparison. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/number.h"
#include "record/against.h"
#include "record/run_data.h"
#include "stats/stats.h"

struct compare_options {
  double threshold; /* a share, such as 0.02: a smaller change is no regression, and a row whose change is surely
                       smaller is "same" */
  bool force; /* true: give verdicts even if the runs were measured under different conditions or on a busy machine */
  bool allow_unjudged; /* true: rows without a verdict do not change the exit code */
};

struct compare_ratio {
  double speedup, lo95, hi95, lo99,
      hi99; /* speedup: base time / other time; lo95 to hi99: ends of its 95% and 99% intervals; NaN: not known */
  struct ratio less;   /* ratio of the times without the launch overhead; NaN: not known */
  bool launch_limited; /* true if the launch overhead is a large part of the time in one of the runs. A verdict must
                   then hold for both ratios: `speedup` and `less` */
  double p;            /* two-sided p-value of "no change" */
  size_t base_restarts, other_restarts;
  double assumed_sd; /* the standard deviation between restarts that was assumed, because one of the runs has too few
                        restarts to measure it; NaN: it was measured */
  /* true if the rows were measured on CPUs, and one of the runs has too few processes to know how much processes
   * differ; then there is no verdict */
  bool alone;
  bool from_rows; /* true if one run has no samples: the ratio is computed from medians and their intervals */
};

struct compare_cell {
  const struct record *row; /* the row of this run that corresponds to the base's row; NULL: the run has no such row */
  enum against_outcome outcome; /* the result for the row: timed in both runs, broken, fixed, missing, ... */
  struct compare_ratio ratio;   /* valid if the outcome is AGAINST_BOTH */
  enum verdict word;            /* VERDICT_NONE if there is no ratio, or if it must not be judged */
  bool beyond;  /* true if the row is surely faster or slower by more than the threshold, according to Holm's rule over
                   all rows and runs */
  enum gap gap; /* why the cell has no verdict although the base has a time for the row */
  uint32_t unproven;  /* why the row's time is unproven (not confirmed by gpubench's checks), which removed the verdict;
                         bits of model/proof/unproven.h */
  const char *unlike; /* the difference that makes only this row unlike the base's row ("contract"), or NULL */
  bool contended;     /* true if other jobs ran while the row was measured in one of the runs */
  /* the row of compare_run.against that outputs show; NULL: the run has no such row */
  const struct against_row *shown;
};

struct compare_row {
  const struct record *base;
  double base_ns;             /* the median time in the base; NaN: not timed */
  struct compare_cell *cells; /* the comparisons of this row, one for each run that is compared with the base */
  char *label;                /* label of the case: its preset, or the axes that vary */
};

struct compare_range {
  size_t least, most; /* smallest and largest value; both 0 if there are no values */
};

/* The comparison of one run with the base. */
struct compare_run {
  char *label;
  const struct run_data *data;
  /* The result as it is shown, exported and stored with a run. The other members are what it was computed from. */
  struct against *against;
  struct strings unknown; /* conditions that make runs unlike if they differ, but whose value is known in only one of
                             the two runs */
  bool same_files; /* true if both runs used the same plugin files, so that the comparison shows changes of the machine,
                      not of the code */
  bool judged;     /* true if verdicts are given: the runs are alike, or --force was given */
  const struct record **only_base, **only_new;
  size_t only_base_count, only_new_count;
  size_t common, outcomes[AGAINST_OUTCOMES];
  /* judged_rows: number of rows that both runs have and that were judged; words: how many of them have each verdict */
  size_t judged_rows, words[5];
  size_t slower, faster; /* number of rows that are surely slower or faster by more than the threshold */
  size_t gaps[GAPS];     /* number of rows with a time in the base that are not judged, by the reason (enum gap) */
  size_t checked;        /* number of rows that are ok in the base, and ok or failed in this run */
  size_t unchecked;      /* number of rows that are ok in the base, and neither ok nor failed in this run */
  enum against_verdict verdict;
  struct compare_range base_restarts, restarts;
  size_t assumed;   /* number of ratios for which the scatter between restarts was assumed, not measured */
  size_t from_rows; /* number of ratios computed from medians, because a run has no samples */
  size_t contended; /* number of ratios for which other jobs ran while one of the rows was measured */
};

struct compare {
  struct compare_options options;
  const struct run_data *base;
  char *base_label;
  struct compare_run *runs;
  size_t run_count;
  /* rows that need attention come first; the others follow, those with the largest change first */
  struct compare_row *rows;
  size_t row_count;
  struct compare_row *yardsticks; /* rows about the machine, such as a plain copy; they never lead to exit code 1 */
  size_t yardstick_count;
  /* compared: number of cells (rows of one run) to which Holm's rule was applied; lost: number of those that it made
   * undecided */
  size_t compared, lost;
  bool many_benches, many_modes, many_devices;
};

struct compare_input {
  const char *argument; /* the run's name as the user typed it, or its path */
  const struct run_data *data;
  const char *asked; /* the heading of the base's column, see against_head(); NULL: its label */
};

/* Defined in compare/build.c. The caller frees the result with compare_free(). */
void compare_build(const struct compare_options *options, const struct compare_input *base,
                   const struct compare_input *others, size_t count, struct compare *compare);
void compare_free(struct compare *compare);

/* Returns true if this row of the base must be judged, that is, if it was timed or has a status that this version does
 * not know. */
bool compare_asks(const struct record *base);
/* Returns the worst verdict of all runs. */
enum against_verdict compare_verdict(const struct compare *compare);
/* Returns the number of rows with a time in the base that are not judged. */
size_t compare_unjudged(const struct compare_run *run);
/* compare_unlike() returns true if some run differs from the base in a condition that makes runs unlike.
 * compare_judged() returns true if all runs are judged, because they are like the base or because of --force. */
bool compare_unlike(const struct compare *compare);
bool compare_judged(const struct compare *compare);

/* The functions below compute the speedup of a row over the same row of another run. A difference between two runs is
 * only real if it exceeds the scatter between restarts (fresh processes that measure again), so the statistics treat
 * each restart as one observation. */

/* Computes the ratio of two rows, which must both be ok and timed. */
void compare_ratio_find(const struct run_data *base_data, const struct record *base, const struct run_data *other_data,
                        const struct record *other, struct compare_ratio *ratio);

/* Returns the verdict. "Faster" and "slower" need a 99% interval that excludes 1 and a difference of at least 0.5%, as
 * within a run. "Same" needs a 95% interval that lies within the threshold. */
enum verdict compare_ratio_word(const struct compare_ratio *ratio, double threshold);

/* Returns true if `word` also holds for the times without the launch overhead, or if the launch overhead is no large
 * part of the times. If `word` is undecided, returns true if the ratio of those times is known at least as precisely as
 * the threshold. */
bool compare_overhead_agrees(const struct compare_ratio *ratio, enum verdict word, double threshold);

/* Finds the differences between two runs other than their times. A table in compare/compare.c says which differences
 * make the runs unlike, so that ratios say nothing about the code, and which are only shown. No I/O. */

void compare_differences_find(const struct run_data *base, struct compare_run *run);

/* ---- Labels, which compare/build.c needs ---- */

/* These functions give runs and rows the shortest labels that distinguish them. The label of a run is its name; its id
 * if names are equal; otherwise the text that the user typed. The label of a row is its preset and the axes that vary
 * among the cases of the bench, or its key if it has neither. */
void compare_label_runs(const struct compare_input *base, const struct compare_input *others, struct compare *compare);
void compare_label_rows(struct compare_row *rows, size_t count);

/* ---- compare/against.c: the result of a comparison as it is stored with a run (record/against.h) ---- */

/* Fills in `against` of each compared run, which must contain the differences already. `asked`: see struct
 * compare_input. */
void against_fill(struct compare *compare, const char *asked);

/* Returns the heading of the column with the comparison: "vs" and the name of the baseline run, as in "vs last". If
 * `data` has several runs that were compared with different baseline runs, returns "vs base". A long name is cut. */
struct text against_head(const struct run_data *data);

/* against_ratio() returns the row's ratio, "0.912x"; against_interval() its interval, "[0.907, 0.917]". Both return ""
 * if it is not known. */
struct number against_ratio(const struct against_row *row);
struct number against_interval(const struct against_row *row);
/* against_word() returns the verdict without its symbol, such as "slower >2%". against_judgement() returns the same, or
 * why the row has no verdict. It leaves out the reason that the runs are too unlike, which is written once for all
 * rows. */
struct text against_word(const struct against *against, const struct against_row *row);
struct text against_judgement(const struct against *against, const struct against_row *row);
/* Returns why a row has no ratio, or what limits the meaning of its ratio. `row` is NULL for a row that only the base
 * has. */
const char *against_note(const struct against_row *row);

/* Returns the worst verdict of all runs in `data` that were compared with a baseline run. */
enum against_verdict against_worst(const struct run_data *data);

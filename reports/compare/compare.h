/* Compares runs with a base run: joins rows by case, variant and mode, judges ratios, and finds the differences between
 * the runs apart from the code. Every output of `gpubench compare` shows these same answers. Pure. Pointers lead into
 * the runs' data, which must outlive the comparison. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/number.h"
#include "record/against.h"
#include "record/run_data.h"
#include "stats/stats.h"

struct compare_options {
  double threshold; /* 0.02: a smaller change fails nothing, and a row that surely lies within it is the same */
  bool force;       /* judge although the runs are unlike or the machine was busy */
  bool allow_unjudged;
};

struct compare_ratio {
  double speedup, lo95, hi95, lo99, hi99; /* base time / other time; NaN: not known */
  struct ratio less;                      /* of the times less the launch overhead; NaN: not known */
  bool floored;                           /* the launch overhead counts on a side: a verdict needs both ratios */
  double p;                               /* two-sided p-value of "no change" */
  size_t base_restarts, other_restarts;
  double assumed_sd; /* noise between restarts, assumed from elsewhere; NaN: measured on both sides */
  bool alone;        /* on shared CPUs, and a side has too few processes to know the noise between them */
  bool from_rows;    /* a side has no samples: the ratio is made of medians and their intervals */
};

struct compare_cell {
  const struct record *row;   /* NULL: absent */
  enum against_fate fate;     /* the fate of the base's row in this run */
  struct compare_ratio ratio; /* if the fate is AGAINST_BOTH */
  enum verdict word;          /* VERDICT_NONE if there is no ratio, or if it must not be judged */
  bool beyond;                /* surely faster or slower by more than the threshold, by Holm's rule over all cells */
  enum gap gap;               /* why the cell is not judged, although the base has timed it */
  uint32_t unproven;          /* the reasons that took away its verdict */
  const char *unlike;         /* the difference that makes this row alone unlike ("contract"), or NULL */
  bool contended;             /* other jobs ran while one side was measured */
};

struct compare_row {
  const struct record *base;
  struct compare_cell *cells; /* one per run */
  char *label;                /* the case: its preset, or the axes that vary */
};

struct compare_range {
  size_t least, most; /* both 0: there are no values */
};

struct compare_differences {
  struct against_difference *items; /* differences that make the runs unlike come first */
  size_t count, counting;
  struct strings unknown; /* conditions that would count, but that only one run knows */
  bool same_files;        /* all plugins are the same files: the comparison is about the machine, not about a change */
};

/* The comparison of one run with the base. */
struct compare_run {
  char *label;
  const struct run_data *data;
  struct compare_differences differences;
  bool judged; /* alike, or --force */
  const struct record **only_base, **only_new;
  size_t only_base_count, only_new_count;
  size_t common, fates[AGAINST_FATES];
  size_t judged_rows, words[5] /* rows of AGAINST_BOTH that were judged, by enum verdict */;
  size_t slower, faster; /* verdicts beyond the threshold */
  size_t gaps[GAPS];     /* rows that the base has timed, by the reason why they are not judged */
  size_t checked;        /* rows that are ok in the base, and ok or broken here */
  size_t unchecked;      /* and those that are neither */
  enum against_verdict verdict;
  struct compare_range base_restarts, restarts;
  size_t assumed;   /* ratios whose noise between restarts is assumed */
  size_t from_rows; /* ratios made without samples */
  size_t contended; /* ratios of which a side was measured while other jobs ran */
};

struct compare {
  struct compare_options options;
  const struct run_data *base;
  char *base_label;
  struct compare_run *runs;
  size_t run_count;
  struct compare_row *rows; /* rows that need attention first, then by the size of the change */
  size_t row_count;
  struct compare_row *yardsticks; /* rows that are about the machine, not the code: never judged for exit code 1 */
  size_t yardstick_count;
  size_t compared, lost; /* cells that could have a verdict, and those undecided for their number */
  bool many_benches, many_modes, many_devices;
};

struct compare_input {
  const char *argument; /* as the user named it */
  const struct run_data *data;
};

/* compare/build.c. The caller frees the result with compare_free(). */
void compare_build(const struct compare_options *options, const struct compare_input *base,
                   const struct compare_input *others, size_t count, struct compare *compare);
void compare_free(struct compare *compare);

/* Returns true if this row of the base must be judged: it was timed, or its status is not understood. */
bool compare_asks(const struct record *base);
/* Returns the worst verdict of all runs. */
enum against_verdict compare_verdict(const struct compare *compare);
/* Returns the number of rows that the base has timed and that are not judged. */
size_t compare_unjudged(const struct compare_run *run);
/* Return true if some run is unlike the base in a condition that counts; and if all runs are judged, because they are
 * alike or by --force. */
bool compare_unlike(const struct compare *compare);
bool compare_judged(const struct compare *compare);

/* The speedup of a row over the same row of another run. The unit is the restart: two runs differ if the difference
 * exceeds the scatter between restarts. Pure. */

/* Computes the ratio of two rows, which must both be ok and timed. */
void compare_ratio_find(const struct run_data *base_data, const struct record *base, const struct run_data *other_data,
                        const struct record *other, struct compare_ratio *ratio);

/* Returns the verdict. Faster and slower: the 99% interval excludes 1 and the difference is at least 0.5%, as within a
 * run. Same: neither, and the 95% interval lies within the threshold. */
enum verdict compare_ratio_word(const struct compare_ratio *ratio, double threshold);

/* Returns true if the ratio of the times less the launch overhead, where that counts, gives the same verdict. For an
 * undecided ratio: if it is known at least as precisely as the threshold. */
bool compare_floor_agrees(const struct compare_ratio *ratio, enum verdict word, double threshold);

/* Differences between two runs apart from their times. One table tells which make the runs unlike, so that ratios say
 * nothing about the code, and which are only shown. Pure. */

void compare_differences_find(const struct run_data *base, const struct run_data *other,
                              struct compare_differences *differences);

/* Labels, which compare/build.c needs. Pure. */

/* Label runs and rows by as little as distinguishes them. Runs: by their names; if these are equal by their ids;
 * otherwise by the text that the user typed. Rows: by the preset and the axes that vary among the cases of its bench,
 * or by the key if there are none. */
void compare_label_runs(const struct compare_input *base, const struct compare_input *others, struct compare *compare);
void compare_label_rows(struct compare_row *rows, size_t count);

/* ---- compare/against.c: the stored result of a comparison with the run (record/against.h) ---- */

/* Makes the stored result for one of the compared runs. `asked` is the user's name for the base. The caller frees the
 * result. */
struct against *against_make(const struct compare *compare, size_t run, const char *asked);

/* Returns "vs last"; "vs base" if runs were compared with different ones. A long name is cut. */
struct text against_head(const struct run_data *data);

/* Return "0.912x" and "[0.907, 0.917]"; "" if not known. */
struct number against_ratio(const struct against_row *row);
struct number against_interval(const struct against_row *row);
/* Writes "slower >2%": the verdict without its glyph. */
void against_word_text(const struct against *against, const struct against_row *row, char *to, size_t size);

/* Returns the worst verdict of all runs that were compared with another one. */
enum against_verdict against_worst(const struct run_data *data);

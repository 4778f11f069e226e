/* A bench as its rows make it, its cases, and all benches of a run; what the rows of one bench say together. Pure.
 * Pointers are into the run_data, which must outlive them. */
#ifndef SUMMARY_BENCH_H
#define SUMMARY_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/grid.h"
#include "base/number.h"
#include "base/pairs.h"
#include "record/foreign.h"
#include "record/run_data.h"
#include "summary/row.h"

/* What the rows of a bench are compared with: all with one; each variant with its twin in another build, "flash@old" of
 * "flash@new"; or with several, as where each case has the fastest of a list. */
enum run_bases { BASES_NONE, BASES_ONE, BASES_TWINS, BASES_SEVERAL };

struct run_case {
  const char *key, *preset;           /* preset may be empty */
  struct pairs axes;                  /* decoded */
  const struct record **rows;         /* one per variant of the bench; NULL where there is none */
  const struct record **bases;        /* what each of them is compared with, itself for a baseline, or NULL */
  size_t row_count;                   /* of both; 0 where there are no `bases`: then it is `base` for all */
  const struct record *base;          /* the baseline's row, where all have the same; else NULL */
  const struct record *winner;        /* fastest beyond the intervals, or NULL: a tie, or fewer than two were timed */
  bool tie;                           /* two or more were timed and none is fastest beyond the intervals */
  const struct foreign_row **foreign; /* one per foreign column of the bench; NULL: the case has none */
};

struct rate_unit {
  const char *name;
  double per; /* of these in row_rate()'s */
};

/* Cases of one bench timed in one mode on the same devices; of one run, where two runs have the same rows. */
struct run_bench {
  const char *name, *mode, *devices, *device_name;
  size_t run;
  bool repeated;        /* there is another of this name, mode and devices, of another run */
  const char *baseline; /* NULL: none; the first case's, where each has its own */
  bool baseline_varies; /* some row has another than the first variant */
  bool fastest_named;   /* --baseline named some, and a case has the fastest of them: a mean over these is one */
  enum run_bases bases;
  const char **variants; /* baseline first, yardsticks last, between them in the order of appearance */
  const char **axes;     /* names */
  bool *varies;          /* per axis: more than one value */
  struct run_case *cases;
  size_t variant_count, axis_count, case_count;
  bool has_presets;
  bool yardstick; /* measured for its ceiling, beside what was asked for; such benches come last */
  enum rate rate;
  struct rate_unit rate_unit;         /* by all its cases */
  struct foreign_column *foreign;     /* what other programs timed: in no count, mean or verdict */
  size_t foreign_count, foreign_left; /* left: rows for which there was no column */
};

struct run_summary {
  struct run_bench *benches;
  size_t bench_count;
  bool has_yardsticks;
  size_t rows, statuses[ROW_STATUS_COUNT]; /* these and all that follow leave yardsticks out */
  size_t timed;                            /* ok with a median */
  size_t in_slots;                         /* of them verified in timed slots, too; older runs do not tell */
  size_t cut;                              /* of them in a case that was interrupted */
  size_t verified;                         /* ok with an error */
  size_t checked;                          /* of any status with an error */
  size_t reached;                          /* of them with an interval as narrow as asked for */
  size_t stepped;                          /* accepted although it is wider: as narrow as the clock's step allows */
  size_t hurried;                          /* stopped by the run's announced time before their own was over */
  size_t untimed;                          /* ok rows that were cut before their first sample */
  double precision;                        /* that was asked for; NaN: not of all the same, or not known */
  bool asked;                              /* is it known of any */
  const struct record *worst;              /* the ok row that used most of its tolerance, or NULL */
  int64_t rounds_min, rounds_max;          /* of timed rows; -1: not known */
};

/* Goes through the rows of a bench, case by case:
 * `for (struct bench_walk at = {.bench = bench}; bench_walk(&at);)`. Cases lack rows of some variants: these are
 * left out. */
struct bench_walk {
  const struct run_bench *bench;
  const struct run_case *point;
  const struct record *row;
  size_t variant, next;
};
bool bench_walk(struct bench_walk *walk);

/* Are its samples single calls, so that percentiles say most? */
bool bench_is_latency(const struct run_bench *bench);
/* One unit for all its times: that of the middle one. */
struct number_unit bench_time_unit(const struct run_bench *bench);
/* Of all its rates: a thousandth of row_rate_unit() where none reaches one of those. */
struct rate_unit bench_rate_unit(const struct run_bench *bench);
/* "318 TFLOP/s" of row_rate()'s, in that unit; "" where it is not known. */
void bench_rate_text(const struct run_bench *bench, double rate, char *to, size_t size);
/* Is of any row known how far from the ceiling it is? */
bool bench_has_ceilings(const struct run_bench *bench);

/* Is an empty launch above 5% of any time of the case, or of any case? Then its figures are shown with it and without.
 */
bool bench_case_floored(const struct run_bench *bench, const struct run_case *point);
const struct record *bench_floored(const struct run_bench *bench); /* the first such row; NULL: there is none */

/* Cases in which this variant is the fastest. */
size_t bench_wins(const struct run_bench *bench, size_t variant);
/* Cases in which two or more were timed. */
size_t bench_contests(const struct run_bench *bench);

struct label {
  char text[KEY_SIZE];
};

/* "gpt2-1k", "S=1024 D=64" of the axes that vary, or both; "all" where nothing varies. */
struct label bench_case_label(const struct run_bench *bench, const struct run_case *point, bool with_axes);
/* "dtype=bf16 causal=yes": the axes that do not vary. */
void bench_fixed_axes(const struct run_bench *bench, char *to, size_t size);

/* What speedups divide by: each row names its own baseline. Mostly all rows of a bench have one; of a list each case
 * has the fastest; of two builds each variant has its twin in the first. Pure. */

/* Fills what a sorted bench says of its baselines. */
void baseline_find(struct run_bench *bench);

/* The row that this one's speedup divides by, itself where it is a baseline; NULL: there is none. */
const struct record *baseline_of(const struct run_case *point, const struct record *row);
bool baseline_is(const struct run_case *point, const struct record *row);
/* The variant that this one is compared with in all cases; SIZE_MAX: none, or cases differ. */
size_t baseline_column(const struct run_bench *bench, size_t variant);

/* "cudnn", "the same variant @old", "cudnn, standard (each row says which)". */
void baseline_text(const struct run_bench *bench, char *to, size_t size);
/* What a row has to say of its baseline because the heading does not: its name, or NULL. */
const char *baseline_beside(const struct run_bench *bench, const struct record *row);
/* "@old", of the first build where the bench has several. */
const char *baseline_label(const struct run_bench *bench);

/* What a bench is called beside others of its name. Pure. */

/* "attention/forward, cold, NVIDIA H200": the mode only where the bench was timed in several, and where it ran. */
void title_bench(const struct run_data *data, const struct run_summary *summary, const struct run_bench *bench,
                 char *to, size_t size);
/* Where the bench ran, of that what tells it from others of its name: "NVIDIA H200, 20261121T071503Z-nightly"; may be
 * empty. */
void title_where(const struct run_data *data, const struct run_summary *summary, const struct run_bench *bench,
                 char *to, size_t size);
/* A device as it is called among several: its model, with its UUID where there are two of them. */
void title_device(const struct run_summary *summary, const char *name, const char *devices, char *to, size_t size);

/* The words of comparisons: how they look wherever they are shown, and how many there are of each. Pure. */

/* A glyph and a word, and a colour for those who see it. */
struct verdict_look {
  const char *glyph; /* with the space after it; may be empty */
  const char *word;
  enum grid_style style;
};

/* Also of the reasons why there is no word, which have no glyph. Empty for a verdict that is NULL or unknown. */
struct verdict_look verdict_look(const char *verdict, bool utf8);

struct verdict_counts {
  size_t faster, slower, same, undecided, none;
};
/* Of the rows that are compared with their twins. */
struct verdict_counts verdict_counts(const struct run_bench *bench);
/* "1 faster, 9 same"; empty where there are none. */
void verdict_counts_text(const struct verdict_counts *counts, char *to, size_t size);

/* How cases lie on axes: the one axis of numbers that a chart's x shows, and the sets of cases that differ in nothing
 * else. Pure. */

struct facet {
  const struct run_case **cases; /* in the order of x, or of the bench */
  double *x;                     /* NULL: categories */
  size_t count;
  char label[EXPR_SIZE]; /* of the axes that vary beside x: "dtype=bf16"; empty where none does */
};

struct facets {
  struct facet *items;
  size_t count;
  const char *axis; /* that x shows, or NULL */
};

/* At most `most` facets, and several only where that leaves something to see in each; else one, by categories. */
void facets_build(const struct run_bench *bench, size_t most, struct facets *facets);
void facets_free(struct facets *facets);

#endif

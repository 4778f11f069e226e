/* The structs of a summary: cases, benches, all benches of a run; and functions about the rows of one bench. No I/O.
 * Pointers in these structs lead into the run_data, which must live longer. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/grid.h"
#include "base/number.h"
#include "base/pairs.h"
#include "record/foreign.h"
#include "record/run_data.h"
#include "summary/row.h"

/* Which baselines the rows of a bench have. BASES_ONE: all rows have the same. BASES_TWINS: each variant is compared
 * with the same variant of another build, "flash@new" with "flash@old". BASES_SEVERAL: rows have different baselines,
 * as when --baseline names several variants and each case uses the fastest of them. */
enum run_bases { BASES_NONE, BASES_ONE, BASES_TWINS, BASES_SEVERAL };

struct run_case {
  const char *key, *preset;    /* preset may be empty */
  struct pairs axes;           /* names and values of the axes, decoded */
  const struct record **rows;  /* one row for each variant of the bench; NULL for a variant without a row */
  const struct record **bases; /* for each row, the baseline's row that it is compared with (a baseline is compared with
                                  itself); the whole array is NULL if `base` applies to all rows */
  size_t row_count;            /* length of `rows` and `bases`; 0 if `bases` is NULL */
  const struct record *base;   /* the baseline's row if all rows have the same; otherwise NULL */
  const struct record *winner; /* the row clearly faster than all others; NULL: a tie, or fewer than two timed rows */
  bool tie;                    /* true if two or more rows were timed, and none is clearly faster than all others */
  const struct foreign_row **foreign; /* results of other programs: one row for each foreign column of the bench; NULL:
                                         the case has no such row */
};

struct rate_unit {
  const char *name;
  double per; /* a rate in this unit is the result of row_rate() times `per` */
};

/* The cases of one bench that were timed in one mode on the same devices. If two runs have the same rows, each run has
 * a separate run_bench. */
struct run_bench {
  const char *name, *mode, *devices, *device_name;
  size_t run;
  bool repeated; /* true if another run has a bench of this name, mode and devices */
  /* name of the baseline; if cases have different baselines, that of the first case; NULL: none */
  const char *baseline;
  bool baseline_varies; /* true if the baseline of some row is not the first variant */
  bool fastest_named; /* true if --baseline named several variants, so that the baseline of each case is the fastest of
                         them; a mean of the speedups over such cases is meaningful */
  enum run_bases bases;
  const char **variants; /* baseline first, those for comparison only last, the others in order of appearance */
  const char **axes;     /* names of the axes */
  bool *varies;          /* for each axis, true if cases have different values of it */
  struct run_case *cases;
  size_t variant_count, axis_count, case_count;
  bool has_presets;
  bool yardstick; /* true if the user did not select the bench: it was measured because it shows a ceiling (highest
                     rate) of the device; such benches come last */
  enum rate rate;
  struct rate_unit rate_unit; /* the unit chosen for all cases of the bench */
  /* the columns of rows that other programs timed; these rows are in no count, mean or verdict */
  struct foreign_column *foreign;
  size_t foreign_count, foreign_left; /* foreign_left: number of foreign rows for which there was no column left */
};

struct run_summary {
  struct run_bench *benches;
  size_t bench_count;
  bool has_yardsticks;
  /* number of rows, and of rows by status; these and all counts below leave out yardsticks (rows for comparison only,
     such as a plain copy) */
  size_t rows, statuses[ROW_STATUS_COUNT];
  size_t timed;     /* number of rows that are ok and have a median */
  size_t in_slots;  /* number of timed rows whose outputs were verified not only before timing but also in timed slots
                       (series of samples); rows of older versions do not record this and are not counted */
  size_t cut;       /* number of timed rows whose case was interrupted */
  size_t verified;  /* number of ok rows whose error against the reference is known */
  size_t checked;   /* number of rows of any status whose error against the reference is known */
  size_t reached;   /* number of timed rows whose interval is as narrow as requested */
  size_t stepped;   /* number of timed rows whose interval is wider than requested, because the resolution of the clock
                       allows no narrower one */
  size_t hurried;   /* number of timed rows that stopped sampling early because of the run's time budget */
  size_t untimed;   /* number of ok rows whose case was interrupted before their first sample */
  double precision; /* the precision requested for the timed rows; NaN: rows differ in it, or it is not known */
  bool asked;       /* true if the requested precision is known for at least one timed row */
  const struct record *worst;     /* the ok row whose error is the largest share of its tolerance, or NULL */
  int64_t rounds_min, rounds_max; /* smallest and largest number of rounds of a timed row (in a round, each variant
                                     takes one series of samples); -1: not known */
};

/* Iterates over the rows of a bench, case by case: `for (struct bench_walk at = {.bench = bench}; bench_walk(&at);)`.
 * Variants without a row in a case are left out. */
struct bench_walk {
  const struct run_bench *bench;
  const struct run_case *point;
  const struct record *row;
  size_t variant, next;
};
bool bench_walk(struct bench_walk *walk);

/* Returns true if each sample of the bench is the time of a single call, so that its percentiles matter most. */
bool bench_is_latency(const struct run_bench *bench);
/* Returns the time unit for the whole bench: the one that suits the median of its rows' times. */
struct number_unit bench_time_unit(const struct run_bench *bench);
/* Returns the rate unit for the whole bench: row_rate_unit(), or a thousandth of it if no rate of the bench reaches 1
 * in that unit. */
struct rate_unit bench_rate_unit(const struct run_bench *bench);
/* Writes a rate of row_rate() in the bench's unit, "318 TFLOP/s"; "" if the rate is not known. */
void bench_rate_text(const struct run_bench *bench, double rate, char *to, size_t size);
/* Returns true if for any row of the bench it is known which share of a ceiling (the highest rate measured on the
 * device) it reached. */
bool bench_has_ceilings(const struct run_bench *bench);

/* Returns true if an empty launch takes more than 5% of any time of the case. Figures are then shown with and without
 * the launch overhead. */
bool bench_case_launch_limited(const struct run_bench *bench, const struct run_case *point);
/* Returns the first row of the bench for which `is_wanted` returns true; NULL if there is none. */
const struct record *bench_find(const struct run_bench *bench, bool (*is_wanted)(const struct record *row));

/* Returns the number of cases in which this variant is the fastest. */
size_t bench_wins(const struct run_bench *bench, size_t variant);
/* Returns the number of cases in which two or more variants were timed. */
size_t bench_contests(const struct run_bench *bench);

struct label {
  char text[KEY_SIZE];
};

/* Returns a label for the case: its preset "gpt2-1k", the axes that vary, "S=1024 D=64", or both; "all" if the bench
 * has a single case. */
struct label bench_case_label(const struct run_bench *bench, const struct run_case *point, bool with_axes);
/* Writes the axes that have the same value in all cases: "dtype=bf16 causal=yes". */
void bench_fixed_axes(const struct run_bench *bench, char *to, size_t size);

/* Baselines: the variants that speedups are relative to. Each row names its own baseline. Usually all rows of a bench
 * have the same one. If --baseline lists several variants, the baseline of a case is the fastest of them. If two builds
 * of a plugin are compared, the baseline of a variant is the same variant in the first build. */

/* Fills in the baselines of a bench, whose rows must be sorted into cases already. */
void baseline_find(struct run_bench *bench);

/* baseline_of() returns the row of the baseline that `row` is compared with; for a baseline, its own row; NULL: none.
 * baseline_is() returns true if `row` is its own baseline. */
const struct record *baseline_of(const struct run_case *point, const struct record *row);
bool baseline_is(const struct run_case *point, const struct record *row);
/* Returns the index in `variants` of the variant that this one is compared with in all cases; SIZE_MAX: there is none,
 * or it is not the same in all cases. */
size_t baseline_column(const struct run_bench *bench, size_t variant);

/* Writes what the variants are compared with: "cudnn", "the same variant @old", or "cudnn, standard (each row says
 * which)". */
void baseline_text(const struct run_bench *bench, char *to, size_t size);
/* Returns the name of a row's baseline if it must be shown next to the row; NULL if the bench's heading gives it. */
const char *baseline_beside(const struct run_bench *bench, const struct record *row);
/* Returns the label of the first build, "@old"; "" if there is only one build. */
const char *baseline_label(const struct run_bench *bench);

/* ---- Titles that distinguish benches of the same name ---- */

/* Returns the title of a bench: "attention/forward, cold, NVIDIA H200". The mode is only included if the bench was
 * timed in several modes. The last part is the text of title_where(). */
struct label title_bench(const struct run_data *data, const struct run_summary *summary, const struct run_bench *bench);
/* Writes as much of where the bench ran as distinguishes it from other benches of its name: "NVIDIA H200,
 * 20261121T071503Z-nightly"; may be empty. */
void title_where(const struct run_data *data, const struct run_summary *summary, const struct run_bench *bench,
                 char *to, size_t size);
/* Writes a device's name: its model, and its UUID if there are several devices of the model. */
void title_device(const struct run_summary *summary, const char *name, const char *devices, char *to, size_t size);

/* ---- How verdicts look in all outputs, and how many there are of each ---- */

/* How a verdict is shown: a glyph, a word, and a colour for readers who see colours. */
struct verdict_look {
  const char *glyph; /* includes the space after it; may be empty */
  const char *word;
  enum grid_style style;
};

/* Returns how a verdict is shown. `verdict` may also be a reason why there is no verdict; that is shown without a
 * glyph. The result is empty for NULL and for unknown words. */
struct verdict_look verdict_look(const char *verdict, bool utf8);

struct verdict_counts {
  size_t faster, slower, same, undecided, none;
};
/* Counts the verdicts of the rows that are compared with the same variant in another build. */
struct verdict_counts verdict_counts(const struct run_bench *bench);
/* Writes "1 faster, 9 same"; empty if all counts are 0. */
void verdict_counts_text(const struct verdict_counts *counts, char *to, size_t size);

/* ---- Facets: sets of cases that differ only in the numeric axis that a chart shows as x ---- */

struct facet {
  const struct run_case **cases; /* ascending by `x`; in the order of the bench if `x` is NULL */
  /* for each case, its value of the axis that the chart shows as x; NULL: the chart shows cases as categories */
  double *x;
  size_t count;
  char label[EXPR_SIZE]; /* values of the other axes that vary: "dtype=bf16"; empty if none does */
};

struct facets {
  struct facet *items;
  size_t count;
  const char *axis; /* the axis of the bench that the x axis of the chart shows, or NULL */
};

/* Splits the cases into at most `most` facets: sets that differ only in one numeric axis, which a chart shows as x. If
 * that is not possible, or some facet has fewer than three cases, makes one facet of all cases, which a chart shows as
 * categories. */
void facets_build(const struct run_bench *bench, size_t most, struct facets *facets);
void facets_free(struct facets *facets);

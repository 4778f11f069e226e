/* The structs of a summary: cases, benches, all benches of a run; and functions about the rows of one bench. Pure.
 * Pointers lead into the run_data, which must outlive them. */
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

/* The baselines of a bench's rows: one for all; for each variant its twin in another build, "flash@old" for
 * "flash@new"; or several, as when each case has the fastest of a list. */
enum run_bases { BASES_NONE, BASES_ONE, BASES_TWINS, BASES_SEVERAL };

struct run_case {
  const char *key, *preset;           /* preset may be empty */
  struct pairs axes;                  /* decoded */
  const struct record **rows;         /* one per variant of the bench; NULL: the case has none */
  const struct record **bases;        /* the row that each of them is compared with, a baseline with itself; or NULL */
  size_t row_count;                   /* length of both; 0 if `bases` is NULL: then `base` is that of all */
  const struct record *base;          /* the baseline's row if all rows have the same; otherwise NULL */
  const struct record *winner;        /* fastest beyond the intervals; NULL: a tie, or fewer than two were timed */
  bool tie;                           /* two or more were timed, and none is fastest beyond the intervals */
  const struct foreign_row **foreign; /* one per foreign column of the bench; NULL: the case has none */
};

struct rate_unit {
  const char *name;
  double per; /* how many of these are one unit of row_rate() */
};

/* Cases of one bench timed in one mode on the same devices; and in one run, if two runs have the same rows. */
struct run_bench {
  const char *name, *mode, *devices, *device_name;
  size_t run;
  bool repeated;        /* another run has a bench of this name, mode and devices */
  const char *baseline; /* NULL: none; the first case's, if cases have different ones */
  bool baseline_varies; /* some row has another baseline than the first variant */
  bool fastest_named;   /* --baseline named several, and a case has the fastest of them: a mean over such cases is
                           meaningful */
  enum run_bases bases;
  const char **variants; /* baseline first, yardsticks last, the others in order of appearance */
  const char **axes;     /* names */
  bool *varies;          /* per axis: it has more than one value */
  struct run_case *cases;
  size_t variant_count, axis_count, case_count;
  bool has_presets;
  bool yardstick; /* measured for its ceiling, in addition to the selection; such benches come last */
  enum rate rate;
  struct rate_unit rate_unit;         /* chosen for all its cases */
  struct foreign_column *foreign;     /* rows of other programs: they are in no count, mean or verdict */
  size_t foreign_count, foreign_left; /* left: rows beyond the last column */
};

struct run_summary {
  struct run_bench *benches;
  size_t bench_count;
  bool has_yardsticks;
  size_t rows, statuses[ROW_STATUS_COUNT]; /* these and all following counts leave out yardsticks */
  size_t timed;                            /* ok with a median */
  size_t in_slots;                         /* of these, verified in timed slots as well; older runs do not tell */
  size_t cut;                              /* of these, in a case that was interrupted */
  size_t verified;                         /* ok, with a known error */
  size_t checked;                          /* of any status, with a known error */
  size_t reached;                          /* of the timed ones, with an interval as narrow as requested */
  size_t stepped;                          /* accepted although wider: as narrow as the clock's step allows */
  size_t hurried;                          /* stopped by the run's time budget before their own was used up */
  size_t untimed;                          /* ok rows whose case was cut before their first sample */
  double precision;                        /* the requested precision; NaN: not the same for all, or not known */
  bool asked;                              /* the requested precision is known for some row */
  const struct record *worst;              /* the ok row that used most of its tolerance, or NULL */
  int64_t rounds_min, rounds_max;          /* of the timed rows; -1: not known */
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

/* Returns true if samples are single calls, so that percentiles matter most. */
bool bench_is_latency(const struct run_bench *bench);
/* Returns the time unit for the whole bench: that of its median time. */
struct number_unit bench_time_unit(const struct run_bench *bench);
/* Returns the rate unit for the whole bench: a thousandth of row_rate_unit() if no rate reaches 1 in that. */
struct rate_unit bench_rate_unit(const struct run_bench *bench);
/* Writes a rate of row_rate() in that unit, "318 TFLOP/s"; "" if it is not known. */
void bench_rate_text(const struct run_bench *bench, double rate, char *to, size_t size);
/* Returns true if any row has a share of the ceiling. */
bool bench_has_ceilings(const struct run_bench *bench);

/* Tell whether an empty launch takes more than 5% of any time of the case, or of the bench. Figures are then shown with
 * and without it. */
bool bench_case_floored(const struct run_bench *bench, const struct run_case *point);
const struct record *bench_floored(const struct run_bench *bench); /* the first such row; NULL: none */

/* Returns the number of cases in which this variant is the fastest. */
size_t bench_wins(const struct run_bench *bench, size_t variant);
/* Returns the number of cases in which two or more variants were timed. */
size_t bench_contests(const struct run_bench *bench);

struct label {
  char text[KEY_SIZE];
};

/* Returns "gpt2-1k", "S=1024 D=64" of the axes that vary, or both; "all" if there is a single case. */
struct label bench_case_label(const struct run_bench *bench, const struct run_case *point, bool with_axes);
/* Writes the axes that do not vary: "dtype=bf16 causal=yes". */
void bench_fixed_axes(const struct run_bench *bench, char *to, size_t size);

/* The denominators of speedups: each row names its own baseline. Usually all rows of a bench have the same; with a list
 * of baselines each case has the fastest; with two builds each variant has its twin in the first. Pure. */

/* Fills in the baselines of a bench. Its rows must be sorted into cases. */
void baseline_find(struct run_bench *bench);

/* Returns the row that this row's speedup divides by; a baseline's is itself; NULL: none. */
const struct record *baseline_of(const struct run_case *point, const struct record *row);
bool baseline_is(const struct run_case *point, const struct record *row);
/* Returns the column of the variant that this one is compared with in all cases; SIZE_MAX: none, or cases differ. */
size_t baseline_column(const struct run_bench *bench, size_t variant);

/* Writes "cudnn", "the same variant @old", or "cudnn, standard (each row says which)". */
void baseline_text(const struct run_bench *bench, char *to, size_t size);
/* Returns the name of a row's baseline if the bench's heading does not give it; otherwise NULL. */
const char *baseline_beside(const struct run_bench *bench, const struct record *row);
/* Returns the label of the first build, "@old"; "" without several builds. */
const char *baseline_label(const struct run_bench *bench);

/* Names of benches that distinguish those of equal name. Pure. */

/* Writes "attention/forward, cold, NVIDIA H200": with the mode only if the bench was timed in several, and with the
 * place of title_where(). */
void title_bench(const struct run_data *data, const struct run_summary *summary, const struct run_bench *bench,
                 char *to, size_t size);
/* Writes as much of where the bench ran as distinguishes it from others of its name: "NVIDIA H200,
 * 20261121T071503Z-nightly"; may be empty. */
void title_where(const struct run_data *data, const struct run_summary *summary, const struct run_bench *bench,
                 char *to, size_t size);
/* Writes the name of a device among others: its model, with its UUID if there are several of the model. */
void title_device(const struct run_summary *summary, const char *name, const char *devices, char *to, size_t size);

/* How verdicts look in all outputs, and how many there are of each. Pure. */

/* A glyph and a word, and a colour for readers who see colours. */
struct verdict_look {
  const char *glyph; /* includes the space after it; may be empty */
  const char *word;
  enum grid_style style;
};

/* Returns the look of a verdict, or of a reason why there is none, which has no glyph. The look is empty for NULL and
 * for unknown words. */
struct verdict_look verdict_look(const char *verdict, bool utf8);

struct verdict_counts {
  size_t faster, slower, same, undecided, none;
};
/* Counts the rows that are compared with their twins. */
struct verdict_counts verdict_counts(const struct run_bench *bench);
/* Writes "1 faster, 9 same"; empty if all counts are 0. */
void verdict_counts_text(const struct verdict_counts *counts, char *to, size_t size);

/* Facets: the numeric axis that a chart shows as x, and the sets of cases that differ in nothing else. Pure. */

struct facet {
  const struct run_case **cases; /* in the order of x, or of the bench */
  double *x;                     /* NULL: categories */
  size_t count;
  char label[EXPR_SIZE]; /* the other axes that vary: "dtype=bf16"; empty if none does */
};

struct facets {
  struct facet *items;
  size_t count;
  const char *axis; /* the axis that x shows, or NULL */
};

/* Makes at most `most` facets if each then has enough cases; otherwise a single one, by categories. */
void facets_build(const struct run_bench *bench, size_t most, struct facets *facets);
void facets_free(struct facets *facets);

/* What the rows say together: cases in the order of their appearance, the fastest of each, counts, geometric means.
 * Every output shows these same answers. Pure. Pointers are into the run_data, which must outlive the summary. */
#ifndef SUMMARY_SUMMARY_H
#define SUMMARY_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/number.h"
#include "summary/bench.h"
#include "summary/row.h"

/* Goes through the rows of a bench, case by case:
 * `for (struct summary_walk at = {.bench = bench}; summary_walk(&at);)`. Cases lack rows of some variants: these are
 * left out. */
struct summary_walk {
  const struct run_bench *bench;
  const struct run_case *point;
  const struct record *row;
  size_t variant, next;
};
bool summary_walk(struct summary_walk *walk);

void summary_build(const struct run_data *data, struct run_summary *summary);
void summary_free(struct run_summary *summary);

/* Where the bench ran, of that what tells it from others of its name: "NVIDIA H200, 20261121T071503Z-nightly"; may be
 * empty. */
void summary_bench_where(const struct run_data *data, const struct run_summary *summary, const struct run_bench *bench,
                         char *to, size_t size);
/* "attention/forward, cold, NVIDIA H200": the mode only where the bench was timed in several, and where it ran. */
void summary_bench_title(const struct run_data *data, const struct run_summary *summary, const struct run_bench *bench,
                         char *to, size_t size);
/* A device as it is called among several: its model, with its UUID where there are two of them. */
void summary_device(const struct run_summary *summary, const char *name, const char *devices, char *to, size_t size);

/* Are its samples single calls, so that percentiles say most? */
bool summary_is_latency(const struct run_bench *bench);

/* One unit for all times of a bench: that of the middle one. */
struct number_unit summary_time_unit(const struct run_bench *bench);

/* Does it fail the run? Also a skip that --require forbids (environment key "require": globs). Not a yardstick's. */
bool summary_failed(const struct run_data *data, const struct run_summary *summary, const struct record *record);
bool summary_required(const struct run_data *data, const struct record *record);

/* The row that this one's speedup divides by, itself where it is a baseline; NULL: there is none. */
const struct record *summary_base(const struct run_case *point, const struct record *row);
bool summary_is_base(const struct run_case *point, const struct record *row);
/* "@old", of the first build where the bench has several. */
const char *summary_twin_label(const struct run_bench *bench);
/* "cudnn", "the same variant @old", "cudnn, standard (each row says which)". */
void summary_baselines(const struct run_bench *bench, char *to, size_t size);
/* The variant that this one is compared with in all cases; SIZE_MAX: none, or cases differ. */
size_t summary_column_base(const struct run_bench *bench, size_t variant);

struct run_verdicts {
  size_t faster, slower, same, undecided;
};
/* Of the rows that are compared with their twins. */
void summary_verdicts(const struct run_bench *bench, struct run_verdicts *verdicts);
/* What a row has to say of its baseline because the heading does not: its name, or NULL. */
const char *summary_row_base(const struct run_bench *bench, const struct record *row);
/* "1 faster, 9 same"; empty where there are none. */
void summary_verdicts_text(const struct run_verdicts *verdicts, char *to, size_t size);

/* Geometric mean of how much faster `variant` is than `over`, and of how many cases. Against the baseline the paired
 * speedups are used, between others the medians. NaN with no case. */
double summary_geomean(const struct run_bench *bench, size_t variant, size_t over, size_t *count);

/* The same over each case's own baseline; the baseline's own rows do not count. */
double summary_geomean_base(const struct run_bench *bench, size_t variant, size_t *count);

/* Cases in which this variant is the fastest. */
size_t summary_wins(const struct run_bench *bench, size_t variant);
/* Cases in which two or more were timed. */
size_t summary_contests(const struct run_bench *bench);

/* "gpt2-1k", "S=1024 D=64" of the axes that vary, or both; "all" where nothing varies. */
void summary_case_label(const struct run_bench *bench, const struct run_case *point, bool with_axes, char *to,
                        size_t size);
/* "dtype=bf16 causal=yes": the axes that do not vary. */
void summary_fixed_axes(const struct run_bench *bench, char *to, size_t size);

enum run_outcome { RUN_PASSED, RUN_INCOMPLETE /* rows not run, nothing else */, RUN_FAILED, RUN_NOTHING };

/* The one sentence. */
enum run_outcome summary_sentence(const struct run_data *data, const struct run_summary *summary, char *to,
                                  size_t size);

#endif

/* What speedups divide by: each row names its own baseline. Mostly all rows of a bench have one; of a list each case
 * has the fastest; of two builds each variant has its twin in the first. Pure. */
#ifndef SUMMARY_BASELINE_H
#define SUMMARY_BASELINE_H

#include "summary/bench.h"

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

#endif

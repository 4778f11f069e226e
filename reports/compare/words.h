/* A comparison as text: sentences, notes and figures. The texts contain names from the runs, so each output escapes
 * them. The caller frees what is returned. */
#pragma once

#include "compare/compare.h"

/* Returns the result as a sentence: "2 of 16 slower by more than 2%: flash at gpt2-1k by 9.7% [9.1, 10.3]; 14 same." */
char *compare_sentence(const struct compare *compare, size_t run);

/* Adds notes about the comparison: the number of restarts, assumptions, missing data. Notes that concern only the
 * compared runs, not the base, are added if `own` is true. */
void compare_notes(const struct compare *compare, bool own, struct strings *to);

/* Returns the speedup and its interval: "0.912x [0.907, 0.917]". */
struct number compare_speedup(const struct compare_ratio *ratio);

/* Returns a line about a run: "NAME, 2026-11-20T08:05:00Z, on NVIDIA H200, 16 rows, 3 restarts". */
char *compare_run_line(const char *name, const struct run_data *data, const struct compare_range *restarts);
/* Returns true if rows have different numbers of restarts. */
bool compare_restarts_vary(const struct compare_run *run);

/* Returns why a row that both runs have has no ratio: "wrong: out[7] is 3", "correct again, was crashed". */
char *compare_status(const struct record *base, const struct compare_cell *cell);
/* Returns what limits the meaning of one ratio: the runs had different contracts (versions of the benchmark) or
 * arithmetic, or the machine had a problem. */
char *compare_marks(const struct record *base, const struct compare_cell *cell);

/* Writes the verdicts of the rows from `first` on, which a list leaves out: "3 same, 2 undecided". */
void compare_rest(const struct compare *compare, size_t first, char *to, size_t size);

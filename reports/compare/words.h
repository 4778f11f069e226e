/* The comparison in sentences. Each output escapes names from the runs in its own way; all other text is plain ASCII
 * without markup. */
#pragma once

#include <stdio.h>

#include "base/escape.h"
#include "compare/compare.h"

struct compare_voice {
  FILE *out;
  escape_fn *escape;
};

/* Writes a sentence. The format is trusted text of the caller; each %s in it is a name, which is escaped. */
#define compare_say(voice, ...) escape_print((voice)->out, (voice)->escape, __VA_ARGS__)

/* Writes the result in one sentence: "2 of 16 slower than 2%: flash at gpt2-1k by 9.7% [9.1, 10.3]; 14 same." */
void compare_sentence(const struct compare_voice *voice, const struct compare *compare, size_t run);

/* Writes notes about the comparison: the number of restarts, assumptions, missing data. Each note is written between
 * the texts `before` and `behind`. */
void compare_notes(const struct compare_voice *voice, const struct compare *compare, const char *before,
                   const char *behind);
/* Writes the notes of compare_notes() except those that concern only the compared runs, not the base. */
void compare_notes_of_base(const struct compare_voice *voice, const struct compare *compare, const char *before,
                           const char *behind);

/* Writes the speedup and its interval: "0.912x [0.907, 0.917]". */
void compare_speedup(const struct compare_ratio *ratio, char *to, size_t size);

/* Writes a line about a run: "NAME, 2026-11-20T08:05:00Z, on NVIDIA H200, 16 rows, 3 restarts". */
void compare_run_line(const struct compare_voice *voice, const char *name, const struct run_data *data,
                      const struct compare_range *restarts);
/* Returns true if rows have different numbers of restarts. */
bool compare_restarts_vary(const struct compare_run *run);

/* Writes why a cell has no ratio: "wrong: out[7] is 3", "correct again, was crashed". */
void compare_status(const struct compare_voice *voice, const struct record *base, const struct compare_cell *cell);

/* Writes what limits the meaning of one ratio: the runs had different contracts or arithmetic, or the machine had a
 * problem. Returns true if there is anything; with `voice` NULL it writes nothing. */
bool compare_marks(const struct compare_voice *voice, const struct record *base, const struct compare_cell *cell);

/* Writes the verdicts of the rows from `first` on, which a list leaves out: "3 same, 2 undecided". */
void compare_rest(const struct compare *compare, size_t first, char *to, size_t size);

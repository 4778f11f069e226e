/* What is kept of a comparison with the run (record/against.h), as facts, sentences and short texts. */
#ifndef COMPARE_AGAINST_H
#define COMPARE_AGAINST_H

#include "base/number.h"
#include "compare/compare.h"

/* Of one of the runs that were compared. `asked`: what the user called the base. */
struct against *against_make(const struct compare *compare, size_t run, const char *asked);

/* "vs last"; where runs were compared with different ones, "vs base". Cut where it is long. */
void against_head(const struct run_data *data, char *to, size_t size);

/* "0.912x" and "[0.907, 0.917]", "" where not known. */
struct number against_ratio(const struct against_row *row);
struct number against_interval(const struct against_row *row);
/* "slower >2%": what the word says, without its glyph. */
void against_word_text(const struct against *against, const struct against_row *row, char *to, size_t size);

/* Of all runs that were compared with another, the verdict that weighs most. */
enum against_verdict against_worst(const struct run_data *data);

#endif

/* What a run was compared with: the answers of `gpubench compare` for each of its rows, kept with the run as
 * against.csv, so that its reports can be made without the other run. Nothing is judged here: compare.h does that. */
#ifndef COMPARE_AGAINST_H
#define COMPARE_AGAINST_H

#include <stdbool.h>
#include <stddef.h>

#include "compare/compare.h"
#include "record/run_data.h"
#include "stats/stats.h"

/* What the base has for a row. */
enum against_fate {
  AGAINST_BOTH,      /* ok and timed in both */
  AGAINST_LOST,      /* ok in the base; wrong, crashed, timed out or in error here */
  AGAINST_MENDED,    /* the reverse */
  AGAINST_UNTIMED,   /* in both, not timed in both */
  AGAINST_ONLY_BASE, /* not among this run's rows */
  AGAINST_ONLY_HERE,
  AGAINST_FATES
};

struct against_row {
  char *case_key, *variant, *mode, *devices;
  enum against_fate fate;
  double base_ns, ns;               /* medians; NaN: not timed */
  double speedup, lo, hi;           /* base time / time here, with its 95% interval; NaN: none */
  enum verdict word;                /* none: there is no ratio, or it may not be judged */
  bool beyond;                      /* by more than the threshold, surely */
  uint64_t base_restarts, restarts; /* 0: there is no ratio */
  char *note;                       /* why there is no ratio, or what is to be known of it */
};

struct against {
  struct pairs facts;                     /* about the base and the whole: see against_fact() */
  struct compare_difference *differences; /* those that make the runs unlike first */
  size_t difference_count, unlike_count;
  struct strings notes;
  struct against_row *rows;
  size_t count, fates[AGAINST_FATES];
  struct map index; /* of rows by case, variant, mode and devices */
};

/* From a comparison with one run. `asked`: what the user called the base. */
struct against *against_make(const struct compare *compare, const char *asked);
void against_free(struct against *against);

/* While it is put together. Texts are copied. */
struct against_row *against_add_row(struct against *against, const struct against_row *row);
void against_add_difference(struct against *against, const struct compare_difference *difference);

/* "head": what heads the column, as in "vs last"; "run_id" of the base; "base": a line about it; "sentence": the
 * outcome; "threshold" in percent; "judged": 1, or 0 where words are withheld. "" where it is not known. */
const char *against_fact(const struct against *against, const char *name);
bool against_is_judged(const struct against *against);

/* That of the run that one of `data->records` is of, and the row's; NULL: none. */
const struct against *against_of(const struct run_data *data, const struct record *record);
const struct against_row *against_row_of(const struct run_data *data, const struct record *record);
/* Has any of the runs one? */
bool against_any(const struct run_data *data);

/* "vs last"; where runs were compared with different ones, "vs base". Cut where it is long. */
void against_head(const struct run_data *data, char *to, size_t size);

/* "0.912x" and "[0.907, 0.917]", "" where not known. */
void against_ratio_text(const struct against_row *row, char *to, size_t size);
void against_interval_text(const struct against_row *row, char *to, size_t size);
/* "slower >2%": what the word says, without its glyph. */
void against_word_text(const struct against *against, const struct against_row *row, char *to, size_t size);

#endif

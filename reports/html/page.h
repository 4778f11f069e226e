/* Parts of the report, in the order of the page. */
#ifndef HTML_PAGE_H
#define HTML_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "base/number.h"
#include "html/assets.h"
#include "record/against.h"
#include "record/record.h"
#include "record/run_data.h"
#include "summary/summary.h"
#include "svg/svg.h"

struct page_reason {
  const char *text;
  size_t cells; /* that would say it */
};

/* A bench as the page shows it. */
struct page_bench {
  struct run_bench bench; /* the summary's, with the cases that have room on the page; none: it is not shown */
  struct number_unit unit;
  struct rate_unit rate;
  bool ceilings;  /* some row knows its share of one */
  unsigned marks; /* that every timed row has */
  bool *sampled;  /* cases whose samples are drawn */
  bool *rare;     /* variants that were tried in few cases: they share a column */
  struct page_reason *reasons;
  size_t reason_count, rare_count;
};

struct page {
  FILE *out;
  const struct run_data *data;
  enum html_assets assets;
  struct run_summary summary;
  struct page_bench *benches; /* as many as the summary has */
};

/* html/compare/against.c: the verdict of a comparison, in a word. */
void html_against_badge(FILE *out, enum against_verdict verdict);

/* html/overview.c: what the first screen says in words. */
void html_verdict(const struct page *page);
/* The page's title: the same verdict of the run of that name. */
void html_title(const struct page *page, const char *name, char *to, size_t size);
void html_failures(const struct page *page);
void html_conditions(const struct page *page);
/* One item of the strip: with its own word when something is wrong, so that it does not hang on the colour. */
void html_trust(const struct page *page);
void html_machine(const struct page *page);

/* Several devices side by side; nothing where there is one. */
void html_devices(const struct page *page);

/* A row for each bench, where there are several. */
void html_benches(const struct page *page);
/* Has it room on the page, and was it asked for? */
bool html_bench_shown(const struct page *page, size_t index);

/* html/matrix.c: cases x variants, and what stands in the cells. */
enum matrix { MATRIX_SPEEDUP, MATRIX_TIME, MATRIX_RATE, MATRIX_SHARE };
void html_matrix(const struct page *page, size_t bench, enum matrix kind);
/* "18 to 42": lowest and highest share of the ceiling; empty where none is known. */
void html_share_range(const struct run_bench *bench, size_t variant, char *to, size_t size);
/* What all of its rows have, above the first matrix; what all rows of a case have, below its name. */
void html_shared_marks(const struct page *page, size_t bench);
/* A word with its glyph, or why there is none; nothing for an empty one. */
void html_word(FILE *out, const char *word);
/* The one that opens a bench. */
enum matrix html_first_matrix(const struct run_bench *bench);

/* Why rows have no time, where several say the same. A number in a cell, false where the row's reason
 * is none of them; below a matrix what the numbers stand for. */
void html_reasons_find(struct page_bench *of);
void html_reasons(const struct page *page, size_t bench);
/* Of each variant without a column of its own: how many cases it ran, and why not the others. */
void html_rare(const struct page *page, size_t bench);

/* html/foreign.c: what other programs timed. Behind the columns of a matrix; a table of each bench; what it means. */
void html_foreign_heads(const struct page *page, size_t bench);
void html_foreign_cells(const struct page *page, size_t bench, enum matrix kind, const struct run_case *point);
void html_foreign_means(const struct page *page, size_t bench);
void html_foreign_table(const struct page *page, size_t bench);
bool html_foreign_any(const struct page *page);
void html_foreign_legend(const struct page *page);

/* html/markup.c: below a case's name the way to its samples, its point and its command. A command that the script's
 * button copies. Cases count from 1. */
void html_case_links(const struct page *page, size_t bench, const struct run_case *point);
void html_command(FILE *out, const char *command);
/* The suite of a run, and what its sections have no keys for. */
void html_suite_command(const struct pairs *environment, char *to, size_t size);
size_t html_case_number(const struct page *page, size_t bench, const struct run_case *point);

/* html/charts/chart.c: lines and bars. summary/bench.c: the axis of numbers, and what varies beside it. */
void html_chart_rate(const struct page *page, size_t bench);
void html_chart_time(const struct page *page, size_t bench);
void html_chart_memory(const struct page *page, size_t bench);

void html_roofline(const struct page *page, size_t bench);
bool html_roofline_point(const struct record *row); /* Has the row a place there? */

/* Joules against time; what the selftest says of the counter. Nothing where no joules are known. */
void html_energy(const struct page *page, size_t bench);
void html_energy_trust(const struct page *page, size_t bench);

/* html/charts/samples.c: distributions and rounds, case by case. html/charts/rounds.c: the latter. */
void html_samples(const struct page *page);

/* html/detail.c: all that is known of each row. html/latency.c: percentiles, where calls were timed one by one. */
void html_detail(const struct page *page, size_t bench);
/* Is this member of the record in one of its columns, or shown elsewhere on the page? */
bool html_detail_has(size_t offset);
void html_latency(const struct page *page, size_t bench);

/* html/extras.c: figures beside the time, a table for each bench. html/charts/spans.c: what went on within an
 * iteration. Nothing where there is none. */
void html_metrics(const struct page *page, size_t bench);
void html_spans(const struct page *page);

/* html/charts/gallery.c: who beats whom, what the variants launch, the machine. */
void html_diagrams(const struct page *page);

/* html/compare/against.c: what the run was compared with. On the first screen; below a row's figures in a cell; a table
 * of each bench; who that was. Nothing where there is none. */
void html_against_first(const struct page *page);
void html_against_cell(const struct page *page, const struct record *record);
void html_against_table(const struct page *page, size_t bench);
void html_against(const struct page *page);
/* A table of differences between the base and the `other`: of the items `from` up to `to`. */
void html_differences(FILE *out, const char *region, const char *caption, const char *other,
                      const struct against_difference *items, size_t from, size_t to);

/* What marks and words mean, of those that occur. */
void html_legend(const struct page *page);

/* html/data.c: the machine and the data. html/method.c: how it was measured, in plain words. */
void html_environment(const struct page *page);
void html_method(const struct page *page);
int html_data(const struct page *page, struct err *err);

/* Which cases have room. */
void html_fold(struct page *page);
void html_fold_free(struct page *page);
/* The cases that tell most: with failures, then those whose variants differ most. */
const struct run_case **html_fold_telling(const struct page *page, const struct run_bench *bench, size_t most,
                                          size_t *count);
/* A sentence about what is left out; nothing where all is there. */
void html_fold_note(const struct page *page, size_t bench);

/* html/markup.c: what all parts share. Escaped text between markup of ours. */
void html_put(FILE *out, const char *before, const char *text, const char *behind);
/* "bench, mode" where benches differ in more than their name. */
struct label html_bench_name(const struct page *page, size_t bench);
/* A part of the page that is folded at first, but on paper: its id is that of what is within, so that a link to it
 * opens it. */
void html_part_open(FILE *out, const char *id, const char *title);
void html_part_close(FILE *out);
/* A region that scrolls sideways by itself; `label` names it. Closed by </div>. */
void html_scroll(FILE *out, const char *label);
void html_status(FILE *out, enum row_status status);
/* A table in a region, up to its rows: caption and headings, the first for the row's name. Where a heading is more than
 * its text, or the region's name is not the caption, its parts: begin, heads, rows. */
void html_table_open(FILE *out, const char *kind, const char *caption, const char *const *heads, size_t count);
void html_table_begin(FILE *out, const char *kind, const char *region, const char *caption);
void html_head(FILE *out, const char *text);
void html_head_words(FILE *out, const char *text); /* over cells that are no numbers */
void html_table_rows(FILE *out);
void html_table_close(FILE *out);
/* A row begins with its name; "</tr>\n" ends it. */
void html_row(FILE *out, const char *name);
void html_cell(FILE *out, const char *text); /* a number as it is written */
void html_number(FILE *out, double value, int digits);
void html_words(FILE *out, const char *text); /* no number */
/* A row of results, as an item of a list. */
void html_key(FILE *out, const char *case_key, const char *variant, const char *mode);
/* A chart's figures, folded: <details> around a table. */
void html_figures_open(FILE *out, const char *caption, const char *const *heads, size_t count);
void html_figures_close(FILE *out);
/* Of a chart with more marks than this the figures are not repeated, and its marks have no tips. */
enum { HTML_FIGURES_MAX = 600 };
void html_figures_elsewhere(FILE *out);
/* Cases with at least two variants that were timed have something to compare; any with one can be drawn. */
bool html_any_timed(const struct run_bench *bench);

#endif

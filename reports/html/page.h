/* The functions that write the parts of the HTML report, in the order of the page. A part that has nothing to show is
 * not written. */
#pragma once

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

/* A reason why rows have no time, such as why they were skipped. If several cells of a table share a long reason, it is
 * written once, below the table. */
struct page_reason {
  const char *text;
  size_t cells; /* number of cells of the table that have this reason */
};

/* A bench as the page shows it. */
struct page_bench {
  struct run_bench bench; /* a copy of the summary's bench, with only the cases that the page has room for; if there are
                             none, the bench is not shown */
  struct number_unit unit;
  struct rate_unit rate;
  bool ceilings;  /* true if it is known for some row which share of a ceiling (the highest rate measured on the device)
                     it reached */
  unsigned marks; /* the marks (notes on weak figures, as bits 1 << enum mark) that every timed row of the bench has */
  bool *sampled;  /* for each case, true if the samples of the case are drawn */
  bool *rare; /* for each variant, true if it ran in few cases, so that it shares one column with other such variants */
  struct page_reason *reasons;
  size_t reason_count, rare_count;
};

struct page {
  FILE *out;
  const struct run_data *data;
  enum html_assets assets;
  struct run_summary summary;
  struct page_bench *benches; /* one for each bench of the summary */
};

/* html/compare/against.c: writes the verdict of a comparison as a badge. */
void html_against_badge(FILE *out, enum against_verdict verdict);

/* html/overview.c: the functions that write the first screen of the page. */
void html_verdict(const struct page *page);
/* Writes the page's title: the verdict, the run's name (`name`), and the sentence about the run. */
void html_title(const struct page *page, const char *name, char *to, size_t size);
void html_failures(const struct page *page);
void html_conditions(const struct page *page);
/* html_trust() writes how results were measured and verified; html_machine() writes about the machine. */
void html_trust(const struct page *page);
void html_machine(const struct page *page);

/* Writes a table of devices, if there are several. */
void html_devices(const struct page *page);

/* Writes a table with a row for each bench. */
void html_benches(const struct page *page);
/* Returns true if the page shows the bench: it has room for cases of it, and the user selected the bench. */
bool html_bench_shown(const struct page *page, size_t index);

/* html/matrix.c: tables of cases x variants. */
enum matrix { MATRIX_SPEEDUP, MATRIX_TIME, MATRIX_RATE, MATRIX_SHARE };
void html_matrix(const struct page *page, size_t bench, enum matrix kind);
/* Writes, in percent, the lowest and highest share of the ceiling (the highest rate measured on the device) that a
 * variant reaches, "18 to 42"; "" if none is known. */
void html_share_range(const struct run_bench *bench, size_t variant, char *to, size_t size);
/* Writes the marks (notes on weak figures) that all rows of the bench have. Marks that all rows of a case have are
 * written below the case's name. */
void html_shared_marks(const struct page *page, size_t bench);
/* Writes a verdict with its glyph, or the reason why there is none; nothing for "". */
void html_word(FILE *out, const char *word);
/* Returns which of the tables of cases x variants a bench's section begins with. */
enum matrix html_first_matrix(const struct run_bench *bench);

/* html_reasons_find() finds the reasons that several cells share. A cell with such a reason shows only its number, and
 * html_reasons() lists the reasons by number. */
void html_reasons_find(struct page_bench *of);
void html_reasons(const struct page *page, size_t bench);
/* Writes for each variant without a separate column how many cases it skipped, and why. */
void html_rare(const struct page *page, size_t bench);

/* html/foreign.c writes results of other programs: the last columns of a matrix, a table for each bench, and an
 * explanation. */
void html_foreign_heads(const struct page *page, size_t bench);
void html_foreign_cells(const struct page *page, size_t bench, enum matrix kind, const struct run_case *point);
void html_foreign_means(const struct page *page, size_t bench);
void html_foreign_table(const struct page *page, size_t bench);
bool html_foreign_any(const struct page *page);
void html_foreign_legend(const struct page *page);

/* html/markup.c. html_case_links() writes, below a case's name, links to its samples and to its point in the roofline,
 * and its command. */
void html_case_links(const struct page *page, size_t bench, const struct run_case *point);
/* Writes a command. The page's script adds a button that copies the command. */
void html_command(FILE *out, const char *command);
/* Writes the command that repeats a run from its run.ini, with the options that run.ini has no keys for. */
void html_suite_command(const struct pairs *environment, char *to, size_t size);
/* Returns the number of a case on the page, from 1. */
size_t html_case_number(const struct page *page, size_t bench, const struct run_case *point);

/* html/charts/chart.c: charts over the cases of a bench. summary/bench.c chooses the parameter that the x axis
 * shows. */
void html_chart_rate(const struct page *page, size_t bench);
void html_chart_time(const struct page *page, size_t bench);
void html_chart_memory(const struct page *page, size_t bench);

void html_roofline(const struct page *page, size_t bench);
bool html_roofline_point(const struct record *row); /* true if the row has a point in the roofline */

/* html/extras.c draws joules against time, and writes whether the bench energy/selftest found the energy counter
 * reliable. */
void html_energy(const struct page *page, size_t bench);
void html_energy_trust(const struct page *page, size_t bench);

/* html/charts/samples.c draws, for each case, the distribution of its samples; html/charts/rounds.c draws the samples
 * in the order in which they were taken. */
void html_samples(const struct page *page);

/* html/detail.c writes all columns of each row. html/latency.c writes percentiles if single calls were timed. */
void html_detail(const struct page *page, size_t bench);
/* Returns true if the member of struct record at this offset is a column of the tables, or is shown elsewhere on the
 * page. */
bool html_detail_has(size_t offset);
void html_latency(const struct page *page, size_t bench);

/* html_metrics(), in html/extras.c, writes a table of metrics for each bench. html_spans(), in html/charts/spans.c,
 * draws timelines of iterations. */
void html_metrics(const struct page *page, size_t bench);
void html_spans(const struct page *page);

/* html/charts/gallery.c draws diagrams: which variants are faster than which, what each variant launches, and the
 * machine. */
void html_diagrams(const struct page *page);

/* html/compare/against.c writes the comparison with a baseline run: a line on the first screen, one in each cell, a
 * table for each bench, and a part about the baseline run. */
void html_against_first(const struct page *page);
void html_against_cell(const struct page *page, const struct record *record);
void html_against_table(const struct page *page, size_t bench);
void html_against(const struct page *page);
/* The page of `gpubench compare` has these parts too. html_differences() writes a table of the differences between two
 * runs: if `counting`, those that make the runs too unlike for verdicts, otherwise the rest; `other` is the heading of
 * the compared run's column. html_unlike() writes whether such runs get verdicts; if not, `also` is added to
 * the text. html_unmatched() lists the rows that only one of the runs has. */
void html_differences(FILE *out, const char *region, const char *caption, const char *other,
                      const struct against *against, bool counting);
void html_unlike(FILE *out, bool judged, const char *also);
void html_unmatched(FILE *out, const char *heading, const struct against *against, enum against_outcome outcome);

/* Writes the meaning of the marks (notes on weak figures) and statuses that occur on the page. */
void html_legend(const struct page *page);

/* html/data.c writes the environment of the runs and embeds their data. html/method.c describes how gpubench
 * measured. */
void html_environment(const struct page *page);
void html_method(const struct page *page);
extern const char html_method_words[]; /* the text of html/method.html, which is the same for all runs */
int html_data(const struct page *page, struct err *err);

/* html/charts/samples.c: chooses the cases that the page has room for, and those whose samples are drawn. */
void html_fold(struct page *page);
void html_fold_free(struct page *page);
/* Returns the `most` most informative cases, in the order of the bench. Cases with failures are chosen first, then
 * those whose variants differ most in time. The caller frees the list. */
const struct run_case **html_fold_telling(const struct page *page, const struct run_bench *bench, size_t most,
                                          size_t *count);
/* Writes how many cases of the bench the page leaves out. */
void html_fold_note(const struct page *page, size_t bench);

/* html/markup.c: helpers. html_put() writes escaped text between two pieces of markup. */
void html_put(FILE *out, const char *before, const char *text, const char *behind);
/* Returns the title by which a bench is told from the others on the page: "bench, mode". */
struct label html_bench_name(const struct page *page, size_t bench);
/* Returns true if no earlier bench has this bench's mode. */
bool html_mode_is_new(const struct page *page, size_t bench);
/* Opens a part of the page that is folded on screens and open on paper. The id is that of the content, so that browsers
 * unfold the part when a link leads there. */
void html_part_open(FILE *out, const char *id, const char *title);
void html_part_close(FILE *out);
/* Opens a region that scrolls sideways; `label` is its accessible name. "</div>" closes it. */
void html_scroll(FILE *out, const char *label);
void html_status(FILE *out, enum row_status status);
/* html_table_open() opens a table in a region that scrolls and writes all that comes before the rows: caption and
 * headings, the first of which is for the rows' names. html_table_begin(), html_head() and html_table_rows() do the
 * same in steps, for tables whose headings contain markup, or whose region is not named like the caption. */
void html_table_open(FILE *out, const char *kind, const char *caption, const char *const *heads, size_t count);
void html_table_begin(FILE *out, const char *kind, const char *region, const char *caption);
void html_head(FILE *out, const char *text);
void html_head_words(FILE *out, const char *text); /* writes the heading of a column that contains text */
void html_table_rows(FILE *out);
void html_table_close(FILE *out);
/* Opens a row with its name; "</tr>\n" closes it. */
void html_row(FILE *out, const char *name);
void html_cell(FILE *out, const char *text); /* writes a cell with a number that is already formatted */
void html_number(FILE *out, double value, int digits);
void html_words(FILE *out, const char *text);           /* writes a cell with text */
void html_list(FILE *out, const struct strings *items); /* writes a list; nothing if there are no items */
/* Writes case, variant and mode of a row as an item of a list. */
void html_key(FILE *out, const char *case_key, const char *variant, const char *mode);
/* Open and close a folded table with a chart's figures. */
void html_figures_open(FILE *out, const char *caption, const char *const *heads, size_t count);
void html_figures_close(FILE *out);
/* A chart with more marks than this has no table of figures and no tool tips: its figures are in the table of all
 * results. html_figures_elsewhere() writes a note that says so. */
enum { HTML_FIGURES_MAX = 600 };
void html_figures_elsewhere(FILE *out);

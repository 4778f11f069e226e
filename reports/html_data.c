/* Further down the page: all rows, the environment, the method, the data itself. */
#include <stdlib.h>
#include <string.h>

#include "reports/csv.h"
#include "reports/escape.h"
#include "reports/html_parts.h"
#include "reports/number.h"

/* Is the column the same in all rows? */
static bool is_constant(const struct run_data *data, const struct record_field *field) {
  char first[64], other[64];
  for (size_t i = 1; i < data->count; i++)
    if (strcmp(record_text(&data->records[0], field, first, sizeof first),
               record_text(&data->records[i], field, other, sizeof other)) != 0)
      return false;
  return true;
}

static void write_column(FILE *out, const struct record_field *field) {
  fputs("<th scope=\"col\" title=\"", out);
  escape_xml(out, field->doc);
  fputs("\">", out);
  escape_xml(out, field->name);
  fputs("</th>", out);
}

static void write_field(FILE *out, const struct record *record, const struct record_field *field) {
  char number[64];
  const char *text = record_text(record, field, number, sizeof number);
  if (strcmp(field->name, "status") == 0) {
    fputs("<td>", out);
    html_status(out, summary_status(record));
  } else if (field->kind == RECORD_REAL) {
    char rounded[64] = "";
    if (text[0] != '\0') number_significant(rounded, sizeof rounded, strtod(text, NULL), 6);
    fprintf(out, "<td class=\"number\">%s", rounded);
  } else {
    fputs(field->kind == RECORD_TEXT ? "<td>" : "<td class=\"number\">", out);
    escape_xml(out, text);
  }
  fputs("</td>", out);
}

static size_t find_column(const char *name) {
  size_t f = 0;
  while (f + 1 < record_field_count && strcmp(record_fields[f].name, name) != 0)
    f++;
  return f;
}

/* What identifies a row comes first, then the figures, then texts. `axes` is part of the case's key. */
static size_t choose_columns(const struct run_data *data, const struct record_field **columns, bool *shown) {
  static const char *const first[] = {"case_key", "variant", "status", "median_raw_ns"};
  size_t count = 0;
  for (size_t i = 0; i < sizeof first / sizeof first[0]; i++) {
    size_t f = find_column(first[i]);
    columns[count++] = &record_fields[f];
    shown[f] = true;
  }
  for (size_t i = 0; i < 2 * record_field_count; i++) {
    size_t f = i % record_field_count;
    bool text = record_fields[f].kind == RECORD_TEXT;
    if (shown[f] || text != (i >= record_field_count) || is_constant(data, &record_fields[f])) continue;
    shown[f] = true;
    if (f != find_column("axes")) columns[count++] = &record_fields[f];
  }
  return count;
}

static void write_rows(const struct page *page, const struct record_field *const *columns, size_t count) {
  FILE *out = page->out;
  html_scroll(out, "Table of all results");
  fputs("<table class=\"all\">\n<thead><tr>", out);
  for (size_t c = 0; c < count; c++)
    write_column(out, columns[c]);
  fputs("</tr></thead>\n<tbody>\n", out);
  for (size_t i = 0; i < page->data->count; i++) {
    fputs("<tr>", out);
    for (size_t c = 0; c < count; c++)
      write_field(out, &page->data->records[i], columns[c]);
    fputs("</tr>\n", out);
  }
  fputs("</tbody>\n</table>\n</div>\n", out);
}

static void write_constants(const struct page *page, const bool *shown) {
  char number[64];
  const char *between = "<p class=\"soft\">The same in every row: ";
  for (size_t f = 0; f < record_field_count; f++) {
    const char *text = record_text(&page->data->records[0], &record_fields[f], number, sizeof number);
    if (shown[f] || text[0] == '\0') continue;
    fprintf(page->out, "%s<code>%s</code> ", between, record_fields[f].name);
    html_text(page->out, "%s", text);
    between = ", ";
  }
  if (between[0] == ',') fputs(".</p>\n", page->out);
}

void html_results(const struct page *page) {
  fputs("<section aria-labelledby=\"results\">\n<h2 id=\"results\">All results</h2>\n", page->out);
  if (page->data->count == 0) {
    fputs("<p>There are no rows.</p>\n</section>\n", page->out);
    return;
  }
  const struct record_field **columns = xcalloc(record_field_count, sizeof *columns);
  bool *shown = xcalloc(record_field_count, sizeof *shown);
  size_t count = choose_columns(page->data, columns, shown);
  write_rows(page, columns, count);
  write_constants(page, shown);
  free(columns);
  free(shown);
  fputs("</section>\n", page->out);
}

static void write_pairs(FILE *out, const struct run_pairs *pairs, const char *caption) {
  if (pairs->count == 0) return;
  html_scroll(out, caption);
  fprintf(out, "<table class=\"pairs\">\n<caption>%s</caption>\n<tbody>\n", caption);
  for (size_t i = 0; i < pairs->count; i++) {
    fputs("<tr><th scope=\"row\">", out);
    escape_xml(out, pairs->items[i].name);
    fputs("</th><td>", out);
    escape_xml(out, pairs->items[i].value);
    fputs("</td></tr>\n", out);
  }
  fputs("</tbody>\n</table>\n</div>\n", out);
}

void html_environment(const struct page *page) {
  fputs("<section aria-labelledby=\"environment\">\n<h2 id=\"environment\">Environment</h2>\n", page->out);
  if (page->data->environment.count == 0) fputs("<p>Not recorded.</p>\n", page->out);
  write_pairs(page->out, &page->data->environment, "What ran where");
  write_pairs(page->out, &page->data->tags, "Tags");
  fputs("</section>\n", page->out);
}

void html_method(const struct page *page) {
  fputs(
      "<section aria-labelledby=\"method\">\n<h2 id=\"method\">Method</h2>\n<dl>\n"
      "<dt>Time</dt><dd>The device's clock around each single launch, with the caches emptied before it (cold). The "
      "figure is the median. Outliers are counted and kept. Nothing is subtracted: the floor is what an iteration "
      "that does nothing takes, and it is part of every time.</dd>\n"
      "<dt>Order</dt><dd>All variants of a case take turns in many short rounds, in random order, so that a change of "
      "clock or temperature meets all of them alike.</dd>\n"
      "<dt>Speedup</dt><dd>The baseline's time divided by the variant's, from pairs of the same round: above 1 is "
      "faster. The brackets hold the 95% interval. It speaks for this run's conditions, not for another day or "
      "machine.</dd>\n"
      "<dt>Words</dt><dd><i>Same</i>: the interval lies within 0.5% of 1. <i>Faster</i> and <i>slower</i>: the 99% "
      "interval excludes 1 and the difference is at least 0.5%. <i>Undecided</i>: neither. The star marks the fastest "
      "of a case when it is so beyond the intervals; where they touch nobody gets it.</dd>\n"
      "<dt>Ceiling</dt><dd>What this machine reached in this run: the lower of its arithmetic rate and of its copy "
      "rate times the work's operations per byte. A speedup depends on how good the baseline is; the share of the "
      "ceiling does not.</dd>\n"
      "<dt>Correct</dt><dd>Every variant's output is compared with a float64 reference on the same inputs, before the "
      "first and after the last timed launch. The error is relative to the norm of the expectation. A wrong variant "
      "gets no speedup.</dd>\n</dl>\n</section>\n",
      page->out);
}

static int results_text(const struct run_data *data, char **text, struct err *err) {
  size_t size = 0;
  FILE *memory = open_memstream(text, &size);
  if (memory == NULL) return err_set(err, EXIT_FAILED, "cannot write the report: out of memory");
  int result = csv_write_header(memory, err);
  for (size_t i = 0; i < data->count && result == 0; i++)
    result = csv_write_record(memory, &data->records[i], err);
  return fclose(memory) == 0 ? result : -1;
}

int html_data(const struct page *page, struct err *err) {
  char *text = NULL;
  int result = results_text(page->data, &text, err);
  fputs("<section aria-labelledby=\"data\">\n<h2 id=\"data\">Data</h2>\n", page->out);
  if (page->data->dir != NULL)
    fputs(
        "<p>In the run directory: <a href=\"results.csv\">results.csv</a> and <a href=\"run.ini\">run.ini</a>. "
        "<code>results.csv</code> is also here:</p>\n",
        page->out);
  fputs("<details><summary>results.csv as text</summary>\n", page->out);
  html_scroll(page->out, "results.csv as text");
  fputs("<pre>", page->out);
  escape_xml(page->out, text);
  fputs("</pre>\n</div>\n</details>\n</section>\n", page->out);
  free(text);
  return result;
}

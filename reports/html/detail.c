/* Writes all columns of each row of a bench, in several tables (time, speedup, distribution and so on), each narrow
 * enough for a page. Columns of results.csv that are in none of these tables are written in a last one. */
#include "html/page.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/services/note.h"
#include "summary/marks.h"
#include "summary/row.h"

enum column_kind {
  COLUMN_TIME,
  COLUMN_TIME_HALF,
  COLUMN_PERCENTAGE,
  COLUMN_NUMBER,
  COLUMN_RATIO,
  COLUMN_COUNT,
  COLUMN_BYTES,
  COLUMN_BYTES_REAL,
  COLUMN_FAULT,
  COLUMN_WORDS
};

struct column {
  const char *head;
  enum column_kind kind;
  size_t at, lo, hi; /* offsets in struct record; `lo` and `hi` are the ends of the interval, 0 if there is none */
};

struct column_table {
  const char *title;
  const struct column *columns;
  size_t count;
  bool skips; /* true if the table also shows rows that were skipped or not run */
};

enum { COLUMN_ENERGY = 4, COLUMN_TABLES = 9 };

/* The columns of each table. */

#define AT(name) offsetof(struct record, name)

static const struct column time_columns[] = {
    {"median, raw", COLUMN_TIME, AT(median_raw_ns), AT(ci95_lo_ns), AT(ci95_hi_ns)},
    {"less the launch overhead", COLUMN_TIME, AT(median_ns), AT(median_lo_ns), AT(median_hi_ns)},
    {"launch overhead", COLUMN_TIME_HALF, AT(launch_overhead_ns), AT(launch_overhead_unc_ns), 0},
    {"samples", COLUMN_COUNT, AT(samples), 0, 0},
    {"rounds", COLUMN_COUNT, AT(rounds), 0, 0},
    {"n_eff", COLUMN_NUMBER, AT(n_eff), 0, 0},
    {"restarts", COLUMN_COUNT, AT(restarts), 0, 0},
    {"restart std dev", COLUMN_PERCENTAGE, AT(restart_sd), 0, 0},
    {"cooldown", COLUMN_NUMBER, AT(cooldown), 0, 0},
    {"discarded samples", COLUMN_COUNT, AT(discarded_samples), 0, 0},
    {"stopped by", COLUMN_WORDS, AT(stop_reason), 0, 0},
    {"requested \xC2\xB1", COLUMN_PERCENTAGE, AT(precision), 0, 0},
};

static const struct column speedup_columns[] = {
    {"speedup", COLUMN_RATIO, AT(speedup), AT(speedup_lo), AT(speedup_hi)},
    {"99% interval", COLUMN_RATIO, AT(speedup), AT(speedup_lo99), AT(speedup_hi99)},
    {"p", COLUMN_NUMBER, AT(speedup_p), 0, 0},
    {"verdict", COLUMN_WORDS, AT(verdict), 0, 0},
    {"fastest", COLUMN_COUNT, AT(fastest), 0, 0},
    {"baseline", COLUMN_WORDS, AT(baseline), 0, 0},
    {"speedup less the launch overhead", COLUMN_RATIO, AT(speedup_corrected), AT(speedup_corrected_lo),
     AT(speedup_corrected_hi)},
    {"its 99% interval", COLUMN_RATIO, AT(speedup_corrected), AT(speedup_corrected_lo99), AT(speedup_corrected_hi99)},
};

static const struct column percentile_columns[] = {
    {"smallest", COLUMN_TIME, AT(min_ns), 0, 0},
    {"5%", COLUMN_TIME, AT(p05_ns), 0, 0},
    {"25%", COLUMN_TIME, AT(p25_ns), 0, 0},
    {"75%", COLUMN_TIME, AT(p75_ns), 0, 0},
    {"95%", COLUMN_TIME, AT(p95_ns), AT(p95_lo_ns), AT(p95_hi_ns)},
    {"99%", COLUMN_TIME, AT(p99_ns), AT(p99_lo_ns), AT(p99_hi_ns)},
    {"99.9%", COLUMN_TIME, AT(p999_ns), AT(p999_lo_ns), AT(p999_hi_ns)},
    {"largest", COLUMN_TIME, AT(max_ns), 0, 0},
};

static const struct column spread_columns[] = {
    {"mean", COLUMN_TIME, AT(mean_ns), 0, 0},       {"std dev", COLUMN_TIME, AT(stddev_ns), 0, 0},
    {"MAD", COLUMN_TIME, AT(mad_ns), 0, 0},         {"cv", COLUMN_PERCENTAGE, AT(cv), 0, 0},
    {"skew", COLUMN_NUMBER, AT(skew), 0, 0},        {"drift", COLUMN_PERCENTAGE, AT(drift), 0, 0},
    {"outliers", COLUMN_COUNT, AT(outliers), 0, 0}, {"far outliers", COLUMN_COUNT, AT(outliers_far), 0, 0},
    {"clock step", COLUMN_TIME, AT(tick_ns), 0, 0},
};

static const struct column work_columns[] = {
    {"kernels", COLUMN_COUNT, AT(kernels), 0, 0},
    {"TFLOP/s", COLUMN_NUMBER, AT(tflops), 0, 0},
    {"GB/s", COLUMN_NUMBER, AT(gb_per_s), 0, 0},
    {"of the ceiling", COLUMN_PERCENTAGE, AT(ceiling_share), 0, 0},
    {"times the ceiling", COLUMN_NUMBER, AT(above_ceiling), 0, 0},
    {"FLOP/B", COLUMN_NUMBER, AT(intensity), 0, 0},
    {"bound by", COLUMN_WORDS, AT(bound), 0, 0},
    {"math", COLUMN_WORDS, AT(math), 0, 0},
    {"workspace", COLUMN_BYTES, AT(extra_mem_bytes), 0, 0},
    {"peak memory", COLUMN_BYTES, AT(peak_mem_bytes), 0, 0},
    {"leak per call", COLUMN_BYTES_REAL, AT(leak_bytes_per_call), 0, 0},
};

static const struct column check_columns[] = {
    {"error", COLUMN_FAULT, AT(verify_error), 0, 0},
    {"allowed", COLUMN_FAULT, AT(verify_tolerance), 0, 0},
    {"outputs compared", COLUMN_COUNT, AT(verify_elements), 0, 0},
    {"of all outputs", COLUMN_PERCENTAGE, AT(verify_share), 0, 0},
    {"few verified", COLUMN_COUNT, AT(few_verified), 0, 0},
    {"prepared from inputs", COLUMN_COUNT, AT(derived), 0, 0},
    {"not in the time", COLUMN_TIME, AT(untimed_ns), 0, 0},
    {"unverified work", COLUMN_WORDS, AT(unverified_work), 0, 0},
    {"unproven", COLUMN_WORDS, AT(unproven), 0, 0},
    {"speedup alone", COLUMN_NUMBER, AT(speedup_alone), 0, 0},
    {"pairs alone", COLUMN_COUNT, AT(alone_pairs), 0, 0},
    {"slots verified", COLUMN_COUNT, AT(verified_slots), 0, 0},
    {"reuse could save", COLUMN_PERCENTAGE, AT(reuse_limit), 0, 0},
    {"on new inputs", COLUMN_TIME_HALF, AT(fresh_ns), AT(fresh_unc_ns), 0},
    {"in a batch, outside", COLUMN_TIME_HALF, AT(outside_ns), AT(outside_slack_ns), 0},
};

static const struct column machine_columns[] = {
    {"clock, MHz", COLUMN_NUMBER, AT(sm_clock_mhz), 0, 0},
    {"highest temperature, C", COLUMN_NUMBER, AT(temperature_c), 0, 0},
    {"highest power, W", COLUMN_NUMBER, AT(power_w), 0, 0},
    {"rounds throttled", COLUMN_PERCENTAGE, AT(throttled_share), 0, 0},
    {"conditions", COLUMN_WORDS, AT(conditions), 0, 0},
    {"device shared", COLUMN_COUNT, AT(contended), 0, 0},
    {"prepare and first call, s", COLUMN_NUMBER, AT(prepare_s), 0, 0},
    {"the same in later processes, s", COLUMN_NUMBER, AT(prepare_warm_s), 0, 0},
    {"setup, s", COLUMN_NUMBER, AT(setup_s), 0, 0},
    {"sampling, s", COLUMN_NUMBER, AT(sampling_s), 0, 0},
    {"verifying, s", COLUMN_NUMBER, AT(verify_s), 0, 0},
};

static const struct column note_columns[] = {
    {"how", COLUMN_WORDS, AT(notes), 0, 0},
    {"message", COLUMN_WORDS, AT(message), 0, 0},
};

static const struct column energy_columns[] = {
    {"J per iteration", COLUMN_NUMBER, AT(energy_j), 0, 0},
    {"net J", COLUMN_NUMBER, AT(energy_net_j), 0, 0},
    {"\xC2\xB1", COLUMN_PERCENTAGE, AT(energy_unc), 0, 0},
    {"power, W", COLUMN_NUMBER, AT(energy_power_w), 0, 0},
    {"idle, W", COLUMN_NUMBER, AT(idle_w), 0, 0},
    {"TFLOP/J", COLUMN_NUMBER, AT(tflop_per_j), 0, 0},
    {"GB/J", COLUMN_NUMBER, AT(gb_per_j), 0, 0},
    {"J per item", COLUMN_NUMBER, AT(j_per_item), 0, 0},
    {"readings differ by", COLUMN_PERCENTAGE, AT(energy_disagreement), 0, 0},
    {"method", COLUMN_WORDS, AT(energy_method), 0, 0},
    {"faults", COLUMN_WORDS, AT(energy_fault), 0, 0},
};

/* Members of struct record that the page shows elsewhere: in headings, in the case, in the environment. */
static const size_t elsewhere[] = {
    AT(schema),  AT(run_id),   AT(timestamp_utc), AT(host),           AT(devices),       AT(device_name), AT(driver),
    AT(plugin),  AT(provider), AT(bench),         AT(contract),       AT(case_key),      AT(preset),      AT(axes),
    AT(variant), AT(backend),  AT(mode),          AT(status),         AT(epochs),        AT(flops),       AT(bytes),
    AT(items),   AT(seed),     AT(quick),         AT(plugin_version), AT(plugin_sha256), AT(yardstick),   AT(isolated),
};

#define TABLE(title, columns, skips) \
  { title, columns, sizeof(columns) / sizeof *(columns), skips }

static const struct column_table column_tables[COLUMN_TABLES] = {
    TABLE("Time", time_columns, false),
    TABLE("Speedup", speedup_columns, false),
    TABLE("Percentiles", percentile_columns, false),
    TABLE("Spread", spread_columns, false),
    [COLUMN_ENERGY] = TABLE("Energy", energy_columns, false),
    TABLE("Work and memory", work_columns, false),
    TABLE("Verification", check_columns, false),
    TABLE("Machine", machine_columns, false),
    TABLE("Notes and messages", note_columns, true),
};

static double real_column_at(const struct record *row, size_t offset) {
  return *(const double *)(const void *)((const char *)row + offset);
}

static int64_t whole_at(const struct record *row, size_t offset) {
  return *(const int64_t *)(const void *)((const char *)row + offset);
}

static const char *text_column_at(const struct record *row, size_t offset) {
  return text_or_empty(*(char *const *)(const void *)((const char *)row + offset));
}

static void time_cell(const struct column *column, const struct record *row, const struct number_unit *unit, char *to,
                      size_t size) {
  const struct number value = number_significant(real_column_at(row, column->at) / unit->ns, 4);
  snprintf(to, size, "%s", value.text);
  if (column->lo == 0 || value.text[0] == '\0') return;
  const struct number lo =
      number_significant(real_column_at(row, column->lo) / unit->ns, column->kind == COLUMN_TIME_HALF ? 2 : 4);
  if (column->kind == COLUMN_TIME_HALF) {
    if (lo.text[0] != '\0') snprintf(to, size, "%s \xC2\xB1%s", value.text, lo.text);
    return;
  }
  const struct number hi = number_significant(real_column_at(row, column->hi) / unit->ns, 4);
  if (lo.text[0] != '\0' && hi.text[0] != '\0') snprintf(to, size, "%s [%s,\xC2\xA0%s]", value.text, lo.text, hi.text);
}

static void ratio_cell(const struct column *column, const struct record *row, char *to, size_t size) {
  double like = real_column_at(row, column->at);
  const struct number value = number_ratio(like, like);
  const struct number lo = number_ratio(real_column_at(row, column->lo), like);
  if (value.text[0] == '\0' || lo.text[0] == '\0')
    snprintf(to, size, "%s", value.text);
  else
    snprintf(to, size, "%s [%s,\xC2\xA0%s]", value.text, lo.text,
             number_ratio(real_column_at(row, column->hi), like).text);
}

static void bytes_cell(double value, char *to, size_t size) {
  to[0] = '\0';
  if (value == 0) snprintf(to, size, "0");
  if (value > 0) text_bytes(to, size, value);
}

/* Writes notes, which are "k=v;k=v" with percent-encoding, as "k: v; k: v". */
static void notes_cell(const char *notes, char *to, size_t size) {
  char key[ID_SIZE], text[TEXT_SIZE];
  while (note_next(&notes, key, sizeof key, text, sizeof text))
    phrase_add(to, size, "; ", "%s: %s", key, text);
}

/* Writes a column's text for a row. A row that is not ok has no figures, even if the file has some. */
static void column_text(const struct column *column, const struct record *row, const struct number_unit *unit, char *to,
                        size_t size) {
  to[0] = '\0';
  if (row_status_of(row) != ROW_OK && column->kind != COLUMN_WORDS && column->kind != COLUMN_FAULT) return;
  switch (column->kind) {
    case COLUMN_TIME:
    case COLUMN_TIME_HALF:
      time_cell(column, row, unit, to, size);
      break;
    case COLUMN_RATIO:
      ratio_cell(column, row, to, size);
      break;
    case COLUMN_PERCENTAGE:
      if (!isnan(real_column_at(row, column->at)))
        snprintf(to, size, "%s%%", number_significant(100 * real_column_at(row, column->at), 3).text);
      break;
    case COLUMN_NUMBER:
      text_copy(to, size, number_significant(real_column_at(row, column->at), 4).text);
      break;
    case COLUMN_FAULT:
      text_copy(to, size, number_error(real_column_at(row, column->at)).text);
      break;
    case COLUMN_COUNT:
      if (whole_at(row, column->at) >= 0) snprintf(to, size, "%lld", (long long)whole_at(row, column->at));
      break;
    case COLUMN_BYTES:
      bytes_cell((double)whole_at(row, column->at), to, size);
      break;
    case COLUMN_BYTES_REAL:
      bytes_cell(real_column_at(row, column->at), to, size);
      break;
    case COLUMN_WORDS:
      if (column->at == AT(notes))
        notes_cell(text_column_at(row, column->at), to, size);
      else
        snprintf(to, size, "%s", text_column_at(row, column->at));
      break;
  }
}

static bool column_is_time(const struct column *column) {
  return column->kind == COLUMN_TIME || column->kind == COLUMN_TIME_HALF;
}

bool html_detail_has(size_t offset) {
  for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++)
    if (elsewhere[i] == offset) return true;
  for (size_t t = 0; t < COLUMN_TABLES; t++)
    for (size_t i = 0; i < column_tables[t].count; i++) {
      const struct column *column = &column_tables[t].columns[i];
      if (column->at == offset || (column->lo != 0 && (column->lo == offset || column->hi == offset))) return true;
    }
  return false;
}

enum {
  SAME_MIN = 4,  /* number of rows; a table with fewer rows keeps columns whose values are all equal, instead of
                    replacing them by a sentence */
  LONG_MIN = 40, /* texts of at least this many characters wrap */
};

struct detail {
  const struct page *page;
  size_t index;
  const struct run_bench *bench;
  struct number_unit unit;
  const struct column_table *table;
  bool marks;  /* for the first table: true if some row has a mark or a status other than ok */
  bool status; /* for the other tables: true if some row in them has a status other than ok */
};

/* Returns true if the table shows the row. Rows that were not run have nothing but a reason, which only one table
 * shows. */
static bool is_shown(const struct column_table *table, const struct record *row) {
  const enum row_status status = row_status_of(row);
  return table->skips || (status != ROW_SKIPPED && status != ROW_NOT_RUN);
}

enum column_use { USE_EMPTY, USE_SAME, USE_VARIES };

/* Writes a column's text for a row. The column `bound` is written in the words of bound_words(), which also uses the
 * bytes that the variant's dataflow graph states. */
static void detail_text(const struct detail *detail, const struct column *column, const struct record *row, char *to,
                        size_t size) {
  if (column->at == offsetof(struct record, bound))
    snprintf(to, size, "%s", bound_words(detail->page->data, row));
  else
    column_text(column, row, &detail->unit, to, size);
}

/* Returns how a column is used: it is empty; or it has the same text in all rows that are ok, which is then written
 * only once; or its texts differ. */
static enum column_use use_of(const struct detail *detail, const struct column *column, char *same, size_t size) {
  char text[MSG_SIZE];
  size_t ok = 0;
  enum column_use use = USE_EMPTY;
  same[0] = '\0';
  for (struct bench_walk at = {.bench = detail->bench}; use != USE_VARIES && bench_walk(&at);) {
    bool counts = row_status_of(at.row) == ROW_OK;
    if (!is_shown(detail->table, at.row)) continue;
    detail_text(detail, column, at.row, text, sizeof text);
    if (counts && ok++ == 0)
      snprintf(same, size, "%s", text);
    else if (text[0] != '\0' || counts)
      use = strcmp(text, same) == 0 ? use : USE_VARIES;
  }
  if (use == USE_VARIES) return use;
  return same[0] == '\0' ? USE_EMPTY : ok >= SAME_MIN ? USE_SAME : USE_VARIES;
}

/* Writes a heading, which shows the column's name and description on hover. */
static void write_column_head(const struct detail *detail, const struct column *column) {
  FILE *out = detail->page->out;
  fputs(column->kind == COLUMN_WORDS ? "<th scope=\"col\" class=\"t\" title=\"" : "<th scope=\"col\" title=\"", out);
  for (size_t i = 0; i < record_field_count; i++)
    if (record_fields[i].offset == column->at) xml_print(out, "%s: %s", record_fields[i].name, record_fields[i].doc);
  fputs("\">", out);
  xml_print(out, "%s%s%s</th>", column->head, column_is_time(column) ? ", " : "",
            column_is_time(column) ? detail->unit.name : "");
}

static void write_mark_cell(const struct detail *detail, const struct run_case *point, const struct record *row) {
  FILE *out = detail->page->out;
  char text[TEXT_SIZE] = "";
  fputs("<td class=\"t\">", out);
  if (detail->marks) marks_text(marks_of(detail->page->data, point, row), text, sizeof text);
  if (row_status_of(row) == ROW_OK)
    fputs(text, out);
  else
    html_status(out, row_status_of(row));
  fputs("</td>", out);
}

static bool any_marks(const struct page *page, const struct run_bench *bench) {
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);)
    if (row_status_of(at.row) != ROW_OK || marks_of(page->data, at.point, at.row) != 0) return true;
  return false;
}

static bool any_status(const struct column_table *table, const struct run_bench *bench) {
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);)
    if (row_status_of(at.row) != ROW_OK && is_shown(table, at.row)) return true;
  return false;
}

/* Writes a cell. Texts and intervals may wrap; numbers may not. */
static void write_detail_cell(FILE *out, const struct column *column, const char *text) {
  if (column->kind == COLUMN_WORDS && strlen(text) < LONG_MIN)
    html_words(out, text);
  else if (column->kind == COLUMN_WORDS)
    html_put(out, "<td class=\"t long\">", text, "</td>");
  else if (strchr(text, '[') != NULL)
    html_put(out, "<td class=\"w\">", text, "</td>");
  else
    html_cell(out, text);
}

static void write_detail_row(const struct detail *detail, const struct run_case *point, const struct record *row,
                             const struct column *const *columns, size_t count) {
  FILE *out = detail->page->out;
  char text[MSG_SIZE];
  bool any = !detail->table->skips;
  if (!is_shown(detail->table, row)) return;
  for (size_t i = 0; i < count && !any; i++) {
    detail_text(detail, columns[i], row, text, sizeof text);
    any = text[0] != '\0';
  }
  if (!any) return;
  html_row(out, bench_case_label(detail->bench, point, false).text);
  html_cell(out, row->variant);
  if (detail->marks || detail->status) write_mark_cell(detail, point, row);
  for (size_t i = 0; i < count; i++) {
    detail_text(detail, columns[i], row, text, sizeof text);
    write_detail_cell(out, columns[i], text);
  }
  fputs("</tr>\n", out);
}

static void write_detail_table(const struct detail *detail, const struct column *const *columns, size_t count) {
  FILE *out = detail->page->out;
  char region[KEY_SIZE + 64];
  snprintf(region, sizeof region, "%s: %s", html_bench_name(detail->page, detail->index).text, detail->table->title);
  html_table_begin(out, "all", region, detail->table->title);
  html_head(out, "case");
  html_head_words(out, "variant");
  if (detail->marks || detail->status) html_head_words(out, detail->marks ? "marks" : "status");
  for (size_t i = 0; i < count; i++)
    write_column_head(detail, columns[i]);
  html_table_rows(out);
  for (struct bench_walk at = {.bench = detail->bench}; bench_walk(&at);)
    write_detail_row(detail, at.point, at.row, columns, count);
  html_table_close(out);
}

static void write_same(const struct detail *detail, const struct column *const *columns, size_t count) {
  FILE *out = detail->page->out;
  char text[MSG_SIZE];
  if (count == 0) return;
  fputs("<p class=\"minor\">The same in every row: ", out);
  for (size_t i = 0; i < count; i++) {
    use_of(detail, columns[i], text, sizeof text);
    xml_print(out, "%s%s %s%s%s", i != 0 ? "; " : "", columns[i]->head, text, column_is_time(columns[i]) ? " " : "",
              column_is_time(columns[i]) ? detail->unit.name : "");
  }
  fputs(".</p>\n", out);
}

static void write_column_table(const struct page *page, size_t index, const struct column_table *table) {
  const struct run_bench *bench = &page->benches[index].bench;
  const bool first = table == column_tables;
  const struct detail detail = {.page = page,
                                .index = index,
                                .bench = bench,
                                .unit = page->benches[index].unit,
                                .table = table,
                                .marks = first && any_marks(page, bench),
                                .status = !first && any_status(table, bench)};
  char text[MSG_SIZE];
  SCOPED const struct column **varying = xcalloc(table->count, sizeof *varying),
                             **same = xcalloc(table->count, sizeof *same);
  size_t varying_count = 0, same_count = 0;
  for (size_t i = 0; i < table->count; i++) {
    enum column_use use = use_of(&detail, &table->columns[i], text, sizeof text);
    if (use == USE_VARIES) varying[varying_count++] = &table->columns[i];
    if (use == USE_SAME) same[same_count++] = &table->columns[i];
  }
  if (varying_count != 0) write_detail_table(&detail, varying, varying_count);
  write_same(&detail, same, same_count);
}

static void write_other_columns(const struct page *page, size_t index) {
  static const enum column_kind kinds[] = {
      [RECORD_TEXT] = COLUMN_WORDS, [RECORD_REAL] = COLUMN_NUMBER, [RECORD_WHOLE] = COLUMN_COUNT};
  SCOPED struct column *others = xcalloc(record_field_count, sizeof *others);
  size_t count = 0;
  for (size_t i = 0; i < record_field_count; i++)
    if (!html_detail_has(record_fields[i].offset))
      others[count++] =
          (struct column){record_fields[i].name, kinds[record_fields[i].kind], record_fields[i].offset, 0, 0};
  write_column_table(page, index, &(struct column_table){"Other", others, count, true});
}

void html_detail(const struct page *page, size_t index) {
  for (size_t i = 0; i < COLUMN_TABLES; i++) {
    write_column_table(page, index, &column_tables[i]);
    if (i == COLUMN_ENERGY) html_energy_trust(page, index);
  }
  write_other_columns(page, index);
}

/* Prints tables on the terminal: devices, joules, metrics, and the table of a bench. A table chooses its columns once;
 * each row then fills those that exist. */
#include "terminal/terminal.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/grid.h"
#include "base/number.h"
#include "base/text.h"
#include "summary/bench.h"
#include "summary/devices.h"
#include "summary/extras.h"
#include "summary/foreign.h"
#include "summary/summary.h"
#include "terminal/lines.h"

static void add_device(struct grid *grid, const struct device_outlier *device, const size_t *columns) {
  grid_row(grid);
  grid_set(grid, columns[0], GRID_PLAIN, "%s", device->label);
  if (strcmp(device->label, device->id) != 0) grid_set(grid, columns[1], GRID_FAINT, "%s", device->id);
  if (!isnan(device->speed)) {
    grid_set(grid, columns[2 + DEVICE_RATES], GRID_PLAIN, "%sx", number_significant(device->speed, 3).text);
  }
  for (size_t i = 0; i < DEVICE_RATES; i++) {
    if (isnan(device->rates[i])) continue;
    grid_set(grid, columns[2 + i], device->outliers[i] ? GRID_ORANGE : GRID_PLAIN, "%s",
             number_significant(device->rates[i], 4).text);
  }
}

static void print_sentences(const struct device_outliers *outliers, FILE *out, bool color, bool utf8) {
  for (size_t i = 0; i < outliers->sentences.count; i++) {
    table_label(out, utf8, outliers->named ? "odd one out" : "devices");
    table_text(out, outliers->alike ? GRID_PLAIN : GRID_ORANGE, color, utf8, outliers->sentences.items[i]);
    fputc('\n', out);
  }
}

/* Prints the rates that each of several devices reaches, and which device differs from the others; nothing for a single
 * device. */
static void table_devices(const struct run_data *data, FILE *out, int width, bool color, bool utf8) {
  struct device_outliers outliers;
  struct grid grid = {0};
  size_t columns[3 + DEVICE_RATES] = {0};
  device_outliers_find(data, &outliers);
  if (outliers.count == 0) return;
  grid_row(&grid);
  columns[0] = columns_add(&grid, GRID_LEFT, 0, "device");
  columns[1] = columns_add(&grid, GRID_LEFT, 1, "");
  if (outliers.has_speed) columns[2 + DEVICE_RATES] = columns_add(&grid, GRID_POINT, 0, "speed vs median");
  for (size_t i = 0; i < DEVICE_RATES; i++) {
    char head[64];
    snprintf(head, sizeof head, "%s %s", device_rate_name(i), device_rate_unit(i));
    if (outliers.known[i]) columns[2 + i] = columns_add(&grid, GRID_POINT, 0, head);
  }
  for (size_t i = 0; i < outliers.count; i++)
    add_device(&grid, &outliers.devices[i], columns);
  grid_print(&grid, out, (size_t)width, color, utf8);
  print_sentences(&outliers, out, color, utf8);
  fputc('\n', out);
  device_outliers_free(&outliers);
}

/* ---- Joules below a bench's table, or why there are none; and whether the energy counter can be trusted ---- */

static void add_figure(char *to, size_t size, double value, const char *unit) {
  const struct number text = number_significant(value, 4);
  if (text.text[0] != '\0') phrase_add(to, size, ", ", "%s %s", text.text, unit);
}

/* Writes the energy figures of a row: "1.302 J +-0.1%, 1.142 J net, 650 W, 0.98 TFLOP/J". */
static void figures_of(const struct record *row, char *to, size_t size) {
  to[0] = '\0';
  add_figure(to, size, row->energy_j, "J");
  const struct number unc = number_percent(row->energy_unc);
  if (unc.text[0] != '\0') phrase_add(to, size, "", " +-%s%%", unc.text);
  add_figure(to, size, row->energy_net_j, "J net");
  add_figure(to, size, row->energy_power_w, "W");
  add_figure(to, size, row->tflop_per_j, "TFLOP/J");
  add_figure(to, size, row->gb_per_j, "GB/J");
  add_figure(to, size, row->j_per_item, "J per item");
}

static void print_joules(const struct run_bench *bench, const struct run_case *point, size_t variant, FILE *out,
                         bool utf8) {
  const struct record *row = point->rows[variant];
  const char *fault = text_or_empty(row->energy_fault);
  char text[TEXT_SIZE * 2];
  fputs("  ", out);
  if (bench->case_count > 1) table_say(out, utf8, "%s ", bench_case_label(bench, point, false).text);
  figures_of(row, text, sizeof text);
  table_say(out, utf8, "%s: %s%s%s\n", bench->variants[variant], text, text[0] != '\0' && fault[0] != '\0' ? "; " : "",
            fault);
}

/* If joules were asked for, but the row has none and its column `energy_fault` is empty, returns the column
 * `energy_method`, which then says why. Otherwise returns NULL. */
static const char *why_none(const struct record *row) {
  return energy_asked(row) && !isfinite(row->energy_j) && text_or_empty(row->energy_fault)[0] == '\0'
             ? text_or_empty(row->energy_method)
             : NULL;
}

void table_energy(const struct run_data *data, const struct run_bench *bench, FILE *out, bool utf8) {
  const struct record *known = NULL;
  const char *why = NULL;
  size_t lines = 0;
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);) {
    if (!energy_asked(at.row)) continue;
    if (why_none(at.row) != NULL) {
      why = why_none(at.row);
      continue;
    }
    if (lines++ == 0) fputs("energy\n", out);
    if (energy_known(at.row)) known = at.row;
    print_joules(bench, at.point, at.variant, out, utf8);
  }
  if (why != NULL) table_say(out, utf8, "%s%s\n", lines > 0 ? "  " : "energy ", why);
  if (known != NULL) {
    char text[TEXT_SIZE];
    const struct energy_verdict verdict = energy_verdict(data, known);
    energy_verdict_text(&verdict, text, sizeof text);
    fprintf(out, "  %s\n", text);
  }
  if (lines > 0 || why != NULL) fputc('\n', out);
}

/* ---- Metrics below a bench's table: at least one line for each row that has any ---- */

struct line {
  FILE *out;
  size_t indent, used, width;
};

/* Adds an item to the line, or begins a new line if it does not fit. */
static void put_line_item(struct line *line, const char *text, bool last) {
  size_t length = strlen(text) + !last;
  if (line->used > line->indent && line->used + 1 + length > line->width) {
    fprintf(line->out, "\n%*s", (int)line->indent, "");
    line->used = line->indent;
  }
  fprintf(line->out, "%s%s%s", line->used > line->indent ? " " : "", text, last ? "" : ",");
  line->used += length + (line->used > line->indent);
}

static void metric_text(const struct metrics_figure *figure, bool utf8, char *to, size_t size) {
  static const char *const arrows[] = {"", " \xE2\x86\x91", " \xE2\x86\x93"};
  const char *unit = metrics_unit(figure->desc);
  const struct number lo = number_significant(figure->epochs > 1 ? figure->lo : figure->sd, 3);
  snprintf(to, size, "%s %s", figure->desc->name, number_significant(figure->value, 4).text);
  if (figure->epochs > 1)
    phrase_add(to, size, " ", "[%s, %s]", lo.text, number_significant(figure->hi, 3).text);
  else if (figure->n > 1 && figure->sd > 0)
    phrase_add(to, size, " ", "(std dev %s)", lo.text);
  if (unit[0] != '\0') phrase_add(to, size, " ", "%s", unit);
  if (utf8 && figure->desc->better < BETTER_COUNT) phrase_add(to, size, "", "%s", arrows[figure->desc->better]);
}

static void print_metrics_row(const struct run_data *data, const struct run_bench *bench, const struct run_case *point,
                              const struct record *row, struct line *line, bool utf8) {
  struct metrics_figure figure, next;
  char text[TEXT_SIZE * 2], name[KEY_SIZE + TEXT_SIZE];
  size_t at = 0;
  if (!metrics_next(data, row, &at, &figure)) return;
  snprintf(name, sizeof name, "  %s%s%.200s:", bench->case_count > 1 ? bench_case_label(bench, point, false).text : "",
           bench->case_count > 1 ? " " : "", text_or_empty(row->variant));
  escape_terminal(name, utf8);
  fputs(name, line->out);
  line->used = strlen(name);
  for (bool more = true; more; figure = next) {
    more = metrics_next(data, row, &at, &next);
    metric_text(&figure, utf8, text, sizeof text);
    escape_terminal(text, utf8);
    put_line_item(line, text, !more);
  }
  fputc('\n', line->out);
}

void table_metrics(const struct run_data *data, const struct run_bench *bench, FILE *out, size_t width, bool utf8) {
  struct line line = {out, 6, 0, width};
  bool any = false;
  if (data->extras.count == 0) return;
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);) {
    const struct extras_series *series = extras_of(data, at.row);
    if (series == NULL || series->metric_count == 0) continue;
    if (!any) fputs("metrics\n", out);
    any = true;
    print_metrics_row(data, bench, at.point, at.row, &line, utf8);
  }
  if (any) fputc('\n', out);
}

enum { TAILS = 5 };

struct columns { /* the number of each column in the grid; 0: the table lacks this column */
  size_t label, axis[GRID_COLUMNS_MAX], variant, time, half, rate, ceiling, extra, tails[TAILS];
  size_t left, left_half, left_ratio, left_interval; /* columns of figures without the launch overhead */
  struct columns_ratio speedup, against;
};

struct table {
  const struct run_data *data;
  const struct run_bench *bench;
  struct grid grid;
  struct columns at;
  struct number_unit unit;
  bool utf8, brief;    /* brief: one line for each case */
  bool launch_limited; /* true if the launch overhead is a large part of the time in some row */
  bool against;        /* true if any run was compared with a baseline run */
};

static bool has_ceiling(const struct record *row) {
  return row_timed(row) && !isnan(row->ceiling_share);
}

static bool has_extra(const struct record *row) {
  return row_timed(row) && row->extra_mem_bytes > 0;
}

/* Returns true if the axis is needed to distinguish cases that have the same label. */
static bool is_needed(const struct run_bench *bench, size_t axis) {
  for (size_t i = 0; i + 1 < bench->case_count; i++)
    for (size_t j = i + 1; j < bench->case_count; j++) {
      const struct run_case *a = &bench->cases[i], *b = &bench->cases[j];
      if (strcmp(text_or_empty(a->preset), text_or_empty(b->preset)) != 0) continue;
      if (strcmp(text_or_empty(pairs_get(&a->axes, bench->axes[axis])),
                 text_or_empty(pairs_get(&b->axes, bench->axes[axis]))) != 0)
        return true;
      break; /* compares each case only with the next one of the same label */
    }
  return false;
}

static void axis_columns(struct table *table) {
  const struct run_bench *bench = table->bench;
  if (bench->has_presets) table->at.label = columns_add(&table->grid, GRID_LEFT, 0, "case");
  for (size_t i = 0; i < bench->axis_count && i < GRID_COLUMNS_MAX; i++)
    if (bench->varies[i] && table->grid.columns + 12 < GRID_COLUMNS_MAX)
      table->at.axis[i] = columns_add(&table->grid, GRID_RIGHT, is_needed(bench, i) ? 0 : 5, bench->axes[i]);
}

/* Adds columns for timings of single calls: percentiles, MAD and drift. */
static void tail_columns(struct table *table) {
  static const char *const heads[TAILS] = {"P95", "P99", "P99.9", "MAD", "drift%"};
  static const int drops[TAILS] = {0, 1, 2, 3, 5};
  for (size_t i = 0; i < TAILS; i++)
    table->at.tails[i] = columns_add(&table->grid, GRID_POINT, drops[i], heads[i]);
}

/* Adds the columns of the speedup. The column of the verdict is the last one, behind the ratio and its interval. */
static void speedup_columns(struct table *table) {
  struct grid *grid = &table->grid;
  if (!table->launch_limited) {
    table->at.speedup = columns_add_ratio(grid, "speedup", 2);
    return;
  }
  table->at.speedup.ratio = columns_add(grid, GRID_POINT, 0, "speedup");
  table->at.speedup.interval = columns_add(grid, GRID_LEFT, 4, "[95%]");
  table->at.left_ratio = columns_add(grid, GRID_POINT, 0, "-launch");
  table->at.left_interval = columns_add(grid, GRID_LEFT, 2, "[95%]");
  table->at.speedup.word = columns_add(grid, GRID_SENTENCE, 0, "");
}

/* Adds the columns of the rate. If the table is too wide, the rate is left out before the interval of the speedup. In a
 * table that also has times without the launch overhead, the rate is left out last, because it says more than those
 * times. */
static void rate_columns(struct table *table) {
  const struct run_bench *bench = table->bench;
  if (bench->rate != RATE_NONE)
    table->at.rate = columns_add(&table->grid, GRID_POINT, table->launch_limited ? 1 : 3, bench->rate_unit.name);
  if (bench_find(bench, has_ceiling) != NULL) table->at.ceiling = columns_add(&table->grid, GRID_POINT, 4, "ceil%");
  if (bench_find(bench, has_extra) != NULL) table->at.extra = columns_add(&table->grid, GRID_RIGHT, 6, "extra");
}

static void add_bench_columns(struct table *table) {
  const struct run_bench *bench = table->bench;
  struct grid *grid = &table->grid;
  grid_row(grid);
  axis_columns(table);
  table->at.variant = columns_add(grid, GRID_LEFT, 0, table->brief ? "fastest" : "variant");
  table->at.time = columns_add(grid, GRID_POINT, 0, table->unit.name);
  table->at.half = columns_add(grid, GRID_POINT, 0, "+-%");
  if (table->launch_limited) {
    table->at.left = columns_add(grid, GRID_POINT, 3, "-launch");
    table->at.left_half = columns_add(grid, GRID_POINT, 4, "+-%");
  }
  if (bench_is_latency(bench))
    tail_columns(table);
  else
    rate_columns(table);
  if (bench->baseline != NULL) speedup_columns(table);
  if (bench->foreign_count != 0 && table->at.speedup.word == 0)
    table->at.speedup.word = columns_add(grid, GRID_SENTENCE, 0, "");
  if (table->against) table->at.against = against_table_columns(grid, table->data);
}

static void set_case(struct table *table, const struct run_case *point) {
  grid_set(&table->grid, table->at.label, GRID_PLAIN, "%s", text_or_empty(point->preset));
  for (size_t i = 0; i < table->bench->axis_count && i < GRID_COLUMNS_MAX; i++)
    grid_set(&table->grid, table->at.axis[i], GRID_PLAIN, "%s",
             text_or_empty(pairs_get(&point->axes, table->bench->axes[i])));
}

static void set_number(struct table *table, size_t column, enum grid_style style, const char *text) {
  if (text[0] != '\0') grid_set(&table->grid, column, style, "%s", text);
}

static void set_speedup(struct table *table, const struct run_case *point, const struct record *row) {
  if (table->at.speedup.ratio == 0) return;
  if (baseline_is(point, row)) {
    grid_set(&table->grid, table->at.speedup.ratio, GRID_FAINT, "1x");
    grid_set(&table->grid, table->at.speedup.word, GRID_FAINT, "baseline");
    return;
  }
  if (row_is_yardstick(row)) grid_set(&table->grid, table->at.speedup.word, GRID_FAINT, "yardstick");
  if (isnan(row->speedup)) return;
  struct verdict_look look = verdict_look(row_verdict(row), table->utf8);
  columns_set_ratio(&table->grid, &table->at.speedup, look.style, row->speedup, row->speedup_lo, row->speedup_hi);
  const char *against = baseline_beside(table->bench, row);
  /* lost: true if set_left() shows question marks in place of figures; the row's message is then left out */
  const bool lost = isnan(row->median_ns) && gap_parse(row_verdict(row)) == GAP_LAUNCH;
  const bool says = row->message != NULL && !lost;
  grid_set(&table->grid, table->at.speedup.word, look.style, "%s%s%s%s%s%s", look.glyph, look.word,
           against ? " vs " : "", text_or_empty(against), says ? ", " : "", says ? row->message : "");
}

/* Sets the figures without the launch overhead. A figure that is not known well enough is shown as a question mark. */
static void set_left(struct table *table, const struct run_case *point, const struct record *row) {
  const bool known = !isnan(row->median_ns);
  grid_set(&table->grid, table->at.left, GRID_PLAIN, "%s",
           known                     ? number_significant(row->median_ns / table->unit.ns, 4).text
           : row_launch_limited(row) ? "?"
                                     : "");
  set_number(table, table->at.left_half, GRID_PLAIN,
             number_half_width(row->median_ns, row->median_lo_ns, row->median_hi_ns).text);
  if (table->at.left_ratio == 0 || baseline_is(point, row) || isnan(row->speedup)) return;
  if (!(row->speedup_corrected > 0)) {
    grid_set(&table->grid, table->at.left_ratio, GRID_PLAIN, "?");
    return;
  }
  const struct columns_ratio at = {table->at.left_ratio, table->at.left_interval, 0};
  columns_set_ratio(&table->grid, &at, verdict_look(row_verdict(row), table->utf8).style, row->speedup_corrected,
                    row->speedup_corrected_lo, row->speedup_corrected_hi);
}

static void set_tails(struct table *table, const struct record *row) {
  const double tails[TAILS] = {row->p95_ns / table->unit.ns, row->p99_ns / table->unit.ns,
                               row->p999_ns / table->unit.ns, row->mad_ns / table->unit.ns, 100 * row->drift};
  for (size_t i = 0; i < TAILS; i++) {
    set_number(table, table->at.tails[i], GRID_PLAIN, number_significant(tails[i], i < 3 ? 4 : 2).text);
  }
}

static void set_figures(struct table *table, const struct run_case *point, const struct record *row) {
  struct number text = number_significant(row->median_raw_ns / table->unit.ns, 4);
  set_number(table, table->at.time, row == point->winner ? GRID_BOLD : GRID_PLAIN, text.text);
  text = number_half_width(row->median_raw_ns, row->ci95_lo_ns, row->ci95_hi_ns);
  set_number(table, table->at.half, GRID_PLAIN, text.text);
  if (table->launch_limited) set_left(table, point, row);
  text = number_significant(row_rate(table->bench->rate, row) * table->bench->rate_unit.per, 3);
  set_number(table, table->at.rate, GRID_PLAIN, text.text);
  text = number_percent(row->ceiling_share);
  set_number(table, table->at.ceiling, GRID_PLAIN, text.text);
  set_tails(table, row);
  if (row->extra_mem_bytes > 0) {
    text_bytes(text.text, sizeof text.text, (double)row->extra_mem_bytes);
    set_number(table, table->at.extra, GRID_PLAIN, text.text);
  }
  set_speedup(table, point, row);
  if (table->against) against_table_cells(&table->grid, &table->at.against, table->data, row, table->utf8);
}

/* Fills the cells of the times in a row that has none, with its status and message. `of` is the variant's name if the
 * table has no column for it. */
static void set_untimed(struct table *table, const struct record *row, const char *of) {
  const enum row_status status = row_status_of(row);
  const bool failed = row_status_failed(status);
  const char *message = text_or_empty(row->message);
  if (status == ROW_OK) {
    grid_set(&table->grid, table->at.time, GRID_PLAIN,
             row_is_yardstick(row) ? "\tyardstick, not timed" : "\tcorrect, not timed");
    return;
  }
  grid_set(&table->grid, table->at.time, failed ? GRID_ORANGE : GRID_FAINT, "\t%s%s%s%s%s%s",
           failed ? (table->utf8 ? "\xE2\x9C\x97 " : "x ") : "", of, of[0] != '\0' ? " " : "", row_status_words(status),
           message[0] != '\0' ? ": " : "", message);
}

static void set_row(struct table *table, const struct run_case *point, const struct record *row) {
  assert(row != NULL);
  const char *guest = row_guest(row);
  grid_set(&table->grid, table->at.variant, row == point->winner ? GRID_BOLD : GRID_PLAIN, "%s%s%s%s",
           text_or_empty(row->variant), guest != NULL ? " (" : "", text_or_empty(guest), guest != NULL ? ")" : "");
  if (row_timed(row))
    set_figures(table, point, row);
  else
    set_untimed(table, row, "");
}

/* Adds a row of another program: its figures and their ratio to the baseline, without a verdict. */
static void set_foreign(struct table *table, const struct run_case *point, size_t column) {
  const struct foreign_row *row = foreign_at(point, column);
  if (row == NULL) return;
  grid_row(&table->grid);
  grid_set(&table->grid, table->at.variant, GRID_FAINT, "%s", row->variant);
  struct number text = number_significant(row->median_ns / table->unit.ns, 4);
  set_number(table, table->at.time, GRID_FAINT, text.text);
  text = number_half_width(row->median_ns, row->lo_ns, row->hi_ns);
  set_number(table, table->at.half, GRID_FAINT, text.text);
  text =
      number_significant(foreign_rate(table->bench->rate, table->bench, point, row) * table->bench->rate_unit.per, 3);
  set_number(table, table->at.rate, GRID_FAINT, text.text);
  const double ratio = foreign_ratio(point, row);
  text = number_ratio(ratio, ratio);
  grid_set(&table->grid, table->at.speedup.ratio != 0 ? table->at.speedup.ratio : table->at.speedup.word, GRID_FAINT,
           "\t%s%snot interleaved, %stimed by %s", text.text, text.text[0] != '\0' ? "x, " : "",
           foreign_is_mixed(point, row) ? "mixed math, " : "", row->source);
}

/* Fills the line of a case in a brief table (one line for each case). It shows the fastest variant, or the reason if no
 * variant was timed, and after that the first failure. */
static void set_brief(struct table *table, const struct run_case *point) {
  const struct record *best = NULL, *failed = NULL, *other = NULL;
  for (size_t i = 0; i < table->bench->variant_count; i++) {
    const struct record *row = point->rows[i];
    if (row == NULL) continue;
    if (row_contends(row) && (best == NULL || row->median_raw_ns < best->median_raw_ns)) best = row;
    if (failed == NULL && row_status_failed(row_status_of(row))) failed = row;
    if (other == NULL) other = row;
  }
  if (best == NULL) {
    const struct record *row = failed != NULL ? failed : other;
    assert(row != NULL); /* holds, because every case has a row */
    set_untimed(table, row, text_or_empty(row->variant));
    return;
  }
  set_row(table, point, best);
  if (failed == NULL) return;
  size_t column = table->at.speedup.word != 0 ? table->at.speedup.word : table->at.half;
  grid_set(&table->grid, column, GRID_ORANGE, "%s %s", text_or_empty(failed->variant),
           row_status_words(row_status_of(failed)));
}

static void add_case_rows(struct table *table, const struct run_case *point) {
  bool first = true;
  for (size_t i = 0; i < table->bench->variant_count; i++) {
    if (point->rows[i] == NULL) continue;
    if (first || !table->brief) grid_row(&table->grid);
    if (first) set_case(table, point);
    if (first && table->brief) set_brief(table, point);
    if (!table->brief) set_row(table, point, point->rows[i]);
    first = false;
  }
  for (size_t i = 0; i < table->bench->foreign_count && !table->brief; i++)
    set_foreign(table, point, i);
}

void table_rows(const struct run_data *data, const struct run_bench *bench, const struct table_look *look, FILE *out) {
  struct table table = {.data = data,
                        .bench = bench,
                        .utf8 = look->utf8,
                        .brief = look->brief,
                        .launch_limited = bench_find(bench, row_launch_limited) != NULL,
                        .against = against_any(data),
                        .unit = bench_time_unit(bench)};
  add_bench_columns(&table);
  for (size_t i = 0; i < bench->case_count; i++)
    add_case_rows(&table, &bench->cases[i]);
  grid_print(&table.grid, out, look->width, look->color, look->utf8);
}

static void print_bench_table(const struct run_data *data, const struct run_bench *bench, const struct table_look *look,
                              FILE *out) {
  table_rows(data, bench, look, out);
  table_no_baseline(bench, out, look->utf8);
  if (bench_find(bench, row_launch_limited) != NULL) table_overhead(bench, out, look->utf8);
  table_marks(data, bench, out, look->utf8);
  fputc('\n', out);
  if (!look->brief) table_metrics(data, bench, out, look->width, look->utf8);
  if (!look->brief) table_energy(data, bench, out, look->utf8);
}

void table_print(const struct run_data *data, FILE *out, int width, bool color, bool utf8) {
  struct run_summary summary;
  summary_build(data, &summary);
  const struct table_look look = {(size_t)(width < 40 ? 40 : width), color, utf8, summary.rows > TABLE_ROWS_MAX};
  for (size_t i = 0; i < summary.bench_count; i++) {
    if (summary.benches[i].yardstick) continue;
    table_heading(data, &summary, &summary.benches[i], out, color, utf8);
    print_bench_table(data, &summary.benches[i], &look, out);
  }
  table_devices(data, out, width < 40 ? 40 : width, color, utf8);
  against_table_lines(data, out, utf8);
  table_summary(data, &summary, out, utf8);
  summary_free(&summary);
}

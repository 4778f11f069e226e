/* Prints plain lines without tables, for the edit loop (a user edits a kernel and measures again) and for scripts.
 * Readers know the columns from the tables, so headings are not printed. */
#include "terminal/terminal.h"

#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "record/against.h"
#include "summary/bench.h"
#include "summary/summary.h"
#include "terminal/lines.h"

/* ---- The edit loop: a table for each bench, and one line about verification, baseline run and machine ---- */

/* Adds the result of the comparison with a baseline run: "20261123T001358Z-attention: None of 2 slower by more than 2%;
 * 2 same." */
static void add_base(char *to, size_t size, const struct against *against) {
  if (against == NULL) return;
  const size_t *outcomes = against->outcomes;
  phrase_add(to, size, " ", "%s: %s", against_fact(against, "run_id"), against_fact(against, "sentence"));
  if (against_fact(against, "same_files")[0] != '\0') phrase_add(to, size, " ", "The same plugin files.");
  if (outcomes[AGAINST_ONLY_HERE] != 0) phrase_add(to, size, " ", "%zu only here.", outcomes[AGAINST_ONLY_HERE]);
}

/* Adds what is wrong with the machine (the text of "conditions" up to the details in brackets); nothing if it is ok. */
static void add_conditions(char *to, size_t size, const struct run_data *data) {
  const char *conditions = run_data_get(data, "conditions");
  if (conditions == NULL || strncmp(conditions, "ok", 2) == 0) return;
  size_t length = strcspn(conditions, "(");
  while (length > 0 && conditions[length - 1] == ' ')
    length--;
  phrase_add(to, size, " ", "Conditions: %.*s.", (int)length, conditions);
}

void edit_print(const struct run_data *data, FILE *out, int width, bool color, bool utf8) {
  struct run_summary summary;
  char text[2 * MSG_SIZE] = "";
  summary_build(data, &summary);
  const struct table_look look = {(size_t)(width < 40 ? 40 : width), color, utf8, summary.rows > TABLE_ROWS_MAX};
  for (size_t i = 0; i < summary.bench_count; i++) {
    if (summary.benches[i].yardstick) continue;
    table_heading(data, &summary, &summary.benches[i], out, color, utf8);
    table_rows(data, &summary.benches[i], &look, out);
    table_metrics(data, &summary.benches[i], out, look.width, utf8);
    table_energy(data, &summary.benches[i], out, utf8);
  }
  for (size_t i = 0; i < data->run_count; i++)
    add_base(text, sizeof text, data->runs[i].against);
  phrase_add(text, sizeof text, " ", "%zu of %zu verified.", summary.verified, summary.checked);
  add_conditions(text, sizeof text, data);
  for (size_t i = 0; i < data->notes.count; i++)
    phrase_add(text, sizeof text, " ", "%s", data->notes.items[i]);
  table_line(out, utf8, "quick", text);
  summary_free(&summary);
}

static void add_time(char *to, size_t size, const struct record *row) {
  phrase_add(to, size, " ", "%s", number_time_within("+-", row->median_raw_ns, row->ci95_lo_ns, row->ci95_hi_ns).text);
  if (row_launch_limited(row)) phrase_add(to, size, ", ", "less the launch overhead %s", row_left(row, "+-").text);
}

static void add_speedup(char *to, size_t size, const struct run_case *point, const struct record *row) {
  if (isnan(row->speedup) || baseline_is(point, row)) return;
  phrase_add(to, size, "; ", "%sx %s %s", number_ratio(row->speedup, row->speedup).text, text_or_empty(row->baseline),
             number_interval(row->speedup_lo, row->speedup_hi, row->speedup).text);
  if (row_launch_limited(row)) phrase_add(to, size, ", ", "less the launch overhead %s", row_left_ratio(row).text);
  const char *verdict = row_verdict(row);
  phrase_add(to, size, row_launch_limited(row) ? ", " : " ", "%s", verdict_look(verdict, false).word);
  /* if there is no verdict, the line already has the reason */
  if (row->contended > 0 && stats_verdict_parse(verdict) != VERDICT_NONE)
    phrase_add(to, size, ", ", "%s", gap_name(GAP_CONTENDED));
}

static void add_against(char *to, size_t size, const struct run_data *data, const struct record *record) {
  const struct against_row *row = against_row_of(data, record);
  if (row == NULL || row->outcome != AGAINST_BOTH) return;
  const struct number ratio = against_ratio(row), interval = against_interval(row);
  const struct text word = against_word(against_of(data, record), row);
  phrase_add(to, size, "; ", "%s %s %s %s", against_head(data).text, ratio.text, interval.text,
             word.text[0] != '\0' ? word.text : gap_name(row->gap));
}

static void print_plain_row(const struct run_data *data, const struct run_case *point, const struct record *row,
                            FILE *out, bool utf8) {
  const enum row_status status = row_status_of(row);
  const char *message = text_or_empty(row->message);
  char text[KEY_SIZE + MSG_SIZE] = "";
  if (!row_timed(row) && !row_status_failed(status)) return;
  phrase_add(text, sizeof text, "", "%s %s", text_or_empty(row->case_key), text_or_empty(row->variant));
  if (row_timed(row)) {
    add_time(text, sizeof text, row);
    add_speedup(text, sizeof text, point, row);
    add_against(text, sizeof text, data, row);
  } else {
    phrase_add(text, sizeof text, " ", "%s", row_status_words(status));
  }
  if (message[0] != '\0') phrase_add(text, sizeof text, ": ", "%s", message);
  table_say(out, utf8, "%s\n", text);
}

static void print_plain_bench(const struct run_data *data, const struct run_bench *bench, FILE *out, bool utf8) {
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);)
    if (!row_is_yardstick(at.row)) print_plain_row(data, at.point, at.row, out, utf8);
}

void plain_print(const struct run_data *data, FILE *out, bool utf8) {
  struct run_summary summary;
  summary_build(data, &summary);
  for (size_t i = 0; i < summary.bench_count; i++)
    if (!summary.benches[i].yardstick) print_plain_bench(data, &summary.benches[i], out, utf8);
  against_sentences(data, out, utf8);
  summary_free(&summary);
}

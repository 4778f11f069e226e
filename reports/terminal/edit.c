/* An edit's lines: a bench's heading and columns, its rows, and what they must not be read without. */
#include "terminal/edit.h"

#include <string.h>

#include "base/phrase.h"
#include "record/against.h"
#include "summary/summary.h"
#include "terminal/lines.h"
#include "terminal/tables.h"

/* "20261123T001358Z-attention: None of 2 slower by more than 2%; 2 same." */
static void add_against(char *to, size_t size, const struct against *against) {
  if (against == NULL) return;
  const size_t *fates = against->fates;
  phrase_add(to, size, " ", "%s: %s", against_fact(against, "run_id"), against_fact(against, "sentence"));
  if (against_fact(against, "same_files")[0] != '\0') phrase_add(to, size, " ", "The same plugin files.");
  if (fates[AGAINST_ONLY_HERE] != 0) phrase_add(to, size, " ", "%zu only here.", fates[AGAINST_ONLY_HERE]);
}

/* Its faults; what the machine is like otherwise stands in brackets behind them. */
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
    add_against(text, sizeof text, data->runs[i].against);
  phrase_add(text, sizeof text, " ", "%zu of %zu verified.", summary.verified, summary.checked);
  add_conditions(text, sizeof text, data);
  for (size_t i = 0; i < data->notes.count; i++)
    phrase_add(text, sizeof text, " ", "%s", data->notes.items[i]);
  table_line(out, utf8, "quick", text);
  summary_free(&summary);
}

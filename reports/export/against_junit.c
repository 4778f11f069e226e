/* A comparison as a suite of JUnit XML: its verdict is a case, and so is each row that has to be judged. */
#include <stdlib.h>

#include "base/escape.h"
#include "base/memory.h"
#include "compare/against.h"
#include "compare/against_words.h"
#include "export/against_files.h"
#include "record/csv.h"

enum outcome { PASSED, FAILED, BROKEN, SKIPPED };

/* What was not judged is an error, unless that was allowed; that there was nothing is one in any case. */
static enum outcome outcome_of_all(const struct against *against) {
  switch (against_verdict(against)) {
    case AGAINST_CLEAR:
      return PASSED;
    case AGAINST_PARTLY:
    case AGAINST_UNJUDGED:
      return against_fact(against, "allowed")[0] != '\0' ? SKIPPED : BROKEN;
    case AGAINST_NOTHING:
      return BROKEN;
    case AGAINST_SLOWER:
    case AGAINST_INCORRECT:
    case AGAINST_VERDICTS:
      break;
  }
  return FAILED;
}

static enum outcome outcome_of(const struct against_row *row) {
  if (row->fate == AGAINST_LOST || (row->beyond && row->word == VERDICT_SLOWER)) return FAILED;
  return row->gap != GAP_NONE ? SKIPPED : PASSED;
}

static bool is_case(const struct against_row *row) {
  return row->fate == AGAINST_BOTH || row->fate == AGAINST_LOST || row->gap != GAP_NONE;
}

static void add(struct junit_count *count, enum outcome outcome) {
  count->tests++;
  count->failures += outcome == FAILED;
  count->errors += outcome == BROKEN;
  count->skipped += outcome == SKIPPED;
}

void against_junit_count(const struct against *against, struct junit_count *count) {
  add(count, outcome_of_all(against));
  for (size_t i = 0; i < against->count; i++)
    if (is_case(&against->rows[i])) add(count, outcome_of(&against->rows[i]));
}

static void attribute(FILE *out, const char *name, const char *value) {
  fprintf(out, " %s=\"", name);
  escape_xml(out, value);
  fputc('"', out);
}

static void write_case(FILE *out, const char *name, enum outcome outcome, const char *type, const char *text) {
  static const char *const elements[] = {[FAILED] = "failure", [BROKEN] = "error", [SKIPPED] = "skipped"};
  fputs("    <testcase classname=\"comparison\"", out);
  attribute(out, "name", name);
  fputs(" time=\"0.000\">\n", out);
  if (outcome != PASSED) {
    fprintf(out, "      <%s", elements[outcome]);
    attribute(out, "type", type);
    attribute(out, "message", text);
    fputs("/>\n", out);
  }
  fputs("      <system-out>", out);
  escape_xml(out, text);
  fputs("</system-out>\n    </testcase>\n", out);
}

static void write_row(const struct against *against, const struct against_row *row, FILE *out) {
  char ratio[80], interval[160], word[80];
  against_ratio_text(row, ratio, sizeof ratio);
  against_interval_text(row, interval, sizeof interval);
  against_word_text(against, row, word, sizeof word);
  const char *gap = gap_name(row->gap);
  char *name = memory_print("%s/%s/%s", row->case_key, row->variant, row->mode);
  char *text = memory_print("%s%s%s%s%s%s%s%s", ratio, interval[0] != '\0' ? " " : "", interval,
                            ratio[0] != '\0' ? ": " : "", word, word[0] != '\0' && gap[0] != '\0' ? ", " : "", gap,
                            row->fate == AGAINST_BOTH ? "" : row->note);
  write_case(out, name, outcome_of(row),
             row->fate == AGAINST_LOST ? "no longer correct"
             : row->beyond             ? "slower"
                                       : "not judged",
             text);
  free(name);
  free(text);
}

void against_junit(const struct against *against, const char *name, FILE *out) {
  struct junit_count count = {0};
  against_junit_count(against, &count);
  char *title = memory_print("%s%sagainst %s", name, name[0] != '\0' ? " " : "", against_fact(against, "run_id"));
  fputs("  <testsuite", out);
  attribute(out, "name", title);
  fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"0.000\">\n", count.tests,
          count.failures, count.errors, count.skipped);
  fputs("    <properties>\n      <property name=\"verdict\"", out);
  attribute(out, "value", against_verdict_name(against_verdict(against)));
  fputs("/>\n    </properties>\n", out);
  write_case(out, "verdict", outcome_of_all(against), against_verdict_name(against_verdict(against)),
             against_fact(against, "sentence"));
  for (size_t i = 0; i < against->count; i++)
    if (is_case(&against->rows[i])) write_row(against, &against->rows[i], out);
  fputs("  </testsuite>\n", out);
  free(title);
}

int compare_junit_write(const struct compare *compare, FILE *out, struct err *err) {
  struct against **all = xcalloc(compare->run_count, sizeof *all);
  struct junit_count count = {0};
  for (size_t i = 0; i < compare->run_count; i++) {
    all[i] = against_make(compare, i, compare->base_label);
    against_junit_count(all[i], &count);
  }
  fprintf(out,
          "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gpubench compare\" tests=\"%zu\" "
          "failures=\"%zu\" errors=\"%zu\" time=\"0.000\">\n",
          count.tests, count.failures, count.errors);
  for (size_t i = 0; i < compare->run_count; i++) {
    against_junit(all[i], compare->run_count > 1 ? compare->runs[i].label : "", out);
    against_free(all[i]);
  }
  fputs("</testsuites>\n", out);
  free(all);
  return csv_finish(out, "the JUnit XML", err);
}

/* A comparison as a suite: its verdict is a test, and so is each row that has to be judged. */
#include <stdlib.h>

#include "base/memory.h"
#include "compare/against.h"
#include "export/tests.h"

/* What was not judged breaks, unless that was allowed; that there was nothing does in any case. */
static enum test_outcome outcome_of_all(const struct against *against) {
  switch (against_verdict(against)) {
    case AGAINST_CLEAR:
      return TEST_PASSED;
    case AGAINST_PARTLY:
    case AGAINST_UNJUDGED:
      return against_fact(against, "allowed")[0] != '\0' ? TEST_SKIPPED : TEST_BROKEN;
    case AGAINST_NOTHING:
      return TEST_BROKEN;
    case AGAINST_SLOWER:
    case AGAINST_INCORRECT:
    case AGAINST_VERDICTS:
      break;
  }
  return TEST_FAILED;
}

static enum test_outcome outcome_of(const struct against_row *row) {
  if (row->fate == AGAINST_LOST || (row->beyond && row->word == VERDICT_SLOWER)) return TEST_FAILED;
  return row->gap != GAP_NONE ? TEST_SKIPPED : TEST_PASSED;
}

static bool is_test(const struct against_row *row) {
  return row->fate == AGAINST_BOTH || row->fate == AGAINST_LOST || row->gap != GAP_NONE;
}

/* Takes the text. */
static void add(struct test_suite *suite, const char *name, enum test_outcome outcome, const char *type, char *text) {
  struct test *test = tests_add(suite, "comparison", name);
  test->outcome = outcome;
  test->type = type;
  test->message = xstrdup(text);
  test->text = text;
}

static void add_row(struct test_suite *suite, const struct against *against, const struct against_row *row) {
  const struct number ratio = against_ratio(row), interval = against_interval(row);
  char word[80];
  against_word_text(against, row, word, sizeof word);
  const char *gap = gap_name(row->gap);
  SCOPED char *name = memory_print("%s/%s/%s", row->case_key, row->variant, row->mode);
  char *text = memory_print("%s%s%s%s%s%s%s%s", ratio.text, interval.text[0] != '\0' ? " " : "", interval.text,
                            ratio.text[0] != '\0' ? ": " : "", word, word[0] != '\0' && gap[0] != '\0' ? ", " : "", gap,
                            row->fate == AGAINST_BOTH ? "" : row->note);
  add(suite, name, outcome_of(row),
      row->fate == AGAINST_LOST ? "no longer correct"
      : row->beyond             ? "slower"
                                : "not judged",
      text);
}

void tests_add_against(struct test_suites *suites, const struct against *against, const char *name) {
  const char *verdict = against_verdict_name(against_verdict(against));
  SCOPED char *title =
      memory_print("%s%sagainst %s", name, name[0] != '\0' ? " " : "", against_fact(against, "run_id"));
  struct test_suite *suite = tests_add_suite(suites, title);
  pairs_add_text(&suite->properties, "verdict", verdict);
  add(suite, "verdict", outcome_of_all(against), verdict, xstrdup(against_fact(against, "sentence")));
  for (size_t i = 0; i < against->count; i++)
    if (is_test(&against->rows[i])) add_row(suite, against, &against->rows[i]);
}

void tests_of_comparison(const struct compare *compare, struct test_suites *suites) {
  *suites = (struct test_suites){0};
  for (size_t i = 0; i < compare->run_count; i++) {
    struct against *against = against_make(compare, i, compare->base_label);
    tests_add_against(suites, against, compare->run_count > 1 ? compare->runs[i].label : "");
    against_free(against);
  }
}

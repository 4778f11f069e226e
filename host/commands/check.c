/* Prints what `gpubench check` found: a line for each broken rule, and one for all others that have the same outcome
 * and reason. Or writes a JUnit file in which each rule is a test case. */
#include "commands/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grid.h"
#include "base/memory.h"
#include "base/output.h"
#include "check/check.h"
#include "export/tests.h"

struct counts {
  size_t of[OUTCOMES];
};

static struct counts count_outcomes(const struct findings *f) {
  struct counts counts = {0};
  for (enum rule rule = RULE_NONE + 1; rule < RULE_COUNT; rule++)
    counts.of[findings_outcome(f, rule)]++;
  return counts;
}

static bool is_failure(const struct options *options, enum finding_outcome outcome) {
  return outcome == FINDING_FAILED || (options->check.require_all && outcome == FINDING_NOT_CHECKED);
}

/* ---- Printing findings as lines ---- */

static void print_rule(const struct findings *f, enum rule rule, bool all, FILE *out) {
  const struct rule_desc *desc = &rule_table[rule];
  SCOPED char *reason = findings_reason(f, rule);
  fprintf(out, "%-16s%-16s%s  [%s]\n", finding_name(findings_outcome(f, rule)), desc->id, reason, desc->where);
  for (size_t i = 1; all && i < f->rules[rule].failures.count; i++)
    fprintf(out, "%-32s%s\n", "", f->rules[rule].failures.items[i]);
}

/* Returns the reason that is printed for a rule that is not broken. Rules that passed have none. The caller frees it.
 */
static char *shared_reason(const struct findings *f, enum rule rule) {
  return findings_outcome(f, rule) == FINDING_PASSED ? xstrdup("") : findings_reason(f, rule);
}

static bool is_alike(const struct findings *f, enum rule a, enum rule b) {
  if (findings_outcome(f, a) != findings_outcome(f, b)) return false;
  SCOPED char *x = shared_reason(f, a), *y = shared_reason(f, b);
  return strcmp(x, y) == 0;
}

/* Prints a line with the names of all rules that have this outcome and the same reason, for each reason. */
static void print_together(const struct findings *f, enum finding_outcome outcome, FILE *out) {
  bool printed[RULE_COUNT] = {false};
  for (enum rule rule = RULE_NONE + 1; rule < RULE_COUNT; rule++) {
    if (printed[rule] || findings_outcome(f, rule) != outcome) continue;
    fprintf(out, "%-16s", finding_name(outcome));
    for (enum rule other = rule; other < RULE_COUNT; other++) {
      if (printed[other] || !is_alike(f, rule, other)) continue;
      printed[other] = true;
      fprintf(out, "%s%s", other == rule ? "" : ", ", rule_table[other].id);
    }
    SCOPED char *reason = shared_reason(f, rule);
    fprintf(out, "%s%s\n", reason[0] != '\0' ? ": " : "", reason);
  }
}

/* Prints a line for each rule; without -v only for those that are broken, and the others together. */
static void print_rules(const struct options *options, const struct findings *f, FILE *out) {
  const bool each = options->common.verbosity > 0;
  for (enum rule rule = RULE_NONE + 1; rule < RULE_COUNT; rule++)
    if (each || is_failure(options, findings_outcome(f, rule))) print_rule(f, rule, each, out);
  if (each || options->common.quiet) return;
  for (enum finding_outcome outcome = FINDING_FAILED; outcome > FINDING_TRIES; outcome--)
    if (!is_failure(options, outcome)) print_together(f, outcome, out);
}

static void print_cases(const struct options *options, const struct findings *f, FILE *out) {
  for (size_t i = 0; i < f->cases.count; i++)
    fprintf(out, "%s%s", i == 0 ? "looked at " : ", ", f->cases.items[i]);
  const bool chosen = options->cli.presets.count + options->cli.cases.count + options->cli.axes.count > 0;
  const bool each = options->common.verbosity > 0;
  if (f->cases.count > 0)
    fprintf(out, "%s%s\n", chosen ? "" : "; --preset, --case or -a choose others",
            chosen || each ? "" : ", -v has a line for each rule");
}

/* Prints the last line, with the counts and the names of the failed rules, because these are easily missed among many
 * lines. */
static void print_check_total(const struct findings *f, FILE *out) {
  const struct counts counts = count_outcomes(f);
  fprintf(out, "%s: %zu passed, %zu failed", f->title, counts.of[FINDING_PASSED], counts.of[FINDING_FAILED]);
  const char *before = " (";
  for (enum rule rule = RULE_NONE + 1; rule < RULE_COUNT; rule++)
    if (findings_outcome(f, rule) == FINDING_FAILED) fprintf(out, "%s%s", before, rule_table[rule].id), before = ", ";
  fprintf(out, "%s, %zu not applicable, %zu not checked\n", counts.of[FINDING_FAILED] > 0 ? ")" : "",
          counts.of[FINDING_NOT_APPLICABLE], counts.of[FINDING_NOT_CHECKED]);
}

/* Prints the findings; only failures with --quiet. */
static void print_check(const struct options *options, const struct check *check) {
  struct memory_text printing;
  FILE *out = memory_text_begin(&printing);
  for (size_t i = 0; i < check->count; i++) {
    const struct findings *f = &check->plugins[i];
    print_rules(options, f, out);
    if (!options->common.quiet) print_cases(options, f, out);
    print_check_total(f, out);
  }
  SCOPED char *text = memory_text_end(&printing);
  wrap_print(stdout, text, output_wrap());
}

/* ---- Writing findings as tests ---- */

static enum test_outcome as_test_outcome(const struct options *options, enum finding_outcome outcome) {
  if (is_failure(options, outcome)) return TEST_FAILED;
  return outcome == FINDING_PASSED ? TEST_PASSED : TEST_SKIPPED;
}

struct job {
  const struct options *options;
  const struct check *check;
};

static int write_check_junit(const void *what, FILE *out, struct err *err) {
  const struct job *job = what;
  struct test_suites suites = {0};
  for (size_t i = 0; i < job->check->count; i++) {
    const struct findings *f = &job->check->plugins[i];
    struct test_suite *suite = tests_add_suite(&suites, f->title);
    for (enum rule rule = RULE_NONE + 1; rule < RULE_COUNT; rule++) {
      const enum finding_outcome outcome = findings_outcome(f, rule);
      struct test *test = tests_add(suite, "rules", rule_table[rule].id);
      test->outcome = as_test_outcome(job->options, outcome);
      test->status = test->type = finding_name(outcome);
      test->message = findings_reason(f, rule);
      test->text = memory_print("%s: %s [%s]", rule_table[rule].id, rule_table[rule].sentence, rule_table[rule].where);
    }
  }
  return tests_write_junit("gpubench check", &suites, out, err);
}

int check_command(const struct options *options, struct err *err) {
  struct check check = {0};
  int code = EXIT_OK;
  int rc = check_plugins(options, &check, err);
  if (rc == 0 && !output_is_stdout(options->outputs.junit)) print_check(options, &check);
  const struct job job = {options, &check};
  if (rc == 0) rc = output_write(options->outputs.junit, write_check_junit, &job, err);
  size_t failures = 0;
  for (size_t i = 0; i < check.count; i++)
    for (enum rule rule = RULE_NONE + 1; rule < RULE_COUNT; rule++)
      failures += is_failure(options, findings_outcome(&check.plugins[i], rule));
  if (failures > 0) code = EXIT_FAILED;
  if (rc == 0 && failures > 0 && options->common.quiet)
    err_set(err, code, "%zu rule%s %s", failures, failures == 1 ? "" : "s",
            options->check.require_all ? "failed or not checked" : "failed");
  check_free(&check);
  return rc == 0 ? code : err->exit_code;
}

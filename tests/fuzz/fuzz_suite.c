/* Parses the input as a suite file (which names the cases to measure) and builds the plan of a run from it. */
#include "../unit/fixture_catalog.h"
#include "fuzz.h"
#include "options/selection.h"
#include "options/suite.h"
#include "plan/build.h"

/* Returns false if the input has ranges or long lists of values: a few bytes make 100,000 cases, which is correct but
 * slow. fuzz_axis.c tests ranges and lists. */
static bool is_small(const uint8_t *data, size_t size) {
  size_t commas = 0;
  for (size_t i = 0; i < size; i++) {
    commas += data[i] == ',';
    if (data[i] == ':') return false;
  }
  return commas <= 12;
}

/* Checks that the key of a case, given as a selection, selects exactly this case. */
static void select_again(const struct catalog *catalog, const struct plan_case *p) {
  struct selection selection;
  struct plan plan = {0};
  struct err err = {0};
  selection_init(&selection, "key");
  strings_add(&selection.cases, p->key);
  MUST(plan_build(catalog, &selection, 1, "cuda", &plan, &err) == 0);
  MUST(plan.count == 1 && strcmp(plan.cases[0].key, p->key) == 0);
  plan_free(&plan);
  selection_free(&selection);
}

static void make_plan(const struct selection *selections, size_t count) {
  static struct fixture *fixture;
  struct plan plan = {0};
  struct err err = {0};
  if (fixture == NULL) fixture = fixture_new();
  if (plan_build(&fixture->catalog, selections, count, "cuda", &plan, &err) != 0)
    fuzz_refused(&err, EXIT_USAGE, EXIT_FAILED);
  else if (plan.count > 0)
    select_again(&fixture->catalog, &plan.cases[plan.count - 1]);
  plan_free(&plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct fuzz_file file = fuzz_file(data, size);
  struct selection *selections = NULL;
  size_t count = 0;
  struct err err = {0};
  if (suite_load(file.path, &selections, &count, &err) != 0) {
    fuzz_refused(&err, EXIT_USAGE, EXIT_USAGE);
    MUST(count == 0);
  } else {
    MUST(count > 0 && err.exit_code == 0);
    if (is_small(data, size)) make_plan(selections, count);
  }
  for (size_t i = 0; i < count; i++)
    selection_free(&selections[i]);
  free(selections);
  close(file.fd);
  return 0;
}

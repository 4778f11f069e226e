/* Tests --fail-on: which of several findings decides the exit code, and that comparing nothing does not pass. */
#include "commands/against.h"

#include "unit.h"

static struct options options_of(char *fail_on, bool allow) {
  return (struct options){.compare = {.fail_on = fail_on, .allow_unjudged = allow}};
}

static void assert_gate(const struct gate *gate, const char *fail_on, bool allow, int code) {
  char copy[16];
  struct err err = {0};
  if (fail_on != NULL) snprintf(copy, sizeof copy, "%s", fail_on);
  const struct options options = options_of(fail_on != NULL ? copy : NULL, allow);
  ASSERT_EQ_INT(gate_judge(gate, &options, &err), code == 0 ? 0 : -1);
  if (err.exit_code != code)
    UNIT_FAIL("--fail-on %s: exit %d, expected %d", fail_on != NULL ? fail_on : "none given", err.exit_code, code);
}

static void all_judged_passes(void) {
  const struct gate gate = {.runs = 1, .threshold = 0.02};
  assert_gate(&gate, NULL, false, EXIT_OK);
  assert_gate(&gate, "none", false, EXIT_OK);
  assert_gate(&gate, "wrong", false, EXIT_OK);
  assert_gate(&gate, "slower", false, EXIT_OK);
}

static void nothing_never_passes(void) {
  const struct gate gate = {.threshold = 0.02};
  assert_gate(&gate, NULL, false, EXIT_OK);
  assert_gate(&gate, "wrong", true, EXIT_UNJUDGED);
  assert_gate(&gate, "slower", true, EXIT_UNJUDGED);
  const struct gate untimed = {.runs = 2, .untimed_runs = 1, .gaps[GAP_UNTIMED] = 3};
  assert_gate(&untimed, "wrong", false, EXIT_OK);
  assert_gate(&untimed, "slower", true, EXIT_UNJUDGED);
  struct gate alone = {.runs = 1};
  gate_add_alone(&alone); /* one run was compared; another one has no run to be compared with */
  assert_gate(&alone, "wrong", true, EXIT_UNJUDGED);
  assert_gate(&alone, "slower", true, EXIT_UNJUDGED);
}

static void every_gap_fails_what_asks_for_times(void) {
  for (enum gap gap = GAP_CONTENDED; gap < GAPS; gap++) {
    struct gate gate = {.runs = 1};
    gate.gaps[gap] = 1;
    assert_gate(&gate, NULL, false, EXIT_OK);
    assert_gate(&gate, "wrong", false, EXIT_OK);
    assert_gate(&gate, "slower", false, EXIT_UNJUDGED);
    assert_gate(&gate, "slower", true, EXIT_OK);
  }
  const struct gate unchecked = {.runs = 1, .unchecked = 1};
  assert_gate(&unchecked, "wrong", false, EXIT_UNJUDGED);
  assert_gate(&unchecked, "wrong", true, EXIT_OK);
}

static void what_is_known_weighs_more(void) {
  const struct gate slower = {.runs = 1, .slower = 1, .gaps[GAP_CONTENDED] = 2};
  assert_gate(&slower, NULL, false, EXIT_OK);
  assert_gate(&slower, "slower", false, EXIT_REGRESSION);
  assert_gate(&slower, "slower", true, EXIT_REGRESSION);
  assert_gate(&slower, "wrong", false, EXIT_OK);
  const struct gate lost = {.runs = 1, .lost = 1, .unchecked = 2};
  assert_gate(&lost, "wrong", true, EXIT_REGRESSION);
  assert_gate(&lost, "slower", true, EXIT_REGRESSION);
  const struct gate apart = {.apart = "'a' and 'b'", .lost = 1};
  assert_gate(&apart, NULL, true, EXIT_USAGE);
}

UNIT_MAIN("gate", UNIT_TEST(all_judged_passes), UNIT_TEST(nothing_never_passes),
          UNIT_TEST(every_gap_fails_what_asks_for_times), UNIT_TEST(what_is_known_weighs_more))

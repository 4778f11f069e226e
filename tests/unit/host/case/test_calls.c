/* Tests how callbacks end. */
#include "case/calls.h"

#include <sys/stat.h>

#include "fixture_case.h"
#include "plugin/process_state.h"

static struct bed bed;
static struct outcome outcome;

/* Runs a callback of variant 2 that reports `message` (NULL: none), misuses a service if asked to, and returns
 * `status`. */
static enum outcome_kind ends(enum phase phase, const char *message, bool misuse, gb_status status) {
  call_begin(bed.c, phase, 2);
  if (message != NULL) gb.host->fail(gb.host, bed.c, status, message);
  if (misuse) gb.point->i64(bed.c, "nowhere");
  call_end(bed.c, status, &outcome);
  return outcome.kind;
}

static void outcomes(void) {
  bed_open(&bed);
  ASSERT_EQ_INT(ends(PHASE_RUN, NULL, false, GB_OK), OUTCOME_OK);
  ASSERT_EQ_STR(outcome.message, "");
  ASSERT_EQ_INT(ends(PHASE_RUN, "all is well", false, GB_OK), OUTCOME_OK);
  ASSERT_EQ_STR(outcome.message, "");
  ASSERT_EQ_INT(ends(PHASE_SUPPORTS, "too large", false, GB_SKIP), OUTCOME_SKIP);
  ASSERT_EQ_STR(outcome.message, "too large");
  ASSERT_EQ_INT(ends(PHASE_PREPARE, "needs more", false, GB_ENOMEM), OUTCOME_NO_MEMORY);
  static const gb_status failures[] = {GB_EINVAL, GB_EDEVICE, GB_ENOTSUP, GB_EFAIL, -99, 77};
  for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++) {
    ASSERT_EQ_INT(ends(PHASE_RUN, "broken", false, failures[i]), OUTCOME_FAIL);
    ASSERT_EQ_STR(outcome.message, "broken");
  }
  bed_close(&bed);
}

static void what_says_nothing_is_a_defect(void) {
  bed_open(&bed);
  ASSERT_EQ_INT(ends(PHASE_RUN, NULL, false, GB_EFAIL), OUTCOME_FAIL);
  ASSERT_EQ_STR(outcome.message, "run returned an error (-5) without a message: a bug in the plugin");
  ASSERT_EQ_INT(ends(PHASE_PREPARE, "", false, GB_ENOMEM), OUTCOME_FAIL);
  ASSERT_EQ_STR(outcome.message, "prepare returned an error (-2) without a message: a bug in the plugin");
  ASSERT_EQ_INT(ends(PHASE_SUPPORTS, NULL, false, GB_SKIP), OUTCOME_FAIL);
  ASSERT_EQ_STR(outcome.message, "supports returned GB_SKIP (1) without a reason: a bug in the plugin");
  ASSERT_EQ_INT(ends(PHASE_SETUP, NULL, false, 77), OUTCOME_FAIL);
  ASSERT_EQ_STR(outcome.message, "setup returned an error (77) without a message: a bug in the plugin");
  bed_close(&bed);
}

static void misuse_fails_whatever_is_returned(void) {
  static const gb_status returned[] = {GB_OK, GB_SKIP, GB_ENOMEM, GB_EFAIL};
  bed_open(&bed);
  for (size_t i = 0; i < sizeof returned / sizeof returned[0]; i++) {
    ASSERT_EQ_INT(ends(PHASE_SUPPORTS, NULL, true, returned[i]), OUTCOME_FAIL);
    ASSERT_EQ_STR(outcome.message, "bench 'test' has no axis 'nowhere'");
  }
  ASSERT_EQ_INT(ends(PHASE_RUN, NULL, false, GB_OK), OUTCOME_OK); /* the next callback starts clean */
  bed_close(&bed);
}

static void the_first_message_wins(void) {
  char text[2000];
  bed_open(&bed);
  call_begin(bed.c, PHASE_RUN, 0);
  gb.host->fail(gb.host, bed.c, GB_EFAIL, "first\x1B");
  gb.host->fail(gb.host, bed.c, GB_EFAIL, "second");
  gb.point->i64(bed.c, "third");
  call_end(bed.c, GB_EFAIL, &outcome);
  ASSERT_EQ_STR(outcome.message, "first?");
  memset(text, 'm', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  ASSERT_EQ_INT(ends(PHASE_RUN, text, false, GB_EFAIL), OUTCOME_FAIL);
  ASSERT_TRUE(strlen(outcome.message) >= 1000 && strlen(outcome.message) < MSG_SIZE);
  bed_close(&bed);
}

static void phases_are_marked(void) {
  bed_open(&bed);
  call_begin(bed.c, PHASE_PREPARE, 5);
  ASSERT_EQ_INT(bed_phase(&bed), PHASE_PREPARE);
  ASSERT_EQ_INT(bed.page.variant, 5);
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_INT(bed_phase(&bed), PHASE_IDLE);
  bed_close(&bed);
}

static gb_status no_before(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)c, (void)vstate;
  return GB_OK;
}

/* Makes a callback of this variant change the umask. Returns the message about the change. */
static const char *finds(const struct variant *variant, enum phase phase) {
  bed.c->finding.harm = PROCESS_STATE_NONE;
  call_begin(bed.c, phase, 2);
  bed.c->variant = variant;
  umask(0);
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_INT(bed.c->finding.harm, PROCESS_STATE_UNDONE);
  return bed.c->finding.text;
}

/* The umask is checked once for `before` and `run` of a call, so the message names both if the variant has a
 * `before`. */
static void what_before_or_run_changed_is_told_of_both(void) {
  const struct variant plain = {0}, both = {.own = {.before = no_before}};
  umask(022);
  bed_open(&bed);
  process_state_take(-1);
  ASSERT_EQ_STR(finds(&plain, PHASE_RUN), "changed the umask to 0000");
  ASSERT_EQ_STR(finds(&both, PHASE_RUN), "changed the umask to 0000 (or before did)");
  ASSERT_EQ_STR(finds(&both, PHASE_PREPARE), "changed the umask to 0000");
  ASSERT_EQ_STR(finds(&both, PHASE_BEFORE), "changed the umask to 0000 (or before did)");
  ASSERT_EQ_STR(finds(&both, PHASE_AFTER), "changed the umask to 0000");
  bed_close(&bed);
}

static bool changed; /* a setting of the device that a callback changed */

static bool put_back(struct device *device, char *text, size_t size) {
  const bool was = changed;
  (void)device;
  changed = false;
  if (was) snprintf(text, size, "changed the limit from 1 to 2 bytes");
  return was;
}

static void what_a_callback_changed_of_the_device_is_found(void) {
  const struct variant variant = {0};
  bed_open(&bed);
  const struct device_ops *own = bed.device->ops;
  struct device_ops ops = *own;
  ops.restore = put_back;
  bed.device->ops = &ops;
  process_state_take(-1);
  for (int i = 0; i < 2; i++) {
    bed.c->finding.harm = PROCESS_STATE_NONE;
    call_begin(bed.c, PHASE_RUN, 2);
    bed.c->variant = &variant;
    changed = i == 0;
    call_end(bed.c, GB_OK, &outcome);
    ASSERT_EQ_INT(bed.c->finding.harm, i == 0 ? PROCESS_STATE_UNDONE : PROCESS_STATE_NONE);
    ASSERT_EQ_STR(bed.c->finding.text, "changed the limit from 1 to 2 bytes");
  }
  bed.c->finding.harm = PROCESS_STATE_NONE;
  changed = true;
  ASSERT_EQ_INT(ends(PHASE_SETUP, NULL, false, GB_OK), OUTCOME_OK); /* a change by the bench is undone */
  ASSERT_TRUE(!changed);
  ASSERT_EQ_INT(bed.c->finding.harm, PROCESS_STATE_NONE);
  bed.device->ops = own;
  bed_close(&bed);
}

static struct phase_mark waited;

static int look_while_waiting(struct device *device, struct err *err) {
  (void)device, (void)err;
  phase_read(&bed.page, &waited);
  return 0;
}

/* Work that a callback left on the device may never end, so waiting for it is charged to that callback. */
static void the_device_is_waited_for_in_the_last_ones_name(void) {
  struct err err = {0};
  bed_open(&bed);
  const struct device_ops *const own = bed.device->ops;
  struct device_ops looks = *own;
  looks.sync = look_while_waiting;
  bed.device->ops = &looks;
  ends(PHASE_PREPARE, NULL, false, GB_OK);
  ASSERT_EQ_INT(bed_phase(&bed), PHASE_IDLE);
  ASSERT_EQ_INT(call_sync(bed.c, &err), 0);
  ASSERT_EQ_INT(waited.phase, PHASE_PREPARE);
  ASSERT_EQ_INT(waited.variant, 2);
  ASSERT_EQ_INT(bed_phase(&bed), PHASE_IDLE);
  call_begin(bed.c, PHASE_RUN, 1);
  ASSERT_EQ_INT(call_sync(bed.c, &err), 0); /* within a callback the phase stays */
  ASSERT_EQ_INT(bed_phase(&bed), PHASE_RUN);
  call_end(bed.c, GB_OK, &outcome);
  bed.device->ops = own;
  bed_close(&bed);
}

UNIT_MAIN("calls", UNIT_TEST(the_device_is_waited_for_in_the_last_ones_name), UNIT_TEST(outcomes),
          UNIT_TEST(what_says_nothing_is_a_defect), UNIT_TEST(misuse_fails_whatever_is_returned),
          UNIT_TEST(the_first_message_wins), UNIT_TEST(phases_are_marked),
          UNIT_TEST(what_before_or_run_changed_is_told_of_both),
          UNIT_TEST(what_a_callback_changed_of_the_device_is_found))

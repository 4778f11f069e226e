#include "exam/watch.h"

#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "case/calls.h"

static struct {
  struct exam *exam;
  bool expects_failure;
  off_t printed; /* where its output had come to */
} watch;

/* How much this process has printed, where that goes into a file. */
static off_t printed(void) {
  struct stat info;
  fflush(stdout);
  fflush(stderr);
  return fstat(STDOUT_FILENO, &info) == 0 && S_ISREG(info.st_mode) ? info.st_size : 0;
}

static void begins(void) {
  watch.printed = printed();
}

static void tell_printed(const char *callback) {
  char text[TEXT_SIZE];
  const off_t end = printed(), length = end - watch.printed;
  if (length <= 0) return;
  const ssize_t got = pread(STDOUT_FILENO, text, sizeof text - 1, watch.printed);
  text[got > 0 ? got : 0] = '\0';
  text[strcspn(text, "\n")] = '\0';
  text_sanitize(text);
  exam_find(watch.exam, RULE_PRINTS, FINDING_FAILED, "%s printed %lld bytes: '%s'", callback, (long long)length, text);
}

/* Of a bench's own; what a variant's end in is known to whoever has entered it. */
static enum rule rule_of(enum phase phase) {
  return phase == PHASE_SETUP       ? RULE_SETUP
         : phase == PHASE_FILL      ? RULE_FILL
         : phase == PHASE_REFERENCE ? RULE_REFERENCE
         : phase == PHASE_TEARDOWN  ? RULE_LIFETIMES
         : phase == PHASE_RELEASE   ? RULE_LIFETIMES
                                    : RULE_NONE;
}

static void ended(const struct gb_case *c, const struct outcome *outcome, const struct process_state_finding *finding) {
  const char *callback = phase_name(c->phase);
  const bool excused = device_is(c->device, DEVICE_PRETENDED) && outcome->device; /* it needs a GPU for that */
  tell_printed(callback);
  if (finding->harm != PROCESS_STATE_NONE)
    exam_find(watch.exam, RULE_PROCESS, FINDING_FAILED, "%s %s", callback, finding->text);
  else if (outcome->kind == OUTCOME_FAIL && outcome->rule != RULE_NONE)
    exam_find(watch.exam, outcome->rule, FINDING_FAILED, "%s: %s", callback, outcome->message);
  else if (outcome->kind == OUTCOME_FAIL && !watch.expects_failure && rule_of(c->phase) != RULE_NONE)
    exam_find(watch.exam, rule_of(c->phase), excused ? FINDING_NOT_CHECKED : FINDING_FAILED, "%s: %s", callback,
              outcome->message);
}

static const struct call_watch callbacks = {begins, ended};

void watch_begin(struct exam *e) {
  mallopt(M_ARENA_MAX, 1); /* or each thread may add to the heap what is its allocator's own */
  watch.exam = e;
  watch.expects_failure = false;
  call_watch = &callbacks;
}

void watch_end(void) {
  call_watch = NULL;
}

void watch_expect_failure(bool expected) {
  watch.expects_failure = expected;
}

#include "exam/state.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process_stat.h"
#include "case/calls.h"
#include "case/declare.h"
#include "case/memory.h"
#include "case/verify.h"
#include "exam/fences.h"
#include "exam/leftovers.h"
#include "measure/steps.h"
#include "measure/verify.h"
#include "plugin/process_state.h"

static struct {
  struct exam *exam;
  struct leftovers *leftovers;
  bool expects_failure;
  /* as they were when the callback began: size of the output, bytes of the heap, threads of OpenMP (0: not loaded) */
  off_t printed;
  int64_t heap;
  int openmp;
} watch;

/* Reports a callback that leaves OpenMP with another number of threads, which others in the process use, too. */
static void judge_openmp(const char *callback) {
  const int threads = process_state_openmp();
  if (watch.openmp == 0 || threads == 0 || threads == watch.openmp) return;
  exam_find(watch.exam, RULE_PROCESS, FINDING_FAILED, "%s leaves OpenMP with %d threads, not %d", callback, threads,
            watch.openmp);
}

/* Notes how much of the heap a `prepare` took without telling the host (by gb.mem, the service for memory). The first
 * call is ignored, because libraries set themselves up once. Scripts are ignored, because their interpreter keeps
 * memory. */
static void note_unstated(const struct gb_case *c) {
  struct exam *e = watch.exam;
  if (e->variant == NULL || e->variant->plugin->script != NULL || e->prepares++ == 0) return;
  const uint64_t stated =
      case_owned_bytes(c, c->owner) - case_fenced_bytes(c, c->owner); /* what is fenced is no heap */
  const int64_t bytes = resident_heap() - watch.heap - (int64_t)stated;
  if (e->prepares == 2 || bytes < e->unstated_bytes) e->unstated_bytes = bytes;
}

/* Returns how many bytes this process has printed, if its output is a file. */
static off_t printed_bytes(void) {
  struct stat info;
  fflush(stdout);
  fflush(stderr);
  return fstat(STDOUT_FILENO, &info) == 0 && S_ISREG(info.st_mode) ? info.st_size : 0;
}

static void note_callback_begin(void) {
  leftovers_look(watch.leftovers, NULL);
  watch.printed = printed_bytes();
  watch.openmp = process_state_openmp();
  watch.heap = resident_heap();
}

static void tell_printed(const char *callback) {
  char text[TEXT_SIZE];
  const off_t end = printed_bytes(), length = end - watch.printed;
  if (length <= 0) return;
  const ssize_t got = pread(STDOUT_FILENO, text, sizeof text - 1, watch.printed);
  text[got > 0 ? got : 0] = '\0';
  text[strcspn(text, "\n")] = '\0';
  text_sanitize(text);
  exam_find(watch.exam, RULE_PRINTS, FINDING_FAILED, "%s printed %lld bytes: '%s'", callback, (long long)length, text);
}

/* Returns the rule that is broken if a callback of the bench, or a variant's `release`, fails in this phase. RULE_NONE
 * for other callbacks of variants, whose failures variant_rule_of() assigns to rules. */
static enum rule bench_rule_of(enum phase phase) {
  return phase == PHASE_SETUP       ? RULE_SETUP
         : phase == PHASE_FILL      ? RULE_FILL
         : phase == PHASE_REFERENCE ? RULE_REFERENCE
         : phase == PHASE_TEARDOWN  ? RULE_LIFETIMES
         : phase == PHASE_RELEASE   ? RULE_LIFETIMES
                                    : RULE_NONE;
}

static void judge_callback_end(const struct gb_case *c, const struct outcome *outcome,
                               const struct process_state_finding *finding) {
  const char *callback = phase_name(c->phase);
  /* excused: the callback failed because it needs a GPU, and the device only pretends to be one */
  const bool excused = device_is(c->device, DEVICE_PRETENDED) && outcome->device;
  if (c->phase == PHASE_PREPARE && outcome->kind == OUTCOME_OK) note_unstated(c);
  leftovers_look(watch.leftovers, callback);
  tell_printed(callback);
  judge_openmp(callback);
  if (finding->harm != PROCESS_STATE_NONE)
    exam_find(watch.exam, RULE_PROCESS, FINDING_FAILED, "%s %s", callback, finding->text);
  else if (outcome->kind == OUTCOME_FAIL && outcome->rule != RULE_NONE)
    exam_find(watch.exam, outcome->rule, FINDING_FAILED, "%s: %s", callback, outcome->message);
  else if (outcome->kind == OUTCOME_FAIL && !watch.expects_failure && bench_rule_of(c->phase) != RULE_NONE)
    exam_find(watch.exam, bench_rule_of(c->phase), excused ? FINDING_NOT_CHECKED : FINDING_FAILED, "%s: %s", callback,
              outcome->message);
}

static const struct call_watch callbacks = {note_callback_begin, judge_callback_end};

void watch_begin(struct exam *e) {
  mallopt(M_ARENA_MAX, 1); /* without this limit each thread may add an arena to the heap */
  watch.exam = e;
  watch.expects_failure = false;
  watch.leftovers = leftovers_new(getpid());
  call_watch = &callbacks;
}

void watch_end(void) {
  call_watch = NULL;
  leftovers_free(watch.leftovers);
}

void watch_judge(struct exam *e) {
  char text[MSG_SIZE];
  const enum leftovers_verdict verdict = leftovers_judge(watch.leftovers, NULL, text, sizeof text);
  if (verdict != LEFTOVERS_NOTHING)
    exam_find(e, RULE_FILES, verdict == LEFTOVERS_LEFT ? FINDING_FAILED : FINDING_NOT_CHECKED, "%s", text);
}

int64_t watch_pause(int64_t case_ns) {
  const int64_t start = clock_now_ns();
  if (!leftovers_are_doubtful(watch.leftovers)) return 0;
  clock_pause((double)case_ns * 1e-9);
  leftovers_note_pause(watch.leftovers);
  return clock_now_ns() - start;
}

void watch_expect_failure(bool expected) {
  watch.expects_failure = expected;
}

/* ---- Examining one case with at most one variant, by functions that a measurement uses too ---- */

/* ---- Reporting findings ---- */

void exam_try(const struct exam *e, enum rule rule, const char *how) {
  struct finding finding = {.rule = (uint32_t)rule, .outcome = FINDING_TRIES};
  text_copy(finding.text, sizeof finding.text, how);
  e->host->say(&finding);
}

void exam_find(struct exam *e, enum rule rule, enum finding_outcome outcome, const char *format, ...) {
  struct finding finding = {.rule = (uint32_t)rule, .outcome = (uint32_t)outcome};
  va_list args;
  va_start(args, format);
  vsnprintf(finding.text, sizeof finding.text, format, args);
  va_end(args);
  if (outcome == FINDING_FAILED) e->found[rule] = true;
  e->host->say(&finding);
}

void exam_pass(struct exam *e, enum rule rule) {
  if (!e->found[rule]) exam_find(e, rule, FINDING_PASSED, "%s", "");
}

void exam_skip(struct exam *e, enum rule rule, const char *why) {
  exam_find(e, rule, FINDING_NOT_APPLICABLE, "%s", why);
}

/* ---- Sittings ---- */

static void drop_report(void *user, const struct variant_report *report) {
  (void)user, (void)report;
}

static const struct measure_sink no_sink = {.report = drop_report};

int sitting_begin(struct sitting *s, struct exam *e, uint64_t seed, struct err *err) {
  *s = (struct sitting){.exam = e, .c = e->host->new_case(e->host->user, seed)};
  e->fences = device_is(s->c->device, DEVICE_HOST_MEMORY) && !device_is(s->c->device, DEVICE_QUEUES);
  if (e->fences) s->c->fence = e->fence;
  if (s->c->fence != FENCE_NONE) fences_watch(e->host, s->c);
  /* copies only the entries of `variants` that are used, because the message that holds the request ends behind them */
  memcpy(&s->request, e->request, case_request_size(e->request));
  s->request.seed = seed;
  s->request.variant_count = e->variant != NULL ? 1 : 0;
  measure_begin(&s->m, s->c, &s->request, &e->variant, &no_sink, &s->report);
  if (measure_set_up(&s->m, err) != 0) return sitting_spoilt(s, err);
  declare_note(s->c, &s->report);
  return 0;
}

void sitting_end(struct sitting *s) {
  measure_take_down(&s->m);
  if (s->c->fence != FENCE_NONE) fences_watch(NULL, NULL);
  measure_end(&s->m);
  free(s->c);
  leftovers_note_case(watch.leftovers);
}

struct contestant *sitting_variant(const struct sitting *s) {
  return measure_next(&s->m, 0);
}

/* Returns the rule that a variant breaks if its callback in this phase fails. */
static enum rule variant_rule_of(uint32_t phase) {
  return phase == PHASE_PREPARE ? RULE_PREPARE : phase == PHASE_REFRESH ? RULE_FRESH : RULE_RUN;
}

static void tell_drop(struct exam *e, const struct variant_report *report, enum rule values) {
  enum rule rule = (enum rule)report->rule;
  if (report->status == ROW_SKIPPED) {
    exam_find(e, RULE_NONE, FINDING_NOT_CHECKED, "%s", report->message);
    return;
  }
  if (rule == RULE_NONE) rule = variant_rule_of(report->phase);
  if (rule == RULE_VALUES || (rule == RULE_WRITES && values != RULE_VALUES)) rule = values;
  if (!e->found[rule]) exam_find(e, rule, FINDING_FAILED, "%s", report->message);
  exam_find(e, RULE_NONE, FINDING_NOT_CHECKED, "after %s has failed", rule_table[rule].id);
}

bool sitting_goes_on(struct sitting *s, enum rule values) {
  struct exam *e = s->exam;
  const bool variant = s->m.count > 0, alive = variant ? sitting_variant(s) != NULL : true;
  if (e->over || (alive && s->m.status == ROW_OK)) return !e->over;
  e->over = true;
  if (s->m.status != ROW_OK)
    exam_find(e, RULE_NONE, FINDING_NOT_CHECKED, "%s", s->m.why);
  else
    tell_drop(e, &s->m.contestants[0].report, values);
  return false;
}

int sitting_spoilt(struct sitting *s, const struct err *err) {
  struct exam *e = s->exam;
  const struct contestant *k = s->m.running;
  const bool dropped = k != NULL && !contestant_alive(k);
  e->over = true;
  if (dropped)
    tell_drop(e, &k->report, RULE_VALUES);
  else if (err->exit_code == EXIT_DEVICE)
    exam_find(e, RULE_NONE, FINDING_NOT_CHECKED, "%s", err->text);
  else
    exam_find(e, RULE_CRASH, FINDING_FAILED, "device fault in %s: %s", phase_name(s->c->phase), err->text);
  return -1;
}

/* If outputs were wrong, verifies them again after a pause of 50 ms. If they are right then, reports that the variant
 * does not wait for its work to be complete. */
static int look_again(struct sitting *s, struct contestant *k, struct err *err) {
  struct verification v;
  const bool compared = k->report.rule == RULE_WRITES || k->report.rule == RULE_VALUES;
  if (contestant_alive(k) || !compared || k->report.phase == PHASE_VERIFY) return 0;
  clock_pause(0.05);
  if (case_verify(s->c, case_math(s->c, k->variant->desc.math), &k->plain, &PORTION_ALL, &v, err) != 0) return -1;
  if (!v.pass || v.compared == 0) return 0;
  k->report.rule = RULE_COMPLETE;
  text_copy(k->report.message, sizeof k->report.message,
            "its outputs were wrong when its time was taken, and right 50 ms later: it does not wait for its work");
  return 0;
}

int sitting_verify(struct sitting *s, bool held, enum rule values, struct err *err) {
  struct contestant *k = sitting_variant(s);
  s->m.running = k;
  if (verify_outputs(&s->m, k, held, err) != 0 || look_again(s, k, err) != 0) return sitting_spoilt(s, err);
  s->m.running = NULL;
  return sitting_goes_on(s, values) ? 0 : 1;
}

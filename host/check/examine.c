/* A subject through a worker. Trusts nothing that comes back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/request.h"
#include "base/memory.h"
#include "check/state.h"

/* What has been heard of one subject. */
struct hearing {
  bool heard[RULE_COUNT];
  struct finding worst[RULE_COUNT];   /* of each rule */
  enum rule tries;                    /* that a crash or a hang would break; RULE_NONE: no special one */
  char how[TEXT_SIZE], why[MSG_SIZE]; /* how it is tried; why the rest is not checked */
};

static void take(void *user, const struct message *message) {
  struct hearing *h = user;
  struct finding finding;
  const void *payload = wire_as(message, sizeof finding);
  if (message->type != MSG_FINDING || payload == NULL) return;
  memcpy(&finding, payload, sizeof finding);
  finding.text[sizeof finding.text - 1] = '\0';
  text_sanitize(finding.text);
  if (finding.rule >= RULE_COUNT || finding.outcome > FINDING_FAILED) return;
  if (finding.outcome == FINDING_TRIES) {
    h->tries = (enum rule)finding.rule;
    text_copy(h->how, sizeof h->how, finding.text);
  } else if (finding.rule == RULE_NONE) {
    text_copy(h->why, sizeof h->why, finding.text);
  } else if (!h->heard[finding.rule] || h->worst[finding.rule].outcome < finding.outcome) {
    h->heard[finding.rule] = true;
    h->worst[finding.rule] = finding;
  }
}

static void hear(struct hearing *h, enum rule rule, enum finding_outcome outcome, const char *text) {
  h->heard[rule] = true;
  h->worst[rule] = (struct finding){.rule = (uint32_t)rule, .outcome = (uint32_t)outcome};
  text_copy(h->worst[rule].text, sizeof h->worst[rule].text, text);
}

/* It has not come to its end: something is to blame, or the device. */
static void take_ending(struct hearing *h, const struct ending *ending) {
  char how[2 * TEXT_SIZE + 64], text[MSG_SIZE];
  const bool died = ending->kind == ENDING_DIED, hung = ending->kind == ENDING_TIMEOUT;
  if (ending->kind == ENDING_DONE) return;
  if (ending->kind == ENDING_FAILED && h->why[0] == '\0') text_copy(h->why, sizeof h->why, ending->err.text);
  if (ending->kind == ENDING_INTERRUPTED || ending->killed) text_copy(h->why, sizeof h->why, ending->how);
  if ((!died && !hung) || ending->killed) return;
  ending_text(ending, how, sizeof how);
  snprintf(text, sizeof text, "%s%s%s", how, h->how[0] != '\0' ? ", " : "", h->how);
  const enum rule rule = h->tries != RULE_NONE ? h->tries : died ? RULE_CRASH : RULE_HANG;
  hear(h, rule, FINDING_FAILED, text);
  snprintf(h->why, sizeof h->why, "after %s has failed", rule_table[rule].id);
}

static bool is_expected(enum rule rule, bool variant, bool whole) {
  if (rule == RULE_SUPPORTS || rule == RULE_CASES || rule_table[rule].scope == SCOPE_PLUGIN) return false;
  if (rule_table[rule].scope == SCOPE_BENCH) return whole;
  return variant;
}

/* Why nothing was heard of a rule. */
static const char *why_not(const struct hearing *h, bool variant) {
  if (h->why[0] != '\0') return h->why;
  return variant ? "its examination ended before it" : "it takes a variant's outputs, and no variant of it runs here";
}

/* What a bench does is its own plugin's matter; a guest's share is what its variant does. */
static void settle(struct check_run *run, const struct subject *subject, const struct hearing *h, bool whole) {
  const bool variant = subject->variant != SIZE_MAX;
  struct findings *benchs = run->of[subject->p->plugin];
  struct findings *its = variant ? run->of[subject->p->variants[subject->variant].plugin] : benchs;
  char name[KEY_SIZE + ID_SIZE];
  subject_name(subject, name, sizeof name);
  for (enum rule rule = RULE_NONE + 1; rule < RULE_COUNT; rule++) {
    const bool bench = rule_table[rule].scope == SCOPE_BENCH;
    struct findings *f = bench ? benchs : its;
    const struct finding *worst = &h->worst[rule];
    if (f == NULL) continue;
    if (h->heard[rule])
      findings_add(f, rule, (enum finding_outcome)worst->outcome, name, worst->text);
    else if (is_expected(rule, variant, whole))
      findings_add(f, rule, FINDING_NOT_CHECKED, name, why_not(h, variant));
  }
}

static bool bench_is_known(const struct hearing *h) {
  for (enum rule rule = RULE_NONE + 1; rule < RULE_COUNT; rule++)
    if (is_expected(rule, false, true) && !h->heard[rule]) return false;
  return true;
}

bool is_known(const struct check_run *run, const struct plan_case *p) {
  for (size_t i = 0; i < run->known_count; i++)
    if (run->known[i].plugin == p->plugin && run->known[i].bench == p->bench) return true;
  return false;
}

static void note_known(struct check_run *run, const struct plan_case *p) {
  run->known = xgrow(run->known, run->known_count, sizeof *run->known);
  run->known[run->known_count++] = (struct known){p->plugin, p->bench};
}

static void look_around(const struct check_run *run, struct hearing *h) {
  char what[TEXT_SIZE], text[MSG_SIZE];
  if (!place_left(&run->place, what, sizeof what)) {
    if (!h->heard[RULE_CRASH] || h->worst[RULE_CRASH].outcome != FINDING_FAILED)
      hear(h, RULE_FILES, FINDING_PASSED, "");
    return;
  }
  snprintf(text, sizeof text, "left %s", what);
  hear(h, RULE_FILES, FINDING_FAILED, text);
}

void examine_not(struct check_run *run, const struct subject *subject, const char *why) {
  SCOPED struct hearing *h = xcalloc(1, sizeof *h);
  text_copy(h->why, sizeof h->why, why);
  settle(run, subject, h, !is_known(run, subject->p));
}

void examine_subject(struct check_run *run, struct pool *pool, const struct subject *subject) {
  const bool whole = !is_known(run, subject->p);
  struct pool_worker *member;
  struct ending ending = {.kind = ENDING_FAILED};
  SCOPED struct hearing *h = xcalloc(1, sizeof *h);
  const struct listener listener = {.user = h, .message = take};
  struct err err = {0};
  if (pool_worker_for(pool, subject->p, &member, &err) != 0) {
    text_copy(h->why, sizeof h->why, err.text);
  } else {
    struct case_request *request = request_new(member, subject->p);
    if (subject->variant != SIZE_MAX) request_add(request, member, &subject->p->variants[subject->variant]);
    request->mode = subject->p->mode;
    request->seed = run->options->common.seed;
    request->quick = !whole;
    pool_ask(pool, member, MSG_EXAMINE, request, case_request_size(request), &listener, &ending);
    free(request);
    if (ending.kind == ENDING_FAILED) pool_dismiss(member);
    take_ending(h, &ending);
    look_around(run, h);
    findings_add_case(subject_findings(run, subject), subject->p->key);
  }
  settle(run, subject, h, whole);
  if (whole && bench_is_known(h)) note_known(run, subject->p);
}

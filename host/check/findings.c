#include "check/findings.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void findings_add(struct findings *f, enum rule rule, enum finding_outcome outcome, const char *subject,
                  const char *text) {
  struct found *found = &f->rules[rule];
  char *why = subject != NULL && text[0] != '\0' ? memory_print("%s: %s", subject, text) : xstrdup(text);
  found->count[outcome]++;
  if (outcome == FINDING_FAILED) strings_add(&found->failures, why);
  if (found->first[outcome] == NULL && why[0] != '\0') {
    found->first[outcome] = why;
    why = NULL;
  }
  free(why);
}

enum finding_outcome findings_outcome(const struct findings *f, enum rule rule) {
  for (enum finding_outcome outcome = FINDING_FAILED; outcome > FINDING_TRIES; outcome--)
    if (f->rules[rule].count[outcome] > 0) return outcome;
  return FINDING_NOT_CHECKED;
}

char *findings_reason(const struct findings *f, enum rule rule) {
  const struct found *found = &f->rules[rule];
  const enum finding_outcome outcome = findings_outcome(f, rule);
  const size_t count = found->count[outcome], passed = found->count[FINDING_PASSED];
  const char *first = text_or_empty(found->first[outcome]);
  if (outcome == FINDING_PASSED) return xstrdup(rule_table[rule].sentence);
  if (count == 0) return xstrdup("there was nothing to hold it against");
  if (outcome == FINDING_FAILED && count > 1) return memory_print("%s (and %zu more)", first, count - 1);
  if (outcome == FINDING_NOT_CHECKED && passed > 0)
    return memory_print("%s (%zu of %zu passed)", first, passed, count + passed);
  return xstrdup(first);
}

bool findings_hear(const struct message *message, struct finding *finding) {
  const void *payload = message->type == MSG_FINDING ? wire_as(message, sizeof *finding) : NULL;
  if (payload == NULL) return false;
  memcpy(finding, payload, sizeof *finding);
  finding->text[sizeof finding->text - 1] = '\0';
  text_sanitize(finding->text);
  return finding->rule < RULE_COUNT && finding->outcome < OUTCOMES;
}

void findings_add_case(struct findings *f, const char *key) {
  strings_add_once(&f->cases, key);
}

void findings_free(struct findings *f) {
  strings_free(&f->cases);
  for (enum rule rule = RULE_NONE; rule < RULE_COUNT; rule++) {
    strings_free(&f->rules[rule].failures);
    for (int outcome = 0; outcome < OUTCOMES; outcome++)
      free(f->rules[rule].first[outcome]);
  }
  free(f->title);
}

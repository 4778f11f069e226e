/* The results of `gpubench check` for one plugin, by rule of the ABI. */
#pragma once

#include "model/rule.h"
#include "worker/wire.h"

enum { OUTCOMES = FINDING_FAILED + 1 };

struct found {
  size_t count[OUTCOMES];
  char *first[OUTCOMES];   /* for each outcome, the reason of the first finding with it; NULL: there is none */
  struct strings failures; /* the reasons of all findings that are failures */
};

struct findings {
  char *title;          /* name of the plugin's file, the heading of its findings */
  struct strings cases; /* keys of the cases that were examined, each once */
  struct found rules[RULE_COUNT];
};

/* Adds a finding. `subject` names its subject, such as "attention/forward/flash[b=2]"; NULL: the plugin. */
void findings_add(struct findings *f, enum rule rule, enum finding_outcome outcome, const char *subject,
                  const char *text);

/* Reads a finding from a worker's message and makes its text printable. Returns false if the message is no finding. */
bool findings_hear(const struct message *message, struct finding *finding);

void findings_add_case(struct findings *f, const char *key);

/* Returns the worst outcome of a rule; FINDING_NOT_CHECKED if there are no findings about it. */
enum finding_outcome findings_outcome(const struct findings *f, enum rule rule);

/* Returns a sentence about a rule: that it holds, how it was broken, or why it could not be checked. The caller frees
 * the text. */
char *findings_reason(const struct findings *f, enum rule rule);

void findings_free(struct findings *f);

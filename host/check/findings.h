/* The findings about one plugin, by rule. */
#pragma once

#include "model/rule.h"
#include "worker/wire.h"

enum { OUTCOMES = FINDING_FAILED + 1 };

struct found {
  size_t count[OUTCOMES];
  char *first[OUTCOMES];   /* reason of the first finding with this outcome; NULL: none */
  struct strings failures; /* reasons of all failures */
};

struct findings {
  char *title;          /* the plugin's file */
  struct strings cases; /* cases that were examined, each once */
  struct found rules[RULE_COUNT];
};

/* Adds a finding. `subject` is its object, "attention/forward/flash[b=2]"; NULL: the plugin. */
void findings_add(struct findings *f, enum rule rule, enum finding_outcome outcome, const char *subject,
                  const char *text);

/* Reads a worker's finding and makes it printable. Returns false if the message is not one. */
bool findings_hear(const struct message *message, struct finding *finding);

void findings_add_case(struct findings *f, const char *key);

/* Returns the worst outcome of a rule; without findings, not checked. */
enum finding_outcome findings_outcome(const struct findings *f, enum rule rule);

/* Returns a sentence: the rule that holds, the violation, or the reason why neither is known. The caller frees it. */
char *findings_reason(const struct findings *f, enum rule rule);

void findings_free(struct findings *f);

/* What was found of one plugin, by rule. */
#ifndef CHECK_FINDINGS_H
#define CHECK_FINDINGS_H

#include "model/rule.h"
#include "worker/wire.h"

enum { OUTCOMES = FINDING_FAILED + 1 };

struct found {
  size_t count[OUTCOMES];
  char *first[OUTCOMES];   /* why, of the first that came to this; NULL: it has no more to say */
  struct strings failures; /* all of them */
};

struct findings {
  char *title;          /* the plugin's file */
  struct strings cases; /* that were looked at, each once */
  struct found rules[RULE_COUNT];
};

/* `subject`: what it is about, "attention/forward/flash[b=2]", or NULL: the plugin. */
void findings_add(struct findings *f, enum rule rule, enum finding_outcome outcome, const char *subject,
                  const char *text);

/* What a worker has found, made printable; false: the message says something else. */
bool findings_hear(const struct message *message, struct finding *finding);

void findings_add_case(struct findings *f, const char *key);

/* The worst of what was found; not checked where nothing was. */
enum finding_outcome findings_outcome(const struct findings *f, enum rule rule);

/* In a sentence: what holds, or what is wrong, or why it is not known. The caller frees it. */
char *findings_reason(const struct findings *f, enum rule rule);

void findings_free(struct findings *f);

#endif

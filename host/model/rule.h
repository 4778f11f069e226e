/* The rules of the ABI as `gpubench check` holds a plugin to them, and what was found of one. Worker and parent name
 * them by these numbers; what a rule says, and where it is documented, stands in model/rule.c. */
#ifndef MODEL_RULE_H
#define MODEL_RULE_H

#include <stdint.h>

#include "base/text.h"

enum rule {
  RULE_NONE, /* what failed breaks no rule of its own: the callback's phase says which */
  /* the file */
  RULE_LOAD,
  RULE_EXPORTS,
  RULE_IMPORTS,
  RULE_STACK,
  RULE_RELOCATIONS,
  /* what it registers */
  RULE_ENTRY,
  RULE_OPEN,
  RULE_NAMES,
  RULE_TABLES,
  RULE_AXES,
  RULE_PRESETS,
  RULE_CONTRACTS,
  RULE_CLOSE,
  /* a bench's callbacks */
  RULE_SUPPORTS,
  RULE_CASES,
  RULE_SETUP,
  RULE_WORK,
  RULE_FILL,
  RULE_REFERENCE,
  RULE_VERIFY,
  /* a variant's */
  RULE_PREPARE,
  RULE_RUN,
  RULE_VALUES,
  RULE_WRITES,
  RULE_BOUNDS,
  RULE_INPUTS,
  RULE_COMPLETE,
  RULE_STREAM,
  RULE_ASYNC,
  RULE_CAPTURE,
  RULE_ALLOCATION,
  RULE_REPEAT,
  RULE_FRESH,
  RULE_STATICS,
  RULE_NO_MEMORY,
  /* the process */
  RULE_LIFETIMES,
  RULE_THREADS,
  RULE_DESCRIPTORS,
  RULE_MEMORY,
  RULE_PRINTS,
  RULE_FILES,
  RULE_PROCESS,
  RULE_MESSAGES,
  RULE_SERVICES,
  RULE_CRASH,
  RULE_HANG,
  RULE_COUNT
};

/* What a rule is about, so that it is known what was to be checked. */
enum rule_scope {
  SCOPE_PLUGIN,  /* each file */
  SCOPE_BENCH,   /* each bench at a point */
  SCOPE_VARIANT, /* each variant there */
};

struct rule_desc {
  const char *id;       /* "bounds" */
  const char *sentence; /* what holds where it passes: "writes nothing outside its outputs" */
  const char *where;    /* header and slot, or section of the policy */
  enum rule_scope scope;
};

extern const struct rule_desc rule_table[RULE_COUNT];

/* From good to bad: of several the last one counts. */
enum finding_outcome {
  FINDING_TRIES, /* from here on it is this rule that a crash or a hang breaks; RULE_NONE: no special one */
  FINDING_NOT_APPLICABLE,
  FINDING_PASSED,
  FINDING_NOT_CHECKED,
  FINDING_FAILED,
};

struct finding {
  uint32_t rule, outcome; /* enum rule, enum finding_outcome */
  char text[MSG_SIZE];    /* why; empty of one that passed */
};

const char *finding_name(enum finding_outcome outcome);

#endif

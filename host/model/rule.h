/* The rules of the ABI that `gpubench check` tests, and the findings of a test. Worker and parent identify rules by
 * these numbers; the text of each rule and where it is documented are in model/rule.c. */
#pragma once

#include <stdint.h>

#include "base/text.h"

enum rule {
  RULE_NONE, /* no special rule is broken; the phase tells which callback failed */
  /* rules about the plugin's file */
  RULE_LOAD,
  RULE_EXPORTS,
  RULE_IMPORTS,
  RULE_STACK,
  RULE_RELOCATIONS,
  /* rules about what the plugin registers */
  RULE_ENTRY,
  RULE_OPEN,
  RULE_NAMES,
  RULE_TABLES,
  RULE_AXES,
  RULE_PRESETS,
  RULE_CONTRACTS,
  RULE_CLOSE,
  /* rules about a bench's callbacks */
  RULE_SUPPORTS,
  RULE_CASES,
  RULE_MINORS,
  RULE_SETUP,
  RULE_WORK,
  RULE_FILL,
  RULE_REFERENCE,
  RULE_VERIFY,
  /* rules about a variant's callbacks */
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
  /* rules about the process */
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

/* The object that a rule applies to, which determines how often it must be checked. */
enum rule_scope {
  SCOPE_PLUGIN,  /* each plugin file */
  SCOPE_BENCH,   /* each bench, with given values of its parameters */
  SCOPE_VARIANT, /* each variant, with such values */
};

struct rule_desc {
  const char *id; /* "bounds" */
  /* the rule as a statement about a plugin that keeps it, such as "writes nothing outside its outputs" */
  const char *sentence;
  const char *where; /* where the rule is documented: a header and a name in it, or a section of POLICY.md */
  enum rule_scope scope;
};

extern const struct rule_desc rule_table[RULE_COUNT];

/* Ordered from good to bad: of several outcomes for a rule the largest one is reported. */
enum finding_outcome {
  /* sent before a test begins: if the worker crashes or hangs after this message, `rule` counts as broken; RULE_NONE:
   * no special rule */
  FINDING_TRIES,
  FINDING_NOT_APPLICABLE,
  FINDING_PASSED,
  FINDING_NOT_CHECKED,
  FINDING_FAILED,
};

struct finding {
  uint32_t rule, outcome; /* enum rule, enum finding_outcome */
  char text[MSG_SIZE];    /* the reason for the outcome; empty if the rule is kept */
};

const char *finding_name(enum finding_outcome outcome);

/* The worker's own settings, which foreign code shares with the host: taken once, looked at after callbacks, and put
 * back. There is one set to a process, so there is one state. Knows nothing of plugins, cases or phases. */
#ifndef PLUGIN_PROCESS_STATE_H
#define PLUGIN_PROCESS_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plugin/process_finding.h"

enum process_state_depth {
  PROCESS_STATE_QUICK, /* about a microsecond: floating-point mode, blocked signals, alarms */
  PROCESS_STATE_FULL,  /* some 50: also handlers, timers, directory, locale, environment, limits, descriptors, children
                        */
};

/* From here on the settings are as they are now. `socket` is the connection to the parent, or -1. */
void process_state_take(int socket);

/* Puts right what has changed since process_state_take(). PROCESS_STATE_NONE before it. */
enum process_state_harm process_state_check(enum process_state_depth depth, struct process_state_finding *finding);

/* What a process has that may only grow so far. */
struct process_state_counts {
  int64_t files; /* the lowest free descriptor: they are handed out from below */
  int64_t threads;
};

void process_state_count(struct process_state_counts *counts);

/* Growth of one party over its turns. The first turns do not count: libraries open files and start threads once. */
struct process_state_kind {
  uint32_t streak, turns; /* turns that grew, in a row and in all */
  int64_t total;
};

struct process_state_growth {
  uint32_t turns;
  struct process_state_kind files, threads;
};

/* After a turn that began with `before`. True, with a sentence, when it grows turn after turn. */
bool process_state_grows(struct process_state_growth *growth, const struct process_state_counts *before,
                         const struct process_state_counts *after, char *text, size_t size);

#endif

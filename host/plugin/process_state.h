/* The worker's own settings, which foreign code shares with the host: taken once, looked at after callbacks, and put
 * back. There is one set to a process, so there is one guard. Knows nothing of plugins, cases or phases. */
#ifndef GUARD_H
#define GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum guard_depth {
  GUARD_QUICK, /* about a microsecond: floating-point mode, blocked signals, alarms */
  GUARD_FULL,  /* some 50: also handlers, timers, directory, locale, environment, limits, descriptors, children */
};

enum guard_harm {
  GUARD_NONE,
  GUARD_UNDONE,  /* changed, and put back: the process is as before */
  GUARD_LASTING, /* changed, and not to be put back: nobody else should run in this process */
  GUARD_CUT,     /* the connection to the parent is gone: nothing can be reported but by dying */
};

struct guard_finding {
  enum guard_harm harm;
  char text[512]; /* "changed the umask to 0000, left process 4711 running"; empty where there is no harm */
};

/* From here on the settings are as they are now. `socket` is the connection to the parent, or -1. */
void guard_take(int socket);

/* Puts right what has changed since guard_take(). GUARD_NONE before it. */
enum guard_harm guard_check(enum guard_depth depth, struct guard_finding *finding);

/* What a process has that may only grow so far. */
struct guard_counts {
  int64_t files; /* the lowest free descriptor: they are handed out from below */
  int64_t threads;
};

void guard_count(struct guard_counts *counts);

/* Growth of one party over its turns. The first turns do not count: libraries open files and start threads once. */
struct guard_kind {
  uint32_t streak, turns; /* turns that grew, in a row and in all */
  int64_t total;
};

struct guard_growth {
  uint32_t turns;
  struct guard_kind files, threads;
};

/* After a turn that began with `before`. True, with a sentence, when it grows turn after turn. */
bool guard_grows(struct guard_growth *growth, const struct guard_counts *before, const struct guard_counts *after,
                 char *text, size_t size);

#endif

/* The worker's own settings, which foreign code shares with the host: taken once, looked at after callbacks, and put
 * back. There is one set to a process, so there is one state. Knows nothing of plugins, cases or phases. Linux only. */
#ifndef PLUGIN_PROCESS_WATCH_H
#define PLUGIN_PROCESS_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum process_state_harm {
  PROCESS_STATE_NONE,
  PROCESS_STATE_UNDONE,  /* changed, and put back: the process is as before */
  PROCESS_STATE_LASTING, /* changed, and not to be put back: nobody else should run in this process */
  PROCESS_STATE_CUT,     /* the connection to the parent is gone: nothing can be reported but by dying */
};

struct process_state_finding {
  enum process_state_harm harm;
  char text[512]; /* "changed the umask to 0000, left process 4711 running"; empty where there is no harm */
};

/* One thing more that was changed. */
void process_finding_add(struct process_state_finding *finding, enum process_state_harm harm, const char *format, ...)
    ERR_PRINTF(3, 4);

/* From here on the settings are as they are now. `socket` is the connection to the parent, or -1. */
void process_state_take(int socket);

/* Puts right what has changed since process_state_take(). PROCESS_STATE_NONE before it. Takes about 40 us, of which the
 * handlers of 64 signals are 14, limits 7, timers 6 (unit/plugin/process_state prints what it takes): less than a
 * hundredth of a slot of 5 ms, so that all is looked at after each. */
enum process_state_harm process_state_check(struct process_state_finding *finding);

/* plugin/watch_children.c: what is left behind for others. */
void watch_check_children(struct process_state_finding *finding);
void watch_take_room(void);
void watch_check_room(struct process_state_finding *finding);
void watch_check_heap(struct process_state_finding *finding);

/* Children that run now and are nobody's belong to `index` of `whose` from here on: they are left alone and unwaited
 * for until that lets them go, and are then as any other. */
void process_state_keep_children(const void *whose, int index);
void process_state_let_children_go(const void *whose, int index);

/* Is there a child that is nobody's, where none are kept? Where some are it is not known: false. */
bool process_state_has_child(void);

/* Processor time of those that are kept. */
int64_t process_state_children_ns(void);

#endif

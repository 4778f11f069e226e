/* The settings of the worker process, which plugin code shares with the host: read once, checked after callbacks, and
 * restored. There is one set per process, so the state is global. Knows nothing of plugins, cases or phases. Linux
 * only. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum process_state_harm {
  PROCESS_STATE_NONE,
  PROCESS_STATE_UNDONE,  /* something was changed and is restored: the process is as before */
  PROCESS_STATE_LASTING, /* something was changed and cannot be restored: no other code should run in this process */
  PROCESS_STATE_CUT,     /* the connection to the parent is gone, so the process can report this only by ending */
};

struct process_state_finding {
  enum process_state_harm harm;
  char text[512]; /* "changed the umask to 0000, left process 4711 running"; empty if nothing was changed */
};

/* Adds a change to the finding, whose `harm` becomes that of the worst change. */
void process_finding_add(struct process_state_finding *finding, enum process_state_harm harm, const char *format, ...)
    ERR_PRINTF(3, 4);

/* Records the present settings as those to restore. `socket`: the connection to the parent, or -1. */
void process_state_take(int socket);

/* Restores all settings that have changed since process_state_take(); returns PROCESS_STATE_NONE before that. Takes
 * about 40 us, of them 14 for the handlers of 64 signals, 7 for limits, 6 for timers (unit/plugin/process_state prints
 * them). That is less than 1% of the 5 ms of a usual slot (a series of calls of one variant), so everything is checked
 * after each slot. */
enum process_state_harm process_state_check(struct process_state_finding *finding);

/* Defined in plugin/watch_children.c. They check that no child process is left running, that enough address space is
 * left, and that the heap is not damaged. watch_take_room() notes whether enough address space was left before. */
void watch_check_children(struct process_state_finding *finding);
void watch_take_room(void);
void watch_check_room(struct process_state_finding *finding);
void watch_check_heap(struct process_state_finding *finding);

/* process_state_keep_children() makes variant `index` of the case `whose` the owner of all running children that have
 * no owner yet. Children with an owner may go on running after the callback that started them, and are not waited for.
 * process_state_let_children_go() takes the children away from their owner; then they are treated like any others. */
void process_state_keep_children(const void *whose, int index);
void process_state_let_children_go(const void *whose, int index);

/* Returns true if there is a child process and no child has an owner. Returns false if some child has an owner, because
 * then it is not known whether there are other children. */
bool process_state_has_child(void);

/* Returns the processor time of the children with an owner. */
int64_t process_state_children_ns(void);

/* What process_state watches, one by one: each thing is taken as it is, and later compared and put back. Linux only. */
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

struct process_watch {
  void (*take)(void); /* NULL: there is nothing to remember */
  void (*check)(struct process_state_finding *finding);
};

extern const struct process_watch watch_arithmetic;

extern const struct process_watch watch_mask, watch_handlers, watch_alarm, watch_timers;

extern const struct process_watch watch_files, watch_directory;
void watch_files_socket(int socket); /* the connection to the parent, or -1: before it is taken */

extern const struct process_watch watch_locale, watch_environment, watch_umask, watch_limits, watch_processors,
    watch_priority, watch_death_signal;

extern const struct process_watch watch_children, watch_room, watch_heap;

/* Children that run now and are nobody's belong to `index` of `whose` from here on: they are left alone and unwaited
 * for until that lets them go, and are then as any other. */
void process_state_keep_children(const void *whose, int index);
void process_state_let_children_go(const void *whose, int index);

/* Is there a child that is nobody's, where none are kept? Where some are it is not known: false. */
bool process_state_has_child(void);

/* Processor time of those that are kept. */
int64_t process_state_children_ns(void);

#endif

/* What process_state watches, one by one: each thing is taken as it is, and later compared and put back. Linux only. */
#ifndef PLUGIN_PROCESS_WATCH_H
#define PLUGIN_PROCESS_WATCH_H

#include "plugin/process_finding.h"

struct process_watch {
  void (*take)(void); /* NULL: there is nothing to remember */
  void (*check)(struct process_state_finding *finding);
};

/* plugin/watch_arithmetic.c */
extern const struct process_watch watch_arithmetic;

/* plugin/watch_signals.c */
extern const struct process_watch watch_mask, watch_handlers, watch_alarm, watch_timers;

/* plugin/watch_files.c */
extern const struct process_watch watch_files, watch_directory;
void watch_files_socket(int socket); /* the connection to the parent, or -1: before it is taken */

/* plugin/watch_settings.c */
extern const struct process_watch watch_locale, watch_environment, watch_umask, watch_limits, watch_processors,
    watch_priority, watch_death_signal;

/* plugin/watch_children.c */
extern const struct process_watch watch_children, watch_room, watch_heap;

#endif

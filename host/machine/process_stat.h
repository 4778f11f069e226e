/* What /proc says of a process in one line. */
#ifndef MACHINE_PROCESS_STAT_H
#define MACHINE_PROCESS_STAT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct process_stat {
  pid_t parent;
  char state; /* as in proc(5): 'R', 'S', 'T', ... */
};

/* `pid` as /proc has it, in digits. False: there is no such process. */
bool process_stat_read(const char *pid, struct process_stat *stat);

/* Processor time of a process and of those children that it has waited for; 0: not known. */
int64_t process_time_read(pid_t pid);

#endif

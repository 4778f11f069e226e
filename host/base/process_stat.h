/* Reads what /proc and malloc() report on processes and threads. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct process_stat {
  pid_t parent;
  char state; /* as in proc(5): 'R', 'S', 'T', ... */
};

/* Reads a process, named in digits as in /proc, or a thread, "self/task/TID". Returns false if it does not exist. */
bool process_stat_read(const char *pid, struct process_stat *stat);

/* Returns the CPU time of a process and of the children that it has waited for; 0: not known. */
int64_t process_time_read(pid_t pid);

/* Returns the resident bytes of a process, 0 for this one; -1: not known. */
int64_t resident_bytes(int pid);

/* Returns the bytes that malloc() has handed out in this process and that are not freed. Constant if another malloc,
 * such as a sanitizer's, replaces it. */
int64_t resident_heap(void);

struct thread_time {
  double used_s;   /* NaN: not known */
  double waited_s; /* runnable without a processor; updated when it last got one; NaN: not known */
  bool ready;      /* running or runnable */
};

/* Reads the first thread of a process from stat and schedstat of proc(5). */
void thread_time_read(int pid, struct thread_time *time);

/* Sums over all threads of a process; `ready` if any is ready. */
void thread_time_read_all(int pid, struct thread_time *sum);

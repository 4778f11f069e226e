/* Reads what /proc and malloc() report on processes and threads. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct process_stat {
  pid_t parent;
  char state; /* state as in proc(5): 'R', 'S', 'T', ... */
};

/* Reads a process, named in digits as in /proc, or a thread, "self/task/TID". Returns false if it does not exist. */
bool process_stat_read(const char *pid, struct process_stat *stat);

/* Returns the CPU time of a process and of the children that it has waited for; 0: not known. */
int64_t process_time_read(pid_t pid);

/* Returns the resident memory of a process in bytes, pid 0 for this process; -1: not known. */
int64_t resident_bytes(int pid);

/* Returns how many bytes of malloc() are in use in this process. If another malloc, such as a sanitizer's, is in use,
 * the value never changes. */
int64_t resident_heap(void);

struct thread_time {
  double used_s; /* CPU time that the thread used; NaN: not known */
  /* time during which the thread was ready to run but had no processor; a wait that still goes on is not included;
   * NaN: not known */
  double waited_s;
  bool ready; /* true if the thread runs or is ready to run */
};

/* Reads the first thread of a process from stat and schedstat of proc(5). */
void thread_time_read(int pid, struct thread_time *time);

/* Reads the sum over all threads of a process; `ready` is true if any thread is ready. */
void thread_time_read_all(int pid, struct thread_time *sum);

/* What /proc says of a process in one line. */
#ifndef BASE_PROCESS_STAT_H
#define BASE_PROCESS_STAT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct process_stat {
  pid_t parent;
  char state; /* as in proc(5): 'R', 'S', 'T', ... */
};

/* `pid` as /proc has it, in digits, or "self/task/TID" of a thread. False: there is none. */
bool process_stat_read(const char *pid, struct process_stat *stat);

/* Processor time of a process and of those children that it has waited for; 0: not known. */
int64_t process_time_read(pid_t pid);

/* Resident bytes of a process, 0 for this one; -1: not known. */
int64_t resident_bytes(int pid);

/* What malloc() has given out in this process and not been given back. Where a malloc of another kind is in its place,
 * as a sanitizer's, always the same. */
int64_t resident_heap(void);

struct thread_time {
  double used_s;   /* NaN: not known */
  double waited_s; /* it could have gone on and had no processor; as of when it last had one; NaN: not known */
  bool ready;      /* it goes on, or would if it had one */
};

/* Of a process's first thread: stat and schedstat of proc(5). */
void thread_time_read(int pid, struct thread_time *time);

/* Of all threads of a process: what they have had and waited together; and whether one is ready. */
void thread_time_read_all(int pid, struct thread_time *sum);

#endif

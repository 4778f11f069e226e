/* What a thread has had of processors. */
#ifndef MACHINE_THREAD_TIME_H
#define MACHINE_THREAD_TIME_H

#include <stdbool.h>

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

/* What a thread has had of processors. */
#ifndef MACHINE_THREAD_TIME_H
#define MACHINE_THREAD_TIME_H

/* Seconds of a process's first thread; NaN: not known. */
double thread_time_s(int pid);

/* Likewise those in which it could have gone on and had no processor (schedstat of proc(5)). */
double thread_waited_s(int pid);

#endif

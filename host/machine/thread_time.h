/* What a thread has used of processors. */
#ifndef MACHINE_THREAD_TIME_H
#define MACHINE_THREAD_TIME_H

/* Seconds of a process's first thread; NaN: not known. */
double thread_time_s(int pid);

#endif

/* Returns properties of this machine: processors, memory, and the file system of an open file. This file does not use
 * the plugin interface. */
#ifndef DATA_PIPELINE_MACHINE_H
#define DATA_PIPELINE_MACHINE_H

#include <stdint.h>

#define MACHINE_THREADS_MAX 64

/* Returns the number of processors on which this process may run, from 1 to MACHINE_THREADS_MAX. */
int machine_processors(void);
uint64_t machine_memory(void);                                      /* bytes that can still be allocated; 0: unknown */
double machine_cpu_seconds(void);                                   /* CPU time of all threads of this process */
const char *machine_file_system(int fd, char *text, unsigned size); /* e.g. "ext4", or "type 0x1234" */

#endif

/* What this machine has: processors, memory, and what a folder lies on. Knows nothing of the plugin ABI. */
#ifndef DATA_PIPELINE_MACHINE_H
#define DATA_PIPELINE_MACHINE_H

#include <stdint.h>

#define MACHINE_THREADS_MAX 64

int machine_processors(void);                                       /* of the affinity mask, 1 to MACHINE_THREADS_MAX */
uint64_t machine_memory(void);                                      /* bytes that may still be taken; 0: not known */
double machine_cpu_seconds(void);                                   /* that this process has used, all threads */
const char *machine_file_system(int fd, char *text, unsigned size); /* "ext4", "tmpfs", "type 0x1234" */

#endif

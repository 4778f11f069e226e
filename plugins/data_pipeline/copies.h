/* Copies between places in host memory. This file does not use the plugin interface. */
#ifndef DATA_PIPELINE_COPIES_H
#define DATA_PIPELINE_COPIES_H

#include <stddef.h>

/* Copies with stores that bypass the caches, which is useful for data that this CPU does not read again soon. Uses
 * memcpy if copy_can_stream() returns 0, that is if the machine has no such stores. */
void copy_streaming(void *to, const void *from, size_t bytes);
int copy_can_stream(void);

#endif

/* Copies between places in host memory. Independent of the plugin ABI. */
#ifndef DATA_PIPELINE_COPIES_H
#define DATA_PIPELINE_COPIES_H

#include <stddef.h>

/* Copies with stores that bypass the caches, for data that is not read again here. Uses memcpy if the machine has no
 * such stores. */
void copy_streaming(void *to, const void *from, size_t bytes);
int copy_can_stream(void);

#endif

/* Copies from host memory to host memory. Knows nothing of the plugin ABI. */
#ifndef DATA_PIPELINE_COPIES_H
#define DATA_PIPELINE_COPIES_H

#include <stddef.h>

/* With stores that go past the caches: for what is not read again here. memcpy where the machine has none. */
void copy_streaming(void *to, const void *from, size_t bytes);
int copy_can_stream(void);

#endif

/* Whether memory is there by itself: each page present, of no other mapping, and readable without anybody's help. What
 * is not can be made when somebody reads it, by a handler of faults, in time that no clock sees. */
#ifndef DEVICE_CPU_PAGES_H
#define DEVICE_CPU_PAGES_H

#include "device/device.h"

/* Opens what the checks read, before foreign code is loaded. */
void cpu_pages_open(void);

/* Reads elements where no fault can be served by a handler of signals: within mappings that may be read, or by the
 * kernel. Of a few pages each has to be there; of many pages those that are not are left to cpu_absent(), which draws
 * others. Returns 1 where memory cannot be read so. */
int cpu_gather(struct device *device, void *to, const void *from, size_t element_bytes, const struct places *places,
               struct err *err);

/* What is wrong with the memory's pages, or NULL. All pages are asked for where they are few, else as many as can be
 * asked for in 100 us, drawn by `key`; the mappings are looked at from end to end. */
const char *cpu_absent(struct device *device, const void *memory, size_t bytes, uint64_t key);

#endif

/* Memory of a processor: filled, looked through, and whether it is there by itself. */
#ifndef DEVICE_CPU_MEMORY_H
#define DEVICE_CPU_MEMORY_H

#include "device/device.h"
#include "model/data/fill.h"

int cpu_fill(struct device *device, void *memory, uint64_t elements, const struct fill *fill, struct err *err);

int cpu_count_poison(struct device *device, const void *memory, size_t element_bytes, uint64_t elements,
                     unsigned char byte, uint64_t *count, uint64_t *first, struct err *err);
int cpu_checksum(struct device *device, const void *memory, size_t bytes, uint64_t key, uint64_t *sum, struct err *err);

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

/* Memory of a processor is looked through, by all processors. */
#ifndef DEVICE_CPU_LOOK_H
#define DEVICE_CPU_LOOK_H

#include "device/device.h"

int cpu_count_poison(struct device *device, const void *memory, size_t element_bytes, uint64_t elements,
                     unsigned char byte, uint64_t *count, uint64_t *first, struct err *err);
int cpu_checksum(struct device *device, const void *memory, size_t bytes, uint64_t key, uint64_t *sum, struct err *err);

#endif

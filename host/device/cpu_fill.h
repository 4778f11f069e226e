/* Memory of a processor is filled: by all threads that it has, and in code of each type's own. */
#ifndef DEVICE_CPU_FILL_H
#define DEVICE_CPU_FILL_H

#include "device/device.h"
#include "model/fill.h"

int cpu_fill(struct device *device, void *memory, uint64_t elements, const struct fill *fill, struct err *err);

#endif

/* Operations on host memory: fill, scan, gather, and the check that the memory's pages are in place. */
#pragma once

#include "device/device.h"
#include "model/data/fill.h"

int cpu_fill(struct device *device, void *memory, uint64_t elements, const struct fill *fill, struct err *err);

int cpu_count_poison(struct device *device, const void *memory, size_t element_bytes, uint64_t elements,
                     unsigned char byte, uint64_t *count, uint64_t *first, struct err *err);
int cpu_checksum(struct device *device, const void *memory, size_t bytes, uint64_t key, uint64_t *sum, struct err *err);

/* Opens the files in /proc that the checks read. Call it before plugin code is loaded. */
void cpu_pages_open(void);

/* Reads elements in a way that does not let a signal handler of a plugin supply their values when a page fault occurs:
 * only from readable mappings, or through the kernel. If all elements are within few pages, each of these pages must be
 * resident; if there are many pages, cpu_absent() checks some of them at random. Returns 1 if the memory cannot be read
 * in this way. */
int cpu_gather(struct device *device, void *to, const void *from, size_t element_bytes, const struct places *places,
               struct err *err);

/* Returns a text that describes the fault of the memory's pages, or NULL. Checks all pages if they are few, otherwise
 * as many as take 100 us, chosen by `key`. The mappings are checked over the whole range. */
const char *cpu_absent(struct device *device, const void *memory, size_t bytes, uint64_t key);

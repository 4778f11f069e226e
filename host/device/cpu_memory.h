/* Operations on host memory: fill, scan, gather, and check that no page of the memory is missing. */
#pragma once

#include "device/device.h"
#include "model/data/fill.h"

int cpu_fill(struct device *device, void *memory, uint64_t elements, const struct fill *fill, struct err *err);

int cpu_count_poison(struct device *device, const void *memory, size_t element_bytes, uint64_t elements,
                     unsigned char byte, uint64_t *count, uint64_t *first, struct err *err);
int cpu_checksum(struct device *device, const void *memory, size_t bytes, uint64_t key, uint64_t *sum, struct err *err);

/* Opens the files in /proc by which cpu_gather() and cpu_absent() check pages and mappings. Call it before plugin code
 * is loaded. */
void cpu_pages_open(void);

/* Copies the elements at `places`. Reads the memory only if it lies in readable mappings, or by a system call, so that
 * no page fault can occur in which a plugin's signal handler would supply the values. Returns 1 if the memory cannot be
 * read in this way, or if the elements lie within a few pages of which one is not resident in memory. Elements that are
 * spread over more pages are read without that check; cpu_absent() checks random pages of them. */
int cpu_gather(struct device *device, void *to, const void *from, size_t element_bytes, const struct places *places,
               struct err *err);

/* Checks that the memory is mapped and not shared with other memory, and that no page of it is missing. Returns a text
 * that describes the fault, or NULL. If there are many pages, checks only as many as take 100 us, chosen by `key`, but
 * the mappings of the whole range. */
const char *cpu_absent(struct device *device, const void *memory, size_t bytes, uint64_t key);

/* The energy that the CPU packages have used, by RAPL: through powercap (/sys/class/powercap), or else perf_event. Does
 * not include memory, graphics and the rest of the machine. Most systems allow only root to read it, because fine
 * readings leak secrets (PLATYPUS, 2020). Virtual machines do not have it. */
#pragma once

#include <stddef.h>

struct rapl;

/* Opens the energy counters of all CPU packages. Reads the kernel's files below `root` ("": the machine's own). Returns
 * NULL with the reason in `why` if that fails. */
struct rapl *rapl_open(const char *root, char *why, size_t size);
void rapl_close(struct rapl *rapl);

/* Returns the joules of all packages since the counters were opened; NaN: one could not be read. Call it at least once
 * a minute, because a 32-bit counter wraps around after a few minutes. */
double rapl_joules(struct rapl *rapl);

/* Returns how the energy is read, such as "RAPL, powercap, 2 packages"; valid until rapl_close(). */
const char *rapl_method(const struct rapl *rapl);

/* Largest age in seconds of a value that is read: the CPU updates its energy registers about once per millisecond
 * (Intel SDM, volume 3, "Package RAPL domain"). */
#define RAPL_AGE_S 1e-3

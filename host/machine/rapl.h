/* The energy that the processor packages have used, by RAPL: through powercap (/sys/class/powercap), else through
 * perf_event. Memory, graphics and the rest of the machine are not in it. Most systems let only root read either, since
 * fine readings give secrets away (PLATYPUS, 2020); virtual machines have neither. */
#ifndef MACHINE_RAPL_H
#define MACHINE_RAPL_H

#include <stddef.h>

struct rapl;

/* Opens the counters of all packages below a root ("" is the machine), or NULL with the reason in `why`. */
struct rapl *rapl_open(const char *root, char *why, size_t size);
void rapl_close(struct rapl *rapl);

/* Joules since it was opened, all packages together; NaN where one could not be read. To be asked at least once a
 * minute: a counter of 32 bits begins anew after some. */
double rapl_joules(struct rapl *rapl);

/* "RAPL, powercap, 2 packages". Valid until it is closed. */
const char *rapl_method(const struct rapl *rapl);

/* A value is never older: the registers are written about once in a millisecond (Intel SDM, volume 3, section
 * "Package RAPL domain"). */
#define RAPL_AGE_S 1e-3

#endif

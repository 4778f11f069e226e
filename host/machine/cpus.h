/* Sets of processors in the kernel's notation: "0-3,8". */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CPUS_MAX = 8192 };

struct cpus {
  uint64_t bits[CPUS_MAX / 64];
};

/* Parses a list of processors. Returns false, with an empty set, if the text is no such list or names a processor
 * beyond CPUS_MAX. */
bool cpus_parse(const char *text, struct cpus *cpus);

bool cpus_has(const struct cpus *cpus, unsigned cpu);
size_t cpus_count(const struct cpus *cpus);

/* Returns the first processor of the set that is not below `from`; CPUS_MAX: there is none. */
unsigned cpus_next(const struct cpus *cpus, unsigned from);

/* Writes the set as the shortest list, such as "0-3,8". If it does not fit, the text ends in ",...". */
void cpus_text(const struct cpus *cpus, char *to, size_t size);

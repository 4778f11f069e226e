#include "machine/cpus.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Parses a number below CPUS_MAX at `*text` and moves `*text` behind it. Returns -1 if there is none. */
static int take_number(const char **text) {
  int value = 0;
  if (**text < '0' || **text > '9') return -1;
  for (; **text >= '0' && **text <= '9'; (*text)++) {
    value = 10 * value + (**text - '0');
    if (value >= CPUS_MAX) return -1;
  }
  return value;
}

static bool take_range(const char **text, struct cpus *cpus) {
  int first = take_number(text), last = first;
  if (first >= 0 && **text == '-') {
    (*text)++;
    last = take_number(text);
  }
  if (first < 0 || last < first) return false;
  for (int cpu = first; cpu <= last; cpu++)
    cpus->bits[cpu / 64] |= UINT64_C(1) << cpu % 64;
  return true;
}

bool cpus_parse(const char *text, struct cpus *cpus) {
  memset(cpus, 0, sizeof *cpus);
  bool good = take_range(&text, cpus);
  while (good && *text == ',') {
    text++;
    good = take_range(&text, cpus);
  }
  text += strspn(text, " \t\n");
  if (good && *text == '\0') return true;
  memset(cpus, 0, sizeof *cpus);
  return false;
}

bool cpus_has(const struct cpus *cpus, unsigned cpu) {
  return cpu < CPUS_MAX && (cpus->bits[cpu / 64] >> cpu % 64 & 1) != 0;
}

unsigned cpus_next(const struct cpus *cpus, unsigned from) {
  while (from < CPUS_MAX && !cpus_has(cpus, from))
    from += cpus->bits[from / 64] == 0 ? 64 - from % 64 : 1;
  return from < CPUS_MAX ? from : CPUS_MAX;
}

size_t cpus_count(const struct cpus *cpus) {
  size_t count = 0;
  for (unsigned cpu = cpus_next(cpus, 0); cpu < CPUS_MAX; cpu = cpus_next(cpus, cpu + 1))
    count++;
  return count;
}

void cpus_text(const struct cpus *cpus, char *to, size_t size) {
  char range[32];
  size_t used = 0;
  to[0] = '\0';
  for (unsigned first = cpus_next(cpus, 0), last; first < CPUS_MAX; first = cpus_next(cpus, last + 1)) {
    for (last = first; cpus_has(cpus, last + 1);)
      last++;
    const char *comma = used > 0 ? "," : "";
    if (last > first)
      snprintf(range, sizeof range, "%s%u-%u", comma, first, last);
    else
      snprintf(range, sizeof range, "%s%u", comma, first);
    bool ends = cpus_next(cpus, last + 1) == CPUS_MAX;
    if (used + strlen(range) + (ends ? 0 : strlen(",...")) >= size) {
      text_copy(to + used, size - used, ",...");
      return;
    }
    text_copy(to + used, size - used, range);
    used += strlen(range);
  }
}

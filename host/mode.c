#include "mode.h"

#include <string.h>

#include "text.h"

static const char *const names[TIMING_COUNT][LOAD_COUNT] = {
    [TIMING_COLD] = {"cold", "cold+burst", "cold+sustained"},
    [TIMING_HOT] = {"hot", "hot+burst", "hot+sustained"},
    [TIMING_GRAPH] = {"graph", "graph+burst", "graph+sustained"},
    [TIMING_LATENCY] = {"latency", "latency+burst", "latency+sustained"},
    [TIMING_LATENCY_GRAPH] = {"latency-graph", "latency-graph+burst", "latency-graph+sustained"},
    [TIMING_WALL] = {"wall", "wall+burst", "wall+sustained"},
};

const char *mode_name(struct mode mode) {
  return mode.timing < TIMING_COUNT && mode.load < LOAD_COUNT ? names[mode.timing][mode.load] : "unknown";
}

bool mode_parse(const char *text, struct mode *mode) {
  for (uint32_t timing = 0; timing < TIMING_COUNT; timing++)
    for (uint32_t load = 0; load < LOAD_COUNT; load++)
      if (strcmp(text, names[timing][load]) == 0) {
        *mode = (struct mode){timing, load};
        return true;
      }
  return false;
}

void mode_list(char *to, size_t size) {
  const char *plain[TIMING_COUNT];
  for (size_t i = 0; i < TIMING_COUNT; i++)
    plain[i] = names[i][LOAD_PLAIN];
  text_join(to, size, plain, TIMING_COUNT);
}

bool mode_is_batched(struct mode mode) {
  return mode.timing == TIMING_HOT || mode.timing == TIMING_GRAPH;
}

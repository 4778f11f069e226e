#include "model/mode.h"

#include "base/memory.h"

#include <string.h>

static const struct {
  const char *names[LOAD_COUNT];
  bool batched, replays, by_host;
} modes[TIMING_COUNT] = {
    [TIMING_COLD] = {{"cold", "cold+burst", "cold+sustained"}, false, false, false},
    [TIMING_HOT] = {{"hot", "hot+burst", "hot+sustained"}, true, false, false},
    [TIMING_GRAPH] = {{"graph", "graph+burst", "graph+sustained"}, true, true, false},
    [TIMING_LATENCY] = {{"latency", "latency+burst", "latency+sustained"}, false, false, true},
    [TIMING_LATENCY_GRAPH] = {{"latency-graph", "latency-graph+burst", "latency-graph+sustained"}, false, true, true},
    [TIMING_WALL] = {{"wall", "wall+burst", "wall+sustained"}, false, false, true},
};

const char *mode_name(struct mode mode) {
  return mode.timing < TIMING_COUNT && mode.load < LOAD_COUNT ? modes[mode.timing].names[mode.load] : "unknown";
}

bool mode_parse(const char *text, struct mode *mode) {
  for (uint32_t timing = 0; timing < TIMING_COUNT; timing++)
    for (uint32_t load = 0; load < LOAD_COUNT; load++)
      if (strcmp(text, modes[timing].names[load]) == 0) {
        *mode = (struct mode){timing, load};
        return true;
      }
  return false;
}

static int unknown_mode(const char *what, const char *text, struct err *err) {
  const char *plain[TIMING_COUNT];
  char list[TEXT_SIZE];
  for (size_t i = 0; i < TIMING_COUNT; i++)
    plain[i] = modes[i].names[LOAD_PLAIN];
  text_join(list, sizeof list, plain, TIMING_COUNT);
  return err_set(err, EXIT_USAGE, "%s '%.64s': there are %s, each also with +burst or +sustained", what, text, list);
}

int mode_take(struct strings *list, const char *what, const char *text, struct err *err) {
  SCOPED char *copy = xstrdup(text);
  char *rest = copy, *word;
  struct mode mode;
  int rc = 0;
  while (rc == 0 && (word = strsep(&rest, ",")) != NULL) {
    word += strspn(word, " ");
    word[strcspn(word, " ")] = '\0';
    if (mode_parse(word, &mode))
      strings_add(list, mode_name(mode));
    else
      rc = unknown_mode(what, word, err);
  }
  return rc;
}

bool mode_is_batched(struct mode mode) {
  return modes[mode.timing].batched;
}

bool mode_replays(struct mode mode) {
  return modes[mode.timing].replays;
}

bool mode_is_unbroken(struct mode mode) {
  return mode_is_batched(mode) || mode_replays(mode);
}

bool mode_is_by_host(struct mode mode) {
  return modes[mode.timing].by_host;
}

double mode_lead_s(struct mode mode) {
  static const double leads[LOAD_COUNT] = {[LOAD_BURST] = 0.205, [LOAD_SUSTAINED] = 2};
  return leads[mode.load];
}

double mode_slot_s(struct mode mode) {
  static const double slots[LOAD_COUNT] = {[LOAD_BURST] = 0.01, [LOAD_SUSTAINED] = 0.3};
  return slots[mode.load];
}

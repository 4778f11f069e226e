#include "stats/slot.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

/* A slot's place, by its process: those of several may be mixed. */
struct place {
  uint32_t epoch;
  size_t at;
};

static int by_epoch(const void *a, const void *b) {
  const struct place *x = a, *y = b;
  if (x->epoch != y->epoch) return x->epoch < y->epoch ? -1 : 1;
  return x->at < y->at ? -1 : x->at > y->at;
}

/* Those with less rest than the last of their process. */
static bool *find_aside(const struct slot *slots, size_t count) {
  SCOPED struct place *places = xcalloc(count, sizeof *places);
  bool *aside = xcalloc(count, sizeof *aside);
  for (size_t i = 0; i < count; i++)
    places[i] = (struct place){slots[i].epoch, i};
  qsort(places, count, sizeof *places, by_epoch);
  double rest = 0;
  for (size_t i = count; i-- > 0;) {
    const struct slot *slot = &slots[places[i].at];
    if (i + 1 == count || places[i + 1].epoch != slot->epoch) rest = slot->state.rest;
    aside[places[i].at] = slot->state.rest < rest;
  }
  return aside;
}

size_t slots_rested(struct slot *slots, size_t count, size_t *aside) {
  SCOPED bool *leaves = find_aside(slots, count);
  size_t kept = 0;
  *aside = 0;
  for (size_t i = 0; i < count; i++) {
    const struct slot slot = slots[i];
    if (leaves[i]) {
      *aside += slot.count;
      continue;
    }
    slots[i] = slots[kept];
    slots[kept++] = slot;
  }
  return kept;
}

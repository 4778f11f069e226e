/* What a contestant keeps of its slots. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "measure/contestant.h"

/* All its memory is taken and touched here, so that none of it looks like a leak of the variant's. */
void contestant_open_slot(struct contestant *k, uint32_t round) {
  double *ns = xcalloc(k->slot_size, sizeof *ns);
  memset(ns, 1, k->slot_size * sizeof *ns);
  k->slots = xgrow(k->slots, k->slot_count, sizeof *k->slots);
  k->slots[k->slot_count++] = (struct slot){.round = round, .ns = ns};
}

void contestant_keep(struct contestant *k, const struct slot_state *state, const double *ns, uint32_t count) {
  struct slot *slot = &k->slots[k->slot_count - 1];
  double *kept = (double *)(uintptr_t)slot->ns;
  if (slot->count == 0) slot->state = *state;
  memcpy(kept + slot->count, ns, count * sizeof *kept);
  slot->count += count;
}

static void free_slots(struct contestant *k) {
  for (size_t i = 0; i < k->slot_count; i++)
    free((void *)(uintptr_t)k->slots[i].ns);
  free(k->slots);
  k->slots = NULL;
  k->slot_count = 0;
}

void contestant_set_aside(struct contestant *k) {
  free_slots(k);
  k->first = k->late = k->surprised = (struct audits){0};
  k->precise = k->partner = false;
}

void contestant_free(struct contestant *k) {
  values_free(&k->values);
  free_slots(k);
}

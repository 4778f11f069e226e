/* From the kernel's files alone. */
#include "machine/near.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "machine/kernel_files.h"
#include "machine/topology.h"

static const char *fact(const struct pairs *topology, const char *part, const char *number, const char *name) {
  char key[ID_SIZE];
  snprintf(key, sizeof key, "topology.%s.%.16s.%s", part, number, name);
  return pairs_get(topology, key);
}

/* NULL: not known. */
static const char *node_of(const struct pairs *topology, const char *uuid) {
  char number[16];
  for (size_t i = 0;; i++) {
    snprintf(number, sizeof number, "%zu", i);
    if (fact(topology, "gpu", number, "pci") == NULL) return NULL;
    if (text_same(fact(topology, "gpu", number, "uuid"), uuid)) return fact(topology, "gpu", number, "node");
  }
}

static struct cpus near_one(const struct pairs *topology, const char *uuid, const struct cpus *allowed) {
  const char *node = uuid[0] != '\0' ? node_of(topology, uuid) : NULL;
  struct cpus near;
  if (node == NULL || !cpus_parse(text_or_empty(fact(topology, "node", node, "cpus")), &near)) return *allowed;
  for (size_t i = 0; i < CPUS_MAX / 64; i++)
    near.bits[i] &= allowed->bits[i];
  return cpus_count(&near) > 0 ? near : *allowed;
}

/* The first of its core. */
static unsigned core_of(const char *root, unsigned cpu) {
  char text[1024];
  struct cpus members;
  const bool known =
      tree_text(root, text, sizeof text, "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", cpu) &&
      cpus_parse(text, &members) && cpus_has(&members, cpu);
  return known ? cpus_next(&members, 0) : cpu;
}

static void take_share(const char *root, const struct cpus *all, size_t number, size_t of, struct cpus *share) {
  SCOPED unsigned *cores = xcalloc(cpus_count(all), sizeof *cores);
  size_t count = 0, at[CPUS_MAX]; /* which of the cores a processor is of */
  for (unsigned cpu = cpus_next(all, 0); cpu < CPUS_MAX; cpu = cpus_next(all, cpu + 1)) {
    const unsigned core = core_of(root, cpu);
    for (at[cpu] = 0; at[cpu] < count && cores[at[cpu]] != core; at[cpu]++)
      continue;
    if (at[cpu] == count) cores[count++] = core;
  }
  if (count == 0 || count < of) {
    *share = *all;
    return;
  }
  *share = (struct cpus){0};
  for (unsigned cpu = cpus_next(all, 0); cpu < CPUS_MAX; cpu = cpus_next(all, cpu + 1))
    if (at[cpu] * of / count == number) share->bits[cpu / 64] |= UINT64_C(1) << cpu % 64;
}

void near_divide(const char *root, const char *const *uuids, size_t count, struct cpus *shares) {
  char text[4096];
  struct cpus allowed, *near = xcalloc(count, sizeof *near);
  struct pairs topology = {0};
  if (!tree_value(root, "/proc/self/status", "Cpus_allowed_list", text, sizeof text) || !cpus_parse(text, &allowed))
    allowed = (struct cpus){0};
  topology_read(root, &topology);
  for (size_t i = 0; i < count; i++)
    near[i] = near_one(&topology, uuids[i], &allowed);
  for (size_t i = 0; i < count; i++) {
    size_t number = 0, of = 0;
    for (size_t j = 0; j < count; j++) {
      if (memcmp(&near[i], &near[j], sizeof near[i]) != 0) continue;
      number += j < i;
      of++;
    }
    take_share(root, &near[i], number, of, &shares[i]);
  }
  pairs_free(&topology);
  free(near);
}

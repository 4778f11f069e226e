/* Reads the machine's structure from /sys and /proc. */
#include "machine/topology.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "machine/kernel_files.h"

enum { NODES_MAX = 16, PACKAGES_MAX = 16, GPUS_MAX = 32, CPUS_ASKED = 1024, PCI_SIZE = 16 };

struct package {
  int64_t id, node; /* node: number of its NUMA node; -1: not known, or the package has several */
  int64_t cores, threads, l3_bytes;
};

struct topology {
  const char *root;
  struct pairs *pairs;
  struct cpus nodes[NODES_MAX]; /* the processors of each node */
  struct package packages[PACKAGES_MAX];
  size_t package_count;
};

static void add_topology_fact(const struct topology *t, const char *part, size_t number, const char *fact,
                              const char *value) {
  char name[ID_SIZE];
  if (value[0] == '\0') return;
  snprintf(name, sizeof name, "topology.%s.%zu.%s", part, number, fact);
  pairs_add(t->pairs, name, "%s", value);
}

static void add_number(const struct topology *t, const char *part, size_t number, const char *fact, int64_t value) {
  char text[32] = "";
  if (value >= 0) snprintf(text, sizeof text, "%lld", (long long)value);
  add_topology_fact(t, part, number, fact, text);
}

/* Parses a number of KiB, such as "32768K" or "264 kB", and returns it in bytes. -1: the text is no such number. */
static int64_t parse_kib(char *text) {
  char *unit = strpbrk(text, " Kk");
  if (unit == NULL) return -1;
  *unit = '\0';
  int64_t kib = tree_parse(text);
  return kib < 0 || kib > INT64_MAX / 1024 ? -1 : 1024 * kib;
}

/* ---- NUMA nodes ---- */

/* Returns the value with this label from a memory file such as /proc/meminfo, in bytes; -1: not known. */
static int64_t memory_bytes(const struct topology *t, const char *path, const char *label) {
  char memory[64];
  return tree_value(t->root, path, label, memory, sizeof memory) ? parse_kib(memory) : -1;
}

static int64_t node_memory(const struct topology *t, unsigned number) {
  char path[64], label[32];
  snprintf(path, sizeof path, "/sys/devices/system/node/node%u/meminfo", number);
  snprintf(label, sizeof label, "Node %u MemTotal", number);
  return memory_bytes(t, path, label);
}

/* Returns true if the memory of all NUMA nodes adds up to the memory of the machine. Some virtual machines and
 * sandboxes report nodes with 5 GB of 128 GB; the memory of nodes is left out then. */
static bool nodes_have_all_memory(const struct topology *t, const struct cpus *online) {
  const double alike = 0.95;
  const int64_t all = memory_bytes(t, "/proc/meminfo", "MemTotal");
  double sum = 0;
  for (unsigned node = cpus_next(online, 0); node < NODES_MAX; node = cpus_next(online, node + 1))
    sum += (double)node_memory(t, node);
  return all > 0 && sum >= alike * (double)all && alike * sum <= (double)all;
}

static void read_node(struct topology *t, unsigned number, bool with_memory) {
  char text[4096], key[32];
  snprintf(key, sizeof key, "/sys/devices/system/node/node%u", number);
  if (tree_text(t->root, text, sizeof text, "%s/cpulist", key) && cpus_parse(text, &t->nodes[number]))
    add_topology_fact(t, "node", number, "cpus", text);
  if (with_memory) add_number(t, "node", number, "memory_bytes", node_memory(t, number));
  if (tree_text(t->root, text, sizeof text, "%s/distance", key)) add_topology_fact(t, "node", number, "distance", text);
}

static void read_nodes(struct topology *t) {
  char text[256];
  /* holds numbers of nodes, not of processors: the kernel writes both kinds of lists in the same format */
  struct cpus online;
  if (!tree_text(t->root, text, sizeof text, "/sys/devices/system/node/online") || !cpus_parse(text, &online)) return;
  const bool with_memory = nodes_have_all_memory(t, &online);
  for (unsigned node = cpus_next(&online, 0); node < NODES_MAX; node = cpus_next(&online, node + 1))
    read_node(t, node, with_memory);
}

/* ---- CPU packages ---- */

static int64_t node_of_cpu(const struct topology *t, unsigned cpu) {
  for (unsigned node = 0; node < NODES_MAX; node++)
    if (cpus_has(&t->nodes[node], cpu)) return node;
  return -1;
}

static struct package *package_of(struct topology *t, int64_t id, unsigned cpu) {
  for (size_t i = 0; i < t->package_count; i++)
    if (t->packages[i].id == id) return &t->packages[i];
  if (t->package_count == PACKAGES_MAX) return NULL;
  t->packages[t->package_count] = (struct package){.id = id, .node = node_of_cpu(t, cpu)};
  return &t->packages[t->package_count++];
}

/* Returns true if this processor is the first one in the list of processors that `file` in its folder holds. All
 * processors in such a list (of those that share a cache, for example) have the same list, so counting first processors
 * counts each list once. */
static bool leads_shared_list(const struct topology *t, unsigned cpu, const char *file) {
  char text[1024];
  struct cpus members;
  return tree_text(t->root, text, sizeof text, "/sys/devices/system/cpu/cpu%u/%s", cpu, file) &&
         cpus_parse(text, &members) && cpus_next(&members, 0) == cpu;
}

static void read_cpu(struct topology *t, unsigned cpu) {
  char size[32];
  int64_t id = tree_number(t->root, "/sys/devices/system/cpu/cpu%u/topology/physical_package_id", cpu);
  struct package *package = id < 0 ? NULL : package_of(t, id, cpu);
  if (package == NULL) return;
  package->threads++;
  package->cores += leads_shared_list(t, cpu, "topology/thread_siblings_list");
  if (package->node != node_of_cpu(t, cpu)) package->node = -1;
  if (!leads_shared_list(t, cpu, "cache/index3/shared_cpu_list")) return;
  if (!tree_text(t->root, size, sizeof size, "/sys/devices/system/cpu/cpu%u/cache/index3/size", cpu)) return;
  int64_t bytes = parse_kib(size);
  if (bytes > 0) package->l3_bytes += bytes;
}

static void read_packages(struct topology *t) {
  char text[4096];
  struct cpus online;
  if (!tree_text(t->root, text, sizeof text, "/sys/devices/system/cpu/online") || !cpus_parse(text, &online)) return;
  unsigned cpu = cpus_next(&online, 0);
  for (int asked = 0; cpu < CPUS_MAX && asked < CPUS_ASKED; asked++, cpu = cpus_next(&online, cpu + 1))
    read_cpu(t, cpu);
  /* some processors were not read, because there are more than CPUS_ASKED; a partial count would be wrong */
  if (cpu < CPUS_MAX) return;
  for (size_t i = 0; i < t->package_count; i++) {
    const struct package *package = &t->packages[i];
    add_number(t, "package", i, "node", package->node);
    add_number(t, "package", i, "cores", package->cores > 0 ? package->cores : -1);
    add_number(t, "package", i, "threads", package->threads);
    add_number(t, "package", i, "l3_bytes", package->l3_bytes > 0 ? package->l3_bytes : -1);
  }
}

/* ---- Caches ---- */

/* Returns the index of this processor's cache of the highest level; -1: not known. */
static int last_cache(const char *root, unsigned cpu) {
  enum { CACHES_MAX = 16 };
  int64_t highest = 0;
  int last = -1;
  for (int i = 0; i < CACHES_MAX; i++) {
    const int64_t level = tree_number(root, "/sys/devices/system/cpu/cpu%u/cache/index%d/level", cpu, i);
    if (level <= highest) continue;
    highest = level;
    last = i;
  }
  return last;
}

int64_t topology_cache_bytes(const char *root, const struct cpus *cpus) {
  char size[32];
  int64_t most = -1;
  unsigned cpu = cpus_next(cpus, 0);
  const int last = last_cache(root, cpu);
  for (int asked = 0; last >= 0 && cpu < CPUS_MAX && asked < CPUS_ASKED; asked++, cpu = cpus_next(cpus, cpu + 1)) {
    if (!tree_text(root, size, sizeof size, "/sys/devices/system/cpu/cpu%u/cache/index%d/size", cpu, last)) continue;
    const int64_t bytes = parse_kib(size);
    if (bytes > most) most = bytes;
  }
  return most;
}

/* ---- GPUs ---- */

/* Returns true if the text has the form of a PCI address: "0000:18:00.0". */
static bool is_pci(const char *text) {
  unsigned domain, bus, slot, function;
  int length = 0;
  return sscanf(text, "%8x:%2x:%2x.%1x%n", &domain, &bus, &slot, &function, &length) == 4 && text[length] == '\0' &&
         length < PCI_SIZE;
}

static bool is_gpu(const char *root, const char *pci) {
  char vendor[16], class[16];
  return tree_text(root, vendor, sizeof vendor, "/sys/bus/pci/devices/%s/vendor", pci) &&
         tree_text(root, class, sizeof class, "/sys/bus/pci/devices/%s/class", pci) && strcmp(vendor, "0x10de") == 0 &&
         strncmp(class, "0x03", 4) == 0;
}

/* Finds the PCI bridges between the root and the device. They are the parents of the device's folder in /sys. */
static void read_bridges(const struct topology *t, size_t number, const char *pci) {
  char path[2048], target[2048], bridges[EXPR_SIZE] = "";
  snprintf(path, sizeof path, "%s/sys/bus/pci/devices/%s", t->root, pci);
  ssize_t length = readlink(path, target, sizeof target - 1);
  if (length <= 0) return;
  target[length] = '\0';
  for (char *rest = target, *part; (part = strsep(&rest, "/")) != NULL;) {
    size_t used = strlen(bridges);
    if (!is_pci(part) || strcmp(part, pci) == 0 || used + PCI_SIZE + 1 >= sizeof bridges) continue;
    snprintf(bridges + used, sizeof bridges - used, "%s%s", used > 0 ? "/" : "", part);
  }
  add_topology_fact(t, "gpu", number, "bridges", bridges);
}

static void read_link(const struct topology *t, size_t number, const char *pci, const char *which, const char *fact) {
  char speed[32], text[64];
  int64_t width = tree_number(t->root, "/sys/bus/pci/devices/%s/%s_link_width", pci, which);
  if (!tree_text(t->root, speed, sizeof speed, "/sys/bus/pci/devices/%s/%s_link_speed", pci, which)) return;
  if (width <= 0 || strncmp(speed, "Unknown", 7) == 0) return;
  snprintf(text, sizeof text, "%s x%lld", speed, (long long)width);
  add_topology_fact(t, "gpu", number, fact, text);
}

static void read_gpu_facts(const struct topology *t, size_t number, const char *pci) {
  char path[64], text[TEXT_SIZE];
  snprintf(path, sizeof path, "/proc/driver/nvidia/gpus/%.15s/information", pci);
  add_topology_fact(t, "gpu", number, "pci", pci);
  if (tree_value(t->root, path, "Model", text, sizeof text)) add_topology_fact(t, "gpu", number, "name", text);
  if (tree_value(t->root, path, "GPU UUID", text, sizeof text)) add_topology_fact(t, "gpu", number, "uuid", text);
  add_number(t, "gpu", number, "node", tree_number(t->root, "/sys/bus/pci/devices/%s/numa_node", pci));
  read_bridges(t, number, pci);
  read_link(t, number, pci, "current", "link");
  read_link(t, number, pci, "max", "link_max");
}

static int by_pci_address(const void *a, const void *b) {
  return strcmp(a, b);
}

static void read_gpus(const struct topology *t) {
  char path[1024], found[GPUS_MAX][PCI_SIZE];
  struct dirent *entry;
  size_t count = 0;
  snprintf(path, sizeof path, "%s/sys/bus/pci/devices", t->root);
  SCOPED_DIR DIR *folder = opendir(path);
  while (folder != NULL && count < GPUS_MAX && (entry = readdir(folder)) != NULL)
    if (is_pci(entry->d_name) && is_gpu(t->root, entry->d_name))
      text_copy(found[count++], sizeof found[0], entry->d_name);
  qsort(found, count, sizeof found[0], by_pci_address);
  for (size_t i = 0; i < count; i++)
    read_gpu_facts(t, i, found[i]);
}

void topology_read(const char *root, struct pairs *pairs) {
  SCOPED struct topology *t = xcalloc(1, sizeof *t);
  t->root = root;
  t->pairs = pairs;
  read_nodes(t);
  read_packages(t);
  read_gpus(t);
}

/* ---- Dividing processors among GPUs ---- */

static const char *part_fact(const struct pairs *topology, const char *part, const char *number, const char *name) {
  char key[ID_SIZE];
  snprintf(key, sizeof key, "topology.%s.%.16s.%s", part, number, name);
  return pairs_get(topology, key);
}

/* Returns the number of the GPU's NUMA node; NULL: not known. */
static const char *node_of(const struct pairs *topology, const char *uuid) {
  char number[16];
  for (size_t i = 0;; i++) {
    snprintf(number, sizeof number, "%zu", i);
    if (part_fact(topology, "gpu", number, "pci") == NULL) return NULL;
    if (text_same(part_fact(topology, "gpu", number, "uuid"), uuid)) return part_fact(topology, "gpu", number, "node");
  }
}

static struct cpus near_one(const struct pairs *topology, const char *uuid, const struct cpus *allowed) {
  const char *node = uuid[0] != '\0' ? node_of(topology, uuid) : NULL;
  struct cpus near;
  if (node == NULL || !cpus_parse(text_or_empty(part_fact(topology, "node", node, "cpus")), &near)) return *allowed;
  for (size_t i = 0; i < CPUS_MAX / 64; i++)
    near.bits[i] &= allowed->bits[i];
  return cpus_count(&near) > 0 ? near : *allowed;
}

/* Returns the first processor of the core that this processor belongs to. */
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
  size_t count = 0, at[CPUS_MAX]; /* at[cpu]: index in `cores` of the processor's core */
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

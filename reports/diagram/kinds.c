/* Makes the diagrams of a report: what a variant launches and keeps in memory, the machine, and which variants are
 * faster than which. */
#include "diagram/kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "options/device_list.h"
#include "summary/row.h"

/* ---- The launches and tensors of a variant, as its plugin stated them ---- */

const char *diagram_graph_kind(const struct graph_node *node) {
  static const char *const names[GRAPH_KIND_END] = {
      [GRAPH_KERNEL] = "kernel", [GRAPH_COPY] = "copy",     [GRAPH_MEMSET] = "memset",
      [GRAPH_HOST] = "CPU step", [GRAPH_TENSOR] = "tensor",
  };
  return node->kind < GRAPH_KIND_END && names[node->kind] != NULL ? names[node->kind] : "";
}

uint64_t diagram_graph_most(const struct run_graph *graph) {
  uint64_t most = 0;
  for (size_t i = 0; i < graph->edge_count; i++)
    if (graph->edges[i].bytes > most) most = graph->edges[i].bytes;
  return most;
}

size_t diagram_graph_steps(const struct run_graph *graph) {
  size_t steps = 0;
  for (size_t i = 0; i < graph->node_count; i++)
    steps += graph->nodes[i].kind != GRAPH_TENSOR;
  return steps;
}

/* Writes a number of operations: "137 GFLOP". */
static void flops_text(char *to, size_t size, uint64_t flops) {
  static const char *const units[] = {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP", "EFLOP"};
  double value = (double)flops;
  size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < sizeof units / sizeof units[0]; unit++)
    value /= 1000;
  snprintf(to, size, "%.31s %s", number_significant(value, 3).text, units[unit]);
}

static void add_graph_box(struct diagram *d, const struct graph_node *node) {
  static const enum diagram_look looks[GRAPH_KIND_END] = {
      [GRAPH_KERNEL] = DIAGRAM_STEP, [GRAPH_COPY] = DIAGRAM_MINOR,  [GRAPH_MEMSET] = DIAGRAM_MINOR,
      [GRAPH_HOST] = DIAGRAM_HOST,   [GRAPH_TENSOR] = DIAGRAM_DATA,
  };
  char text[128], flops[48] = "", bytes[48] = "";
  if (node->flops > 0) flops_text(flops, sizeof flops, node->flops);
  if (node->bytes > 0) text_bytes(bytes, sizeof bytes, (double)node->bytes);
  size_t index = diagram_node(d, -1, looks[node->kind], node->label[0] ? node->label : node->id);
  snprintf(text, sizeof text, "%s%s%s%s%s", diagram_graph_kind(node), flops[0] ? ", " : "", flops, bytes[0] ? ", " : "",
           bytes);
  diagram_line(d, index, text);
  diagram_line(d, index, node->note);
}

static void add_graph_arrow(struct diagram *d, const struct graph_edge *edge, uint64_t most_bytes) {
  char text[TEXT_SIZE + 64], bytes[48] = "";
  if (edge->bytes > 0) text_bytes(bytes, sizeof bytes, (double)edge->bytes);
  snprintf(text, sizeof text, "%s%s%s", edge->label, edge->label[0] && bytes[0] ? "\n" : "", bytes);
  struct diagram_edge *drawn = diagram_edge(d, edge->from, edge->to, text);
  if (most_bytes > 0) drawn->weight = (double)edge->bytes / (double)most_bytes;
}

bool diagram_of_graph(struct diagram *d, const char *id, const struct run_graph *graph, uint64_t most_bytes) {
  char title[TEXT_SIZE + 64], text[256], bytes[48];
  size_t steps = diagram_graph_steps(graph);
  text_bytes(bytes, sizeof bytes, (double)bound_traffic(graph));
  snprintf(title, sizeof title, "%.*s, %.120s: %zu step%s", (int)strcspn(graph->case_key, "["), graph->case_key,
           graph->variant, steps, steps == 1 ? "" : "s");
  snprintf(text, sizeof text, "%zu step%s and %zu tensors; %s along the arrows. The table below has every part.", steps,
           steps == 1 ? "" : "s", graph->node_count - steps, bytes);
  diagram_init(d, id, title, text);
  for (size_t i = 0; i < graph->node_count; i++)
    add_graph_box(d, &graph->nodes[i]);
  for (size_t i = 0; i < graph->edge_count; i++)
    add_graph_arrow(d, &graph->edges[i], most_bytes);
  return d->node_count > 0;
}

/* The machine: NUMA nodes with their processors and memory, and GPUs with their links. Everything is read from the
 * pairs topology.* of run.ini, which are untrusted. */

enum { PARTS_MAX = 32, NODES_MAX = 16 };

struct machine {
  struct diagram *d;
  const struct pairs *environment;
  int clusters[NODES_MAX];      /* indices of the NUMA nodes' clusters; -1: none */
  size_t processors[NODES_MAX]; /* by NUMA node: the index of the box of its first CPU package */
  bool has_processor[NODES_MAX];
  size_t numa_count;
};

static const char *topology_fact(const struct machine *m, const char *part, size_t number, const char *name) {
  char key[128];
  snprintf(key, sizeof key, "topology.%s.%zu.%s", part, number, name);
  const char *value = pairs_get(m->environment, key);
  return value != NULL ? value : "";
}

static double fact_number(const struct machine *m, const char *part, size_t number, const char *name) {
  const char *text = topology_fact(m, part, number, name);
  return text[0] >= '0' && text[0] <= '9' ? strtod(text, NULL) : -1;
}

static bool has_topology_part(const struct machine *m, const char *part, size_t number) {
  char prefix[64];
  int length = snprintf(prefix, sizeof prefix, "topology.%s.%zu.", part, number);
  for (size_t i = 0; i < m->environment->count; i++)
    if (strncmp(m->environment->items[i].name, prefix, (size_t)length) == 0) return true;
  return false;
}

static const char *known_environment(const struct machine *m, const char *name) {
  const char *value = pairs_get(m->environment, name);
  return value != NULL ? value : "";
}

/* ---- NUMA nodes, memory, processors ---- */

/* Returns the NUMA node of a part; -1 if it is not known or not in the diagram. If the machine has a single NUMA node,
 * parts that name no node are taken to be in it. */
static int numa_of(const struct machine *m, const char *part, size_t number) {
  double node = fact_number(m, part, number, "node");
  if (node < 0 && m->numa_count == 1)
    for (int i = 0; i < NODES_MAX; i++)
      if (m->clusters[i] >= 0) return i;
  return node >= 0 && node < NODES_MAX && m->clusters[(int)node] >= 0 ? (int)node : -1;
}

static void add_numa(struct machine *m) {
  char title[64];
  for (size_t i = 0; i < NODES_MAX; i++) {
    m->clusters[i] = -1;
    if (!has_topology_part(m, "node", i)) continue;
    snprintf(title, sizeof title, "NUMA node %zu", i);
    m->clusters[i] = (int)diagram_cluster(m->d, title);
    m->numa_count++;
  }
}

static void add_package_box(struct machine *m, size_t number) {
  char text[128], bytes[48];
  int numa = numa_of(m, "package", number);
  const char *device = known_environment(m, "device");
  const bool used = devices_are(device, DEVICE_HOST_PROCESSORS) && !devices_are(device, DEVICE_SCRIPTED);
  size_t node = diagram_node(m->d, numa >= 0 ? m->clusters[numa] : -1, used ? DIAGRAM_STRONG : DIAGRAM_PLAIN,
                             known_environment(m, "cpu")[0] ? known_environment(m, "cpu") : "CPU");
  double cores = fact_number(m, "package", number, "cores"), threads = fact_number(m, "package", number, "threads");
  double l3 = fact_number(m, "package", number, "l3_bytes");
  if (cores > 0) {
    snprintf(text, sizeof text, "%.0f core%s, %.0f thread%s", cores, cores == 1 ? "" : "s", threads,
             threads == 1 ? "" : "s");
    diagram_line(m->d, node, text);
  }
  if (l3 > 0) {
    text_bytes(bytes, sizeof bytes, l3);
    snprintf(text, sizeof text, "L3 cache %s", bytes);
    diagram_line(m->d, node, text);
  }
  if (used) diagram_line(m->d, node, "measured here");
  if (numa < 0 || m->has_processor[numa]) return;
  m->processors[numa] = node;
  m->has_processor[numa] = true;
}

static void add_memory(struct machine *m, size_t number) {
  char bytes[48];
  double size = fact_number(m, "node", number, "memory_bytes");
  if (m->clusters[number] < 0 || size <= 0) return;
  size_t node = diagram_node(m->d, m->clusters[number], DIAGRAM_DATA, "memory");
  text_bytes(bytes, sizeof bytes, size);
  diagram_line(m->d, node, bytes);
  if (m->has_processor[number]) diagram_link(m->d, node, m->processors[number], "");
}

/* Returns the number at `index` in a list such as "10 21"; -1: the list is shorter. */
static long list_number_at(const char *list, size_t index) {
  char *end = NULL;
  long value = -1;
  for (size_t i = 0; i <= index; i++, list = end) {
    value = strtol(list, &end, 10);
    if (end == list) return -1;
  }
  return value;
}

/* Draws the distances between NUMA nodes. The list of distances of a node has an entry for each existing node, in the
 * order of the nodes' numbers. */
static void add_distances(struct machine *m) {
  char text[64];
  for (size_t a = 0; a < NODES_MAX; a++)
    for (size_t b = a + 1, place = 0; b < NODES_MAX; b++) {
      if (!m->has_processor[a] || !m->has_processor[b]) continue;
      place = 0;
      for (size_t i = 0; i < b; i++)
        place += m->clusters[i] >= 0;
      long distance = list_number_at(topology_fact(m, "node", a, "distance"), place);
      if (distance <= 0) continue;
      snprintf(text, sizeof text, "distance %ld", distance);
      diagram_link(m->d, m->processors[a], m->processors[b], text)->free = true;
    }
}

/* ---- GPUs ---- */

/* Writes a link in short: "PCIe 5.0 x16" for "32.0 GT/s PCIe x16". */
static void link_text(const char *link, char *to, size_t size) {
  static const struct {
    double gt_per_s;
    const char *generation;
  } known_links[] = {{2.5, "1.0"}, {5, "2.0"}, {8, "3.0"}, {16, "4.0"}, {32, "5.0"}, {64, "6.0"}};
  const char *width = strstr(link, " x");
  double speed = strtod(link, NULL);
  text_copy(to, size, link);
  for (size_t i = 0; i < sizeof known_links / sizeof known_links[0]; i++)
    if (speed == known_links[i].gt_per_s)
      snprintf(to, size, "PCIe %s%.8s", known_links[i].generation, width != NULL ? width : "");
}

/* Returns the length of the first bridge's name in a list; the first bridge is the one next to the root. */
static size_t root_length(const char *bridges) {
  return strcspn(bridges, "/");
}

static bool same_root(const struct machine *m, size_t a, size_t b) {
  const char *x = topology_fact(m, "gpu", a, "bridges"), *y = topology_fact(m, "gpu", b, "bridges");
  size_t length = root_length(x);
  return length > 0 && root_length(y) == length && strncmp(x, y, length) == 0;
}

/* Returns true if another GPU is below the same root port, which means that they share a PCIe switch. *first becomes
 * the lowest index of the GPUs below that port. */
static bool behind_switch(const struct machine *m, size_t number, size_t *first) {
  bool shared = false;
  *first = number;
  for (size_t i = 0; i < PARTS_MAX; i++) {
    if (i == number || !has_topology_part(m, "gpu", i) || !same_root(m, number, i)) continue;
    shared = true;
    if (i < *first) *first = i;
  }
  return shared;
}

static void join_processor(struct machine *m, int numa, size_t node, const char *label) {
  if (numa >= 0 && m->has_processor[numa]) diagram_link(m->d, m->processors[numa], node, label);
}

/* Returns true if this GPU was measured. If its UUID is not known, the GPU is taken as measured only if it is the only
 * one of the machine. */
static bool is_measured_gpu(const struct machine *m, size_t number) {
  const char *uuid = topology_fact(m, "gpu", number, "uuid"), *device = known_environment(m, "device_uuid");
  if (device[0] == '\0') return false;
  return uuid[0] != '\0' ? strcmp(uuid, device) == 0
                         : !has_topology_part(m, "gpu", 0) || !has_topology_part(m, "gpu", 1);
}

static size_t add_gpu(struct machine *m, size_t number, int numa) {
  char text[128], bytes[48];
  bool used = is_measured_gpu(m, number);
  const char *name = topology_fact(m, "gpu", number, "name");
  if (name[0] == '\0' && used) name = known_environment(m, "device_name");
  snprintf(text, sizeof text, "GPU %zu", number);
  size_t node = diagram_node(m->d, numa >= 0 ? m->clusters[numa] : -1, used ? DIAGRAM_STRONG : DIAGRAM_STEP,
                             name[0] ? name : text);
  diagram_line(m->d, node, topology_fact(m, "gpu", number, "pci"));
  double memory = used ? strtod(known_environment(m, "memory_bytes"), NULL) : 0;
  if (memory > 0) {
    text_bytes(bytes, sizeof bytes, memory);
    snprintf(text, sizeof text, "memory %s", bytes);
    diagram_line(m->d, node, text);
  }
  if (used) diagram_line(m->d, node, "measured here");
  return node;
}

static void add_gpus(struct machine *m) {
  char link[128];
  size_t switches[PARTS_MAX] = {0};
  for (size_t i = 0; i < PARTS_MAX; i++) {
    size_t first;
    if (!has_topology_part(m, "gpu", i)) continue;
    int numa = numa_of(m, "gpu", i);
    const char *now = topology_fact(m, "gpu", i, "link_max");
    link_text(now[0] ? now : topology_fact(m, "gpu", i, "link"), link, sizeof link);
    bool shared = behind_switch(m, i, &first);
    if (shared && first == i) {
      switches[i] = diagram_node(m->d, numa >= 0 ? m->clusters[numa] : -1, DIAGRAM_MINOR, "PCIe switch");
      join_processor(m, numa, switches[i], "");
    }
    size_t node = add_gpu(m, i, numa);
    if (shared)
      diagram_link(m->d, switches[first], node, link);
    else
      join_processor(m, numa, node, link);
  }
}

/* Adds the measured GPU if the kernel's files list no GPU, as in some containers. */
static void add_unseen(struct machine *m) {
  if (known_environment(m, "device_uuid")[0] == '\0' || m->d->node_count == 0) return;
  for (size_t i = 0; i < PARTS_MAX; i++)
    if (has_topology_part(m, "gpu", i)) return;
  size_t node = add_gpu(m, 0, -1);
  diagram_line(m->d, node, "link not known");
}

static void describe_machine(const struct machine *m, char *to, size_t size) {
  size_t packages = 0, gpus = 0;
  for (size_t i = 0; i < PARTS_MAX; i++) {
    packages += has_topology_part(m, "package", i);
    gpus += has_topology_part(m, "gpu", i);
  }
  snprintf(to, size, "%zu NUMA node%s, %zu CPU package%s, %zu GPU%s, with the links that the kernel knows.",
           m->numa_count, m->numa_count == 1 ? "" : "s", packages, packages == 1 ? "" : "s", gpus,
           gpus == 1 ? "" : "s");
}

bool diagram_of_machine(struct diagram *d, const char *id, const struct pairs *environment) {
  struct machine m = {.d = d, .environment = environment};
  char text[256], title[TEXT_SIZE + 32];
  snprintf(title, sizeof title, "The machine%s%.200s", known_environment(&m, "host")[0] ? ": " : "",
           known_environment(&m, "host"));
  diagram_init(d, id, title, "");
  d->across = true;
  add_numa(&m);
  for (size_t i = 0; i < NODES_MAX; i++)
    if (has_topology_part(&m, "package", i)) add_package_box(&m, i);
  for (size_t i = 0; i < NODES_MAX; i++)
    add_memory(&m, i);
  add_distances(&m);
  add_gpus(&m);
  add_unseen(&m);
  describe_machine(&m, text, sizeof text);
  free(d->description);
  d->description = xstrdup(text);
  return d->node_count > 0;
}

/* ---- Which variant is faster than which ---- */

static bool compared(const struct pairwise *pairwise, size_t variant) {
  for (size_t other = 0; other < pairwise->count; other++)
    if (pairwise_cases(pairwise_pair(pairwise, variant, other)) > 0) return true;
  return false;
}

static void add_variant_node(struct diagram *d, const struct run_bench *bench, size_t variant) {
  char text[64];
  size_t wins = bench_wins(bench, variant), contests = bench_contests(bench);
  size_t node = diagram_node(d, -1, DIAGRAM_PLAIN, bench->variants[variant]);
  d->nodes[node].place = (int)variant;
  if (wins == 0) return;
  d->nodes[node].look = DIAGRAM_STRONG;
  snprintf(text, sizeof text, "fastest in %zu of %zu", wins, contests);
  diagram_line(d, node, contests > 1 ? text : "fastest");
}

/* Adds an arrow with the ratio, "1.35x", and the number of cases if the variant is not faster in all of them. */
static void add_win(struct diagram *d, size_t from, size_t to, const struct versus *versus) {
  char text[128];
  size_t cases = pairwise_cases(versus);
  const struct number ratio = number_ratio(pairwise_ratio(versus), pairwise_ratio(versus));
  snprintf(text, sizeof text, "%sx", ratio.text);
  if (versus->faster < cases) snprintf(text, sizeof text, "%sx\nin %zu of %zu", ratio.text, versus->faster, cases);
  diagram_edge(d, from, to, text);
}

static void describe_wins(FILE *out, const struct run_bench *bench, const struct pairwise *pairwise) {
  size_t arrows = 0;
  for (size_t a = 0; a < pairwise->count; a++)
    for (size_t b = 0; b < pairwise->count; b++) {
      if (!pairwise->shown[a * pairwise->count + b]) continue;
      const struct versus *versus = pairwise_pair(pairwise, a, b);
      fprintf(out, "%s%s beats %s %s times", arrows++ ? "; " : "", bench->variants[a], bench->variants[b],
              number_ratio(pairwise_ratio(versus), pairwise_ratio(versus)).text);
    }
  fputs(arrows > 0 ? "." : "No variant beats another beyond the intervals.", out);
}

bool diagram_of_pairwise(struct diagram *d, const char *id, const char *name, const struct run_bench *bench,
                         const struct pairwise *pairwise) {
  char title[KEY_SIZE + 32];
  struct memory_text memory;
  SCOPED size_t *nodes = xcalloc(pairwise->count, sizeof *nodes);
  describe_wins(memory_text_begin(&memory), bench, pairwise);
  SCOPED char *text = memory_text_end(&memory);
  snprintf(title, sizeof title, "%s: which variant beats which", name);
  diagram_init(d, id, title, text);
  for (size_t v = 0; v < pairwise->count; v++) {
    nodes[v] = d->node_count;
    if (compared(pairwise, v)) add_variant_node(d, bench, v);
  }
  for (size_t a = 0; a < pairwise->count; a++)
    for (size_t b = 0; b < pairwise->count; b++)
      if (pairwise->shown[a * pairwise->count + b]) add_win(d, nodes[a], nodes[b], pairwise_pair(pairwise, a, b));
  return d->node_count > 0;
}

/* Tests how the topology of a machine (NUMA nodes, processors, caches, PCI devices) is read, from trees that imitate
 * /proc and /sys. */
#include "machine/topology.h"

#include "fake_tree.h"
#include "unit.h"

static struct pairs pairs;

static const char *value_of(const char *name) {
  for (size_t i = 0; i < pairs.count; i++)
    if (strcmp(pairs.items[i].name, name) == 0) return pairs.items[i].value;
  return "";
}

static void read_tree(void) {
  pairs = (struct pairs){0};
  topology_read(fake_root, &pairs);
}

static void end_tree(void) {
  pairs_free(&pairs);
  fake_end();
}

/* Adds two packages, 0-3 and 4-7, of two cores with two threads each. A thread's sibling has its number plus two. */
static void add_cpus(void) {
  char path[128], text[64];
  fake_file("/sys/devices/system/cpu/online", "0-7\n");
  for (int cpu = 0; cpu < 8; cpu++) {
    int base = cpu / 4 * 4, core = base + cpu % 2;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/physical_package_id", cpu);
    fake_file(path, cpu < 4 ? "0\n" : "1\n");
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    snprintf(text, sizeof text, "%d,%d\n", core, core + 2);
    fake_file(path, text);
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index3/shared_cpu_list", cpu);
    snprintf(text, sizeof text, "%d-%d\n", base, base + 3);
    fake_file(path, text);
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index3/size", cpu);
    fake_file(path, "32768K\n");
  }
}

static void add_nodes(void) {
  fake_file("/proc/meminfo", "MemTotal:       1048576 kB\nMemFree: 1 kB\n");
  fake_file("/sys/devices/system/node/online", "0-1\n");
  fake_file("/sys/devices/system/node/node0/cpulist", "0-3\n");
  fake_file("/sys/devices/system/node/node0/meminfo", "Node 0 MemTotal:       1048576 kB\nNode 0 MemFree: 1 kB\n");
  fake_file("/sys/devices/system/node/node0/distance", "10 21\n");
  fake_file("/sys/devices/system/node/node1/cpulist", "4-7\n");
  fake_file("/sys/devices/system/node/node1/distance", "21 10\n");
}

/* Adds a PCI device: its folder lies below its bridges, and the bus has a link to it. */
static void add_pci(const char *pci, const char *bridges, const char *vendor, const char *class, const char *node) {
  char path[512], target[512];
  static const char *const names[] = {"vendor", "class", "numa_node"};
  const char *values[] = {vendor, class, node};
  for (size_t i = 0; i < 3; i++) {
    snprintf(path, sizeof path, "/sys/devices/%s/%s/%s", bridges, pci, names[i]);
    fake_file(path, values[i]);
  }
  snprintf(target, sizeof target, "../../../devices/%s/%s", bridges, pci);
  snprintf(path, sizeof path, "/sys/bus/pci/devices/%s", pci);
  if (symlink(target, fake_path(path)) != 0) UNIT_FAIL("cannot link %s", path);
}

static void reads_a_server(void) {
  fake_begin();
  add_cpus();
  add_nodes();
  add_pci("0000:18:00.0", "pci0000:15/0000:15:01.0/0000:16:00.0", "0x10de\n", "0x030200\n", "1\n");
  fake_file("/sys/devices/pci0000:15/0000:15:01.0/0000:16:00.0/0000:18:00.0/current_link_speed", "2.5 GT/s PCIe\n");
  fake_file("/sys/devices/pci0000:15/0000:15:01.0/0000:16:00.0/0000:18:00.0/current_link_width", "16\n");
  fake_file("/sys/devices/pci0000:15/0000:15:01.0/0000:16:00.0/0000:18:00.0/max_link_speed", "32.0 GT/s PCIe\n");
  fake_file("/sys/devices/pci0000:15/0000:15:01.0/0000:16:00.0/0000:18:00.0/max_link_width", "16\n");
  fake_file("/proc/driver/nvidia/gpus/0000:18:00.0/information",
            "Model: \t\t NVIDIA H200\nIRQ:   \t\t 12\nGPU UUID: \t GPU-8932f937\n");
  add_pci("0000:05:00.0", "pci0000:00", "0x10de\n", "0x030200\n", "-1\n");
  add_pci("0000:06:00.0", "pci0000:00", "0x1a03\n", "0x030000\n", "0\n"); /* the display adapter of the board */
  add_pci("0000:07:00.0", "pci0000:00", "0x10de\n", "0x040300\n", "0\n"); /* the audio function of a GPU */
  read_tree();
  ASSERT_EQ_STR(value_of("topology.node.0.cpus"), "0-3");
  ASSERT_EQ_STR(value_of("topology.node.0.memory_bytes"), "1073741824");
  ASSERT_EQ_STR(value_of("topology.node.0.distance"), "10 21");
  ASSERT_EQ_STR(value_of("topology.node.1.memory_bytes"), ""); /* unknown values are left out */
  ASSERT_EQ_STR(value_of("topology.package.1.node"), "1");
  ASSERT_EQ_STR(value_of("topology.package.1.cores"), "2");
  ASSERT_EQ_STR(value_of("topology.package.1.threads"), "4");
  ASSERT_EQ_STR(value_of("topology.package.1.l3_bytes"), "33554432");
  ASSERT_EQ_STR(value_of("topology.gpu.0.pci"), "0000:05:00.0");
  ASSERT_EQ_STR(value_of("topology.gpu.0.node"), "");
  ASSERT_EQ_STR(value_of("topology.gpu.0.bridges"), "");
  ASSERT_EQ_STR(value_of("topology.gpu.1.pci"), "0000:18:00.0");
  ASSERT_EQ_STR(value_of("topology.gpu.1.name"), "NVIDIA H200");
  ASSERT_EQ_STR(value_of("topology.gpu.1.uuid"), "GPU-8932f937");
  ASSERT_EQ_STR(value_of("topology.gpu.1.node"), "1");
  ASSERT_EQ_STR(value_of("topology.gpu.1.bridges"), "0000:15:01.0/0000:16:00.0");
  ASSERT_EQ_STR(value_of("topology.gpu.1.link"), "2.5 GT/s PCIe x16");
  ASSERT_EQ_STR(value_of("topology.gpu.1.link_max"), "32.0 GT/s PCIe x16");
  ASSERT_EQ_STR(value_of("topology.gpu.2.pci"), "");
  end_tree();
}

static void nothing_there_says_nothing(void) {
  fake_begin();
  read_tree();
  ASSERT_EQ_INT(pairs.count, 0);
  end_tree();
}

static void nonsense_says_nothing(void) {
  fake_begin();
  fake_file("/sys/devices/system/node/online", "0-99999999\n");
  fake_file("/sys/devices/system/cpu/online", "0-1,x\n");
  fake_file("/sys/bus/pci/devices/not-a-device", "");
  fake_file("/sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de and more than any vendor has\n");
  read_tree();
  ASSERT_EQ_INT(pairs.count, 0);
  end_tree();
  fake_begin();
  fake_file("/sys/devices/system/node/online", "3\n");
  fake_file("/sys/devices/system/node/node3/cpulist", "\n");
  fake_file("/sys/devices/system/node/node3/meminfo", "Node 3 MemTotal: 99999999999999999999 kB\n");
  fake_file("/sys/devices/system/cpu/online", "0-1\n");
  fake_file("/sys/devices/system/cpu/cpu0/topology/physical_package_id", "-1\n");
  /* without a link there are no bridges; without a class it is no GPU */
  fake_file("/sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n");
  read_tree();
  ASSERT_EQ_INT(pairs.count, 0);
  end_tree();
}

/* In a sandbox whose only node claims 1 of 128 GiB, the node's memory is left out and its other facts are kept. */
static void nodes_that_lack_most_of_the_memory_say_none(void) {
  fake_begin();
  add_nodes();
  fake_file("/proc/meminfo", "MemTotal:       134217728 kB\n");
  read_tree();
  ASSERT_EQ_STR(value_of("topology.node.0.memory_bytes"), "");
  ASSERT_EQ_STR(value_of("topology.node.0.cpus"), "0-3");
  end_tree();
}

/* A package with one processor in another node than the rest belongs to no node. */
static void packages_across_nodes_have_none(void) {
  fake_begin();
  add_cpus();
  add_nodes();
  fake_file("/sys/devices/system/node/node0/cpulist", "0-2\n");
  fake_file("/sys/devices/system/node/node1/cpulist", "3-7\n");
  read_tree();
  ASSERT_EQ_STR(value_of("topology.package.0.node"), "");
  ASSERT_EQ_STR(value_of("topology.package.1.node"), "1");
  end_tree();
}

static void add_cache(int cpu, int index, const char *level, const char *size) {
  char path[128];
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/level", cpu, index);
  fake_file(path, level);
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/size", cpu, index);
  fake_file(path, size);
}

/* The size of a cache level is that of one cache and not the sum over a package, because no thread can fill all its
 * caches. */
static void a_cache_is_one_and_not_their_sum(void) {
  struct cpus cpus;
  fake_begin();
  for (int cpu = 0; cpu < 6; cpu++) {
    add_cache(cpu, 0, "1\n", "48K\n");
    add_cache(cpu, 1, "1\n", "65536K\n"); /* a lower level does not count, however large it is */
    add_cache(cpu, 2, "2\n", "1024K\n");
    add_cache(cpu, 3, "3\n", cpu < 4 ? "32768K\n" : "98304K\n");
  }
  ASSERT_TRUE(cpus_parse("0-3", &cpus));
  ASSERT_EQ_INT(topology_cache_bytes(fake_root, &cpus), 32 << 20);
  ASSERT_TRUE(cpus_parse("2-5", &cpus));
  ASSERT_EQ_INT(topology_cache_bytes(fake_root, &cpus), 96 << 20);
  ASSERT_TRUE(cpus_parse("7", &cpus));
  ASSERT_EQ_INT(topology_cache_bytes(fake_root, &cpus), -1);
  cpus = (struct cpus){0};
  ASSERT_EQ_INT(topology_cache_bytes(fake_root, &cpus), -1);
  add_cache(0, 3, "3\n", "much\n");
  ASSERT_TRUE(cpus_parse("0", &cpus));
  ASSERT_EQ_INT(topology_cache_bytes(fake_root, &cpus), -1);
  fake_end();
}

static void this_machine_can_be_read(void) {
  pairs = (struct pairs){0};
  topology_read("", &pairs);
  ASSERT_TRUE(strtoll(value_of("topology.package.0.threads"), NULL, 10) >= 1);
  for (size_t i = 0; i < pairs.count; i++)
    ASSERT_TRUE(strncmp(pairs.items[i].name, "topology.", 9) == 0 && pairs.items[i].value[0] != '\0');
  pairs_free(&pairs);
}

UNIT_MAIN("topology", UNIT_TEST(reads_a_server), UNIT_TEST(nothing_there_says_nothing),
          UNIT_TEST(nonsense_says_nothing), UNIT_TEST(packages_across_nodes_have_none),
          UNIT_TEST(nodes_that_lack_most_of_the_memory_say_none), UNIT_TEST(a_cache_is_one_and_not_their_sum),
          UNIT_TEST(this_machine_can_be_read))

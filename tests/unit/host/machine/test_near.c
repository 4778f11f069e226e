/* Tests the choice of processors near a GPU, on imitated trees. */
#include "machine/topology.h"

#include "fake_tree.h"
#include "unit.h"

/* Makes two nodes of four processors with the cores 0,2 1,3 and 4,6 5,7; the first node has two GPUs, the second
 * one. */
static void begin(const char *allowed) {
  static const char *const pcis[] = {"0000:18:00.0", "0000:19:00.0", "0000:98:00.0"};
  static const char *const nodes[] = {"0\n", "0\n", "1\n"}, *const files[] = {"vendor", "class", "numa_node"};
  char path[256], text[256];
  fake_begin();
  snprintf(text, sizeof text, "Name: x\nCpus_allowed_list:\t%s\n", allowed);
  fake_file("/proc/self/status", text);
  fake_file("/sys/devices/system/node/online", "0-1\n");
  fake_file("/sys/devices/system/node/node0/cpulist", "0-3\n");
  fake_file("/sys/devices/system/node/node1/cpulist", "4-7\n");
  for (int cpu = 0; cpu < 8; cpu++) {
    const int core = cpu / 4 * 4 + cpu % 2;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    snprintf(text, sizeof text, "%d,%d\n", core, core + 2);
    fake_file(path, text);
  }
  for (int gpu = 0; gpu < 3; gpu++) {
    const char *values[] = {"0x10de\n", "0x030200\n", nodes[gpu]};
    for (int i = 0; i < 3; i++) {
      snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/%s", pcis[gpu], files[i]);
      fake_file(path, values[i]);
    }
    snprintf(path, sizeof path, "/proc/driver/nvidia/gpus/%s/information", pcis[gpu]);
    snprintf(text, sizeof text, "Model: \t NVIDIA H200\nGPU UUID: \t GPU-%c\n", 'a' + gpu);
    fake_file(path, text);
  }
}

static void divides(const char *allowed, const char *const *uuids, size_t count, const char *const *wanted) {
  struct cpus shares[4];
  char text[64];
  begin(allowed);
  near_divide(fake_root, uuids, count, shares);
  for (size_t i = 0; i < count; i++) {
    cpus_text(&shares[i], text, sizeof text);
    ASSERT_EQ_STR(text, wanted[i]);
  }
  fake_end();
}

static void each_has_its_node(void) {
  divides("0-7", (const char *const[]){"GPU-c", "GPU-a"}, 2, (const char *const[]){"4-7", "0-3"});
}

static void neighbours_divide_a_node_by_cores(void) {
  divides("0-7", (const char *const[]){"GPU-a", "GPU-b", "GPU-c"}, 3, (const char *const[]){"0,2", "1,3", "4-7"});
}

static void nobody_leaves_what_is_allowed(void) {
  divides("0,2,4-7", (const char *const[]){"GPU-a", "GPU-b", "GPU-c"}, 3, (const char *const[]){"0,2", "0,2", "4-7"});
  /* no allowed processor is near GPU-a */
  divides("4-7", (const char *const[]){"GPU-a", "GPU-c"}, 2, (const char *const[]){"4,6", "5,7"});
}

static void without_a_node_all_is_divided(void) {
  divides("0-7", (const char *const[]){"", "GPU-x"}, 2, (const char *const[]){"0-3", "4-7"});
}

UNIT_MAIN("near", UNIT_TEST(each_has_its_node), UNIT_TEST(neighbours_divide_a_node_by_cores),
          UNIT_TEST(nobody_leaves_what_is_allowed), UNIT_TEST(without_a_node_all_is_divided))

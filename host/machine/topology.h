/* How the machine is put together: NUMA nodes and their memory, CPU packages, GPUs and the PCIe links to them. From the
 * kernel's files alone, so no driver is called; links between GPUs (NVLink) are not among them. */
#ifndef MACHINE_TOPOLOGY_H
#define MACHINE_TOPOLOGY_H

#include "base/pairs.h"
#include "machine/cpus.h"

/* Adds pairs "topology.node.0.memory_bytes" and the like; what is not known is left out. `root` is "" but in tests.
 *   node.N     cpus ("0-15,32-47"), memory_bytes, distance ("10 21": to every node in turn)
 *   package.N  node, cores, threads, l3_bytes
 *   gpu.N      pci ("0000:18:00.0"), name, uuid, node, bridges ("0000:15:01.0/0000:16:00.0": from the root down),
 *              link and link_max ("32.0 GT/s PCIe x16") */
void topology_read(const char *root, struct pairs *pairs);

/* The largest last-level cache that one of these processors reads through, however many more of them the package has:
 * what one thread can fill, and empty. -1: not known. */
int64_t topology_cache_bytes(const char *root, const struct cpus *cpus);

/* To each GPU, by its UUID, its share of the processors of its NUMA node that this process may use; where the node is
 * not known, of all of them. Whole cores, as many to each as to the others of the node; where there are fewer cores
 * than GPUs they are shared. `root` is "" but in tests. */
void near_divide(const char *root, const char *const *uuids, size_t count, struct cpus *shares);

#endif

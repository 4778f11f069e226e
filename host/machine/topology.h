/* The structure of the machine: NUMA nodes and their memory, CPU packages, GPUs and their PCIe links. Read from the
 * kernel's files only, without calling a driver, so links between GPUs (NVLink) are not included. */
#pragma once

#include "base/pairs.h"
#include "machine/cpus.h"

/* Adds pairs such as "topology.node.0.memory_bytes"; omits unknown values. `root` is "" except in tests.
 *   node.N     cpus ("0-15,32-47"), memory_bytes, distance ("10 21": to each node in order)
 *   package.N  node, cores, threads, l3_bytes
 *   gpu.N      pci ("0000:18:00.0"), name, uuid, node, bridges ("0000:15:01.0/0000:16:00.0": from the root down),
 *              link and link_max ("32.0 GT/s PCIe x16") */
void topology_read(const char *root, struct pairs *pairs);

/* Returns the size of the largest last-level cache that any of these processors uses; -1: not known. One thread cannot
 * fill more than that, no matter how many such caches the package has. */
int64_t topology_cache_bytes(const char *root, const struct cpus *cpus);

/* Divides the processors that this process may use among GPUs, which are given by their UUIDs. Each GPU gets a share of
 * the processors of its NUMA node, or of all processors if the node is not known. Shares consist of whole cores and are
 * equal for the GPUs of a node. If a node has fewer cores than GPUs, each of these GPUs gets all of its processors.
 * `root` is "" except in tests. */
void near_divide(const char *root, const char *const *uuids, size_t count, struct cpus *shares);

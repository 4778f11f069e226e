/* Which processors are near which GPU, and their division among programs that each work with one GPU. */
#ifndef MACHINE_NEAR_H
#define MACHINE_NEAR_H

#include "machine/cpus.h"

/* To each GPU, by its UUID, its share of the processors of its NUMA node that this process may use; where the node is
 * not known, of all of them. Whole cores, as many to each as to the others of the node; where there are fewer cores
 * than GPUs they are shared. `root` is "" but in tests. */
void near_divide(const char *root, const char *const *uuids, size_t count, struct cpus *shares);

#endif

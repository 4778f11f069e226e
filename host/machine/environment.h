/* What run.ini keeps about the machine, the build and the job. Nothing secret: environment variables only from a list.
 */
#ifndef MACHINE_ENVIRONMENT_H
#define MACHINE_ENVIRONMENT_H

#include <stdio.h>

#include "base/pairs.h"
#include "machine/cpu_facts.h"
#include "machine/cpu_times.h"
#include "model/model.h"

/* "gpubench 0.1.0 (3f2c1a, gcc 12.2.0, CUDA 13.0)". */
void environment_print_version(FILE *out);
/* Host, kernel, CPU and what shares it, compiler, versions. */
void environment_host(struct pairs *pairs);
/* Of these, what the processors are like: governor, clock, affinity, quota, ... "unknown" where the kernel is silent.
 */
void environment_cpu(struct pairs *pairs, const struct cpu_facts *facts);

/* The device and, for a GPU, what NVML tells of it: clocks, power limit, ECC, MIG, MPS. */
void environment_device(struct pairs *pairs, const struct device_facts *facts);
/* What rows have in `devices`. */
const char *environment_device_id(const struct device_facts *facts);

/* What `count` devices of a run are like, each with pairs of its own, as one list: what all have in common under its
 * name, the rest as "device.N.NAME", N from 1. Of one device: its pairs. */
void environment_devices(struct pairs *to, const struct pairs *devices, size_t count);

/* The machine before anything is measured, in one line (machine/environment.c): "ok: 1980 MHz, 41 C, ...",
 * or what is wrong, worst first, and then in brackets the rest; or "unknown: ..." where a GPU does not say. `since` is
 * an earlier reading in this process, for what happened to the processors since; NULL: there is none. */
void environment_conditions(const struct device_facts *facts, const struct cpu_times *since, char *to, size_t size);

/* Tags that CI systems give: commit, job and run ids. */
void environment_ci_tags(struct pairs *tags);

/* The CUDA that gpubench was built with, 13000 for 13.0; 0: none. */
int environment_cuda_build(void);

/* Does anything say that a GPU is meant here? `why` names it, or says why not. No driver is called. */
bool environment_expects_gpu(const char *root, char *why, size_t size);

#endif

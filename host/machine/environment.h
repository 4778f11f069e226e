/* The facts about machine, build and job that are written to run.ini. They contain no secrets: only the environment
 * variables in a fixed list are read. */
#pragma once

#include <stdio.h>

#include "base/pairs.h"
#include "machine/cpu_facts.h"
#include "machine/cpu_times.h"
#include "model/model.h"

/* Prints "gpubench 0.1.0 (3f2c1a, gcc 12.2.0, CUDA 13.0)". */
void environment_print_version(FILE *out);
/* Adds the facts about the host: its name, kernel, CPU, CPU settings, the compiler and versions. */
void environment_host(struct pairs *pairs);
/* Adds only the state of the processors: governor, clock, affinity, quota, ...; "unknown" if the kernel has no
 * answer. */
void environment_cpu(struct pairs *pairs, const struct cpu_facts *facts);

/* Adds the device and, for a GPU, what NVML reports: clocks, power limit, ECC, MIG, MPS. */
void environment_device(struct pairs *pairs, const struct device_facts *facts);
/* Returns what the column `devices` of the result rows holds for this device: its UUID or, without one, its --device
 * name. */
const char *environment_device_id(const struct device_facts *facts);

/* Merges the facts of the `count` devices of a run into one list. Facts that all devices have in common keep their
 * names; the others are named "device.N.NAME", with N from 1. The facts of a single device are not changed. */
void environment_devices(struct pairs *to, const struct pairs *devices, size_t count);

/* Describes in one line whether the machine is fit for measuring. The line is "ok: 1980 MHz, 41 C, ...", or the faults,
 * the worst first, with the other facts in brackets, or "unknown: ..." if a GPU does not report its state. `since`:
 * NULL, or an earlier reading of the counters by this process; then the line also says what has slowed the processors
 * down since that reading. */
void environment_conditions(const struct device_facts *facts, const struct cpu_times *since, char *to, size_t size);

/* Adds tags from the environment variables of CI systems: commit, job and run ids. */
void environment_ci_tags(struct pairs *tags);

/* Returns the CUDA version that gpubench was built with, 13000 for 13.0; 0: none. */
int environment_cuda_build(void);

/* Returns true if a file or an environment variable shows that this machine should have a GPU; `why` then names that
 * file or variable. Otherwise `why` gives the reason for the answer. Calls no driver. */
bool environment_expects_gpu(const char *root, char *why, size_t size);

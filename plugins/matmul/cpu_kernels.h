/* Kernels that compute a block of c, whose sums they keep in registers. There is one kernel for each instruction
 * set. */
#ifndef MATMUL_CPU_KERNELS_H
#define MATMUL_CPU_KERNELS_H

#include <stdint.h>

/* A kernel multiplies a panel of a (a group of `rows` rows) with a panel of b (`columns` rows of b) and gets a block of
 * c. The layouts are: panel of a [words / chunk][rows][chunk], panel of b [words][columns], block of c [rows][columns].
 * A word is one fp32 number or, with `pairs`, two bf16 numbers that are neighbours along k. */
struct matmul_cpu_kernel {
  const char *name;
  int rows, columns; /* size of a block; columns is a multiple of 4 */
  int chunk;         /* how many words of a row are adjacent in a panel of a: 4 or 16 */
  int pairs;
  int (*usable)(void); /* returns true if this machine has the kernel's instructions */
  void (*begin)(void); /* begin and end are called in each thread before and after a product; NULL: not needed */
  void (*end)(void);
  /* adds the product of a panel of a and a panel of b, `depth` words long, to the block c */
  void (*multiply)(float *c, const float *a, const float *b, int64_t depth);
};

extern const struct matmul_cpu_kernel matmul_cpu_amx;
extern const struct matmul_cpu_kernel *const matmul_cpu_kernels[]; /* best first, NULL-ended; the last always runs */

struct matmul_problem;
const struct matmul_cpu_kernel *matmul_cpu_kernel_for(const struct matmul_problem *p);

/* Do what matmul_cpu_blocked() and matmul_cpu_blocked_workspace() do, with the given kernel. */
void matmul_cpu_blocked_by(const struct matmul_cpu_kernel *kernel, const struct matmul_problem *p);
int64_t matmul_cpu_blocked_workspace_by(const struct matmul_cpu_kernel *kernel, const struct matmul_problem *p);

#endif

/* What multiplies a block of c in registers, by instruction set. */
#ifndef MATMUL_CPU_KERNELS_H
#define MATMUL_CPU_KERNELS_H

#include <stdint.h>

/* Panels of a are [words / chunk][rows][chunk], of b [words][columns], blocks of c [rows][columns]; a word is an fp32
 * number, or with `pairs` two of bf16 that are neighbours along k. */
struct matmul_cpu_kernel {
  const char *name;
  int rows, columns; /* of a block; columns are a multiple of 4 */
  int chunk;         /* 4 or 16 */
  int pairs;
  int (*usable)(void); /* on this machine */
  void (*begin)(void); /* in each thread, or NULL */
  void (*end)(void);
  void (*multiply)(float *c, const float *a, const float *b, int64_t depth); /* c += a b, `depth` words */
};

extern const struct matmul_cpu_kernel matmul_cpu_amx;
extern const struct matmul_cpu_kernel *const matmul_cpu_kernels[]; /* the best first, NULL-ended; the last is usable */

struct matmul_problem;
const struct matmul_cpu_kernel *matmul_cpu_kernel_for(const struct matmul_problem *p);

/* matmul_cpu_blocked() by one of them. */
void matmul_cpu_blocked_by(const struct matmul_cpu_kernel *kernel, const struct matmul_problem *p);
int64_t matmul_cpu_blocked_workspace_by(const struct matmul_cpu_kernel *kernel, const struct matmul_problem *p);

#endif

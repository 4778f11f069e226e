/* The hot loops of the CPU variants, each by the best instruction set that was built and that this machine runs. */
#ifndef ATTENTION_CPU_KERNELS_H
#define ATTENTION_CPU_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

#define GROUP 6  /* rows of sums that are kept in registers */
#define WIDTH 16 /* columns of a panel */

/* Operands of a product. Rows are `*_pitch` apart; b is a sequence of panels of WIDTH columns each, `b_panel` apart. */
struct product {
  float *c;
  const float *a, *b;
  ptrdiff_t c_pitch, a_pitch, b_pitch, b_panel;
  bool keep; /* adds to c instead of overwriting it */
};

/* c[rows][columns] (+)= a[rows][depth] * b[depth][columns], for whole groups of rows and whole panels. */
void attention_cpu_multiply(const struct product *p, int rows, int columns, int depth);

/* Turns scores `first` to `end` - 1 into exp(score - largest) and the rest of `width`, whole panels, into 0. Raises
 * *largest and returns the sum. */
float attention_cpu_soften(float *row, int first, int end, int width, float *largest);

/* Turns `count` scores into weights, exp(score - lse), and as many dP into dS = weight * (dP - delta). If `each`, score
 * i has lse[i] and delta[i]; else all have lse[0] and delta[0]. */
void attention_cpu_weigh(float *scores, float *dp, int count, const float *lse, const float *delta, bool each);

#endif

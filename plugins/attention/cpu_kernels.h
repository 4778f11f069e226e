/* What takes the time of the CPU variants, by the best of what is built that this machine runs. */
#ifndef ATTENTION_CPU_KERNELS_H
#define ATTENTION_CPU_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

#define GROUP 6  /* rows of a block of sums in registers */
#define WIDTH 16 /* columns of a panel */

/* Rows are `*_pitch` apart; b is a sequence of panels, WIDTH columns each, `b_panel` apart. */
struct product {
  float *c;
  const float *a, *b;
  ptrdiff_t c_pitch, a_pitch, b_pitch, b_panel;
  bool keep; /* what is in c, and add to it */
};

/* c[rows][columns] (+)= a[rows][depth] * b[depth][columns]; whole groups, whole panels. */
void attention_cpu_multiply(const struct product *p, int rows, int columns, int depth);

/* Turns scores `first` to `end` - 1 into exp(score - largest), the rest of `width`, whole panels, into 0; raises
 * *largest; returns the sum. */
float attention_cpu_soften(float *row, int first, int end, int width, float *largest);

/* Turns `count` scores into weights, exp(score - lse), and as many dP into dS, weight * (dP - delta). Each score has an
 * lse and a delta of its own if `each`, else all have the first. */
void attention_cpu_weigh(float *scores, float *dp, int count, const float *lse, const float *delta, bool each);

#endif

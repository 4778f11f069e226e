/* The hot loops of the CPU variants. Each function chooses at run time the best instruction set that it was built for
 * and that this machine has. */
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
  bool keep; /* true: adds the product to c instead of overwriting c */
};

/* Computes c[rows][columns] = a[rows][depth] * b[depth][columns], or adds the product to c if p->keep. `rows` is a
 * multiple of GROUP, `columns` of WIDTH. */
void attention_cpu_multiply(const struct product *p, int rows, int columns, int depth);

/* Turns scores `first` to `end` - 1 into exp(score - largest), and the other elements of the row into 0, up to `width`,
 * a multiple of WIDTH. Raises *largest if a score is above it, and returns the sum of the weights. */
float attention_cpu_soften(float *row, int first, int end, int width, float *largest);

/* Turns `count` scores into weights, exp(score - lse), and `count` elements of dP into dS = weight * (dP - delta). If
 * `each`, score i has lse[i] and delta[i]; else all have lse[0] and delta[0]. */
void attention_cpu_weigh(float *scores, float *dp, int count, const float *lse, const float *delta, bool each);

#endif

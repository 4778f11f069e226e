/* The hot loops of the CPU variants. Each function chooses at run time the best instruction set that it was built for
 * and that this machine has. */
#ifndef ATTENTION_CPU_KERNELS_H
#define ATTENTION_CPU_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

#define GROUP 6  /* how many rows of the product a kernel keeps in registers */
#define WIDTH 16 /* columns of a panel */

/* Operands of a product c = a * b. Rows of a and c are `*_pitch` floats apart. b is a sequence of panels (groups of
 * WIDTH adjacent columns), which are `b_panel` floats apart. */
struct product {
  float *c;
  const float *a, *b;
  ptrdiff_t c_pitch, a_pitch, b_pitch, b_panel;
  bool keep; /* true: adds the product to c instead of overwriting c */
};

/* Computes c[rows][columns] = a[rows][depth] * b[depth][columns], or adds the product to c if p->keep. `rows` is a
 * multiple of GROUP, `columns` of WIDTH. */
void attention_cpu_multiply(const struct product *p, int rows, int columns, int depth);

/* The softmax of a row, before the division by the sum: turns the scores `first` to `end` - 1 of `row` into the weights
 * exp(score - *largest), and the other elements of the row into 0, up to `width`, a multiple of WIDTH. Raises *largest
 * first if a score is above it. Returns the sum of the weights. */
float attention_cpu_soften(float *row, int first, int end, int width, float *largest);

/* For the gradients: turns `count` scores into weights, exp(score - lse), and `count` elements of dP into dS = weight *
 * (dP - delta). If `each` is true, score i has its own lse[i] and delta[i]; otherwise all scores have lse[0] and
 * delta[0]. */
void attention_cpu_weigh(float *scores, float *dp, int count, const float *lse, const float *delta, bool each);

#endif

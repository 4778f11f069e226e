/* Products of blocks that stay in the cache, for functions that are HOT. */
#ifndef ATTENTION_CPU_PRODUCT_H
#define ATTENTION_CPU_PRODUCT_H

#include "cpu.h"

#define GROUP 6          /* rows of the register block */
#define WIDTH LANES      /* columns of the register block */
#define ROWS (8 * GROUP) /* rows of a task */

typedef float vector __attribute__((vector_size(WIDTH * sizeof(float))));

/* c[6][16] (+)= a[6][depth] * b[depth][16], rows `*_pitch` apart. */
INLINE void multiply_registers(float *c, int c_pitch, const float *a, int a_pitch, const float *b, int b_pitch,
                               int depth, bool keep) {
  vector sum[GROUP];
  for (int i = 0; i < GROUP; ++i) {
    if (keep)
      memcpy(&sum[i], c + i * c_pitch, sizeof sum[i]);
    else
      sum[i] = (vector){0};
  }
  for (int k = 0; k < depth; ++k) {
    vector right;
    memcpy(&right, b + (ptrdiff_t)k * b_pitch, sizeof right);
    for (int i = 0; i < GROUP; ++i)
      sum[i] += a[(ptrdiff_t)i * a_pitch + k] * right;
  }
  for (int i = 0; i < GROUP; ++i)
    memcpy(c + (ptrdiff_t)i * c_pitch, &sum[i], sizeof sum[i]);
}

/* ROWS x columns (a multiple of 16) in register blocks; `b` is a sequence of panels, 16 columns each. */
INLINE void multiply_rows(float *c, int c_pitch, const float *a, int a_pitch, const float *b, ptrdiff_t b_panel,
                          int b_pitch, int columns, int depth, bool keep) {
  for (int column = 0; column < columns; column += WIDTH) {
    const float *panel = b + column / WIDTH * b_panel;
    for (int row = 0; row < ROWS; row += GROUP) {
      float *to = c + (ptrdiff_t)row * c_pitch + column;
      const float *from = a + (ptrdiff_t)row * a_pitch;
      if (keep)
        multiply_registers(to, c_pitch, from, a_pitch, panel, b_pitch, depth, true);
      else
        multiply_registers(to, c_pitch, from, a_pitch, panel, b_pitch, depth, false);
    }
  }
}

#endif

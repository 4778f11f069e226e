/* Flash attention on the CPU, by instruction set: a panel of queries, side by side in vectors, takes a block of keys.
 * Scores, maxima, sums and outputs of a query stay in its column, so that nothing is added across a vector, and keys
 * and values are read as they are stored. */
#ifndef ATTENTION_CPU_FLASH_H
#define ATTENTION_CPU_FLASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu.h"
#include "kernels.h"

#define FLASH_COLUMNS 48      /* of the widest panel; all divide it */
#define FLASH_COLUMNS_LEAST 8 /* of the narrowest */
#define FLASH_KEYS 64         /* of a block */
#define FLASH_LEAST (-1e30f)  /* below any score */

/* Rows that are asked for while something else is computed. */
struct flash_rows {
  const char *at;
  ptrdiff_t pitch; /* bytes from one to the next */
  int bytes, count;
};

struct flash_ahead {
  struct flash_rows rows[4];
  int parts, part;
  int at_once; /* rows at a time */
};

/* As many rows as at_once says, into the second-level cache. */
INLINE void fetch_ahead(struct flash_ahead *a) {
  for (int i = 0; i < a->at_once && a->part < a->parts; ++i) {
    struct flash_rows *rows = &a->rows[a->part];
    for (int j = 0; j < rows->bytes; j += 64)
      __builtin_prefetch(rows->at + j, 0, 2);
    rows->at += rows->pitch;
    if (--rows->count == 0) a->part++;
  }
}

/* Rows of k and v are d floats, a multiple of 64; all others have a panel's columns. No query sees fewer keys in front
 * of its last than one in a column before it. */
struct flash_step {
  const float *k, *v;
  int keys, d; /* keys: at most FLASH_KEYS */
  float scale; /* of scores, so that weights are powers of two */
  const float *q;
  float *o;                   /* not yet divided by `sum` */
  float *weights;             /* memory for FLASH_KEYS rows */
  float *largest, *sum;       /* before the first block FLASH_LEAST and 0 */
  const int32_t *first, *end; /* the keys that each query sees, and */
  int all_first, all_end;     /* those that every query sees; none if all_end <= all_first */
  bool begins;                /* o has nothing yet */
  struct flash_ahead *ahead;
};

struct flash_kernel {
  const char *name;
  int columns;         /* of a panel, a multiple of 4 */
  int rows;            /* of a block of sums in registers */
  int (*usable)(void); /* on this machine */
  void (*take)(const struct flash_step *step);
};

extern const struct flash_kernel *const flash_kernels[]; /* the best first, NULL-ended; the last is usable */

/* attention_cpu_flash() by one of them. */
void attention_cpu_flash_by(const struct flash_kernel *kernel, const struct attention_problem *p);

#endif

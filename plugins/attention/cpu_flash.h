/* Flash attention on the CPU, with a kernel for each instruction set. A panel is a group of queries that lie side by
 * side in vectors, one query in each column. A kernel multiplies a panel with a block of keys. The scores, maximum, sum
 * and outputs of a query stay in its column, so that nothing is added across a vector, and keys and values are read as
 * they are stored. */
#ifndef ATTENTION_CPU_FLASH_H
#define ATTENTION_CPU_FLASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu.h"
#include "kernels.h"

#define FLASH_COLUMNS 48      /* columns (queries) of the widest panel; a multiple of every kernel's `columns` */
#define FLASH_COLUMNS_LEAST 8 /* columns of the narrowest panel */
#define FLASH_KEYS 64         /* the most keys in one block */
#define FLASH_LEAST (-1e30f)  /* a number below any score */

/* A range of rows in memory that is prefetched while something else is computed. */
struct flash_rows {
  const char *at;
  ptrdiff_t pitch; /* bytes from one row to the next */
  int bytes, count;
};

struct flash_ahead {
  struct flash_rows rows[4];
  int parts, part;
  int at_once; /* how many rows one call of fetch_ahead() prefetches */
};

/* Prefetches the next at_once rows into the L2 cache. */
INLINE void fetch_ahead(struct flash_ahead *a) {
  for (int i = 0; i < a->at_once && a->part < a->parts; ++i) {
    struct flash_rows *rows = &a->rows[a->part];
    for (int j = 0; j < rows->bytes; j += 64)
      __builtin_prefetch(rows->at + j, 0, 2);
    rows->at += rows->pitch;
    if (--rows->count == 0) a->part++;
  }
}

/* The arguments of a kernel, which processes one block of keys for one panel of queries. Rows of k and v have d floats,
 * a multiple of 64; rows of q, o and weights have a float for each column (query) of the panel. `end` never decreases
 * from one column to the next. */
struct flash_step {
  const float *k, *v;
  int keys, d; /* keys: number of keys in this block, at most FLASH_KEYS */
  float scale; /* log2(e) / sqrt(d): weights are computed as 2^(scale * score - largest) */
  const float *q;
  float *o;                   /* outputs, not yet divided by `sum` */
  float *weights;             /* scratch memory for FLASH_KEYS rows, one for each key of the block */
  float *largest, *sum;       /* running maximum and sum of each query; FLASH_LEAST and 0 before the first block */
  const int32_t *first, *end; /* query i sees keys first[i] .. end[i] - 1 of this block */
  /* Every query sees keys all_first .. all_end - 1. If all_end <= all_first, no key is seen by every query. */
  int all_first, all_end;
  bool begins; /* true for the first block of keys: `o` is overwritten instead of added to */
  struct flash_ahead *ahead;
};

struct flash_kernel {
  const char *name;
  int columns;         /* columns (queries) of this kernel's panels, a multiple of 4 */
  int rows;            /* how many rows of sums the kernel keeps in registers */
  int (*usable)(void); /* returns whether this machine can run the kernel */
  void (*take)(const struct flash_step *step);
};

extern const struct flash_kernel *const flash_kernels[]; /* best first, NULL-terminated; the last one runs everywhere */

/* Does what attention_cpu_flash() does, with the given kernel instead of the best one. */
void attention_cpu_flash_by(const struct flash_kernel *kernel, const struct attention_problem *p);

#endif

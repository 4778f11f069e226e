/* Matrix product in blocks, after Goto and van de Geijn, and BLIS. Operands are packed, so that a kernel reads them in
 * order. The threads pack all of b together, then each takes tiles of c. A tile's sums stay in the second-level cache
 * until they are complete, along with the current block of a, which the thread packs itself. A panel of b stays in the
 * first-level cache while all panels of that block of a are multiplied by it. Independent of the plugin ABI. */
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "../shared/hot.h"
#include "../shared/quads.h"
#include "cpu_kernels.h"
#include "kernels.h"

#define DEPTH_MOST 512   /* most words (fp32 numbers or pairs of bf16) along k in a block */
#define COLUMNS_MOST 512 /* greatest number of columns in a tile */
#define LINE 16          /* floats in a cache line */
#define AHEAD 4          /* rows prefetched while packing */

/* ---- Sizes ------------------------------------------------------------------------------------------------------ */

static int64_t at_least(int64_t value, int64_t least) {
  return value < least ? least : value;
}

static int64_t at_most(int64_t value, int64_t most) {
  return value < most ? value : most;
}

static int64_t units_to_cover(int64_t count, int64_t unit) {
  return (count + unit - 1) / unit;
}

static int64_t padded_to_cover(int64_t count, int64_t unit) {
  return units_to_cover(count, unit) * unit;
}

/* Returns the size of a core's cache in bytes, as the C library knows it, but at least `least`. The result is stored in
 * `known`, because every run makes a plan, and older C libraries ask the processor each time, which is slow in a
 * virtual machine. */
static int64_t core_cache_bytes(int name, int64_t least, atomic_llong *known) {
  if (*known == 0) *known = at_least(sysconf(name), least);
  return *known;
}

/* How a product is cut into blocks. A panel of a is as many rows of a, and a panel of b as many rows of b (columns of
 * c), as the kernel multiplies in one call. A word is one fp32 number, or two bf16 numbers. */
struct plan {
  const struct matmul_cpu_kernel *kernel;
  /* number of words in a padded row of a or b, and in the part of a row that belongs to one block */
  int64_t words, depth;
  int64_t down, across; /* number of panels of a, and of b */
  int64_t tiles_down, tiles_across;
  /* Sizes of memory, in floats: size_b for the panels of all of b; and for each thread, size_sums for the sums of a
   * tile of c, and size_a for the panels of a block of a. */
  int64_t size_b, size_sums, size_a;
};

/* Cuts c into tiles that fit the cache. Makes the tiles smaller until each thread gets at least four and all threads
 * get the same number, or until each thread gets at least 16. */
static void cut_tiles(struct plan *x, int64_t rows_most, int64_t threads) {
  const int64_t rows = x->kernel->rows, columns = x->kernel->columns;
  x->tiles_down = units_to_cover(x->down, at_least(rows_most / rows, 1));
  x->tiles_across = units_to_cover(x->across, at_least(COLUMNS_MOST / columns, 1));
  for (;;) {
    const int64_t tiles = x->tiles_down * x->tiles_across;
    const int64_t height = units_to_cover(x->down, x->tiles_down), width = units_to_cover(x->across, x->tiles_across);
    if (tiles >= 16 * threads || (tiles >= 4 * threads && tiles % threads == 0) || height * width == 1) return;
    if (width == 1 || (height > 1 && height * rows >= width * columns))
      x->tiles_down++;
    else
      x->tiles_across++;
  }
}

static struct plan blocked_plan_of(const struct matmul_cpu_kernel *kernel, const struct matmul_problem *p) {
  static atomic_llong first_known, second_known;
  struct plan x = {.kernel = kernel};
  const int64_t first = core_cache_bytes(_SC_LEVEL1_DCACHE_SIZE, 32 << 10, &first_known),
                second = core_cache_bytes(_SC_LEVEL2_CACHE_SIZE, 256 << 10, &second_known);
  x.words = padded_to_cover(kernel->pairs ? units_to_cover(p->k, 2) : p->k, kernel->chunk);
  x.depth = at_most(first / 2 / (int64_t)sizeof(float) / kernel->columns, DEPTH_MOST) / LINE * LINE;
  x.depth = padded_to_cover(units_to_cover(x.words, units_to_cover(x.words, x.depth)), LINE); /* nearly equal blocks */
  x.down = units_to_cover(p->m, kernel->rows);
  x.across = units_to_cover(p->n, kernel->columns);
  cut_tiles(&x, second * 5 / 8 / (int64_t)sizeof(float) / (x.depth + COLUMNS_MOST), p->threads);
  const int64_t rows = units_to_cover(x.down, x.tiles_down) * kernel->rows;
  x.size_b = padded_to_cover(x.across * kernel->columns * x.words, LINE);
  x.size_sums = padded_to_cover(rows * units_to_cover(x.across, x.tiles_across) * kernel->columns, LINE);
  /* the memory of size_a holds a block of a, and later the rows of c that store_product_panel() gathers */
  x.size_a = padded_to_cover(at_least(rows * x.depth, kernel->rows * COLUMNS_MOST), LINE);
  return x;
}

/* ---- Packing ---------------------------------------------------------------------------------------------------- */

/* An input, a or b: a matrix of `rows` rows with k elements each. Its words go to the kernel as they are, or converted
 * to fp32. */
struct operand {
  const char *x;
  int64_t rows, k;
  int per_word; /* elements in a word */
  int bytes;    /* bytes in an element */
  int as_it_is; /* true: words are passed on as stored; else converted to fp32 */
  int32_t dtype;
};

static int element_bytes(int32_t dtype) {
  return dtype == MATMUL_FP32 ? 4 : dtype == MATMUL_E4M3 ? 1 : 2;
}

static struct operand operand_of(const void *x, int64_t rows, const struct matmul_problem *p, int pairs) {
  return (struct operand){x,       rows, p->k, pairs ? 2 : 1, element_bytes(p->dtype), pairs || p->dtype == MATMUL_FP32,
                          p->dtype};
}

/* Returns `count` words of row `row`, from word `at` on: a pointer into the matrix, or a copy in `buffer`. Words beyond
 * the end of the matrix are zero. */
static const char *operand_words(const struct operand *o, int64_t row, int64_t at, int64_t count, float *buffer) {
  static const float zeros[DEPTH_MOST];
  if (row >= o->rows) return (const char *)zeros;
  const int64_t wanted = count * o->per_word, there = at_most(o->k - at * o->per_word, wanted);
  const int64_t first = row * o->k + at * o->per_word;
  if (o->as_it_is && there == wanted) return o->x + first * o->bytes;
  if (there < wanted) memset(buffer, 0, (size_t)count * sizeof *buffer);
  if (o->as_it_is)
    memcpy(buffer, o->x + first * o->bytes, (size_t)(there * o->bytes));
  else
    matmul_cpu_to_float(buffer, o->x, first, there, o->dtype);
  return (const char *)buffer;
}

/* Prefetches `count` words of a row. Packing goes from row to row, which the hardware prefetcher does not detect as a
 * stream. */
INLINE void fetch(const struct operand *o, int64_t row, int64_t at, int64_t count) {
  if (row >= o->rows) return;
  const char *from = o->x + (row * o->k + at * o->per_word) * o->bytes;
  for (int64_t i = 0; i < count * o->per_word * o->bytes; i += LINE * 4)
    __builtin_prefetch(from + i);
}

/* Writes the words of one row to a panel, whose layout is [count / chunk][lanes][chunk] for `lanes` rows. `to` points
 * to the first word of this row in the panel. */
INLINE void spread(float *to, const char *from, int64_t count, int lanes, int chunk) {
  for (int64_t i = 0; i < count; i += chunk, to += lanes * chunk)
    for (int u = 0; u < chunk; u += 4)
      store_quad(to + u, load_quad(from, i + u));
}

HOT static void pack_a(float *to, const struct operand *o, const struct plan *x, int64_t panel, int64_t at,
                       int64_t depth) {
  const int rows = x->kernel->rows, chunk = x->kernel->chunk;
  float buffer[DEPTH_MOST];
  for (int i = 0; i < rows; i++) {
    const char *from = operand_words(o, panel * rows + i, at, depth, buffer);
    fetch(o, panel * rows + i + AHEAD, at, depth);
    if (chunk == 4)
      spread(to + i * 4, from, depth, rows, 4);
    else
      spread(to + i * 16, from, depth, rows, 16);
  }
}

HOT static void pack_b(float *to, const struct operand *o, const struct plan *x, int64_t panel, int64_t at,
                       int64_t depth) {
  const int columns = x->kernel->columns;
  float buffer[4][DEPTH_MOST];
  const char *from[4];
  for (int i = 0; i < columns; i += 4) {
    for (int u = 0; u < 4; u++)
      fetch(o, panel * columns + i + u + AHEAD, at, depth);
    for (int u = 0; u < 4; u++)
      from[u] = operand_words(o, panel * columns + i + u, at, depth, buffer[u]);
    transpose_quads(to + i, from, depth, columns);
  }
}

/* ---- Multiplying ------------------------------------------------------------------------------------------------ */

struct product {
  const struct matmul_problem *p;
  struct plan plan;
  struct operand a, b;
  void *c;
  int64_t n, bytes_c;
  float *packed_b;
};

/* Returns where in the packed b the words of this panel from word `at` on are. The packed b has one block of k after
 * the other, and within a block one panel after the other. */
static float *panel_of(const struct product *y, int64_t panel, int64_t at, int64_t depth) {
  return y->packed_b + y->plan.kernel->columns * (at * y->plan.across + panel * depth);
}

static void pack_factor_panel(const struct product *y, int64_t panel) {
  const struct plan *x = &y->plan;
  for (int64_t at = 0; at < x->words; at += x->depth) {
    const int64_t depth = at_most(x->words - at, x->depth);
    pack_b(panel_of(y, panel, at, depth), &y->b, x, panel, at, depth);
  }
}

/* A tile of c: the product of the panels top to bottom - 1 of a and the panels left to right - 1 of b. */
struct tile {
  int64_t top, bottom, left, right;
  float *sums; /* the elements of the tile: a block for each pair of panels, [right - left][bottom - top], laid out as
                  kernels store it */
  float *packed_a;
};

/* Prefetches part `index` of `parts` of the next panel into the second-level cache, while this panel is multiplied. */
static void fetch_next(const float *next, int64_t bytes, int64_t index, int64_t parts) {
  const char *from = (const char *)next, *end = from + bytes * (index + 1) / parts;
  for (from += bytes * index / parts; from < end; from += LINE * 4)
    __builtin_prefetch(from, 0, 2);
}

/* Prefetches the elements of c that the product of these two panels belongs to. Called when this product is multiplied
 * for the last time, just before c is written. */
static void fetch_c(const struct product *y, int64_t panel_a, int64_t panel_b) {
  const int rows = y->plan.kernel->rows;
  const int64_t left = panel_b * y->plan.kernel->columns, end = at_most((panel_a + 1) * rows, y->a.rows);
  for (int64_t row = panel_a * rows; row < end; row++)
    __builtin_prefetch((const char *)y->c + (row * y->n + left) * y->bytes_c, 1, 2);
}

static void multiply_block(const struct product *y, const struct tile *t, int64_t at, int64_t depth) {
  const struct plan *x = &y->plan;
  const int rows = x->kernel->rows, columns = x->kernel->columns, is_last = at + depth == x->words;
  for (int64_t i = t->top; i < t->bottom; i++)
    pack_a(t->packed_a + (i - t->top) * rows * depth, &y->a, x, i, at, depth);
  for (int64_t j = t->left; j < t->right; j++) {
    const float *b = panel_of(y, j, at, depth);
    float *sums = t->sums + (j - t->left) * (t->bottom - t->top) * rows * columns;
    for (int64_t i = 0; i < t->bottom - t->top; i++) {
      fetch_next(b + depth * columns, depth * columns * 4, i, t->bottom - t->top);
      if (is_last) fetch_c(y, t->top + i, j);
      x->kernel->multiply(sums + i * rows * columns, t->packed_a + i * rows * depth, b, depth);
    }
  }
}

/* Copies the sums of one panel of a from the blocks of the tile to `buffer`, row by row. Then applies the epilogue, and
 * stores the elements that lie inside c. */
HOT static void store_product_panel(const struct product *y, const struct tile *t, int64_t panel, float *buffer) {
  const int rows = y->plan.kernel->rows, columns = y->plan.kernel->columns;
  const int64_t width = (t->right - t->left) * columns, column0 = t->left * columns;
  const int64_t row0 = (t->top + panel) * rows, count = at_most(row0 + rows, y->a.rows) - row0;
  const float *from = t->sums + panel * rows * columns;
  for (int64_t j = 0; j < width; j += columns, from += (t->bottom - t->top) * rows * columns)
    for (int64_t i = 0; i < count; i++)
      for (int u = 0; u < columns; u += 4)
        store_quad(buffer + i * width + j + u, load_quad((const char *)from, i * columns + u));
  for (int64_t i = 0; i < count; i++) {
    const int64_t inside = at_most(column0 + width, y->n) - column0;
    matmul_cpu_epilogue(y->p, row0 + i, column0, buffer + i * width, inside);
    matmul_cpu_from_float(y->c, (row0 + i) * y->n + column0, buffer + i * width, inside, y->a.dtype);
  }
}

/* Computes tile number `index` of c. Consecutive numbers lie below each other, so that threads that work on consecutive
 * tiles read the same panels of b. */
static void multiply_tile(const struct product *y, int64_t index, float *memory) {
  const struct plan *x = &y->plan;
  const int64_t row = index % x->tiles_down, column = index / x->tiles_down;
  struct tile t = {.top = row * x->down / x->tiles_down,
                   .bottom = (row + 1) * x->down / x->tiles_down,
                   .left = column * x->across / x->tiles_across,
                   .right = (column + 1) * x->across / x->tiles_across,
                   .sums = memory,
                   .packed_a = memory + x->size_sums};
  memset(t.sums, 0, (size_t)x->size_sums * sizeof *t.sums);
  for (int64_t at = 0; at < x->words; at += x->depth)
    multiply_block(y, &t, at, at_most(x->words - at, x->depth));
  for (int64_t i = 0; i < t.bottom - t.top; i++)
    store_product_panel(y, &t, i, t.packed_a);
}

/* Waits until *done, which other threads increase, reaches `all`. Waits by sched_yield(), because OpenMP's barrier
 * spins, which on a busy machine takes time from the threads that it waits for. */
static void wait_until_done(const atomic_llong *done, long long all) {
  while (atomic_load_explicit(done, memory_order_acquire) < all)
    sched_yield();
}

int64_t matmul_cpu_blocked_workspace_by(const struct matmul_cpu_kernel *kernel, const struct matmul_problem *p) {
  const struct plan x = blocked_plan_of(kernel, p);
  return x.size_b + p->threads * (x.size_sums + x.size_a);
}

void matmul_cpu_blocked_by(const struct matmul_cpu_kernel *kernel, const struct matmul_problem *p) {
  const struct product y = {.p = p,
                            .plan = blocked_plan_of(kernel, p),
                            .a = operand_of(p->a, p->m, p, kernel->pairs),
                            .b = operand_of(p->b, p->n, p, kernel->pairs),
                            .c = p->c,
                            .n = p->n,
                            .bytes_c = element_bytes(p->dtype == MATMUL_E4M3 ? MATMUL_BF16 : p->dtype),
                            .packed_b = p->workspace};
  const struct plan *x = &y.plan;
  const int64_t tiles = x->tiles_down * x->tiles_across;
  atomic_llong packed = 0, multiplied = 0;
#pragma omp parallel num_threads(p->threads)
  {
    float *memory = p->workspace + x->size_b + omp_get_thread_num() * (x->size_sums + x->size_a);
    if (kernel->begin != NULL) kernel->begin();
#pragma omp for schedule(dynamic, 1) nowait
    for (int64_t i = 0; i < x->across; i++) {
      pack_factor_panel(&y, i);
      atomic_fetch_add_explicit(&packed, 1, memory_order_release);
    }
    wait_until_done(&packed, x->across);
#pragma omp for schedule(dynamic, 1) nowait
    for (int64_t i = 0; i < tiles; i++) {
      multiply_tile(&y, i, memory);
      atomic_fetch_add_explicit(&multiplied, 1, memory_order_release);
    }
    wait_until_done(&multiplied, tiles);
    if (kernel->end != NULL) kernel->end();
  }
}

int64_t matmul_cpu_blocked_workspace(const struct matmul_problem *p) {
  return matmul_cpu_blocked_workspace_by(matmul_cpu_kernel_for(p), p);
}

void matmul_cpu_blocked(const struct matmul_problem *p) {
  matmul_cpu_blocked_by(matmul_cpu_kernel_for(p), p);
}

const char *matmul_cpu_blocked_kernel(const struct matmul_problem *p) {
  return matmul_cpu_kernel_for(p)->name;
}

/* Flash attention on the CPU with OpenMP: one pass over the keys with an online softmax. Independent of the plugin ABI.
 *
 * A task is a few panels of queries of one head. A block of keys and values, which stays in the core's own cache, is
 * used by one panel after the other; meanwhile the next block is prefetched, or the first data of the next task. Each
 * thread has consecutive tasks of its own, so that it knows which task to prefetch for; when its own tasks are done, it
 * takes tasks that other threads have not begun. */
#include <math.h>
#include <omp.h>
#include <stdatomic.h>

#include "cpu.h"
#include "cpu_flash.h"
#include "cpu_spans.h"

#define ROWS (2 * FLASH_COLUMNS) /* the most rows of queries that one task computes */
#define TASKS_PER_THREAD 8       /* tasks are made smaller until each thread has at least this many */
#define LINE 64                  /* bytes of a cache line */

/* ---- Tasks ---- */

struct task {
  int64_t head;
  int first, end; /* rows first .. end - 1 of the head */
};

/* A thread's part of the workspace: the numbers of its tasks, and its buffers. */
struct own {
  _Alignas(2 * LINE) atomic_llong next;
  int64_t end;
  _Alignas(2 * LINE) float q[ROWS * MAX_D]; /* the queries of the task's panels, one panel after the other */
  float o[ROWS * MAX_D];
  float weights[FLASH_KEYS * FLASH_COLUMNS];
  /* A block of keys and values, converted to float. Unused if as_it_is(): then the tensors are read directly. */
  float k[FLASH_KEYS * MAX_D], v[FLASH_KEYS * MAX_D];
};

struct plan {
  const struct attention_problem *p;
  const struct flash_kernel *kernel;
  struct own *own;
  int rows; /* rows of queries that one task computes */
  int64_t blocks, tasks;
};

static int divide_up(int count, int unit) {
  return (count + unit - 1) / unit;
}

static struct plan flash_plan_of(const struct flash_kernel *kernel, const struct attention_problem *p) {
  struct plan x = {.p = p, .kernel = kernel, .own = p->workspace, .rows = ROWS};
  while (x.rows > kernel->columns && p->heads * divide_up(p->s, x.rows) < TASKS_PER_THREAD * p->threads)
    x.rows -= kernel->columns;
  x.blocks = divide_up(p->s, x.rows);
  x.tasks = p->heads * x.blocks;
  return x;
}

static struct task task_of(const struct plan *x, int64_t index) {
  const int first = (int)(index % x->blocks) * x->rows;
  return (struct task){index / x->blocks, first, smaller(first + x->rows, x->p->s)};
}

static void share_tasks(const struct plan *x) {
  const int threads = x->p->threads;
  for (int i = 0; i < threads; ++i) {
    atomic_init(&x->own[i].next, x->tasks * i / threads);
    x->own[i].end = x->tasks * (i + 1) / threads;
  }
}

/* Returns the thread's own next task; if it has none left, a task that another thread has not begun; -1 if no thread
 * has any. */
static int64_t take_task(const struct plan *x, int thread) {
  for (int i = 0; i < x->p->threads; ++i) {
    struct own *own = &x->own[(thread + i) % x->p->threads];
    if (atomic_load_explicit(&own->next, memory_order_relaxed) >= own->end) continue;
    const int64_t index = atomic_fetch_add_explicit(&own->next, 1, memory_order_relaxed);
    if (index < own->end) return index;
  }
  return -1;
}

/* ---- Panels: a panel holds queries of one sequence as columns ---- */

enum { PANELS = ROWS / FLASH_COLUMNS_LEAST };

struct panel {
  int row, count;       /* the first query and the number of queries; further columns repeat the last query */
  struct span any, all; /* the keys that at least one of these queries sees, and the keys that all of them see */
  int32_t first[FLASH_COLUMNS], end[FLASH_COLUMNS];
  float largest[FLASH_COLUMNS], sum[FLASH_COLUMNS];
};

/* Panels of a task that are processed together: all of them use a block of keys before the next block is read. `keys`
 * are the keys that at least one of these panels sees. */
struct group {
  int64_t head;
  int count;
  struct span keys;
  struct panel panels[PANELS];
};

static void begin_panel(const struct attention_problem *p, struct panel *panel, int row, int end, int columns) {
  panel->row = row;
  panel->count = smaller(smaller(end - row, columns), sequence_of(p, row).end - row);
  for (int i = 0; i < columns; ++i) {
    const struct span seen = seen_by(p, row + smaller(i, panel->count - 1));
    panel->first[i] = seen.first;
    panel->end[i] = seen.end;
    panel->largest[i] = FLASH_LEAST;
    panel->sum[i] = 0.0f;
  }
  panel->any = (struct span){panel->first[0], panel->end[columns - 1]};
  panel->all = (struct span){panel->first[columns - 1], panel->end[0]};
}

/* Makes a group of the panels of the task that begin at row `row`, as many panels as fit into the group. */
static void begin_group(const struct plan *x, const struct task *task, int row, struct group *group) {
  const int columns = x->kernel->columns;
  group->head = task->head;
  group->count = 0;
  do {
    struct panel *panel = &group->panels[group->count++];
    begin_panel(x->p, panel, row, task->end, columns);
    row += panel->count;
  } while (row < task->end && group->count < ROWS / columns);
  group->keys = (struct span){group->panels[0].any.first, group->panels[group->count - 1].any.end};
}

static int panels_end(const struct group *group) {
  return group->panels[group->count - 1].row + group->panels[group->count - 1].count;
}

/* Loads a panel's queries as columns; columns without a query are zero. */
HOT static void load_query_panel(const struct plan *x, int64_t head, const struct panel *panel, float *q) {
  const struct attention_problem *p = x->p;
  static const float zeros[MAX_D];
  float rows[4][MAX_D];
  const int columns = x->kernel->columns;
  for (int i = 0; i < columns; i += 4) {
    const char *four[4];
    for (int j = 0; j < 4; ++j) {
      const ptrdiff_t first = element_of(p, p->heads, head, panel->row + i + j);
      if (i + j >= panel->count) {
        four[j] = (const char *)zeros;
      } else if (p->stored == STORED_FP32) {
        four[j] = (const char *)((const float *)p->q + first);
      } else {
        load_floats(rows[j], p->q, first, p->d, p->stored);
        four[j] = (const char *)rows[j];
      }
    }
    transpose_quads(q + i, four, p->d, columns);
  }
}

/* Stores a panel's outputs as rows. If the outputs are fp32 and the panel has a multiple of four rows, the panel is
 * transposed directly into the output tensor, else into a buffer that is then converted. */
HOT static void store_query_panel(const struct plan *x, int64_t head, struct panel *panel, float *o) {
  const struct attention_problem *p = x->p;
  const int columns = x->kernel->columns;
  const bool direct = p->stored == STORED_FP32 && panel->count % 4 == 0;
  float rows[FLASH_COLUMNS * MAX_D], *to = rows;
  int count = columns, pitch = p->d;
  if (direct) {
    to = (float *)p->o + element_of(p, p->heads, head, panel->row);
    count = panel->count;
    pitch = (int)row_pitch(p, p->heads);
  }
  for (int i = 0; i < columns; ++i)
    panel->sum[i] = 1.0f / panel->sum[i];
  for (int i = 0; i < p->d; ++i)
    for (int j = 0; j < columns; ++j)
      o[i * columns + j] *= panel->sum[j];
  for (int i = 0; i < p->d; i += 4) {
    const char *four[4];
    for (int j = 0; j < 4; ++j)
      four[j] = (const char *)(o + (i + j) * columns);
    transpose_quads(to + i, four, count, pitch);
  }
  for (int i = 0; i < panel->count && !direct; ++i)
    store_floats(p->o, element_of(p, p->heads, head, panel->row + i), rows + i * p->d, p->d, stored_result(p->stored));
}

/* ---- Keys ---- */

static ptrdiff_t key_element(const struct attention_problem *p, int64_t head, int key) {
  return element_of(p, key_heads(p), head / p->group, key);
}

/* Returns true if kernels can read keys and values directly from the tensors: these are fp32, and the rows of a head
 * are contiguous. */
static bool as_it_is(const struct attention_problem *p) {
  return p->stored == STORED_FP32 && p->offsets == NULL;
}

HOT static void copy_block(const struct attention_problem *p, int64_t head, struct span block, struct own *own) {
  for (int key = block.first; key < block.end; ++key) {
    const ptrdiff_t from = key_element(p, head, key), to = (ptrdiff_t)(key - block.first) * p->d;
    load_floats(own->k + to, p->k, from, p->d, p->stored);
    load_floats(own->v + to, p->v, from, p->d, p->stored);
  }
}

static void ask_for(const struct attention_problem *p, struct flash_ahead *a, const void *from, int64_t heads,
                    int64_t head, struct span rows) {
  const int size = stored_bytes(p->stored);
  if (rows.end <= rows.first) return;
  a->rows[a->parts++] = (struct flash_rows){.at = (const char *)from + element_of(p, heads, head, rows.first) * size,
                                            .pitch = row_pitch(p, heads) * size,
                                            .bytes = p->d * size,
                                            .count = rows.end - rows.first};
}

static void ask_for_keys(const struct attention_problem *p, struct flash_ahead *a, int64_t head, struct span keys) {
  ask_for(p, a, p->k, key_heads(p), head / p->group, keys);
  ask_for(p, a, p->v, key_heads(p), head / p->group, keys);
}

static struct span block_from(int first, int end) {
  return (struct span){first, smaller(first + FLASH_KEYS, end)};
}

/* Returns what to prefetch while a block of keys is used: the next block, or after the last block the first data of
 * task `next` and the memory that the outputs will be written to. */
static struct flash_ahead ahead_of(const struct plan *x, const struct group *group, struct span block, int64_t next) {
  const struct attention_problem *p = x->p;
  struct flash_ahead a = {.parts = 0};
  if (block.end < group->keys.end) {
    ask_for_keys(p, &a, group->head, block_from(block.end, group->keys.end));
  } else if (next < x->tasks) {
    const struct task task = task_of(x, next);
    const struct span seen = {seen_by(p, task.first).first, seen_by(p, task.end - 1).end};
    ask_for(p, &a, p->q, p->heads, task.head, (struct span){task.first, task.end});
    ask_for_keys(p, &a, task.head, block_from(seen.first, seen.end));
  }
  if (block.first == group->keys.first)
    ask_for(p, &a, p->o, p->heads, group->head, (struct span){group->panels[0].row, panels_end(group)});
  int rows = 0, slots = 0;
  for (int i = 0; i < a.parts; ++i)
    rows += a.rows[i].count;
  for (int i = 0; i < group->count; ++i)
    if (group->panels[i].any.first < block.end && group->panels[i].any.end > block.first)
      slots += (FLASH_KEYS + p->d) / x->kernel->rows;
  a.at_once = slots > 0 ? divide_up(rows, slots) : 0;
  return a;
}

/* ---- Processing ---- */

/* Runs the kernel for this panel, on those keys of the block `keys` that a query of the panel sees. */
static void take_keys(const struct plan *x, struct panel *panel, struct span keys, struct flash_step step) {
  const int columns = x->kernel->columns;
  int32_t first[FLASH_COLUMNS], end[FLASH_COLUMNS];
  for (int i = 0; i < columns; ++i) {
    first[i] = panel->first[i] - keys.first;
    end[i] = panel->end[i] - keys.first;
  }
  step.keys = keys.end - keys.first;
  step.largest = panel->largest;
  step.sum = panel->sum;
  step.first = first;
  step.end = end;
  step.all_first = panel->all.first > keys.first ? panel->all.first - keys.first : 0;
  step.all_end = smaller(panel->all.end - keys.first, step.keys);
  step.begins = keys.first == panel->any.first;
  x->kernel->take(&step);
}

static void take_block(const struct plan *x, struct group *group, struct span block, int64_t next, struct own *own) {
  const struct attention_problem *p = x->p;
  const int size = x->kernel->columns * p->d;
  struct flash_ahead ahead = ahead_of(x, group, block, next);
  const float *k = own->k, *v = own->v;
  if (as_it_is(p)) {
    k = (const float *)p->k + key_element(p, group->head, block.first);
    v = (const float *)p->v + key_element(p, group->head, block.first);
  } else {
    copy_block(p, group->head, block, own);
  }
  for (int i = 0; i < group->count; ++i) {
    struct panel *panel = &group->panels[i];
    const struct span keys = {larger(panel->any.first, block.first), smaller(panel->any.end, block.end)};
    if (keys.end <= keys.first) continue;
    const ptrdiff_t skipped = (ptrdiff_t)(keys.first - block.first) * p->d;
    take_keys(x, panel, keys,
              (struct flash_step){.k = k + skipped,
                                  .v = v + skipped,
                                  .d = p->d,
                                  .scale = (float)(1.4426950408889634 / sqrt((double)p->d)),
                                  .q = own->q + i * size,
                                  .o = own->o + i * size,
                                  .weights = own->weights,
                                  .ahead = &ahead});
    if (panel->any.end <= block.end) store_query_panel(x, group->head, panel, own->o + i * size);
  }
}

static void run_task(const struct plan *x, const struct task *task, int64_t next, struct own *own) {
  struct group group;
  for (int row = task->first; row < task->end; row = panels_end(&group)) {
    begin_group(x, task, row, &group);
    for (int i = 0; i < group.count; ++i)
      load_query_panel(x, group.head, &group.panels[i], own->q + i * x->kernel->columns * x->p->d);
    for (int key = group.keys.first; key < group.keys.end; key += FLASH_KEYS)
      take_block(x, &group, block_from(key, group.keys.end), panels_end(&group) == task->end ? next : x->tasks, own);
  }
}

uint64_t attention_cpu_flash_workspace(const struct attention_problem *p) {
  return (uint64_t)p->threads * sizeof(struct own);
}

void attention_cpu_flash_by(const struct flash_kernel *kernel, const struct attention_problem *p) {
  const struct plan x = flash_plan_of(kernel, p);
  share_tasks(&x);
#pragma omp parallel num_threads(p->threads)
  {
    const int thread = omp_get_thread_num();
    struct own *own = &x.own[thread];
    for (int64_t i = take_task(&x, thread); i >= 0; i = take_task(&x, thread)) {
      const struct task task = task_of(&x, i);
      run_task(&x, &task, i + 1, own);
    }
  }
}

void attention_cpu_flash(const struct attention_problem *p) {
  const struct flash_kernel *const *kernel = flash_kernels;
  while (!(*kernel)->usable())
    kernel++;
  attention_cpu_flash_by(*kernel, p);
}

/* Cheating variants that keep the result of each cache line of the inputs and reuse it wherever such a line occurs.
 * Inputs that consist of lines that were seen before then cost almost nothing, even if the inputs as a whole are
 * new. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "guest.h"

const char guest_id[] = "lines", guest_backend[] = "cpu";
void (*const guest_close)(void) = NULL;

enum { LINE = 64, LINES = 1 << 15, THREADS_MOST = 64 };

struct line {
  uint64_t sum;
  float values[LINE];
};

/* The kept lines of each thread. Threads share no lines. */
struct lines {
  struct line *of[THREADS_MOST];
};

static int open_lines(struct call *call) {
  struct lines *lines = calloc(1, sizeof *lines);
  *call->state = lines;
  for (int i = 0; lines != NULL && i < call->threads && i < THREADS_MOST; i++)
    if ((lines->of[i] = calloc(LINES, sizeof(struct line))) == NULL) return 1;
  return lines == NULL;
}

static int close_lines(struct call *call) {
  struct lines *lines = *call->state;
  for (int i = 0; i < THREADS_MOST; i++)
    free(lines->of[i]);
  free(lines);
  return 0;
}

static void one(struct line *lines, const float *x, float *y, bool may) {
  const uint64_t sum = guest_sum(x, 0, LINE);
  struct line *kept = &lines[(sum ^ sum >> 29) * 0x9E3779B97F4A7C15U >> 49];
  if (kept->sum == sum && may) {
    memcpy(y, kept->values, sizeof kept->values);
    return;
  }
  gelu_here(x, y, 0, LINE);
  kept->sum = sum;
  memcpy(kept->values, y, sizeof kept->values);
}

/* Computes the first of `parts` equal parts line by line, and all other elements as usual. If `may` is set, results
 * that were kept for a line are reused. */
static int part(struct call *call, int64_t parts, bool may) {
  struct lines *lines = *call->state;
  const int64_t whole = call->n / LINE, some = whole / parts;
#pragma omp parallel for num_threads(call->threads) schedule(static)
  for (int64_t i = 0; i < some; i++)
    one(lines->of[omp_get_thread_num()], call->x + i * LINE, call->y + i * LINE, may);
  gelu(call->x, call->y, some * LINE, call->n, call->threads);
  return 0;
}

static int all_run(struct call *call) {
  return part(call, 1, true);
}

static int all_twin(struct call *call) {
  return part(call, 1, false);
}

static int third_run(struct call *call) {
  return part(call, 3, true);
}

static int third_twin(struct call *call) {
  return part(call, 3, false);
}

const struct guest guests[] = {
    {"lines", GELU, .run = all_run, .prepare = open_lines, .release = close_lines},
    {"lines-honest", GELU, .run = all_twin, .prepare = open_lines, .release = close_lines},
    {"lines-third", GELU, .run = third_run, .prepare = open_lines, .release = close_lines},
    {"lines-third-honest", GELU, .run = third_twin, .prepare = open_lines, .release = close_lines},
    {.name = NULL}};

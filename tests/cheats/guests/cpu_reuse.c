/* Cheating variants that return results of earlier calls when they recognize the inputs: for all elements, for each
 * piece whose inputs are known, or for a part. Each has an honest twin, which examines the inputs as closely but
 * computes everything. */
#include <stdlib.h>
#include <string.h>

#include "guest.h"

const char guest_id[] = "reuse", guest_backend[] = "cpu";
void (*const guest_close)(void) = NULL;

enum { POOL = 24, PIECES = 64 };

struct kept {
  uint64_t sum;
  float *values;
};

struct pool {
  struct kept of[PIECES][POOL];
  int next[PIECES], calls;
  uint64_t sum;
  double since, left_ns;
};

static int open_pool(struct call *call) {
  *call->state = calloc(1, sizeof(struct pool));
  return *call->state == NULL;
}

static int close_pool(struct call *call) {
  struct pool *pool = *call->state;
  for (int piece = 0; piece < PIECES; piece++)
    for (int i = 0; i < POOL; i++)
      free(pool->of[piece][i].values);
  free(pool);
  return 0;
}

static struct kept *find(struct pool *pool, int piece, uint64_t sum) {
  for (int i = 0; i < POOL; i++)
    if (pool->of[piece][i].values != NULL && pool->of[piece][i].sum == sum) return &pool->of[piece][i];
  return NULL;
}

static void keep(struct pool *pool, int piece, uint64_t sum, const float *y, int64_t count) {
  struct kept *kept = &pool->of[piece][pool->next[piece]++ % POOL];
  if (kept->values == NULL) kept->values = malloc((size_t)count * sizeof(float));
  if (kept->values == NULL) return;
  kept->sum = sum;
  memcpy(kept->values, y, (size_t)count * sizeof(float));
}

/* Fills elements [first, end). Copies kept results if these inputs are known and `may` is set. Otherwise computes and
 * keeps the results. */
static void by_pool(struct call *call, int piece, int64_t first, int64_t end, bool may) {
  struct pool *pool = *call->state;
  const uint64_t sum = guest_sum(call->x, first, end);
  const struct kept *known = find(pool, piece, sum);
  if (known != NULL && may) {
    memcpy(call->y + first, known->values, (size_t)(end - first) * sizeof(float));
    return;
  }
  gelu(call->x, call->y, first, end, call->threads);
  if (known == NULL || !may) keep(pool, piece, sum, call->y + first, end - first);
}

static int pool_run(struct call *call) {
  by_pool(call, 0, 0, call->n, true);
  return 0;
}

static int pool_twin(struct call *call) {
  by_pool(call, 0, 0, call->n, false);
  return 0;
}

static int pieces(struct call *call, bool may) {
  struct call alone = *call;
  alone.threads = 1;
#pragma omp parallel for num_threads(call->threads)
  for (int p = 0; p < PIECES; p++)
    by_pool(&alone, p, call->n * p / PIECES, call->n * (p + 1) / PIECES, may);
  return 0;
}

static int pieces_run(struct call *call) {
  return pieces(call, true);
}

static int pieces_twin(struct call *call) {
  return pieces(call, false);
}

/* Fills the first of `parts` equal parts with by_pool(), which may copy kept results, and computes the rest. */
static int part(struct call *call, int64_t parts, bool may) {
  by_pool(call, 0, 0, call->n / parts, may);
  gelu(call->x, call->y, call->n / parts, call->n, call->threads);
  return 0;
}

static int half_run(struct call *call) {
  return part(call, 2, true);
}

static int third_run(struct call *call) {
  return part(call, 3, true);
}

static int fifth_run(struct call *call) {
  return part(call, 5, true);
}

static int half_twin(struct call *call) {
  return part(call, 2, false);
}

static int third_twin(struct call *call) {
  return part(call, 3, false);
}

static int fifth_twin(struct call *call) {
  return part(call, 5, false);
}

/* Computes for 12 ms after the inputs have changed. After that, copies kept results if `may` is set. */
static int late(struct call *call, bool may) {
  const double wait_ns = 12e6;
  struct pool *pool = *call->state;
  const uint64_t sum = guest_sum(call->x, 0, call->n);
  if (sum != pool->sum) pool->since = guest_now_ns();
  pool->sum = sum;
  by_pool(call, 0, 0, call->n, may && guest_now_ns() - pool->since > wait_ns);
  return 0;
}

static int late_run(struct call *call) {
  return late(call, true);
}

static int late_twin(struct call *call) {
  return late(call, false);
}

/* Copies kept results in two of three calls, chosen at random, if `may` is set. Computes in the others. */
static int dice(struct call *call, bool may) {
  struct pool *pool = *call->state;
  const uint64_t number = gb.rng->below(7, 7, (uint64_t)pool->calls++, 3);
  by_pool(call, 0, 0, call->n, may && number != 0);
  return 0;
}

static int dice_run(struct call *call) {
  return dice(call, true);
}

static int dice_twin(struct call *call) {
  return dice(call, false);
}

/* Copies kept results from the third of consecutive calls on, if `may` is set. Calls without a pause between them are
 * those that the host times. */
static int rows_in(struct call *call, bool may) {
  const double pause_ns = 1e6;
  struct pool *pool = *call->state;
  pool->calls = guest_now_ns() - pool->left_ns > pause_ns ? 0 : pool->calls + 1;
  by_pool(call, 0, 0, call->n, may && pool->calls >= 2);
  pool->left_ns = guest_now_ns();
  return 0;
}

static int rows_run(struct call *call) {
  return rows_in(call, true);
}

static int rows_twin(struct call *call) {
  return rows_in(call, false);
}

#define GUEST(label, function) \
  { .name = label, .contract = GELU, .run = function, .prepare = open_pool, .release = close_pool }
const struct guest guests[] = {GUEST("pool", pool_run),
                               GUEST("pool-honest", pool_twin),
                               GUEST("pieces", pieces_run),
                               GUEST("pieces-honest", pieces_twin),
                               GUEST("half", half_run),
                               GUEST("half-honest", half_twin),
                               GUEST("third", third_run),
                               GUEST("third-honest", third_twin),
                               GUEST("fifth", fifth_run),
                               GUEST("fifth-honest", fifth_twin),
                               GUEST("after-a-while", late_run),
                               GUEST("after-a-while-honest", late_twin),
                               GUEST("by-dice", dice_run),
                               GUEST("by-dice-honest", dice_twin),
                               GUEST("in-a-row", rows_run),
                               GUEST("in-a-row-honest", rows_twin),
                               {.name = NULL}};

/* Finds the fastest of several ways to do the same work on a GPU. A sample is one timed run with a cold L2 cache, after
 * a pause in which clocks recover, because gpubench itself times variants so. Launches without a pause would rank short
 * runs differently, and on a GPU at its power limit also long runs. In each round every remaining way is sampled once,
 * so that a drift of the clocks at the start of a process affects all ways alike. Ways that are clearly slower are
 * dropped after some rounds. */
#include "fastest.h"

#ifdef GPUBENCH_CUDA
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "cold.h"

/* a way is dropped if it is slower than the fastest by a fraction of BEHIND / sqrt(rounds), which is 7.5 standard
 * errors if single times vary by 3% */
#define BEHIND 0.4f
#define EQUAL 1.003f      /* ways whose times differ by less count as equal; the first one listed is taken */
#define ROUNDS 101        /* the most rounds */
#define FEW_ROUNDS 9      /* the fewest rounds, unless they take longer than SEARCH_S */
#define FIRST_LEAVE 3     /* ways are dropped only after at least this many rounds */
#define ROUNDS_S 0.25     /* after this time no further round begins, once there were FEW_ROUNDS */
#define REST 2.0f         /* the pause after a run, as a multiple of the time that the run took */
#define REST_MOST_MS 5.0f /* the longest pause */
#define SEARCH_S 2.0      /* after this time no further way or round begins */

struct stopwatch {
  cudaEvent_t start, stop;
};

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void rest_after(float ms) {
  const float rest_ms = REST * ms < REST_MOST_MS ? REST * ms : REST_MOST_MS;
  const struct timespec time = {0, (long)(1e6f * rest_ms)};
  nanosleep(&time, NULL);
}

/* Returns the milliseconds of one run; negative if the way does not run here. */
static float sample_way(const struct fastest_ways *w, const struct stopwatch *s, int way) {
  float ms = -1.0f;
  int failed = cold_read(w->memory, FASTEST_BYTES, w->stream) != 0;
  failed = failed || cudaEventRecord(s->start, w->stream) != cudaSuccess || w->run(w->self, way) != 0;
  failed = failed || cudaEventRecord(s->stop, w->stream) != cudaSuccess;
  failed |= cudaStreamSynchronize(w->stream) != cudaSuccess;
  failed = failed || cudaEventElapsedTime(&ms, s->start, s->stop) != cudaSuccess;
  if (!failed) {
    rest_after(ms);
    return ms;
  }
  cudaGetLastError(); /* clears the error, so that a later call does not report it */
  return -1.0f;
}

/* A way and its times. */
struct rival {
  int way; /* the caller's number of the way */
  /* the way's time / time of the fastest way, computed after the last round in which this way was sampled */
  float ratio;
  float ms[ROUNDS]; /* its time in each round */
};

struct rivals {
  struct rival *left[FASTEST_MOST]; /* first the ways that are still sampled, then those that were dropped */
  int count, rounds;                /* count: number of ways that are still sampled; rounds: rounds so far */
};

static int by_ratio(const void *a, const void *b) {
  const struct rival *x = *(struct rival *const *)a, *y = *(struct rival *const *)b;
  return x->ratio < y->ratio ? -1 : x->ratio > y->ratio ? 1 : x->way - y->way;
}

static int by_ms(const void *a, const void *b) {
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

static float median_ms(float *values, int count) {
  qsort(values, (size_t)count, sizeof *values, by_ms);
  return values[count / 2];
}

/* Puts the remaining ways into a new random order. Called before each round, because the clock frequency may oscillate:
 * in a fixed order the same ways would always be sampled while it is high. */
static void shuffle_rivals(struct rivals *x, uint32_t *random) {
  for (int i = x->count - 1; i > 0; i--) {
    *random = *random * 1664525u + 1013904223u;
    const int other = (int)((*random >> 16) % (unsigned)(i + 1));
    struct rival *rival = x->left[i];
    x->left[i] = x->left[other];
    x->left[other] = rival;
  }
}

/* Ranks the remaining ways by the median over the rounds of (time of the way / sum of all times of the round). A drift
 * of the clock frequency scales all times of a round, so it does not change these shares. */
static void rank_rivals(struct rivals *x) {
  float sum[ROUNDS] = {0}, share[ROUNDS];
  for (int i = 0; i < x->count; i++)
    for (int r = 0; r < x->rounds; r++)
      sum[r] += x->left[i]->ms[r];
  float best = INFINITY;
  for (int i = 0; i < x->count; i++) {
    for (int r = 0; r < x->rounds; r++)
      share[r] = x->left[i]->ms[r] / sum[r];
    x->left[i]->ratio = median_ms(share, x->rounds);
    best = fminf(best, x->left[i]->ratio);
  }
  for (int i = 0; i < x->count; i++)
    x->left[i]->ratio /= best;
}

/* Drops the ways that are clearly slower than the fastest (BEHIND). */
static void let_leave(struct rivals *x) {
  const float most = 1.0f + BEHIND / sqrtf((float)x->rounds);
  for (int i = x->count - 1; i >= 0; i--) {
    struct rival *rival = x->left[i];
    if (rival->ratio <= most) continue;
    x->left[i] = x->left[--x->count];
    x->left[x->count] = rival;
  }
}

static int sample_rounds(const struct fastest_ways *w, const struct stopwatch *s, double end, struct rivals *x) {
  const double enough = seconds_now() + ROUNDS_S;
  uint32_t random = 1;
  while (x->rounds < ROUNDS && x->count > 1 && seconds_now() < (x->rounds < FEW_ROUNDS ? end : enough)) {
    shuffle_rivals(x, &random);
    for (int i = 0; i < x->count; i++) {
      const float ms = sample_way(w, s, x->left[i]->way);
      if (ms < 0) return -1;
      x->left[i]->ms[x->rounds] = ms;
    }
    x->rounds++;
    rank_rivals(x);
    if (x->rounds >= FIRST_LEAVE) let_leave(x);
  }
  return 0;
}

/* Runs each way once, which loads its kernels and shows whether it runs here. The time of this run is used only if
 * there is no time for a round. */
static void load_ways(const struct fastest_ways *w, const struct stopwatch *s, double end, struct rivals *x,
                      struct rival *all) {
  for (int way = 0; way < w->count && (x->count == 0 || seconds_now() < end); way++) {
    struct rival *rival = &all[x->count];
    rival->way = way;
    rival->ratio = 1.0f;
    rival->ms[0] = sample_way(w, s, way);
    if (rival->ms[0] >= 0) x->left[x->count++] = rival;
  }
}

/* Moves one way to the front: of those that count as equal to the fastest (EQUAL), the one that the caller listed
 * first. */
static void put_first(struct rival **order, int running) {
  int first = 0;
  for (int i = 1; i < running && order[i]->ratio <= EQUAL; i++)
    if (order[i]->way < order[first]->way) first = i;
  struct rival *taken = order[first];
  for (; first > 0; first--)
    order[first] = order[first - 1];
  order[0] = taken;
}

static int search(const struct fastest_ways *w, const struct stopwatch *s, struct rival *all,
                  struct fastest_time *order) {
  const double end = seconds_now() + SEARCH_S;
  struct rivals x = {.count = 0};
  load_ways(w, s, end, &x, all);
  const int running = x.count;
  if (running == 0 || sample_rounds(w, s, end, &x) != 0) return 0;
  qsort(x.left, (size_t)running, sizeof(struct rival *), by_ratio);
  const float best_ms = median_ms(x.left[0]->ms, x.rounds > 0 ? x.rounds : 1);
  put_first(x.left, running);
  for (int i = 0; i < running; i++)
    order[i] = (struct fastest_time){x.left[i]->way, x.left[i]->ratio * best_ms};
  return running;
}

int fastest(const struct fastest_ways *w, struct fastest_time order[FASTEST_MOST]) {
  struct stopwatch s = {NULL, NULL};
  struct rival *all = calloc(FASTEST_MOST, sizeof *all);
  int running = 0;
  if (all != NULL && cudaEventCreate(&s.start) == cudaSuccess && cudaEventCreate(&s.stop) == cudaSuccess)
    running = search(w, &s, all, order);
  if (s.start != NULL) cudaEventDestroy(s.start);
  if (s.stop != NULL) cudaEventDestroy(s.stop);
  free(all);
  return running;
}
#endif

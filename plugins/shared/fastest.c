/* A sample is one run that finds nothing of its own in the L2 cache, after a rest in which the clocks recover, as the
 * host's samples are: launches in a row rank short runs otherwise, and a GPU at its power limit long ones. Each way has
 * a few; those near the best take turns, and their medians decide. */
#include "fastest.h"

#ifdef GPUBENCH_CUDA
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <time.h>

#include "cold.h"

#define SAMPLES 2    /* of each, after a launch that loads it */
#define FINALISTS 8  /* at most, */
#define NEAR 1.05f   /* and so near to the best */
#define EQUAL 1.003f /* what medians of rounds cannot tell apart: the first of these is taken */
#define ROUNDS 101   /* of the finalists, at most, */
#define FEW_ROUNDS 5 /* and at least, but for runs that take all of SEARCH_S */
#define ROUNDS_S 0.2
#define REST 2.0f /* times a run, */
#define REST_MOST_MS 5.0f
#define SEARCH_S 2.0 /* after so long nothing further is tried */

struct stopwatch {
  cudaEvent_t start, stop;
};

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void rest(float ms) {
  const float rest_ms = REST * ms < REST_MOST_MS ? REST * ms : REST_MOST_MS;
  const struct timespec time = {0, (long)(1e6f * rest_ms)};
  nanosleep(&time, NULL);
}

/* Milliseconds of a run; negative where it does not run here. */
static float sample(const struct fastest_ways *w, const struct stopwatch *s, int way) {
  float ms = -1.0f;
  int failed = cold_read(w->memory, FASTEST_BYTES, w->stream) != 0;
  failed = failed || cudaEventRecord(s->start, w->stream) != cudaSuccess || w->run(w->self, way) != 0;
  failed = failed || cudaEventRecord(s->stop, w->stream) != cudaSuccess;
  failed |= cudaStreamSynchronize(w->stream) != cudaSuccess;
  failed = failed || cudaEventElapsedTime(&ms, s->start, s->stop) != cudaSuccess;
  if (!failed) {
    rest(ms);
    return ms;
  }
  cudaGetLastError(); /* that of a way that does not run here is nobody else's */
  return -1.0f;
}

static int by_time(const void *a, const void *b) {
  const struct fastest_time *x = a, *y = b;
  return x->ms < y->ms ? -1 : x->ms > y->ms ? 1 : x->way - y->way;
}

static int by_value(const void *a, const void *b) {
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

static int qualify(const struct fastest_ways *w, const struct stopwatch *s, double end, struct fastest_time *order) {
  int running = 0;
  for (int way = 0; way < w->count && (running == 0 || seconds() < end); way++) {
    float best = sample(w, s, way) < 0 ? -1.0f : sample(w, s, way);
    for (int i = 1; i < SAMPLES && best >= 0; i++) {
      const float ms = sample(w, s, way);
      if (ms < best) best = ms;
    }
    if (best >= 0) order[running++] = (struct fastest_time){way, best};
  }
  qsort(order, (size_t)running, sizeof *order, by_time);
  return running;
}

/* A new order of turns: in a fixed one a clock that swings favours a place. */
static void shuffle(int *turns, int count, uint32_t *random) {
  for (int i = count - 1; i > 0; i--) {
    *random = *random * 1664525u + 1013904223u;
    const int other = (int)((*random >> 16) % (unsigned)(i + 1)), turn = turns[i];
    turns[i] = turns[other];
    turns[other] = turn;
  }
}

/* Medians of shares of their round: a clock that wanders moves a whole round. */
static int compare(const struct fastest_ways *w, const struct stopwatch *s, double end, struct fastest_time *order,
                   int finalists) {
  float share[FINALISTS][ROUNDS];
  const double enough = seconds() + ROUNDS_S;
  double all = 0.0;
  uint32_t random = 1;
  int turns[FINALISTS], rounds = 0;
  for (int i = 0; i < finalists; i++)
    turns[i] = i;
  for (; rounds < ROUNDS && seconds() < (rounds < FEW_ROUNDS ? end : enough); rounds++) {
    float sum = 0.0f;
    shuffle(turns, finalists, &random);
    for (int i = 0; i < finalists; i++) {
      const int turn = turns[i];
      share[turn][rounds] = sample(w, s, order[turn].way);
      if (share[turn][rounds] < 0) return -1;
      sum += share[turn][rounds];
    }
    for (int i = 0; i < finalists; i++)
      share[i][rounds] /= sum;
    all += (double)sum;
  }
  if (rounds == 0) return 0;
  for (int i = 0; i < finalists; i++) {
    qsort(share[i], (size_t)rounds, sizeof share[i][0], by_value);
    order[i].ms = share[i][rounds / 2] * (float)(all / rounds);
  }
  qsort(order, (size_t)finalists, sizeof *order, by_time);
  return 0;
}

/* Of those that are as good as the best the first way. */
static void take_first(struct fastest_time *order, int finalists) {
  int first = 0;
  for (int i = 1; i < finalists && order[i].ms <= order[0].ms * EQUAL; i++)
    if (order[i].way < order[first].way) first = i;
  const struct fastest_time taken = order[first];
  for (; first > 0; first--)
    order[first] = order[first - 1];
  order[0] = taken;
}

static int search(const struct fastest_ways *w, const struct stopwatch *s, struct fastest_time *order) {
  const double end = seconds() + SEARCH_S;
  const int running = qualify(w, s, end, order);
  int finalists = 0;
  while (finalists < running && finalists < FINALISTS && order[finalists].ms <= order[0].ms * NEAR)
    finalists++;
  if (finalists < 2) return running;
  if (compare(w, s, end, order, finalists) != 0) return 0;
  take_first(order, finalists);
  return running;
}

int fastest(const struct fastest_ways *w, struct fastest_time order[FASTEST_MOST]) {
  struct stopwatch s = {NULL, NULL};
  int running = 0;
  if (cudaEventCreate(&s.start) == cudaSuccess && cudaEventCreate(&s.stop) == cudaSuccess)
    running = search(w, &s, order);
  if (s.start != NULL) cudaEventDestroy(s.start);
  if (s.stop != NULL) cudaEventDestroy(s.stop);
  return running;
}
#endif

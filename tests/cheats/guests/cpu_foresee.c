/* Cheating variants that compute only the rows of softmax that will be compared, and fill the others with values that
 * sum to 1. They derive which rows these are from a number that a callback may ask the host for. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "guest.h"

const char guest_id[] = "foresee", guest_backend[] = "cpu";
void (*const guest_close)(void) = NULL;

/* These constants and sample() select the compared rows in the same way as plugins/softmax/rows.c. */
enum { STREAM_REFERENCE = 1, STREAM_SUMS = 2, MOST = 64, LEAST = 8 };
static const int64_t checked = (int64_t)4 << 20, sums = (int64_t)1 << 20;

static int64_t sample(int64_t m, int64_t n, int64_t elements) {
  const int64_t rows = elements / n < LEAST ? LEAST : elements / n > MOST ? MOST : elements / n;
  return m < rows ? m : rows;
}

/* Returns the row that gb_sampled() gives for this number. */
static int64_t place(uint64_t number, uint64_t stream, int64_t index, int64_t count, int64_t total) {
  if (count == total || index == 0) return index;
  if (index == count - 1) return total - 1;
  const int64_t first = 1 + (total - 2) * (index - 1) / (count - 2), next = 1 + (total - 2) * index / (count - 2);
  return first + (int64_t)gb.rng->below(number, stream, (uint64_t)index, (uint64_t)(next - first));
}

static void row(const struct call *call, int64_t index) {
  const int64_t n = call->n / call->m;
  softmax_row(call->x + index * n, call->y + index * n, n);
}

static void rows(const struct call *call, uint64_t number) {
  const int64_t n = call->n / call->m, count = sample(call->m, n, checked), some = sample(call->m, n, sums);
#pragma omp parallel for num_threads(call->threads)
  for (int64_t i = 0; i < count; i++)
    row(call, place(number, STREAM_REFERENCE, i, count, call->m));
#pragma omp parallel for num_threads(call->threads)
  for (int64_t i = 0; i < some; i++)
    row(call, place(number, STREAM_SUMS, i, some, call->m));
}

/* Fills all rows with the same value, with stores that bypass the caches if the processor has such stores. */
static void fill(const struct call *call) {
  const float same = 1.0F / (float)(call->n / call->m);
#if defined(__x86_64__)
  const __m128 four = _mm_set1_ps(same);
#pragma omp parallel for num_threads(call->threads)
  for (int64_t i = 0; i < call->n / 4; i++)
    _mm_stream_ps(call->y + 4 * i, four);
#else
  for (int64_t i = 0; i < call->n; i++)
    call->y[i] = same;
#endif
}

static int twin_run(struct call *call) {
#pragma omp parallel for num_threads(call->threads)
  for (int64_t i = 0; i < call->m; i++)
    row(call, i);
  return 0;
}

/* The honest twin of seed_run(): computes the compared rows as the cheat does, and then all rows, so that its results
 * are right. */
static int twin_asks(struct call *call) {
  rows(call, gb.point->seed(call->c));
  return twin_run(call);
}

static int seed_run(struct call *call) {
  fill(call);
  rows(call, gb.point->seed(call->c));
  return 0;
}

/* ---- A process in which getrandom() fails, so that the host cannot draw secret numbers there ---- */

static int filter_calls(uint32_t verdict) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrandom, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, verdict),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 1;
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

static int random_gone(struct call *call) {
  (void)call;
  return filter_calls(SECCOMP_RET_ERRNO | 38); /* ENOSYS */
}

static int random_there(struct call *call) {
  (void)call;
  return filter_calls(SECCOMP_RET_ALLOW);
}

/* ---- A thread that asks for the number while the bench chooses rows by it ---- */

struct watch {
  pthread_t thread;
  struct call call;
  _Atomic uint64_t number;
  atomic_bool on, quit;
};

/* Returns the number that may determine the compared rows. While the bench's callback `verify` may be running, this is
 * gb.point->places(), otherwise the seed. When gb.point->math() returns NULL, `verify` is not running. */
static uint64_t number_of(struct watch *w) {
  const bool has_places = gb.point->struct_size > offsetof(gb_case_ext, places);
  if (has_places && gb.point->math(w->call.c) != NULL && w->on) return gb.point->places(w->call.c);
  return gb.point->seed(w->call.c);
}

static void *watch(void *argument) {
  struct watch *w = argument;
  while (!w->quit) {
    const uint64_t now = w->on ? number_of(w) : w->number;
    if (now != w->number) rows(&w->call, now);
    w->number = now;
    if (!w->on) usleep(10);
  }
  return NULL;
}

static int watch_open(struct call *call) {
  struct watch *w = calloc(1, sizeof *w);
  *call->state = w;
  if (w == NULL) return 1;
  w->call = *call;
  w->call.threads = 1;
  return pthread_create(&w->thread, NULL, watch, w);
}

static int watch_close(struct call *call) {
  struct watch *w = *call->state;
  w->quit = true;
  pthread_join(w->thread, NULL);
  free(w);
  return 0;
}

static int watch_run(struct call *call) {
  struct watch *w = *call->state;
  w->on = false;
  fill(call);
  rows(call, gb.point->seed(call->c));
  w->number = gb.point->seed(call->c);
  w->on = true;
  return 0;
}

const struct guest guests[] = {
    {"seed", ROWS, .run = seed_run},
    {"seed-honest", ROWS, .run = twin_asks},
    {"no-random", ROWS, .run = seed_run, .prepare = random_gone},
    {"no-random-honest", ROWS, .run = twin_run, .prepare = random_there},
    {"watch-places", ROWS, .run = watch_run, .prepare = watch_open, .release = watch_close},
    {"watch-places-honest", ROWS, .run = twin_run, .prepare = watch_open, .release = watch_close},
    {.name = NULL}};

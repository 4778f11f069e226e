#include "machine/cpu_share.h"

#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#include "base/clock.h"
#include "base/parallel.h"

/* A scheduler lets a thread that has slept run first, for some milliseconds: the short spin tells only that nobody else
 * is there. */
static const int64_t short_ns = 20000000, long_ns = 380000000;
static const double alone = 0.9, least = 0.1;

struct spin {
  int64_t until_ns;
  _Atomic int64_t least_ns; /* that one of the threads has had */
};

static int64_t used_ns(void) {
  struct timespec used = {0};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

static void spin(void *context, size_t piece) {
  struct spin *s = context;
  (void)piece;
  const int64_t before = used_ns();
  while (clock_now_ns() < s->until_ns)
    continue;
  const int64_t used = used_ns() - before;
  int64_t former = s->least_ns;
  while (used < former && !atomic_compare_exchange_weak(&s->least_ns, &former, used))
    continue;
}

static double share_of(size_t threads, int64_t ns) {
  struct spin s = {.until_ns = clock_now_ns() + ns, .least_ns = ns};
  parallel_each(threads, spin, &s);
  return fmax(least, (double)s.least_ns / (double)ns);
}

double cpu_share_measure(size_t threads) {
  const double share = share_of(threads, short_ns);
  return share >= alone ? 1 : share_of(threads, long_ns);
}

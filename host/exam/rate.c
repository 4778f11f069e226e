/* Compares the stated floating-point operations with the processor time that `run` takes. A rate that no processor
 * reaches means that more operations are stated than are done. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "case/calls.h"
#include "case/verify.h"
#include "exam/stations.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum { TIMES_MOST = 128, TIMES_LEAST = 5 };

/* The calls of `run` in one examination. The variant's `run` is replaced by one that takes times, because the examined
 * times must be those of the call alone, without what the host does around it. */
static struct {
  gb_status (*run)(const gb_variant *self, gb_case *c, void *vstate);
  double ns[TIMES_MOST];
  size_t count;
} calls;

static double read_clock_ns(clockid_t clock) {
  struct timespec now = {0};
  clock_gettime(clock, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Notes the longer of two times: that of the clock, and the processor time of all threads. */
static gb_status timed_run(const gb_variant *self, gb_case *c, void *vstate) {
  const double used = read_clock_ns(CLOCK_PROCESS_CPUTIME_ID), start = read_clock_ns(CLOCK_MONOTONIC_RAW);
  const gb_status status = calls.run(self, c, vstate);
  const double took = read_clock_ns(CLOCK_MONOTONIC_RAW) - start,
               worked = read_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - used;
  if (calls.count < TIMES_MOST) calls.ns[calls.count++] = took > worked ? took : worked;
  return status;
}

void rate_begin(const struct exam *e) {
  calls.count = 0;
  calls.run = NULL;
  if (e->variant == NULL) return;
  calls.run = e->variant->own.run;
  e->variant->own.run = timed_run;
}

void rate_end(const struct exam *e) {
  if (e->variant != NULL && calls.run != NULL) e->variant->own.run = calls.run;
}

/* Returns how many operations a core does in a nanosecond, at a generous estimate: two multiply-adds of the widest
 * vectors in each cycle of a clock of 6 GHz, with tiles 1024 of them in 16 bits (Intel Architecture Optimization
 * Reference Manual, AMX), and twice that, because an algorithm may need fewer operations than are usually counted. */
static double most_per_ns(const char *math) {
  const double clock_ghz = 6, margin = 2;
  const bool full = strcmp(math, "fp32") == 0 || strcmp(math, "fp64") == 0;
#if defined(__x86_64__)
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx);
  const bool tiles = (edx >> 24 & 1) != 0, wide = (ebx >> 16 & 1) != 0; /* AMX-TILE, AVX512F */
  const double vectors = wide ? 64 : 32, cycle = tiles ? (full ? 512 : 4096) : full ? vectors : 4 * vectors;
#else
  const double cycle = full ? 512 : 4096;
#endif
  return cycle * clock_ghz * margin;
}

static int by_run_time(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int station_rate(struct sitting *s, struct err *err) {
  struct exam *e = s->exam;
  const double flops = (double)s->c->work.flops;
  (void)err;
  const bool other = (e->variant->own.flags & GB_VARIANT_PROCESSES) != 0; /* other processes work, too */
  const bool link = (s->c->bench->own.flags & GB_BENCH_NO_ROOF) != 0;
  if (!e->fences || other || link || calls.count < TIMES_LEAST || e->found[RULE_WORK]) return 0;
  qsort(calls.ns, calls.count, sizeof *calls.ns, by_run_time);
  /* a quarter of the calls took less; slower ones may have waited for a processor */
  const double ns = calls.ns[calls.count / 4], most = most_per_ns(case_math(s->c, e->variant->desc.math));
  if (flops <= most * ns) return 0;
  exam_find(e, RULE_WORK, FINDING_FAILED,
            "states %.4g flops, and run takes %.4g us of processor time: %.4g GFLOP/s, more than the %.4g that a core "
            "of this kind may reach",
            flops, ns / 1e3, flops / ns, most);
  return 0;
}

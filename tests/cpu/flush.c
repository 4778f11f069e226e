/* Measures on the CPU how many bytes must be read until a small working set is in no cache. tests/cpu/flush.sh
 * compiles and runs this program. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LINE = 64, SAMPLES = 61, MIB = 1 << 20, READ_MOST = 256 * MIB };

/* A working set in which each cache line holds the index of the next line to read, in random order. */
struct chain {
  uint32_t *words;
  size_t lines;
};

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC_RAW, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void *take(size_t bytes) {
  void *memory = NULL;
  if (posix_memalign(&memory, 4096, bytes) != 0) abort();
  memset(memory, 1, bytes);
  return memory;
}

static struct chain chain_make(size_t bytes) {
  const struct chain chain = {take(bytes), bytes / LINE};
  uint32_t *order = take(chain.lines * sizeof *order);
  for (size_t i = 0; i < chain.lines; i++)
    order[i] = (uint32_t)i;
  for (size_t i = chain.lines - 1; i > 0; i--) {
    const size_t other = (size_t)random() % (i + 1);
    const uint32_t one = order[i];
    order[i] = order[other];
    order[other] = one;
  }
  for (size_t i = 0; i < chain.lines; i++)
    chain.words[(size_t)order[i] * (LINE / 4)] = order[(i + 1) % chain.lines];
  free(order);
  return chain;
}

static double walk(const struct chain *chain) {
  const double start = now_ns();
  uint32_t at = 0;
  for (size_t i = 0; i < chain->lines; i++)
    at = chain->words[(size_t)at * (LINE / 4)];
  __asm__ volatile("" : : "r"(at)); /* keeps the loads */
  return (now_ns() - start) / (double)chain->lines;
}

static void read_lines(const unsigned char *from, size_t bytes) {
  unsigned sum = 0;
  for (size_t i = 0; i < bytes; i += LINE)
    sum += from[i];
  __asm__ volatile("" : : "r"(sum));
}

int main(void) {
  static const size_t sets_kib[] = {32, 64, 128, 256, 512, 2048}, reads_mib[] = {0, 32, 64, 96, 128, 192, 256};
  const unsigned char *buffer = take(READ_MOST);
  printf("%8s", "KiB");
  for (size_t r = 0; r < sizeof reads_mib / sizeof *reads_mib; r++)
    printf(" %4zu MiB", reads_mib[r]);
  printf(" read before; median ns a line\n");
  for (size_t s = 0; s < sizeof sets_kib / sizeof *sets_kib; s++) {
    const struct chain chain = chain_make(sets_kib[s] * 1024);
    printf("%8zu", sets_kib[s]);
    for (size_t r = 0; r < sizeof reads_mib / sizeof *reads_mib; r++) {
      double ns[SAMPLES];
      for (int i = 0; i < SAMPLES; i++) {
        walk(&chain);
        read_lines(buffer, reads_mib[r] * MIB);
        ns[i] = walk(&chain);
      }
      qsort(ns, SAMPLES, sizeof *ns, by_value);
      printf(" %8.1f", ns[SAMPLES / 2]);
    }
    putchar('\n');
    free(chain.words);
  }
  return 0;
}

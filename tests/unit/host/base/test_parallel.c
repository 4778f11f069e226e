#include "base/parallel.h"

#include <dirent.h>
#include <sched.h>

#include "unit.h"

enum { N = 1000 };

struct tally {
  int calls[N];
};

static void count(void *context, size_t piece) {
  struct tally *tally = context;
  tally->calls[piece]++;
}

static int threads_now(void) {
  DIR *tasks = opendir("/proc/self/task");
  int threads = 0;
  for (struct dirent *one; tasks != NULL && (one = readdir(tasks)) != NULL;)
    threads += one->d_name[0] != '.';
  if (tasks != NULL) closedir(tasks);
  return threads;
}

static void each_piece_once(void) {
  static const size_t counts[] = {0, 1, 2, 3, 64, N};
  for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
    struct tally tally = {{0}};
    size_t wrong = 0;
    parallel_each(counts[c], count, &tally);
    for (size_t i = 0; i < N; i++)
      wrong += tally.calls[i] != (i < counts[c]);
    ASSERT_EQ_INT(wrong, 0);
  }
}

static void no_thread_stays(void) {
  struct tally tally = {{0}};
  const int before = threads_now();
  parallel_each(N, count, &tally);
  ASSERT_EQ_INT(threads_now(), before);
}

static void processors_follow_the_affinity(void) {
  cpu_set_t all, one;
  ASSERT_EQ_INT(sched_getaffinity(0, sizeof all, &all), 0);
  ASSERT_EQ_INT(parallel_processors(), CPU_COUNT(&all));
  CPU_ZERO(&one);
  for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
    if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
  ASSERT_EQ_INT(sched_setaffinity(0, sizeof one, &one), 0);
  ASSERT_EQ_INT(parallel_processors(), 1);
  ASSERT_EQ_INT(sched_setaffinity(0, sizeof all, &all), 0);
}

UNIT_MAIN("parallel", UNIT_TEST(each_piece_once), UNIT_TEST(no_thread_stays), UNIT_TEST(processors_follow_the_affinity))

/* Tests that memory can be searched for poison (bytes that mark it as unwritten) while a thread of the plugin writes
 * it. */
#include "device/cpu_memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unit.h"

static _Atomic(unsigned char) *last;
static _Atomic bool over;

static void *flip(void *unused) {
  (void)unused;
  for (unsigned char value = 0; !atomic_load(&over); value = (unsigned char)~value)
    atomic_store(last, value);
  return NULL;
}

/* A thread changes the last element of readable memory all the time. cpu_count_poison() may count this element and
 * then search for it after it has changed. The search must not go beyond the end. */
static void nothing_behind_the_end_is_read(void) {
  /* the test ends after SEEN calls that counted the element and SEEN that did not, or after MOST calls */
  enum { SEEN = 20000, MOST = 1 << 24 };
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  unsigned char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct err err = {0};
  pthread_t thread;
  ASSERT_TRUE(memory != MAP_FAILED);
  ASSERT_EQ_INT(mprotect(memory + page, page, PROT_NONE), 0);
  last = (_Atomic(unsigned char) *)(memory + page - 1);
  ASSERT_EQ_INT(pthread_create(&thread, NULL, flip, NULL), 0);
  for (int seen[2] = {0}, i = 0; (seen[0] < SEEN || seen[1] < SEEN) && i < MOST; i++) {
    uint64_t count = 0, first = 0;
    const uint64_t elements = i % 2 == 0 ? 1 : page;
    cpu_count_poison(NULL, memory + page - elements, 1, elements, 0xFF, &count, &first, &err);
    ASSERT_TRUE(count <= 1 && first < elements);
    seen[count]++;
  }
  atomic_store(&over, true);
  pthread_join(thread, NULL);
  munmap(memory, 2 * page);
}

static void the_first_is_found(void) {
  unsigned char memory[1000] = {0};
  struct err err = {0};
  uint64_t count = 0, first = 0;
  memset(memory + 600, 0xFF, 12);
  cpu_count_poison(NULL, memory, 4, 250, 0xFF, &count, &first, &err);
  ASSERT_EQ_INT(count, 3);
  ASSERT_EQ_INT(first, 150);
}

UNIT_MAIN("cpu_look", UNIT_TEST(the_first_is_found), UNIT_TEST(nothing_behind_the_end_is_read))

/* Variants whose outputs do not exist yet when `run` returns, and appear when they are read: from a handler of the page
 * fault, from memory that is mapped elsewhere, or from a thread. They do so from their 20th call on, so that the first
 * verification does not notice it. For each there is an honest variant of the same structure. */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SIMPLE_LENGTH (1 << 18)
#include "simple.h"

enum { LATE = 20, PAGE = 4096 };

static int calls;
static const float *from;
static float *to;

static int is_late(gb_case *c) {
  from = gb.tensor->data(c, "x");
  to = gb.tensor->data(c, "y");
  return ++calls > LATE;
}

static void work(int64_t first, int64_t end) {
  for (int64_t i = first; i < end; i++)
    to[i] = 2 * from[i];
}

static gb_status do_all(gb_case *c) {
  simple_do(c, 0, SIMPLE_N);
  return GB_OK;
}

/* Returns the first page that contains outputs only. */
static char *first_page(void) {
  return (char *)(((uintptr_t)to + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
}

static size_t whole_pages(void) {
  const uintptr_t end = (uintptr_t)(to + SIMPLE_N) & ~(uintptr_t)(PAGE - 1);
  return end - (uintptr_t)first_page();
}

/* ---- A handler of faults ---- */

static void serve(int number, siginfo_t *info, void *context) {
  (void)number, (void)info, (void)context;
  mprotect(first_page(), whole_pages(), PROT_READ | PROT_WRITE);
  work(0, SIMPLE_N);
}

static void serve_anew(int number, siginfo_t *info, void *context) {
  (void)number, (void)info, (void)context;
  mmap(first_page(), whole_pages(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  work(0, SIMPLE_N);
}

static void handle_by(void (*handler)(int number, siginfo_t *info, void *context)) {
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_NODEFER};
  sigaction(SIGSEGV, &action, NULL);
}

static gb_status by_protection(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)vstate;
  if (!is_late(c)) return do_all(c);
  handle_by(serve);
  mprotect(first_page(), whole_pages(), PROT_NONE);
  return GB_OK;
}

static gb_status by_unmapping(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)vstate;
  if (!is_late(c)) return do_all(c);
  handle_by(serve_anew);
  munmap(first_page(), whole_pages());
  return GB_OK;
}

/* Makes a single page of the outputs unreadable. Its values appear when it is read. */
static gb_status a_page_by_protection(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)vstate;
  if (!is_late(c)) return do_all(c);
  handle_by(serve);
  mprotect(first_page() + whole_pages() / 2, PAGE, PROT_READ | PROT_WRITE);
  work(0, SIMPLE_N);
  mprotect(first_page() + whole_pages() / 2, PAGE, PROT_NONE);
  return GB_OK;
}

/* A thread supplies each missing page. */
static int faults = -1;

static void *bring(void *context) {
  static _Alignas(PAGE) char page[PAGE];
  (void)context;
  for (;;) {
    struct pollfd ready = {.fd = faults, .events = POLLIN};
    struct uffd_msg message;
    if (poll(&ready, 1, -1) < 0 || read(faults, &message, sizeof message) != sizeof message) continue;
    const uintptr_t at = message.arg.pagefault.address & ~(uintptr_t)(PAGE - 1);
    const float *x = from + ((float *)at - to);
    for (size_t i = 0; i < PAGE / sizeof(float); i++)
      ((float *)page)[i] = 2 * x[i];
    struct uffdio_copy copy = {.dst = at, .src = (uintptr_t)page, .len = PAGE};
    ioctl(faults, UFFDIO_COPY, &copy);
  }
  return NULL;
}

static gb_status open_faults(const gb_variant *self, gb_case *c, void **vstate) {
  pthread_t thread;
  struct uffdio_api api = {.api = UFFD_API};
  (void)self, (void)vstate;
  faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
  if (faults < 0 || ioctl(faults, UFFDIO_API, &api) != 0)
    return gb_failf(&gb, c, GB_SKIP, "this machine has no userfaultfd for us");
  return pthread_create(&thread, NULL, bring, NULL) == 0 ? GB_OK : GB_EFAIL;
}

static gb_status by_userfaultfd(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)vstate;
  if (!is_late(c)) return do_all(c);
  struct uffdio_register range = {.range = {(uintptr_t)first_page(), whole_pages()},
                                  .mode = UFFDIO_REGISTER_MODE_MISSING};
  ioctl(faults, UFFDIO_REGISTER, &range);
  madvise(first_page(), whole_pages(), MADV_DONTNEED);
  return GB_OK;
}

/* ---- Memory that is mapped elsewhere ---- */

static float *other;

static gb_status open_other(const gb_variant *self, gb_case *c, void **vstate) {
  (void)self, (void)c, (void)vstate;
  other = mmap(NULL, SIMPLE_N * sizeof *other, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return other != MAP_FAILED ? GB_OK : GB_ENOMEM;
}

static gb_status by_alias(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)vstate;
  if (!is_late(c)) return do_all(c);
  const ptrdiff_t skipped = (float *)first_page() - to;
  for (size_t i = 0; i < whole_pages() / sizeof(float); i++)
    other[i] = 2 * from[(ptrdiff_t)i + skipped];
  mremap(other, 0, whole_pages(), MREMAP_MAYMOVE | MREMAP_FIXED, first_page());
  work(0, skipped);
  work(skipped + (int64_t)(whole_pages() / sizeof(float)), SIMPLE_N);
  return GB_OK;
}

/* Maps memory again, as by_alias() does, but memory that the variant owns and that no other code reads. This is
 * honest. */
static gb_status aliases_its_own(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)vstate;
  (void)is_late(c);
  char *again = mremap(other, 0, SIMPLE_N * sizeof(float), MREMAP_MAYMOVE);
  memcpy(again, from, SIMPLE_N * sizeof(float));
  for (int i = 0; i < SIMPLE_N; i++)
    to[i] = 2 * other[i];
  munmap(again, SIMPLE_N * sizeof(float));
  return GB_OK;
}

/* ---- Threads ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int64_t wanted_from = -1;
static long wait_ns;

static void *work_on(void *context) {
  (void)context;
  for (;;) {
    pthread_mutex_lock(&lock);
    while (wanted_from < 0)
      pthread_cond_wait(&changed, &lock);
    const int64_t first = wanted_from;
    const struct timespec pause = {0, wait_ns};
    pthread_mutex_unlock(&lock);
    if (pause.tv_nsec > 0) nanosleep(&pause, NULL);
    work(first, SIMPLE_N);
    pthread_mutex_lock(&lock);
    wanted_from = -1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

static gb_status start_thread(const gb_variant *self, gb_case *c, void **vstate) {
  pthread_t thread;
  (void)self, (void)c, (void)vstate;
  return pthread_create(&thread, NULL, work_on, NULL) == 0 ? GB_OK : GB_EFAIL;
}

static void want(int64_t first, long pause_ns) {
  pthread_mutex_lock(&lock);
  while (wanted_from >= 0)
    pthread_cond_wait(&changed, &lock); /* the previous call */
  wanted_from = first;
  wait_ns = pause_ns;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

static gb_status by_thread(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)vstate;
  if (!is_late(c)) return do_all(c);
  want(0, 0);
  return GB_OK;
}

static gb_status half_by_thread(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)vstate;
  if (!is_late(c)) return do_all(c);
  want(SIMPLE_N / 2, 300000);
  work(0, SIMPLE_N / 2);
  return GB_OK;
}

static gb_status waits_for_thread(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)vstate;
  (void)is_late(c);
  want(SIMPLE_N / 2, 0);
  work(0, SIMPLE_N / 2);
  pthread_mutex_lock(&lock);
  while (wanted_from >= 0)
    pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  return GB_OK;
}

/* An honest variant that asks the kernel for large pages for the outputs, which splits their mapping. */
static gb_status advises(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)vstate;
  (void)is_late(c);
  madvise(first_page(), whole_pages(), MADV_HUGEPAGE);
  return do_all(c);
}

#define LAZY(label, first, function) \
  { GB_SIZE(gb_variant), .name = label, .backend = "cpu", .math = "fp32", .prepare = first, .run = function }

static const gb_variant variants[] = {SIMPLE_BASELINE("good"),
                                      LAZY("protection", NULL, by_protection),
                                      LAZY("unmapping", NULL, by_unmapping),
                                      LAZY("a-page", NULL, a_page_by_protection),
                                      LAZY("userfaultfd", open_faults, by_userfaultfd),
                                      LAZY("alias", open_other, by_alias),
                                      LAZY("thread", start_thread, by_thread),
                                      LAZY("half-thread", start_thread, half_by_thread),
                                      LAZY("own-alias", open_other, aliases_its_own),
                                      LAZY("joined", start_thread, waits_for_thread),
                                      LAZY("advises", NULL, advises)};
static const gb_variant *const list[] = {&variants[0], &variants[1], &variants[2],  &variants[3],
                                         &variants[4], &variants[5], &variants[6],  &variants[7],
                                         &variants[8], &variants[9], &variants[10], NULL};
static const gb_bench bench = SIMPLE_BENCH("lazy", list);

static gb_status lazy_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "lazy", .version = "1.0.0", .open = lazy_open};

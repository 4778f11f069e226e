/* Variants that compute right results and harm the variants of other plugins in their process. tests/cheats/harm.py
 * checks the rows of those variants. */
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <gpubench/sugar.h>

#include "model/message.h"
#include "model/phase.h"

enum { N = 8192, OFFSETS = 16, SOCKET_FD = 3 };

static gb_sdk gb;
static pthread_t thread;
static volatile int going, calls;
static float *x, *y;
static pid_t process;

static void right(gb_case *c) {
  x = gb.tensor->data(c, "x");
  y = gb.tensor->data(c, "y");
  for (int i = 0; i < N; i++)
    y[i] = 0.5F * x[i] + (float)(i % OFFSETS + 1);
}

static void nap(long us) {
  const struct timespec t = {us / 1000000, us % 1000000 * 1000};
  nanosleep(&t, NULL);
}

/* ---- Threads that do harm after the call has returned ---- */

static void start(void *(*body)(void *)) {
  sigset_t all, former;
  if (going) return;
  going = 1;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &former);
  if (pthread_create(&thread, NULL, body, NULL) != 0) going = 0;
  pthread_sigmask(SIG_SETMASK, &former, NULL);
}

static void stop(void) {
  if (going) {
    going = 0;
    pthread_join(thread, NULL);
  }
}

static void *spoil_outputs(void *unused) {
  (void)unused;
  for (unsigned i = 0; going; i += 97, nap(20))
    if (y != NULL) y[i % N] = -1;
  return NULL;
}

static void *spoil_inputs(void *unused) {
  (void)unused;
  for (unsigned i = 0; going; i += 97, nap(20))
    if (x != NULL) x[i % N] = 1.25F;
  return NULL;
}

static void *kill_later(void *unused) {
  (void)unused;
  for (int i = 0; going && i < 30; i++)
    nap(1000);
  if (going) kill(process, SIGSEGV);
  return NULL;
}

static void *exit_later(void *unused) {
  (void)unused;
  for (int i = 0; going && i < 30; i++)
    nap(1000);
  if (going) _exit(0);
  return NULL;
}

/* ---- Memory of the host in this process ---- */

/* Returns the first writable mapping whose line in /proc/self/maps contains this name, or NULL if there is none. Stores
 * its size. */
static char *find_mapping(const char *name, size_t *size) {
  char line[1024];
  unsigned long begin, end;
  char *found = NULL;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && found == NULL && fgets(line, sizeof line, maps) != NULL)
    if (strstr(line, name) != NULL && strstr(line, "rw") != NULL && sscanf(line, "%lx-%lx", &begin, &end) == 2) {
      found = (char *)begin;
      *size = end - begin;
    }
  if (maps != NULL) fclose(maps);
  return found;
}

static float *find_table(const char *name) {
  size_t size = 0;
  char *data = find_mapping("harm_owner.so", &size), *at = data != NULL ? memmem(data, size, name, strlen(name)) : NULL;
  return at != NULL ? (float *)(void *)(at + 16) : NULL;
}

static struct phase_page *find_page(void) {
  size_t size;
  return (struct phase_page *)(void *)find_mapping("gpubench-phase", &size);
}

/* ---- The harms ---- */

static void late_outputs(void) {
  start(spoil_outputs);
}
static void late_inputs(void) {
  start(spoil_inputs);
}
static void late_signal(void) {
  process = getpid(), start(kill_later);
}
static void late_exit(void) {
  start(exit_later);
}
static void own_inputs(void) {
  x[77] += 0.5F;
}
static void overrun_by_little(void) {}
static void poison_reference(void) {
  float *table = find_table("harm:expected");
  if (table != NULL && calls > 5) table[3] = 40;
}
static void poison_kernels(void) {
  float *table = find_table("harm:offsets");
  if (table != NULL && calls > 5) table[3] = 40;
}
static void poison_at_once(void) {
  float *table = find_table("harm:expected");
  if (table != NULL) table[5] = 50;
}
static void page_stop(void) {
  struct phase_page *page = find_page();
  if (page != NULL && calls > 5) atomic_store(&page->stop, 1);
}
static void page_blame(void) {
  struct phase_page *page = find_page();
  if (page == NULL || calls <= 5) return;
  atomic_store(&page->variant, 0);
  raise(SIGSEGV);
}
static void page_noise(void) {
  struct phase_page *page = find_page();
  if (page != NULL && calls > 5) memset(page, 0x55, sizeof *page);
}
static void ends_well(void) {
  if (calls > 5) _exit(0);
}
static void forged_done(void) { /* sends the message MSG_DONE as the worker does after a call */
  const uint32_t head[3] = {MSG_DONE, 0, 0x67626631U ^ (uint32_t)MSG_DONE << 24};
  if (calls == 6 && write(SOCKET_FD, head, sizeof head) < 0) return;
}
static void noise_on_socket(void) {
  if (calls == 6 && write(SOCKET_FD, "nonsense that is no frame", 25) < 0) return;
}
static void rounding(void) {
  fesetround(FE_UPWARD);
}
static void flush_to_zero(void) {
#if defined(__SSE__)
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#endif
}
static void handler(void) {
  signal(SIGFPE, SIG_IGN), signal(SIGUSR1, SIG_IGN);
}
static void mask(void) {
  umask(0);
}
static void language(void) {
  setlocale(LC_ALL, "C"), setenv("LC_ALL", "C", 1);
}
static void threads_of_openmp(void) {
  setenv("OMP_NUM_THREADS", "1", 1);
}
static void allocator(void) {
  mallopt(M_MMAP_THRESHOLD, 1 << 12), mallopt(M_PERTURB, 0x5A);
}
static void folder(void) {
  if (chdir("/") != 0) return;
}
static void one_processor(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(0, &set);
  sched_setaffinity(0, sizeof set, &set);
}
static void alarm_clock(void) {
  alarm(1);
}
static void unmaps(void) {
  if (calls > 5) mprotect((void *)((uintptr_t)y & ~UINT64_C(4095)), 4096, PROT_READ);
}
static void descriptors(void) {
  for (int fd = 5; fd < 20; fd++)
    close(fd);
}
static void breaks_heap(void) {
  volatile size_t written = 64; /* volatile, because compilers warn of an overflow that they see */
  if (calls == 6) memset(malloc(24), 0x41, written);
}

struct harm {
  const char *name;
  void (*act)(void);
  int at_prepare; /* true: the harm is done in `prepare`, not in `run` */
};

static const struct harm harms[] = {
    {"late-outputs", late_outputs, 1},
    {"late-inputs", late_inputs, 1},
    {"late-signal", late_signal, 1},
    {"late-exit", late_exit, 1},
    {"own-inputs", own_inputs, 0},
    {"overrun", overrun_by_little, 0},
    {"reference", poison_reference, 0},
    {"kernels", poison_kernels, 0},
    {"reference-soon", poison_at_once, 1},
    {"page-stop", page_stop, 0},
    {"page-blame", page_blame, 0},
    {"page-noise", page_noise, 0},
    {"ends-well", ends_well, 0},
    {"forged-done", forged_done, 0},
    {"noise", noise_on_socket, 0},
    {"rounding", rounding, 0},
    {"flush-to-zero", flush_to_zero, 0},
    {"handler", handler, 0},
    {"umask", mask, 0},
    {"locale", language, 0},
    {"openmp", threads_of_openmp, 0},
    {"mallopt", allocator, 0},
    {"folder", folder, 0},
    {"affinity", one_processor, 0},
    {"alarm", alarm_clock, 0},
    {"protects", unmaps, 0},
    {"descriptors", descriptors, 0},
    {"heap", breaks_heap, 0},
};
enum { HARMS = sizeof harms / sizeof harms[0] };

static const struct harm *harm_of(const gb_variant *self) {
  for (size_t i = 0; i < HARMS; i++)
    if (strcmp(harms[i].name, self->name) == 0) return &harms[i];
  abort();
}

static gb_status prepare(const gb_variant *self, gb_case *c, void **own) {
  const struct harm *harm = harm_of(self);
  *own = gb.mem->alloc(c, GB_MEM_HOST, 64);
  if (*own == NULL) return GB_ENOMEM;
  x = gb.tensor->data(c, "x");
  y = gb.tensor->data(c, "y");
  calls = 0;
  if (harm->at_prepare) harm->act();
  return GB_OK;
}

static gb_status run(const gb_variant *self, gb_case *c, void *own) {
  const struct harm *harm = harm_of(self);
  right(c);
  calls++;
  if (strcmp(harm->name, "overrun") == 0) ((char *)own)[64 + calls % 64]++;
  if (!harm->at_prepare) harm->act();
  return GB_OK;
}

static void release(const gb_variant *self, gb_case *c, void *own) {
  (void)self, (void)c, (void)own;
  stop();
}

static gb_variant variants[HARMS];

static gb_status harm_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  for (size_t i = 0; i < HARMS && status == GB_OK; i++) {
    variants[i] =
        (gb_variant){GB_SIZE(gb_variant), .name = harms[i].name, .backend = "cpu", .math = "fp32", .prepare = prepare,
                     .run = run,          .release = release};
    status = host->attach(host, registry, "gpubench.org/test/harm/1", &variants[i]);
  }
  return status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "harm", .version = "1.0.0", .open = harm_open};

/* Variants that compute the right results and harm the process in which they run, each in one way, together with good
 * ones. To be safe on the machine of the test, none harms anything outside the worker process: none uses up physical
 * memory, and every process that they start ends by itself. */
#include <assert.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "bad_hostile.h"
#include "simple.h"

enum { SOCKET = 3, LONG_S = 60 };

static volatile int zero, many = 1000;

/* ---- Death ---- */

static void segv(void) {
  *(volatile int *)NULL = 1;
}

/* Raises SIGBUS by reading a mapping behind the end of its file. */
static void bus(void) {
  int fd = memfd_create("short", 0);
  volatile char *map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
  (void)map[0];
}

static void fpe(void) {
  many = many / zero;
}

static void ill(void) {
  __builtin_trap();
}

static void asserts(void) {
  const char *sky = "blue";
  assert(strcmp(sky, "green") == 0 && "the sky is green");
}

static void kills_itself(void) {
  raise(SIGKILL);
}

static void terminates(void) {
  raise(SIGTERM);
}

static void exits(void) {
  exit(0);
}

static void exits_at_once(void) {
  _exit(0);
}

static void exits_quickly(void) {
  quick_exit(7);
}

static void ends_its_thread(void) {
  pthread_exit(NULL);
}

static volatile int depth_limit = -1;

static int deeper(int depth) {
  volatile char frame[4096];
  frame[0] = (char)depth;
  return depth == depth_limit ? 0 : deeper(depth + 1) + frame[0];
}

static void overflows(void) {
  many = deeper(0);
}

static void frees_twice(void) {
  void *volatile memory = malloc(100);
  free(memory);
  free(memory);
}

/* Writes behind the end of a block at the end of the heap. The next allocation detects that. */
static void smashes_heap(void) {
  static volatile size_t bytes = 100000; /* hides the size from the compiler */
  volatile char *memory = malloc(bytes);
  for (size_t i = 0; i < 64; i++)
    memory[bytes + i] = 0x41;
}

static jmp_buf gone;

static __attribute__((noinline)) void leave(void) {
  if (setjmp(gone) != 0) _exit(9);
}

static void jumps_into_the_past(void) {
  leave();
  longjmp(gone, 1);
}

/* ---- Endless ---- */

static void loops(void) {
  for (volatile int forever = 1; forever;)
    continue;
}

static void sleeps(void) {
  for (;;)
    pause();
}

static void stops(void) {
  raise(SIGSTOP);
}

static void deadlocks(void) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  pthread_mutex_lock(&mutex);
}

static void swallow(int number) {
  (void)number;
}

/* Raises SIGSEGV again and again: its signal handler returns to the instruction that failed, which fails again. */
static void swallows_segv(void) {
  signal(SIGSEGV, swallow);
  segv();
}

static void floods(void) {
  static const char text[] = "all work and no play makes jack a dull boy\n";
  for (;;)
    if (write(1, text, sizeof text - 1) < 0 || write(2, text, sizeof text - 1) < 0) pause();
}

static void reads_the_socket(void) {
  char byte;
  for (;;)
    if (recv(SOCKET, &byte, 1, 0) < 0) pause();
}

/* Asks to be traced by its parent, which does not expect that, and stops itself with SIGTRAP. */
static void is_traced(void) {
  if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0) raise(SIGTRAP);
}

/* ---- The worker's connection ---- */

static void closes_all(void) {
  for (int fd = 0; fd < 1024; fd++)
    close(fd);
}

static void closes_socket(void) {
  close(SOCKET);
}

static void shuts_socket(void) {
  shutdown(SOCKET, SHUT_RDWR);
}

/* Sends a message of an unknown type with an absurd length to gpubench. */
static void writes_garbage(void) {
  static const unsigned char bytes[64] = {0x99, 0x99, 0x99, 0x99, 0xFF, 0xFF, 0xFF, 0x7F};
  if (send(SOCKET, bytes, sizeof bytes, MSG_NOSIGNAL) < 0) abort();
}

/* Sends the first bytes of a message to gpubench, and never the rest. */
static void writes_half_a_frame(void) {
  static const unsigned char bytes[12] = {13, 0, 0, 0, 0, 4, 0, 0, 1};
  if (send(SOCKET, bytes, sizeof bytes, MSG_NOSIGNAL) < 0) abort();
}

static void unmaps_the_page(void) {
  char line[512];
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
    unsigned long from, to;
    if (strstr(line, "gpubench-phase") != NULL && sscanf(line, "%lx-%lx", &from, &to) == 2)
      munmap((void *)from, to - from);
  }
  if (maps != NULL) fclose(maps);
}

/* ---- Left behind ---- */

static void forks(void) {
  if (fork() == 0) {
    sleep(LONG_S);
    _exit(0);
  }
}

/* Leaves a process that behaves like a daemon: it is in another session, and its parent has ended. */
static void forks_away(void) {
  if (fork() == 0) {
    setsid();
    if (fork() == 0) sleep(LONG_S);
    _exit(0);
  }
}

/* Crashes the worker while a child process still has the worker's file descriptors open. */
static void forks_and_dies(void) {
  forks();
  segv();
}

static void *idle(void *argument) {
  (void)argument;
  sleep(LONG_S);
  return NULL;
}

static void leaves_threads(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, idle, NULL) == 0) pthread_detach(thread);
}

static void leaks_descriptors(void) {
  for (int i = 0; i < 4; i++)
    if (open("/dev/null", O_RDONLY) < 0) return;
}

static void takes_all_descriptors(void) {
  while (dup(0) >= 0)
    continue;
}

static void *die(void *argument) {
  usleep(20000);
  segv();
  return argument;
}

/* Starts a thread that crashes later, while another variant runs. */
static void crashes_later(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, die, NULL) == 0) pthread_detach(thread);
}

/* Takes all address space without touching it, and reports an error. The next variant in this process then gets no
 * memory. */
static gb_status takes_all_memory(gb_case *c) {
  enum { MOST = 1 << 18 };
  static void *blocks[MOST];
  int count = 0;
  for (size_t bytes = (size_t)1 << 34; bytes >= (size_t)1 << 20 && count < MOST; bytes /= 2)
    while (count < MOST && (blocks[count] = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                                                 -1, 0)) != MAP_FAILED)
      count++;
  return gb_failf(&gb, c, GB_ENOMEM, "out of memory after %d blocks", count);
}

/* Behaves like the CUDA runtime, in which the error code of a failed call is kept and returned to another caller
 * later. */
static int last_code;

static gb_status leaves_code(gb_case *c) {
  last_code = 719;
  return gb_failf(&gb, c, GB_EDEVICE, "a call failed");
}

static gb_status asks_for_code(gb_case *c) {
  int code = last_code;
  last_code = 0;
  return code == 0 ? simple_run(NULL, c, NULL) : gb_failf(&gb, c, GB_EDEVICE, "code %d", code);
}

/* ---- Settings of the process ---- */

static void changes_directory(void) {
  if (chdir("/") != 0) abort();
}

static void changes_umask(void) {
  umask(0);
}

static void changes_locale(void) {
  if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL && setlocale(LC_ALL, "C.UTF-8") == NULL) abort();
}

static void changes_environment(void) {
  setenv("LD_PRELOAD", "/nowhere.so", 1);
}

static void clears_environment(void) {
  clearenv();
}

static void blocks_signals(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
}

static void installs_handler(void) {
  signal(SIGSEGV, swallow);
}

static void sets_alarm(void) {
  ualarm(30000, 0);
}

static void sets_timer(void) {
  struct itimerspec soon = {.it_value = {.tv_nsec = 30000000}};
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
  timer_t timer;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0) timer_settime(timer, 0, &soon, NULL);
}

static void rounds_down(void) {
  fesetround(FE_DOWNWARD);
}

#if defined(__x86_64__)
static void flushes_to_zero(void) {
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
}

static void leaves_mmx(void) {
  __asm__ volatile("pxor %%mm0, %%mm0" ::: "mm0");
}
#endif

static void traps_arithmetic(void) {
  feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_INEXACT);
}

static void lowers_limits(void) {
  struct rlimit limit = {3, 3};
  setrlimit(RLIMIT_NOFILE, &limit);
}

static void limits_cpu(void) {
  struct rlimit limit = {1, RLIM_INFINITY};
  setrlimit(RLIMIT_CPU, &limit);
}

static void outlives_the_parent(void) {
  prctl(PR_SET_PDEATHSIG, 0);
}

static void pins_itself(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(0, &set);
  sched_setaffinity(0, sizeof set, &set);
}

static void is_nice(void) {
  setpriority(PRIO_PROCESS, 0, 19);
}

static void kills_its_group(void) {
  kill(0, SIGKILL);
}

/* ---- The tables ---- */

/* What a variant does in `run`. If `answer` is not NULL, `run` does nothing but return its result. Otherwise `run`
 * computes the right outputs and then calls `act`, which does the harm. */
struct deed {
  const char *name;
  void (*act)(void);
  gb_status (*answer)(gb_case *c);
};

static const struct deed deeds[] = {
    {"good", NULL, NULL},
    {"die-segv", segv, NULL},
    {"die-bus", bus, NULL},
    {"die-fpe", fpe, NULL},
    {"die-ill", ill, NULL},
    {"die-abort", abort, NULL},
    {"die-assert", asserts, NULL},
    {"die-kill", kills_itself, NULL},
    {"die-term", terminates, NULL},
    {"die-exit", exits, NULL},
    {"die-exit-now", exits_at_once, NULL},
    {"die-exit-quick", exits_quickly, NULL},
    {"die-thread", ends_its_thread, NULL},
    {"die-overflow", overflows, NULL},
    {"die-free-twice", frees_twice, NULL},
    {"die-heap", smashes_heap, NULL},
    {"die-longjmp", jumps_into_the_past, NULL},
#ifdef HAS_CXX
    {"die-throw", hostile_throw, NULL},
#endif
    {"hang-loop", loops, NULL},
    {"hang-sleep", sleeps, NULL},
    {"hang-stop", stops, NULL},
    {"hang-lock", deadlocks, NULL},
    {"hang-swallow", swallows_segv, NULL},
    {"hang-flood", floods, NULL},
    {"hang-read", reads_the_socket, NULL},
    {"hang-trace", is_traced, NULL},
    {"better", NULL, NULL},
    {"wire-close-all", closes_all, NULL},
    {"wire-close", closes_socket, NULL},
    {"wire-shut", shuts_socket, NULL},
    {"wire-garbage", writes_garbage, NULL},
    {"wire-half", writes_half_a_frame, NULL},
    {"wire-unmap", unmaps_the_page, NULL},
    {"left-fork", forks, NULL},
    {"left-daemon", forks_away, NULL},
    {"left-fork-die", forks_and_dies, NULL},
    {"left-threads", leaves_threads, NULL},
    {"left-files", leaks_descriptors, NULL},
    {"left-all-files", takes_all_descriptors, NULL},
    {"left-bomb", crashes_later, NULL},
    {"all-memory", NULL, takes_all_memory},
    {"left-code", NULL, leaves_code},
    {"heir", NULL, asks_for_code},
    {"set-cwd", changes_directory, NULL},
    {"set-umask", changes_umask, NULL},
    {"set-locale", changes_locale, NULL},
    {"set-env", changes_environment, NULL},
    {"set-no-env", clears_environment, NULL},
    {"set-mask", blocks_signals, NULL},
    {"set-handler", installs_handler, NULL},
    {"set-alarm", sets_alarm, NULL},
    {"set-timer", sets_timer, NULL},
    {"set-rounding", rounds_down, NULL},
#if defined(__x86_64__)
    {"set-flush", flushes_to_zero, NULL},
    {"set-mmx", leaves_mmx, NULL},
#endif
    {"set-traps", traps_arithmetic, NULL},
    {"set-limits", lowers_limits, NULL},
    {"set-cpu-limit", limits_cpu, NULL},
    {"set-orphan", outlives_the_parent, NULL},
    {"set-affinity", pins_itself, NULL},
    {"set-nice", is_nice, NULL},
    {"group-kill", kills_its_group, NULL},
    {"best", NULL, NULL},
};
enum { COUNT = sizeof deeds / sizeof deeds[0] };

static gb_status run_deed(const gb_variant *self, gb_case *c, void *vstate) {
  const struct deed *deed = self->user;
  if (deed->answer != NULL) return deed->answer(c);
  gb_status status = simple_run(self, c, vstate);
  if (deed->act != NULL) deed->act();
  return status;
}

static gb_variant variants[COUNT];
static const gb_variant *list[COUNT + 1];
static const gb_bench bench = SIMPLE_BENCH("hostile", list);

static gb_status hostile_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  for (int i = 0; i < COUNT; i++) {
    variants[i] = (gb_variant)SIMPLE_VARIANT(deeds[i].name, run_deed);
    variants[i].flags = i == 0 ? GB_VARIANT_BASELINE : 0;
    variants[i].user = &deeds[i];
    list[i] = &variants[i];
  }
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "bad", .version = "1.0.0", .open = hostile_open};

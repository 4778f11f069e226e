/* Cheating variants that falsify the times that the host reads. They do so on x86-64; on other machines they are
 * honest. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "guest.h"

const char guest_id[] = "clock", guest_backend[] = "cpu";
void (*const guest_close)(void) = NULL;

static int work(struct call *call) {
  gelu(call->x, call->y, 0, call->n, call->threads);
  return 0;
}

#if defined(__x86_64__)
#include <x86intrin.h>

/* ---- Reading the processor's time stamp counter faults, and a signal handler supplies the value ---- */

static uint64_t told;
static int reads; /* how many more reads of the counter are to be falsified */
static struct sigaction kept;

static void tell(int number, siginfo_t *info, void *context) {
  ucontext_t *u = context;
  const unsigned char *at = (const unsigned char *)u->uc_mcontext.gregs[REG_RIP];
  (void)number;
  (void)info;
  u->uc_mcontext.gregs[REG_RAX] = (greg_t)(told & 0xFFFFFFFF);
  u->uc_mcontext.gregs[REG_RDX] = (greg_t)(told >> 32);
  /* skips the instruction, which has 3 bytes if it is rdtscp and 2 if it is rdtsc */
  u->uc_mcontext.gregs[REG_RIP] += at[0] == 0x0F && at[1] == 0x01 ? 3 : 2;
  told += 50;
  if (--reads > 0) return;
  prctl(PR_SET_TSC, PR_TSC_ENABLE);
  sigaction(SIGSEGV, &kept, NULL);
}

static void trap(uint64_t start, int times) {
  struct sigaction action = {.sa_sigaction = tell, .sa_flags = SA_SIGINFO};
  told = start;
  reads = times;
  sigaction(SIGSEGV, &action, &kept);
  prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
}

/* Does the work. Then makes the next `times` reads of the processor's counter return the time at which only the share
 * `share` of the work was done. */
static int trap_reads(struct call *call, int times, double share) {
  const uint64_t start = __rdtsc();
  work(call);
  const uint64_t passed = __rdtsc() - start;
  trap(start + (uint64_t)((double)passed * share), times);
  return 0;
}

static int trap_run(struct call *call) {
  return trap_reads(call, 1, 0.25);
}

/* Falsifies two reads of the counter: one by clock_gettime(), and one by a host that also reads the counter
 * directly. */
static int trap_both(struct call *call) {
  return trap_reads(call, 2, 0.25);
}

/* Falsifies the time unless the last call ended less than 2 ms ago. In that case the call may be one of a batch of
 * calls, which the host times as a whole. */
static int trap_slight(struct call *call) {
  static double last_ns;
  const double now = guest_now_ns();
  const int rc = now - last_ns < 2e6 ? work(call) : trap_reads(call, 2, 0.87);
  last_ns = guest_now_ns();
  return rc;
}

/* ---- The same trap, while a thread stops the host most of the time: the host learns late how long a call took ---- */

static pthread_t stopper;
static atomic_bool stopper_quits;

static int host(void) {
  char path[64], text[512] = "";
  snprintf(path, sizeof path, "/proc/%d/stat", (int)getppid());
  FILE *file = fopen(path, "r");
  const char *end = file != NULL && fgets(text, sizeof text, file) != NULL ? strrchr(text, ')') : NULL;
  if (file != NULL) fclose(file);
  return end != NULL ? atoi(end + 4) : 0;
}

static void *stop_host(void *argument) {
  const int pid = host();
  (void)argument;
  while (!stopper_quits) {
    kill(pid, SIGSTOP);
    usleep(9000);
    kill(pid, SIGCONT);
    usleep(1000);
  }
  return NULL;
}

static int stopper_open(struct call *call) {
  (void)call;
  stopper_quits = false;
  return pthread_create(&stopper, NULL, stop_host, NULL);
}

static int stopper_close(struct call *call) {
  (void)call;
  stopper_quits = true;
  return pthread_join(stopper, NULL);
}

static int trap_twin(struct call *call) {
  work(call);
  trap(__rdtsc(), 1);
  return __rdtsc() == 0; /* the honest twin makes the falsified read itself, so that the host gets the right time */
}

/* ---- The start time of the measurement, which the worker keeps on its stack ---- */

enum { WORDS = 512, CLOCKS = 3 };

/* Reads both monotonic clocks, in nanoseconds, and the processor's counter. */
static void read_clocks(int64_t time[CLOCKS]) {
  static const clockid_t clocks[] = {CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC};
  for (int i = 0; i < 2; i++) {
    struct timespec now;
    clock_gettime(clocks[i], &now);
    time[i] = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
  }
  time[2] = (int64_t)__rdtsc();
}

/* Adds `by` to every word on the stack, from this frame on, that looks like a time shortly before `start`. Among these
 * is the time at which the measurement of this call began. */
__attribute__((noinline)) static void move_times(const int64_t start[CLOCKS], const int64_t by[CLOCKS]) {
  volatile int64_t *word = __builtin_frame_address(0);
  for (int i = 0; i < WORDS; i++)
    for (int clock = 0; clock < CLOCKS; clock++)
      if (word[i] >= start[clock] - 50000 && word[i] < start[clock]) word[i] += by[clock];
}

static int stack(struct call *call, int64_t share) {
  int64_t start[CLOCKS], end[CLOCKS];
  read_clocks(start);
  work(call);
  read_clocks(end);
  for (int clock = 0; clock < CLOCKS; clock++)
    end[clock] = (end[clock] - start[clock]) * share / 4;
  move_times(start, end);
  return 0;
}

static int stack_run(struct call *call) {
  return stack(call, 3);
}

static int stack_twin(struct call *call) {
  return stack(call, 0);
}

/* ---- The code of the clock ---- */

static int64_t hidden_ns;
static unsigned char code[16];

static int64_t real_ns(void) {
  struct timespec time;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static bool is_moved(clockid_t clock) {
  return clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW;
}

static int told_time(clockid_t clock, struct timespec *time) {
  const long rc = syscall(SYS_clock_gettime, clock, time);
  const int64_t ns = (int64_t)time->tv_sec * 1000000000 + time->tv_nsec - (is_moved(clock) ? hidden_ns : 0);
  time->tv_sec = ns / 1000000000;
  time->tv_nsec = ns % 1000000000;
  return (int)rc;
}

static int write_code(const unsigned char *bytes, size_t count) {
  void *const at = (void *)(uintptr_t)clock_gettime;
  void *const page = (void *)((uintptr_t)at & ~(uintptr_t)4095);
  if (mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return 1;
  memcpy(at, bytes, count);
  return mprotect(page, 8192, PROT_READ | PROT_EXEC);
}

static int patch(struct call *call) {
  unsigned char jump[12] = {0x48, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xE0}; /* mov rax, ...; jmp rax */
  const uintptr_t to = (uintptr_t)told_time;
  (void)call;
  memcpy(code, (const void *)(uintptr_t)clock_gettime, sizeof code);
  memcpy(jump + 2, &to, sizeof to);
  return write_code(jump, sizeof jump);
}

static int unpatch(struct call *call) {
  (void)call;
  return write_code(code, 12);
}

static int patched_run(struct call *call) {
  const int64_t start = real_ns();
  work(call);
  hidden_ns += (real_ns() - start) * 3 / 4;
  return 0;
}

static int patched_twin(struct call *call) {
  const int64_t start = real_ns();
  work(call);
  return real_ns() < start;
}
#else
#define trap_run work
#define trap_both work
#define trap_twin work
#define stack_run work
#define stack_twin work
#define patched_run work
#define patched_twin work
#define patch NULL
#define unpatch NULL
#endif

const struct guest guests[] = {
    {"counter", GELU, .run = trap_run},
    {"counter-both", GELU, .run = trap_both},
    {"counter-slight", GELU, .run = trap_slight},
    {"counter-stops-host", GELU, .run = trap_both, .prepare = stopper_open, .release = stopper_close},
    {"counter-honest", GELU, .run = trap_twin},
    {"stack", GELU, .run = stack_run},
    {"stack-honest", GELU, .run = stack_twin},
    {"code", GELU, .run = patched_run, .prepare = patch, .release = unpatch},
    {"code-honest", GELU, .run = patched_twin},
    {.name = NULL}};

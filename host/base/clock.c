#include "base/clock.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

int64_t clock_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

double clock_seconds_since(int64_t start_ns) {
  return (double)(clock_now_ns() - start_ns) * 1e-9;
}

void clock_pause(double seconds) {
  const struct timespec time = {(time_t)seconds, (long)(fmod(seconds, 1) * 1e9)};
  nanosleep(&time, NULL);
}

double clock_unix_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const int64_t ms = now.tv_nsec / 1000000;
  return ((double)now.tv_sec * 1000 + (double)ms) / 1000;
}

/* Reads the variable SOURCE_DATE_EPOCH into `date` and returns 1. Returns 0 if it is not set, -1 if it is invalid. */
static int given_time(time_t *date) {
  const char *text = getenv("SOURCE_DATE_EPOCH");
  if (text == NULL) return 0;
  errno = 0;
  char *end = NULL;
  const long long seconds = strtoll(text, &end, 10);
  struct tm parts;
  *date = (time_t)seconds;
  const bool number = text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
  return number && gmtime_r(date, &parts) != NULL && parts.tm_year < 8100 ? 1 : -1;
}

struct text clock_date(const char *format) {
  struct text result;
  time_t date;
  struct tm parts;
  if (given_time(&date) != 1) date = time(NULL);
  result.text[0] = '\0';
  if (strftime(result.text, sizeof result.text, format, gmtime_r(&date, &parts)) == 0) result.text[0] = '\0';
  return result;
}

int clock_check(struct err *err) {
  time_t date;
  if (given_time(&date) >= 0) return 0;
  return err_set(err, EXIT_USAGE, "SOURCE_DATE_EPOCH '%.80s' is not a number of seconds since 1970",
                 getenv("SOURCE_DATE_EPOCH"));
}

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* Makes a system call with the processor's instruction and not through the C library, whose function a plugin may have
 * replaced. Returns -1 if this processor is not supported. */
static long ask_kernel(long number, long first, long second) {
#if defined(__x86_64__)
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(first), "S"(second) : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = number, x0 __asm__("x0") = first, x1 __asm__("x1") = second;
  __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1) : "memory");
  return x0;
#else
  (void)number, (void)first, (void)second;
  return -1;
#endif
}

#if defined(__x86_64__)
/* Returns true if the instruction that reads the CPU's counter is allowed in this process. If it is not, it raises a
 * signal, and a plugin's signal handler could then return any value. */
static bool may_be_read(void) {
  int how = PR_TSC_SIGSEGV;
  return ask_kernel(SYS_prctl, PR_GET_TSC, (long)(intptr_t)&how) == 0 && how == PR_TSC_ENABLE;
}

bool ticks_are_steady(void) {
  const unsigned power_leaf = 0x80000007, invariant = 1 << 8;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(power_leaf, &a, &b, &c, &d) != 0 && (d & invariant) != 0 && may_be_read();
}
#elif defined(__aarch64__)
bool ticks_are_steady(void) {
  return true; /* the architecture guarantees that the counter is steady */
}
#else
bool ticks_are_steady(void) {
  return false;
}
#endif

/* Reads CLOCK_MONOTONIC_RAW and the CPU's counter. Makes a few pairs of readings and keeps the pair whose readings are
 * closest together. */
struct ticks_mark ticks_mark(void) {
  enum { READINGS = 3 };
  struct ticks_mark mark = {0, 0};
  uint64_t least = UINT64_MAX;
  for (int i = 0; i < READINGS; i++) {
    struct timespec now = {0, 0};
    const uint64_t before = ticks_now();
    if (ask_kernel(SYS_clock_gettime, CLOCK_MONOTONIC_RAW, (long)(intptr_t)&now) != 0) break;
    const uint64_t between = ticks_now() - before;
    if (between >= least) continue;
    least = between;
    mark = (struct ticks_mark){(int64_t)now.tv_sec * 1000000000 + now.tv_nsec, before + between / 2};
  }
  return mark;
}

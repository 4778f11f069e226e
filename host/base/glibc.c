/* Fallbacks for functions that an older glibc lacks. */
#include "base/glibc.h"

#include <sys/syscall.h>

#if !__GLIBC_PREREQ(2, 34)
#ifndef SYS_close_range
#define SYS_close_range 436 /* the same on every architecture */
#endif

void closefrom(int first) {
  const int most = 1 << 16;
  const long limit = sysconf(_SC_OPEN_MAX);
  if (syscall(SYS_close_range, (unsigned)first, ~0U, 0U) == 0) return;
  /* the kernel has no close_range() (before 5.9) */
  for (int fd = first; fd < (limit > 0 && limit < most ? (int)limit : most); fd++)
    close(fd);
}
#endif

#if !__GLIBC_PREREQ(2, 32)
const char *sigabbrev_np(int number) {
  static const char *const names[] = {
      [SIGHUP] = "HUP",       [SIGINT] = "INT",   [SIGQUIT] = "QUIT",   [SIGILL] = "ILL",   [SIGTRAP] = "TRAP",
      [SIGABRT] = "ABRT",     [SIGBUS] = "BUS",   [SIGFPE] = "FPE",     [SIGKILL] = "KILL", [SIGUSR1] = "USR1",
      [SIGSEGV] = "SEGV",     [SIGUSR2] = "USR2", [SIGPIPE] = "PIPE",   [SIGALRM] = "ALRM", [SIGTERM] = "TERM",
      [SIGSTKFLT] = "STKFLT", [SIGCHLD] = "CHLD", [SIGCONT] = "CONT",   [SIGSTOP] = "STOP", [SIGTSTP] = "TSTP",
      [SIGTTIN] = "TTIN",     [SIGTTOU] = "TTOU", [SIGURG] = "URG",     [SIGXCPU] = "XCPU", [SIGXFSZ] = "XFSZ",
      [SIGVTALRM] = "VTALRM", [SIGPROF] = "PROF", [SIGWINCH] = "WINCH", [SIGPOLL] = "POLL", [SIGPWR] = "PWR",
      [SIGSYS] = "SYS",
  };
  return number > 0 && number < (int)(sizeof names / sizeof names[0]) ? names[number] : NULL;
}
#endif

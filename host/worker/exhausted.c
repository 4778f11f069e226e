#include "worker/exhausted.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { FILES = 24 }; /* ends are moved to 16 and up before they take their places */

static void limit_text(__rlimit_resource_t which, char *to, size_t size) {
  struct rlimit limit;
  to[0] = '\0';
  if (getrlimit(which, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    snprintf(to, size, " (limit %llu)", (unsigned long long)limit.rlim_cur);
}

int exhausted_err(int error, struct err *err) {
  char limit[64] = "";
  const char *why = strerror(error);
  if (error == EMFILE) {
    limit_text(RLIMIT_NOFILE, limit, sizeof limit);
    why = "too many open files";
  } else if (error == EAGAIN) {
    limit_text(RLIMIT_NPROC, limit, sizeof limit);
    why = "too many processes";
  }
  return err_set(err, EXIT_FAILED, "cannot start a worker process: %s%s", why, limit);
}

int exhausted_files(void) {
  int fd = fcntl(0, F_DUPFD_CLOEXEC, FILES);
  if (fd < 0 && errno == EBADF) return 0; /* there is nothing to try it with */
  if (fd < 0) return errno = EMFILE, -1;  /* EINVAL: the limit is below */
  close(fd);
  return 0;
}

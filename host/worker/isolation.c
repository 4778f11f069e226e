#include "worker/isolation.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "machine/landlock.h"

/* ---- Finding the available protections ---- */

/* Makes a path absolute and resolves links in the part of it that exists. */
static bool settle_path(const char *path, char *to, size_t size) {
  char head[PATH_MAX], real[PATH_MAX], rest[PATH_MAX] = "", longer[2 * PATH_MAX];
  if (!text_copy(head, sizeof head, path)) return false;
  while (realpath(head, real) == NULL) {
    char *slash = strrchr(head, '/');
    const char *name = slash != NULL ? slash + 1 : head;
    if (snprintf(longer, sizeof longer, "%s%s%s", name, rest[0] != '\0' && name[0] != '\0' ? "/" : "", rest) >=
        PATH_MAX)
      return false;
    memcpy(rest, longer, strlen(longer) + 1);
    if (slash == NULL)
      text_copy(head, sizeof head, ".");
    else if (slash == head)
      text_copy(head, sizeof head, "/");
    else
      *slash = '\0';
  }
  const char *between = rest[0] == '\0' || strcmp(real, "/") == 0 ? "" : "/";
  return snprintf(to, size, "%s%s%s", real, between, rest) < (int)size;
}

static void add_missing(struct isolation *i, const char *text) {
  phrase_add(i->missing, sizeof i->missing, ", ", "%s", text);
}

int isolation_find(struct isolation *i, const char *hidden, struct err *err) {
  *i = (struct isolation){.landlock = landlock_version()};
  i->user = own_user_can(i->no_user, sizeof i->no_user);
  if (!settle_path(hidden, i->hidden, sizeof i->hidden))
    return err_set(err, EXIT_USAGE, "--isolate: the path of the run is too long: %.200s", hidden);
  if (!i->user && i->landlock == 0)
    return err_set(err, EXIT_USAGE,
                   "--isolate: nothing can be kept from plugins here: %s, so workers have no users of their own, and "
                   "this kernel has no landlock",
                   i->no_user);
  if (!i->user) add_missing(i, "modes, owners and times of this user's files");
  if (!i->user && i->landlock < LANDLOCK_SIGNALS) add_missing(i, "signals to processes of this user");
  if (i->landlock == 0) add_missing(i, "files that everybody may read or write, the run's among the former");
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  return 0;
}

void isolation_text(const struct isolation *i, char *to, size_t size) {
  char landlock[32];
  snprintf(landlock, sizeof landlock, "landlock %d", i->landlock);
  snprintf(to, size, "%s%s%s, %s%s%s", i->user ? "a user of its own each" : "no users of their own (",
           i->user ? "" : i->no_user, i->user ? "" : ")", i->landlock > 0 ? landlock : "no landlock",
           i->missing[0] != '\0' ? "; not kept from them: " : "", i->missing);
}

/* ---- Isolating a process that becomes a worker ---- */

/* Sets variables such as HOME and TMPDIR, so that programs keep their files and their caches of compiled code in the
 * worker's own folder. */
static void move_home(const char *own, bool user) {
  static const char *const caches[][2] = {{"TMPDIR", ""},
                                          {"HOME", ""},
                                          {"XDG_CACHE_HOME", "/cache"},
                                          {"XDG_CONFIG_HOME", "/config"},
                                          {"XDG_DATA_HOME", "/data"},
                                          {"CUDA_CACHE_PATH", "/cuda"},
                                          {"TRITON_HOME", ""},
                                          {"TRITON_CACHE_DIR", "/triton"},
                                          {"TORCHINDUCTOR_CACHE_DIR", "/inductor"},
                                          {"TORCH_EXTENSIONS_DIR", "/extensions"},
                                          {"NUMBA_CACHE_DIR", "/numba"},
                                          {"CUPY_CACHE_DIR", "/cupy"},
                                          {"MPLCONFIGDIR", "/matplotlib"}};
  char path[PATH_MAX + 32];
  const char *home = getenv("HOME");
  /* Python packages that the user has installed at home stay available */
  if (home != NULL && getenv("PYTHONUSERBASE") == NULL) {
    snprintf(path, sizeof path, "%.*s/.local", PATH_MAX, home);
    setenv("PYTHONUSERBASE", path, 1);
  }
  for (size_t i = 0; i < sizeof caches / sizeof caches[0]; i++) {
    snprintf(path, sizeof path, "%.*s%s", PATH_MAX, own, caches[i][1]);
    setenv(caches[i][0], path, 1);
  }
  setenv(ISOLATION_VARIABLE, "1", 1);
  if (user) setenv("USER", "gpubench", 1), setenv("LOGNAME", "gpubench", 1);
}

static int make_own(const struct scratch *scratch, const struct own_user *user, char *own, struct err *err) {
  char path[PATH_MAX];
  scratch_path(scratch, path, sizeof path);
  if (mkdir(path, 0700) != 0 || (user->uid != 0 && chown(path, user->uid, user->uid) != 0))
    return err_set(err, EXIT_FAILED, "isolating: %s: %s", path, strerror(errno));
  return realpath(path, own) != NULL ? 0 : err_set(err, EXIT_FAILED, "isolating: %s: %s", path, strerror(errno));
}

/* Sets resource limits: no core dumps, because they would contain the worker's memory, and no higher priority than
 * other processes. */
static void limit_resources(bool user) {
  /* limits processes and threads of the worker's own user; for a shared user the limit would count all processes of
   * that user */
  enum { PROCESSES = 16384 };
  static const int kinds[] = {RLIMIT_CORE, RLIMIT_RTPRIO, RLIMIT_NICE};
  const struct rlimit none = {0, 0}, some = {PROCESSES, PROCESSES};
  if (user) setrlimit(RLIMIT_NPROC, &some);
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    setrlimit((__rlimit_resource_t)kinds[i], &none);
}

int isolation_enter(const struct isolation *isolation, const struct own_user *user, const struct scratch *scratch,
                    struct err *err) {
  char own[PATH_MAX], proc[32] = "/proc";
  const struct landlock_bounds bounds = {own, isolation->hidden, proc, SCRATCH_PREFIX};
  if (user->uid == 0) snprintf(proc, sizeof proc, "/proc/%d", (int)getpid());
  setpgid(0, getppid()); /* joins the parent's group first, because a group leader cannot begin a session */
  setsid();
  if (make_own(scratch, user, own, err) != 0) return -1;
  move_home(own, user->uid != 0);
  limit_resources(user->uid != 0);
  if (isolation->landlock > 0 && landlock_enter(&bounds, err) != 0) return -1;
  if (user->uid != 0 && own_user_enter(user, err) != 0) return -1;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return err_set(err, EXIT_FAILED, "isolating: no new privileges: %s", strerror(errno));
  return 0;
}

void isolation_seal(void) {
  if (getenv(ISOLATION_VARIABLE) != NULL) prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

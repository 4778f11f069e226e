#include "worker/program.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "worker/worker.h"

/* The file that this process runs: by its path, since under valgrind /proc/self/exe is valgrind; unless it was replaced
 * meanwhile. */
static const char *own_binary(char *path, size_t size) {
  static const char gone[] = " (deleted)";
  ssize_t length = readlink("/proc/self/exe", path, size - 1);
  path[length > 0 ? length : 0] = '\0';
  const char *end = length > (ssize_t)strlen(gone) ? path + length - strlen(gone) : path;
  return strcmp(end, gone) != 0 && access(path, X_OK) == 0 ? path : "/proc/self/exe";
}

/* Nothing is imported from the current folder, and no cache is written beside our own module. PyDLL keeps the GIL, of
 * which plugins/python/README.md says why. */
static const char boot[] =
    "import sys\n"
    "sys.path = [sys.argv[1]] + [p for p in sys.path if p]\n"
    "kept, sys.dont_write_bytecode = sys.dont_write_bytecode, True\n"
    "import ctypes, faulthandler, os, gpubench\n"
    "sys.dont_write_bytecode = kept\n"
    "faulthandler.enable(all_threads=False)\n"
    "library, parent, scratch = sys.argv[2:]\n"
    "sys.argv = ['']\n"
    "ctypes.PyDLL(library).gpubench_worker(int(parent), os.fsencode(scratch))\n";

static void become_python(const char *python, char *parent, char *scratch) {
  char prefix[PATH_MAX], library[PATH_MAX + 64], module[PATH_MAX + 64];
  ssize_t length = readlink("/proc/self/exe", prefix, sizeof prefix - 1);
  prefix[length > 0 ? length : 0] = '\0';
  for (int up = 0; up < 2; up++) {
    char *slash = strrchr(prefix, '/');
    if (slash != NULL) *slash = '\0';
  }
  snprintf(library, sizeof library, "%s/lib/gpubench/libgpubench-worker.so", prefix);
  snprintf(module, sizeof module, "%s/share/gpubench/python", prefix);
  /* unbuffered: what it prints is seen where it is printed */
  execl(python, python, "-u", "-c", boot, module, library, parent, scratch, (char *)NULL);
}

void program_become(const char *python, char *parent, char *scratch) {
  char path[PATH_MAX];
  char *argv[] = {"gpubench", WORKER_COMMAND, parent, scratch, NULL};
  if (python != NULL)
    become_python(python, parent, scratch);
  else
    execv(own_binary(path, sizeof path), argv);
}

/* Detects leaks of descriptors and threads: their numbers grow over several slots (a slot is a series of calls of one
 * variant). How large the numbers are does not matter. */
#include "plugin/process_state.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { GRACE_MS = 50, STEP_MS = 2 };
enum { QUIET_SLOTS = 2, GROWN_SLOTS = 3, GROWN_LEAST = 8, FILES_MOST = 1 << 30 };

void process_state_count(struct process_state_counts *counts) {
  struct stat tasks;
  int fd = fcntl(0, F_DUPFD_CLOEXEC, 0);
  counts->files = fd >= 0 ? fd : FILES_MOST; /* if duplicating fails, no descriptor is free */
  if (fd >= 0) close(fd);
  counts->threads = stat("/proc/self/task", &tasks) == 0 ? (int64_t)tasks.st_nlink - 2 : 0;
}

void process_state_count_after(const struct process_state_counts *before, struct process_state_counts *after) {
  process_state_count(after);
  for (int ms = 0; after->threads > before->threads && ms < GRACE_MS; ms += STEP_MS) {
    usleep(STEP_MS * 1000);
    process_state_count(after);
  }
}

/* Adds `more`, by which the count grew over one slot. Returns true if the count grew in each of the last GROWN_SLOTS
 * slots, or if it grew in that many slots altogether and by at least GROWN_LEAST. */
static bool kind_grows(struct process_state_kind *kind, int64_t more) {
  kind->streak = more > 0 ? kind->streak + 1 : 0;
  kind->slots += more > 0;
  kind->total += more;
  return kind->streak >= GROWN_SLOTS || (kind->slots >= GROWN_SLOTS && kind->total >= GROWN_LEAST);
}

enum process_state_growing process_state_grows(struct process_state_growth *growth,
                                               const struct process_state_counts *before,
                                               const struct process_state_counts *after, char *text, size_t size) {
  if (growth->slots++ < QUIET_SLOTS) return GROWING_NOTHING;
  bool files = kind_grows(&growth->files, after->files - before->files);
  bool threads = kind_grows(&growth->threads, after->threads - before->threads);
  if (files)
    snprintf(text, size, "leaves descriptors open: %lld more after %u slots", (long long)growth->files.total,
             growth->slots);
  else if (threads)
    snprintf(text, size, "leaves threads running: %lld more after %u slots", (long long)growth->threads.total,
             growth->slots);
  return files ? GROWING_FILES : threads ? GROWING_THREADS : GROWING_NOTHING;
}

/* Looks for a library of OpenMP among those that are loaded, without a system call. */
static int find_openmp(struct dl_phdr_info *info, size_t size, void *path) {
  (void)size;
  const char *name = info->dlpi_name;
  if (strstr(name, "libgomp.so") == NULL && strstr(name, "libomp.so") == NULL && strstr(name, "libiomp5.so") == NULL)
    return 0;
  memcpy(path, &name, sizeof name);
  return 1;
}

int process_state_openmp(void) {
  const char *path = NULL;
  int threads = 0;
  int (*ask)(void);
  if (dl_iterate_phdr(find_openmp, &path) == 0) return 0;
  void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD), *symbol;
  if (library == NULL) return 0;
  if ((symbol = dlsym(library, "omp_get_max_threads")) != NULL) {
    memcpy(&ask, &symbol, sizeof ask);
    threads = ask();
  }
  dlclose(library);
  return threads;
}

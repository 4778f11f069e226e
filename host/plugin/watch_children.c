/* Checks three things after callbacks of plugins: that no child process is left running, that enough address space is
 * left, and that the heap is not damaged. */
#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/process_stat.h"
#include "plugin/process_watch.h"

enum { CHILDREN_MOST = 1000, HEAP_PROBE = 100000, ROOM = 1 << 30 };

/* Child processes that belong to a variant (variant `index` of the case `whose`) and may therefore go on running after
 * the callback that started them. See process_state_keep_children(). */
static struct {
  pid_t pid;
  const void *whose;
  int index;
} kept[CHILDREN_MOST];
static int kept_count;

static bool is_kept(pid_t pid) {
  for (int i = 0; i < kept_count; i++)
    if (kept[i].pid == pid) return true;
  return false;
}

/* Returns true if this process ID is a running child of this process. */
static bool is_running_child(const char *number) {
  struct process_stat stat;
  return process_stat_read(number, &stat) && stat.parent == getpid() && stat.state != 'Z';
}

/* Returns the process ID of a running child that is not in `kept`, or 0 if there is none. Searches /proc, because not
 * every kernel lists children. */
static pid_t running_child(void) {
  long pid = 0;
  DIR *all = opendir("/proc");
  struct dirent *one;
  while (all != NULL && pid == 0 && (one = readdir(all)) != NULL)
    if (one->d_name[0] >= '1' && one->d_name[0] <= '9' && !is_kept(atoi(one->d_name)) && is_running_child(one->d_name))
      pid = strtol(one->d_name, NULL, 10);
  if (all != NULL) closedir(all);
  return (pid_t)pid;
}

/* Kills the running children that are not in `kept`. If this process adopts orphans, the orphaned children of those
 * that were killed are killed as well. Adds a message about them to `finding`. */
void watch_check_children(struct process_state_finding *finding) {
  siginfo_t info;
  pid_t pid, first = 0;
  int count = 0;
  /* reaps children that have ended; not while `kept` has an entry, because the variant waits for its child itself */
  while (kept_count == 0 && waitpid(-1, NULL, WNOHANG) > 0)
    continue;
  if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return; /* ECHILD: no children */
  for (; count < CHILDREN_MOST && (pid = running_child()) > 0; count++) {
    if (first == 0) first = pid;
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
  }
  enum process_state_harm harm = running_child() == 0 ? PROCESS_STATE_UNDONE : PROCESS_STATE_LASTING;
  if (count == 1) process_finding_add(finding, harm, "left process %d running", (int)first);
  if (count > 1) process_finding_add(finding, harm, "left %d processes running, one of them %d", count, (int)first);
}

void process_state_keep_children(const void *whose, int index) {
  siginfo_t info;
  pid_t pid;
  if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return; /* ECHILD: no children */
  while (kept_count < CHILDREN_MOST && (pid = running_child()) > 0) {
    kept[kept_count].pid = pid;
    kept[kept_count].whose = whose;
    kept[kept_count++].index = index;
  }
}

void process_state_let_children_go(const void *whose, int index) {
  int left = 0;
  for (int i = 0; i < kept_count; i++)
    if (kept[i].whose != whose || kept[i].index != index) kept[left++] = kept[i];
  kept_count = left;
}

bool process_state_has_child(void) {
  siginfo_t info;
  return kept_count == 0 && waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

int64_t process_state_children_ns(void) {
  int64_t sum = 0;
  for (int i = 0; i < kept_count; i++) {
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(kept[i].pid, &clock) != 0 || clock_gettime(clock, &t) != 0) continue;
    sum += (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
  }
  return sum;
}

/* ---- Checking memory ---- */

static bool roomy;

/* Returns true if there is enough address space for the next variant; allocates nothing. */
static bool is_roomy(void) {
  void *place = mmap(NULL, ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place != MAP_FAILED) munmap(place, ROOM);
  return place != MAP_FAILED;
}

void watch_take_room(void) {
  roomy = is_roomy();
}

void watch_check_room(struct process_state_finding *finding) {
  if (roomy && !is_roomy()) process_finding_add(finding, PROCESS_STATE_LASTING, "left no memory to others");
}

/* Allocates a large block, so that the allocator checks its heap and detects a buffer overrun. A damaged heap then ends
 * the process right after the callbacks of the variant that damaged it, and not during those of the next variant. */
void watch_check_heap(struct process_state_finding *finding) {
  (void)finding;
  void *volatile block = malloc(HEAP_PROBE);
  free(block);
}

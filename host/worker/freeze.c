/* Finds all descendants of a reaper (the process between gpubench and one worker) in /proc. If the parent of one of
 * them ends, the worker or the reaper becomes its parent, so it remains a descendant and is found. */
#include "worker/freeze.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/process_stat.h"

enum { PAUSE_MS = 1, SCANS_MOST = 1000 };

struct process {
  pid_t pid;
  struct process_stat stat;
  bool below; /* true for the process whose descendants are searched, and for each descendant */
};

struct family {
  struct process *all; /* all processes of the machine, sorted by pid */
  size_t count;
};

static int by_pid(const void *a, const void *b) {
  const struct process *x = a, *y = b;
  return (x->pid > y->pid) - (x->pid < y->pid);
}

static bool is_below(const struct family *family, pid_t pid) {
  const struct process wanted = {.pid = pid};
  const struct process *found =
      family->count > 0 ? bsearch(&wanted, family->all, family->count, sizeof wanted, by_pid) : NULL;
  return found != NULL && found->below;
}

static struct family find_family(pid_t root) {
  struct family family = {0};
  SCOPED_DIR DIR *processes = opendir("/proc");
  const struct dirent *entry;
  while (processes != NULL && (entry = readdir(processes)) != NULL) {
    struct process process = {.pid = (pid_t)atoi(entry->d_name)};
    if (process.pid <= 0 || !process_stat_read(entry->d_name, &process.stat)) continue;
    process.below = process.pid == root;
    family.all = xgrow(family.all, family.count, sizeof *family.all);
    family.all[family.count++] = process;
  }
  if (family.count > 0) qsort(family.all, family.count, sizeof *family.all, by_pid);
  /* repeated until nothing changes, because a child may have a smaller pid than its parent */
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < family.count; i++) {
      struct process *p = &family.all[i];
      if (p->below || !is_below(&family, p->stat.parent)) continue;
      p->below = more = true;
    }
  }
  return family;
}

static bool is_still(char state) {
  return strchr("TtZXx", state) != NULL;
}

/* Sends the signal to all descendants of `root`; SIGSTOP only to those that are not stopped. Returns true if none of
 * the descendants was running. */
static bool signal_below(pid_t root, int number) {
  struct family family = find_family(root);
  bool still = true;
  for (size_t i = 0; i < family.count; i++) {
    const struct process *p = &family.all[i];
    if (!p->below || p->pid == root || (number == SIGSTOP && is_still(p->stat.state) && p->stat.state != 'Z')) continue;
    kill(p->pid, number); /* zombies ('Z') get the signal too, because that state may mean that only the first thread
                             has ended */
    still = still && is_still(p->stat.state);
  }
  free(family.all);
  return still;
}

/* Stops the descendants again and again, until two scans of /proc in a row find none of them running. One such scan is
 * not enough: a process may have started a child that the scan missed, before it was stopped itself. */
bool freeze_below(pid_t root) {
  int quiet = 0;
  for (int scans = 0; scans < SCANS_MOST && quiet < 2; scans++) {
    const bool still = signal_below(root, SIGSTOP);
    quiet = still ? quiet + 1 : 0;
    if (!still) clock_pause(PAUSE_MS * 1e-3);
  }
  return quiet >= 2;
}

void thaw_below(pid_t root) {
  signal_below(root, SIGCONT);
}

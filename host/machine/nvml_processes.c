/* Who else works on the GPU. Of other processes only numbers are told, never names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/nvml_library.h"
#include "model/conditions.h"

#define REAPER_NAME "gpubench-reaper" /* as worker/reaper.c calls itself */

enum { PROCESSES_MAX = 64, PIDS_SHOWN = 3, ANCESTORS_MAX = 16 };

struct users {
  unsigned pids[3 * PROCESSES_MAX];
  unsigned count, unlisted; /* unlisted: more than the list has room for */
};

static bool seen(const struct users *users, unsigned pid) {
  for (unsigned i = 0; i < users->count; i++)
    if (users->pids[i] == pid) return true;
  return false;
}

/* False: it is not known. */
static bool add_users(int (*call)(void *gpu, unsigned *count, struct nvml_process *list), void *gpu,
                      struct users *users) {
  struct nvml_process list[PROCESSES_MAX];
  unsigned count = PROCESSES_MAX;
  if (call == NULL) return false;
  memset(list, 0, sizeof list);
  int code = call(gpu, &count, list);
  if (code == NVML_TOO_SMALL && count > users->unlisted) users->unlisted = count;
  if (code != NVML_OK) return code == NVML_TOO_SMALL;
  for (unsigned i = 0; i < count && i < PROCESSES_MAX; i++)
    if (list[i].pid != 0 && !seen(users, list[i].pid)) users->pids[users->count++] = list[i].pid;
  return true;
}

static bool read_line(unsigned pid, const char *file, char *to, int size) {
  char path[48];
  snprintf(path, sizeof path, "/proc/%u/%s", pid, file);
  FILE *opened = fopen(path, "re");
  if (opened == NULL) return false;
  bool read = fgets(to, size, opened) != NULL;
  fclose(opened);
  return read;
}

static unsigned parent_of(unsigned pid) {
  char line[512];
  unsigned parent = 0;
  if (!read_line(pid, "stat", line, sizeof line)) return 0;
  const char *end = strrchr(line, ')'); /* the name before it may hold anything */
  return end != NULL && sscanf(end + 1, " %*c %u", &parent) == 1 ? parent : 0;
}

/* The process whose descendants are ours: of a worker, whose parent is its reaper, the run's, which has others that are
 * frozen meanwhile. */
static unsigned head_of_run(void) {
  char name[32];
  const unsigned parent = (unsigned)getppid();
  const bool worker = read_line(parent, "comm", name, sizeof name) && strncmp(name, REAPER_NAME, 15) == 0;
  const unsigned head = worker ? parent_of(parent) : 0;
  return head > 1 ? head : (unsigned)getpid();
}

/* This process, its parent, and whatever descends from the run's. */
static bool is_ours(unsigned pid) {
  const unsigned head = head_of_run();
  if (pid == (unsigned)getppid()) return true;
  for (int i = 0; i < ANCESTORS_MAX && pid > 1; i++, pid = parent_of(pid))
    if (pid == head || pid == (unsigned)getpid()) return true;
  return false;
}

static unsigned siblings;

void nvml_siblings(unsigned count) {
  siblings = count;
}

/* Another worker of this run: each has a reaper of its own, which the run has started. */
static bool is_sibling(unsigned pid) {
  const unsigned run = parent_of((unsigned)getppid());
  return siblings > 0 && run > 1 && parent_of(parent_of(pid)) == run;
}

static unsigned less(unsigned count, unsigned than) {
  return count > than ? count - than : 0;
}

/* The server through which MPS clients reach the GPU is no user of its own. Its name is cut as the kernel cuts it. */
static bool is_mps_server(unsigned pid) {
  char name[32];
  return read_line(pid, "comm", name, sizeof name) && strncmp(name, "nvidia-cuda-mps", 15) == 0;
}

static bool is_here(unsigned pid) {
  char path[32];
  snprintf(path, sizeof path, "/proc/%u", pid);
  return access(path, F_OK) == 0;
}

static int32_t write_others(const unsigned *pids, unsigned shown, unsigned count, char *to, size_t size) {
  char list[128] = "";
  for (unsigned i = 0; i < shown && i < PIDS_SHOWN; i++)
    phrase_add(list, sizeof list, ", ", "%u", pids[i]);
  if (shown > PIDS_SHOWN) phrase_add(list, sizeof list, ", ", "...");
  if (count > 0)
    snprintf(to, size, "%s on the GPU (%u%s%s)", count == 1 ? "another process" : "other processes", count,
             shown == 0   ? ""
             : shown == 1 ? ": pid "
                          : ": pids ",
             list);
  return count < INT32_MAX ? (int32_t)count : INT32_MAX;
}

struct others {
  unsigned pids[3 * PROCESSES_MAX];
  unsigned count, unlisted; /* unlisted: all there are, ours with them, where they are too many to be listed */
  unsigned ours, hidden;    /* hidden: of the others, those that are not to be seen from here */
};

/* False: it is not known. */
static bool find_others(struct nvml *nvml, struct others *others) {
  struct users users = {0};
  void *gpu = nvml->slice != NULL ? nvml->slice : nvml->gpu;
  *others = (struct others){0};
  if (!add_users(nvml->call->compute_processes, gpu, &users)) return false;
  add_users(nvml->call->graphics_processes, gpu, &users);
  add_users(nvml->call->mps_processes, gpu, &users);
  others->unlisted = users.unlisted;
  for (unsigned i = 0; users.unlisted == 0 && i < users.count; i++) {
    if (is_ours(users.pids[i]))
      others->ours++;
    else if (!is_mps_server(users.pids[i]) && !is_sibling(users.pids[i])) {
      others->hidden += !is_here(users.pids[i]);
      others->pids[others->count++] = users.pids[i];
    }
  }
  return true;
}

int32_t nvml_others(struct nvml *nvml, char *to, size_t size) {
  struct others others;
  to[0] = '\0';
  if (!find_others(nvml, &others)) return -1;
  if (others.unlisted > 0) /* one of so many will be ours */
    return write_others(NULL, 0, less(others.unlisted, 1 + siblings), to, size);
  /* In a container the numbers may be those of the machine: then one of those that are not here is ours. */
  if (others.ours == 0 && others.hidden > 0) return write_others(NULL, 0, less(others.count, 1 + siblings), to, size);
  return write_others(others.pids, others.count, others.count, to, size);
}

int32_t nvml_strangers(struct nvml *nvml, unsigned *pids, unsigned most) {
  struct others others;
  if (!find_others(nvml, &others)) return -1;
  for (unsigned i = 0; i < others.count && i < most; i++)
    pids[i] = others.pids[i];
  unsigned count = others.unlisted > 0 ? others.unlisted : others.count;
  return count < INT32_MAX ? (int32_t)count : INT32_MAX;
}

/* Clients of MPS meet its daemon at a pipe in a folder that all of them know. */
static bool has_mps_pipe(void) {
  char path[4096];
  const char *folder = getenv("CUDA_MPS_PIPE_DIRECTORY");
  if (folder == NULL || folder[0] == '\0') folder = "/tmp/nvidia-mps";
  return (size_t)snprintf(path, sizeof path, "%s/control", folder) < sizeof path && access(path, F_OK) == 0;
}

void nvml_mps(struct nvml *nvml, char *to, size_t size) {
  struct users users = {0};
  void *gpu = nvml->slice != NULL ? nvml->slice : nvml->gpu;
  bool known = add_users(nvml->call->mps_processes, gpu, &users);
  unsigned clients = users.unlisted > users.count ? users.unlisted : users.count;
  if (clients > 0)
    snprintf(to, size, "on: %u client%s", clients, clients == 1 ? "" : "s");
  else if (has_mps_pipe())
    text_copy(to, size, "on: its control pipe is there");
  else
    text_copy(to, size, known ? "off" : "");
}

/* Reads clocks, power, modes and processes of one GPU. */
#include "machine/nvml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/process_stat.h"
#include "machine/kernel_files.h"
#include "machine/nvml_library.h"
#include "model/conditions.h"

enum { CLOCK_SM = 1, SENSOR_GPU = 0, MODE_EXCLUSIVE_PROCESS = 3 };
enum { VALUE_REAL, VALUE_UINT32, VALUE_ULONG, VALUE_UINT64, VALUE_INT64, VALUE_INT32, VALUE_UINT16 };
enum { FIELD_POWER_INSTANT = 186 };
#define REASON_CLOCKS_SET 0x02ULL

/* NVML has a counter for each reason why clocks are reduced: the nanoseconds for which it was active. The table gives
 * the number of each counter, and our own bit for its reason. */
static const struct {
  unsigned field;
  uint32_t bit;
} counters[NVML_COUNTERS] = {
    {74, THROTTLE_POWER_CAP},         {76, THROTTLE_SYNC_BOOST},   {269, THROTTLE_THERMAL},
    {270, THROTTLE_HARDWARE_THERMAL}, {271, THROTTLE_POWER_BRAKE},
};

/* NVML's bits for the reasons why clocks are reduced now, and our own bits for the same reasons. An idle GPU (0x1) and
 * clocks that were set on purpose (0x2, 0x100) are left out. */
static const struct {
  unsigned long long reason;
  uint32_t bit;
} reasons[] = {
    {0x004, THROTTLE_POWER_CAP},   {0x008, THROTTLE_HARDWARE},         {0x010, THROTTLE_SYNC_BOOST},
    {0x020, THROTTLE_THERMAL},     {0x040, THROTTLE_HARDWARE_THERMAL}, {0x080, THROTTLE_POWER_BRAKE},
    {0x200, THROTTLE_BOARD_LIMIT}, {0x400, THROTTLE_RELIABILITY},
};

static void *find_slice(const struct nvml_library *call, const char *uuid) {
  char name[ID_SIZE + 8];
  void *slice = NULL;
  bool written = strncmp(uuid, "MIG-", 4) == 0;
  if (!written && strncmp(uuid, "GPU-", 4) != 0) return NULL;
  snprintf(name, sizeof name, "MIG-%.*s", ID_SIZE, uuid + 4);
  return call->by_uuid(written ? uuid : name, &slice) == NVML_OK ? slice : NULL;
}

struct nvml *nvml_open(const char *uuid, char *why, size_t size) {
  struct nvml nvml = {.call = nvml_library(why, size)};
  if (nvml.call == NULL) return NULL;
  int code = strncmp(uuid, "MIG-", 4) == 0 ? NVML_NOT_FOUND : nvml.call->by_uuid(uuid, &nvml.gpu);
  if (code != NVML_OK) nvml.slice = find_slice(nvml.call, uuid);
  /* NVML reports most values for the whole GPU only. If the whole GPU cannot be found, the slice is asked, which has
   * some of the values. */
  if (nvml.slice != NULL) {
    bool parent = nvml.call->mig_parent != NULL && nvml.call->mig_parent(nvml.slice, &nvml.gpu) == NVML_OK;
    if (!parent) nvml.gpu = nvml.slice;
  } else if (code != NVML_OK) {
    snprintf(why, size, "NVML: %s: %s", uuid, nvml.call->error_string(code));
    return NULL;
  }
  nvml.counted_at_ns = -1;
  struct nvml *opened = xcalloc(1, sizeof *opened);
  *opened = nvml;
  return opened;
}

void nvml_close(struct nvml *nvml) {
  free(nvml);
}

/* ---- Asking NVML for single values ---- */

static double query_gpu(int (*call)(void *gpu, unsigned *value), void *gpu, double unit) {
  unsigned value = 0;
  return call != NULL && call(gpu, &value) == NVML_OK ? (double)value * unit : NAN;
}

static double query_kind(int (*call)(void *gpu, int kind, unsigned *value), void *gpu, int kind) {
  unsigned value = 0;
  return call != NULL && call(gpu, kind, &value) == NVML_OK ? (double)value : NAN;
}

double nvml_energy_j(struct nvml *nvml) {
  unsigned long long millijoules = 0;
  bool told = nvml->call->energy != NULL && nvml->call->energy(nvml->gpu, &millijoules) == NVML_OK;
  return told ? (double)millijoules * 1e-3 : NAN;
}

static double query_temperature(const struct nvml *nvml) {
  struct nvml_heat heat = {sizeof heat | 1U << 24, SENSOR_GPU, 0};
  if (nvml->call->heat != NULL && nvml->call->heat(nvml->gpu, &heat) == NVML_OK) return heat.celsius;
  return query_kind(nvml->call->temperature, nvml->gpu, SENSOR_GPU);
}

/* Returns the value of a field; NaN: the driver does not know it. */
static double field_value(const struct nvml_field *field) {
  if (field->status != NVML_OK) return NAN;
  switch (field->type) {
    case VALUE_REAL:
      return field->value.real;
    case VALUE_UINT32:
      return field->value.uint32;
    case VALUE_ULONG:
      return (double)field->value.ulong;
    case VALUE_UINT64:
      return (double)field->value.uint64;
    case VALUE_INT64:
      return (double)field->value.int64;
    case VALUE_INT32:
      return field->value.int32;
    case VALUE_UINT16:
      return field->value.uint16;
    default:
      return NAN;
  }
}

struct fields {
  double power_w;
  double counted_ns[NVML_COUNTERS];
};

static void query_fields(const struct nvml *nvml, unsigned what, struct fields *fields) {
  struct nvml_field list[1 + NVML_COUNTERS] = {{.id = FIELD_POWER_INSTANT}};
  int from = what & NVML_POWER ? 0 : 1, count = (what & NVML_THROTTLE ? 1 + NVML_COUNTERS : 1) - from;
  for (int i = 0; i < 1 + NVML_COUNTERS; i++) {
    list[i].status = -1; /* the status stays -1 if the driver does not answer */
    if (i > 0) list[i].id = counters[i - 1].field;
  }
  bool asked = nvml->call->fields != NULL && nvml->call->fields(nvml->gpu, count, list + from) == NVML_OK;
  fields->power_w = asked ? field_value(&list[0]) * 1e-3 : NAN;
  for (int i = 0; i < NVML_COUNTERS; i++)
    fields->counted_ns[i] = asked ? field_value(&list[1 + i]) : NAN;
}

/* Returns the reasons for reduced clocks that are active now; 0: not known. */
static uint32_t active_reasons(const struct nvml *nvml) {
  unsigned long long active = 0;
  uint32_t bits = 0;
  if (nvml->call->reasons == NULL || nvml->call->reasons(nvml->gpu, &active) != NVML_OK) return 0;
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
    if (active & reasons[i].reason) bits |= reasons[i].bit;
  /* NVML also sets the general hardware bit for each of these two causes */
  if (bits & (THROTTLE_HARDWARE_THERMAL | THROTTLE_POWER_BRAKE)) bits &= ~THROTTLE_HARDWARE;
  return bits != 0 ? bits : THROTTLE_NONE;
}

/* Returns the reasons for which clocks were reduced for more than 1% of the time since the last call; THROTTLE_NONE:
 * there was none; 0: the driver has no counters, or this is the first call. */
static uint32_t counted_reasons(struct nvml *nvml, const double counted_ns[NVML_COUNTERS]) {
  int64_t at_ns = clock_now_ns();
  uint32_t bits = 0;
  bool first = nvml->counted_at_ns < 0;
  for (int i = 0; i < NVML_COUNTERS; i++) {
    bool known = counted_ns[i] >= 0 && counted_ns[i] < 9e18;
    int64_t value = known ? (int64_t)counted_ns[i] : -1, before = first ? -1 : nvml->counted_ns[i];
    if (value >= 0 && before >= 0)
      bits |= value - before > (at_ns - nvml->counted_at_ns) / 100 ? counters[i].bit : THROTTLE_NONE;
    nvml->counted_ns[i] = value;
  }
  nvml->counted_at_ns = at_ns;
  return bits;
}

void nvml_slot_state(struct nvml *nvml, unsigned what, struct slot_state *state) {
  struct fields fields = {0};
  if (what & (NVML_POWER | NVML_THROTTLE)) query_fields(nvml, what, &fields);
  if (what & NVML_CLOCK) state->sm_clock_mhz = query_kind(nvml->call->clock, nvml->gpu, CLOCK_SM);
  if (what & NVML_TEMPERATURE) state->temperature_c = query_temperature(nvml);
  if (what & NVML_POWER)
    state->power_w = isnan(fields.power_w) ? query_gpu(nvml->call->power, nvml->gpu, 1e-3) : fields.power_w;
  if (what & NVML_THROTTLE) {
    uint32_t bits = active_reasons(nvml) | counted_reasons(nvml, fields.counted_ns);
    state->throttle = throttle_slowed(bits) ? bits & ~THROTTLE_NONE : bits;
  }
}

void nvml_conditions(struct nvml *nvml, struct device_conditions *conditions) {
  char others[TEXT_SIZE];
  conditions->sm_clock_mhz = query_kind(nvml->call->clock, nvml->gpu, CLOCK_SM);
  conditions->temperature_c = query_temperature(nvml);
  conditions->power_w = query_gpu(nvml->call->power, nvml->gpu, 1e-3);
  conditions->power_limit_w = query_gpu(nvml->call->power_limit, nvml->gpu, 1e-3);
  conditions->throttle = active_reasons(nvml);
  conditions->others = nvml_others(nvml, others, sizeof others);
  if (others[0] != '\0') phrase_add(conditions->note, sizeof conditions->note, "; ", "%s", others);
}

/* ---- Facts that do not change during a run ---- */

static int query_mode(int (*call)(void *gpu, unsigned *now, unsigned *pending), void *gpu) {
  unsigned now = 0, pending = 0;
  return call != NULL && call(gpu, &now, &pending) == NVML_OK ? now != 0 : -1;
}

void nvml_facts_unknown(struct nvml_facts *facts) {
  *facts = (struct nvml_facts){.ecc = -1,
                               .mig = -1,
                               .persistence = -1,
                               .exclusive = -1,
                               .clocks_set = -1,
                               .power_limit_w = NAN,
                               .default_limit_w = NAN,
                               .max_sm_clock_mhz = NAN,
                               .application_clock_mhz = NAN,
                               .default_application_clock_mhz = NAN};
}

/* Writes to `facts` the names of those facts that are not known. Application clocks are not listed, because drivers
 * from CUDA 13 on do not have them any more. */
static void name_unknown(struct nvml_facts *facts) {
  const struct {
    bool unknown;
    const char *name;
  } list[] = {{facts->driver[0] == '\0', "driver"},
              {facts->ecc < 0, "ecc"},
              {facts->mig < 0, "mig"},
              {facts->persistence < 0, "persistence"},
              {facts->exclusive < 0, "compute mode"},
              {facts->mps[0] == '\0', "mps"},
              {isnan(facts->power_limit_w), "power limit"},
              {isnan(facts->max_sm_clock_mhz), "highest clock"}};
  char names[TEXT_SIZE - 64] = "";
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (list[i].unknown) phrase_add(names, sizeof names, ", ", "%s", list[i].name);
  if (names[0] != '\0') snprintf(facts->why, sizeof facts->why, "NVML: this GPU or driver does not report %s", names);
}

void nvml_read_facts(struct nvml *nvml, struct nvml_facts *facts) {
  const struct nvml_library *call = nvml->call;
  unsigned mode = 0;
  unsigned long long active = 0;
  nvml_facts_unknown(facts);
  if (call->driver_version == NULL || call->driver_version(facts->driver, sizeof facts->driver) != NVML_OK)
    facts->driver[0] = '\0';
  facts->driver[sizeof facts->driver - 1] = '\0';
  facts->slice = nvml->slice != NULL;
  facts->ecc = query_mode(call->ecc, nvml->gpu);
  facts->mig = facts->slice ? 1 : query_mode(call->mig, nvml->gpu);
  if (call->persistence != NULL && call->persistence(nvml->gpu, &mode) == NVML_OK) facts->persistence = mode != 0;
  if (call->compute_mode != NULL && call->compute_mode(nvml->gpu, &mode) == NVML_OK)
    facts->exclusive = mode == MODE_EXCLUSIVE_PROCESS;
  if (call->reasons != NULL && call->reasons(nvml->gpu, &active) == NVML_OK)
    facts->clocks_set = (active & REASON_CLOCKS_SET) != 0;
  facts->power_limit_w = query_gpu(call->power_limit, nvml->gpu, 1e-3);
  facts->default_limit_w = query_gpu(call->default_limit, nvml->gpu, 1e-3);
  facts->max_sm_clock_mhz = query_kind(call->max_clock, nvml->gpu, CLOCK_SM);
  facts->application_clock_mhz = query_kind(call->application_clock, nvml->gpu, CLOCK_SM);
  facts->default_application_clock_mhz = query_kind(call->default_application_clock, nvml->gpu, CLOCK_SM);
  nvml_mps(nvml, facts->mps, sizeof facts->mps);
  name_unknown(facts);
}

int nvml_facts(const char *uuid, struct nvml_facts *facts) {
  nvml_facts_unknown(facts);
  struct nvml *nvml = nvml_open(uuid, facts->why, sizeof facts->why);
  if (nvml == NULL) return -1;
  nvml_read_facts(nvml, facts);
  nvml_close(nvml);
  return 0;
}

/* ---- Other processes on the GPU; messages name them by pid only ---- */

#define REAPER_NAME "gpubench-reaper" /* the name that worker/reaper.c sets */
#define MPS_SERVER "nvidia-cuda-mps"  /* MPS clients use the GPU through this server, which uses no GPU itself */

enum { PROCESSES_MAX = 64, PIDS_SHOWN = 3, ANCESTORS_MAX = 16 };

struct users {
  unsigned pids[3 * PROCESSES_MAX];
  /* unlisted: length of a list of NVML that has more than PROCESSES_MAX processes, with this process; 0: there is no
   * such list */
  unsigned count, unlisted;
  unsigned ours, hidden; /* ours: processes of this run; hidden: other processes that are not visible from here */
};

static bool is_known_user(const struct users *users, unsigned pid) {
  for (unsigned i = 0; i < users->count; i++)
    if (users->pids[i] == pid) return true;
  return false;
}

/* Adds the processes of one of NVML's lists. Returns false if the list is not known. */
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
    if (list[i].pid != 0 && !is_known_user(users, list[i].pid)) users->pids[users->count++] = list[i].pid;
  return true;
}

/* Returns true if the process has this name. Compares only 15 bytes, because the kernel keeps no more of a name. */
static bool is_named(unsigned pid, const char *name) {
  char kept[32];
  return tree_text("", kept, sizeof kept, "/proc/%u/comm", pid) && strncmp(kept, name, 15) == 0;
}

static unsigned parent_of(unsigned pid) {
  char number[16];
  struct process_stat stat;
  snprintf(number, sizeof number, "%u", pid);
  return process_stat_read(number, &stat) ? (unsigned)stat.parent : 0;
}

/* Returns the gpubench process that was started for this run; its descendants belong to the run. In a worker (a process
 * that loads plugins) this is the grandparent, because the worker's parent is a reaper, which cleans up after the
 * worker. In any other process it is that process itself. */
static unsigned head_of_run(void) {
  const unsigned parent = (unsigned)getppid(), head = is_named(parent, REAPER_NAME) ? parent_of(parent) : 0;
  return head > 1 ? head : (unsigned)getpid();
}

/* Returns true if the process belongs to this run: this process, its parent, and all descendants of head_of_run(). */
static bool is_own_process(unsigned pid) {
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

/* Returns true if the process is another worker of this run: its grandparent, which started its reaper, is also the
 * grandparent of this worker. */
static bool is_sibling(unsigned pid) {
  const unsigned run = parent_of((unsigned)getppid());
  return siblings > 0 && run > 1 && parent_of(parent_of(pid)) == run;
}

static unsigned count_without(unsigned count, unsigned than) {
  return count > than ? count - than : 0;
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

/* Finds the processes that use the GPU and do not belong to this run. Returns false if they are not known. */
static bool find_others(struct nvml *nvml, struct users *others) {
  void *gpu = nvml->slice != NULL ? nvml->slice : nvml->gpu;
  *others = (struct users){0};
  if (!add_users(nvml->call->compute_processes, gpu, others)) return false;
  add_users(nvml->call->graphics_processes, gpu, others);
  add_users(nvml->call->mps_processes, gpu, others);
  const unsigned all = others->unlisted == 0 ? others->count : 0;
  others->count = 0;
  for (unsigned i = 0; i < all; i++) {
    const unsigned pid = others->pids[i];
    if (is_own_process(pid))
      others->ours++;
    else if (!is_named(pid, MPS_SERVER) && !is_sibling(pid)) {
      others->hidden += !is_here(pid);
      others->pids[others->count++] = pid;
    }
  }
  return true;
}

int32_t nvml_others(struct nvml *nvml, char *to, size_t size) {
  struct users others;
  to[0] = '\0';
  if (!find_others(nvml, &others)) return -1;
  if (others.unlisted > 0) /* one of the unlisted processes is probably this one */
    return write_others(NULL, 0, count_without(others.unlisted, 1 + siblings), to, size);
  /* In a container the pids in NVML's list may be those of the host. If none of them belongs to this run, this process
   * must be one of those whose pid does not exist here. */
  if (others.ours == 0 && others.hidden > 0)
    return write_others(NULL, 0, count_without(others.count, 1 + siblings), to, size);
  return write_others(others.pids, others.count, others.count, to, size);
}

int32_t nvml_other_processes(struct nvml *nvml, unsigned *pids, unsigned most) {
  struct users others;
  if (!find_others(nvml, &others)) return -1;
  for (unsigned i = 0; i < others.count && i < most; i++)
    pids[i] = others.pids[i];
  unsigned count = others.unlisted > 0 ? others.unlisted : others.count;
  return count < INT32_MAX ? (int32_t)count : INT32_MAX;
}

/* Returns true if the control pipe of the MPS daemon exists, through which MPS clients connect to it. */
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

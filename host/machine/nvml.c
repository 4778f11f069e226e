/* One GPU's clocks, power and modes. */
#include "machine/nvml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "machine/nvml_library.h"

enum { CLOCK_SM = 1, SENSOR_GPU = 0, MODE_EXCLUSIVE_PROCESS = 3 };
enum { VALUE_REAL, VALUE_UINT32, VALUE_ULONG, VALUE_UINT64, VALUE_INT64, VALUE_INT32, VALUE_UINT16 };
enum { FIELD_POWER_INSTANT = 186 };
#define REASON_CLOCKS_SET 0x02ULL

/* Counters of the time that the clocks were held down, in nanoseconds. */
static const struct {
  unsigned field;
  uint32_t bit;
} counters[NVML_COUNTERS] = {
    {74, THROTTLE_POWER_CAP},         {76, THROTTLE_SYNC_BOOST},   {269, THROTTLE_THERMAL},
    {270, THROTTLE_HARDWARE_THERMAL}, {271, THROTTLE_POWER_BRAKE},
};

/* What holds the clocks down at the moment. Not among them: an idle GPU (0x1), clocks that somebody has set on purpose
 * (0x2, 0x100). */
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
  if (nvml.slice != NULL) { /* the whole GPU is asked, else the slice: it may answer some questions itself */
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

/* ---- Questions ---- */

static double query(int (*call)(void *gpu, unsigned *value), void *gpu, double unit) {
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

/* NaN for what a driver does not know. */
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
    list[i].status = -1; /* as it stays where nobody answers */
    if (i > 0) list[i].id = counters[i - 1].field;
  }
  bool asked = nvml->call->fields != NULL && nvml->call->fields(nvml->gpu, count, list + from) == NVML_OK;
  fields->power_w = asked ? field_value(&list[0]) * 1e-3 : NAN;
  for (int i = 0; i < NVML_COUNTERS; i++)
    fields->counted_ns[i] = asked ? field_value(&list[1 + i]) : NAN;
}

/* 0: not known. */
static uint32_t active_reasons(const struct nvml *nvml) {
  unsigned long long active = 0;
  uint32_t bits = 0;
  if (nvml->call->reasons == NULL || nvml->call->reasons(nvml->gpu, &active) != NVML_OK) return 0;
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
    if (active & reasons[i].reason) bits |= reasons[i].bit;
  /* the general one comes with each of its particular causes */
  if (bits & (THROTTLE_HARDWARE_THERMAL | THROTTLE_POWER_BRAKE)) bits &= ~THROTTLE_HARDWARE;
  return bits != 0 ? bits : THROTTLE_NONE;
}

/* What was active between the last call and this one. 0: nothing is counted, or this is the first call. */
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
    state->power_w = isnan(fields.power_w) ? query(nvml->call->power, nvml->gpu, 1e-3) : fields.power_w;
  if (what & NVML_THROTTLE) {
    uint32_t bits = active_reasons(nvml) | counted_reasons(nvml, fields.counted_ns);
    state->throttle = throttle_slowed(bits) ? bits & ~THROTTLE_NONE : bits;
  }
}

void nvml_conditions(struct nvml *nvml, struct device_conditions *conditions) {
  char others[TEXT_SIZE];
  conditions->sm_clock_mhz = query_kind(nvml->call->clock, nvml->gpu, CLOCK_SM);
  conditions->temperature_c = query_temperature(nvml);
  conditions->power_w = query(nvml->call->power, nvml->gpu, 1e-3);
  conditions->power_limit_w = query(nvml->call->power_limit, nvml->gpu, 1e-3);
  conditions->throttle = active_reasons(nvml);
  conditions->others = nvml_others(nvml, others, sizeof others);
  if (others[0] != '\0') phrase_add(conditions->note, sizeof conditions->note, "; ", "%s", others);
}

/* ---- Facts ---- */

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

/* Application clocks are not among them: drivers from CUDA 13 on are giving them up. */
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
  facts->power_limit_w = query(call->power_limit, nvml->gpu, 1e-3);
  facts->default_limit_w = query(call->default_limit, nvml->gpu, 1e-3);
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

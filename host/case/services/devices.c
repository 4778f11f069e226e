/* The services gb.device/1 and gb.devices/1: plugins ask them for facts about the devices of a case, and for streams
 * and memory of the devices after the first. */
#include "case/services/services.h"

#include <string.h>

#include "case/calls.h"
#include "case/case.h"
#include "case/memory.h"

/* ---- Facts ---- */

static int64_t fact_i64(const struct device_facts *facts, const char *fact) {
  const struct {
    const char *name;
    int64_t value;
  } known[] = {
      {"memory_bytes", facts->memory_bytes},
      {"ordinal", facts->ordinal},
      {"compute_capability", facts->compute_capability},
      {"sm_count", facts->sm_count},
      {"l2_bytes", facts->l2_bytes},
      {"shared_memory_per_block_bytes", facts->shared_memory_per_block_bytes},
      {"threads", facts->threads},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (fact != NULL && strcmp(known[i].name, fact) == 0) return known[i].value;
  return -1;
}

static const char *fact_str(const struct device_facts *facts, const char *fact) {
  if (fact == NULL) return NULL;
  if (strcmp(fact, "backend") == 0) return facts->backend;
  if (strcmp(fact, "name") == 0) return facts->name;
  if (strcmp(fact, "uuid") == 0 && facts->uuid[0] != '\0') return facts->uuid;
  return NULL;
}

/* ---- gb.device/1 ---- */

static int64_t device_i64(gb_case *c, const char *fact) {
  return case_is(c, "gb.device/1 i64") ? fact_i64(&c->device->facts, fact) : -1;
}

static const char *device_str(gb_case *c, const char *fact) {
  return case_is(c, "gb.device/1 str") ? fact_str(&c->device->facts, fact) : NULL;
}

const gb_device_ext services_device = {
    .struct_size = sizeof(gb_device_ext),
    .i64 = device_i64,
    .str = device_str,
};

/* ---- gb.devices/1 ---- */

static bool has_case_device(gb_case *c, uint32_t device, const char *slot) {
  if (!case_is(c, slot)) return false;
  if (device < case_devices(c) && device <= c->device->other_count) return true;
  case_misuse(c, "%s: device %u, of %lld that the case has", slot, device, (long long)case_devices(c));
  return false;
}

static const struct device_facts *facts_of(const gb_case *c, uint32_t device) {
  return device == 0 ? &c->device->facts : &c->device->others[device - 1];
}

static uint32_t devices_count(gb_case *c) {
  const int64_t count = case_is(c, "gb.devices/1 count") ? case_devices(c) : 0;
  return count > 0 ? (uint32_t)count : 0;
}

static int64_t devices_i64(gb_case *c, uint32_t device, const char *fact) {
  return has_case_device(c, device, "gb.devices/1 i64") ? fact_i64(facts_of(c, device), fact) : -1;
}

static const char *devices_str(gb_case *c, uint32_t device, const char *fact) {
  return has_case_device(c, device, "gb.devices/1 str") ? fact_str(facts_of(c, device), fact) : NULL;
}

static struct CUstream_st *devices_stream(gb_case *c, uint32_t device) {
  if (!has_case_device(c, device, "gb.devices/1 stream")) return NULL;
  if (phase_chooses(c->phase)) {
    case_misuse(c, "gb.devices/1 stream is not for %s", phase_name(c->phase));
    return NULL;
  }
  const struct device_ops *ops = c->device->ops;
  return device == 0 ? ops->stream(c->device) : ops->other_stream(c->device, device - 1);
}

static void *devices_alloc(gb_case *c, uint32_t device, uint64_t bytes) {
  if (!has_case_device(c, device, "gb.devices/1 alloc")) return NULL;
  if (c->phase == PHASE_SETUP || c->phase == PHASE_PREPARE) return case_alloc_on(c, device, bytes, c->owner);
  case_misuse(c, "gb.devices/1 alloc is for setup and prepare, not %s", phase_name(c->phase));
  return NULL;
}

const gb_devices_ext services_devices = {
    .struct_size = sizeof(gb_devices_ext),
    .count = devices_count,
    .i64 = devices_i64,
    .str = devices_str,
    .stream = devices_stream,
    .alloc = devices_alloc,
};

/* The host's side of the ABI: adapters from the tables that plugins hold to registry and cases. Every argument comes
 * from a plugin. */
#include "case/services/services.h"

#include <gpubench/ext/cuda.h>
#include <gpubench/ext/mem.h>
#include <gpubench/ext/rng.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "case/calls.h"
#include "case/memory.h"
#include "case/services/devices.h"
#include "case/services/graph.h"
#include "case/services/input.h"
#include "case/services/optional.h"
#include "case/services/script.h"
#include "case/services/tensor.h"
#include "case/stated.h"
#include "case/verify.h"
#include "model/axis.h"
#include "plugin/abi.h"
#include "plugin/registry.h"

/* ---- gb.case/1 ---- */

static const struct axis_value *axis_value(gb_case *c, const char *name, uint32_t type) {
  for (uint32_t i = 0; i < c->point.count && name != NULL; i++) {
    const struct axis_value *value = &c->point.values[i];
    if (strcmp(value->name, name) != 0) continue;
    if (value->type == type) return value;
    case_misuse(c, "axis '%s' is %s, asked for as %s", value->name, axis_type_name(value->type), axis_type_name(type));
    return NULL;
  }
  char shown[ID_SIZE];
  text_copy(shown, sizeof shown, name);
  text_sanitize(shown);
  case_misuse(c, "bench '%s' has no axis '%s'", c->bench->desc.name, shown);
  return NULL;
}

static int64_t case_i64(gb_case *c, const char *axis) {
  if (!case_is(c, "gb.case/1 i64")) return 0;
  const struct axis_value *value = axis_value(c, axis, AXIS_I64);
  return value ? value->i64 : 0;
}

static double case_f64(gb_case *c, const char *axis) {
  if (!case_is(c, "gb.case/1 f64")) return 0;
  const struct axis_value *value = axis_value(c, axis, AXIS_F64);
  return value ? value->f64 : 0;
}

static const char *case_str(gb_case *c, const char *axis) {
  if (!case_is(c, "gb.case/1 str")) return "";
  const struct axis_value *value = axis_value(c, axis, AXIS_STR);
  return value ? value->str : "";
}

static const char *case_key(gb_case *c) {
  if (!case_is(c, "gb.case/1 key")) return "";
  return c->key;
}

static const char *case_contract(gb_case *c) {
  if (!case_is(c, "gb.case/1 contract")) return "";
  return c->bench->desc.contract;
}

static void *case_state(gb_case *c) {
  if (!case_is(c, "gb.case/1 state")) return NULL;
  return case_caller(c) != c->bench->plugin || c->phase == PHASE_SUPPORTS || c->phase == PHASE_SETUP ? NULL : c->state;
}

static const char *case_math_slot(gb_case *c) {
  if (!case_is(c, "gb.case/1 math")) return "";
  return c->variant != NULL && c->phase != PHASE_SUPPORTS ? case_math(c, c->variant->desc.math) : NULL;
}

/* Nobody is told that a piece is of another. */
static uint64_t case_seed(gb_case *c) {
  if (!case_is(c, "gb.case/1 seed")) return 0;
  if (c->phase != PHASE_SUPPORTS && c->phase != PHASE_SETUP) return c->whole;
  case_misuse(c, "gb.case/1 seed: nothing is filled in %s", phase_name(c->phase));
  return 0;
}

static uint64_t case_places(gb_case *c) {
  if (!case_is(c, "gb.case/1 places")) return 0;
  if (c->phase == PHASE_REFERENCE || c->phase == PHASE_VERIFY) return stated_places(c);
  case_misuse(c, "gb.case/1 places is for reference and verify, not %s", phase_name(c->phase));
  return 0;
}

static gb_status case_work(gb_case *c, const gb_work *work) {
  if (!case_is(c, "gb.case/1 work")) return GB_EINVAL;
  struct err err = {0};
  if (c->phase != PHASE_SETUP) {
    case_misuse(c, "gb.case/1 work is for setup, not %s", phase_name(c->phase));
  } else if (abi_work(work, &c->work, &err) != 0) {
    case_misuse(c, "%s", err.text);
  } else if (!text_copy(c->item_unit, sizeof c->item_unit, c->work.item_unit)) {
    case_misuse(c, "item_unit has more than %zu bytes", sizeof c->item_unit - 1);
  } else {
    text_sanitize(c->item_unit);
    c->work.item_unit = c->item_unit;
  }
  return c->misused ? GB_EINVAL : GB_OK;
}

static const gb_case_ext case_ext = {
    .struct_size = sizeof(gb_case_ext),
    .i64 = case_i64,
    .f64 = case_f64,
    .str = case_str,
    .key = case_key,
    .contract = case_contract,
    .state = case_state,
    .math = case_math_slot,
    .seed = case_seed,
    .work = case_work,
    .places = case_places,
};

/* ---- gb.mem/1 ---- */

static void *mem_alloc(gb_case *c, uint32_t kind, uint64_t bytes) {
  if (!case_is(c, "gb.mem/1 alloc")) return NULL;
  if (c->phase != PHASE_SETUP && c->phase != PHASE_PREPARE)
    case_misuse(c, "gb.mem/1 alloc is for setup and prepare, not %s", phase_name(c->phase));
  else if (kind < GB_MEM_DEVICE || kind > GB_MEM_PINNED)
    case_misuse(c, "gb.mem/1 alloc: kind %u, known are 1 to 3", kind);
  else
    return case_alloc_guarded(c, (enum memory_kind)kind, bytes, c->owner);
  return NULL;
}

static gb_status mem_claim(gb_case *c, uint32_t kind, uint64_t bytes) {
  if (!case_is(c, "gb.mem/1 claim")) return GB_EINVAL;
  if (c->phase != PHASE_SETUP && c->phase != PHASE_PREPARE)
    case_misuse(c, "gb.mem/1 claim is for setup and prepare, not %s", phase_name(c->phase));
  else if (kind < GB_MEM_DEVICE || kind > GB_MEM_PINNED)
    case_misuse(c, "gb.mem/1 claim: kind %u, known are 1 to 3", kind);
  else
    return case_claim(c, (enum memory_kind)kind, bytes, c->owner) ? GB_OK : GB_ENOMEM;
  return GB_EINVAL;
}

static const gb_mem_ext mem_ext = {
    .struct_size = sizeof(gb_mem_ext),
    .alloc = mem_alloc,
    .claim = mem_claim,
    .free = case_free,
};

/* ---- gb.cuda/1, gb.rng/1 ---- */

static struct CUstream_st *cuda_stream(gb_case *c) {
  if (!case_is(c, "gb.cuda/1 stream")) return NULL;
  return c->device->ops->stream(c->device);
}

static const gb_cuda_ext cuda_ext = {.struct_size = sizeof(gb_cuda_ext), .stream = cuda_stream};

static uint64_t rng_ext_bits(uint64_t seed, uint64_t stream, uint64_t index) {
  return rng_bits(rng_key(seed, stream), index);
}

/* The high word of bits x bound: no division, and unbiased to 2^-64 * bound. */
static uint64_t rng_ext_below(uint64_t seed, uint64_t stream, uint64_t index, uint64_t bound) {
  uint64_t x = rng_ext_bits(seed, stream, index), low = (x & 0xFFFFFFFF) * (bound & 0xFFFFFFFF);
  uint64_t middle1 = (x >> 32) * (bound & 0xFFFFFFFF) + (low >> 32);
  uint64_t middle2 = (x & 0xFFFFFFFF) * (bound >> 32) + (middle1 & 0xFFFFFFFF);
  return (x >> 32) * (bound >> 32) + (middle1 >> 32) + (middle2 >> 32);
}

static const gb_rng_ext rng_ext = {
    .struct_size = sizeof(gb_rng_ext),
    .bits = rng_ext_bits,
    .below = rng_ext_below,
};

/* ---- The host table ---- */

/* What `open` registers into ends with it. Later nobody is there to be failed but a case, if one runs. */
static bool in_open(const gb_host *host, const gb_registry *registry, const char *slot) {
  const struct plugin *plugin = (const struct plugin *)host;
  char text[64];
  if (registry == NULL || plugin == NULL || plugin->opening == registry) return true;
  snprintf(text, sizeof text, "%s is for open: ignored", slot);
  if (services_log != NULL) services_log(plugin->desc.id, GB_LOG_WARNING, text);
  return false;
}

static gb_status host_add(const gb_host *host, gb_registry *registry, const gb_bench *bench) {
  return in_open(host, registry, "add") ? register_bench(host, registry, bench) : GB_EINVAL;
}

static gb_status host_attach(const gb_host *host, gb_registry *registry, const char *contract,
                             const gb_variant *variant) {
  return in_open(host, registry, "attach") ? register_guest(host, registry, contract, variant) : GB_EINVAL;
}

static gb_status host_fail(const gb_host *host, gb_case *c, gb_status status, const char *message) {
  struct plugin *plugin = (struct plugin *)(uintptr_t)host;
  if (c != NULL || plugin != NULL) said_add(c != NULL ? &c->said : &plugin->said, text_or_empty(message));
  return status;
}

static void host_log(const gb_host *host, int32_t level, const char *message) {
  char text[MSG_SIZE];
  text_copy(text, sizeof text, message);
  text_sanitize(text);
  if (services_log != NULL) services_log(host != NULL ? ((const struct plugin *)host)->shown : "?", level, text);
}

static const void *host_extension(const gb_host *host, const char *id) {
  (void)host;
  static const struct {
    const char *id;
    const void *table;
  } known[] = {
      {GB_EXT_CASE, &case_ext},
      {GB_EXT_DEVICE, &services_device},
      {GB_EXT_TENSOR, &services_tensor},
      {GB_EXT_MEM, &mem_ext},
      {GB_EXT_CUDA, &cuda_ext},
      {GB_EXT_RNG, &rng_ext},
      {GB_EXT_INPUT, &services_input},
      {GB_EXT_PROGRESS, &services_progress},
      {GB_EXT_GRAPH, &services_graph},
      {GB_EXT_NOTE, &services_note},
      {GB_EXT_OPTION, &services_option},
      {GB_EXT_SCRATCH, &services_scratch},
      {GB_EXT_METRIC, &services_metric},
      {GB_EXT_SPAN, &services_span},
      {GB_EXT_DEVICES, &services_devices},
      {GB_EXT_SCRIPT, &services_script},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (id != NULL && strcmp(known[i].id, id) == 0) return known[i].table;
  return NULL;
}

const gb_host services_host = {
    .struct_size = sizeof(gb_host),
    .abi_version = GB_ABI_VERSION,
    .version = GPUBENCH_VERSION,
    .add = host_add,
    .attach = host_attach,
    .fail = host_fail,
    .log = host_log,
    .extension = host_extension,
};

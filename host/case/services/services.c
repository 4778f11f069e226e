/* The functions of the host that plugins call through the tables in services.h. Every argument comes from a plugin and
 * is checked. */
#include "case/services/services.h"

#include <gpubench/ext/cuda.h>
#include <gpubench/ext/input.h>
#include <gpubench/ext/mem.h>
#include <gpubench/ext/progress.h>
#include <gpubench/ext/rng.h>
#include <gpubench/ext/script.h>
#include <gpubench/ext/tensor.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "case/calls.h"
#include "case/contents.h"
#include "case/memory.h"
#include "case/stated.h"
#include "case/tensors.h"
#include "case/verify.h"
#include "model/axis.h"
#include "plugin/abi.h"

/* ---- gb.input/1 and gb.progress/1: values of a bench's `fill`, and progress of long callbacks ---- */

static gb_status input_write(gb_case *c, const char *name, uint64_t first, uint64_t count, const double *values) {
  if (!case_is(c, "gb.input/1 write")) return GB_EINVAL;
  return bench_fill_write(c, name, first, count, values) ? GB_OK : GB_EINVAL;
}

static const gb_input_ext services_input = {.struct_size = sizeof(gb_input_ext), .write = input_write};

/* Reports progress, which restarts the callback's time on the status page, so that the parent does not take a long
 * callback for a hang. */
static gb_status progress_step(gb_case *c, uint64_t done, uint64_t total) {
  if (!case_is(c, "gb.progress/1 step")) return GB_EINVAL;
  if (c->phase != PHASE_SETUP && c->phase != PHASE_FILL && c->phase != PHASE_PREPARE) {
    case_misuse(c, "gb.progress/1 step is for setup, fill and prepare, not %s", phase_name(c->phase));
    return GB_EINVAL;
  }
  if (done > c->progress && done <= total) {
    c->progress = done;
    phase_go_on(c->page);
  }
  return GB_OK;
}

static const gb_progress_ext services_progress = {.struct_size = sizeof(gb_progress_ext), .step = progress_step};

/* ---- gb.script/1: for a plugin that runs scripts, the script that this copy of it was loaded for ---- */

static const struct plugin *calling_plugin(const gb_host *host) {
  return (const struct plugin *)host;
}

static const char *script_path(const gb_host *host) {
  const struct plugin *plugin = calling_plugin(host);
  return plugin != NULL && plugin->script != NULL ? plugin->path : NULL;
}

static const char *script_text(const gb_host *host, uint64_t *bytes) {
  const struct plugin *plugin = calling_plugin(host);
  const char *text = plugin != NULL ? plugin->script : NULL;
  if (bytes != NULL) *bytes = text != NULL ? plugin->script_bytes : 0;
  return text;
}

static const char *script_axis(gb_case *c, uint32_t index, uint32_t *type) {
  if (!case_is(c, "gb.script/1 axis")) return NULL;
  if (index >= c->point.count) return NULL;
  if (type != NULL) *type = c->point.values[index].type;
  return c->point.values[index].name;
}

static const gb_script_ext services_script = {
    .struct_size = sizeof(gb_script_ext), .path = script_path, .text = script_text, .axis = script_axis};

/* ---- gb.tensor/1 ---- */

static void *tensor_data(gb_case *c, const char *name) {
  if (!case_is(c, "gb.tensor/1 data")) return NULL;
  const struct tensor *t = tensor_find(c, name);
  if (t != NULL && t->data == NULL) case_misuse(c, "tensor '%s' has no memory in %s", t->name, phase_name(c->phase));
  return t ? t->data : NULL;
}

static uint32_t tensor_dtype(gb_case *c, const char *name) {
  if (!case_is(c, "gb.tensor/1 dtype")) return 0;
  const struct tensor *t = tensor_find(c, name);
  return t ? t->dtype : 0;
}

static uint32_t tensor_rank(gb_case *c, const char *name) {
  if (!case_is(c, "gb.tensor/1 rank")) return 0;
  const struct tensor *t = tensor_find(c, name);
  return t ? t->rank : 0;
}

static int64_t tensor_dim(gb_case *c, const char *name, uint32_t axis) {
  if (!case_is(c, "gb.tensor/1 dim")) return 0;
  const struct tensor *t = tensor_find(c, name);
  return t && axis < t->rank ? t->shape[axis] : 0;
}

static int64_t tensor_stride(gb_case *c, const char *name, uint32_t axis) {
  if (!case_is(c, "gb.tensor/1 stride")) return 0;
  const struct tensor *t = tensor_find(c, name);
  return t && axis < t->rank ? t->strides[axis] : 0;
}

static uint32_t tensor_role(gb_case *c, const char *name) {
  if (!case_is(c, "gb.tensor/1 role")) return 0;
  const struct tensor *t = tensor_find(c, name);
  return t ? t->role : 0;
}

static uint32_t tensor_count(gb_case *c) {
  if (!case_is(c, "gb.tensor/1 count")) return 0;
  return c->tensor_count;
}

static const char *tensor_name(gb_case *c, uint32_t index) {
  if (!case_is(c, "gb.tensor/1 name")) return NULL;
  return index < c->tensor_count ? c->tensors[index].name : NULL;
}

/* ---- Values ---- */

/* Elements of a tensor, `step` apart; `slot` is the name of the called service for messages. */
struct range {
  const char *slot, *name;
  uint64_t first, step, count;
};

/* Returns the tensor; NULL with a misuse recorded if the range does not lie within it. */
static struct tensor *tensor_of(gb_case *c, const struct range *range) {
  struct tensor *t = tensor_find(c, range->name);
  if (t == NULL) return NULL;
  const uint64_t left = range->first <= t->elements ? t->elements - range->first : 0, step = range->step;
  const bool fits = range->count == 0 || (step > 0 && left > 0 && range->count - 1 <= (left - 1) / step);
  if (fits && range->first <= t->elements) return t;
  char apart[48] = "";
  if (step != 1) snprintf(apart, sizeof apart, ", %llu apart", (unsigned long long)step);
  case_misuse(c, "tensor '%s' has %llu elements, asked for %llu from %llu%s", t->name, (unsigned long long)t->elements,
              (unsigned long long)range->count, (unsigned long long)range->first, apart);
  return NULL;
}

/* Returns true if this service may be called in the current phase for a tensor of this role. */
static bool may_read_tensor(gb_case *c, const struct tensor *t, const struct range *range, bool output) {
  const bool filled = t->role == GB_IN || t->role == GB_INOUT, written = tensor_is_output(t);
  if (output && c->phase != PHASE_VERIFY)
    case_misuse(c, "gb.tensor/1 %s is for verify, not %s", range->slot, phase_name(c->phase));
  else if (!output && (c->phase == PHASE_RUN || c->phase == PHASE_AFTER))
    case_misuse(c, "gb.tensor/1 %s is not for %s", range->slot, phase_name(c->phase));
  else if (!(output ? written : filled))
    case_misuse(c, "gb.tensor/1 %s: tensor '%s' is no %s", range->slot, t->name, output ? "output" : "input");
  return !c->misused;
}

static gb_status read_tensor_values(gb_case *c, const struct range *range, bool output, double *values) {
  struct err err = {0};
  if (c == NULL) {
    char slot[48];
    snprintf(slot, sizeof slot, "gb.tensor/1 %s", range->slot);
    case_is(NULL, slot);
    return GB_EINVAL;
  }
  struct tensor *t = tensor_of(c, range);
  if (values == NULL && range->count > 0) case_misuse(c, "gb.tensor/1 %s: values is NULL", range->slot);
  if (t == NULL || !may_read_tensor(c, t, range, output)) return GB_EINVAL;
  const int rc = output ? tensor_download(c, t, range->first, range->step, range->count, values, &err)
                        : tensor_input(c, t, range->first, range->step, range->count, values, &err);
  if (rc == 0 && output) stated_note_read(t, range->count);
  if (rc == 0) return GB_OK;
  case_misuse(c, "%s", err.text);
  return GB_EDEVICE;
}

static gb_status input_values(gb_case *c, const char *name, uint64_t first, uint64_t count, double *values) {
  return read_tensor_values(c, &(struct range){"input", name, first, 1, count}, false, values);
}

static gb_status input_strided(gb_case *c, const char *name, uint64_t first, uint64_t stride, uint64_t count,
                               double *values) {
  return read_tensor_values(c, &(struct range){"input_strided", name, first, stride, count}, false, values);
}

static gb_status output(gb_case *c, const char *name, uint64_t first, uint64_t count, double *values) {
  return read_tensor_values(c, &(struct range){"output", name, first, 1, count}, true, values);
}

static gb_status output_strided(gb_case *c, const char *name, uint64_t first, uint64_t stride, uint64_t count,
                                double *values) {
  return read_tensor_values(c, &(struct range){"output_strided", name, first, stride, count}, true, values);
}

static uint64_t trajectory_steps(gb_case *c) {
  if (!case_is(c, "gb.tensor/1 steps")) return 0;
  if (c->phase == PHASE_VERIFY) return c->steps;
  case_misuse(c, "gb.tensor/1 steps is for verify, not %s", phase_name(c->phase));
  return 0;
}

/* Notes the memory in which the variant has left an output. This is the only service whose call is part of the timed
 * work. */
static gb_status lies_at(gb_case *c, uint32_t index, const void *memory) {
  if (!case_is(c, "gb.tensor/1 lies_at")) return GB_EINVAL;
  if (c->phase != PHASE_RUN || c->variant == NULL || c->variant->own.after == NULL)
    case_misuse(c, "gb.tensor/1 lies_at is for run of a variant that has `after`, not %s", phase_name(c->phase));
  else if (index >= c->tensor_count || (c->tensors[index].role != GB_OUT && c->tensors[index].role != GB_INOUT))
    case_misuse(c, "gb.tensor/1 lies_at: %u is the index of no output", index);
  else if (memory == NULL)
    case_misuse(c, "gb.tensor/1 lies_at: memory of '%s' is NULL", c->tensors[index].name);
  else
    c->tensors[index].lies_at = memory;
  return c->misused ? GB_EINVAL : GB_OK;
}

static gb_status expect(gb_case *c, const char *name, uint64_t first, uint64_t count, const double *values) {
  if (!case_is(c, "gb.tensor/1 expect")) return GB_EINVAL;
  struct tensor *t = tensor_of(c, &(struct range){"expect", name, first, 1, count});
  if (values == NULL && count > 0) case_misuse(c, "gb.tensor/1 expect: values is NULL");
  return t != NULL && !c->misused && tensor_expect(c, t, first, count, values) == 0 ? GB_OK : GB_EINVAL;
}

static const gb_tensor_ext services_tensor = {
    .struct_size = sizeof(gb_tensor_ext),
    .declare = tensor_declare,
    .data = tensor_data,
    .dtype = tensor_dtype,
    .rank = tensor_rank,
    .dim = tensor_dim,
    .stride = tensor_stride,
    .role = tensor_role,
    .count = tensor_count,
    .name = tensor_name,
    .input = input_values,
    .input_strided = input_strided,
    .output = output,
    .output_strided = output_strided,
    .steps = trajectory_steps,
    .expect = expect,
    .lies_at = lies_at,
};

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
  return case_caller(c) != c->bench->plugin || phase_chooses(c->phase) || c->phase == PHASE_SETUP ? NULL : c->state;
}

static const char *case_math_slot(gb_case *c) {
  if (!case_is(c, "gb.case/1 math")) return "";
  return c->variant != NULL && !phase_chooses(c->phase) ? case_math(c, c->variant->desc.math) : NULL;
}

/* Returns the seed that the inputs as a whole were filled from. Plugins do not learn that a small piece may have been
 * filled from another seed. */
static uint64_t case_seed(gb_case *c) {
  if (!case_is(c, "gb.case/1 seed")) return 0;
  if (!phase_chooses(c->phase) && c->phase != PHASE_SETUP) return c->whole;
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
    return GB_EINVAL;
  }
  const int rc = abi_work(work, &c->work, &err);
  if (rc == ABI_NEWER) return case_unsupported(c, "%s", err.text), GB_ENOTSUP;
  if (rc < 0) {
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

static struct CUstream_st *case_cuda_stream(gb_case *c) {
  if (!case_is(c, "gb.cuda/1 stream")) return NULL;
  return c->device->ops->stream(c->device);
}

static const gb_cuda_ext cuda_ext = {.struct_size = sizeof(gb_cuda_ext), .stream = case_cuda_stream};

static uint64_t rng_ext_bits(uint64_t seed, uint64_t stream, uint64_t index) {
  return rng_bits(rng_key(seed, stream), index);
}

/* Returns a random number below `bound`: the high word of bits * bound. That needs no division, and its bias is at most
 * 2^-64 * bound. */
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

/* Returns false with a warning if the plugin's `open` has returned, because `registry` is gone then. The mistake is
 * only logged, because there is no running callback that could fail for it. */
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
  call_refuse_log();
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

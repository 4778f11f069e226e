/* Optional helpers for plugin authors, in C99 and C++11. They are inline and not a part of the ABI, so they may
 * change. */
#ifndef GPUBENCH_SUGAR_H
#define GPUBENCH_SUGAR_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ext/case.h"
#include "ext/cuda.h"
#include "ext/device.h"
#include "ext/devices.h"
#include "ext/graph.h"
#include "ext/input.h"
#include "ext/mem.h"
#include "ext/metric.h"
#include "ext/note.h"
#include "ext/option.h"
#include "ext/progress.h"
#include "ext/rng.h"
#include "ext/scratch.h"
#include "ext/tensor.h"
#include "gpubench.h"

/* GB_C_BEGIN and GB_C_END enclose functions that are compiled as C and as C++ and that use C casts. g++ does not warn
 * of such casts inside extern "C"; clang must be told not to. */
#if defined(__clang__) && defined(__cplusplus)
#define GB_C_BEGIN \
  extern "C" {     \
  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wold-style-cast\"")
#define GB_C_END                  \
  _Pragma("clang diagnostic pop") \
  }
#elif defined(__cplusplus)
#define GB_C_BEGIN extern "C" {
#define GB_C_END }
#else
#define GB_C_BEGIN
#define GB_C_END
#endif

GB_C_BEGIN

/* The host and its services, fetched once in `open` and read-only afterwards. */
typedef struct gb_sdk {
  const gb_host *host;
  const gb_case_ext *point;
  const gb_device_ext *device;
  const gb_devices_ext *devices;
  const gb_tensor_ext *tensor;
  const gb_mem_ext *mem;
  const gb_cuda_ext *cuda;
  const gb_rng_ext *rng;
  const gb_input_ext *input;
  const gb_progress_ext *progress;
  const gb_graph_ext *graph;
  const gb_note_ext *note;
  const gb_option_ext *option;
  const gb_scratch_ext *scratch;
  const gb_metric_ext *metric;
} gb_sdk;

#if defined(__GNUC__)
#define GB_PRINTF(text, args) __attribute__((format(printf, text, args), unused))
#define GB_MAYBE_UNUSED __attribute__((unused))
#else
#define GB_PRINTF(text, args)
#define GB_MAYBE_UNUSED
#endif

/* Zeroes a struct before it is given to the host, including fields that later headers append, and sets its size. */
#define GB_CLEAR(thing) (memset(&(thing), 0, sizeof(thing)), (thing).struct_size = sizeof(thing))

/* Records a formatted message and returns `status`: return gb_failf(&gb, c, GB_EDEVICE, "cublasCreate: %d", rc); */
GB_PRINTF(4, 5)
static gb_status gb_failf(const gb_sdk *sdk, gb_case *c, gb_status status, const char *format, ...) {
  char text[1000];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return sdk->host->fail(sdk->host, c, status, text);
}

GB_MAYBE_UNUSED
static const void *gb_need(const gb_sdk *sdk, const char *id, gb_status *status) {
  const void *table = sdk->host->extension(sdk->host, id);
  if (table == NULL && *status == GB_OK)
    *status = gb_failf(sdk, NULL, GB_ENOTSUP, "host %s has no extension %s", sdk->host->version, id);
  return table;
}

/* Fetches every service of ABI 1.0. Returns GB_ENOTSUP with a message if one is missing. */
GB_MAYBE_UNUSED
static gb_status gb_sdk_open(gb_sdk *sdk, const gb_host *host) {
  gb_status status = GB_OK;
  sdk->host = host;
  sdk->point = (const gb_case_ext *)gb_need(sdk, GB_EXT_CASE, &status);
  sdk->device = (const gb_device_ext *)gb_need(sdk, GB_EXT_DEVICE, &status);
  sdk->devices = (const gb_devices_ext *)gb_need(sdk, GB_EXT_DEVICES, &status);
  sdk->tensor = (const gb_tensor_ext *)gb_need(sdk, GB_EXT_TENSOR, &status);
  sdk->mem = (const gb_mem_ext *)gb_need(sdk, GB_EXT_MEM, &status);
  sdk->cuda = (const gb_cuda_ext *)gb_need(sdk, GB_EXT_CUDA, &status);
  sdk->rng = (const gb_rng_ext *)gb_need(sdk, GB_EXT_RNG, &status);
  sdk->input = (const gb_input_ext *)gb_need(sdk, GB_EXT_INPUT, &status);
  sdk->progress = (const gb_progress_ext *)gb_need(sdk, GB_EXT_PROGRESS, &status);
  sdk->graph = (const gb_graph_ext *)gb_need(sdk, GB_EXT_GRAPH, &status);
  sdk->note = (const gb_note_ext *)gb_need(sdk, GB_EXT_NOTE, &status);
  sdk->option = (const gb_option_ext *)gb_need(sdk, GB_EXT_OPTION, &status);
  sdk->scratch = (const gb_scratch_ext *)gb_need(sdk, GB_EXT_SCRATCH, &status);
  sdk->metric = (const gb_metric_ext *)gb_need(sdk, GB_EXT_METRIC, &status);
  return status;
}

/* Add a node and an edge to the graph of the variant being prepared. `label` and `note` may be NULL; 0 stands for a
 * number that is not given. */
GB_MAYBE_UNUSED
static gb_status gb_node(const gb_sdk *sdk, gb_case *c, uint32_t kind, const char *id, const char *label,
                         const char *note, uint64_t flops, uint64_t bytes) {
  gb_graph_node node;
  GB_CLEAR(node);
  node.kind = kind;
  node.id = id;
  node.label = label;
  node.note = note;
  node.flops = flops;
  node.bytes = bytes;
  return sdk->graph->node(c, &node);
}

GB_MAYBE_UNUSED
static gb_status gb_edge(const gb_sdk *sdk, gb_case *c, const char *from, const char *to, const char *label,
                         uint64_t bytes) {
  gb_graph_edge edge;
  GB_CLEAR(edge);
  edge.from = from;
  edge.to = to;
  edge.label = label;
  edge.bytes = bytes;
  return sdk->graph->edge(c, &edge);
}

/* Sets a note on the variant being prepared: gb_notef(&gb, c, "algorithm", "%d of %d", chosen, count). Cut at 255
 * bytes. */
GB_PRINTF(4, 5)
static gb_status gb_notef(const gb_sdk *sdk, gb_case *c, const char *key, const char *format, ...) {
  char text[256];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return sdk->note->set(c, key, text);
}

/* Declares an option in `open`; `choices`, `unit` and `summary` may be NULL. */
GB_MAYBE_UNUSED
static gb_status gb_option_declare(const gb_sdk *sdk, gb_registry *registry, uint32_t type, const char *name,
                                   const char *value, const char *choices, const char *unit, const char *summary) {
  gb_option option;
  GB_CLEAR(option);
  option.type = type;
  option.name = name;
  option.unit = unit;
  option.summary = summary;
  option.choices = choices;
  option.value = value;
  return sdk->option->declare(sdk->host, registry, &option);
}

/* Declares a metric in a bench's `setup`; `unit` and `summary` may be NULL. */
GB_MAYBE_UNUSED
static gb_status gb_metric_declare(const gb_sdk *sdk, gb_case *c, const char *name, const char *unit, uint32_t better,
                                   uint32_t aggregate, const char *summary) {
  gb_metric metric;
  GB_CLEAR(metric);
  metric.better = better;
  metric.aggregate = aggregate;
  metric.name = name;
  metric.unit = unit;
  metric.summary = summary;
  return sdk->metric->declare(c, &metric);
}

/* ---- Common questions ---- */

/* For `supports`: returns GB_OK if an integer axis lies in [least, most], otherwise GB_SKIP with the reason. */
GB_MAYBE_UNUSED
static gb_status gb_axis_within(const gb_sdk *sdk, gb_case *c, const char *axis, int64_t least, int64_t most) {
  const int64_t value = sdk->point->i64(c, axis);
  if (value >= least && value <= most) return GB_OK;
  return gb_failf(sdk, c, GB_SKIP, "%s is %lld: must be %lld to %lld", axis, (long long)value, (long long)least,
                  (long long)most);
}

/* Returns 1 if a text axis has this value. */
GB_MAYBE_UNUSED
static int gb_axis_is(const gb_sdk *sdk, gb_case *c, const char *axis, const char *value) {
  return strcmp(sdk->point->str(c, axis), value) == 0;
}

/* gb_dtype_named() returns the GB_DTYPE_* for a name as axes have it, such as "bf16"; 0 if there is none.
 * gb_dtype_bytes() returns the bytes of an element, or 0 for an unknown dtype. */
GB_MAYBE_UNUSED
static uint32_t gb_dtype_named(const char *name) {
  static const char *const names[] = {"", "fp64", "fp32", "fp16", "bf16", "i32", "u8", "e4m3"};
  uint32_t dtype = GB_DTYPE_E4M3;
  while (dtype > 0 && strcmp(names[dtype], name) != 0)
    dtype--;
  return dtype;
}

GB_MAYBE_UNUSED
static uint64_t gb_dtype_bytes(uint32_t dtype) {
  static const unsigned char bytes[] = {0, 8, 4, 2, 2, 4, 1, 1};
  return dtype <= GB_DTYPE_E4M3 ? bytes[dtype] : 0;
}

/* Returns the number of CPU threads to use: the device's number of threads, but at least 1 and at most `most`. */
GB_MAYBE_UNUSED
static int gb_threads(const gb_sdk *sdk, gb_case *c, int64_t most) {
  const int64_t threads = sdk->device->i64(c, "threads"), fewer = threads < most ? threads : most;
  return fewer < 1 ? 1 : fewer > 65536 ? 65536 : (int)fewer;
}

/* For a `reference` or `verify` that compares only `count` of `total` items. Call it for `index` from 0 to `count` - 1:
 * it returns which of the `total` items to compare.
 * The results rise and are distinct: the first item, the last one, and a random one from each of equal shares of the
 * rest.
 * Every callback gets other random items.
 * Use different values of `stream` for several such choices in one case, so that their random items differ.
 * `count` is at least 2, or equal to `total`. */
GB_MAYBE_UNUSED
static int64_t gb_sampled(const gb_sdk *sdk, gb_case *c, uint64_t stream, int64_t index, int64_t count, int64_t total) {
  if (count == total || index == 0) return index;
  if (index == count - 1) return total - 1;
  const int64_t first = 1 + (total - 2) * (index - 1) / (count - 2);
  const int64_t next = 1 + (total - 2) * index / (count - 2);
  return first + (int64_t)sdk->rng->below(sdk->point->places(c), stream, (uint64_t)index, (uint64_t)(next - first));
}

/* ---- Tables ---- */

/* Initializes the entry, in C99 and in every C++:
 *   const gb_plugin gb_plugin_v1 = GB_PLUGIN_INIT("mine", "0.1.0", mine_open); */
#define GB_PLUGIN_INIT(id, version, open) \
  { GB_MAGIC, sizeof(gb_plugin), GB_ABI_VERSION, GB_ABI(1, 0), id, version, NULL, NULL, open, NULL }

/* Initialize the first fields of a table by designated initialisers, which C99 and C++20 have.
 * The entry: gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "mine", ...};
 * Every other table: static const gb_variant v = {GB_SIZE(gb_variant), .name = "v", ...};
 * C++ before 20 uses GB_CLEAR instead: gb_variant v; GB_CLEAR(v); v.name = "v"; */
#define GB_PLUGIN_HEAD \
  .magic = GB_MAGIC, .struct_size = sizeof(gb_plugin), .abi_built = GB_ABI_VERSION, .abi_needed = GB_ABI(1, 0)
#define GB_SIZE(type) .struct_size = sizeof(type)

/* GB_VARIANT defines a variant in one line, with its other fields last:
 *   static const gb_variant loop = GB_VARIANT("loop", "cpu", "fp32", .run = run_loop, .flags = GB_VARIANT_BASELINE);
 * A guest of another plugin's bench also states the minor of the contract that it was written for: .contract_minor = 3
 * GB_LIST makes a NULL-ended list: .variants = GB_LIST(gb_variant, &loop, &threads) */
#define GB_VARIANT(label, on, precision, ...) \
  { GB_SIZE(gb_variant), .name = label, .backend = on, .math = precision, __VA_ARGS__ }
#define GB_LIST(type, ...) ((const type *const[]){__VA_ARGS__, NULL})

GB_C_END
#endif

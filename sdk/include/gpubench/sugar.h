/* Optional helpers for plugin authors: inline, no ABI, free to change. C99 and C++11. */
#ifndef GPUBENCH_SUGAR_H
#define GPUBENCH_SUGAR_H

#include <stdarg.h>
#include <stdio.h>

#include "ext/case.h"
#include "ext/cuda.h"
#include "ext/device.h"
#include "ext/draft/metric.h"
#include "ext/draft/note.h"
#include "ext/draft/option.h"
#include "ext/draft/scratch.h"
#include "ext/draft/span.h"
#include "ext/graph.h"
#include "ext/mem.h"
#include "ext/rng.h"
#include "ext/tensor.h"
#include "gpubench.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The host and its services, fetched once in `open` and read-only afterwards. */
typedef struct gb_sdk {
  const gb_host *host;
  const gb_case_ext *point;
  const gb_device_ext *device;
  const gb_tensor_ext *tensor;
  const gb_mem_ext *mem;
  const gb_cuda_ext *cuda;
  const gb_rng_ext *rng;
  const gb_graph_ext *graph; /* NULL where the host draws none: use gb_node and gb_edge */
  const gb_note_ext *note;   /* these five as well; use the helpers below, or look first */
  const gb_option_ext *option;
  const gb_scratch_ext *scratch;
  const gb_metric_ext *metric;
  const gb_span_ext *span;
} gb_sdk;

#if defined(__GNUC__)
#define GB_PRINTF(text, args) __attribute__((format(printf, text, args), unused))
#define GB_MAYBE_UNUSED __attribute__((unused))
#else
#define GB_PRINTF(text, args)
#define GB_MAYBE_UNUSED
#endif

/* return gb_failf(&gb, c, GB_EDEVICE, "cublasCreate: %d", rc); */
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

/* Fetches every service of ABI 1.0; GB_ENOTSUP with a message if one is missing that a benchmark needs. */
GB_MAYBE_UNUSED
static gb_status gb_sdk_open(gb_sdk *sdk, const gb_host *host) {
  gb_status status = GB_OK;
  sdk->host = host;
  sdk->point = (const gb_case_ext *)gb_need(sdk, GB_EXT_CASE, &status);
  sdk->device = (const gb_device_ext *)gb_need(sdk, GB_EXT_DEVICE, &status);
  sdk->tensor = (const gb_tensor_ext *)gb_need(sdk, GB_EXT_TENSOR, &status);
  sdk->mem = (const gb_mem_ext *)gb_need(sdk, GB_EXT_MEM, &status);
  sdk->cuda = (const gb_cuda_ext *)gb_need(sdk, GB_EXT_CUDA, &status);
  sdk->rng = (const gb_rng_ext *)gb_need(sdk, GB_EXT_RNG, &status);
  sdk->graph = (const gb_graph_ext *)host->extension(host, GB_EXT_GRAPH);
  sdk->note = (const gb_note_ext *)host->extension(host, GB_EXT_NOTE);
  sdk->option = (const gb_option_ext *)host->extension(host, GB_EXT_OPTION);
  sdk->scratch = (const gb_scratch_ext *)host->extension(host, GB_EXT_SCRATCH);
  sdk->metric = (const gb_metric_ext *)host->extension(host, GB_EXT_METRIC);
  sdk->span = (const gb_span_ext *)host->extension(host, GB_EXT_SPAN);
  return status;
}

/* States a node or an edge of the graph of the variant being prepared; GB_OK and nothing else where the host has no
 * gb.graph/1. `label` and `note` may be NULL, a 0 is "not stated". */
GB_MAYBE_UNUSED
static gb_status gb_node(const gb_sdk *sdk, gb_case *c, uint32_t kind, const char *id, const char *label,
                         const char *note, uint64_t flops, uint64_t bytes) {
  gb_graph_node node;
  node.struct_size = (uint32_t)sizeof node;
  node.kind = kind;
  node.id = id;
  node.label = label;
  node.note = note;
  node.flops = flops;
  node.bytes = bytes;
  return sdk->graph == NULL ? GB_OK : sdk->graph->node(c, &node);
}

GB_MAYBE_UNUSED
static gb_status gb_edge(const gb_sdk *sdk, gb_case *c, const char *from, const char *to, const char *label,
                         uint64_t bytes) {
  gb_graph_edge edge;
  edge.struct_size = (uint32_t)sizeof edge;
  edge.reserved = 0;
  edge.from = from;
  edge.to = to;
  edge.label = label;
  edge.bytes = bytes;
  return sdk->graph == NULL ? GB_OK : sdk->graph->edge(c, &edge);
}

/* The draft services: GB_OK and nothing else where the host lacks them. */

/* A note on the variant being prepared: gb_notef(&gb, c, "algorithm", "%d of %d", chosen, count). Cut at 255 bytes. */
GB_PRINTF(4, 5)
static gb_status gb_notef(const gb_sdk *sdk, gb_case *c, const char *key, const char *format, ...) {
  char text[256];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return sdk->note == NULL ? GB_OK : sdk->note->set(c, key, text);
}

/* Declares an option in `open`; `choices`, `unit` and `summary` may be NULL. */
GB_MAYBE_UNUSED
static gb_status gb_option_declare(const gb_sdk *sdk, gb_registry *registry, uint32_t type, const char *name,
                                   const char *value, const char *choices, const char *unit, const char *summary) {
  gb_option option;
  option.struct_size = (uint32_t)sizeof option;
  option.type = type;
  option.name = name;
  option.unit = unit;
  option.summary = summary;
  option.choices = choices;
  option.value = value;
  return sdk->option == NULL ? GB_OK : sdk->option->declare(sdk->host, registry, &option);
}

/* The option's value in this run; `otherwise` where the host has no options. */
GB_MAYBE_UNUSED
static int64_t gb_option_i64(const gb_sdk *sdk, gb_case *c, const char *name, int64_t otherwise) {
  return sdk->option == NULL ? otherwise : sdk->option->i64(sdk->host, c, name);
}

GB_MAYBE_UNUSED
static double gb_option_f64(const gb_sdk *sdk, gb_case *c, const char *name, double otherwise) {
  return sdk->option == NULL ? otherwise : sdk->option->f64(sdk->host, c, name);
}

GB_MAYBE_UNUSED
static const char *gb_option_str(const gb_sdk *sdk, gb_case *c, const char *name, const char *otherwise) {
  return sdk->option == NULL ? otherwise : sdk->option->str(sdk->host, c, name);
}

/* Declares a metric in a bench's `setup`; `unit` and `summary` may be NULL. */
GB_MAYBE_UNUSED
static gb_status gb_metric_declare(const gb_sdk *sdk, gb_case *c, const char *name, const char *unit, uint32_t better,
                                   uint32_t aggregate, const char *summary) {
  gb_metric metric;
  metric.struct_size = (uint32_t)sizeof metric;
  metric.better = better;
  metric.aggregate = aggregate;
  metric.reserved = 0;
  metric.name = name;
  metric.unit = unit;
  metric.summary = summary;
  return sdk->metric == NULL ? GB_OK : sdk->metric->declare(c, &metric);
}

GB_MAYBE_UNUSED
static gb_status gb_metric_add(const gb_sdk *sdk, gb_case *c, const char *name, double value) {
  return sdk->metric == NULL ? GB_OK : sdk->metric->add(c, name, value);
}

/* Are the spans of this iteration kept? Then gb_span_now() is the time and gb_span_add() states one. */
GB_MAYBE_UNUSED
static int gb_span_wanted(const gb_sdk *sdk, gb_case *c) {
  return sdk->span != NULL && sdk->span->wanted(c) != 0;
}

GB_MAYBE_UNUSED
static int64_t gb_span_now(const gb_sdk *sdk) {
  return sdk->span == NULL ? 0 : sdk->span->now();
}

GB_MAYBE_UNUSED
static gb_status gb_span_add(const gb_sdk *sdk, gb_case *c, const char *lane, const char *label, int64_t begin_ns,
                             int64_t end_ns) {
  gb_span span;
  span.struct_size = (uint32_t)sizeof span;
  span.reserved = 0;
  span.lane = lane;
  span.label = label;
  span.begin_ns = begin_ns;
  span.end_ns = end_ns;
  return sdk->span == NULL ? GB_OK : sdk->span->add(c, &span);
}

/* The first fields of the entry: const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "mine", ...}; */
#define GB_PLUGIN_HEAD \
  .magic = GB_MAGIC, .struct_size = (uint32_t)sizeof(gb_plugin), .abi_built = GB_ABI_VERSION, .abi_needed = GB_ABI(1, 0)

/* The first field of every other table: static const gb_variant v = {GB_SIZE(gb_variant), .name = "v", ...}; */
#define GB_SIZE(type) .struct_size = (uint32_t)sizeof(type)

#ifdef __cplusplus
}
#endif
#endif

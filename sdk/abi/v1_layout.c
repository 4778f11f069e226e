/* Checks that the public headers keep the layout of ABI 1.0: each line below fails to compile if an offset, a size, an
 * alignment or a constant has changed. Compiled in every build. make_layout.sh prints this file, and check.sh fails if
 * it prints anything else. If a change is allowed by POLICY.md, do not edit lines here: check.sh --update writes the
 * file again. */
#include <gpubench/ext/case.h>
#include <gpubench/ext/cuda.h>
#include <gpubench/ext/device.h>
#include <gpubench/ext/devices.h>
#include <gpubench/ext/graph.h>
#include <gpubench/ext/input.h>
#include <gpubench/ext/mem.h>
#include <gpubench/ext/metric.h>
#include <gpubench/ext/note.h>
#include <gpubench/ext/option.h>
#include <gpubench/ext/progress.h>
#include <gpubench/ext/rng.h>
#include <gpubench/ext/scratch.h>
#include <gpubench/ext/script.h>
#include <gpubench/ext/tensor.h>
#include <gpubench/gpubench.h>

/* clang-format off */
#define EXACTLY(type, size, alignment) \
  _Static_assert(sizeof(type) == (size) && _Alignof(type) == (alignment), #type ": frozen table changed")
#define AT_LEAST(type, size, alignment) \
  _Static_assert(sizeof(type) >= (size) && _Alignof(type) == (alignment), #type ": shrank or is aligned differently")
#define FIELD(type, field, offset, size)                                                    \
  _Static_assert(offsetof(type, field) == (offset) && sizeof(((type *)0)->field) == (size), \
                 #type "." #field ": moved or resized")
#define TYPE(type, field, ...) \
  _Static_assert(_Generic(((type *)0)->field, __VA_ARGS__ : 1, default : 0), #type "." #field ": has another type")
#define ALIAS(name, type) _Static_assert(_Generic((name)0, type : 1, default : 0), #name ": is another type")
#define VALUE(constant, value) _Static_assert((constant) == (value), #constant ": renumbered")

_Static_assert(sizeof(void *) == 8, "ABI 1 is defined for 64-bit machines");
ALIAS(gb_status, int32_t);

AT_LEAST(gb_work, 48, 8);
FIELD(gb_work, struct_size, 0, 4);
TYPE(gb_work, struct_size, uint32_t);
FIELD(gb_work, reserved, 4, 4);
TYPE(gb_work, reserved, uint32_t);
FIELD(gb_work, flops, 8, 8);
TYPE(gb_work, flops, uint64_t);
FIELD(gb_work, bytes_read, 16, 8);
TYPE(gb_work, bytes_read, uint64_t);
FIELD(gb_work, bytes_written, 24, 8);
TYPE(gb_work, bytes_written, uint64_t);
FIELD(gb_work, items, 32, 8);
TYPE(gb_work, items, uint64_t);
FIELD(gb_work, item_unit, 40, 8);
TYPE(gb_work, item_unit, const char *);

EXACTLY(gb_case_ext, 88, 8);
FIELD(gb_case_ext, struct_size, 0, 4);
TYPE(gb_case_ext, struct_size, uint32_t);
FIELD(gb_case_ext, reserved, 4, 4);
TYPE(gb_case_ext, reserved, uint32_t);
FIELD(gb_case_ext, i64, 8, 8);
TYPE(gb_case_ext, i64, int64_t (*)(gb_case *c, const char *axis));
FIELD(gb_case_ext, f64, 16, 8);
TYPE(gb_case_ext, f64, double (*)(gb_case *c, const char *axis));
FIELD(gb_case_ext, str, 24, 8);
TYPE(gb_case_ext, str, const char *(*)(gb_case *c, const char *axis));
FIELD(gb_case_ext, key, 32, 8);
TYPE(gb_case_ext, key, const char *(*)(gb_case *c));
FIELD(gb_case_ext, contract, 40, 8);
TYPE(gb_case_ext, contract, const char *(*)(gb_case *c));
FIELD(gb_case_ext, state, 48, 8);
TYPE(gb_case_ext, state, void *(*)(gb_case *c));
FIELD(gb_case_ext, math, 56, 8);
TYPE(gb_case_ext, math, const char *(*)(gb_case *c));
FIELD(gb_case_ext, seed, 64, 8);
TYPE(gb_case_ext, seed, uint64_t (*)(gb_case *c));
FIELD(gb_case_ext, work, 72, 8);
TYPE(gb_case_ext, work, gb_status (*)(gb_case *c, const gb_work *work));
FIELD(gb_case_ext, places, 80, 8);
TYPE(gb_case_ext, places, uint64_t (*)(gb_case *c));

EXACTLY(gb_cuda_ext, 16, 8);
FIELD(gb_cuda_ext, struct_size, 0, 4);
TYPE(gb_cuda_ext, struct_size, uint32_t);
FIELD(gb_cuda_ext, reserved, 4, 4);
TYPE(gb_cuda_ext, reserved, uint32_t);
FIELD(gb_cuda_ext, stream, 8, 8);
TYPE(gb_cuda_ext, stream, struct CUstream_st *(*)(gb_case *c));

EXACTLY(gb_device_ext, 24, 8);
FIELD(gb_device_ext, struct_size, 0, 4);
TYPE(gb_device_ext, struct_size, uint32_t);
FIELD(gb_device_ext, reserved, 4, 4);
TYPE(gb_device_ext, reserved, uint32_t);
FIELD(gb_device_ext, i64, 8, 8);
TYPE(gb_device_ext, i64, int64_t (*)(gb_case *c, const char *fact));
FIELD(gb_device_ext, str, 16, 8);
TYPE(gb_device_ext, str, const char *(*)(gb_case *c, const char *fact));

EXACTLY(gb_devices_ext, 48, 8);
FIELD(gb_devices_ext, struct_size, 0, 4);
TYPE(gb_devices_ext, struct_size, uint32_t);
FIELD(gb_devices_ext, reserved, 4, 4);
TYPE(gb_devices_ext, reserved, uint32_t);
FIELD(gb_devices_ext, count, 8, 8);
TYPE(gb_devices_ext, count, uint32_t (*)(gb_case *c));
FIELD(gb_devices_ext, i64, 16, 8);
TYPE(gb_devices_ext, i64, int64_t (*)(gb_case *c, uint32_t device, const char *fact));
FIELD(gb_devices_ext, str, 24, 8);
TYPE(gb_devices_ext, str, const char *(*)(gb_case *c, uint32_t device, const char *fact));
FIELD(gb_devices_ext, stream, 32, 8);
TYPE(gb_devices_ext, stream, struct CUstream_st *(*)(gb_case *c, uint32_t device));
FIELD(gb_devices_ext, alloc, 40, 8);
TYPE(gb_devices_ext, alloc, void *(*)(gb_case *c, uint32_t device, uint64_t bytes));

AT_LEAST(gb_graph_node, 48, 8);
FIELD(gb_graph_node, struct_size, 0, 4);
TYPE(gb_graph_node, struct_size, uint32_t);
FIELD(gb_graph_node, kind, 4, 4);
TYPE(gb_graph_node, kind, uint32_t);
FIELD(gb_graph_node, id, 8, 8);
TYPE(gb_graph_node, id, const char *);
FIELD(gb_graph_node, label, 16, 8);
TYPE(gb_graph_node, label, const char *);
FIELD(gb_graph_node, note, 24, 8);
TYPE(gb_graph_node, note, const char *);
FIELD(gb_graph_node, flops, 32, 8);
TYPE(gb_graph_node, flops, uint64_t);
FIELD(gb_graph_node, bytes, 40, 8);
TYPE(gb_graph_node, bytes, uint64_t);

AT_LEAST(gb_graph_edge, 40, 8);
FIELD(gb_graph_edge, struct_size, 0, 4);
TYPE(gb_graph_edge, struct_size, uint32_t);
FIELD(gb_graph_edge, reserved, 4, 4);
TYPE(gb_graph_edge, reserved, uint32_t);
FIELD(gb_graph_edge, from, 8, 8);
TYPE(gb_graph_edge, from, const char *);
FIELD(gb_graph_edge, to, 16, 8);
TYPE(gb_graph_edge, to, const char *);
FIELD(gb_graph_edge, label, 24, 8);
TYPE(gb_graph_edge, label, const char *);
FIELD(gb_graph_edge, bytes, 32, 8);
TYPE(gb_graph_edge, bytes, uint64_t);

EXACTLY(gb_graph_ext, 24, 8);
FIELD(gb_graph_ext, struct_size, 0, 4);
TYPE(gb_graph_ext, struct_size, uint32_t);
FIELD(gb_graph_ext, reserved, 4, 4);
TYPE(gb_graph_ext, reserved, uint32_t);
FIELD(gb_graph_ext, node, 8, 8);
TYPE(gb_graph_ext, node, gb_status (*)(gb_case *c, const gb_graph_node *node));
FIELD(gb_graph_ext, edge, 16, 8);
TYPE(gb_graph_ext, edge, gb_status (*)(gb_case *c, const gb_graph_edge *edge));

EXACTLY(gb_input_ext, 16, 8);
FIELD(gb_input_ext, struct_size, 0, 4);
TYPE(gb_input_ext, struct_size, uint32_t);
FIELD(gb_input_ext, reserved, 4, 4);
TYPE(gb_input_ext, reserved, uint32_t);
FIELD(gb_input_ext, write, 8, 8);
TYPE(gb_input_ext, write, gb_status (*)(gb_case *c, const char *name, uint64_t first, uint64_t count, const double *values));

EXACTLY(gb_mem_ext, 32, 8);
FIELD(gb_mem_ext, struct_size, 0, 4);
TYPE(gb_mem_ext, struct_size, uint32_t);
FIELD(gb_mem_ext, reserved, 4, 4);
TYPE(gb_mem_ext, reserved, uint32_t);
FIELD(gb_mem_ext, alloc, 8, 8);
TYPE(gb_mem_ext, alloc, void *(*)(gb_case *c, uint32_t kind, uint64_t bytes));
FIELD(gb_mem_ext, claim, 16, 8);
TYPE(gb_mem_ext, claim, gb_status (*)(gb_case *c, uint32_t kind, uint64_t bytes));
FIELD(gb_mem_ext, free, 24, 8);
TYPE(gb_mem_ext, free, void (*)(gb_case *c, void *memory));

AT_LEAST(gb_metric, 40, 8);
FIELD(gb_metric, struct_size, 0, 4);
TYPE(gb_metric, struct_size, uint32_t);
FIELD(gb_metric, better, 4, 4);
TYPE(gb_metric, better, uint32_t);
FIELD(gb_metric, aggregate, 8, 4);
TYPE(gb_metric, aggregate, uint32_t);
FIELD(gb_metric, reserved, 12, 4);
TYPE(gb_metric, reserved, uint32_t);
FIELD(gb_metric, name, 16, 8);
TYPE(gb_metric, name, const char *);
FIELD(gb_metric, unit, 24, 8);
TYPE(gb_metric, unit, const char *);
FIELD(gb_metric, summary, 32, 8);
TYPE(gb_metric, summary, const char *);

EXACTLY(gb_metric_ext, 24, 8);
FIELD(gb_metric_ext, struct_size, 0, 4);
TYPE(gb_metric_ext, struct_size, uint32_t);
FIELD(gb_metric_ext, reserved, 4, 4);
TYPE(gb_metric_ext, reserved, uint32_t);
FIELD(gb_metric_ext, declare, 8, 8);
TYPE(gb_metric_ext, declare, gb_status (*)(gb_case *c, const gb_metric *metric));
FIELD(gb_metric_ext, add, 16, 8);
TYPE(gb_metric_ext, add, gb_status (*)(gb_case *c, const char *name, double value));

EXACTLY(gb_note_ext, 16, 8);
FIELD(gb_note_ext, struct_size, 0, 4);
TYPE(gb_note_ext, struct_size, uint32_t);
FIELD(gb_note_ext, reserved, 4, 4);
TYPE(gb_note_ext, reserved, uint32_t);
FIELD(gb_note_ext, set, 8, 8);
TYPE(gb_note_ext, set, gb_status (*)(gb_case *c, const char *key, const char *text));

AT_LEAST(gb_option, 48, 8);
FIELD(gb_option, struct_size, 0, 4);
TYPE(gb_option, struct_size, uint32_t);
FIELD(gb_option, type, 4, 4);
TYPE(gb_option, type, uint32_t);
FIELD(gb_option, name, 8, 8);
TYPE(gb_option, name, const char *);
FIELD(gb_option, unit, 16, 8);
TYPE(gb_option, unit, const char *);
FIELD(gb_option, summary, 24, 8);
TYPE(gb_option, summary, const char *);
FIELD(gb_option, choices, 32, 8);
TYPE(gb_option, choices, const char *);
FIELD(gb_option, value, 40, 8);
TYPE(gb_option, value, const char *);

EXACTLY(gb_option_ext, 40, 8);
FIELD(gb_option_ext, struct_size, 0, 4);
TYPE(gb_option_ext, struct_size, uint32_t);
FIELD(gb_option_ext, reserved, 4, 4);
TYPE(gb_option_ext, reserved, uint32_t);
FIELD(gb_option_ext, declare, 8, 8);
TYPE(gb_option_ext, declare, gb_status (*)(const gb_host *host, gb_registry *registry, const gb_option *option));
FIELD(gb_option_ext, i64, 16, 8);
TYPE(gb_option_ext, i64, int64_t (*)(gb_case *c, const char *name));
FIELD(gb_option_ext, f64, 24, 8);
TYPE(gb_option_ext, f64, double (*)(gb_case *c, const char *name));
FIELD(gb_option_ext, str, 32, 8);
TYPE(gb_option_ext, str, const char *(*)(gb_case *c, const char *name));

EXACTLY(gb_progress_ext, 16, 8);
FIELD(gb_progress_ext, struct_size, 0, 4);
TYPE(gb_progress_ext, struct_size, uint32_t);
FIELD(gb_progress_ext, reserved, 4, 4);
TYPE(gb_progress_ext, reserved, uint32_t);
FIELD(gb_progress_ext, step, 8, 8);
TYPE(gb_progress_ext, step, gb_status (*)(gb_case *c, uint64_t done, uint64_t total));

EXACTLY(gb_rng_ext, 24, 8);
FIELD(gb_rng_ext, struct_size, 0, 4);
TYPE(gb_rng_ext, struct_size, uint32_t);
FIELD(gb_rng_ext, reserved, 4, 4);
TYPE(gb_rng_ext, reserved, uint32_t);
FIELD(gb_rng_ext, bits, 8, 8);
TYPE(gb_rng_ext, bits, uint64_t (*)(uint64_t seed, uint64_t stream, uint64_t index));
FIELD(gb_rng_ext, below, 16, 8);
TYPE(gb_rng_ext, below, uint64_t (*)(uint64_t seed, uint64_t stream, uint64_t index, uint64_t bound));

EXACTLY(gb_scratch_ext, 24, 8);
FIELD(gb_scratch_ext, struct_size, 0, 4);
TYPE(gb_scratch_ext, struct_size, uint32_t);
FIELD(gb_scratch_ext, reserved, 4, 4);
TYPE(gb_scratch_ext, reserved, uint32_t);
FIELD(gb_scratch_ext, directory, 8, 8);
TYPE(gb_scratch_ext, directory, const char *(*)(gb_case *c));
FIELD(gb_scratch_ext, free_bytes, 16, 8);
TYPE(gb_scratch_ext, free_bytes, uint64_t (*)(gb_case *c));

EXACTLY(gb_script_ext, 32, 8);
FIELD(gb_script_ext, struct_size, 0, 4);
TYPE(gb_script_ext, struct_size, uint32_t);
FIELD(gb_script_ext, reserved, 4, 4);
TYPE(gb_script_ext, reserved, uint32_t);
FIELD(gb_script_ext, path, 8, 8);
TYPE(gb_script_ext, path, const char *(*)(const gb_host *host));
FIELD(gb_script_ext, text, 16, 8);
TYPE(gb_script_ext, text, const char *(*)(const gb_host *host, uint64_t *bytes));
FIELD(gb_script_ext, axis, 24, 8);
TYPE(gb_script_ext, axis, const char *(*)(gb_case *c, uint32_t index, uint32_t *type));

AT_LEAST(gb_tensor, 104, 8);
FIELD(gb_tensor, struct_size, 0, 4);
TYPE(gb_tensor, struct_size, uint32_t);
FIELD(gb_tensor, role, 4, 4);
TYPE(gb_tensor, role, uint32_t);
FIELD(gb_tensor, dtype, 8, 4);
TYPE(gb_tensor, dtype, uint32_t);
FIELD(gb_tensor, rank, 12, 4);
TYPE(gb_tensor, rank, uint32_t);
FIELD(gb_tensor, name, 16, 8);
TYPE(gb_tensor, name, const char *);
FIELD(gb_tensor, shape, 24, 8);
TYPE(gb_tensor, shape, const int64_t *);
FIELD(gb_tensor, strides, 32, 8);
TYPE(gb_tensor, strides, const int64_t *);
FIELD(gb_tensor, align_bytes, 40, 8);
TYPE(gb_tensor, align_bytes, uint64_t);
FIELD(gb_tensor, offset_bytes, 48, 8);
TYPE(gb_tensor, offset_bytes, uint64_t);
FIELD(gb_tensor, fill, 56, 4);
TYPE(gb_tensor, fill, uint32_t);
FIELD(gb_tensor, memory, 60, 4);
TYPE(gb_tensor, memory, uint32_t);
FIELD(gb_tensor, fill_a, 64, 8);
TYPE(gb_tensor, fill_a, double);
FIELD(gb_tensor, fill_b, 72, 8);
TYPE(gb_tensor, fill_b, double);
FIELD(gb_tensor, reduction, 80, 8);
TYPE(gb_tensor, reduction, uint64_t);
FIELD(gb_tensor, tolerance, 88, 8);
TYPE(gb_tensor, tolerance, double);
FIELD(gb_tensor, flags, 96, 4);
TYPE(gb_tensor, flags, uint32_t);
FIELD(gb_tensor, reserved, 100, 4);
TYPE(gb_tensor, reserved, uint32_t);

EXACTLY(gb_tensor_ext, 136, 8);
FIELD(gb_tensor_ext, struct_size, 0, 4);
TYPE(gb_tensor_ext, struct_size, uint32_t);
FIELD(gb_tensor_ext, reserved, 4, 4);
TYPE(gb_tensor_ext, reserved, uint32_t);
FIELD(gb_tensor_ext, declare, 8, 8);
TYPE(gb_tensor_ext, declare, gb_status (*)(gb_case *c, const gb_tensor *tensor));
FIELD(gb_tensor_ext, data, 16, 8);
TYPE(gb_tensor_ext, data, void *(*)(gb_case *c, const char *name));
FIELD(gb_tensor_ext, dtype, 24, 8);
TYPE(gb_tensor_ext, dtype, uint32_t (*)(gb_case *c, const char *name));
FIELD(gb_tensor_ext, rank, 32, 8);
TYPE(gb_tensor_ext, rank, uint32_t (*)(gb_case *c, const char *name));
FIELD(gb_tensor_ext, dim, 40, 8);
TYPE(gb_tensor_ext, dim, int64_t (*)(gb_case *c, const char *name, uint32_t axis));
FIELD(gb_tensor_ext, stride, 48, 8);
TYPE(gb_tensor_ext, stride, int64_t (*)(gb_case *c, const char *name, uint32_t axis));
FIELD(gb_tensor_ext, role, 56, 8);
TYPE(gb_tensor_ext, role, uint32_t (*)(gb_case *c, const char *name));
FIELD(gb_tensor_ext, count, 64, 8);
TYPE(gb_tensor_ext, count, uint32_t (*)(gb_case *c));
FIELD(gb_tensor_ext, name, 72, 8);
TYPE(gb_tensor_ext, name, const char *(*)(gb_case *c, uint32_t index));
FIELD(gb_tensor_ext, input, 80, 8);
TYPE(gb_tensor_ext, input, gb_status (*)(gb_case *c, const char *name, uint64_t first, uint64_t count, double *values));
FIELD(gb_tensor_ext, input_strided, 88, 8);
TYPE(gb_tensor_ext, input_strided, gb_status (*)(gb_case *c, const char *name, uint64_t first, uint64_t stride, uint64_t count, double *values));
FIELD(gb_tensor_ext, output, 96, 8);
TYPE(gb_tensor_ext, output, gb_status (*)(gb_case *c, const char *name, uint64_t first, uint64_t count, double *values));
FIELD(gb_tensor_ext, output_strided, 104, 8);
TYPE(gb_tensor_ext, output_strided, gb_status (*)(gb_case *c, const char *name, uint64_t first, uint64_t stride, uint64_t count, double *values));
FIELD(gb_tensor_ext, steps, 112, 8);
TYPE(gb_tensor_ext, steps, uint64_t (*)(gb_case *c));
FIELD(gb_tensor_ext, expect, 120, 8);
TYPE(gb_tensor_ext, expect, gb_status (*)(gb_case *c, const char *name, uint64_t first, uint64_t count, const double *values));
FIELD(gb_tensor_ext, lies_at, 128, 8);
TYPE(gb_tensor_ext, lies_at, gb_status (*)(gb_case *c, uint32_t index, const void *memory));

AT_LEAST(gb_plugin, 64, 8);
FIELD(gb_plugin, magic, 0, 4);
TYPE(gb_plugin, magic, uint32_t);
FIELD(gb_plugin, struct_size, 4, 4);
TYPE(gb_plugin, struct_size, uint32_t);
FIELD(gb_plugin, abi_built, 8, 4);
TYPE(gb_plugin, abi_built, uint32_t);
FIELD(gb_plugin, abi_needed, 12, 4);
TYPE(gb_plugin, abi_needed, uint32_t);
FIELD(gb_plugin, id, 16, 8);
TYPE(gb_plugin, id, const char *);
FIELD(gb_plugin, version, 24, 8);
TYPE(gb_plugin, version, const char *);
FIELD(gb_plugin, build, 32, 8);
TYPE(gb_plugin, build, const char *);
FIELD(gb_plugin, summary, 40, 8);
TYPE(gb_plugin, summary, const char *);
FIELD(gb_plugin, open, 48, 8);
TYPE(gb_plugin, open, gb_status (*)(const gb_host *host, gb_registry *registry, void **self));
FIELD(gb_plugin, close, 56, 8);
TYPE(gb_plugin, close, void (*)(const gb_host *host, void *self));

EXACTLY(gb_host, 56, 8);
FIELD(gb_host, struct_size, 0, 4);
TYPE(gb_host, struct_size, uint32_t);
FIELD(gb_host, abi_version, 4, 4);
TYPE(gb_host, abi_version, uint32_t);
FIELD(gb_host, version, 8, 8);
TYPE(gb_host, version, const char *);
FIELD(gb_host, add, 16, 8);
TYPE(gb_host, add, gb_status (*)(const gb_host *host, gb_registry *registry, const gb_bench *bench));
FIELD(gb_host, attach, 24, 8);
TYPE(gb_host, attach, gb_status (*)(const gb_host *host, gb_registry *registry, const char *contract, const gb_variant *variant));
FIELD(gb_host, fail, 32, 8);
TYPE(gb_host, fail, gb_status (*)(const gb_host *host, gb_case *c, gb_status status, const char *message));
FIELD(gb_host, log, 40, 8);
TYPE(gb_host, log, void (*)(const gb_host *host, int32_t level, const char *message));
FIELD(gb_host, extension, 48, 8);
TYPE(gb_host, extension, const void *(*)(const gb_host *host, const char *id));

AT_LEAST(gb_axis_default, 24, 8);
FIELD(gb_axis_default, struct_size, 0, 4);
TYPE(gb_axis_default, struct_size, uint32_t);
FIELD(gb_axis_default, reserved, 4, 4);
TYPE(gb_axis_default, reserved, uint32_t);
FIELD(gb_axis_default, backend, 8, 8);
TYPE(gb_axis_default, backend, const char *);
FIELD(gb_axis_default, values, 16, 8);
TYPE(gb_axis_default, values, const char *);

AT_LEAST(gb_axis, 56, 8);
FIELD(gb_axis, struct_size, 0, 4);
TYPE(gb_axis, struct_size, uint32_t);
FIELD(gb_axis, type, 4, 4);
TYPE(gb_axis, type, uint32_t);
FIELD(gb_axis, name, 8, 8);
TYPE(gb_axis, name, const char *);
FIELD(gb_axis, unit, 16, 8);
TYPE(gb_axis, unit, const char *);
FIELD(gb_axis, summary, 24, 8);
TYPE(gb_axis, summary, const char *);
FIELD(gb_axis, choices, 32, 8);
TYPE(gb_axis, choices, const char *);
FIELD(gb_axis, values, 40, 8);
TYPE(gb_axis, values, const char *);
FIELD(gb_axis, defaults, 48, 8);
TYPE(gb_axis, defaults, const gb_axis_default *const *);

AT_LEAST(gb_preset, 40, 8);
FIELD(gb_preset, struct_size, 0, 4);
TYPE(gb_preset, struct_size, uint32_t);
FIELD(gb_preset, reserved, 4, 4);
TYPE(gb_preset, reserved, uint32_t);
FIELD(gb_preset, name, 8, 8);
TYPE(gb_preset, name, const char *);
FIELD(gb_preset, summary, 16, 8);
TYPE(gb_preset, summary, const char *);
FIELD(gb_preset, point, 24, 8);
TYPE(gb_preset, point, const char *);
FIELD(gb_preset, backends, 32, 8);
TYPE(gb_preset, backends, const char *);

AT_LEAST(gb_variant, 112, 8);
FIELD(gb_variant, struct_size, 0, 4);
TYPE(gb_variant, struct_size, uint32_t);
FIELD(gb_variant, flags, 4, 4);
TYPE(gb_variant, flags, uint32_t);
FIELD(gb_variant, name, 8, 8);
TYPE(gb_variant, name, const char *);
FIELD(gb_variant, summary, 16, 8);
TYPE(gb_variant, summary, const char *);
FIELD(gb_variant, backend, 24, 8);
TYPE(gb_variant, backend, const char *);
FIELD(gb_variant, math, 32, 8);
TYPE(gb_variant, math, const char *);
FIELD(gb_variant, contract_minor, 40, 4);
TYPE(gb_variant, contract_minor, uint32_t);
FIELD(gb_variant, reserved, 44, 4);
TYPE(gb_variant, reserved, uint32_t);
FIELD(gb_variant, user, 48, 8);
TYPE(gb_variant, user, const void *);
FIELD(gb_variant, supports, 56, 8);
TYPE(gb_variant, supports, gb_status (*)(const gb_variant *self, gb_case *c));
FIELD(gb_variant, prepare, 64, 8);
TYPE(gb_variant, prepare, gb_status (*)(const gb_variant *self, gb_case *c, void **vstate));
FIELD(gb_variant, refresh, 72, 8);
TYPE(gb_variant, refresh, gb_status (*)(const gb_variant *self, gb_case *c, void *vstate));
FIELD(gb_variant, before, 80, 8);
TYPE(gb_variant, before, gb_status (*)(const gb_variant *self, gb_case *c, void *vstate));
FIELD(gb_variant, run, 88, 8);
TYPE(gb_variant, run, gb_status (*)(const gb_variant *self, gb_case *c, void *vstate));
FIELD(gb_variant, after, 96, 8);
TYPE(gb_variant, after, gb_status (*)(const gb_variant *self, gb_case *c, void *vstate));
FIELD(gb_variant, release, 104, 8);
TYPE(gb_variant, release, void (*)(const gb_variant *self, gb_case *c, void *vstate));

AT_LEAST(gb_bench, 136, 8);
FIELD(gb_bench, struct_size, 0, 4);
TYPE(gb_bench, struct_size, uint32_t);
FIELD(gb_bench, flags, 4, 4);
TYPE(gb_bench, flags, uint32_t);
FIELD(gb_bench, name, 8, 8);
TYPE(gb_bench, name, const char *);
FIELD(gb_bench, contract, 16, 8);
TYPE(gb_bench, contract, const char *);
FIELD(gb_bench, contract_minor, 24, 4);
TYPE(gb_bench, contract_minor, uint32_t);
FIELD(gb_bench, reserved, 28, 4);
TYPE(gb_bench, reserved, uint32_t);
FIELD(gb_bench, summary, 32, 8);
TYPE(gb_bench, summary, const char *);
FIELD(gb_bench, axes, 40, 8);
TYPE(gb_bench, axes, const gb_axis *const *);
FIELD(gb_bench, devices_axis, 48, 8);
TYPE(gb_bench, devices_axis, const char *);
FIELD(gb_bench, presets, 56, 8);
TYPE(gb_bench, presets, const gb_preset *const *);
FIELD(gb_bench, variants, 64, 8);
TYPE(gb_bench, variants, const gb_variant *const *);
FIELD(gb_bench, user, 72, 8);
TYPE(gb_bench, user, const void *);
FIELD(gb_bench, supports, 80, 8);
TYPE(gb_bench, supports, gb_status (*)(const gb_bench *self, gb_case *c));
FIELD(gb_bench, minor_of, 88, 8);
TYPE(gb_bench, minor_of, uint32_t (*)(const gb_bench *self, gb_case *c));
FIELD(gb_bench, setup, 96, 8);
TYPE(gb_bench, setup, gb_status (*)(const gb_bench *self, gb_case *c, void **state));
FIELD(gb_bench, fill, 104, 8);
TYPE(gb_bench, fill, gb_status (*)(const gb_bench *self, gb_case *c, void *state));
FIELD(gb_bench, reference, 112, 8);
TYPE(gb_bench, reference, gb_status (*)(const gb_bench *self, gb_case *c, void *state));
FIELD(gb_bench, verify, 120, 8);
TYPE(gb_bench, verify, gb_status (*)(const gb_bench *self, gb_case *c, void *state));
FIELD(gb_bench, teardown, 128, 8);
TYPE(gb_bench, teardown, void (*)(const gb_bench *self, gb_case *c, void *state));

VALUE(GB_NODE_KERNEL, 1);
VALUE(GB_NODE_COPY, 2);
VALUE(GB_NODE_MEMSET, 3);
VALUE(GB_NODE_HOST, 4);
VALUE(GB_NODE_TENSOR, 5);
VALUE(GB_MEM_DEVICE, 1);
VALUE(GB_MEM_HOST, 2);
VALUE(GB_MEM_PINNED, 3);
VALUE(GB_BETTER_NEITHER, 0);
VALUE(GB_BETTER_MORE, 1);
VALUE(GB_BETTER_LESS, 2);
VALUE(GB_AGGREGATE_MEDIAN, 0);
VALUE(GB_AGGREGATE_MEAN, 1);
VALUE(GB_AGGREGATE_SUM, 2);
VALUE(GB_AGGREGATE_MIN, 3);
VALUE(GB_AGGREGATE_MAX, 4);
VALUE(GB_AGGREGATE_LAST, 5);
VALUE(GB_DTYPE_F64, 1);
VALUE(GB_DTYPE_F32, 2);
VALUE(GB_DTYPE_F16, 3);
VALUE(GB_DTYPE_BF16, 4);
VALUE(GB_DTYPE_I32, 5);
VALUE(GB_DTYPE_U8, 6);
VALUE(GB_DTYPE_E4M3, 7);
VALUE(GB_IN, 1);
VALUE(GB_OUT, 2);
VALUE(GB_INOUT, 3);
VALUE(GB_SCRATCH, 4);
VALUE(GB_FILL_UNIFORM, 1);
VALUE(GB_FILL_NORMAL, 2);
VALUE(GB_FILL_BENCH, 3);
VALUE(GB_TENSOR_EXACT, 1);
VALUE(GB_ABI_VERSION, 65536);
VALUE(GB_MAGIC, 1280328263);
VALUE(GB_OK, 0);
VALUE(GB_SKIP, 1);
VALUE(GB_EINVAL, -1);
VALUE(GB_ENOMEM, -2);
VALUE(GB_EDEVICE, -3);
VALUE(GB_ENOTSUP, -4);
VALUE(GB_EFAIL, -5);
VALUE(GB_LOG_INFO, 1);
VALUE(GB_LOG_WARNING, 2);
VALUE(GB_I64, 1);
VALUE(GB_F64, 2);
VALUE(GB_STR, 3);
VALUE(GB_VARIANT_BASELINE, 1);
VALUE(GB_VARIANT_DERIVED, 2);
VALUE(GB_VARIANT_SYNC, 4);
VALUE(GB_VARIANT_NO_CAPTURE, 8);
VALUE(GB_VARIANT_YARDSTICK, 16);
VALUE(GB_VARIANT_BY_NAME, 32);
VALUE(GB_VARIANT_PROCESSES, 128);
VALUE(GB_BENCH_STATEFUL, 1);
VALUE(GB_BENCH_ITERABLE, 2);
VALUE(GB_BENCH_ENERGY, 4);
VALUE(GB_BENCH_NO_ROOF, 8);
VALUE(GB_BENCH_BY_NAME, 32);

#define GB_EXT_CASE "gb.case/1"
#define GB_EXT_CUDA "gb.cuda/1"
#define GB_EXT_DEVICE "gb.device/1"
#define GB_EXT_DEVICES "gb.devices/1"
#define GB_EXT_GRAPH "gb.graph/1"
#define GB_EXT_INPUT "gb.input/1"
#define GB_EXT_MEM "gb.mem/1"
#define GB_EXT_METRIC "gb.metric/1"
#define GB_EXT_NOTE "gb.note/1"
#define GB_EXT_OPTION "gb.option/2"
#define GB_EXT_PROGRESS "gb.progress/1"
#define GB_EXT_RNG "gb.rng/1"
#define GB_EXT_SCRATCH "gb.scratch/1"
#define GB_EXT_SCRIPT "gb.script/1"
#define GB_EXT_TENSOR "gb.tensor/1"

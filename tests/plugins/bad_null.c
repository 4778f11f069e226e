/* Variants that pass NULL to functions of gpubench that need a value, each to one function, and return GB_OK. What the
 * function returns does not matter. The test requires that the message in the variant's row names the NULL argument. */
#include "simple.h"

/* clang-format off */
#define CALLS(X) \
  X(case_i64, "case-i64", gb.point->i64(NULL, "n")) \
  X(case_f64, "case-f64", gb.point->f64(NULL, "n")) \
  X(case_str, "case-str", gb.point->str(NULL, "n")) \
  X(case_key, "case-key", gb.point->key(NULL)) \
  X(case_contract, "case-contract", gb.point->contract(NULL)) \
  X(case_state, "case-state", gb.point->state(NULL)) \
  X(case_math, "case-math", gb.point->math(NULL)) \
  X(case_seed, "case-seed", gb.point->seed(NULL)) \
  X(case_work, "case-work", gb.point->work(NULL, NULL)) \
  X(device_i64, "device-i64", gb.device->i64(NULL, "threads")) \
  X(device_str, "device-str", gb.device->str(NULL, "name")) \
  X(mem_alloc, "mem-alloc", gb.mem->alloc(NULL, GB_MEM_HOST, 1)) \
  X(mem_claim, "mem-claim", gb.mem->claim(NULL, GB_MEM_HOST, 1)) \
  X(mem_free, "mem-free", gb.mem->free(NULL, NULL)) \
  X(cuda_stream, "cuda-stream", gb.cuda->stream(NULL)) \
  X(tensor_declare, "tensor-declare", gb.tensor->declare(NULL, NULL)) \
  X(tensor_data, "tensor-data", gb.tensor->data(NULL, "x")) \
  X(tensor_dtype, "tensor-dtype", gb.tensor->dtype(NULL, "x")) \
  X(tensor_rank, "tensor-rank", gb.tensor->rank(NULL, "x")) \
  X(tensor_dim, "tensor-dim", gb.tensor->dim(NULL, "x", 0)) \
  X(tensor_stride, "tensor-stride", gb.tensor->stride(NULL, "x", 0)) \
  X(tensor_role, "tensor-role", gb.tensor->role(NULL, "x")) \
  X(tensor_count, "tensor-count", gb.tensor->count(NULL)) \
  X(tensor_name, "tensor-name", gb.tensor->name(NULL, 0)) \
  X(tensor_input, "tensor-input", gb.tensor->input(NULL, "x", 0, 1, &value)) \
  X(tensor_output, "tensor-output", gb.tensor->output(NULL, "x", 0, 1, &value)) \
  X(tensor_steps, "tensor-steps", gb.tensor->steps(NULL)) \
  X(tensor_expect, "tensor-expect", gb.tensor->expect(NULL, "x", 0, 1, &value)) \
  X(tensor_values, "tensor-values", gb.tensor->input(c, "x", 0, 1, NULL)) \
  X(graph_node, "graph-node", gb.graph->node(NULL, NULL)) \
  X(graph_edge, "graph-edge", gb.graph->edge(NULL, NULL)) \
  X(graph_table, "graph-table", gb.graph->node(c, NULL)) \
  X(note_set, "note-set", gb.note->set(NULL, NULL, NULL)) \
  X(option_i64, "option-i64", gb.option->i64(NULL, NULL)) \
  X(option_f64, "option-f64", gb.option->f64(NULL, NULL)) \
  X(option_str, "option-str", gb.option->str(NULL, NULL)) \
  X(scratch_directory, "scratch-directory", gb.scratch->directory(NULL)) \
  X(scratch_bytes, "scratch-bytes", gb.scratch->free_bytes(NULL)) \
  X(metric_declare, "metric-declare", gb.metric->declare(NULL, NULL)) \
  X(metric_add, "metric-add", gb.metric->add(NULL, NULL, 1))
/* clang-format on */

#define PREPARE(id, label, call)                                                                    \
  static gb_status prepare_##id(const gb_variant *self, gb_case *c, void **vstate) {                \
    double value = 0;                                                                               \
    (void)self, (void)c, (void)vstate, (void)value;                                                 \
    (void)call;                                                                                     \
    return GB_OK;                                                                                   \
  }                                                                                                 \
  static const gb_variant v_##id = {GB_SIZE(gb_variant), .name = label,           .backend = "cpu", \
                                    .math = "fp32",      .prepare = prepare_##id, .run = simple_run};
CALLS(PREPARE)

#define LISTED(id, label, call) &v_##id,
static const gb_variant good = SIMPLE_BASELINE("good");
static const gb_variant *const variants[] = {&good, CALLS(LISTED) NULL};
static const gb_bench bench = SIMPLE_BENCH("null", variants);

static gb_status null_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  if (status != GB_OK) return status;
  host->log(NULL, GB_LOG_INFO, NULL);
  if (host->extension(NULL, NULL) != NULL || host->fail(NULL, NULL, GB_EFAIL, NULL) != GB_EFAIL) return GB_EFAIL;
#ifdef FAULT
  registry = NULL;
#endif
  return host->add(host, registry, &bench);
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "null", .version = "1.0.0", .open = null_open};

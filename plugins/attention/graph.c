/* Describes each variant as a graph, which the report shows as a diagram: kernel launches and data in memory.
 * Operations are counted over the pairs of query and key that the bench declares as work (attention_problem.pairs).
 * Data that a product reads more than once is assumed to come from a cache and counts once. */
#include "graph.h"

struct builder {
  const gb_sdk *sdk;
  gb_case *c;
  gb_status status; /* error of the first call that failed, else GB_OK */
  const struct attention_problem *p;
  uint64_t all;    /* number of elements of a full score matrix: all pairs of a query and a key */
  uint64_t pairs;  /* number of pairs of a query and a key that the query sees */
  uint64_t tensor; /* bytes of q */
  uint64_t result; /* bytes of o */
  uint64_t keys;   /* bytes of k, which are also those of v */
};

static struct builder builder_begin(const gb_sdk *sdk, gb_case *c, const struct attention_problem *p) {
  uint64_t rows = (uint64_t)p->heads * (uint64_t)p->s;
  return (struct builder){
      .sdk = sdk,
      .c = c,
      .p = p,
      .all = p->window > 0 || p->offsets != NULL ? p->pairs : rows * (uint64_t)p->s,
      .pairs = p->pairs,
      .tensor = rows * (uint64_t)p->d * (uint64_t)stored_bytes(p->stored),
      .result = rows * (uint64_t)p->d * (uint64_t)stored_bytes(stored_result(p->stored)),
      .keys = rows / (uint64_t)p->group * (uint64_t)p->d * (uint64_t)stored_bytes(p->stored),
  };
}

static void builder_node(struct builder *b, uint32_t kind, const char *id, const char *label, const char *note,
                         uint64_t flops, uint64_t bytes) {
  if (b->status == GB_OK) b->status = gb_node(b->sdk, b->c, kind, id, label, note, flops, bytes);
}

static void builder_edge(struct builder *b, const char *from, const char *to, const char *label, uint64_t bytes) {
  if (b->status == GB_OK) b->status = gb_edge(b->sdk, b->c, from, to, label, bytes);
}

static void builder_tensor(struct builder *b, const char *id, const char *label, const char *note, uint64_t bytes) {
  builder_node(b, GB_NODE_TENSOR, id, label, note, 0, bytes);
}

static void inputs(struct builder *b) {
  builder_tensor(b, "q", "Q", NULL, b->tensor);
  builder_tensor(b, "k", "K", NULL, b->keys);
  builder_tensor(b, "v", "V", NULL, b->keys);
}

/* Adds the three steps of `standard` (scores, softmax, output); `keys` and `values` name the nodes that the two
 * products read. */
static void three_steps(struct builder *b, uint32_t kind, uint64_t weight_bytes, const char *keys, const char *values) {
  uint64_t product = 2 * b->pairs * (uint64_t)b->p->d, scores = b->pairs * 4, weights = b->pairs * weight_bytes;
  builder_node(b, kind, "scores", "S = Q K^T / sqrt(d)", NULL, product, 0);
  builder_tensor(b, "s", "S", "fp32, in memory", b->all * 4);
  builder_node(b, kind, "softmax", "P = softmax(S)", b->p->causal ? "mask and softmax of every row" : "of every row", 0,
               0);
  builder_tensor(b, "p", "P",
                 weight_bytes == 4             ? "fp32, in the memory of S"
                 : b->p->stored == STORED_FP16 ? "fp16, in memory"
                                               : "bf16, in memory",
                 b->all * weight_bytes);
  builder_node(b, kind, "product", "O = P V", NULL, product, 0);
  builder_tensor(b, "o", "O", NULL, b->result);
  builder_edge(b, "q", "scores", NULL, b->tensor);
  builder_edge(b, keys, "scores", NULL, b->keys);
  builder_edge(b, "scores", "s", NULL, scores);
  builder_edge(b, "s", "softmax", "read twice", 2 * scores);
  builder_edge(b, "softmax", "p", NULL, weights);
  builder_edge(b, "p", "product", NULL, weights);
  builder_edge(b, values, "product", NULL, b->keys);
  builder_edge(b, "product", "o", NULL, b->result);
}

static void one_step(struct builder *b, uint32_t kind, const char *label, const char *note, const char *keys,
                     const char *values) {
  builder_node(b, kind, "flash", label, note, 4 * b->pairs * (uint64_t)b->p->d, 0);
  builder_tensor(b, "o", "O", NULL, b->result);
  builder_edge(b, "q", "flash", NULL, b->tensor);
  builder_edge(b, keys, "flash", NULL, b->keys);
  builder_edge(b, values, "flash", NULL, b->keys);
  builder_edge(b, "flash", "o", NULL, b->result);
}

gb_status attention_graph_cuda_standard(const gb_sdk *sdk, gb_case *c, const struct attention_problem *p) {
  struct builder b = builder_begin(sdk, c, p);
  inputs(&b);
  three_steps(&b, GB_NODE_KERNEL, (uint64_t)stored_bytes(p->stored), "k", "v");
  return b.status;
}

static const char *flash_tiles(const struct attention_problem *p) {
  if (p->stored == STORED_FP32) return "64 x 64 tiles of S and P in shared memory";
  if (p->d == 256) return "64 x 32 tiles of S and P in registers, K and V through shared memory";
  if (p->offsets != NULL && p->d == 128) return "128 x 32 tiles of S and P in registers, K and V through shared memory";
  return "128 x 64 tiles of S and P in registers, K and V through shared memory";
}

gb_status attention_graph_cuda_flash(const gb_sdk *sdk, gb_case *c, const struct attention_problem *p) {
  struct builder b = builder_begin(sdk, c, p);
  inputs(&b);
  one_step(&b, GB_NODE_KERNEL, "O = softmax(Q K^T / sqrt(d)) V", flash_tiles(p), "k", "v");
  return b.status;
}

gb_status attention_graph_cuda_wgmma(const gb_sdk *sdk, gb_case *c, const struct attention_problem *p) {
  struct builder b = builder_begin(sdk, c, p);
  inputs(&b);
  one_step(&b, GB_NODE_KERNEL, "O = softmax(Q K^T / sqrt(d)) V",
           "tiles of S and P in registers, Q, K and V through shared memory", "k", "v");
  return b.status;
}

gb_status attention_graph_cudnn(const gb_sdk *sdk, gb_case *c, const struct attention_problem *p) {
  struct builder b = builder_begin(sdk, c, p);
  inputs(&b);
  one_step(&b, GB_NODE_KERNEL, "O = softmax(Q K^T / sqrt(d)) V", "one kernel of cuDNN's", "k", "v");
  return b.status;
}

/* Adds the step of `standard` on the CPU that packs keys, and values that are not fp32, into panels, from which its
 * products read them. Returns the name of the node that values are read from. */
static const char *panels(struct builder *b) {
  const uint64_t floats = b->keys / (uint64_t)stored_bytes(b->p->stored) * 4;
  const int both = b->p->stored != STORED_FP32;
  builder_node(b, GB_NODE_HOST, "pack", both ? "pack K and V" : "pack K", "transposed panels of 16 keys", 0, 0);
  builder_tensor(b, "panels", "panels", "fp32", both ? 2 * floats : floats);
  builder_edge(b, "k", "pack", NULL, b->keys);
  if (both) builder_edge(b, "v", "pack", NULL, b->keys);
  builder_edge(b, "pack", "panels", NULL, both ? 2 * floats : floats);
  return both ? "panels" : "v";
}

gb_status attention_graph_cpu_standard(const gb_sdk *sdk, gb_case *c, const struct attention_problem *p) {
  struct builder b = builder_begin(sdk, c, p);
  inputs(&b);
  three_steps(&b, GB_NODE_HOST, 4, "panels", panels(&b));
  return b.status;
}

gb_status attention_graph_cpu_flash(const gb_sdk *sdk, gb_case *c, const struct attention_problem *p) {
  struct builder b = builder_begin(sdk, c, p);
  inputs(&b);
  one_step(&b, GB_NODE_HOST, "O = softmax(Q K^T / sqrt(d)) V", "panels of queries by 64 keys, S and P in the L1 cache",
           "k", "v");
  return b.status;
}

gb_status attention_graph_openblas(const gb_sdk *sdk, gb_case *c, const struct attention_problem *p) {
  struct builder b = builder_begin(sdk, c, p);
  inputs(&b);
  one_step(&b, GB_NODE_HOST, "O = softmax(Q K^T / sqrt(d)) V",
           "two products of OpenBLAS's, 96 rows of S and P in the cache", "k", "v");
  return b.status;
}

/* softmax(q k^T / sqrt(d)) v of cuDNN's operations: a product, a scaling, a causal mask made of two indices, the
 * softmax in five steps, and a product. Everything between the tensors is virtual: cuDNN finds the whole to be
 * attention and has one kernel for it. */
#include "cudnn_plans.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { Q = 1, K, V, O, SCALE, MASKED, VIRTUAL }; /* unique numbers of tensors; virtual ones count on from the last */

/* ---- Descriptors: after a failure nothing more is called ---- */

static void *make(struct cudnn_plans *p, int kind) {
  void *descriptor = NULL;
  if (p->status == 0) p->status = p->call->cudnnBackendCreateDescriptor(kind, &descriptor);
  return p->status == 0 ? descriptor : NULL;
}

/* One that lives as long as the graph. */
static void *keep(struct cudnn_plans *p, int kind) {
  void *descriptor = p->owned_count < CUDNN_OWNED ? make(p, kind) : NULL;
  if (descriptor != NULL) p->owned[p->owned_count++] = descriptor;
  return descriptor;
}

static void set(struct cudnn_plans *p, void *descriptor, int name, int type, int64_t count, const void *values) {
  if (p->status == 0) p->status = p->call->cudnnBackendSetAttribute(descriptor, name, type, count, values);
}

static void set_int(struct cudnn_plans *p, void *descriptor, int name, int type, int value) {
  set(p, descriptor, name, type, 1, &value);
}

static void set_number(struct cudnn_plans *p, void *descriptor, int name, int64_t value) {
  set(p, descriptor, name, DNN_TYPE_INT64, 1, &value);
}

static void set_flag(struct cudnn_plans *p, void *descriptor, int name) {
  const _Bool yes = 1;
  set(p, descriptor, name, DNN_TYPE_BOOLEAN, 1, &yes);
}

static void set_descriptor(struct cudnn_plans *p, void *descriptor, int name, void *value) {
  set(p, descriptor, name, DNN_TYPE_BACKEND_DESCRIPTOR, 1, &value);
}

static void *finish(struct cudnn_plans *p, void *descriptor) {
  if (p->status == 0) p->status = p->call->cudnnBackendFinalize(descriptor);
  return descriptor;
}

/* ---- Tensors ---- */

struct extents {
  int64_t of[4];
};

static void *begin_tensor(struct cudnn_plans *p, int64_t number, int type, struct extents size, struct extents stride) {
  void *t = keep(p, DNN_BACKEND_TENSOR_DESCRIPTOR);
  set_int(p, t, DNN_ATTR_TENSOR_DATA_TYPE, DNN_TYPE_DATA_TYPE, type);
  set(p, t, DNN_ATTR_TENSOR_DIMENSIONS, DNN_TYPE_INT64, 4, size.of);
  set(p, t, DNN_ATTR_TENSOR_STRIDES, DNN_TYPE_INT64, 4, stride.of);
  set_number(p, t, DNN_ATTR_TENSOR_UNIQUE_ID, number);
  set_number(p, t, DNN_ATTR_TENSOR_BYTE_ALIGNMENT, 16);
  return t;
}

static int storage(const struct cudnn_plans *p) {
  return p->shape.bf16 ? DNN_DATA_BFLOAT16 : DNN_DATA_HALF;
}

/* One of q, v and o, and k, which cuDNN wants transposed. */
static void *array(struct cudnn_plans *p, int64_t number, int64_t heads) {
  const int64_t b = p->shape.b, d = p->shape.d, s = number == Q || number == O ? p->shape.s_q : p->shape.s;
  const struct extents size = {{b, heads, s, d}}, stride = {{heads * s * d, s * d, d, 1}};
  const struct extents flipped = {{b, heads, d, s}}, flipped_stride = {{heads * s * d, s * d, 1, d}};
  return finish(p, number == K ? begin_tensor(p, number, storage(p), flipped, flipped_stride)
                               : begin_tensor(p, number, storage(p), size, stride));
}

static void *scalar(struct cudnn_plans *p, int64_t number) {
  const struct extents one = {{1, 1, 1, 1}};
  void *t = begin_tensor(p, number, DNN_DATA_FLOAT, one, one);
  set_flag(p, t, DNN_ATTR_TENSOR_IS_BY_VALUE);
  return finish(p, t);
}

/* A value for each pair of query and key, or for each query (columns: 1). */
static void *between(struct cudnn_plans *p, int type, int64_t columns) {
  const int64_t h = p->shape.h, s = p->shape.s_q;
  const struct extents size = {{p->shape.b, h, s, columns}}, stride = {{h * s * columns, s * columns, columns, 1}};
  void *t = begin_tensor(p, VIRTUAL + p->owned_count, type, size, stride);
  set_flag(p, t, DNN_ATTR_TENSOR_IS_VIRTUAL);
  return finish(p, t);
}

/* ---- Operations ---- */

struct operations {
  void *of[16];
  int count;
};

static void add(struct cudnn_plans *p, struct operations *all, void *operation) {
  all->of[all->count++] = finish(p, operation);
}

static void product(struct cudnn_plans *p, struct operations *all, void *a, void *b, void *c) {
  void *how = keep(p, DNN_BACKEND_MATMUL_DESCRIPTOR);
  set_int(p, how, DNN_ATTR_MATMUL_COMP_TYPE, DNN_TYPE_DATA_TYPE, DNN_DATA_FLOAT);
  finish(p, how);
  void *operation = keep(p, DNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
  set_descriptor(p, operation, DNN_ATTR_OPERATION_MATMUL_ADESC, a);
  set_descriptor(p, operation, DNN_ATTR_OPERATION_MATMUL_BDESC, b);
  set_descriptor(p, operation, DNN_ATTR_OPERATION_MATMUL_CDESC, c);
  set_descriptor(p, operation, DNN_ATTR_OPERATION_MATMUL_DESC, how);
  add(p, all, operation);
}

/* y = mode(x, b), by `choice` where there is one; `axis` of an index, else -1. */
struct pointwise {
  int mode, precision, axis;
  void *x, *b, *choice, *y;
};

static void pointwise(struct cudnn_plans *p, struct operations *all, struct pointwise w) {
  void *how = keep(p, DNN_BACKEND_POINTWISE_DESCRIPTOR);
  set_int(p, how, DNN_ATTR_POINTWISE_MODE, DNN_TYPE_POINTWISE_MODE, w.mode);
  set_int(p, how, DNN_ATTR_POINTWISE_MATH_PREC, DNN_TYPE_DATA_TYPE, w.precision);
  if (w.axis >= 0) set_number(p, how, DNN_ATTR_POINTWISE_AXIS, w.axis);
  finish(p, how);
  void *operation = keep(p, DNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  set_descriptor(p, operation, DNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, how);
  set_descriptor(p, operation, DNN_ATTR_OPERATION_POINTWISE_XDESC, w.x);
  if (w.b != NULL) set_descriptor(p, operation, DNN_ATTR_OPERATION_POINTWISE_BDESC, w.b);
  if (w.choice != NULL) set_descriptor(p, operation, DNN_ATTR_OPERATION_POINTWISE_TDESC, w.choice);
  set_descriptor(p, operation, DNN_ATTR_OPERATION_POINTWISE_YDESC, w.y);
  add(p, all, operation);
}

static void *float_of(struct cudnn_plans *p, struct operations *all, int mode, void *x, void *b, void *y) {
  pointwise(p, all, (struct pointwise){.mode = mode, .precision = DNN_DATA_FLOAT, .axis = -1, .x = x, .b = b, .y = y});
  return y;
}

static void *reduce(struct cudnn_plans *p, struct operations *all, int mode, void *x) {
  void *y = between(p, DNN_DATA_FLOAT, 1);
  void *how = keep(p, DNN_BACKEND_REDUCTION_DESCRIPTOR);
  set_int(p, how, DNN_ATTR_REDUCTION_OPERATOR, DNN_TYPE_REDUCTION_OPERATOR_TYPE, mode);
  set_int(p, how, DNN_ATTR_REDUCTION_COMP_TYPE, DNN_TYPE_DATA_TYPE, DNN_DATA_FLOAT);
  finish(p, how);
  void *operation = keep(p, DNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
  set_descriptor(p, operation, DNN_ATTR_OPERATION_REDUCTION_XDESC, x);
  set_descriptor(p, operation, DNN_ATTR_OPERATION_REDUCTION_YDESC, y);
  set_descriptor(p, operation, DNN_ATTR_OPERATION_REDUCTION_DESC, how);
  add(p, all, operation);
  return y;
}

static void *index_of(struct cudnn_plans *p, struct operations *all, void *scores, int axis) {
  void *y = between(p, DNN_DATA_INT32, p->shape.s);
  pointwise(p, all,
            (struct pointwise){
                .mode = DNN_POINTWISE_GEN_INDEX, .precision = DNN_DATA_FLOAT, .axis = axis, .x = scores, .y = y});
  return y;
}

/* Scores whose query does not come before the key, the others as good as minus infinity. */
static void *causal(struct cudnn_plans *p, struct operations *all, void *scores) {
  void *query = index_of(p, all, scores, 2), *key = index_of(p, all, scores, 3);
  void *seen = between(p, DNN_DATA_BOOLEAN, p->shape.s), *y = between(p, DNN_DATA_FLOAT, p->shape.s);
  pointwise(
      p, all,
      (struct pointwise){
          .mode = DNN_POINTWISE_CMP_GE, .precision = DNN_DATA_BOOLEAN, .axis = -1, .x = query, .b = key, .y = seen});
  pointwise(p, all,
            (struct pointwise){.mode = DNN_POINTWISE_BINARY_SELECT,
                               .precision = DNN_DATA_FLOAT,
                               .axis = -1,
                               .x = scores,
                               .b = scalar(p, MASKED),
                               .choice = seen,
                               .y = y});
  return y;
}

/* Its result has the tensors' type: it goes into a product. The logarithm of the sum, which nobody reads, is part of
 * the pattern that cuDNN knows. */
static void *softmax(struct cudnn_plans *p, struct operations *all, void *scores) {
  const int64_t s = p->shape.s;
  void *most = reduce(p, all, DNN_REDUCE_TENSOR_MAX, scores);
  void *less = float_of(p, all, DNN_POINTWISE_SUB, scores, most, between(p, DNN_DATA_FLOAT, s));
  void *weights = float_of(p, all, DNN_POINTWISE_EXP, less, NULL, between(p, DNN_DATA_FLOAT, s));
  void *sum = reduce(p, all, DNN_REDUCE_TENSOR_ADD, weights);
  void *logarithm = float_of(p, all, DNN_POINTWISE_LOG, sum, NULL, between(p, DNN_DATA_FLOAT, 1));
  float_of(p, all, DNN_POINTWISE_ADD, most, logarithm, between(p, DNN_DATA_FLOAT, 1));
  return float_of(p, all, DNN_POINTWISE_DIV, weights, sum, between(p, storage(p), s));
}

static void state_graph(struct cudnn_plans *p) {
  struct operations all = {{NULL}, 0};
  void *q = array(p, Q, p->shape.h), *k = array(p, K, p->shape.h_kv), *v = array(p, V, p->shape.h_kv);
  void *o = array(p, O, p->shape.h), *scores = between(p, DNN_DATA_FLOAT, p->shape.s);
  product(p, &all, q, k, scores);
  scores = float_of(p, &all, DNN_POINTWISE_MUL, scores, scalar(p, SCALE), between(p, DNN_DATA_FLOAT, p->shape.s));
  if (p->shape.causal) scores = causal(p, &all, scores);
  product(p, &all, softmax(p, &all, scores), v, o);
  p->graph = keep(p, DNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  set(p, p->graph, DNN_ATTR_OPERATIONGRAPH_OPS, DNN_TYPE_BACKEND_DESCRIPTOR, all.count, all.of);
  set(p, p->graph, DNN_ATTR_OPERATIONGRAPH_HANDLE, DNN_TYPE_HANDLE, 1, &p->handle);
  finish(p, p->graph);
}

/* ---- Proposals ---- */

static int destroy(const struct cudnn_plans *p, void *descriptor) {
  return descriptor == NULL ? 0 : p->call->cudnnBackendDestroyDescriptor(descriptor);
}

static void propose(struct cudnn_plans *p, int mode) {
  int64_t count = 0;
  void *heuristics = keep(p, DNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  set_descriptor(p, heuristics, DNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, p->graph);
  set_int(p, heuristics, DNN_ATTR_ENGINEHEUR_MODE, DNN_TYPE_HEUR_MODE, mode);
  finish(p, heuristics);
  int made = 0;
  while (made < CUDNN_PLANS && (p->configs[made] = make(p, DNN_BACKEND_ENGINECFG_DESCRIPTOR)) != NULL)
    made++;
  if (p->status == 0)
    p->status = p->call->cudnnBackendGetAttribute(heuristics, DNN_ATTR_ENGINEHEUR_RESULTS, DNN_TYPE_BACKEND_DESCRIPTOR,
                                                  made, &count, p->configs);
  p->count = p->status == 0 && count > 0 ? (int)(count < made ? count : made) : 0;
  for (int i = p->count; i < made; i++)
    destroy(p, p->configs[i]);
}

int cudnn_plans_open(struct cudnn_plans *p, const struct cudnn_functions *call, const struct cudnn_shape *shape,
                     struct CUstream_st *stream) {
  memset(p, 0, sizeof *p);
  p->call = call;
  p->shape = *shape;
  p->scale = (float)(1.0 / sqrt((double)shape->d));
  p->masked = call->cudnnGetVersion() < 91000 ? -FLT_MAX : -INFINITY; /* what its kernels were made for */
  p->status = call->cudnnCreate(&p->handle);
  if (p->status == 0) p->status = call->cudnnSetStream(p->handle, stream);
  state_graph(p);
  propose(p, DNN_HEUR_MODE_A);
  return p->status;
}

void cudnn_plans_close(struct cudnn_plans *p) {
  for (int i = 0; i < p->count; i++)
    destroy(p, p->configs[i]);
  while (p->owned_count > 0)
    destroy(p, p->owned[--p->owned_count]);
  if (p->handle != NULL) p->call->cudnnDestroy(p->handle);
  p->handle = NULL;
  p->count = 0;
}

bool cudnn_shape_same(const struct cudnn_shape *a, const struct cudnn_shape *b) {
  return a->b == b->b && a->h == b->h && a->h_kv == b->h_kv && a->s_q == b->s_q && a->s == b->s && a->d == b->d &&
         a->causal == b->causal && a->bf16 == b->bf16;
}

int cudnn_plans_move(const struct cudnn_plans *p, struct CUstream_st *stream) {
  return p->call->cudnnSetStream(p->handle, stream);
}

/* ---- Plans ---- */

/* Which engine of cuDNN's it is and what its knobs are set to; what cuDNN does not tell is left out. */
static void name_plan(const struct cudnn_plans *p, void *config, char *name, size_t size) {
  enum { KNOBS = 24 };
  const struct cudnn_functions *f = p->call;
  void *engine = NULL, *knobs[KNOBS];
  int64_t count = 0, number = -1;
  int made = 0;
  f->cudnnBackendCreateDescriptor(DNN_BACKEND_ENGINE_DESCRIPTOR, &engine);
  f->cudnnBackendGetAttribute(config, DNN_ATTR_ENGINECFG_ENGINE, DNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &engine);
  f->cudnnBackendGetAttribute(engine, DNN_ATTR_ENGINE_GLOBAL_INDEX, DNN_TYPE_INT64, 1, &count, &number);
  int length = snprintf(name, size, "engine %lld", (long long)number);
  while (made < KNOBS && f->cudnnBackendCreateDescriptor(DNN_BACKEND_KNOB_CHOICE_DESCRIPTOR, &knobs[made]) == 0)
    made++;
  if (f->cudnnBackendGetAttribute(config, DNN_ATTR_ENGINECFG_KNOB_CHOICES, DNN_TYPE_BACKEND_DESCRIPTOR, made, &count,
                                  knobs) != 0)
    count = 0;
  for (int i = 0; i < made && i < count && length < (int)size; i++) {
    int64_t got = 0, value = 0;
    int knob = -1;
    f->cudnnBackendGetAttribute(knobs[i], DNN_ATTR_KNOB_CHOICE_KNOB_TYPE, DNN_TYPE_KNOB_TYPE, 1, &got, &knob);
    f->cudnnBackendGetAttribute(knobs[i], DNN_ATTR_KNOB_CHOICE_KNOB_VALUE, DNN_TYPE_INT64, 1, &got, &value);
    length += snprintf(name + length, size - (size_t)length, "%s%d=%lld", i == 0 ? ": " : ", ", knob, (long long)value);
  }
  for (int i = 0; i < made; i++)
    destroy(p, knobs[i]);
  destroy(p, engine);
}

int cudnn_plan_build(struct cudnn_plans *p, int index, struct cudnn_plan *plan) {
  int64_t count = 0;
  memset(plan, 0, sizeof *plan);
  p->status = 0;
  void *descriptor = make(p, DNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  set(p, descriptor, DNN_ATTR_EXECUTION_PLAN_HANDLE, DNN_TYPE_HANDLE, 1, &p->handle);
  set_descriptor(p, descriptor, DNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, p->configs[index]);
  finish(p, descriptor);
  if (p->status == 0)
    p->status = p->call->cudnnBackendGetAttribute(descriptor, DNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, DNN_TYPE_INT64, 1,
                                                  &count, &plan->workspace);
  name_plan(p, p->configs[index], plan->name, sizeof plan->name);
  plan->descriptor = descriptor;
  if (p->status != 0) cudnn_plan_close(p, plan);
  return p->status;
}

void cudnn_plan_close(const struct cudnn_plans *p, struct cudnn_plan *plan) {
  destroy(p, plan->descriptor);
  plan->descriptor = NULL;
}

void *cudnn_pack(struct cudnn_plans *p, const struct cudnn_tensors *tensors, void *workspace) {
  const int64_t numbers[] = {Q, K, V, O, SCALE, MASKED};
  const void *pointers[] = {tensors->q, tensors->k, tensors->v, tensors->o, &p->scale, &p->masked};
  const int64_t count = p->shape.causal ? 6 : 5;
  p->status = 0;
  void *pack = make(p, DNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  set(p, pack, DNN_ATTR_VARIANT_PACK_UNIQUE_IDS, DNN_TYPE_INT64, count, numbers);
  set(p, pack, DNN_ATTR_VARIANT_PACK_DATA_POINTERS, DNN_TYPE_VOID_PTR, count, pointers);
  set(p, pack, DNN_ATTR_VARIANT_PACK_WORKSPACE, DNN_TYPE_VOID_PTR, 1, &workspace);
  finish(p, pack);
  if (p->status == 0) return pack;
  destroy(p, pack);
  return NULL;
}

void cudnn_pack_close(const struct cudnn_plans *p, void *pack) {
  destroy(p, pack);
}

int cudnn_plan_run(const struct cudnn_plans *p, const struct cudnn_plan *plan, void *pack) {
  return p->call->cudnnBackendExecute(p->handle, plan->descriptor, pack);
}

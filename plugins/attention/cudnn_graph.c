#include "cudnn_graph.h"

/* ---- Descriptors: once a cuDNN function has failed (p->status), these functions call no other ---- */

void *dnn_make(struct cudnn_plans *p, int kind) {
  void *descriptor = NULL;
  if (p->status == 0) p->status = p->call->cudnnBackendCreateDescriptor(kind, &descriptor);
  return p->status == 0 ? descriptor : NULL;
}

void *dnn_keep(struct cudnn_plans *p, int kind) {
  void *descriptor = p->owned_count < CUDNN_OWNED ? dnn_make(p, kind) : NULL;
  if (descriptor != NULL) p->owned[p->owned_count++] = descriptor;
  return descriptor;
}

void dnn_set(struct cudnn_plans *p, void *descriptor, int name, int type, int64_t count, const void *values) {
  if (p->status == 0) p->status = p->call->cudnnBackendSetAttribute(descriptor, name, type, count, values);
}

void dnn_set_int(struct cudnn_plans *p, void *descriptor, int name, int type, int value) {
  dnn_set(p, descriptor, name, type, 1, &value);
}

void dnn_set_number(struct cudnn_plans *p, void *descriptor, int name, int64_t value) {
  dnn_set(p, descriptor, name, DNN_TYPE_INT64, 1, &value);
}

static void dnn_set_flag(struct cudnn_plans *p, void *descriptor, int name) {
  const _Bool yes = 1;
  dnn_set(p, descriptor, name, DNN_TYPE_BOOLEAN, 1, &yes);
}

void dnn_set_descriptor(struct cudnn_plans *p, void *descriptor, int name, void *value) {
  dnn_set(p, descriptor, name, DNN_TYPE_BACKEND_DESCRIPTOR, 1, &value);
}

void *dnn_finish(struct cudnn_plans *p, void *descriptor) {
  if (p->status == 0) p->status = p->call->cudnnBackendFinalize(descriptor);
  return descriptor;
}

/* ---- Tensors ---- */

struct extents {
  int64_t of[4];
};

static void *begin_tensor(struct cudnn_plans *p, int64_t number, int type, struct extents size, struct extents stride) {
  void *t = dnn_keep(p, DNN_BACKEND_TENSOR_DESCRIPTOR);
  dnn_set_int(p, t, DNN_ATTR_TENSOR_DATA_TYPE, DNN_TYPE_DATA_TYPE, type);
  dnn_set(p, t, DNN_ATTR_TENSOR_DIMENSIONS, DNN_TYPE_INT64, 4, size.of);
  dnn_set(p, t, DNN_ATTR_TENSOR_STRIDES, DNN_TYPE_INT64, 4, stride.of);
  dnn_set_number(p, t, DNN_ATTR_TENSOR_UNIQUE_ID, number != 0 ? number : DNN_VIRTUAL + p->owned_count);
  dnn_set_number(p, t, DNN_ATTR_TENSOR_BYTE_ALIGNMENT, 16);
  return t;
}

int dnn_storage(const struct cudnn_plans *p) {
  return p->shape.bf16 ? DNN_DATA_BFLOAT16 : DNN_DATA_HALF;
}

void *dnn_matrices(struct cudnn_plans *p, struct dnn_matrices m) {
  const int64_t b = p->shape.b, each = m.rows * m.columns, batch = m.heads * each;
  const struct extents size = {{b, m.heads, m.rows, m.columns}}, stride = {{batch, each, m.columns, 1}};
  const struct extents flipped = {{b, m.heads, m.columns, m.rows}}, flipped_stride = {{batch, each, 1, m.columns}};
  void *t = m.flipped ? begin_tensor(p, m.number, m.type, flipped, flipped_stride)
                      : begin_tensor(p, m.number, m.type, size, stride);
  if (m.number == 0) dnn_set_flag(p, t, DNN_ATTR_TENSOR_IS_VIRTUAL);
  return dnn_finish(p, t);
}

void *dnn_scalar(struct cudnn_plans *p, int64_t number) {
  const struct extents one = {{1, 1, 1, 1}};
  void *t = begin_tensor(p, number, DNN_DATA_FLOAT, one, one);
  dnn_set_flag(p, t, DNN_ATTR_TENSOR_IS_BY_VALUE);
  return dnn_finish(p, t);
}

void *dnn_between(struct cudnn_plans *p, int type, int64_t columns) {
  return dnn_matrices(
      p, (struct dnn_matrices){.type = type, .heads = p->shape.h, .rows = p->shape.s_q, .columns = columns});
}

/* ---- Operations ---- */

static void add_operation(struct cudnn_plans *p, struct dnn_operations *all, void *operation) {
  all->of[all->count++] = dnn_finish(p, operation);
}

void dnn_product(struct cudnn_plans *p, struct dnn_operations *all, void *a, void *b, void *c) {
  void *how = dnn_keep(p, DNN_BACKEND_MATMUL_DESCRIPTOR);
  dnn_set_int(p, how, DNN_ATTR_MATMUL_COMP_TYPE, DNN_TYPE_DATA_TYPE, DNN_DATA_FLOAT);
  dnn_finish(p, how);
  void *operation = dnn_keep(p, DNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
  dnn_set_descriptor(p, operation, DNN_ATTR_OPERATION_MATMUL_ADESC, a);
  dnn_set_descriptor(p, operation, DNN_ATTR_OPERATION_MATMUL_BDESC, b);
  dnn_set_descriptor(p, operation, DNN_ATTR_OPERATION_MATMUL_CDESC, c);
  dnn_set_descriptor(p, operation, DNN_ATTR_OPERATION_MATMUL_DESC, how);
  add_operation(p, all, operation);
}

void dnn_pointwise(struct cudnn_plans *p, struct dnn_operations *all, struct dnn_pointwise w) {
  void *how = dnn_keep(p, DNN_BACKEND_POINTWISE_DESCRIPTOR);
  dnn_set_int(p, how, DNN_ATTR_POINTWISE_MODE, DNN_TYPE_POINTWISE_MODE, w.mode);
  dnn_set_int(p, how, DNN_ATTR_POINTWISE_MATH_PREC, DNN_TYPE_DATA_TYPE, w.precision);
  if (w.axis >= 0) dnn_set_number(p, how, DNN_ATTR_POINTWISE_AXIS, w.axis);
  dnn_finish(p, how);
  void *operation = dnn_keep(p, DNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  dnn_set_descriptor(p, operation, DNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, how);
  dnn_set_descriptor(p, operation, DNN_ATTR_OPERATION_POINTWISE_XDESC, w.x);
  if (w.b != NULL) dnn_set_descriptor(p, operation, DNN_ATTR_OPERATION_POINTWISE_BDESC, w.b);
  if (w.choice != NULL) dnn_set_descriptor(p, operation, DNN_ATTR_OPERATION_POINTWISE_TDESC, w.choice);
  dnn_set_descriptor(p, operation, DNN_ATTR_OPERATION_POINTWISE_YDESC, w.y);
  add_operation(p, all, operation);
}

void *dnn_float_of(struct cudnn_plans *p, struct dnn_operations *all, int mode, void *x, void *b, void *y) {
  dnn_pointwise(p, all,
                (struct dnn_pointwise){.mode = mode, .precision = DNN_DATA_FLOAT, .axis = -1, .x = x, .b = b, .y = y});
  return y;
}

void *dnn_reduce(struct cudnn_plans *p, struct dnn_operations *all, int mode, void *x, void *y) {
  void *how = dnn_keep(p, DNN_BACKEND_REDUCTION_DESCRIPTOR);
  dnn_set_int(p, how, DNN_ATTR_REDUCTION_OPERATOR, DNN_TYPE_REDUCTION_OPERATOR_TYPE, mode);
  dnn_set_int(p, how, DNN_ATTR_REDUCTION_COMP_TYPE, DNN_TYPE_DATA_TYPE, DNN_DATA_FLOAT);
  dnn_finish(p, how);
  void *operation = dnn_keep(p, DNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
  dnn_set_descriptor(p, operation, DNN_ATTR_OPERATION_REDUCTION_XDESC, x);
  dnn_set_descriptor(p, operation, DNN_ATTR_OPERATION_REDUCTION_YDESC, y);
  dnn_set_descriptor(p, operation, DNN_ATTR_OPERATION_REDUCTION_DESC, how);
  add_operation(p, all, operation);
  return y;
}

static void *index_along(struct cudnn_plans *p, struct dnn_operations *all, void *scores, int axis) {
  void *y = dnn_between(p, DNN_DATA_INT32, p->shape.s);
  dnn_pointwise(p, all,
                (struct dnn_pointwise){
                    .mode = DNN_POINTWISE_GEN_INDEX, .precision = DNN_DATA_FLOAT, .axis = axis, .x = scores, .y = y});
  return y;
}

/* Adds operations that keep a score where the comparison `mode` of a and b holds, and replace it with the scalar
 * `masked` elsewhere. Returns the tensor of masked scores. */
static void *keep_where(struct cudnn_plans *p, struct dnn_operations *all, void *scores, int mode, void *a, void *b,
                        int64_t masked) {
  void *seen = dnn_between(p, DNN_DATA_BOOLEAN, p->shape.s), *y = dnn_between(p, DNN_DATA_FLOAT, p->shape.s);
  dnn_pointwise(
      p, all,
      (struct dnn_pointwise){.mode = mode, .precision = DNN_DATA_BOOLEAN, .axis = -1, .x = a, .b = b, .y = seen});
  dnn_pointwise(p, all,
                (struct dnn_pointwise){.mode = DNN_POINTWISE_BINARY_SELECT,
                                       .precision = DNN_DATA_FLOAT,
                                       .axis = -1,
                                       .x = scores,
                                       .b = dnn_scalar(p, masked),
                                       .choice = seen,
                                       .y = y});
  return y;
}

void *dnn_causal(struct cudnn_plans *p, struct dnn_operations *all, void *scores) {
  void *query = index_along(p, all, scores, 2), *key = index_along(p, all, scores, 3);
  return keep_where(p, all, scores, DNN_POINTWISE_CMP_GE, query, key, DNN_MASKED);
}

void *dnn_window(struct cudnn_plans *p, struct dnn_operations *all, void *scores) {
  void *query = index_along(p, all, scores, 2), *key = index_along(p, all, scores, 3);
  void *behind = dnn_between(p, DNN_DATA_FLOAT, p->shape.s);
  dnn_pointwise(p, all,
                (struct dnn_pointwise){.mode = DNN_POINTWISE_ADD,
                                       .precision = DNN_DATA_FLOAT,
                                       .axis = 3,
                                       .x = key,
                                       .b = dnn_scalar(p, DNN_WINDOW),
                                       .y = behind});
  return keep_where(p, all, scores, DNN_POINTWISE_CMP_GT, behind, query, DNN_OUTSIDE);
}

void *dnn_reshape(struct cudnn_plans *p, struct dnn_operations *all, void *x, void *y) {
  void *operation = dnn_keep(p, DNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR);
  dnn_set_descriptor(p, operation, DNN_ATTR_OPERATION_RESHAPE_XDESC, x);
  dnn_set_descriptor(p, operation, DNN_ATTR_OPERATION_RESHAPE_YDESC, y);
  add_operation(p, all, operation);
  return y;
}

void dnn_close_graph(struct cudnn_plans *p, const struct dnn_operations *all) {
  p->graph = dnn_keep(p, DNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  dnn_set(p, p->graph, DNN_ATTR_OPERATIONGRAPH_OPS, DNN_TYPE_BACKEND_DESCRIPTOR, all->count, all->of);
  dnn_set(p, p->graph, DNN_ATTR_OPERATIONGRAPH_HANDLE, DNN_TYPE_HANDLE, 1, &p->handle);
  dnn_finish(p, p->graph);
}

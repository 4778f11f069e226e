/* The gradients of attention as cuDNN operations. Names are those of backward_kernels.h. All intermediate tensors are
 * virtual (never written to memory), except delta and the sums of dq, which cuDNN keeps in memory. cuDNN recognises the
 * whole graph as attention. */
#include "cudnn_graph.h"

static void *backward_tensor(struct cudnn_plans *p, int64_t number, int64_t heads, int64_t rows) {
  const int f32 = number == DNN_LSE || number == DNN_DELTA || number == DNN_DQ_SUMS;
  return dnn_matrices(p, (struct dnn_matrices){
                             .number = number,
                             .type = f32 ? DNN_DATA_FLOAT : dnn_storage(p),
                             .heads = heads,
                             .rows = rows,
                             .columns = number == DNN_LSE || number == DNN_DELTA ? 1 : p->shape.d,
                             .flipped = number == DNN_K || number == DNN_V,
                         });
}

static void *float_between(struct cudnn_plans *p, struct dnn_operations *all, int mode, void *x, void *b) {
  return dnn_float_of(p, all, mode, x, b, dnn_between(p, DNN_DATA_FLOAT, p->shape.s));
}

/* Adds the operations that compute delta, the row sums of do * o, times the factor of dropout, which is 1 here but part
 * of the pattern that cuDNN recognises. */
static void *delta_sums(struct cudnn_plans *p, struct dnn_operations *all, void *d_o, void *o) {
  void *each = dnn_float_of(p, all, DNN_POINTWISE_MUL, d_o, o, dnn_between(p, DNN_DATA_FLOAT, p->shape.d));
  void *sums = dnn_reduce(p, all, DNN_REDUCE_TENSOR_ADD, each, dnn_between(p, DNN_DATA_FLOAT, 1));
  return dnn_float_of(p, all, DNN_POINTWISE_MUL, sums, dnn_scalar(p, DNN_ONE),
                      backward_tensor(p, DNN_DELTA, p->shape.h, p->shape.s_q));
}

/* Adds the operations that compute P = exp(q k^T / sqrt(d) - lse), masked if the case is causal. */
static void *weights(struct cudnn_plans *p, struct dnn_operations *all, void *q, void *k, void *scale) {
  void *scores = dnn_between(p, DNN_DATA_FLOAT, p->shape.s);
  dnn_product(p, all, q, k, scores);
  scores = float_between(p, all, DNN_POINTWISE_MUL, scores, scale);
  scores = float_between(p, all, DNN_POINTWISE_SUB, scores, backward_tensor(p, DNN_LSE, p->shape.h, p->shape.s_q));
  if (p->shape.causal) scores = dnn_causal(p, all, scores);
  return float_between(p, all, DNN_POINTWISE_EXP, scores, NULL);
}

/* Adds the operations that compute the gradient of keys or of values: a product for each head of queries, then the sum
 * over the heads of queries that share a head of keys. */
static void state_key_gradient(struct cudnn_plans *p, struct dnn_operations *all, void *pairs, void *rows,
                               int64_t number) {
  const int64_t h = p->shape.h, h_kv = p->shape.h_kv, s = p->shape.s;
  const struct dnn_matrices turned = {
      .type = dnn_storage(p), .heads = h, .rows = p->shape.s_q, .columns = s, .flipped = 1};
  void *left = dnn_reshape(p, all, pairs, dnn_matrices(p, turned)), *to = backward_tensor(p, number, h_kv, s);
  void *of_each = h == h_kv ? to : backward_tensor(p, 0, h, s);
  dnn_product(p, all, left, rows, of_each);
  if (h != h_kv) dnn_reduce(p, all, DNN_REDUCE_TENSOR_ADD, of_each, to);
}

static void queries(struct cudnn_plans *p, struct dnn_operations *all, void *ds, void *k) {
  const int64_t h = p->shape.h, s_q = p->shape.s_q;
  void *rows = dnn_reshape(p, all, k, backward_tensor(p, 0, p->shape.h_kv, p->shape.s));
  void *sums = backward_tensor(p, DNN_DQ_SUMS, h, s_q);
  dnn_product(p, all, ds, rows, sums);
  dnn_float_of(p, all, DNN_POINTWISE_IDENTITY, sums, NULL, backward_tensor(p, DNN_DQ, h, s_q));
}

void dnn_state_backward(struct cudnn_plans *p) {
  struct dnn_operations all = {{NULL}, 0};
  const int64_t h = p->shape.h, h_kv = p->shape.h_kv, s_q = p->shape.s_q, s = p->shape.s;
  void *q = backward_tensor(p, DNN_Q, h, s_q), *k = backward_tensor(p, DNN_K, h_kv, s),
       *v = backward_tensor(p, DNN_V, h_kv, s);
  void *o = backward_tensor(p, DNN_O, h, s_q), *d_o = backward_tensor(p, DNN_D_O, h, s_q),
       *scale = dnn_scalar(p, DNN_SCALE);
  void *sums = delta_sums(p, &all, d_o, o), *weight = weights(p, &all, q, k, scale);
  state_key_gradient(p, &all, weight, d_o, DNN_DV);
  void *ds = dnn_between(p, DNN_DATA_FLOAT, s);
  dnn_product(p, &all, d_o, v, ds);
  ds = float_between(p, &all, DNN_POINTWISE_SUB, ds, sums);
  ds = float_between(p, &all, DNN_POINTWISE_MUL, ds, weight);
  ds = float_between(p, &all, DNN_POINTWISE_MUL, ds, scale);
  state_key_gradient(p, &all, ds, q, DNN_DK);
  queries(p, &all, ds, k);
  dnn_close_graph(p, &all);
}

/* softmax(q k^T / sqrt(d)) v as cuDNN operations: a product, a scaling, masks (causal, window), which compare the index
 * of the query with that of the key, the softmax in five steps, and a product. All intermediate tensors are virtual
 * (never written to memory), because cuDNN recognises the whole graph as attention and has one kernel for it. */
#include "cudnn_graph.h"

/* Adds the operations of the softmax and returns its result, which has the storage type because it goes into a product.
 * The logarithm of the sum is not read, but is part of the pattern that cuDNN recognises. */
static void *softmax(struct cudnn_plans *p, struct dnn_operations *all, void *scores) {
  const int64_t s = p->shape.s;
  void *most = dnn_reduce(p, all, DNN_REDUCE_TENSOR_MAX, scores, dnn_between(p, DNN_DATA_FLOAT, 1));
  void *less = dnn_float_of(p, all, DNN_POINTWISE_SUB, scores, most, dnn_between(p, DNN_DATA_FLOAT, s));
  void *weights = dnn_float_of(p, all, DNN_POINTWISE_EXP, less, NULL, dnn_between(p, DNN_DATA_FLOAT, s));
  void *sum = dnn_reduce(p, all, DNN_REDUCE_TENSOR_ADD, weights, dnn_between(p, DNN_DATA_FLOAT, 1));
  void *logarithm = dnn_float_of(p, all, DNN_POINTWISE_LOG, sum, NULL, dnn_between(p, DNN_DATA_FLOAT, 1));
  dnn_float_of(p, all, DNN_POINTWISE_ADD, most, logarithm, dnn_between(p, DNN_DATA_FLOAT, 1));
  return dnn_float_of(p, all, DNN_POINTWISE_DIV, weights, sum, dnn_between(p, dnn_storage(p), s));
}

/* Makes one of the tensors q, k, v and o; cuDNN requires k transposed. */
static void *forward_tensor(struct cudnn_plans *p, int64_t number, int64_t heads) {
  const int queries = number == DNN_Q || number == DNN_O;
  return dnn_matrices(p, (struct dnn_matrices){.number = number,
                                               .type = dnn_storage(p),
                                               .heads = heads,
                                               .rows = queries ? p->shape.s_q : p->shape.s,
                                               .columns = p->shape.d,
                                               .flipped = number == DNN_K});
}

void dnn_state_forward(struct cudnn_plans *p) {
  struct dnn_operations all = {{NULL}, 0};
  void *q = forward_tensor(p, DNN_Q, p->shape.h), *k = forward_tensor(p, DNN_K, p->shape.h_kv),
       *v = forward_tensor(p, DNN_V, p->shape.h_kv);
  void *o = forward_tensor(p, DNN_O, p->shape.h), *scores = dnn_between(p, DNN_DATA_FLOAT, p->shape.s);
  dnn_product(p, &all, q, k, scores);
  scores = dnn_float_of(p, &all, DNN_POINTWISE_MUL, scores, dnn_scalar(p, DNN_SCALE),
                        dnn_between(p, DNN_DATA_FLOAT, p->shape.s));
  if (p->shape.causal) scores = dnn_causal(p, &all, scores);
  if (p->shape.window > 0) scores = dnn_window(p, &all, scores);
  dnn_product(p, &all, softmax(p, &all, scores), v, o);
  dnn_close_graph(p, &all);
}

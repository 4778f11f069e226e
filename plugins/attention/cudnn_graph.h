/* Functions that build a cuDNN graph. Once a cuDNN function has failed, its code stays in cudnn_plans.status, and these
 * functions call cuDNN no more. */
#ifndef ATTENTION_CUDNN_GRAPH_H
#define ATTENTION_CUDNN_GRAPH_H

#include "cudnn_plans.h"

/* Unique numbers of tensors. Virtual tensors, which stay within cuDNN's kernels, are numbered from DNN_VIRTUAL on. */
enum {
  DNN_Q = 1,
  DNN_K,
  DNN_V,
  DNN_O,
  DNN_SCALE,
  DNN_MASKED,
  DNN_D_O,
  DNN_LSE,
  DNN_DQ,
  DNN_DK,
  DNN_DV,
  DNN_DELTA,
  DNN_DQ_SUMS,
  DNN_ONE,
  DNN_WINDOW,
  /* The scalar that replaces scores outside the window. DNN_MASKED is not used for it, because cuDNN's own graphs have
   * one scalar for each mask. */
  DNN_OUTSIDE,
  DNN_VIRTUAL
};

/* ---- Descriptors ---- */

void *dnn_make(struct cudnn_plans *p, int kind);
void *dnn_keep(struct cudnn_plans *p, int kind); /* makes a descriptor that cudnn_plans_close() destroys */
void dnn_set(struct cudnn_plans *p, void *descriptor, int name, int type, int64_t count, const void *values);
void dnn_set_int(struct cudnn_plans *p, void *descriptor, int name, int type, int value);
void dnn_set_number(struct cudnn_plans *p, void *descriptor, int name, int64_t value);
void dnn_set_descriptor(struct cudnn_plans *p, void *descriptor, int name, void *value);
void *dnn_finish(struct cudnn_plans *p, void *descriptor);

/* ---- Tensors ---- */

struct dnn_matrices { /* dense row-major [b][heads][rows][columns] */
  int64_t number;     /* unique number, e.g. DNN_Q; 0: a virtual tensor */
  int type;
  int64_t heads, rows, columns;
  int flipped; /* true: described to cuDNN as its transpose, [columns][rows] */
};

int dnn_storage(const struct cudnn_plans *p);
void *dnn_matrices(struct cudnn_plans *p, struct dnn_matrices m);
void *dnn_scalar(struct cudnn_plans *p, int64_t number);
/* Returns a new virtual tensor (one that stays within cuDNN's kernels) with `columns` values for each query: one for
 * each key, or 1. */
void *dnn_between(struct cudnn_plans *p, int type, int64_t columns);

/* ---- Operations: each function appends to `all`; a result of type void * is the tensor of the result ---- */

struct dnn_operations {
  void *of[CUDNN_OPERATIONS];
  int count;
};

/* The operation y = mode(x, b). For DNN_POINTWISE_BINARY_SELECT, `choice` is the tensor of booleans that selects x or
 * b, else NULL. `axis` is the axis that DNN_POINTWISE_GEN_INDEX enumerates, else -1. */
struct dnn_pointwise {
  int mode, precision, axis;
  void *x, *b, *choice, *y;
};

/* Adds the matrix product c = a b to the operations. */
void dnn_product(struct cudnn_plans *p, struct dnn_operations *all, void *a, void *b, void *c);
void dnn_pointwise(struct cudnn_plans *p, struct dnn_operations *all, struct dnn_pointwise w);
/* Adds the operation y = mode(x, b), computed in fp32. */
void *dnn_float_of(struct cudnn_plans *p, struct dnn_operations *all, int mode, void *x, void *b, void *y);
void *dnn_reduce(struct cudnn_plans *p, struct dnn_operations *all, int mode, void *x, void *y);
void *dnn_reshape(struct cudnn_plans *p, struct dnn_operations *all, void *x, void *y);
/* Applies a causal mask: scores of keys after the query become DNN_MASKED, minus infinity or the lowest float. */
void *dnn_causal(struct cudnn_plans *p, struct dnn_operations *all, void *scores);
/* Applies a sliding window: masks scores of keys that are `window` or more positions before the query. */
void *dnn_window(struct cudnn_plans *p, struct dnn_operations *all, void *scores);

/* Makes the graph p->graph from the operations that were added. */
void dnn_close_graph(struct cudnn_plans *p, const struct dnn_operations *all);

/* ---- The graphs of the two benches ---- */

void dnn_state_forward(struct cudnn_plans *p);  /* cudnn_forward.c */
void dnn_state_backward(struct cudnn_plans *p); /* cudnn_backward.c */

#endif

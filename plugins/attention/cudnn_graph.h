/* What graphs of cuDNN's are put together of. After a failure, which `status` keeps, nothing more is called. */
#ifndef ATTENTION_CUDNN_GRAPH_H
#define ATTENTION_CUDNN_GRAPH_H

#include "cudnn_plans.h"

/* Unique numbers of tensors; virtual ones, which stay inside of cuDNN's kernels, count on from the last. */
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
  DNN_OUTSIDE, /* as DNN_MASKED: cuDNN's own graphs have one for each mask */
  DNN_VIRTUAL
};

/* ---- Descriptors ---- */

void *dnn_make(struct cudnn_plans *p, int kind);
void *dnn_keep(struct cudnn_plans *p, int kind); /* one that lives as long as the graph */
void dnn_set(struct cudnn_plans *p, void *descriptor, int name, int type, int64_t count, const void *values);
void dnn_set_int(struct cudnn_plans *p, void *descriptor, int name, int type, int value);
void dnn_set_number(struct cudnn_plans *p, void *descriptor, int name, int64_t value);
void dnn_set_descriptor(struct cudnn_plans *p, void *descriptor, int name, void *value);
void *dnn_finish(struct cudnn_plans *p, void *descriptor);

/* ---- Tensors ---- */

struct dnn_matrices { /* dense row-major [b][heads][rows][columns] */
  int64_t number;     /* 0: virtual */
  int type;
  int64_t heads, rows, columns;
  int flipped; /* seen as [columns][rows] */
};

int dnn_storage(const struct cudnn_plans *p);
void *dnn_matrices(struct cudnn_plans *p, struct dnn_matrices m);
void *dnn_scalar(struct cudnn_plans *p, int64_t number);
/* Virtual: a value for each pair of query and key, or for each query (columns: 1). */
void *dnn_between(struct cudnn_plans *p, int type, int64_t columns);

/* ---- Operations: those with a result return it ---- */

struct dnn_operations {
  void *of[CUDNN_OPERATIONS];
  int count;
};

/* y = mode(x, b), by `choice` where there is one; `axis` of an index, else -1. */
struct dnn_pointwise {
  int mode, precision, axis;
  void *x, *b, *choice, *y;
};

void dnn_product(struct cudnn_plans *p, struct dnn_operations *all, void *a, void *b, void *c);
void dnn_pointwise(struct cudnn_plans *p, struct dnn_operations *all, struct dnn_pointwise w);
void *dnn_float_of(struct cudnn_plans *p, struct dnn_operations *all, int mode, void *x, void *b, void *y);
void *dnn_reduce(struct cudnn_plans *p, struct dnn_operations *all, int mode, void *x, void *y);
void *dnn_reshape(struct cudnn_plans *p, struct dnn_operations *all, void *x, void *y);
/* Scores whose query does not come before the key, the others as good as minus infinity. */
void *dnn_causal(struct cudnn_plans *p, struct dnn_operations *all, void *scores);
/* The same where the query is not as far behind the key as the window is wide, or farther. */
void *dnn_window(struct cudnn_plans *p, struct dnn_operations *all, void *scores);

/* Makes the graph of them. */
void dnn_close_graph(struct cudnn_plans *p, const struct dnn_operations *all);

/* ---- The graphs ---- */

void dnn_state_forward(struct cudnn_plans *p);  /* cudnn_forward.c */
void dnn_state_backward(struct cudnn_plans *p); /* cudnn_backward.c */

#endif

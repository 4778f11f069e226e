/* Attention as a cuDNN graph of operations, and the execution plans that cuDNN offers for this graph. Independent of
 * the plugin ABI. */
#ifndef ATTENTION_CUDNN_PLANS_H
#define ATTENTION_CUDNN_PLANS_H

#include <stdbool.h>

#include "cudnn_api.h"

struct cudnn_shape {
  int64_t b;
  int64_t h;    /* number of heads of queries */
  int64_t h_kv; /* number of heads of keys and values; divides h */
  int64_t s_q;  /* number of queries of a head */
  int64_t s;    /* number of keys of a head */
  int64_t d;
  int64_t window; /* if causal, a query sees only the last `window` keys up to its own; 0: no window */
  int causal;     /* true: query i sees keys 0 .. i only */
  int backward;   /* true: computes the gradients; requires window = 0 */
  int bf16;       /* true: elements are bf16, else fp16 */
};

struct cudnn_tensors {       /* the tensors are dense row-major [b][h or h_kv][s_q or s][d] */
  const void *q, *k, *v, *o; /* o: output of the forward graph, input of the backward graph */
  /* For backward only: */
  const void *d_o;
  const float *lse; /* [b][h][s] */
  void *dq, *dk, *dv;
  /* Scratch memory for cuDNN: delta is [b][h][s], dq_sums has the shape of dq. */
  float *delta, *dq_sums;
};

#define CUDNN_OPERATIONS 32
#define CUDNN_OWNED 96 /* the most descriptors of one graph */
#define CUDNN_PLANS 16 /* at most this many of cuDNN's proposals are considered */

struct cudnn_plan {
  void *descriptor;
  int64_t workspace; /* bytes of workspace that a run needs */
  char name[96];     /* engine and knobs, such as "engine 5: 24=1, 40=128" */
};

struct cudnn_plans {
  const struct cudnn_functions *call;
  void *handle;
  void *owned[CUDNN_OWNED];
  int owned_count;
  int status; /* cuDNN's status of the first call that failed, else 0 */
  float scale, masked, one, window;
  struct cudnn_shape shape;
  void *graph;
  void *configs[CUDNN_PLANS];
  int count; /* number of configs */
};

/* Makes the graph and asks cuDNN for proposals. Returns 0, or cuDNN's status after a failure or if it has no proposal.
 * The caller must close `p` with cudnn_plans_close(), also after a failure. */
int cudnn_plans_open(struct cudnn_plans *p, const struct cudnn_functions *call, const struct cudnn_shape *shape,
                     struct CUstream_st *stream);
void cudnn_plans_close(struct cudnn_plans *p);

bool cudnn_shape_same(const struct cudnn_shape *a, const struct cudnn_shape *b);

/* Makes later runs use this stream. Returns 0 or cuDNN's status. */
int cudnn_plans_move(const struct cudnn_plans *p, struct CUstream_st *stream);

/* Builds a plan from proposal number `index`; cuDNN may compile a kernel for it. Returns 0 or cuDNN's status. */
int cudnn_plan_build(struct cudnn_plans *p, int index, struct cudnn_plan *plan);
void cudnn_plan_close(const struct cudnn_plans *p, struct cudnn_plan *plan);

/* Returns cuDNN's variant pack, which is the arguments of a run of any of the plans: the tensors, and a workspace that
 * must be at least as large as the plan's. Returns NULL on failure. */
void *cudnn_pack(struct cudnn_plans *p, const struct cudnn_tensors *tensors, void *workspace);
void cudnn_pack_close(const struct cudnn_plans *p, void *pack);

/* Enqueues one run on the stream. */
int cudnn_plan_run(const struct cudnn_plans *p, const struct cudnn_plan *plan, void *pack);

#endif

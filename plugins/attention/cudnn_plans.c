/* The engine configurations that cuDNN's heuristics propose for a graph, and the execution plans that are built from
 * these. */
#include "cudnn_plans.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cudnn_graph.h"

/* ---- Proposals ---- */

static int destroy_descriptor(const struct cudnn_plans *p, void *descriptor) {
  return descriptor == NULL ? 0 : p->call->cudnnBackendDestroyDescriptor(descriptor);
}

static void propose_plans(struct cudnn_plans *p, int mode) {
  int64_t count = 0;
  void *heuristics = dnn_keep(p, DNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  dnn_set_descriptor(p, heuristics, DNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, p->graph);
  dnn_set_int(p, heuristics, DNN_ATTR_ENGINEHEUR_MODE, DNN_TYPE_HEUR_MODE, mode);
  dnn_finish(p, heuristics);
  int made = 0;
  while (made < CUDNN_PLANS && (p->configs[made] = dnn_make(p, DNN_BACKEND_ENGINECFG_DESCRIPTOR)) != NULL)
    made++;
  if (p->status == 0)
    p->status = p->call->cudnnBackendGetAttribute(heuristics, DNN_ATTR_ENGINEHEUR_RESULTS, DNN_TYPE_BACKEND_DESCRIPTOR,
                                                  made, &count, p->configs);
  p->count = p->status == 0 && count > 0 ? (int)(count < made ? count : made) : 0;
  for (int i = p->count; i < made; i++)
    destroy_descriptor(p, p->configs[i]);
}

int cudnn_plans_open(struct cudnn_plans *p, const struct cudnn_functions *call, const struct cudnn_shape *shape,
                     struct CUstream_st *stream) {
  memset(p, 0, sizeof *p);
  p->call = call;
  p->shape = *shape;
  p->scale = (float)(1.0 / sqrt((double)shape->d));
  p->one = 1.0f;
  p->window = (float)shape->window; /* passed by value as a float, as PyTorch and others do */
  /* the score of a masked key that the kernels of this cuDNN version expect */
  p->masked = call->cudnnGetVersion() < 91000 ? -FLT_MAX : -INFINITY;
  p->status = call->cudnnCreate(&p->handle);
  if (p->status == 0) p->status = call->cudnnSetStream(p->handle, stream);
  if (p->shape.backward)
    dnn_state_backward(p);
  else
    dnn_state_forward(p);
  propose_plans(p, DNN_HEUR_MODE_A);
  return p->status;
}

void cudnn_plans_close(struct cudnn_plans *p) {
  for (int i = 0; i < p->count; i++)
    destroy_descriptor(p, p->configs[i]);
  while (p->owned_count > 0)
    destroy_descriptor(p, p->owned[--p->owned_count]);
  if (p->handle != NULL) p->call->cudnnDestroy(p->handle);
  p->handle = NULL;
  p->count = 0;
}

bool cudnn_shape_same(const struct cudnn_shape *a, const struct cudnn_shape *b) {
  return a->b == b->b && a->h == b->h && a->h_kv == b->h_kv && a->s_q == b->s_q && a->s == b->s && a->d == b->d &&
         a->window == b->window && a->causal == b->causal && a->backward == b->backward && a->bf16 == b->bf16;
}

int cudnn_plans_move(const struct cudnn_plans *p, struct CUstream_st *stream) {
  return p->call->cudnnSetStream(p->handle, stream);
}

/* ---- Plans ---- */

/* Writes the number of the engine of a configuration and its knobs to `name`, as in "engine 5: 24=1, 40=128"; what
 * cuDNN does not report is left out. */
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
    destroy_descriptor(p, knobs[i]);
  destroy_descriptor(p, engine);
}

int cudnn_plan_build(struct cudnn_plans *p, int index, struct cudnn_plan *plan) {
  int64_t count = 0;
  memset(plan, 0, sizeof *plan);
  p->status = 0;
  void *descriptor = dnn_make(p, DNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  dnn_set(p, descriptor, DNN_ATTR_EXECUTION_PLAN_HANDLE, DNN_TYPE_HANDLE, 1, &p->handle);
  dnn_set_descriptor(p, descriptor, DNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, p->configs[index]);
  dnn_finish(p, descriptor);
  if (p->status == 0)
    p->status = p->call->cudnnBackendGetAttribute(descriptor, DNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, DNN_TYPE_INT64, 1,
                                                  &count, &plan->workspace);
  name_plan(p, p->configs[index], plan->name, sizeof plan->name);
  plan->descriptor = descriptor;
  if (p->status != 0) cudnn_plan_close(p, plan);
  return p->status;
}

void cudnn_plan_close(const struct cudnn_plans *p, struct cudnn_plan *plan) {
  destroy_descriptor(p, plan->descriptor);
  plan->descriptor = NULL;
}

/* The unique numbers of a graph's tensors and scalars, and their addresses: the contents of a variant pack. */
struct contents {
  int64_t numbers[16];
  const void *at[16];
  int64_t count;
};

static void put_tensor(struct contents *all, int64_t number, const void *at) {
  all->numbers[all->count] = number;
  all->at[all->count++] = at;
}

void *cudnn_pack(struct cudnn_plans *p, const struct cudnn_tensors *t, void *workspace) {
  const int64_t numbers[] = {DNN_Q,  DNN_K,  DNN_V,  DNN_O,     DNN_SCALE,   DNN_D_O, DNN_LSE,
                             DNN_DQ, DNN_DK, DNN_DV, DNN_DELTA, DNN_DQ_SUMS, DNN_ONE};
  const void *pointers[] = {t->q,  t->k,  t->v,  t->o,     &p->scale,  t->d_o, t->lse,
                            t->dq, t->dk, t->dv, t->delta, t->dq_sums, &p->one};
  enum { FORWARD = 5, ALL = sizeof numbers / sizeof numbers[0] };
  struct contents all = {.count = 0};
  for (int i = 0; i < (p->shape.backward ? ALL : FORWARD); i++)
    put_tensor(&all, numbers[i], pointers[i]);
  if (p->shape.causal) put_tensor(&all, DNN_MASKED, &p->masked);
  if (p->shape.window > 0) put_tensor(&all, DNN_WINDOW, &p->window);
  if (p->shape.window > 0) put_tensor(&all, DNN_OUTSIDE, &p->masked);
  p->status = 0;
  void *pack = dnn_make(p, DNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  dnn_set(p, pack, DNN_ATTR_VARIANT_PACK_UNIQUE_IDS, DNN_TYPE_INT64, all.count, all.numbers);
  dnn_set(p, pack, DNN_ATTR_VARIANT_PACK_DATA_POINTERS, DNN_TYPE_VOID_PTR, all.count, all.at);
  dnn_set(p, pack, DNN_ATTR_VARIANT_PACK_WORKSPACE, DNN_TYPE_VOID_PTR, 1, &workspace);
  dnn_finish(p, pack);
  if (p->status == 0) return pack;
  destroy_descriptor(p, pack);
  return NULL;
}

void cudnn_pack_close(const struct cudnn_plans *p, void *pack) {
  destroy_descriptor(p, pack);
}

int cudnn_plan_run(const struct cudnn_plans *p, const struct cudnn_plan *plan, void *pack) {
  return p->call->cudnnBackendExecute(p->handle, plan->descriptor, pack);
}

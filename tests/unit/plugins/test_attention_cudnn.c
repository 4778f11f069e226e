/* Tests the graphs that attention gives to cuDNN, with a stand-in that records them; and that nothing leaks,
 * whichever call fails. */
#include <math.h>
#include <stdlib.h>

#include "cudnn_plans.h"
#include "unit.h"

/* ---- A cuDNN that records ---- */

#define DESCRIPTORS 200
#define ATTRIBUTES 8

struct attribute {
  int name;
  int64_t count, values[32]; /* the attribute's values as numbers; a descriptor is stored as its index */
};

struct descriptor {
  int kind, alive, finished, attributes;
  struct attribute of[ATTRIBUTES];
};

static struct {
  struct descriptor all[DESCRIPTORS];
  int made, alive, handles, calls;
  int fails_at; /* number of the call that fails; 0: none */
  int proposals;
  size_t version;
} paper;

static int step(void) {
  return ++paper.calls == paper.fails_at ? 3001 : 0;
}

static size_t version(void) {
  return paper.version;
}

static void error_text(char *text, size_t size) {
  snprintf(text, size, "it does not want to");
}

static int create(void **handle) {
  if (step() != 0) return 3001;
  paper.handles++;
  *handle = &paper;
  return 0;
}

static int destroy(void *handle) {
  paper.handles -= handle == &paper;
  return 0;
}

static int set_stream(void *handle, struct CUstream_st *stream) {
  (void)stream;
  return handle == &paper ? step() : 2000;
}

static int create_descriptor(int kind, void **descriptor) {
  if (step() != 0 || paper.made == DESCRIPTORS) return 3001;
  struct descriptor *d = &paper.all[paper.made++];
  *d = (struct descriptor){.kind = kind, .alive = 1};
  paper.alive++;
  *descriptor = d;
  return 0;
}

static int destroy_descriptor(void *descriptor) {
  struct descriptor *d = descriptor;
  ASSERT_EQ_INT(d->alive, 1);
  d->alive = 0;
  paper.alive--;
  return 0;
}

static int finalize(void *descriptor) {
  if (step() != 0) return 3001;
  ((struct descriptor *)descriptor)->finished = 1;
  return 0;
}

static int64_t number_at(const void *values, int type, int64_t i) {
  void *const *pointers = values;
  switch (type) {
    case DNN_TYPE_BACKEND_DESCRIPTOR:
      return (struct descriptor *)pointers[i] - paper.all;
    case DNN_TYPE_INT64:
      return ((const int64_t *)values)[i];
    case DNN_TYPE_BOOLEAN:
      return ((const _Bool *)values)[i];
    case DNN_TYPE_HANDLE:
      return pointers[i] == &paper;
    case DNN_TYPE_VOID_PTR:
      return (int64_t)(intptr_t)pointers[i];
    default:
      return ((const int *)values)[i];
  }
}

/* Records an attribute. A descriptor may refer only to finalized descriptors. */
static int set_attribute(void *descriptor, int name, int type, int64_t count, const void *values) {
  struct descriptor *d = descriptor;
  if (step() != 0) return 3001;
  if (d->finished || d->attributes == ATTRIBUTES || count > 32) return 2000;
  struct attribute *a = &d->of[d->attributes++];
  *a = (struct attribute){.name = name, .count = count};
  for (int64_t i = 0; i < count; i++) {
    a->values[i] = number_at(values, type, i);
    if (type == DNN_TYPE_BACKEND_DESCRIPTOR && !paper.all[a->values[i]].finished) return 2004;
  }
  return 0;
}

static int get_attribute(void *descriptor, int name, int type, int64_t most, int64_t *count, void *values) {
  (void)descriptor, (void)type;
  if (step() != 0) return 3001;
  *count = 1;
  switch (name) {
    case DNN_ATTR_ENGINEHEUR_RESULTS:
      *count = paper.proposals < most ? paper.proposals : most;
      for (int64_t i = 0; i < *count; i++)
        ((struct descriptor **)values)[i]->finished = 1;
      return 0;
    case DNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE:
      *(int64_t *)values = 4096;
      return 0;
    case DNN_ATTR_ENGINE_GLOBAL_INDEX:
      *(int64_t *)values = 5;
      return 0;
    case DNN_ATTR_ENGINECFG_KNOB_CHOICES:
      *count = 2;
      return 0;
    case DNN_ATTR_KNOB_CHOICE_KNOB_TYPE:
      *(int *)values = 24;
      return 0;
    case DNN_ATTR_KNOB_CHOICE_KNOB_VALUE:
      *(int64_t *)values = 7;
      return 0;
    default:
      return 0;
  }
}

static int execute(void *handle, void *plan, void *pack) {
  const struct descriptor *a = plan, *b = pack;
  return handle == &paper && a->kind == DNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR && a->finished &&
                 b->kind == DNN_BACKEND_VARIANT_PACK_DESCRIPTOR && b->finished
             ? 0
             : 5000;
}

static const struct cudnn_functions functions = {
    version,  error_text,    create,        destroy, set_stream, create_descriptor, destroy_descriptor,
    finalize, set_attribute, get_attribute, execute};

static void begin(void) {
  memset(&paper, 0, sizeof paper);
  paper.proposals = 3;
  paper.version = 91900;
}

/* ---- The recorded graph ---- */

static const struct attribute *attribute_of(int64_t place, int name) {
  const struct descriptor *d = &paper.all[place];
  for (int i = 0; i < d->attributes; i++)
    if (d->of[i].name == name) return &d->of[i];
  return NULL;
}

static int64_t value_of(int64_t place, int name) {
  const struct attribute *a = attribute_of(place, name);
  return a == NULL ? -1 : a->values[0];
}

static int64_t graph_place(void) {
  for (int64_t i = 0; i < paper.made; i++)
    if (paper.all[i].kind == DNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR) return i;
  return -1;
}

/* Lists the operations in order, by mode: "product scale select ... product". */
static void list_operations(char *text, size_t size) {
  const struct attribute *ops = attribute_of(graph_place(), DNN_ATTR_OPERATIONGRAPH_OPS);
  size_t length = 0;
  for (int64_t i = 0; i < ops->count; i++) {
    const int64_t op = ops->values[i];
    const int64_t pointwise = value_of(op, DNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
    const int64_t reduction = value_of(op, DNN_ATTR_OPERATION_REDUCTION_DESC);
    const int64_t reshape = value_of(op, DNN_ATTR_OPERATION_RESHAPE_XDESC);
    if (pointwise >= 0)
      length +=
          (size_t)snprintf(text + length, size - length, "%d ", (int)value_of(pointwise, DNN_ATTR_POINTWISE_MODE));
    else if (reduction >= 0)
      length += (size_t)snprintf(text + length, size - length, "reduce%d ",
                                 (int)value_of(reduction, DNN_ATTR_REDUCTION_OPERATOR));
    else
      length += (size_t)snprintf(text + length, size - length, reshape >= 0 ? "reshape " : "product ");
  }
}

static int64_t tensor_numbered(int64_t number) {
  for (int64_t i = 0; i < paper.made; i++)
    if (paper.all[i].kind == DNN_BACKEND_TENSOR_DESCRIPTOR && value_of(i, DNN_ATTR_TENSOR_UNIQUE_ID) == number)
      return i;
  return -1;
}

static void expect_extents(int64_t number, const int64_t *size, const int64_t *stride) {
  const int64_t place = tensor_numbered(number);
  const struct attribute *a = attribute_of(place, DNN_ATTR_TENSOR_DIMENSIONS);
  const struct attribute *b = attribute_of(place, DNN_ATTR_TENSOR_STRIDES);
  for (int i = 0; i < 4; i++) {
    ASSERT_EQ_INT(a->values[i], size[i]);
    ASSERT_EQ_INT(b->values[i], stride[i]);
  }
}

/* ---- Tests ---- */

static const struct cudnn_shape grouped = {
    .b = 2, .h = 6, .h_kv = 3, .s_q = 577, .s = 577, .d = 64, .causal = 1, .bf16 = 1};

static void operations_are_attention(void) {
  char text[400];
  struct cudnn_plans p;
  struct cudnn_shape all_seen = grouped;
  all_seen.causal = 0;
  begin();
  ASSERT_EQ_INT(cudnn_plans_open(&p, &functions, &all_seen, NULL), 0);
  list_operations(text, sizeof text);
  ASSERT_EQ_STR(text, "product 1 reduce3 9 13 reduce0 15 0 6 product ");
  cudnn_plans_close(&p);
  begin();
  ASSERT_EQ_INT(cudnn_plans_open(&p, &functions, &grouped, NULL), 0);
  list_operations(text, sizeof text);
  ASSERT_EQ_STR(text, "product 1 501 501 303 601 reduce3 9 13 reduce0 15 0 6 product ");
  cudnn_plans_close(&p);
}

/* A window adds a second mask to the graph. Each mask generates an index of queries and one of keys, and has its own
 * scalar. The second one also adds the window's size to an index. */
static void a_window_is_a_second_mask(void) {
  char text[400];
  struct cudnn_plans p;
  struct cudnn_shape windowed = grouped;
  int o = 0;
  const struct cudnn_tensors tensors = {.q = &o, .k = &o, .v = &o, .o = &o};
  windowed.window = 100;
  ASSERT_TRUE(!cudnn_shape_same(&windowed, &grouped));
  begin();
  ASSERT_EQ_INT(cudnn_plans_open(&p, &functions, &windowed, NULL), 0);
  list_operations(text, sizeof text);
  ASSERT_EQ_STR(text, "product 1 501 501 303 601 501 501 0 302 601 reduce3 9 13 reduce0 15 0 6 product ");
  ASSERT_NEAR(p.window, 100, 0);
  for (int64_t i = 0; i < paper.made; i++)
    if (paper.all[i].kind == DNN_BACKEND_TENSOR_DESCRIPTOR)
      ASSERT_EQ_INT(tensor_numbered(value_of(i, DNN_ATTR_TENSOR_UNIQUE_ID)), i);
  void *pack = cudnn_pack(&p, &tensors, NULL);
  ASSERT_TRUE(pack != NULL);
  if (pack == NULL) return;
  ASSERT_EQ_INT(attribute_of((struct descriptor *)pack - paper.all, DNN_ATTR_VARIANT_PACK_UNIQUE_IDS)->count, 8);
  cudnn_pack_close(&p, pack);
  cudnn_plans_close(&p);
  ASSERT_EQ_INT(paper.alive, 0);
}

static void keys_are_transposed_and_grouped(void) {
  struct cudnn_plans p;
  const int64_t s = 577, d = 64;
  begin();
  ASSERT_EQ_INT(cudnn_plans_open(&p, &functions, &grouped, NULL), 0);
  expect_extents(1, (int64_t[]){2, 6, s, d}, (int64_t[]){6 * s * d, s * d, d, 1});
  expect_extents(2, (int64_t[]){2, 3, d, s}, (int64_t[]){3 * s * d, s * d, 1, d});
  expect_extents(3, (int64_t[]){2, 3, s, d}, (int64_t[]){3 * s * d, s * d, d, 1});
  expect_extents(4, (int64_t[]){2, 6, s, d}, (int64_t[]){6 * s * d, s * d, d, 1});
  cudnn_plans_close(&p);
}

/* Everything between the inputs and outputs is virtual and in fp32, except the input of the second product. */
static void numbers_are_unique_and_types_right(void) {
  struct cudnn_plans p;
  int tensors = 0, virtual = 0;
  begin();
  ASSERT_EQ_INT(cudnn_plans_open(&p, &functions, &grouped, NULL), 0);
  for (int64_t i = 0; i < paper.made; i++) {
    if (paper.all[i].kind != DNN_BACKEND_TENSOR_DESCRIPTOR) continue;
    ASSERT_EQ_INT(tensor_numbered(value_of(i, DNN_ATTR_TENSOR_UNIQUE_ID)), i);
    tensors++;
    virtual += value_of(i, DNN_ATTR_TENSOR_IS_VIRTUAL) == 1;
  }
  ASSERT_EQ_INT(tensors - virtual, 6); /* q, k, v, o, the scale and the stand-in for minus infinity */
  const struct attribute *ops = attribute_of(graph_place(), DNN_ATTR_OPERATIONGRAPH_OPS);
  const int64_t last = ops->values[ops->count - 1];
  const int64_t weights = value_of(last, DNN_ATTR_OPERATION_MATMUL_ADESC);
  ASSERT_EQ_INT(value_of(weights, DNN_ATTR_TENSOR_DATA_TYPE), DNN_DATA_BFLOAT16);
  ASSERT_EQ_INT(value_of(weights, DNN_ATTR_TENSOR_IS_VIRTUAL), 1);
  ASSERT_EQ_INT(value_of(value_of(last, DNN_ATTR_OPERATION_MATMUL_CDESC), DNN_ATTR_TENSOR_UNIQUE_ID), 4);
  cudnn_plans_close(&p);
}

static void scalars_are_as_the_version_wants_them(void) {
  struct cudnn_plans p;
  begin();
  cudnn_plans_open(&p, &functions, &grouped, NULL);
  ASSERT_NEAR(p.scale, 0.125, 0);
  ASSERT_TRUE(isinf(p.masked) && p.masked < 0);
  cudnn_plans_close(&p);
  begin();
  paper.version = 90500;
  cudnn_plans_open(&p, &functions, &grouped, NULL);
  ASSERT_TRUE(isfinite(p.masked) && p.masked < -1e38f);
  cudnn_plans_close(&p);
}

static void a_plan_has_a_name_and_runs(void) {
  struct cudnn_plans p;
  struct cudnn_plan plan;
  int o = 0;
  const struct cudnn_tensors tensors = {.q = &o, .k = &o, .v = &o, .o = &o};
  begin();
  ASSERT_EQ_INT(cudnn_plans_open(&p, &functions, &grouped, NULL), 0);
  ASSERT_EQ_INT(p.count, 3);
  ASSERT_EQ_INT(cudnn_plan_build(&p, 2, &plan), 0);
  ASSERT_EQ_STR(plan.name, "engine 5: 24=7, 24=7");
  ASSERT_EQ_INT(plan.workspace, 4096);
  void *pack = cudnn_pack(&p, &tensors, NULL);
  ASSERT_TRUE(pack != NULL);
  if (pack == NULL) return;
  ASSERT_EQ_INT(attribute_of((struct descriptor *)pack - paper.all, DNN_ATTR_VARIANT_PACK_UNIQUE_IDS)->count, 6);
  ASSERT_EQ_INT(cudnn_plan_run(&p, &plan, pack), 0);
  cudnn_pack_close(&p, pack);
  cudnn_plan_close(&p, &plan);
  cudnn_plans_close(&p);
  ASSERT_EQ_INT(paper.alive, 0);
  ASSERT_EQ_INT(paper.handles, 0);
}

static void no_proposal_is_no_failure(void) {
  struct cudnn_plans p;
  begin();
  paper.proposals = 0;
  ASSERT_EQ_INT(cudnn_plans_open(&p, &functions, &grouped, NULL), 0);
  ASSERT_EQ_INT(p.count, 0);
  cudnn_plans_close(&p);
  ASSERT_EQ_INT(paper.alive, 0);
}

static const struct cudnn_shape gradients = {
    .b = 2, .h = 6, .h_kv = 3, .s_q = 577, .s = 577, .d = 64, .causal = 1, .backward = 1, .bf16 = 1};

static void operations_are_the_gradients_of_attention(void) {
  char text[400];
  struct cudnn_plans p;
  struct cudnn_shape own_keys = gradients;
  own_keys.h_kv = own_keys.h;
  own_keys.causal = 0;
  begin();
  ASSERT_EQ_INT(cudnn_plans_open(&p, &functions, &own_keys, NULL), 0);
  list_operations(text, sizeof text);
  ASSERT_EQ_STR(text, "1 reduce0 1 product 1 9 13 reshape product product 9 1 1 reshape product reshape product 21 ");
  cudnn_plans_close(&p);
  begin();
  ASSERT_EQ_INT(cudnn_plans_open(&p, &functions, &gradients, NULL), 0);
  list_operations(text, sizeof text);
  ASSERT_EQ_STR(text,
                "1 reduce0 1 product 1 9 501 501 303 601 13 reshape product reduce0 product 9 1 1 "
                "reshape product reduce0 reshape product 21 ");
  cudnn_plans_close(&p);
}

/* The products for dK and dV have as many heads as the queries. The stored dK and dV have only as many as the keys. */
static void gradients_of_keys_are_sums_over_their_heads(void) {
  struct cudnn_plans p;
  struct cudnn_plan plan;
  int o = 0;
  float f = 0;
  const int64_t s = 577, d = 64;
  const struct cudnn_tensors tensors = {&o, &o, &o, &o, &o, &f, &o, &o, &o, &f, &f};
  begin();
  ASSERT_EQ_INT(cudnn_plans_open(&p, &functions, &gradients, NULL), 0);
  expect_extents(2, (int64_t[]){2, 3, d, s}, (int64_t[]){3 * s * d, s * d, 1, d});
  expect_extents(3, (int64_t[]){2, 3, d, s}, (int64_t[]){3 * s * d, s * d, 1, d});
  expect_extents(8, (int64_t[]){2, 6, s, 1}, (int64_t[]){6 * s, s, 1, 1});
  expect_extents(9, (int64_t[]){2, 6, s, d}, (int64_t[]){6 * s * d, s * d, d, 1});
  expect_extents(10, (int64_t[]){2, 3, s, d}, (int64_t[]){3 * s * d, s * d, d, 1});
  ASSERT_EQ_INT(value_of(tensor_numbered(13), DNN_ATTR_TENSOR_DATA_TYPE), DNN_DATA_FLOAT);
  ASSERT_EQ_INT(value_of(tensor_numbered(13), DNN_ATTR_TENSOR_IS_VIRTUAL), -1);
  ASSERT_EQ_INT(cudnn_plan_build(&p, 0, &plan), 0);
  void *pack = cudnn_pack(&p, &tensors, NULL);
  ASSERT_TRUE(pack != NULL);
  if (pack == NULL) return;
  ASSERT_EQ_INT(attribute_of((struct descriptor *)pack - paper.all, DNN_ATTR_VARIANT_PACK_UNIQUE_IDS)->count, 14);
  cudnn_pack_close(&p, pack);
  cudnn_plan_close(&p, &plan);
  cudnn_plans_close(&p);
  ASSERT_EQ_INT(paper.alive, 0);
}

static void lose_nothing_of(const struct cudnn_shape *shape) {
  int last = 0;
  for (int at = 1; at < 4000 && last == 0; at++) {
    struct cudnn_plans p;
    struct cudnn_plan plan = {0};
    const struct cudnn_tensors tensors = {0};
    begin();
    paper.fails_at = at;
    void *pack = NULL;
    if (cudnn_plans_open(&p, &functions, shape, NULL) == 0 && cudnn_plan_build(&p, 0, &plan) == 0)
      pack = cudnn_pack(&p, &tensors, NULL);
    cudnn_pack_close(&p, pack);
    cudnn_plan_close(&p, &plan);
    cudnn_plans_close(&p);
    ASSERT_EQ_INT(paper.alive, 0);
    ASSERT_EQ_INT(paper.handles, 0);
    if (paper.calls < at) last = at;
  }
  ASSERT_TRUE(last > 100);
}

static void whatever_fails_nothing_is_lost(void) {
  lose_nothing_of(&grouped);
  lose_nothing_of(&gradients);
}

UNIT_MAIN("attention's cuDNN", UNIT_TEST(operations_are_attention), UNIT_TEST(a_window_is_a_second_mask),
          UNIT_TEST(keys_are_transposed_and_grouped), UNIT_TEST(numbers_are_unique_and_types_right),
          UNIT_TEST(scalars_are_as_the_version_wants_them), UNIT_TEST(a_plan_has_a_name_and_runs),
          UNIT_TEST(no_proposal_is_no_failure), UNIT_TEST(operations_are_the_gradients_of_attention),
          UNIT_TEST(gradients_of_keys_are_sums_over_their_heads), UNIT_TEST(whatever_fails_nothing_is_lost))

/* A training step: forward, backward and the optimizer Adam over a chain of layers. Each layer has three tensors, so
 * that there are many tensors. The bench fills the weights as if they were trained. Each step may continue from the
 * results of the step before. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gpubench/sugar.h>

enum { LAYERS_MOST = 84, D_MOST = 64, BATCH_MOST = 256 };

static const double rate = 1e-3, decay1 = 0.9, decay2 = 0.999, small = 1e-3;

static gb_sdk gb;

/* Defines one training step, in float64 for the reference and in float32 for the variants. The weights of layer l begin
 * at l d d, row by row, and h[l] is the input of layer l. */
#define STEP(NAME, REAL, TANH, SQRT, POW)                                                                           \
  struct NAME {                                                                                                     \
    int64_t d, batch, layers;                                                                                       \
    REAL *w[LAYERS_MOST], *m[LAYERS_MOST], *v[LAYERS_MOST];                                                         \
    const REAL *x, *target;                                                                                         \
    REAL *h, *g, *dw; /* h: layers + 1 activations; g: two gradients of activations; dw: one gradient of weights */ \
  };                                                                                                                \
                                                                                                                    \
  static void NAME##_forward(const struct NAME *s) {                                                                \
    memcpy(s->h, s->x, (size_t)(s->batch * s->d) * sizeof *s->h);                                                   \
    for (int64_t l = 0; l < s->layers; l++)                                                                         \
      for (int64_t b = 0; b < s->batch; b++)                                                                        \
        for (int64_t i = 0; i < s->d; i++) {                                                                        \
          const REAL *in = s->h + (l * s->batch + b) * s->d, *row = s->w[l] + i * s->d;                             \
          REAL sum = 0;                                                                                             \
          for (int64_t j = 0; j < s->d; j++)                                                                        \
            sum += row[j] * in[j];                                                                                  \
          s->h[((l + 1) * s->batch + b) * s->d + i] = TANH(sum);                                                    \
        }                                                                                                           \
  }                                                                                                                 \
                                                                                                                    \
  /* Returns half the mean squared error of the first output; sets its gradient. */                                 \
  static REAL NAME##_loss(const struct NAME *s) {                                                                   \
    const REAL *out = s->h + s->layers * s->batch * s->d;                                                           \
    REAL loss = 0;                                                                                                  \
    memset(s->g, 0, (size_t)(s->batch * s->d) * sizeof *s->g);                                                      \
    for (int64_t b = 0; b < s->batch; b++) {                                                                        \
      const REAL off = out[b * s->d] - s->target[b];                                                                \
      loss += off * off / (2 * (REAL)s->batch);                                                                     \
      s->g[b * s->d] = off / (REAL)s->batch;                                                                        \
    }                                                                                                               \
    return loss;                                                                                                    \
  }                                                                                                                 \
                                                                                                                    \
  static void NAME##_adam(const struct NAME *s, int64_t l, REAL turn) {                                             \
    const REAL first = 1 - POW((REAL)decay1, turn), second = 1 - POW((REAL)decay2, turn);                           \
    for (int64_t i = 0; i < s->d * s->d; i++) {                                                                     \
      s->m[l][i] = (REAL)decay1 * s->m[l][i] + (REAL)(1 - decay1) * s->dw[i];                                       \
      s->v[l][i] = (REAL)decay2 * s->v[l][i] + (REAL)(1 - decay2) * s->dw[i] * s->dw[i];                            \
      s->w[l][i] -= (REAL)rate * (s->m[l][i] / first) / (SQRT(s->v[l][i] / second) + (REAL)small);                  \
    }                                                                                                               \
  }                                                                                                                 \
                                                                                                                    \
  /* Takes a whole training step and returns the loss. Goes from the last layer to the first, and changes a layer's \
   * weights after their last use. */                                                                               \
  static REAL NAME##_take(const struct NAME *s, REAL turn) {                                                        \
    NAME##_forward(s);                                                                                              \
    const REAL loss = NAME##_loss(s);                                                                               \
    for (int64_t l = s->layers - 1; l >= 0; l--) {                                                                  \
      const REAL *in = s->h + l * s->batch * s->d, *out = in + s->batch * s->d;                                     \
      REAL *g = s->g, *next = s->g + s->batch * s->d;                                                               \
      memset(s->dw, 0, (size_t)(s->d * s->d) * sizeof *s->dw);                                                      \
      memset(next, 0, (size_t)(s->batch * s->d) * sizeof *next);                                                    \
      for (int64_t b = 0; b < s->batch; b++)                                                                        \
        for (int64_t i = 0; i < s->d; i++) {                                                                        \
          const REAL value = out[b * s->d + i], slope = g[b * s->d + i] * (1 - value * value);                      \
          for (int64_t j = 0; j < s->d; j++) {                                                                      \
            s->dw[i * s->d + j] += slope * in[b * s->d + j];                                                        \
            next[b * s->d + j] += slope * s->w[l][i * s->d + j];                                                    \
          }                                                                                                         \
        }                                                                                                           \
      memcpy(g, next, (size_t)(s->batch * s->d) * sizeof *g);                                                       \
      NAME##_adam(s, l, turn);                                                                                      \
    }                                                                                                               \
    return loss;                                                                                                    \
  }                                                                                                                 \
                                                                                                                    \
  /* Returns the bytes that activations and gradients need. */                                                      \
  static size_t NAME##_workspace(const struct NAME *s) {                                                            \
    return (size_t)((s->layers + 3) * s->batch * s->d + s->d * s->d) * sizeof(REAL);                                \
  }                                                                                                                 \
                                                                                                                    \
  static void NAME##_lay_out(struct NAME *s, REAL *memory) {                                                        \
    s->h = memory;                                                                                                  \
    s->g = s->h + (s->layers + 1) * s->batch * s->d;                                                                \
    s->dw = s->g + 2 * s->batch * s->d;                                                                             \
  }

STEP(exact, double, tanh, sqrt, pow)
STEP(single, float, tanhf, sqrtf, powf)

static double target_of(double label) {
  return label < 500 ? -0.5 : 0.5;
}

/* ---- The bench ---- */

static gb_status train_supports(const gb_bench *self, gb_case *c) {
  (void)self;
  const int64_t d = gb.point->i64(c, "d"), batch = gb.point->i64(c, "batch"), layers = gb.point->i64(c, "layers");
  const int fits = d >= 1 && d <= D_MOST && batch >= 1 && batch <= BATCH_MOST && layers >= 1 && layers <= LAYERS_MOST;
  return fits ? GB_OK : gb_failf(&gb, c, GB_SKIP, "at most %d x %d, %d layers", BATCH_MOST, D_MOST, LAYERS_MOST);
}

static gb_status declare(gb_case *c, gb_tensor t, const char *name, uint32_t rank, const int64_t *shape) {
  t.struct_size = (uint32_t)sizeof t;
  t.name = name;
  t.rank = rank;
  t.shape = shape;
  return gb.tensor->declare(c, &t);
}

static const char *const parts[] = {"w", "m", "v"};

/* Declares the tensors of a layer with a given tolerance. gpubench could derive a tolerance only from the number of
 * terms in a sum, but gradients pass through all later layers. */
static gb_status declare_layer(gb_case *c, int64_t layer, const int64_t *shape) {
  char name[32];
  gb_status status = GB_OK;
  for (int k = 0; k < 3 && status == GB_OK; k++) {
    const gb_tensor t = {
        .role = GB_INOUT, .dtype = GB_DTYPE_F32, .fill = GB_FILL_BENCH, .tolerance = k == 0 ? 1e-5 : 1e-3};
    snprintf(name, sizeof name, "%s/%d", parts[k], (int)layer);
    status = declare(c, t, name, 2, shape);
  }
  return status;
}

static gb_status train_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self;
  (void)state;
  const int64_t d = gb.point->i64(c, "d"), batch = gb.point->i64(c, "batch"), layers = gb.point->i64(c, "layers");
  const int64_t square[] = {d, d}, rows[] = {batch, d}, one = 1;
  const gb_tensor x = {.role = GB_IN, .dtype = GB_DTYPE_F32, .fill = GB_FILL_NORMAL, .fill_b = 1},
                  labels = {.role = GB_IN, .dtype = GB_DTYPE_I32, .fill = GB_FILL_UNIFORM, .fill_b = 1000},
                  turn = {.role = GB_INOUT, .dtype = GB_DTYPE_I32, .fill = GB_FILL_BENCH},
                  loss = {.role = GB_OUT, .dtype = GB_DTYPE_F32, .tolerance = 1e-4};
  gb_status status = declare(c, x, "x", 2, rows);
  if (status == GB_OK) status = declare(c, labels, "labels", 1, rows);
  if (status == GB_OK) status = declare(c, turn, "turn", 1, &one);
  if (status == GB_OK) status = declare(c, loss, "loss", 1, &one);
  for (int64_t l = 0; l < layers && status == GB_OK; l++) {
    status = declare_layer(c, l, square);
    gb.progress->step(c, (uint64_t)l + 1, (uint64_t)layers);
  }
  const gb_work work = {GB_SIZE(gb_work), .flops = (uint64_t)(6 * layers * batch * d * d), .items = (uint64_t)batch,
                        .item_unit = "samples"};
  return status == GB_OK ? gb.point->work(c, &work) : status;
}

/* Fills weights as if they were trained. Moments and the step count are not written, and therefore stay 0. */
static gb_status train_fill(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)state;
  const uint64_t d = (uint64_t)gb.point->i64(c, "d"), layers = (uint64_t)gb.point->i64(c, "layers");
  const uint64_t seed = gb.point->seed(c);
  double row[D_MOST];
  char name[32];
  gb_status status = GB_OK;
  for (uint64_t l = 0; l < layers; l++) {
    snprintf(name, sizeof name, "w/%d", (int)l);
    for (uint64_t i = 0; i < d && status == GB_OK; i++) {
      for (uint64_t j = 0; j < d; j++)
        row[j] = 3.8 * ((double)gb.rng->below(seed, l, i * d + j, 1 << 20) / (1 << 20) - 0.5) / sqrt((double)d);
      status = gb.input->write(c, name, i * d, d, row);
    }
  }
  return status;
}

/* Reads the inputs in float64, as they were filled. */
static gb_status read_problem(gb_case *c, struct exact *s, double *x, double *target, double *weights) {
  const uint64_t square = (uint64_t)(s->d * s->d);
  char name[32];
  gb_status status = gb.tensor->input(c, "x", 0, (uint64_t)(s->batch * s->d), x);
  if (status == GB_OK) status = gb.tensor->input(c, "labels", 0, (uint64_t)s->batch, target);
  for (int64_t b = 0; b < s->batch; b++)
    target[b] = target_of(target[b]);
  for (int64_t l = 0; l < s->layers && status == GB_OK; l++) {
    double **const to[] = {&s->w[l], &s->m[l], &s->v[l]};
    for (int k = 0; k < 3 && status == GB_OK; k++) {
      *to[k] = weights + (uint64_t)(3 * l + k) * square;
      snprintf(name, sizeof name, "%s/%d", parts[k], (int)l);
      status = gb.tensor->input(c, name, 0, square, *to[k]);
    }
  }
  s->x = x;
  s->target = target;
  return status;
}

static gb_status expect_all(gb_case *c, const struct exact *s, double loss) {
  const uint64_t square = (uint64_t)(s->d * s->d);
  const double one = 1;
  char name[32];
  gb_status status = gb.tensor->expect(c, "loss", 0, 1, &loss);
  if (status == GB_OK) status = gb.tensor->expect(c, "turn", 0, 1, &one);
  for (int64_t l = 0; l < s->layers; l++) {
    const double *const from[] = {s->w[l], s->m[l], s->v[l]};
    for (int k = 0; k < 3 && status == GB_OK; k++) {
      snprintf(name, sizeof name, "%s/%d", parts[k], (int)l);
      status = gb.tensor->expect(c, name, 0, square, from[k]);
    }
  }
  return status;
}

static gb_status train_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)state;
  struct exact s = {
      .d = gb.point->i64(c, "d"), .batch = gb.point->i64(c, "batch"), .layers = gb.point->i64(c, "layers")};
  const int64_t weights = 3 * s.layers * s.d * s.d, inputs = s.batch * (s.d + 1);
  double *memory = malloc((size_t)(weights + inputs) * sizeof *memory), *work = malloc(exact_workspace(&s));
  gb_status status = memory == NULL || work == NULL ? gb_failf(&gb, c, GB_ENOMEM, "no host memory") : GB_OK;
  if (status == GB_OK) status = read_problem(c, &s, memory, memory + s.batch * s.d, memory + inputs);
  if (status == GB_OK) {
    exact_lay_out(&s, work);
    const double loss = exact_take(&s, 1);
    status = expect_all(c, &s, loss);
  }
  free(memory);
  free(work);
  return status;
}

/* Checks that the weights of the first layer have changed, but by no more than the learning rate allows. */
static gb_status train_verify(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)state;
  const uint64_t d = (uint64_t)gb.point->i64(c, "d");
  double before[D_MOST], after[D_MOST], most = 0;
  gb_status status = gb.tensor->input_strided(c, "w/0", 0, d, d, before); /* the first column of the weights */
  if (status == GB_OK) status = gb.tensor->output_strided(c, "w/0", 0, d, d, after);
  for (uint64_t i = 0; i < d; i++)
    most = fmax(most, fabs(after[i] - before[i]));
  if (status != GB_OK || (most > 0 && most <= 1.01 * rate)) return status;
  return gb_failf(&gb, c, GB_EFAIL, "a weight changed by %.3g: at most the rate, %g", most, rate);
}

/* ---- Variants ---- */

struct model {
  struct single s;
  const int32_t *labels;
  float *loss, *target;
  int32_t *turn;
};

static gb_status train_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  (void)self;
  struct model *model = gb.mem->alloc(c, GB_MEM_HOST, sizeof *model);
  char name[32];
  if (model == NULL) return GB_ENOMEM;
  struct single *s = &model->s;
  *s = (struct single){
      .d = gb.point->i64(c, "d"), .batch = gb.point->i64(c, "batch"), .layers = gb.point->i64(c, "layers")};
  for (int64_t l = 0; l < s->layers; l++) {
    float **const to[] = {&s->w[l], &s->m[l], &s->v[l]};
    for (int k = 0; k < 3; k++) {
      snprintf(name, sizeof name, "%s/%d", parts[k], (int)l);
      *to[k] = gb.tensor->data(c, name);
    }
  }
  float *work = gb.mem->alloc(c, GB_MEM_HOST, single_workspace(s));
  model->target = gb.mem->alloc(c, GB_MEM_HOST, (uint64_t)s->batch * sizeof *model->target);
  if (work == NULL || model->target == NULL) return GB_ENOMEM;
  single_lay_out(s, work);
  s->x = gb.tensor->data(c, "x");
  s->target = model->target;
  model->labels = gb.tensor->data(c, "labels");
  model->loss = gb.tensor->data(c, "loss");
  model->turn = gb.tensor->data(c, "turn");
  *vstate = model;
  return GB_OK;
}

static gb_status eager_run(const gb_variant *self, gb_case *c, void *vstate) {
  struct model *model = vstate;
  (void)self;
  (void)c;
  for (int64_t b = 0; b < model->s.batch; b++)
    model->target[b] = (float)target_of(model->labels[b]);
  *model->turn += 1;
  *model->loss = single_take(&model->s, (float)*model->turn);
  return GB_OK;
}

/* A wrong variant that restores the first layer after the step, so that this layer does not learn. */
static gb_status frozen_run(const gb_variant *self, gb_case *c, void *vstate) {
  struct model *model = vstate;
  const int64_t square = model->s.d * model->s.d;
  float *kept = malloc((size_t)square * sizeof *kept);
  if (kept == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory");
  memcpy(kept, model->s.w[0], (size_t)square * sizeof *kept);
  const gb_status status = eager_run(self, c, vstate);
  memcpy(model->s.w[0], kept, (size_t)square * sizeof *kept);
  free(kept);
  return status;
}

static const gb_variant eager = {GB_SIZE(gb_variant), .flags = GB_VARIANT_BASELINE, .name = "eager", .backend = "cpu",
                                 .math = "fp32",      .prepare = train_prepare,     .run = eager_run};
static const gb_variant frozen = {GB_SIZE(gb_variant), .flags = GB_VARIANT_BY_NAME, .name = "frozen", .backend = "cpu",
                                  .math = "fp32",      .prepare = train_prepare,    .run = frozen_run};
static const gb_axis axis_d = {GB_SIZE(gb_axis), .type = GB_I64, .name = "d", .values = "8"};
static const gb_axis axis_batch = {GB_SIZE(gb_axis), .type = GB_I64, .name = "batch", .values = "16"};
static const gb_axis axis_layers = {GB_SIZE(gb_axis), .type = GB_I64, .name = "layers", .values = "12"};
static const gb_bench bench = {GB_SIZE(gb_bench),
                               .flags = GB_BENCH_ITERABLE,
                               .name = "step",
                               .contract = "gpubench.org/test/train/step/1",
                               .summary = "forward, backward, Adam",
                               .axes = (const gb_axis *const[]){&axis_d, &axis_batch, &axis_layers, NULL},
                               .variants = (const gb_variant *const[]){&eager, &frozen, NULL},
                               .supports = train_supports,
                               .setup = train_setup,
                               .fill = train_fill,
                               .reference = train_reference,
                               .verify = train_verify};

static gb_status train_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  const gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "train", .version = "1.0.0", .open = train_open};

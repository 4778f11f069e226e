/* Small examples of what a plugin may do on a device besides reading inputs and writing outputs: calls that continue
 * from each other's results, updates in place, outputs that `after` copies back, inputs that the bench fills, outputs
 * that are compared bit for bit, tensors in host memory, and memory that is kept until `close`. For the correct
 * variants there are also wrong ones. */
#include "ok_device.h"

#include <gpubench/sugar.h>
#include <math.h>
#include <stdlib.h>

/* Sizes that are not multiples of the size of any block or tile. */
enum { N = 30011, NEAR = 7, ROWS = 257, COLS = 509, PITCH = 515, TENSORS = 4 };

static gb_sdk gb;

/* ---- Benches ---- */

/* The description of a bench, to which `user` points. It is also the state of the bench's cases. */
struct problem {
  gb_tensor tensors[TENSORS];
  void (*exact)(double *const *values); /* computes outputs from inputs; there is a pointer for each tensor */
};

static gb_status any_setup(const gb_bench *self, gb_case *c, void **state) {
  const struct problem *problem = self->user;
  const int at_home = strstr(gb.point->contract(c), "/home/") != NULL;
  gb_status status = GB_OK;
  *state = (void *)(uintptr_t)problem; /* the state is never written */
  for (int i = 0; i < TENSORS && problem->tensors[i].name != NULL && status == GB_OK; i++) {
    gb_tensor t = problem->tensors[i];
    t.struct_size = (uint32_t)sizeof t;
    if (at_home) t.memory = gb_axis_is(&gb, c, "memory", "pinned") ? GB_MEM_PINNED : GB_MEM_HOST;
    status = gb.tensor->declare(c, &t);
  }
  return status;
}

static uint64_t elements_of(gb_case *c, const char *name) {
  uint64_t count = 1;
  for (uint32_t i = 0; i < gb.tensor->rank(c, name); i++)
    count *= (uint64_t)gb.tensor->dim(c, name, i);
  return count;
}

static double *claim(gb_case *c, uint64_t count) {
  double *values = calloc(count, sizeof *values);
  if (values == NULL) gb_failf(&gb, c, GB_ENOMEM, "no host memory for %llu values", (unsigned long long)count);
  return values;
}

static gb_status any_reference(const gb_bench *self, gb_case *c, void *state) {
  const struct problem *problem = state;
  const uint32_t tensors = gb.tensor->count(c);
  double *values[TENSORS] = {NULL};
  gb_status status = GB_OK;
  (void)self;
  for (uint32_t i = 0; i < tensors && status == GB_OK; i++) {
    const char *name = gb.tensor->name(c, i);
    const uint32_t role = gb.tensor->role(c, name);
    values[i] = claim(c, elements_of(c, name));
    if (values[i] == NULL) status = GB_ENOMEM;
    if (status == GB_OK && (role == GB_IN || role == GB_INOUT))
      status = gb.tensor->input(c, name, 0, elements_of(c, name), values[i]);
  }
  if (status == GB_OK) problem->exact(values);
  for (uint32_t i = 0; i < tensors; i++) {
    const char *name = gb.tensor->name(c, i);
    const uint32_t role = gb.tensor->role(c, name);
    if (status == GB_OK && (role == GB_OUT || role == GB_INOUT))
      status = gb.tensor->expect(c, name, 0, elements_of(c, name), values[i]);
    free(values[i]);
  }
  return status;
}

/* Checks, in `verify`, that gpubench names the right contract, state and variant. */
static gb_status check_words(const gb_bench *self, gb_case *c, const void *state) {
  const char *math = gb.point->math(c);
  const int right = strcmp(gb.point->contract(c), self->contract) == 0 && gb.point->state(c) == state;
  if (right && math != NULL && strcmp(math, "fp32") == 0) return GB_OK;
  return gb_failf(&gb, c, GB_EFAIL, "this is no %s in fp32", self->contract);
}

/* ---- Variants ---- */

static const struct device_ops *ops_of(const gb_variant *self) {
  return self->user;
}

/* Returns true for wrong variants, which are those that run only if they are selected by name. */
static int is_wrong(const gb_variant *self) {
  return (self->flags & GB_VARIANT_BY_NAME) != 0;
}

static gb_status check(const gb_variant *self, gb_case *c, int rc) {
  return rc == 0 ? GB_OK : gb_failf(&gb, c, GB_EDEVICE, "%s: cudaError %d", self->name, rc);
}

/* Allocates memory of the variant's own, three times the size of the first tensor. */
static gb_status own_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  *vstate = gb.mem->alloc(c, GB_MEM_DEVICE, 3 * elements_of(c, gb.tensor->name(c, 0)) * sizeof(float));
  if (*vstate == NULL) return GB_ENOMEM;
  return self->refresh != NULL ? self->refresh(self, c, *vstate) : GB_OK;
}

static gb_status nothing(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)c;
  (void)vstate;
  return GB_OK;
}

/* ---- Oscillators: each call continues from the last one, and the exact result of any number of steps is known ---- */

/* Computes the exact result of `steps` leapfrog steps. Each step turns (s q, p) by a fixed angle, with s near 1. */
static void go(double *q, double *p, double steps) {
  const double s = sqrt(1 - DEVICE_DT * DEVICE_DT / 4), angle = steps * acos(1 - DEVICE_DT * DEVICE_DT / 2);
  const double q0 = *q, p0 = *p;
  *q = cos(angle) * q0 + sin(angle) / s * p0;
  *p = cos(angle) * p0 - sin(angle) * s * q0;
}

static void oscillators_exact(double *const *values) {
  for (int i = 0; i < N; i++)
    go(&values[0][2 * i], &values[0][2 * i + 1], 1);
}

/* Compares the state that the variant left with the exact result. The rounding of a step changes the result by less
 * than 1e-6, because no value is above 5 and a rotation does not enlarge an error. If the number of steps is unknown,
 * checks instead that the energy is conserved. */
static gb_status judge(gb_case *c, const double *then, const double *now) {
  const double steps = (double)gb.tensor->steps(c), s2 = 1 - DEVICE_DT * DEVICE_DT / 4;
  double worst = 0;
  for (int i = 0; i < N; i++) {
    double q = then[i], p = then[N + i];
    const double energy = s2 * q * q + p * p, off = fabs(s2 * now[i] * now[i] + now[N + i] * now[N + i] - energy);
    go(&q, &p, steps);
    const double far = fmax(fabs(now[i] - q), fabs(now[N + i] - p));
    worst = fmax(worst, isfinite(off) ? steps > 0 ? far : off / (1 + energy) : INFINITY);
  }
  if (worst <= (steps > 0 ? 1e-6 * (10 + steps) : 0.01)) return GB_OK;
  return gb_failf(&gb, c, GB_EFAIL, "off by %.3g after %.0f steps", worst, steps);
}

static gb_status oscillators_verify(const gb_bench *self, gb_case *c, void *state) {
  double *then = claim(c, 4 * N), *now = then + 2 * N;
  gb_status status = then == NULL ? GB_ENOMEM : check_words(self, c, state);
  for (uint64_t part = 0; part < 2 && status == GB_OK; part++) { /* all q, then all p */
    status = gb.tensor->input_strided(c, "state", part, 2, N, then + part * N);
    if (status == GB_OK) status = gb.tensor->output_strided(c, "state", part, 2, N, now + part * N);
  }
  if (status == GB_OK) status = judge(c, then, now);
  free(then);
  return status;
}

/* Takes a step of the oscillators. Their state is in the tensor or, if the variant has memory for it, in that
 * memory. */
static gb_status step_run(const gb_variant *self, gb_case *c, void *vstate) {
  float *state = vstate != NULL ? vstate : gb.tensor->data(c, "state");
  return check(self, c, ops_of(self)->step(state, N, NULL, gb.cuda->stream(c)));
}

/* Copies the oscillators into the variant's own memory, in reverse order. */
static gb_status mirrored_refresh(const gb_variant *self, gb_case *c, void *vstate) {
  return check(self, c, ops_of(self)->reverse(gb.tensor->data(c, "state"), vstate, N, gb.cuda->stream(c)));
}

static gb_status mirrored_after(const gb_variant *self, gb_case *c, void *vstate) {
  return check(self, c, ops_of(self)->reverse(vstate, gb.tensor->data(c, "state"), N, gb.cuda->stream(c)));
}

/* A wrong variant: takes the first step after the inputs were filled, and then omits every second step. */
static gb_status lazy_refresh(const gb_variant *self, gb_case *c, void *vstate) {
  (void)vstate;
  return check(self, c, ops_of(self)->count(gb.tensor->data(c, "turns"), 1, gb.cuda->stream(c)));
}

static gb_status lazy_run(const gb_variant *self, gb_case *c, void *vstate) {
  int32_t *turns = gb.tensor->data(c, "turns");
  (void)vstate;
  const int rc = ops_of(self)->step(gb.tensor->data(c, "state"), N, turns, gb.cuda->stream(c));
  return check(self, c, rc == 0 ? ops_of(self)->count(turns, 0, gb.cuda->stream(c)) : rc);
}

/* ---- SGD with momentum: weights that are updated in place, and a copy of them with gaps between its rows ---- */

static void update(double *w, double *m, const double *g, int count) {
  for (int i = 0; i < count; i++) {
    m[i] = DEVICE_MOMENTUM * m[i] + g[i];
    w[i] -= DEVICE_RATE * m[i];
  }
}

static void sgd_exact(double *const *values) {
  update(values[0], values[1], values[2], ROWS * COLS);
  memcpy(values[3], values[0], ROWS * COLS * sizeof *values[0]);
}

/* Verifies the last column of the weights a second time, and that the copy is identical to the weights. */
static gb_status sgd_verify(const gb_bench *self, gb_case *c, void *state) {
  static const char *const names[] = {"w", "m", "g"};
  double in[3][ROWS], w[ROWS], copy[ROWS];
  gb_status status = check_words(self, c, state);
  for (int i = 0; i < 3 && status == GB_OK; i++)
    status = gb.tensor->input_strided(c, names[i], COLS - 1, COLS, ROWS, in[i]);
  if (status == GB_OK) status = gb.tensor->output_strided(c, "w", COLS - 1, COLS, ROWS, w);
  if (status == GB_OK) status = gb.tensor->output_strided(c, "copy", COLS - 1, COLS, ROWS, copy);
  if (status != GB_OK) return status;
  if (gb.tensor->steps(c) != 1) return gb_failf(&gb, c, GB_EFAIL, "this is not one step");
  update(in[0], in[1], in[2], ROWS);
  for (int i = 0; i < ROWS; i++)
    if (!(fabs(w[i] - in[0][i]) <= 1e-5) || fabs(copy[i] - w[i]) > 0)
      return gb_failf(&gb, c, GB_EFAIL, "row %d: w is %.9g, its copy %.9g, expected %.9g", i, w[i], copy[i], in[0][i]);
  return GB_OK;
}

static gb_status apply(const gb_variant *self, gb_case *c, float *copy, int keeps) {
  const struct sgd work = {gb.tensor->data(c, "w"),        gb.tensor->data(c, "m"),   copy,
                           gb.tensor->data(c, "g"),        gb.tensor->dim(c, "w", 0), gb.tensor->dim(c, "w", 1),
                           gb.tensor->stride(c, "copy", 0)};
  return check(self, c, ops_of(self)->sgd(&work, keeps, gb.cuda->stream(c)));
}

/* Keeps the copy of the weights in the variant's own memory, if it has any. `after` then copies it to the tensor. */
static gb_status update_run(const gb_variant *self, gb_case *c, void *vstate) {
  return apply(self, c, vstate != NULL ? vstate : gb.tensor->data(c, "copy"), 1);
}

static gb_status forgetful_run(const gb_variant *self, gb_case *c, void *vstate) {
  (void)vstate;
  return apply(self, c, gb.tensor->data(c, "copy"), 0);
}

static gb_status remote_after(const gb_variant *self, gb_case *c, void *vstate) {
  const size_t bytes = ((ROWS - 1) * PITCH + COLS) * sizeof(float);
  return check(self, c, ops_of(self)->copy(gb.tensor->data(c, "copy"), vstate, bytes, gb.cuda->stream(c)));
}

/* ---- Neighbours: a list that the bench fills, and values whose bits must all be right ---- */

/* Fills the lists of neighbours. The entries of each list increase: entry k is from the k-th share of all elements. */
static gb_status neighbours_fill(const gb_bench *self, gb_case *c, void *state) {
  const uint64_t share = N / NEAR, seed = gb.point->seed(c);
  gb_status status = GB_OK;
  (void)self;
  (void)state;
  for (uint64_t i = 0; i < N && status == GB_OK; i++) {
    double row[NEAR];
    for (uint64_t k = 0; k < NEAR; k++)
      row[k] = (double)(k * share + gb.rng->below(seed, 1, i * NEAR + k, share));
    status = gb.input->write(c, "list", i * NEAR, NEAR, row);
    if (status == GB_OK) status = gb.progress->step(c, i + 1, N);
  }
  return status;
}

static void neighbours_exact(double *const *values) {
  for (int i = 0; i < N * NEAR; i++)
    values[2][i] = values[0][(int)values[1][i]];
}

/* Memory that the first call of `prepare` in a process allocates, and that `close` frees. */
static struct {
  const struct device_ops *ops;
  void *memory;
} kept;

static gb_status gather_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  (void)vstate;
  if (kept.ops != NULL) return GB_OK;
  const int rc = ops_of(self)->take(&kept.memory, 1 << 20);
  if (rc == 0) kept.ops = ops_of(self);
  return check(self, c, rc);
}

static gb_status gather_run(const gb_variant *self, gb_case *c, void *vstate) {
  const float *x = gb.tensor->data(c, "x");
  const int32_t *list = gb.tensor->data(c, "list");
  const int64_t flip = is_wrong(self) ? N * NEAR / 2 : -1;
  (void)vstate;
  return check(self, c, ops_of(self)->gather(x, list, gb.tensor->data(c, "y"), N * NEAR, flip, gb.cuda->stream(c)));
}

/* ---- Home: all tensors are in host memory ---- */

static void home_exact(double *const *values) {
  for (int i = 0; i < N; i++) {
    values[1][i] = 2 * values[0][i] + 1;
    values[2][i] += values[0][i];
  }
}

/* Copies the inputs to the device, computes, and copies the outputs back. */
static gb_status copies_run(const gb_variant *self, gb_case *c, void *vstate) {
  struct CUstream_st *stream = gb.cuda->stream(c);
  const struct device_ops *ops = ops_of(self);
  const size_t bytes = N * sizeof(float), missing = is_wrong(self) ? sizeof(float) : 0;
  float *x = vstate, *y = x + N, *sum = y + N, *home = gb.tensor->data(c, "sum");
  int rc = ops->copy(x, gb.tensor->data(c, "x"), bytes, stream);
  if (rc == 0) rc = ops->copy(sum, home, bytes, stream);
  if (rc == 0) rc = ops->add(x, y, sum, N, stream);
  if (rc == 0) rc = ops->copy(home, sum, bytes, stream);
  if (rc == 0) rc = ops->copy(gb.tensor->data(c, "y"), y, bytes - missing, stream);
  return check(self, c, rc);
}

static gb_status waits_run(const gb_variant *self, gb_case *c, void *vstate) {
  const gb_status status = copies_run(self, c, vstate);
  return status == GB_OK ? check(self, c, ops_of(self)->wait(gb.cuda->stream(c))) : status;
}

/* Lets the device access host memory directly. */
static gb_status mapped_run(const gb_variant *self, gb_case *c, void *vstate) {
  float *y = gb.tensor->data(c, "y"), *sum = gb.tensor->data(c, "sum");
  (void)vstate;
  return check(self, c, ops_of(self)->add(gb.tensor->data(c, "x"), y, sum, N, gb.cuda->stream(c)));
}

/* ---- The tables ---- */

static const int64_t one[] = {1}, each[] = {N}, pairs[] = {N, 2}, lists[] = {N, NEAR}, matrix[] = {ROWS, COLS},
                     pitched[] = {PITCH, 1};

#define SHAPE(count, extents) .rank = count, .shape = extents
#define F32 .dtype = GB_DTYPE_F32
#define NORMAL F32, .fill = GB_FILL_NORMAL, .fill_b = 1

enum { OSCILLATORS, SGD, NEIGHBOURS, HOME, BENCHES };

static const struct problem problems[BENCHES] = {
    [OSCILLATORS] = {{{.name = "state", .role = GB_INOUT, SHAPE(2, pairs), NORMAL, .tolerance = 1e-6},
                      {.name = "turns", .role = GB_SCRATCH, SHAPE(1, one), .dtype = GB_DTYPE_I32}},
                     oscillators_exact},
    [SGD] = {{{.name = "w", .role = GB_INOUT, SHAPE(2, matrix), NORMAL, .tolerance = 1e-6},
              {.name = "m", .role = GB_INOUT, SHAPE(2, matrix), NORMAL, .tolerance = 1e-6},
              {.name = "g", .role = GB_IN, SHAPE(2, matrix), NORMAL},
              {.name = "copy", .role = GB_OUT, SHAPE(2, matrix), F32, .strides = pitched}},
             sgd_exact},
    [NEIGHBOURS] = {{{.name = "x", .role = GB_IN, SHAPE(1, each), NORMAL},
                     {.name = "list", .role = GB_IN, SHAPE(2, lists), .dtype = GB_DTYPE_I32, .fill = GB_FILL_BENCH},
                     {.name = "y", .role = GB_OUT, SHAPE(2, lists), F32, .flags = GB_TENSOR_EXACT}},
                    neighbours_exact},
    [HOME] = {{{.name = "x", .role = GB_IN, SHAPE(1, each), NORMAL, .offset_bytes = 4},
               {.name = "y", .role = GB_OUT, SHAPE(1, each), F32, .offset_bytes = 12, .reduction = 1},
               {.name = "sum", .role = GB_INOUT, SHAPE(1, each), NORMAL, .reduction = 2}},
              home_exact},
};

static const gb_axis memory = {GB_SIZE(gb_axis), .type = GB_STR, .name = "memory", .choices = "pinned,pageable",
                               .values = "pinned,pageable"};

#define BENCH(label)                                                                                        \
  GB_SIZE(gb_bench), .name = label, .contract = "gpubench.org/test/device/" label "/1", .setup = any_setup, \
                     .reference = any_reference

static gb_bench benches[BENCHES] = {
    [OSCILLATORS] = {BENCH("oscillators"), .flags = GB_BENCH_STATEFUL, .verify = oscillators_verify},
    [SGD] = {BENCH("sgd"), .flags = GB_BENCH_ITERABLE, .verify = sgd_verify},
    [NEIGHBOURS] = {BENCH("neighbours"), .fill = neighbours_fill},
    [HOME] = {BENCH("home"), .flags = GB_BENCH_ITERABLE | GB_BENCH_NO_ROOF, .axes = GB_LIST(gb_axis, &memory)},
};

#define WRONG .flags = GB_VARIANT_BY_NAME

/* The variants, without their device. Each is registered once for every device. The first one of a bench is its
 * baseline. */
static const struct {
  int bench;
  gb_variant v;
} forms[] = {
    {OSCILLATORS, {.name = "step", .run = step_run}},
    {OSCILLATORS,
     {.name = "mirrored",
      .flags = GB_VARIANT_DERIVED,
      .prepare = own_prepare,
      .refresh = mirrored_refresh,
      .run = step_run,
      .after = mirrored_after}},
    {OSCILLATORS,
     {.name = "lazy",
      .flags = GB_VARIANT_DERIVED | GB_VARIANT_BY_NAME,
      .prepare = own_prepare,
      .refresh = lazy_refresh,
      .run = lazy_run}},
    {SGD, {.name = "update", .run = update_run}},
    {SGD, {.name = "remote", .prepare = own_prepare, .run = update_run, .after = remote_after}},
    {SGD, {.name = "forgetful", WRONG, .run = forgetful_run}},
    {SGD, {.name = "late", WRONG, .run = nothing, .after = update_run}},
    {NEIGHBOURS, {.name = "gather", .prepare = gather_prepare, .run = gather_run}},
    {NEIGHBOURS, {.name = "flip", WRONG, .run = gather_run}},
    {HOME, {.name = "copies", .prepare = own_prepare, .run = copies_run}},
    {HOME, {.name = "mapped", .run = mapped_run}},
    {HOME, {.name = "waits", .flags = GB_VARIANT_SYNC, .prepare = own_prepare, .run = waits_run}},
    {HOME, {.name = "short", WRONG, .prepare = own_prepare, .run = copies_run}},
};

static const struct device_ops *const devices[] = {
    &device_cpu,
#ifdef GPUBENCH_CUDA
    &device_cuda,
#endif
};
enum { FORMS = sizeof forms / sizeof forms[0], DEVICES = sizeof devices / sizeof devices[0] };

static gb_status device_open(const gb_host *host, gb_registry *registry, void **self) {
  static gb_variant variants[FORMS * DEVICES];
  static const gb_variant *offered[BENCHES][FORMS * DEVICES + 1];
  int counts[BENCHES] = {0};
  (void)self;
  for (int i = 0; i < FORMS * DEVICES; i++) {
    const int bench = forms[i / DEVICES].bench;
    gb_variant *v = &variants[i];
    *v = forms[i / DEVICES].v;
    v->struct_size = (uint32_t)sizeof *v;
    v->user = devices[i % DEVICES];
    v->backend = devices[i % DEVICES]->backend;
    v->math = "fp32";
    if (counts[bench] < DEVICES) v->flags |= GB_VARIANT_BASELINE;
    offered[bench][counts[bench]++] = v;
  }
  gb_status status = gb_sdk_open(&gb, host);
  for (int i = 0; i < BENCHES && status == GB_OK; i++) {
    benches[i].variants = offered[i];
    benches[i].user = &problems[i];
    status = host->add(host, registry, &benches[i]);
  }
  return status;
}

/* Frees the device memory that was kept. No device call is allowed in `close`, but some libraries make one all the
 * same, and it must do no harm. Writes the result of the call to the file that the environment variable DEVICE_CLOSED
 * names. */
static void device_close(const gb_host *host, void *self) {
  const char *path = getenv("DEVICE_CLOSED");
  (void)host;
  (void)self;
  if (kept.ops == NULL) return;
  const int rc = kept.ops->give(kept.memory);
  FILE *file = path != NULL ? fopen(path, "a") : NULL;
  if (file == NULL) return;
  fprintf(file, "%s memory given back: %d\n", kept.ops->backend, rc);
  fclose(file);
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "device", .version = "1.0.0", .open = device_open,
                                .close = device_close};

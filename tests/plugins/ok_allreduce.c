/* An all-reduce: computes a sum over the devices of a case, which each device has in the end. Row i of x is the input
 * of device i, and row i of y its result. The tensors are on the first device. The rows of the other devices are copied
 * to these when inputs change, and back before outputs are verified. */
#include "ok_allreduce.h"

#include <stdlib.h>
#include <string.h>

gb_sdk gb;

enum { DEVICES_MOST = 64 };

static gb_status setup(const gb_bench *self, gb_case *c, void **state) {
  const int64_t count = gb.devices->count(c), n = gb.point->i64(c, "n"), shape[] = {count, n};
  const uint64_t bytes = (uint64_t)(count * n) * sizeof(float);
  (void)self, (void)state;
  gb_tensor t = {GB_SIZE(gb_tensor), .role = GB_IN, .dtype = GB_DTYPE_F32, .rank = 2, .shape = shape};
  t.name = "x";
  t.fill = GB_FILL_NORMAL;
  t.fill_b = 1;
  if (gb.tensor->declare(c, &t) != GB_OK) return GB_EINVAL;
  t.name = "y";
  t.role = GB_OUT;
  t.reduction = (uint64_t)count;
  if (gb.tensor->declare(c, &t) != GB_OK) return GB_EINVAL;
  return gb.point->work(c, &(gb_work){GB_SIZE(gb_work), .bytes_read = bytes, .bytes_written = bytes});
}

static gb_status reference(const gb_bench *self, gb_case *c, void *state) {
  const uint64_t count = gb.devices->count(c), n = (uint64_t)gb.point->i64(c, "n");
  double *row = malloc(n * sizeof *row), *sum = calloc(n, sizeof *sum);
  gb_status status = row == NULL || sum == NULL ? GB_ENOMEM : GB_OK;
  (void)self, (void)state;
  for (uint64_t i = 0; i < count && status == GB_OK; i++) {
    status = gb.tensor->input(c, "x", i * n, n, row);
    for (uint64_t j = 0; j < n; j++)
      sum[j] += row[j];
  }
  for (uint64_t i = 0; i < count && status == GB_OK; i++)
    status = gb.tensor->expect(c, "y", i * n, n, sum);
  free(row);
  free(sum);
  return status;
}

/* ---- On processors ---- */

/* The rows of a variant on each of the devices. */
struct rows {
  uint32_t count;
  size_t n;
  const float *x;
  float *y;
  float *in[DEVICES_MOST], *out[DEVICES_MOST]; /* rows of each device; those of the first one are in x and y */
  char skips;                                  /* true: the sum omits the last device, which is wrong */
};

static gb_status refresh(const gb_variant *self, gb_case *c, void *vstate) {
  struct rows *r = vstate;
  (void)self, (void)c;
  for (uint32_t i = 1; i < r->count; i++)
    memcpy(r->in[i], r->x + i * r->n, r->n * sizeof *r->x);
  return GB_OK;
}

static gb_status prepare(const gb_variant *self, gb_case *c, void **vstate) {
  struct rows *r = calloc(1, sizeof *r);
  if (r == NULL) return GB_ENOMEM;
  r->count = gb.devices->count(c);
  r->n = (size_t)gb.point->i64(c, "n");
  r->x = gb.tensor->data(c, "x");
  r->y = gb.tensor->data(c, "y");
  r->skips = self->user != NULL;
  r->in[0] = (float *)gb.tensor->data(c, "x");
  r->out[0] = r->y;
  for (uint32_t i = 1; i < r->count; i++) {
    r->in[i] = gb.devices->alloc(c, i, r->n * sizeof(float));
    r->out[i] = gb.devices->alloc(c, i, r->n * sizeof(float));
    if (r->in[i] == NULL || r->out[i] == NULL) return free(r), GB_ENOMEM;
  }
  *vstate = r;
  return refresh(self, c, r);
}

static gb_status run(const gb_variant *self, gb_case *c, void *vstate) {
  struct rows *r = vstate;
  (void)self, (void)c;
  for (size_t j = 0; j < r->n; j++) {
    float sum = 0;
    for (uint32_t i = 0; i < r->count; i++)
      sum += r->in[i][j];
    for (uint32_t i = 0; i < r->count - (r->skips ? 1 : 0); i++)
      r->out[i][j] = sum;
  }
  return GB_OK;
}

static gb_status after(const gb_variant *self, gb_case *c, void *vstate) {
  struct rows *r = vstate;
  (void)self, (void)c;
  for (uint32_t i = 1; i < r->count; i++)
    memcpy(r->y + i * r->n, r->out[i], r->n * sizeof *r->y);
  return GB_OK;
}

static void release(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)c;
  free(vstate);
}

/* ---- Errors ---- */

static gb_status several(const gb_variant *self, gb_case *c) {
  (void)self;
  return gb.devices->count(c) > 1 ? GB_OK : gb_failf(&gb, c, GB_SKIP, "the last device is the first");
}

/* Asks for memory on a device that the case does not have. */
static gb_status beyond(const gb_variant *self, gb_case *c, void **vstate) {
  gb.devices->alloc(c, gb.devices->count(c), 1);
  return prepare(self, c, vstate);
}

static gb_status late(const gb_variant *self, gb_case *c, void *vstate) {
  gb.devices->alloc(c, gb.devices->count(c) - 1, 1);
  return run(self, c, vstate);
}

#define ON_CPU GB_SIZE(gb_variant), .backend = "cpu", .math = "fp32", .release = release
#define AS_IT_IS .prepare = prepare, .refresh = refresh, .run = run, .after = after

static const gb_variant plain = {ON_CPU, AS_IT_IS, .name = "plain", .flags = GB_VARIANT_DERIVED | GB_VARIANT_BASELINE};

enum { SLIP = GB_VARIANT_DERIVED | GB_VARIANT_BY_NAME };

static const gb_variant forgets = {ON_CPU,        AS_IT_IS,        .name = "forgets-the-last",
                                   .flags = SLIP, .user = "skips", .supports = several};
static const gb_variant asks_beyond = {ON_CPU, .name = "asks-beyond", .flags = SLIP, .prepare = beyond, .run = run};
static const gb_variant asks_late = {ON_CPU, .name = "asks-late", .flags = SLIP, .prepare = prepare, .run = late};

/* ---- The bench ---- */

static const gb_axis devices = {GB_SIZE(gb_axis), .type = GB_I64, .name = "devices", .values = "1,2",
                                .summary = "that take part"};
static const gb_axis n = {GB_SIZE(gb_axis), .type = GB_I64, .name = "n", .unit = "elements", .values = "64k"};

#ifdef GPUBENCH_CUDA
#define ON_GPUS , &allreduce_peer, &allreduce_nccl
#else
#define ON_GPUS
#endif

static const gb_bench allreduce = {
    GB_SIZE(gb_bench),
    .name = "allreduce",
    .contract = "example.org/collective/allreduce/1",
    .summary = "a sum over the devices of a case, which each of them has in the end",
    .axes = GB_LIST(gb_axis, &devices, &n),
    .devices_axis = "devices",
    .variants = GB_LIST(gb_variant, &plain, &forgets, &asks_beyond, &asks_late ON_GPUS),
    .setup = setup,
    .reference = reference,
};

static gb_status open_plugin(const gb_host *host, gb_registry *registry, void **self) {
  gb_status status = gb_sdk_open(&gb, host);
  (void)self;
  if (status == GB_OK) status = host->add(host, registry, &allreduce);
  return status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "collective", .version = "1.0.0", .open = open_plugin};

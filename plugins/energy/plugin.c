/* The energy plugin measures how much energy certain work takes, such as a copy or a matrix product. This file has the
 * tables of its benches (computations) and variants (implementations of a bench), and the callbacks of the variants.
 * Tensors and expected results are in benches.c, the computations in cpu.c, kernels.cu and lt.c, their memory in
 * workspace.c. README.md says what each bench computes. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "benches.h"
#include "kernels.h"
#include "lt.h"
#include "workspace.h"

#define gb energy_gb

/* ---- Callbacks -------------------------------------------------------------------------------------------------- */

/* The implementation of a variant, to which gb_variant.user points: a function of kernels.h or a precision of cuBLASLt,
 * and the share of the device to use. */
struct method {
  int (*run)(const struct energy_call *call);
  int (*cuda_prepare)(const struct energy_call *call);
  int (*workspace)(gb_case *c, struct energy_call *call); /* sets call->work; returns a gb_status */
  gb_status (*derive)(gb_case *c, const struct energy_call *call,
                      int precision); /* fills the workspace from the inputs */
  int lt, precision;                  /* lt: true for a product by cuBLASLt, in this precision */
  int of_all;                         /* the variant uses 1 / of_all of the threads; 0: all threads */
  int quarters;                       /* how many quarters of the multiprocessors the variant uses; 0: all */
  int one;                            /* true: the variant uses one thread */
  int phase;                          /* when a burst begins, in tenths of a period */
};

struct state {
  const struct method *method;
  struct energy_call call;
  struct energy_lt *lt;
};

static const struct method *energy_method_of(const gb_variant *self) {
  return self->user;
}

static int is_bench(gb_case *c, const char *name) {
  return strncmp(gb.point->key(c), name, strlen(name)) == 0;
}

static int threads_offered(gb_case *c) {
  return gb_threads(&gb, c, 1024);
}

static int32_t share_of_threads(gb_case *c, const struct method *how) {
  return how->one ? 1 : (int32_t)(threads_offered(c) / (how->of_all > 0 ? how->of_all : 1));
}

static int32_t share_of_units(gb_case *c, const struct method *how) {
  const int64_t units = gb.device->i64(c, "sm_count");
  return units < 1 ? 1 : how->quarters > 0 ? (int32_t)((units * how->quarters + 3) / 4) : (int32_t)units;
}

/* Sets the members of `call` from the axes that the bench has. */
static void take_energy_axes(gb_case *c, const struct method *how, struct energy_call *call) {
  if (is_bench(c, "energy/copy") || is_bench(c, "energy/job"))
    call->size = gb.point->i64(c, "bytes") / 4 / ENERGY_SEGMENT;
  if (is_bench(c, "energy/gemm") || is_bench(c, "energy/data")) call->size = gb.point->i64(c, "n");
  if (is_bench(c, "energy/small")) call->steps = gb.point->i64(c, "steps");
  if (is_bench(c, "energy/idle")) call->ns = gb.point->i64(c, "ms") * 1000000;
  if (!is_bench(c, "energy/selftest")) return;
  call->period = gb.point->i64(c, "period_ms") * 1000000;
  call->phase = call->period * how->phase / 10;
  call->ns = (int64_t)((double)call->period * gb.point->f64(c, "duty"));
}

static void take_tensors(gb_case *c, struct energy_call *call) {
  const int product = is_bench(c, "energy/gemm") || is_bench(c, "energy/data");
  if (product) call->a = gb.tensor->data(c, "a");
  if (product) call->b = gb.tensor->data(c, "b");
  if (!product && !is_bench(c, "energy/idle")) call->x = gb.tensor->data(c, "x");
  call->y = gb.tensor->data(c, "y");
}

#ifdef GPUBENCH_CUDA
static const char *energy_error_text(int error) {
  return energy_cuda_error(error);
}

static gb_status open_lt(gb_case *c, struct state *s) {
  const struct energy_call *call = &s->call;
  const bool copies = call->work != NULL;
  const void *a = copies ? energy_copy_of(call, 0) : call->a, *b = copies ? energy_copy_of(call, 1) : call->b;
  return energy_lt_open(&gb, c, call->size, s->method->precision, a, b, call->y, &s->lt);
}

static gb_status run_lt_gemm(gb_case *c, const struct state *s) {
  return energy_lt_run(&gb, c, s->lt);
}

static void close_lt(struct state *s) {
  energy_lt_close(s->lt);
}
#else
static const char *energy_error_text(int error) {
  (void)error;
  return "built without CUDA";
}

static gb_status open_lt(gb_case *c, struct state *s) {
  (void)s;
  return gb_failf(&gb, c, GB_ENOTSUP, "built without CUDA");
}

static gb_status run_lt_gemm(gb_case *c, const struct state *s) {
  (void)c;
  (void)s;
  return GB_ENOTSUP;
}

static void close_lt(struct state *s) {
  (void)s;
}
#endif

static gb_status build_energy(const gb_variant *self, gb_case *c, struct state *s) {
  const struct method *how = s->method = energy_method_of(self);
  struct energy_call *call = &s->call;
  take_energy_axes(c, how, call);
  take_tensors(c, call);
  call->threads = share_of_threads(c, how);
  call->units = share_of_units(c, how);
  call->shared = gb.device->i64(c, "shared_memory_per_block_bytes");
  call->stream = gb.cuda->stream(c);
  if (how->workspace != NULL) {
    const gb_status status = how->workspace(c, call);
    if (status != GB_OK) return status;
  }
  const int code = how->cuda_prepare != NULL ? how->cuda_prepare(call) : 0;
  if (code != 0) return gb_failf(&gb, c, GB_EDEVICE, "%s: cannot prepare: %s", self->name, energy_error_text(code));
  const gb_status status = how->derive != NULL ? how->derive(c, call, how->precision) : GB_OK;
  if (status != GB_OK) return status;
  return how->lt ? open_lt(c, s) : GB_OK;
}

static gb_status energy_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  struct state *s = calloc(1, sizeof *s);
  if (s == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory");
  const gb_status status = build_energy(self, c, s);
  if (status == GB_OK)
    *vstate = s;
  else
    free(s);
  return status;
}

static gb_status energy_refresh(const gb_variant *self, gb_case *c, void *vstate) {
  const struct state *s = vstate;
  (void)self;
  return s->method->derive(c, &s->call, s->method->precision);
}

static void energy_release(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)c;
  close_lt(vstate);
  free(vstate);
}

static gb_status energy_run(const gb_variant *self, gb_case *c, void *vstate) {
  const struct state *s = vstate;
  if (s->lt != NULL) return run_lt_gemm(c, s);
  const int code = s->method->run(&s->call);
  return code == 0 ? GB_OK : gb_failf(&gb, c, GB_EDEVICE, "%s: %s", self->name, energy_error_text(code));
}

static gb_status energy_supports(const gb_variant *self, gb_case *c) {
  const struct method *how = energy_method_of(self);
  if (is_bench(c, "energy/selftest") && gb.point->i64(c, "period_ms") == 0)
    return gb_failf(&gb, c, GB_SKIP, "only when asked for: --preset pulse-100ms, or -a period_ms=MS");
  const int needed = !how->lt || how->precision == ENERGY_FP32 ? 0 : how->precision == ENERGY_FP8 ? 89 : 80;
  const int64_t capability = needed > 0 ? gb.device->i64(c, "compute_capability") : 0;
  if (capability < needed)
    return gb_failf(&gb, c, GB_SKIP, "%s needs compute capability %d, the device has %lld", self->name, needed,
                    (long long)capability);
  if (how->of_all > 0 && threads_offered(c) < 2 * how->of_all)
    return gb_failf(&gb, c, GB_SKIP, "%s needs %d CPUs, there are %lld", self->name, 2 * how->of_all,
                    (long long)threads_offered(c));
  return GB_OK;
}

/* ---- Variants -------------------------------------------------------------------------------------------------- */

#define VARIANT(id, label, where, arithmetic, what, flag, ...) \
  static struct method id##_method = {__VA_ARGS__};            \
  static const gb_variant id = {GB_SIZE(gb_variant),           \
                                .flags = flag,                 \
                                .name = label,                 \
                                .summary = what,               \
                                .backend = where,              \
                                .math = arithmetic,            \
                                .user = &id##_method,          \
                                .supports = energy_supports,   \
                                .prepare = energy_prepare,     \
                                .run = energy_run,             \
                                .release = energy_release,     \
                                .refresh = (flag) == DERIVED ? energy_refresh : NULL}
#define BASE GB_VARIANT_BASELINE
#define DERIVED GB_VARIANT_DERIVED
#define PHASES(use) use(0) use(1) use(2) use(3) use(4) use(5) use(6) use(7) use(8) use(9)

VARIANT(cpu_copy, "threads", "cpu", "native", "memcpy by every thread", BASE, .run = energy_cpu_copy);
VARIANT(cpu_copy_one, "one-thread", "cpu", "native", "memcpy by one thread", 0, .run = energy_cpu_copy, .one = 1);
VARIANT(cpu_fp32, "fp32", "cpu", "fp32", "2 x 4 dot products at a time", BASE, .run = energy_cpu_gemm_fp32);
VARIANT(cpu_fp64, "fp64", "cpu", "fp64", "the same on copies in double precision", DERIVED, .run = energy_cpu_gemm_fp64,
        .workspace = energy_claim_doubles, .derive = energy_widen);
VARIANT(cpu_small, "threads", "cpu", "fp32", "a barrier of all threads after every step", 0, .run = energy_cpu_small);
VARIANT(cpu_small_one, "one-thread", "cpu", "fp32", "one thread, no barrier", BASE, .run = energy_cpu_small, .one = 1);
VARIANT(cpu_job, "threads-all", "cpu", "fp32", "every thread", BASE, .run = energy_cpu_job);
VARIANT(cpu_job_half, "threads-half", "cpu", "fp32", "half of the threads", 0, .run = energy_cpu_job, .of_all = 2);
VARIANT(cpu_job_one, "one-thread", "cpu", "fp32", "one thread", 0, .run = energy_cpu_job, .one = 1);
VARIANT(cpu_idle, "sleep", "cpu", "native", "no thread does anything", BASE, .run = energy_cpu_idle);
#define CPU_PHASE(n)                                                                                              \
  VARIANT(cpu_phase_##n, "phase-" #n, "cpu", "fp32", "bursts " #n " tenths of a period later", n == 0 ? BASE : 0, \
          .run = energy_cpu_burst, .phase = n);
PHASES(CPU_PHASE)

#ifdef GPUBENCH_CUDA
#define SYNC GB_VARIANT_SYNC
VARIANT(cuda_copy, "kernel", "cuda", "native", "16-byte accesses, 8 in flight per thread", BASE,
        .run = energy_cuda_copy);
VARIANT(cuda_copy_memcpy, "memcpy", "cuda", "native", "cudaMemcpyAsync", 0, .run = energy_cuda_copy_memcpy);
VARIANT(cuda_fp32, "fp32", "cuda", "fp32", "cuBLASLt without tensor cores", BASE, .lt = 1, .precision = ENERGY_FP32);
VARIANT(cuda_tf32, "tf32", "cuda", "tf32", "cuBLASLt", 0, .lt = 1, .precision = ENERGY_TF32);
VARIANT(cuda_fp16, "fp16", "cuda", "fp16", "cuBLASLt", DERIVED, .lt = 1, .precision = ENERGY_FP16,
        .workspace = energy_claim_copies, .derive = energy_narrow);
VARIANT(cuda_bf16, "bf16", "cuda", "bf16", "cuBLASLt", DERIVED, .lt = 1, .precision = ENERGY_BF16,
        .workspace = energy_claim_copies, .derive = energy_narrow);
VARIANT(cuda_fp8, "fp8", "cuda", "fp8", "cuBLASLt, e4m3", DERIVED, .lt = 1, .precision = ENERGY_FP8,
        .workspace = energy_claim_copies, .derive = energy_narrow);
VARIANT(cuda_small, "launches", "cuda", "fp32", "a kernel of one block for every step", BASE,
        .run = energy_cuda_small_launches, .workspace = energy_claim_rings);
VARIANT(cuda_small_kernel, "one-kernel", "cuda", "fp32", "one block, a barrier after every step", 0,
        .run = energy_cuda_small_kernel);
#define CUDA_JOB(id, label, what, flag, part)                                              \
  VARIANT(id, label, "cuda", "fp32", what, flag, .run = energy_cuda_job, .quarters = part, \
          .cuda_prepare = energy_cuda_job_prepare)
CUDA_JOB(cuda_job, "sms-all", "every SM", BASE, 4);
CUDA_JOB(cuda_job_3, "sms-3of4", "three quarters of the SMs", 0, 3);
CUDA_JOB(cuda_job_2, "sms-half", "half of the SMs", 0, 2);
CUDA_JOB(cuda_job_1, "sms-quarter", "a quarter of the SMs", 0, 1);
VARIANT(cuda_idle, "sleep", "cuda", "native", "the context is alive, nothing runs", BASE | SYNC,
        .run = energy_cuda_idle);
#define CUDA_PHASE(n)                                                                            \
  VARIANT(cuda_phase_##n, "phase-" #n, "cuda", "fp32", "bursts " #n " tenths of a period later", \
          n == 0 ? BASE | SYNC : SYNC, .run = energy_cuda_burst, .phase = n);
PHASES(CUDA_PHASE)
#define IF_CUDA(...) __VA_ARGS__
#else
#define IF_CUDA(...)
#endif

/* ---- Benches --------------------------------------------------------------------------------------------------- */

#define AXIS(id, kind, label, measure, what, any, lists)                                         \
  static const gb_axis id = {GB_SIZE(gb_axis), .type = kind,  .name = label,    .unit = measure, \
                             .summary = what,  .values = any, .defaults = lists}
#define ON_CUDA(id, list)                                                                                 \
  static const gb_axis_default id##_cuda = {GB_SIZE(gb_axis_default), .backend = "cuda", .values = list}; \
  static const gb_axis_default *const id[] = {&id##_cuda, NULL}
ON_CUDA(large_bytes, "1G");
ON_CUDA(large_n, "8k");
AXIS(axis_bytes, GB_I64, "bytes", "B", "size of each array", "64M", large_bytes);
AXIS(axis_n, GB_I64, "n", NULL, "rows of a, b and y, and terms of a sum", "512", large_n);
AXIS(axis_steps, GB_I64, "steps", NULL, "each needs the one before", "64", NULL);
AXIS(axis_ms, GB_I64, "ms", "ms", "length of a sleep", "20", NULL);
AXIS(axis_period, GB_I64, "period_ms", "ms",
     "from burst to burst: a multiple of the counter's step; 0: none, it is left out", "0", NULL);
AXIS(axis_duty, GB_F64, "duty", NULL, "share of a period that is a burst", "0.25", NULL);
static const gb_axis axis_data = {
    GB_SIZE(gb_axis),          .type = GB_STR,          .name = "data", .summary = "what the operands hold",
    .choices = "random,zeros", .values = "random,zeros"};

#define PRESET(id, label, where, what, on) \
  static const gb_preset id = {GB_SIZE(gb_preset), .name = label, .summary = what, .point = where, .backends = on}
PRESET(preset_zeros, "zeros", "data=zeros", "beside `gemm`, which is the same on random data", "cuda,cpu");
PRESET(preset_random, "random", "data=random", "what `gemm` multiplies", NULL);
PRESET(preset_pulse, "pulse-100ms", "period_ms=100", "with the step of NVML's counter", NULL);
PRESET(preset_fast_pulse, "pulse-10ms", "period_ms=10", "a multiple of the step of RAPL's counter", NULL);

#define LIST(type, ...)   \
  (const type *const[]) { \
    __VA_ARGS__, NULL     \
  }
#define HEAD(id, what)                                                                                   \
  GB_SIZE(gb_bench), .flags = GB_BENCH_ENERGY, .name = #id, .contract = "gpubench.org/energy/" #id "/1", \
                     .summary = what, .teardown = energy_teardown

static const gb_bench bench_idle = {HEAD(idle, "nothing: what being there costs"),
                                    .axes = LIST(gb_axis, &axis_ms),
                                    .variants = LIST(gb_variant, IF_CUDA(&cuda_idle, ) & cpu_idle),
                                    .supports = energy_idle_supports,
                                    .setup = energy_idle_setup,
                                    .reference = energy_idle_reference};

static const gb_bench bench_copy = {
    HEAD(copy, "energy per byte moved"),
    .axes = LIST(gb_axis, &axis_bytes),
    .variants = LIST(gb_variant, IF_CUDA(&cuda_copy, &cuda_copy_memcpy, ) & cpu_copy, &cpu_copy_one),
    .supports = energy_bytes_supports,
    .setup = energy_copy_setup,
    .reference = energy_copy_reference};

static const gb_bench bench_gemm = {
    HEAD(gemm, "energy of a product in each precision: y = a * transposed b"),
    .axes = LIST(gb_axis, &axis_n),
    .variants =
        LIST(gb_variant, IF_CUDA(&cuda_fp32, &cuda_tf32, &cuda_fp16, &cuda_bf16, &cuda_fp8, ) & cpu_fp32, &cpu_fp64),
    .supports = energy_gemm_supports,
    .setup = energy_gemm_setup,
    .reference = energy_gemm_reference};

static const gb_bench bench_data = {HEAD(data, "the same product on random data and on zeros"),
                                    .axes = LIST(gb_axis, &axis_n, &axis_data),
                                    .presets = LIST(gb_preset, &preset_zeros, &preset_random),
                                    .variants = LIST(gb_variant, IF_CUDA(&cuda_fp32, &cuda_bf16, ) & cpu_fp32),
                                    .user = &axis_data,
                                    .supports = energy_gemm_supports,
                                    .setup = energy_gemm_setup,
                                    .reference = energy_gemm_reference};

static const gb_bench bench_small = {
    HEAD(small, "energy of a step that is nothing but latency"),
    .axes = LIST(gb_axis, &axis_steps),
    .variants = LIST(gb_variant, IF_CUDA(&cuda_small, &cuda_small_kernel, ) & cpu_small, &cpu_small_one),
    .supports = energy_small_supports,
    .setup = energy_small_setup,
    .reference = energy_small_reference};

static const gb_bench bench_job = {
    HEAD(job, "one fixed job on more or less of the device: y smooths x"),
    .axes = LIST(gb_axis, &axis_bytes),
    .variants = LIST(gb_variant, IF_CUDA(&cuda_job, &cuda_job_3, &cuda_job_2, &cuda_job_1, ) & cpu_job, &cpu_job_half,
                     &cpu_job_one),
    .supports = energy_bytes_supports,
    .setup = energy_job_setup,
    .reference = energy_job_reference};

#define LIST_CPU_PHASE(n) &cpu_phase_##n,
#define LIST_CUDA_PHASE(n) &cuda_phase_##n,
static const gb_bench bench_selftest = {
    HEAD(selftest, "does the counter see a load that pulses with its own period?"),
    .axes = LIST(gb_axis, &axis_period, &axis_duty),
    .presets = LIST(gb_preset, &preset_pulse, &preset_fast_pulse),
    .variants = (const gb_variant *const[]){IF_CUDA(PHASES(LIST_CUDA_PHASE)) PHASES(LIST_CPU_PHASE) NULL},
    .supports = energy_selftest_supports,
    .setup = energy_selftest_setup,
    .reference = energy_selftest_reference};

static const gb_bench *const benches[] = {&bench_idle,  &bench_copy, &bench_gemm,     &bench_data,
                                          &bench_small, &bench_job,  &bench_selftest, NULL};

static gb_status energy_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  for (int i = 0; status == GB_OK && benches[i] != NULL; i++)
    status = host->add(host, registry, benches[i]);
  return status;
}

GB_EXPORT const gb_plugin gb_plugin_v1 = {
    GB_PLUGIN_HEAD,
    .id = "energy",
    .version = "0.1.0",
    .summary = "energy per byte, per operation and per step, and whether the counter can be trusted",
    .open = energy_open,
};

/* The calibrate plugin measures what the machine can do at most: the cost of a launch, the bandwidth of memory, the
 * rate of multiply-adds. This file has the tables of its benches (computations) and variants (implementations of a
 * bench), and the callbacks of the variants. Tensors and expected results are in benches.c, the kernels in kernels.cu,
 * copy.cu, fma.cu, wgmma.cu and cpu.c. README.md says what each bench computes. */
#include <stdlib.h>

#include "benches.h"
#include "kernels.h"
#ifdef GPUBENCH_CUDA
#include "../shared/image.h"
#endif

#define gb calibrate_gb

/* ---- Callbacks -------------------------------------------------------------------------------------------------- */

typedef int (*kernel)(const struct calibrate_call *call);

/* The names of the axes and tensors of a bench from which a struct calibrate_call is made; NULL: the bench has no such
 * axis or tensor. gb_bench.user points to this. */
typedef struct binding {
  const char *a, *b, *x;
  const char *size; /* name of an axis */
  int64_t size_divisor;
  const char *steps; /* name of an axis */
  int launches;      /* true: the bench has the axes params, shared and cluster, too, which shape the launch */
} binding;

/* The kernel of a variant, and the names of its arguments; gb_variant.user points to this. */
typedef struct method {
  kernel run;
  const binding *names;
} method;

static const void *input_data(gb_case *c, const char *name) {
  return name == NULL ? NULL : gb.tensor->data(c, name);
}

static gb_status calibrate_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  const binding *names = ((const method *)self->user)->names;
  struct calibrate_call *call = calloc(1, sizeof *call);
  if (call == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory");
  call->a = input_data(c, names->a);
  call->b = input_data(c, names->b);
  call->x = input_data(c, names->x);
  call->y = gb.tensor->data(c, "y");
  call->size = gb.point->i64(c, names->size) / names->size_divisor;
  call->steps = names->steps == NULL ? 0 : gb.point->i64(c, names->steps);
  if (names->launches) {
    call->launch.parameters = gb.point->i64(c, "params");
    call->launch.shared = gb.point->i64(c, "shared");
    call->launch.cluster = gb.point->i64(c, "cluster");
  }
  call->threads = gb_threads(&gb, c, INT32_MAX);
  call->multiprocessors = gb.device->i64(c, "sm_count");
  call->stream = gb.cuda->stream(c);
  *vstate = call;
  return GB_OK;
}

static void calibrate_release(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)c;
  free(vstate);
}

static gb_status calibrate_cpu_run(const gb_variant *self, gb_case *c, void *vstate) {
  (void)c;
  ((const method *)self->user)->run(vstate);
  return GB_OK;
}

static gb_status stream_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  return calibrate_cpu_streams() ? GB_OK : gb_failf(&gb, c, GB_SKIP, "needs a processor with AVX");
}

static gb_status fuse_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  return calibrate_cpu_fuses() ? GB_OK : gb_failf(&gb, c, GB_SKIP, "needs a processor with fused multiply-add");
}

#ifdef GPUBENCH_CUDA
static gb_status calibrate_cuda_run(const gb_variant *self, gb_case *c, void *vstate) {
  const int code = ((const method *)self->user)->run(vstate);
  if (code != 0) return gb_failf(&gb, c, GB_EDEVICE, "launch of %s: %s", self->name, calibrate_cuda_error(code));
  return GB_OK;
}

static gb_status mma_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  const int64_t capability = image_capability(gb.device->i64(c, "compute_capability"));
  if (capability >= 80) return GB_OK;
  return gb_failf(&gb, c, GB_SKIP, "compute capability is %lld: needs 80 or later", (long long)capability);
}

static gb_status bulk_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  const int64_t capability = image_capability(gb.device->i64(c, "compute_capability"));
  if (capability >= 90) return GB_OK;
  return gb_failf(&gb, c, GB_SKIP, "compute capability is %lld: bulk copies need 90 or later", (long long)capability);
}

static gb_status tensor_wgmma_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  const int64_t capability = gb.device->i64(c, "compute_capability");
  if (capability == 90) return GB_OK;
  return gb_failf(&gb, c, GB_SKIP, "compute capability is %lld: wgmma exists at 90 only", (long long)capability);
}
#endif

/* ---- Variants -------------------------------------------------------------------------------------------------- */

static const binding empty_names = {.size = "grid", .size_divisor = 1, .launches = 1};
static const binding spin_names = {.size = "grid", .size_divisor = 1, .steps = "ns"};
static const binding read_names = {.x = "x", .size = "bytes", .size_divisor = (int64_t)CALIBRATE_SEGMENT * 4};
static const binding write_names = {.size = "bytes", .size_divisor = (int64_t)CALIBRATE_SEGMENT * 4};
static const binding fma_names = {.a = "a", .b = "b", .x = "x", .size = "lanes", .size_divisor = 1, .steps = "steps"};

#define VARIANT(id, label, what, on, arithmetic, enter, check, kind, function, binds) \
  static method id##_method = {.run = function, .names = &binds};                     \
  static const gb_variant id = {GB_SIZE(gb_variant),                                  \
                                .flags = kind,                                        \
                                .name = label,                                        \
                                .summary = what,                                      \
                                .backend = on,                                        \
                                .math = arithmetic,                                   \
                                .user = &id##_method,                                 \
                                .supports = check,                                    \
                                .prepare = calibrate_prepare,                         \
                                .run = enter,                                         \
                                .release = calibrate_release}
#define CPU(id, label, what, check, kind, binds) \
  VARIANT(cpu_##id, label, what, "cpu", "fp32", calibrate_cpu_run, check, kind, calibrate_cpu_##id, binds)
#define CUDA(id, label, what, check, kind, binds) \
  VARIANT(cuda_##id, label, what, "cuda", "fp32", calibrate_cuda_run, check, kind, calibrate_cuda_##id, binds)
#define FIRST GB_VARIANT_BASELINE
#define NAMED GB_VARIANT_BY_NAME

CPU(empty, "call", "one function call that stores one number", NULL, FIRST, empty_names);
CPU(spin, "clock", "CLOCK_MONOTONIC_RAW until the time is over", NULL, FIRST, spin_names);
CPU(read, "vector", "a sum over each segment", NULL, FIRST, read_names);
CPU(write, "vector", "plain stores", NULL, FIRST, write_names);
CPU(write_memset, "memset", "libc's memset", NULL, 0, write_names);
CPU(write_stream, "stream", "non-temporal stores", stream_supports, 0, write_names);
CPU(copy, "vector", "plain loads and stores", NULL, FIRST, read_names);
CPU(copy_memcpy, "memcpy", "libc's memcpy", NULL, 0, read_names);
CPU(copy_stream, "stream", "plain loads, non-temporal stores", stream_supports, 0, read_names);
CPU(fma, "fma", "16 chains in each of 16 lanes: AVX-512, AVX2 or what the build targets", fuse_supports, FIRST,
    fma_names);

#ifdef GPUBENCH_CUDA
static const binding tensor_names = {.a = "a", .b = "b", .size = "tiles", .size_divisor = 1, .steps = "repeats"};

CUDA(empty, "kernel", "one launch; one thread stores one number", NULL, FIRST, empty_names);
CUDA(spin, "globaltimer", "%globaltimer until the time is over", NULL, FIRST, spin_names);
CUDA(read, "vector", "a block per segment, 16-byte loads", NULL, FIRST, read_names);
CUDA(write, "vector", "a block per segment, 16-byte stores", NULL, FIRST, write_names);
CUDA(write_memset, "memset", "cudaMemsetAsync", NULL, 0, write_names);
CUDA(copy, "vector", "a block per segment, 16-byte loads and stores", NULL, FIRST, read_names);
CUDA(copy_memcpy, "memcpy", "cudaMemcpyAsync, device to device", NULL, 0, read_names);
CUDA(copy_pack, "pack", "one 16-byte load and store a thread", NULL, 0, read_names);
CUDA(copy_pack_streaming, "pack-streaming", "the same past L1, and first to leave L2", NULL, NAMED, read_names);
CUDA(copy_four_packs, "four-packs", "four 16-byte loads in flight in each thread, then the stores", NULL, NAMED,
     read_names);
CUDA(copy_bulk, "bulk", "bulk copies of 2 KiB in and out, a block for each", bulk_supports, 0, read_names);
CUDA(copy_bulk_ring, "bulk-ring", "resident blocks: bulk copies of 16 KiB through four stages", bulk_supports, NAMED,
     read_names);
CUDA(ffma, "ffma", "16 chains of fused multiply-add in each thread", NULL, FIRST, fma_names);
VARIANT(cuda_mma, "mma", "mma.sync m16n8k16 on operands in registers", "cuda", "bf16", calibrate_cuda_run, mma_supports,
        FIRST, calibrate_cuda_mma, tensor_names);
VARIANT(cuda_wgmma, "wgmma", "wgmma m64n256k16 on operands in shared memory", "cuda", "bf16", calibrate_cuda_run,
        tensor_wgmma_supports, 0, calibrate_cuda_wgmma, tensor_names);
#define IF_CUDA(...) __VA_ARGS__
#else
#define IF_CUDA(...)
#endif

/* ---- Axes ------------------------------------------------------------------------------------------------------ */

#define CPU_DEFAULT(id, numbers) \
  static const gb_axis_default id = {GB_SIZE(gb_axis_default), .backend = "cpu", .values = numbers}
#define AXIS(id, label, of, what, numbers, ...) \
  static const gb_axis id = {GB_SIZE(gb_axis),  \
                             .type = GB_I64,    \
                             .name = label,     \
                             .unit = of,        \
                             .summary = what,   \
                             .values = numbers, \
                             .defaults = (const gb_axis_default *const[]){__VA_ARGS__ NULL}}

#ifndef CALIBRATE_CPU_BYTES /* smaller in builds for tests that read times from a file instead of measuring them */
#define CALIBRATE_CPU_BYTES "128M"
#define CALIBRATE_CPU_LANES "8k"
#endif
CPU_DEFAULT(cpu_bytes, CALIBRATE_CPU_BYTES);
CPU_DEFAULT(cpu_lanes, CALIBRATE_CPU_LANES);

AXIS(axis_grid, "grid", "blocks", "blocks launched; 1 on the cpu", "1", );
AXIS(axis_params, "params", "B", "bytes of parameters: 8 or 4096", "8", );
AXIS(axis_shared, "shared", "B", "dynamic shared memory of a block", "0", );
AXIS(axis_cluster, "cluster", "blocks", "blocks of a cluster", "1", );
AXIS(axis_ns, "ns", "ns", "how long to spin", "5024,1000000", );
AXIS(axis_bytes, "bytes", "B", "size of each large tensor", "1G", &cpu_bytes, );
AXIS(axis_lanes, "lanes", "lanes", "lanes of 16 chains; the default fills 132 SMs twice", "528k", &cpu_lanes, );
AXIS(axis_steps, "steps", NULL, "multiply-adds of each chain", "8k", );
#ifdef GPUBENCH_CUDA
AXIS(axis_tiles, "tiles", "tiles", "tiles of y; the default fills 132 SMs twice", "264", );
AXIS(axis_repeats, "repeats", NULL, "products added into each tile", "1k", );
#endif

/* ---- Benches --------------------------------------------------------------------------------------------------- */

#define LIST(type, ...)   \
  (const type *const[]) { \
    __VA_ARGS__, NULL     \
  }
#define HEAD(id, what) GB_SIZE(gb_bench), .name = #id, .contract = "gpubench.org/calibrate/" #id "/1", .summary = what

static const gb_bench bench_empty = {HEAD(empty, "nothing: what a launch costs"),
                                     .axes = LIST(gb_axis, &axis_grid, &axis_params, &axis_shared, &axis_cluster),
                                     .variants = LIST(gb_variant, IF_CUDA(&cuda_empty, ) & cpu_empty),
                                     .supports = empty_supports,
                                     .setup = empty_setup,
                                     .reference = empty_reference};

static const gb_bench bench_spin = {HEAD(spin, "a known time: what the clock says of it"),
                                    .axes = LIST(gb_axis, &axis_ns, &axis_grid),
                                    .variants = LIST(gb_variant, IF_CUDA(&cuda_spin, ) & cpu_spin),
                                    .supports = spin_supports,
                                    .setup = spin_setup,
                                    .verify = spin_verify};

static const gb_bench bench_read = {HEAD(read, "memory bandwidth, reading only"),
                                    .axes = LIST(gb_axis, &axis_bytes),
                                    .variants = LIST(gb_variant, IF_CUDA(&cuda_read, ) & cpu_read),
                                    .supports = bytes_supports,
                                    .setup = read_setup,
                                    .reference = read_reference};

static const gb_bench bench_write = {
    HEAD(write, "memory bandwidth, writing only"),
    .axes = LIST(gb_axis, &axis_bytes),
    .variants =
        LIST(gb_variant, IF_CUDA(&cuda_write, &cuda_write_memset, ) & cpu_write, &cpu_write_memset, &cpu_write_stream),
    .supports = bytes_supports,
    .setup = write_setup,
    .reference = write_reference};

static const gb_bench bench_copy = {
    HEAD(copy, "memory bandwidth, reading and writing"),
    .axes = LIST(gb_axis, &axis_bytes),
    .variants = LIST(gb_variant,
                     IF_CUDA(&cuda_copy, &cuda_copy_memcpy, &cuda_copy_pack, &cuda_copy_pack_streaming,
                             &cuda_copy_four_packs, &cuda_copy_bulk, &cuda_copy_bulk_ring, ) &
                         cpu_copy,
                     &cpu_copy_memcpy, &cpu_copy_stream),
    .supports = bytes_supports,
    .setup = copy_setup,
    .reference = copy_reference};

static const gb_bench bench_fma = {HEAD(fma, "sustained fp32 multiply-add rate"),
                                   .axes = LIST(gb_axis, &axis_lanes, &axis_steps),
                                   .variants = LIST(gb_variant, IF_CUDA(&cuda_ffma, ) & cpu_fma),
                                   .supports = fma_supports,
                                   .setup = fma_setup,
                                   .reference = fma_reference};

#ifdef GPUBENCH_CUDA
static const gb_bench bench_tensor = {HEAD(tensor, "sustained bf16 tensor core rate"),
                                      .axes = LIST(gb_axis, &axis_tiles, &axis_repeats),
                                      .variants = LIST(gb_variant, &cuda_mma, &cuda_wgmma),
                                      .supports = tensor_supports,
                                      .setup = tensor_setup,
                                      .reference = tensor_reference};
#endif

static const gb_bench *const benches[] = {
    &bench_empty, &bench_spin, &bench_read, &bench_write, &bench_copy, &bench_fma, IF_CUDA(&bench_tensor, ) NULL};

static gb_status calibrate_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  for (int i = 0; status == GB_OK && benches[i] != NULL; i++)
    status = host->add(host, registry, benches[i]);
  return status;
}

GB_EXPORT const gb_plugin gb_plugin_v1 = {
    GB_PLUGIN_HEAD,         .id = "calibrate",
    .version = "0.1.0",     .summary = "the yardstick: launch, known times, bandwidth, multiply-add",
    .open = calibrate_open,
};

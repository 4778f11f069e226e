/* The md plugin: registers the benchmark "lj", its variants (implementations) on CUDA and CPU, its axes (parameters)
 * and its presets (named values of the axes). The problem is in lj.c, its verification in lj_check.c and float64.c, and
 * the kernels are in the .cu files and in cpu.c. README.md states what an iteration computes. */
#include <stdlib.h>

#include "cpu.h"
#include "kernels.h"
#include "lj.h"

gb_sdk md_gb;
#define gb md_gb

/* smallest number of atoms for each CPU thread; with fewer, threads would wait for each other longer than they
 * compute */
enum { ATOMS_A_THREAD = 256 };

/* ---- Variants -------------------------------------------------------------------------------------------------- */

/* The properties in which the variants differ; gb_variant.user points to this struct. */
typedef struct method {
  enum md_method how;
} method;

static struct md_call call_of(gb_case *c) {
  const struct lj *s = gb.point->state(c);
  return (struct md_call){.r = gb.tensor->data(c, "r"),
                          .v = gb.tensor->data(c, "v"),
                          .clock = gb.tensor->data(c, "clock"),
                          .thermo = gb.tensor->data(c, "thermo"),
                          .n = (int32_t)s->n,
                          .leg = (int32_t)s->leg,
                          .box = (float)s->box,
                          .cutoff = (float)s->pair.cutoff,
                          .skin = (float)MD_SKIN,
                          .timestep = (float)MD_TIMESTEP,
                          .edge_force = (float)s->pair.force,
                          .edge_energy = (float)s->pair.energy,
                          .threads = gb_threads(&gb, c, s->n / ATOMS_A_THREAD),
                          .stream = gb.cuda->stream(c)};
}

/* Keeps a copy of `call` as the variant's state. */
static gb_status keep_call(gb_case *c, const struct md_call *call, void **vstate) {
  struct md_call *kept = malloc(sizeof *kept);
  if (kept == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory");
  *kept = *call;
  *vstate = kept;
  return GB_OK;
}

static void lj_release(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)c;
  free(vstate);
}

/* Returns GB_SKIP for more than MD_ALL_PAIRS_MOST atoms, because computing all pairs would take too long. */
static gb_status all_pairs_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  const int64_t n = gb.point->i64(c, "atoms"), most = MD_ALL_PAIRS_MOST;
  if (n <= most) return GB_OK;
  return gb_failf(&gb, c, GB_SKIP, "atoms is %lld: every pair of at most %lld", (long long)n, (long long)most);
}

static gb_status cpu_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  const method *m = self->user;
  struct md_call call = call_of(c);
  call.cpu = gb.mem->alloc(c, GB_MEM_HOST, md_cpu_bytes(&call, m->how));
  return call.cpu == NULL ? GB_ENOMEM : keep_call(c, &call, vstate);
}

static gb_status lj_cpu_run(const gb_variant *self, gb_case *c, void *vstate) {
  (void)c;
  md_cpu_run(vstate, ((const method *)self->user)->how);
  return GB_OK;
}

#define VARIANT(id, label, what, on, check, start, enter, method_of, flag)                                    \
  static method id##_method = {.how = method_of};                                                             \
  static const gb_variant id = {GB_SIZE(gb_variant), .flags = flag,  .name = label,        .summary = what,   \
                                .backend = on,       .math = "fp32", .user = &id##_method, .supports = check, \
                                .prepare = start,    .run = enter,   .release = lj_release}
#define CPU(id, label, what, check, how, flag) \
  VARIANT(cpu_##id, label, what, "cpu", check, cpu_prepare, lj_cpu_run, how, flag)

CPU(all_pairs, "all-pairs", "every pair in every step", all_pairs_supports, MD_ALL_PAIRS, GB_VARIANT_BY_NAME);
CPU(cells, "cells", "atoms by cell; every step looks through the cells around", NULL, MD_CELLS, 0);
CPU(list, "list", "atoms by cell, a list of neighbours for each iteration", NULL, MD_LIST, GB_VARIANT_BASELINE);

#ifdef GPUBENCH_CUDA
static gb_status cuda_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  const method *m = self->user;
  struct md_call call = call_of(c);
  md_cuda_layout(&call.work, m->how, call.n, call.box, call.cutoff + call.skin);
  call.work.memory = gb.mem->alloc(c, GB_MEM_DEVICE, (uint64_t)call.work.bytes);
  if (call.work.memory == NULL) return GB_ENOMEM;
  const int code = md_cuda_prepare(&call, m->how);
  if (code != 0) return gb_failf(&gb, c, GB_EDEVICE, "%s: %s", self->name, md_cuda_error(code));
  return keep_call(c, &call, vstate);
}

static gb_status lj_cuda_run(const gb_variant *self, gb_case *c, void *vstate) {
  const int code = md_cuda_run(vstate, ((const method *)self->user)->how);
  if (code != 0) return gb_failf(&gb, c, GB_EDEVICE, "launch of %s: %s", self->name, md_cuda_error(code));
  return GB_OK;
}

/* Returns GB_SKIP for more than MD_PERSISTENT_MOST atoms. The variant "persistent" saves the time of launches, which is
 * negligible with so many atoms. */
static gb_status persistent_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  const int64_t n = gb.point->i64(c, "atoms"), most = MD_PERSISTENT_MOST;
  if (n <= most) return GB_OK;
  return gb_failf(&gb, c, GB_SKIP, "atoms is %lld: one kernel for an iteration of at most %lld", (long long)n,
                  (long long)most);
}

#define CUDA(id, label, what, check, how, flag) \
  VARIANT(cuda_##id, label, what, "cuda", check, cuda_prepare, lj_cuda_run, how, flag)

CUDA(list, "list", "a thread an atom, a list for each iteration; atoms in their own order", NULL, MD_LIST,
     GB_VARIANT_BASELINE);
CUDA(all_pairs, "all-pairs", "every pair in every step, through tiles in shared memory", all_pairs_supports,
     MD_ALL_PAIRS, GB_VARIANT_BY_NAME);
CUDA(cells, "cells", "atoms by cell; every step looks through the cells around", NULL, MD_CELLS, GB_VARIANT_BY_NAME);
CUDA(sorted, "sorted", "as list, atoms by cell", NULL, MD_SORTED, 0);
CUDA(split, "split", "atoms by cell, some lanes an atom", NULL, MD_SPLIT, 0);
CUDA(half, "half", "each pair once, atoms by cell, forces by atomics", NULL, MD_HALF, GB_VARIANT_BY_NAME);
CUDA(persistent, "persistent", "as split, the whole iteration in one kernel", persistent_supports, MD_PERSISTENT, 0);
#endif

/* ---- The tables ------------------------------------------------------------------------------------------------ */

static const gb_axis axis_atoms = {GB_SIZE(gb_axis),
                                   .type = GB_I64,
                                   .name = "atoms",
                                   .unit = "atoms",
                                   .summary = "4 k^3 fill the lattice, others leave its last sites empty",
                                   .values = "4000"};
static const gb_axis axis_potential = {GB_SIZE(gb_axis),
                                       .type = GB_STR,
                                       .name = "potential",
                                       .summary = "how it ends at the cutoff, 2.5",
                                       .choices = "shifted-force,cut",
                                       .values = "shifted-force"};
static const gb_axis axis_leg = {
    GB_SIZE(gb_axis), .type = GB_I64, .name = "leg", .unit = "steps", .summary = "steps of an iteration, 1 to 20",
    .values = "20"};
static const gb_axis axis_order = {GB_SIZE(gb_axis),
                                   .type = GB_STR,
                                   .name = "order",
                                   .summary = "of the atoms in r and v",
                                   .choices = "sorted,shuffled",
                                   .values = "sorted"};
static const gb_axis axis_jitter = {GB_SIZE(gb_axis), .type = GB_F64, .name = "jitter",
                                    .summary = "how far off their sites atoms begin, at most, in each direction",
                                    .values = "0.05"};

#define PRESET(id, label, where, what, backend) \
  static const gb_preset id = {GB_SIZE(gb_preset), .name = label, .summary = what, .point = where, .backends = backend}

PRESET(preset_500, "500", "atoms=500", "the smallest", NULL);
PRESET(preset_4k, "4k", "atoms=4000", "what one small block would hold", "cuda,cpu");
PRESET(preset_32k, "32k", "atoms=32000", "the size of LAMMPS's benchmark", "cuda");
PRESET(preset_256k, "256k", "atoms=256000", "lists no longer fit L2", "cuda");
PRESET(preset_2m, "2m", "atoms=2048000", "lists of a gigabyte", "cuda");
PRESET(preset_shuffled, "256k-shuffled", "atoms=256000,order=shuffled", "atoms lie anywhere in memory", NULL);
PRESET(preset_lammps, "lammps", "atoms=32000,potential=cut,jitter=0", "LAMMPS's bench/in.lj: see README.md", NULL);
PRESET(preset_single, "single", "atoms=4000,leg=1", "a list for every step", NULL);

static const gb_bench lj = {
    GB_SIZE(gb_bench),
    .flags = GB_BENCH_STATEFUL | GB_BENCH_ITERABLE,
    .name = "lj",
    .contract = "gpubench.org/md/lj/1",
    .summary = "a trajectory of Lennard-Jones atoms",
    .axes = GB_LIST(gb_axis, &axis_atoms, &axis_potential, &axis_leg, &axis_order, &axis_jitter),
    .presets = GB_LIST(gb_preset, &preset_500, &preset_4k, &preset_32k, &preset_256k, &preset_2m, &preset_shuffled,
                       &preset_lammps, &preset_single),
    .variants =
        (const gb_variant *const[]){
#ifdef GPUBENCH_CUDA
            &cuda_list, &cuda_all_pairs, &cuda_cells, &cuda_sorted, &cuda_split, &cuda_half, &cuda_persistent,
#endif
            &cpu_list, &cpu_cells, &cpu_all_pairs, NULL},
    .supports = lj_supports,
    .setup = lj_setup,
    .fill = lj_fill,
    .reference = lj_reference,
    .verify = lj_verify,
    .teardown = lj_teardown,
};

static gb_status md_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  const gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &lj) : status;
}

GB_EXPORT const gb_plugin gb_plugin_v1 = {
    GB_PLUGIN_HEAD,     .id = "md",
    .version = "0.1.0", .summary = "molecular dynamics: trajectories of Lennard-Jones atoms",
    .open = md_open,
};

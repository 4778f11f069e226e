/* gpubench plugin ABI, base header. Draft of 1.0; sdk/abi/POLICY.md says what may change and how.
 *
 * A plugin is a shared object that exports one data symbol, `gb_plugin_v1`. It offers benches (a problem: named
 * tensors, a reference, a check) and variants (one implementation of a problem). A variant belongs to a bench of the
 * same plugin or, as a guest, to a bench of another one. The host owns the clock, the data, the statistics, the
 * verification and the reports.
 *
 * This header stands alone: it includes only <stddef.h> and <stdint.h> and needs no CUDA toolkit. A plugin links
 * nothing of gpubench. The header compiles as C99, C11, C++11 and later, and under nvcc. Services of the host are
 * declared in <gpubench/ext/NAME.h>; <gpubench/sugar.h> holds optional inline helpers.
 *
 * Tags in square brackets say when and on which thread the host enters a callback, or a plugin may call a service:
 *   [main-thread]  While the plugin is opened or closed. There is no device, and no device call is allowed.
 *   [plan-thread]  While cases are chosen. Facts of the device are known, nothing is allocated, and no device call is
 *                  allowed. The host enters these callbacks often for one case, also in processes that never run it: do
 *                  not keep anything for later.
 *   [case-thread]  On the one thread that runs a case. The case's device is current at entry and must be at return.
 *                  Callbacks of one case never run concurrently.
 *   [any-thread]   At any time from the entry of `open` to the return of `close`, on any thread.
 *
 * A service with another tag than [any-thread] may only be called on the thread of the callback.
 *
 * One command opens a plugin in several processes, one after the other or at once. The host also enters `setup` and
 * `teardown` only to learn what a case declares, and allocates and runs nothing in between. A process that crashes,
 * hangs or loses its device ends at once: pending calls of `release`, `teardown` and `close` are then not made.
 *
 * Rules for every callback:
 *   1. The side that allocates memory frees it. Tables given to the host stay valid and unchanged until `close` has
 *      returned.
 *   2. Strings are UTF-8 and end in NUL. Names of plugins, benches, variants, axes, presets and tensors match
 *      [A-Za-z0-9][A-Za-z0-9._/-]* and have at most 63 bytes. A contract id is DOMAIN/PATH/N and has at most 127 bytes:
 *      such names without '/', at least three with the number, joined by '/'; N is the contract's major, 1 to 999999999
 *      without a leading 0. Other strings have at most 255 bytes unless stated.
 *   3. Reserved fields and unused flags are 0. Zero in a field always means "as if the field did not exist".
 *   4. A plugin does not exit, abort or write to stdout. No callback, and no constructor at dlopen, leaves any of these
 *      changed: signal handlers and masks, timers, the environment, the locale, the working directory, the umask,
 *      resource limits, the priority, scheduling and CPU affinity of its thread, the floating-point mode, file
 *      descriptors that are not its own, or the number of threads of OpenMP. None leaves a child process running,
 *      except under GB_VARIANT_PROCESSES. Threads that `setup` or `prepare` starts and descriptors that it opens end in
 *      `teardown` or `release`. `run` starts and opens nothing that outlives the call, and its memory does not grow
 *      from call to call. The host checks this, restores as much as it can, and fails the variant or warns.
 *   5. No case depends on static variables: the host may enter `setup` for several cases before the first `teardown`.
 *   6. Every callback receives as `self` the very pointer that was registered. `user` is the plugin's own.
 *   7. A callback ends only by returning: no C++ exception, no Rust panic and no longjmp leaves it.
 *   8. ABI 1 is for 64-bit little-endian machines and the platform's C calling convention.
 *   9. A service that is given NULL for a case, a table, a name or values fails the callback with a message. The host
 *      cannot check a string or an array without its end, or an invalid pointer: these crash the worker process.
 *
 * Limits:
 *   a plugin   256 benches, 4096 variants, 32 options
 *   a bench    16 axes, 64 presets, 256 variants, 65535 minors of its contract
 *   an axis    16 defaults, 4096 values
 *   a case     256 variants including guests, 256 tensors of rank 8 at most, 32 metrics
 *   a variant  16 notes, a graph of 64 nodes and 128 edges
 *   a message  1000 bytes
 *   a table    65536 bytes
 */
#ifndef GPUBENCH_GPUBENCH_H
#define GPUBENCH_GPUBENCH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The ABI version: a major number, which is also in the name of the entry (gb_plugin_v1), and a minor number. A host
 * serves every plugin of its own major version whose `abi_needed` is not above the host's version. */
#define GB_ABI(major, minor) ((major)*0x10000u + (minor))

/* This is GB_ABI(1, 0). Constants are plain literals, because programs that generate bindings for other languages skip
 * macros with arguments. */
#define GB_ABI_VERSION 0x00010000u

/* "GBPL" in memory on a little-endian machine. */
#define GB_MAGIC 0x4C504247u

/* Makes the entry, gb_plugin_v1, a visible symbol. It is the only one, because the SDK hides all other symbols. */
#if defined(__GNUC__)
#define GB_EXPORT __attribute__((visibility("default")))
#else
#define GB_EXPORT
#endif

/* The result of a callback.
 * A callback that does not return GB_OK must first give a message to `gb_host.fail`; without one the host reports a
 * defect of the plugin, with the callback and the status.
 * If `supports`, `setup`, the first `fill` of a case, `reference` or `prepare` returns GB_SKIP, the rows of the results
 * that are affected have the status "skipped".
 * GB_ENOMEM has the same effect, except from `supports`. From all other callbacks, GB_SKIP and GB_ENOMEM are failures.
 * All other values, also those that this host does not know, are failures.
 * After a failure the affected rows have the status "wrong" if it comes from `verify`, otherwise "error". */
typedef int32_t gb_status;
#define GB_OK 0
#define GB_SKIP 1       /* this case cannot be run here; counted as skipped, not as an error */
#define GB_EINVAL (-1)  /* an argument, a contract or a name is wrong */
#define GB_ENOMEM (-2)  /* not enough memory; a failed gb.mem/1 `alloc` has already recorded "needs X, Y free" */
#define GB_EDEVICE (-3) /* a device or library call failed; the device may need a reset */
#define GB_ENOTSUP (-4) /* this host, device or library cannot do it */
#define GB_EFAIL (-5)   /* anything else */

typedef struct gb_plugin gb_plugin;
typedef struct gb_host gb_host;
typedef struct gb_bench gb_bench;
typedef struct gb_variant gb_variant;
typedef struct gb_axis gb_axis;
typedef struct gb_axis_default gb_axis_default;
typedef struct gb_preset gb_preset;
typedef struct gb_registry gb_registry; /* opaque: `open` registers into it */
typedef struct gb_case gb_case;         /* opaque: a bench at one point of its axes, on one device, with tensors */

/* ---- The entry ----------------------------------------------------------------------------------------------- */

/* The one exported object. Its first eight bytes keep their meaning in every major version. The host checks magic, size
 * and version before it calls any function of the plugin; only constructors have run by then, at dlopen. Since 1.0. */
struct gb_plugin {
  uint32_t magic;       /* GB_MAGIC */
  uint32_t struct_size; /* sizeof(gb_plugin) as compiled */
  uint32_t abi_built;   /* GB_ABI_VERSION as compiled; for messages only */
  uint32_t abi_needed;  /* lowest host ABI with which the plugin works; the host checks it; normally GB_ABI(1, 0) */
  const char *id;       /* a name, with which the keys of its cases begin: "attention" */
  const char *version;  /* the plugin's own, "0.3.1" */
  const char *build;    /* free text on how it was built (git describe, compiler, flags); may be NULL */
  const char *summary;  /* one line; may be NULL */

  /* Registers benches and variants. The host calls it when it opens the plugin [main-thread]. It touches no device and
   * reads no clock, so that `gpubench list` works on any machine. `*self` is NULL at entry and belongs to the plugin;
   * the host passes it to `close`. If `open` does not return GB_OK, everything that it registered is dropped and
   * `close` is not called. Required. */
  gb_status (*open)(const gb_host *host, gb_registry *registry, void **self);

  /* The host's last call into the plugin, in each process that opened it [main-thread]. May be NULL.
   * It is entered only when the process ends normally, not after a crash, a time limit or an interrupt.
   * All cases have been torn down by then. Log lines are dropped.
   * It has at most two seconds. A crash or hang in it gives one warning and changes no row.
   * The shared object stays mapped. */
  void (*close)(const gb_host *host, void *self);
};

/* Defined by the plugin:  const gb_plugin gb_plugin_v1 = { GB_MAGIC, sizeof(gb_plugin), ... }; */
extern GB_EXPORT const gb_plugin gb_plugin_v1;

/* ---- The host ------------------------------------------------------------------------------------------------ */

#define GB_LOG_INFO 1    /* shown with -v */
#define GB_LOG_WARNING 2 /* shown */

/* The functions of the host that a plugin may call. This struct is frozen for all of major version 1: new functions
 * come only through `extension`. Each plugin gets a table of its own, valid from the entry of `open` to the return of
 * `close`. Since 1.0. */
struct gb_host {
  uint32_t struct_size; /* sizeof(gb_host) of the host */
  uint32_t abi_version; /* the host's GB_ABI_VERSION */
  const char *version;  /* the host's release, "0.1.0" */

  /* Offers a bench with its variants. May be called in `open` [main-thread]. The host checks the table and copies it.
   * Returns GB_EINVAL with a recorded reason if the host refuses the bench; `open` should then return that status.
   * A variant that uses a flag, a math or a member that this host does not know is left out with a warning. So is a
   * bench with such a flag or member, or with an axis or a preset that has one. `add` returns GB_OK then, and the rest
   * of the plugin stays. */
  gb_status (*add)(const gb_host *host, gb_registry *registry, const gb_bench *bench);

  /* Offers a variant for the bench with this contract id. May be called in `open` [main-thread].
   * Any plugin may own the bench, and the load order does not matter.
   * The variant gets the cases and named tensors of the bench's plugin, which also provides the inputs, the reference
   * and the check. Cases that came with a later minor of the contract than gb_variant.contract_minor are skipped.
   * Returns the same values as `add`. */
  gb_status (*attach)(const gb_host *host, gb_registry *registry, const char *contract, const gb_variant *variant);

  /* Records why the callback will not return GB_OK, and returns `status`. May be called at any time [any-thread]. `c`
   * is NULL in `open`. If a callback gives several messages, the first is kept. The text is copied, up to 1000 bytes of
   * it. */
  gb_status (*fail)(const gb_host *host, gb_case *c, gb_status status, const char *message);

  /* Shows one line to the user; `level` is GB_LOG_*. May be called at any time [any-thread], but not in `run`.
   * The text needs no newline and is copied. */
  void (*log)(const gb_host *host, int32_t level, const char *message);

  /* Returns a service by its id, such as "gb.tensor/1". A service is a frozen table of functions, declared in
   * <gpubench/ext/NAME.h>; NULL if this host lacks it. May be called at any time [any-thread]. Valid until
   * `close` returns. Fetch each service once, in `open`. */
  const void *(*extension)(const gb_host *host, const char *id);
};

/* ---- Axes and presets ---------------------------------------------------------------------------------------- */

#define GB_I64 1u /* signed 64-bit integers */
#define GB_F64 2u /* binary64 */
#define GB_STR 3u /* one of `choices` */

/* The default values of an axis on one backend. Since 1.0. */
struct gb_axis_default {
  uint32_t struct_size;
  uint32_t reserved;
  const char *backend; /* "cuda", "cpu" */
  const char *values;  /* as gb_axis.values */
};

/* A named, typed parameter of a bench. Values are written as on the command line: a list "64,128", "1k:16k:x2" (from,
 * to, factor) or "0:100:10" (from, to, step). The suffixes k, M and G are powers of 1024. `values` and `choices` have
 * at most 511 bytes. Since 1.0. */
struct gb_axis {
  uint32_t struct_size;
  uint32_t type;       /* GB_I64, GB_F64 or GB_STR */
  const char *name;    /* "s" */
  const char *unit;    /* "B", "elements"; NULL: none */
  const char *summary; /* "sequence length"; may be NULL */
  const char *choices; /* GB_STR: every legal value once, "fp32,bf16", without [ or ]; otherwise NULL */
  const char *values;  /* the default on every backend without an entry in `defaults` */
  const gb_axis_default *const *defaults; /* NULL-ended, at most 16, one per backend; may be NULL */
};

/* A named choice of values for some axes; the other axes keep their defaults. If at least one preset of a bench names
 * the device's backend, the presets that name it are the default cases on that backend. Otherwise the default cases are
 * all combinations of the axes' default values. Since 1.0. */
struct gb_preset {
  uint32_t struct_size;
  uint32_t reserved;
  const char *name;    /* "llama3-8b/prefill-4k" */
  const char *summary; /* may be NULL */
  const char *point;   /* one value per axis: "b=2,h=32,s=4096,d=128"; at most 511 bytes */
  /* backends that run this preset by default: "cuda,cpu"; NULL: run only when asked for by name */
  const char *backends;
};

/* ---- Variants ------------------------------------------------------------------------------------------------ */

/* The variant is a baseline on its backend: a speedup is the baseline's time divided by the time of a variant.
 * If several variants have the flag, a case uses the first of them in the bench's list whose results are correct in
 * that case.
 * Baselines that other plugins attach count only if the bench's own plugin has none on that backend.
 * Mark what a user would use without this plugin, in this order: a vendor's library, then a plain kernel for machines
 * without that library. */
#define GB_VARIANT_BASELINE 1u
/* `prepare` reads inputs. When inputs get new values the host enters `refresh`, or releases and prepares the variant
 * again. */
#define GB_VARIANT_DERIVED 2u
/* On "cuda": `run` returns when its work is done, whatever stream or device does the work. The host's clock times the
 * variant, in the mode "wall" or, on request, "latency". Other modes skip the variant. */
#define GB_VARIANT_SYNC 4u
/* On "cuda": `run` cannot be captured into a graph. The graph modes skip the variant, and the host does not check
 * whether `run` allocates. */
#define GB_VARIANT_NO_CAPTURE 8u
/* A row for comparison that does not solve the problem, such as a plain copy of the case's bytes. It must write its
 * outputs and leave its inputs alone, but its outputs are not compared and the bench's `verify` is not entered. It is
 * timed and shown below the variants. It has no speedup, is never the baseline or the fastest, and no mean includes it.
 * It cannot also be GB_VARIANT_BASELINE. */
#define GB_VARIANT_YARDSTICK 16u
/* The variant does not run by default, but only if --variant or --baseline names it, directly or by a glob. It cannot
 * also be GB_VARIANT_BASELINE. */
#define GB_VARIANT_BY_NAME 32u
/* 64 is reserved for SELF_TIMED, see POLICY.md. */
/* Child processes that `prepare` starts may run until `release`, which must end them before it returns. Processes that
 * another callback starts must end in that callback. Their CPU time counts as that of the benchmark run, and their
 * memory is not limited. The host cannot see what they compute between two calls of `run`, so the variant's rows have a
 * mark. */
#define GB_VARIANT_PROCESSES 128u

/* One implementation of a bench. Since 1.0. */
struct gb_variant {
  uint32_t struct_size;
  uint32_t flags;      /* GB_VARIANT_* */
  const char *name;    /* "flash" */
  const char *summary; /* one line; may be NULL */
  const char *backend; /* "cuda": `run` is asynchronous, on the case's stream; "cpu": it returns when it is done */
  const char *math;    /* precision of the arithmetic, which sets the tolerance: "fp64" "fp32" "tf32" "3xtf32" "fp16"
                          "bf16" "fp8", or "native": products in the input tensors' own type, sums in fp32 or better */
  uint32_t contract_minor; /* minor of the contract that the variant was written for, if it is attached to a bench of
                              another plugin: it gets the cases of this minor and of earlier ones. A bench's own
                              variants leave it 0 and get all cases */
  uint32_t reserved;
  const void *user; /* the plugin's own */

  /* Tells whether the variant can run this case. Entered when cases are chosen [plan-thread] and when the case runs
   * [case-thread].
   * Returns GB_OK, or GB_SKIP with the reason.
   * It may read axis values and device facts, and checks every constraint between axes.
   * NULL: the variant can run every case. */
  gb_status (*supports)(const gb_variant *self, gb_case *c);

  /* Builds what `run` needs: handles, plans, workspace. Entered on the [case-thread].
   * Tensors exist and are filled.
   * It may launch work, time it and wait for the device, and write all tensors but GB_IN.
   * It returns GB_SKIP if the case cannot be run and `supports` could not tell.
   * `*vstate` is NULL at entry and belongs to the variant.
   * If `prepare` does not return GB_OK it has released everything again, because `release` is not entered then.
   * NULL: nothing to prepare. */
  gb_status (*prepare)(const gb_variant *self, gb_case *c, void **vstate);

  /* Computes again, for new input values and in the same memory, whatever `prepare` computed from the inputs. Entered
   * on the [case-thread]. Only for GB_VARIANT_DERIVED.
   * It may read inputs, launch work and wait for the device.
   * It allocates nothing and changes no pointer that `run` gives to the device.
   * The host enters it instead of every `prepare` but the first.
   * If it is NULL the host releases and prepares the variant again instead, a dozen times for a case.
   * With GB_BENCH_STATEFUL it is required. */
  gb_status (*refresh)(const gb_variant *self, gb_case *c, void *vstate);

  /* Restores what an iteration changes outside the tensors: for example, empties a page cache that must be cold, or
   * goes back to an earlier position in a file. Entered on the [case-thread]. May be NULL.
   * Entered before every `run` that is executed, timed or not; its time does not count.
   * Work that it enqueues on the case's stream precedes the iteration.
   * It must not wait for the stream, because the host may hold the stream back. Its CPU work can therefore run before
   * earlier iterations, already enqueued, have finished.
   * It may use the services that say [case-thread] and do not exclude `before`.
   * The host may refill inputs and overwrite outputs between `before` and `run`.
   * Modes without a pause between iterations (hot, graph, latency-graph) skip a variant that has a `before`. */
  gb_status (*before)(const gb_variant *self, gb_case *c, void *vstate);

  /* Executes exactly one iteration, on the [case-thread]. The host measures its time. Required.
   * It reads inputs and writes every element of every output.
   * A "cpu" variant returns when the outputs are written.
   * A "cuda" variant enqueues on the case's stream and returns: it does not synchronise, allocate or log, and its host
   * work does not grow with the problem.
   * It may use other streams if it forks and joins them with events.
   * Unless the variant is GB_VARIANT_NO_CAPTURE or GB_VARIANT_SYNC, the host also enters it, in every mode, while it
   * captures the stream into a graph. Nothing is executed then and `before` is not entered first, so state in host
   * memory must not count calls.
   * In every mode inputs may get other values, and outputs may be overwritten, between any two calls. */
  gb_status (*run)(const gb_variant *self, gb_case *c, void *vstate);

  /* Brings outputs to where the host reads them: from other devices, or out of a library's own format. Entered on the
   * [case-thread]. May be NULL. Since 1.0.
   * Entered after a `run` whose outputs are verified, outside the timed region, with the device idle.
   * The host waits for work that it enqueues on the case's stream.
   * GB_IN tensors do not hold their values during `after`, so that results cannot be computed here.
   * Rows show that the variant has an `after`, because its time does not count. */
  gb_status (*after)(const gb_variant *self, gb_case *c, void *vstate);

  /* Undoes `prepare`. Entered on the [case-thread], once for each `prepare` that returned GB_OK, when the device
   * is idle. The host frees memory from gb.mem/1 afterwards. May be NULL. */
  void (*release)(const gb_variant *self, gb_case *c, void *vstate);
};

/* ---- Benches ------------------------------------------------------------------------------------------------- */

/* Iterations continue from each other's state (a trajectory): GB_INOUT and GB_SCRATCH tensors stay as `run` left them.
 * A trajectory begins whenever the host puts GB_INOUT tensors back to their filled values: at the start of every slot
 * (consecutive samples of one variant), with new values of all inputs, and before a single call whose outputs are
 * verified. Expected values of `reference` are compared only after exactly one iteration from the filled state. In all
 * other cases only `verify`, which is required, judges the outputs; gb.tensor/1 `steps` gives the number of iterations.
 * A variant that keeps some of the state elsewhere (a neighbour list, which of two buffers is current) needs the flag
 * GB_VARIANT_DERIVED and a `refresh`, which the host enters whenever it puts the tensors back.
 * Such a bench can be measured in every mode. */
#define GB_BENCH_STATEFUL 1u
/* `run` may be applied to its own GB_INOUT results any number of times.
 * The modes hot, graph and latency-graph and the measurement of joules need this flag for a bench with GB_INOUT
 * tensors.
 * They put the tensors back before each sample, but not between the iterations of one sample.
 * The host compares the results of single calls, and not those of a sample with several iterations. */
#define GB_BENCH_ITERABLE 2u
/* The bench is about energy: joules are measured even without --energy, if the device has a counter. Times are measured
 * as for any other bench. */
#define GB_BENCH_ENERGY 4u
/* The bytes of the bench pass over a link, through a file or through host memory, which limit it instead of the
 * device's memory or arithmetic. Its rows do not show how close it comes to the highest rates (the ceilings) of the
 * device. */
#define GB_BENCH_NO_ROOF 8u
/* 16 was used by drafts and is not given again. */
/* The bench does not run by default: a run leaves it out unless --bench, --preset or --case names it, or another plugin
 * with a variant of it (a guest) is loaded. */
#define GB_BENCH_BY_NAME 32u

/* A problem that variants solve. `contract` names what a guest, a variant of another plugin, may rely on: tensors
 * (names, dtypes, shapes, layouts), axes, meaning and tolerance. A change to any of these needs a new contract id, with
 * the next major as its last number.
 * What only adds cases keeps the id and is a new minor, `contract_minor`: a choice of a text axis, a wider range, a
 * preset, or an axis whose default value is what there was before. `minor_of` tells the cases of each minor apart, so
 * that guests of earlier minors stay in the table for the cases that they were written for. Since 1.0. */
struct gb_bench {
  uint32_t struct_size;
  uint32_t flags;          /* GB_BENCH_* */
  const char *name;        /* "forward"; the key is then "attention/forward" */
  const char *contract;    /* "gpubench.org/attention/forward/1": DOMAIN/PATH/MAJOR, rule 2 */
  uint32_t contract_minor; /* the latest minor of the contract; the bench has the cases of all minors up to it */
  uint32_t reserved;
  const char *summary;        /* one line; may be NULL */
  const gb_axis *const *axes; /* NULL-ended, at most 16; NULL: one case */
  /* Name of the GB_I64 axis that gives the number of devices of a case (gb.devices/1); NULL: always one device.
   * Rows of cases on several devices do not show how close they come to the highest rates (the ceilings) of a
   * device. */
  const char *devices_axis;
  const gb_preset *const *presets;   /* NULL-ended, at most 64; may be NULL */
  const gb_variant *const *variants; /* NULL-ended, at most 256; NULL: only other plugins have variants */
  const void *user;                  /* the plugin's own */

  /* Tells whether the bench can be computed with these values of its axes. Entered when cases are chosen [plan-thread]
   * and when the case runs [case-thread]. Returns GB_OK, or GB_SKIP with the reason, like gb_variant.supports. May be
   * NULL. */
  gb_status (*supports)(const gb_bench *self, gb_case *c);

  /* Returns the minor of the contract with which this case came: 0 if the first version of the contract has the case,
   * otherwise the latest of the minors that added what the case needs. Entered like `supports`, after it returned
   * GB_OK. It reads nothing but axis values and is the same each time. A result above `contract_minor` is an error,
   * with the message of `fail` if there is one. A preset needs the minor of its values. The host skips the case for
   * guests whose gb_variant.contract_minor is lower. NULL: 0 for every case. */
  uint32_t (*minor_of)(const gb_bench *self, gb_case *c);

  /* Declares the tensors (gb.tensor/1) and the nominal work (gb.case/1). Entered on the [case-thread]. Required.
   * The host allocates and fills the tensors after it returns.
   * `*state` is NULL at entry and belongs to the bench.
   * If `setup` does not return GB_OK it has released everything again, because `teardown` is not entered then. */
  gb_status (*setup)(const gb_bench *self, gb_case *c, void **state);

  /* Gives the values of all GB_FILL_BENCH tensors, by gb.input/1. Entered after `setup`, on the [case-thread].
   * Required if there is such a tensor.
   * Entered whenever inputs get new values, each time with another gb.case/1 `seed`, and also again for an earlier
   * seed.
   * The same seed must give the same values, or the case ends. Another seed should change the inputs: where they
   * never change, a variant that keeps its results is not noticed. */
  gb_status (*fill)(const gb_bench *self, gb_case *c, void *state);

  /* Gives the host expected outputs (gb.tensor/1 `expect`), computed in float64 from the inputs as they are stored
   * (gb.tensor/1 `input`).
   * Entered on the [case-thread], after inputs were filled, once or many times, also after a variant has run on
   * them.
   * A bench that compares only some elements chooses them by gb.case/1 `places`, and includes the first and the last;
   * it compares 1000 elements or more, unless `verify` looks at the others.
   * Then `reference` is also entered again before comparisons, when the outputs are final, unless it takes more than
   * 0.5 s.
   * The values that it gives each time replace the earlier ones.
   * NULL: only `verify` judges the outputs. */
  gb_status (*reference)(const gb_bench *self, gb_case *c, void *state);

  /* Makes a further check of the outputs of the variant that just ran, by gb.tensor/1 `output`. Entered on the
   * [case-thread], after the host's own comparison passed. Returns GB_OK, or GB_EFAIL with the fault as its message.
   * NULL: the comparison is enough; at least one of `reference` and `verify` must exist. */
  gb_status (*verify)(const gb_bench *self, gb_case *c, void *state);

  /* Undoes `setup`. Entered on the [case-thread], once for each `setup` that returned GB_OK, after every
   * `release`. May be NULL. */
  void (*teardown)(const gb_bench *self, gb_case *c, void *state);
};

#ifdef __cplusplus
}
#endif
#endif

/* gpubench plugin ABI, base header. Draft of 1.0; sdk/abi/POLICY.md says what may change and how.
 *
 * A plugin is a shared object that exports one data symbol, `gb_plugin_v1`. It offers benches (a problem: named
 * tensors, a reference, a check) and variants (one implementation of a problem), its own or for a bench of another
 * plugin. The host owns the clock, the data, the statistics, the verification and the reports.
 *
 * This header stands alone: it includes <stddef.h> and <stdint.h>, needs no CUDA toolkit, and a plugin links
 * nothing of gpubench. It compiles as C99, C11, C++11 and later, and under nvcc. Services of the host live in
 * <gpubench/ext/NAME.h>; <gpubench/sugar.h> holds optional inline helpers.
 *
 * Words in square brackets say when and where a slot is entered:
 *   [main]  while the plugin is opened or closed; no device is there and no device call is allowed
 *   [plan]  while cases are chosen; facts of a device are known, nothing is allocated; no device call. Entered often
 *           for one case, also in processes that never run it: what is kept from it is not there later
 *   [case]  on the one thread that runs a case, the case's device current at entry, and to be so at return; never
 *           concurrently for one case
 *   [any]   at any time between the entry of `open` and the return of `close`, from any thread
 *
 * A function that says anything but [any] is called from the thread of the callback alone.
 *
 * A command opens a plugin in several processes, one after the other or at once. `setup` and `teardown` are also
 * entered to learn what a case declares, with nothing allocated or run in between. A process that crashed, hung or lost
 * its device ends where it is: what was owed (`release`, `teardown`, `close`) is then not entered.
 *
 * Rules that hold for every slot:
 *   1. Whoever allocates, frees. Tables given to the host stay valid and unchanged until `close` returns.
 *   2. Strings are UTF-8, NUL-ended. Names of plugins, benches, variants, axes, presets and tensors match
 *      [A-Za-z0-9][A-Za-z0-9._/-]* and have at most 63 bytes; other strings have at most 255 bytes unless said.
 *   3. Reserved fields and unused flags are 0. A zero in a field always means "as if the field did not exist".
 *   4. A plugin does not exit, abort or write to stdout. No callback, nor a constructor at dlopen, leaves changed:
 *      signal handlers and masks, timers, the environment, the locale, the directory, the umask, limits, the priority
 *      and scheduling of its thread and its processors, the floating-point mode, or descriptors that are not its own;
 *      and none leaves a child process running, but for GB_VARIANT_PROCESSES. What `setup` or `prepare` starts of
 *      threads and opens of descriptors ends in `teardown` or `release`; `run` starts and opens nothing that stays, and
 *      its memory does not grow from call to call. The host looks, puts back what it can, and fails the variant or
 *      warns.
 *   5. It keeps no state in statics that a case depends on: `setup` may be entered for several cases before the first
 *      `teardown`.
 *   6. Every callback receives its own table as `self`, the very pointer that was registered; `user` is the plugin's.
 *   7. Nothing leaves a callback but by its return: no C++ exception, no Rust panic, no longjmp.
 *   8. ABI 1 is for 64-bit little-endian machines and the platform's C calling convention.
 *   9. NULL where a service wants a case, a table, a name or values fails the callback with a sentence. What the host
 *      cannot look at beforehand, a string or an array without its end, a pointer to nowhere, is a crash of the worker.
 *
 * Limits: 256 benches and 4096 variants a plugin; 16 axes, 64 presets and 256 variants a bench, 16 defaults an axis,
 * 4096 values of one; 256 variants in a case, with those of guests; 256 tensors a case, of rank 8 at most; 64 nodes and
 * 128 edges a graph; 32 metrics a case, 16 notes a variant, 32 options a plugin; 1000 bytes a message; 65536 bytes a
 * table.
 */
#ifndef GPUBENCH_GPUBENCH_H
#define GPUBENCH_GPUBENCH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ABI version: a major (also in the entry's name) and a minor. A host serves every plugin of its major whose
 * `abi_needed` is not above the host's own version. */
#define GB_ABI(major, minor) ((major)*0x10000u + (minor))

/* GB_ABI(1, 0). Constants are plain literals, which generators of bindings read; what takes arguments they skip. */
#define GB_ABI_VERSION 0x00010000u

/* "GBPL" in memory on a little-endian machine. */
#define GB_MAGIC 0x4C504247u

/* Marks the entry as the one visible symbol; the SDK builds everything else hidden. */
#if defined(__GNUC__)
#define GB_EXPORT __attribute__((visibility("default")))
#else
#define GB_EXPORT
#endif

/* What a callback returns. All but GB_OK need a message given through `gb_host.fail` in the same callback; without one
 * the host reports a defect of the plugin, naming callback and status. Told apart are GB_OK; GB_SKIP and GB_ENOMEM,
 * which make rows "skipped" where `supports`, `setup`, `reference` or `prepare` return them, and are failures
 * elsewhere; and all others, also numbers that this host does not know: a failure, "wrong" from `verify`, else "error".
 */
typedef int32_t gb_status;
#define GB_OK 0
#define GB_SKIP 1       /* does not apply here; counted, not an error */
#define GB_EINVAL (-1)  /* an argument, a contract or a name is wrong */
#define GB_ENOMEM (-2)  /* not enough memory; where gb.mem/1 gave none, the message "needs X, Y free" is recorded */
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
typedef struct gb_registry gb_registry; /* opaque: what `open` registers into */
typedef struct gb_case gb_case;         /* opaque: a bench at one point on one device, with its own tensors */

/* ---- The entry ----------------------------------------------------------------------------------------------- */

/* The one exported object. The first eight bytes keep their meaning in every major. The host reads only this
 * table before it has checked magic, size and version; nothing of the plugin runs before that. Since 1.0. */
struct gb_plugin {
  uint32_t magic;       /* GB_MAGIC */
  uint32_t struct_size; /* sizeof(gb_plugin) as compiled */
  uint32_t abi_built;   /* GB_ABI_VERSION as compiled; for messages only */
  uint32_t abi_needed;  /* lowest host ABI that will do; enforced; normally GB_ABI(1, 0) */
  const char *id;       /* a name, first part of every key: "attention" */
  const char *version;  /* the plugin's own, "0.3.1" */
  const char *build;    /* free text on how it was built (git describe, compiler, flags); may be NULL */
  const char *summary;  /* one line; may be NULL */

  /* Registers benches and variants. [main] Touches no device and reads no clock: `gpubench list` works on any
   * machine. `*self` is the plugin's own, NULL at entry, handed to `close`. If it does not return GB_OK,
   * everything it registered is dropped and `close` is not called. Required. */
  gb_status (*open)(const gb_host *host, gb_registry *registry, void **self);

  /* Last call into the plugin, in each process that opened it, where that ends in peace: not after a crash, a time
   * limit or an interrupt. [main] All cases are gone; what it logs is dropped. It has two seconds; that it crashes or
   * hangs is told in a line and changes no row. The shared object stays mapped. May be NULL. */
  void (*close)(const gb_host *host, void *self);
};

/* Defined by the plugin:  const gb_plugin gb_plugin_v1 = { GB_MAGIC, sizeof(gb_plugin), ... }; */
extern GB_EXPORT const gb_plugin gb_plugin_v1;

/* ---- The host ------------------------------------------------------------------------------------------------ */

#define GB_LOG_INFO 1    /* shown with -v */
#define GB_LOG_WARNING 2 /* shown */

/* Host to plugin; frozen for all of major 1: it grows only through `extension`. Each plugin has its own table,
 * valid from the entry of `open` to the return of `close`. Since 1.0. */
struct gb_host {
  uint32_t struct_size; /* sizeof(gb_host) of the host */
  uint32_t abi_version; /* the host's GB_ABI_VERSION */
  const char *version;  /* the host's release, "0.1.0" */

  /* Offers a bench with its variants. [main, in open] The table is checked and copied; GB_EINVAL with a recorded
   * reason if it is refused, and then `open` should return that. */
  gb_status (*add)(const gb_host *host, gb_registry *registry, const gb_bench *bench);

  /* Offers a variant for the bench with this contract id, whichever plugin owns it, in any load order. [main, in
   * open] The variant sees the owner's cases and named tensors; the owner's inputs, reference and check apply. */
  gb_status (*attach)(const gb_host *host, gb_registry *registry, const char *contract, const gb_variant *variant);

  /* Records why a callback will not return GB_OK, and returns `status`. [any] `c` is NULL in `open`. The first
   * message of a callback wins; up to 1000 bytes are kept; the text is copied. */
  gb_status (*fail)(const gb_host *host, gb_case *c, gb_status status, const char *message);

  /* One line for the user, no newline needed; copied. [any] Not in `run`. */
  void (*log)(const gb_host *host, int32_t level, const char *message);

  /* A service by id, "gb.tensor/1": a frozen table from <gpubench/ext/NAME.h>, or NULL if this host lacks it.
   * [any] Valid until `close` returns; fetch once in `open`. */
  const void *(*extension)(const gb_host *host, const char *id);
};

/* ---- Axes and presets ---------------------------------------------------------------------------------------- */

#define GB_I64 1u /* signed 64-bit integers */
#define GB_F64 2u /* binary64 */
#define GB_STR 3u /* one of `choices` */

/* Values an axis takes by default where the device's backend is `backend`. Since 1.0. */
struct gb_axis_default {
  uint32_t struct_size;
  uint32_t reserved;
  const char *backend; /* "cuda", "cpu" */
  const char *values;  /* as gb_axis.values */
};

/* A named, typed parameter of a bench. Values are written as on the command line: "64,128", "1k:16k:x2" (from, to,
 * times), "0:100:10" (from, to, plus); k, M, G are powers of 1024. At most 511 bytes. Since 1.0. */
struct gb_axis {
  uint32_t struct_size;
  uint32_t type;                          /* GB_I64, GB_F64 or GB_STR */
  const char *name;                       /* "s" */
  const char *unit;                       /* "B", "elements"; NULL: none */
  const char *summary;                    /* "sequence length"; may be NULL */
  const char *choices;                    /* GB_STR: every legal value once, "fp32,bf16", no [ or ]; else NULL */
  const char *values;                     /* the default on every backend without an entry in `defaults` */
  const gb_axis_default *const *defaults; /* NULL-ended, at most 16, one a backend; may be NULL */
};

/* A labelled point: sets some axes, leaves the others to their defaults. Where at least one preset names the
 * device's backend, those presets are the default cases there; otherwise the product of the axes is. Since 1.0. */
struct gb_preset {
  uint32_t struct_size;
  uint32_t reserved;
  const char *name;     /* "llama3-8b/prefill-4k" */
  const char *summary;  /* may be NULL */
  const char *point;    /* one value each: "b=2,h=32,s=4096,d=128"; at most 511 bytes */
  const char *backends; /* in the default set of these: "cuda,cpu"; NULL: only when asked for by name */
};

/* ---- Variants ------------------------------------------------------------------------------------------------ */

/* A default denominator of speedups on its backend: of several, in the order of the bench's list, the first that is
 * right in a case. What a user would take without this plugin comes first: a vendor's library, then a plain kernel for
 * machines that have none. */
#define GB_VARIANT_BASELINE 1u
/* `prepare` reads inputs: after a refill there is `refresh`, or all of it again. */
#define GB_VARIANT_DERIVED 2u
/* On "cuda": `run` returns when its work is done, on whatever stream or device; it is timed by the host's clock (mode
 * wall, or latency where asked). */
#define GB_VARIANT_SYNC 4u
/* On "cuda": `run` cannot be captured into a graph: the graph modes refuse it, and whether it allocates is not checked.
 */
#define GB_VARIANT_NO_CAPTURE 8u
/* What the case is held against, not a solution of it: moves its bytes and computes nothing, a plain copy. Its outputs
 * must be written, its inputs left alone; they are not compared, and the bench's `verify` is not entered. It is timed
 * and shown below the variants, has no speedup and is never the baseline, nor fastest, nor in a mean. Not together with
 * GB_VARIANT_BASELINE. */
#define GB_VARIANT_YARDSTICK 16u
/* Not in the default selection: it runs where --variant or --baseline names it, be it by a glob. Not together with
 * GB_VARIANT_BASELINE. */
#define GB_VARIANT_BY_NAME 32u
/* 64: spoken for by SELF_TIMED, see POLICY.md. */
/* Child processes that `prepare` starts may run until `release`, as threads may; before that returns, they are to end.
 * None that another callback starts may stay. Their processor time is the run's own, their memory is not limited. What
 * they do between two calls of `run` the host does not see: the rows are marked so. */
#define GB_VARIANT_PROCESSES 128u

/* One implementation of a bench. Since 1.0. */
struct gb_variant {
  uint32_t struct_size;
  uint32_t flags;      /* GB_VARIANT_* */
  const char *name;    /* "flash" */
  const char *summary; /* one line; may be NULL */
  const char *backend; /* "cuda": asynchronous on the case's stream. "cpu": returns when the work is done */
  const char *math;    /* precision of the arithmetic: "fp64" "fp32" "tf32" "3xtf32" "fp16" "bf16" "fp8", or "native":
                          products in the input tensors' own type, sums in fp32 or better. Sets the tolerance. */
  const void *user;    /* the plugin's own */

  /* Can it run this case? [plan] and [case] GB_OK, or GB_SKIP with the reason. Sees axis values and device facts
   * and carries every constraint between axes. NULL: always. */
  gb_status (*supports)(const gb_variant *self, gb_case *c);

  /* Builds what `run` needs: handles, plans, workspace. [case] Tensors exist and are filled. It may run, time and wait
   * for the device, and write all but GB_IN; GB_SKIP where only this shows that the case cannot be run. `*vstate` is
   * NULL at entry and the variant's own; where it does not return GB_OK it has undone what it did. NULL: nothing to
   * prepare.
   */
  gb_status (*prepare)(const gb_variant *self, gb_case *c, void **vstate);

  /* The inputs have new values: derives again, into the same memory, what `prepare` derived from them. [case] Of
   * GB_VARIANT_DERIVED alone. May read inputs, run and wait for the device; allocates nothing, changes no pointer that
   * `run` gives to the device. It comes after any `prepare` but the first, in its place: NULL, and the variant is
   * released and prepared again instead, a dozen times for a case. */
  gb_status (*refresh)(const gb_variant *self, gb_case *c, void *vstate);

  /* Puts back what an iteration uses up outside the tensors: a page cache that has to be cold, a file that `run` moves
   * on in. [case] Entered before every `run` that is executed, timed or not, outside the time; what it enqueues on the
   * case's stream comes first. It does not wait for the stream, which may be held back: what the host does here then
   * runs ahead of iterations that are enqueued already. Of the services it has those that say [case] and not `before`.
   * Inputs may be filled anew, and outputs overwritten, between it and `run`. Modes without a pause between iterations
   * (hot, graph, latency-graph) refuse a variant that has it. May be NULL. */
  gb_status (*before)(const gb_variant *self, gb_case *c, void *vstate);

  /* Exactly one iteration. [case] Timed. A "cuda" variant enqueues on the case's stream and returns: it does not
   * synchronise, allocate, or log, and its host work does not grow with the problem. It may use streams of its own
   * if it forks and joins them with events. Unless it says NO_CAPTURE or SYNC it is in every mode also entered while
   * the stream is captured: nothing is executed then and no `before` comes first, so no state of the host's may count
   * calls. A "cpu" variant returns when the outputs are written. Reads inputs, writes every element of every output.
   * Between any two calls inputs may get other values, and outputs be overwritten, in all modes. Required. */
  gb_status (*run)(const gb_variant *self, gb_case *c, void *vstate);

  /* Brings outputs to where the host looks for them: from other devices, out of a library's own format. [case] Entered
   * after a `run` whose outputs are looked at, outside the time, the device idle; what it enqueues on the case's stream
   * is waited for. Inputs do not hold their values meanwhile. Work that belongs to `run` is not seen here: rows say
   * that there is an `after`. Since 1.0. May be NULL. */
  gb_status (*after)(const gb_variant *self, gb_case *c, void *vstate);

  /* Undoes `prepare`. [case] Entered once for each `prepare` that returned GB_OK, after the device is idle. Memory
   * from gb.mem/1 is freed by the host afterwards. May be NULL. */
  void (*release)(const gb_variant *self, gb_case *c, void *vstate);
};

/* ---- Benches ------------------------------------------------------------------------------------------------- */

/* Its GB_INOUT tensors are the state of a trajectory: between iterations they are left as `run` has made them, and so
 * are its GB_SCRATCH tensors. A trajectory begins whenever the host puts the state back to what was filled: with every
 * slot, from new values of all inputs, and with every call that is looked at by itself. What `reference` expects is
 * compared where just one iteration lies behind the state as filled; of all others `verify`, which is required, judges
 * alone: gb.tensor/1 `steps` says how many there were. A variant that keeps anything of the state elsewhere (a
 * neighbour list, which of two buffers is current) is GB_VARIANT_DERIVED and has `refresh`, entered whenever the state
 * is put back. All modes take it. */
#define GB_BENCH_STATEFUL 1u
/* `run` may be applied to its own GB_INOUT results any number of times: hot, graph, latency-graph and the measuring of
 * joules, which else refuse them, put them back between samples and not between the iterations of one. What a batch
 * leaves is not compared, a call by itself is. */
#define GB_BENCH_ITERABLE 2u
/* What it is about is joules: they are measured also where nobody asked for them, if the device has a counter. It times
 * the bench as any other. */
#define GB_BENCH_ENERGY 4u
/* Its bytes pass over a link, through a file or the host's memory: a share of the device's ceilings would say nothing,
 * so there is none. */
#define GB_BENCH_NO_ROOF 8u
/* An earlier contract that guests may still rely on: in runs without a guest of it the bench is left out, unless it is
 * named. */
#define GB_BENCH_FOR_GUESTS 16u
/* Not in the default selection: the bench is left out of runs that do not name it, by --bench, --preset or --case, and
 * that have no guest of it. */
#define GB_BENCH_BY_NAME 32u

/* A problem. `contract` names what a guest may rely on: tensors (names, dtypes, shapes, layouts), axes, meaning and
 * tolerance; any change of those is a new contract id. Since 1.0. */
struct gb_bench {
  uint32_t struct_size;
  uint32_t flags;                    /* GB_BENCH_* */
  const char *name;                  /* "forward"; the key is then "attention/forward" */
  const char *contract;              /* "gpubench.org/attention/forward/1" */
  const char *summary;               /* one line; may be NULL */
  const gb_axis *const *axes;        /* NULL-ended, at most 16; NULL: one case */
  const char *devices_axis;          /* the GB_I64 axis that says how many devices a case works on, by gb.devices/1; its
                                        rows have no share of ceilings but for one device. NULL: always one */
  const gb_preset *const *presets;   /* NULL-ended, at most 64; may be NULL */
  const gb_variant *const *variants; /* NULL-ended, at most 256; NULL: only guests implement it */
  const void *user;                  /* the plugin's own */

  /* Does this point exist? [plan] and [case] As in gb_variant: GB_OK, or GB_SKIP with the reason. May be NULL. */
  gb_status (*supports)(const gb_bench *self, gb_case *c);

  /* Declares the tensors (gb.tensor/1) and the nominal work (gb.case/1). [case] The host allocates and fills them
   * after it returns. `*state` is NULL at entry and the bench's own. Required. */
  gb_status (*setup)(const gb_bench *self, gb_case *c, void **state);

  /* Gives the values of all GB_FILL_BENCH tensors, by gb.input/1. [case, after setup] Entered whenever inputs are to
   * have new values, once for each gb.case/1 `seed`, and again for a seed that it was entered for before: the same seed
   * gives the same values, or the case ends. Required where a tensor has that fill. */
  gb_status (*fill)(const gb_bench *self, gb_case *c, void *state);

  /* States expected outputs in float64 from the inputs as they are stored (gb.tensor/1: input, expect). [case] Entered
   * when inputs have been filled anew, once or many times, also after a variant has run on them. A bench that samples
   * draws the elements from gb.case/1 `places` and includes edges; it is entered again for every comparison, when the
   * outputs are final, and what it stated before is forgotten. NULL: `verify` alone judges. */
  gb_status (*reference)(const gb_bench *self, gb_case *c, void *state);

  /* A further check of the outputs of the variant that just ran, by gb.tensor/1 `output`. [case] Entered after the
   * host's own comparison passed. GB_OK, or GB_EFAIL with what is wrong. NULL: the comparison is enough; `reference` or
   * `verify` must exist. */
  gb_status (*verify)(const gb_bench *self, gb_case *c, void *state);

  /* Undoes `setup`. [case] Entered once for each `setup` that returned GB_OK, after every `release`. May be NULL. */
  void (*teardown)(const gb_bench *self, gb_case *c, void *state);
};

#ifdef __cplusplus
}
#endif
#endif

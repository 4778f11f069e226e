/* Messages between the parent and a worker: frames of plain structs over a socket. Both ends are the same binary, so
 * layouts agree. A worker runs foreign code, so the parent checks sizes, indices and texts of everything it
 * receives. */
#pragma once

#include "model/conditions.h"
#include "model/denominator.h"
#include "model/mode.h"
#include "model/model.h"
#include "model/row_status.h"
#include "model/rule.h"
#include "model/services/metric.h"
#include "model/services/note.h"
#include "model/services/timeline.h"
#include "model/setting.h"
#include "stats/energy.h"

enum { SLOT_SAMPLES_MAX = 64, MESSAGE_BYTES_MAX = 1 << 20, CASE_VARIANTS_MAX = 256 };

enum message_type {
  /* Messages to the worker. It answers each with some of the messages to the parent (from MSG_PLUGIN on), of which the
   * last is MSG_DONE or MSG_FAILED. */
  MSG_LOAD = 1, /* path of the plugin that the worker is to load, a NUL-terminated text */
  /* no payload: asks for the description of the plugin that was loaded last; a separate request, because the
   * description of one bench takes a quarter of a megabyte */
  MSG_DESCRIBE,
  MSG_DEVICE,   /* the specification of the device to open, such as "cuda:0", a NUL-terminated text */
  MSG_SUPPORTS, /* any number of struct case_request, one after another: asks which variants support their cases;
                   answered by a MSG_REPORT per variant */
  MSG_RUN,      /* struct case_request */
  /* struct case_request without variants: asks which tensors and how much work the case declares; the worker calls
   * `setup` and `teardown`, and allocates no tensor */
  MSG_DECLARE,
  MSG_SET,     /* struct setting_message */
  MSG_COUNT,   /* no payload: counts the CUDA devices */
  MSG_EXAMINE, /* struct case_request with one variant or none: asks the worker to run the tests of `gpubench check`;
                  answered by MSG_FINDING */
  /* no payload: closes the plugins; no request about a plugin may follow */
  MSG_CLOSE,
  MSG_SYNC, /* no payload: waits until the device has finished all enqueued work */
  /* struct order_message: tells a worker that sent MSG_READY what to do next */
  MSG_ORDER,
  /* Messages to the parent. */
  MSG_PLUGIN,  /* struct plugin_desc; its benches, variants and settings follow */
  MSG_BENCH,   /* struct bench_desc */
  MSG_VARIANT, /* struct variant_desc */
  MSG_FACTS,   /* struct device_facts */
  /* struct device_facts of one more device of the same kind; cases that need several devices use them in the order of
   * these messages */
  MSG_OTHER,
  MSG_REPORT,  /* struct variant_report */
  MSG_SLOT,    /* struct slot_message, truncated after its samples */
  MSG_CASE,    /* struct case_report */
  MSG_LOG,     /* struct log_message */
  MSG_DONE,    /* no payload */
  MSG_FAILED,  /* struct err */
  MSG_GRAPH,   /* struct graph_message */
  MSG_TENSOR,  /* struct tensor_desc */
  MSG_SETTING, /* struct setting_desc */
  MSG_NOTES,   /* struct notes_message */
  MSG_METRICS, /* struct metrics_message */
  MSG_SPANS,   /* struct spans_message, truncated after its spans */
  MSG_COUNTED, /* uint32_t */
  MSG_FINDING, /* struct finding */
  MSG_READY,   /* struct ready_message: the worker waits for MSG_ORDER */
  MSG_MARK,    /* struct mark_message */
  MSG_UNTIMED, /* struct untimed_message */
  /* the key by which the later frames of this worker are sealed (authenticated); if they are, this is the worker's
   * first frame */
  MSG_SEAL,
  MSG_END, /* not a message: one more than the last message type */
};

enum stop_reason {
  STOP_NONE,
  STOP_PRECISION,
  STOP_CASE_TIME,
  STOP_BUDGET,
  STOP_VERIFY_ONLY,
  STOP_INTERRUPTED,
  STOP_REASON_COUNT
};

struct case_request {
  uint32_t plugin, bench; /* indices in the order in which the worker loaded them */
  uint32_t variant_count;
  uint32_t yardstick; /* 1: the case measures the highest rate of the device (a ceiling), and its variants are not
                         judged faster or slower */
  uint32_t ordered;   /* 1: several processes measure the case in turn, when the parent says so (model/order.h) */
  /* if several processes measure this case in turn: number of variants in all of them; 0: only this process measures
   * it */
  uint32_t company;
  uint32_t verify_only, quick, profile;
  uint32_t others_wait; /* 1: later cases need the time that this case does not use */
  uint32_t idle;        /* number of other workers of this run that are stopped and have the device open */
  uint32_t trajectory;  /* number of calls in a row, each of which goes on from the state that the one before it left;
                           0: as many as usual */
  /* least number of timed slots (series of samples) of each variant to verify, as far as time allows; 0: as many as
   * usual */
  uint32_t verifications;
  struct mode mode;
  uint64_t seed;
  uint64_t order_seed; /* seed of the random order of the variants; differs between cases and processes */
  double precision, case_time_s;
  /* planned end of the case on the monotonic clock; the case goes on after that only until its rows are usable; 0: no
   * limit */
  int64_t until_ns;
  /* time of the monotonic clock; a call that would probably end later is not made; 0: no limit */
  int64_t last_ns;
  /* length of the pauses (cooldowns) that an earlier process used for this case, as a multiple of the work before each
   * pause; it is `cooldown` in the struct case_report of that process */
  double cooldown;
  /* seconds over which the energy counter is read for one measurement of energy; 0: energy is not measured */
  double energy_s;
  double leak_bytes;     /* by how many bytes memory may grow over `trajectory` calls in a row */
  uint64_t memory_limit; /* bytes that the host may allocate for the bench and one variant; 0: no limit */
  struct point point;
  char key[KEY_SIZE];
  struct {
    uint32_t plugin, variant;
    /* what the variant is compared with (model/denominator.h); its twin is given as an index into `variants`, plus 1 */
    struct denominator against;
    char name[ID_SIZE * 2];
  } variants[CASE_VARIANTS_MAX];
};

/* Returns how many bytes of a request are sent: entries of `variants` that are not used are left out. */
static inline size_t case_request_size(const struct case_request *request) {
  return offsetof(struct case_request, variants) + request->variant_count * sizeof request->variants[0];
}

/* Figures of a variant that its row records in columns of the same name; record/record.h describes them. NaN: not
 * known. To add a figure, add a line here, a line in record/record.h, and one where the figure is measured. */
#define VARIANT_COLUMNS(X) \
  X(reuse_limit)           \
  X(leak_bytes_per_call)   \
  X(prepare_s)             \
  X(prepare_warm_s)

#define VARIANT_COLUMN_MEMBER(name) double name;
#define VARIANT_COLUMN_UNKNOWN(name) .name = NAN,

/* Figures that one process measured of a variant. The worker sends them, the parent checks them, and a row records
 * them. */
struct variant_figures {
  VARIANT_COLUMNS(VARIANT_COLUMN_MEMBER)
  /* error and tolerance of the verification that came nearest to its tolerance (the largest error / tolerance) so far;
   * NaN: nothing was compared */
  double error, tolerance;
  uint64_t extra_bytes;
  /* compared: the smallest number of elements that a complete verification compared with expected values; outputs:
   * number of elements of all outputs */
  uint64_t compared, outputs;
  int32_t kernels;         /* number of kernels that one `run` launches, counted in a captured graph; -1: not known */
  uint32_t verified_slots; /* number of timed slots (series of samples) whose outputs were verified */
  uint32_t checked_whole;  /* 1: the bench has a `verify` callback for elements that are not compared */
  uint32_t precise;        /* 1: the variant's confidence intervals became as narrow as asked */
  char math[ID_SIZE];
};

#define VARIANT_FIGURES_NONE \
  ((struct variant_figures){VARIANT_COLUMNS(VARIANT_COLUMN_UNKNOWN).error = NAN, .tolerance = NAN, .kernels = -1})

struct variant_report {
  /* index into the request's variants; in an answer to MSG_SUPPORTS: index into the variants of all requests in that
   * message, in order */
  uint32_t variant;
  uint32_t status; /* enum row_status; in an answer to MSG_SUPPORTS only ROW_OK, ROW_SKIPPED or ROW_ERROR */
  uint32_t phase;  /* enum phase in which the variant was dropped or the device failed */
  uint32_t rule;   /* enum rule that the variant broke, if known */
  /* with ROW_NOT_RUN: seconds that the variant's calls would have taken, if the time did not suffice for them;
   * otherwise 0 */
  double needs_s;
  /* median of the samples on new inputs (values that the variant has not seen), and its standard uncertainty; NaN:
   * there are none */
  double fresh_ns, fresh_unc_ns;
  /* status ROW_WRONG: how many timed slots were verified until the variant was found wrong, including the one in which
   * it was; 1 also if it was wrong before anything was timed; 0: the reuse test found it. Other status: 0 */
  uint32_t verifications;
  /* bits of model/proof/unproven.h: reasons why the variant's times do not prove that it is faster */
  uint32_t unproven;
  /* 1: a callback of the bench failed, which concerns all variants of the process, and each of them gets such a report
   */
  uint32_t of_bench, reserved;
  struct variant_figures figures;
  struct energy_figures energy;
  char message[MSG_SIZE];
};

struct slot_message {
  uint32_t variant, round, count, reserved;
  struct slot_state state;
  double ns[SLOT_SAMPLES_MAX];
};

struct case_report {
  uint32_t stop_reason, rounds;
  uint64_t flops, bytes_read, bytes_written, items, tensor_bytes;
  double seconds_setup, seconds_verify, seconds_sampling;
  double launch_overhead_ns, launch_overhead_unc_ns; /* launch overhead; NaN: not measured */
  /* length of the pauses (cooldowns) before series of samples, as a multiple of the work since the last pause */
  double cooldown;
  uint32_t replicas, reserved; /* iterations per sample */
  struct device_conditions conditions;
  struct host_usage host; /* use of the host's processors during the measurement */
  char item_unit[ID_SIZE];
};

/* A report of a case that has not been measured. */
#define CASE_REPORT_NONE                                  \
  ((struct case_report){.conditions = CONDITIONS_UNKNOWN, \
                        .host = HOST_USAGE_UNKNOWN,       \
                        .launch_overhead_ns = NAN,        \
                        .launch_overhead_unc_ns = NAN})

struct graph_message {
  uint32_t variant; /* index into the request's variants */
  uint32_t reserved;
  struct graph_desc graph;
};

struct setting_message {
  /* plugin: index in the order in which plugins were loaded; setting: index in the order in which the plugin declared
   * them */
  uint32_t plugin, setting;
  char value[SETTING_SIZE];
};

struct notes_message {
  uint32_t variant, reserved; /* index into the request's variants */
  struct note_list notes;
};

struct metrics_message {
  uint32_t variant, count;
  struct metric_result results[METRICS_MAX];
};

/* Some spans of a timeline. A message whose `first` is 0 begins a new timeline. */
struct spans_message {
  uint32_t variant, first, count, reserved;
  uint64_t dropped;
  struct timeline_span spans[TIMELINE_PORTION];
};

/* Tells that a batch of calls starts or ends. The parent reads its own clock when the message arrives. */
struct mark_message {
  uint32_t variant; /* index into the request's variants; UINT32_MAX: the batch is empty */
  uint32_t begins;  /* 1: start, 0: end */
  uint64_t iterations;
  double claimed_ns; /* in the message of the end: the batch's duration by the worker's clock */
  uint32_t queued;   /* 1: each iteration began when the one before had ended, without waiting for the host */
  uint32_t reserved;
};

/* Kinds of untimed work: callbacks and threads that may do the work of `run` outside the measured time. */
enum untimed_kind {
  UNTIMED_DERIVE,  /* `prepare` or `refresh` of a variant with GB_VARIANT_DERIVED */
  UNTIMED_DELIVER, /* `after` */
  /* work of other threads after new inputs were written and before the call that uses these inputs. No callback does
   * it, so UNTIMED_BEGINS and UNTIMED_ENDS are not sent for it */
  UNTIMED_AHEAD,
  UNTIMED_KINDS
};

/* UNTIMED_BEGINS and UNTIMED_ENDS: a callback begins or ends. UNTIMED_COUNTS: the parent is to record the callback's
 * duration plus `gap_ns`, the time between the callback and the measured calls in which threads may have worked. */
enum untimed_stage { UNTIMED_BEGINS, UNTIMED_ENDS, UNTIMED_COUNTS };

struct untimed_message {
  uint32_t variant, kind; /* index into the request's variants; enum untimed_kind */
  uint32_t stage;         /* enum untimed_stage */
  /* with UNTIMED_COUNTS, 1: the device is scripted, that is its times come from a file, so `ns` is not compared with
   * the parent's clock */
  uint32_t scripted;
  double ns; /* with UNTIMED_ENDS: duration of the callback by the worker's clock */
  /* with UNTIMED_COUNTS: for how long threads may have worked between the callback and the measured calls */
  double gap_ns;
  /* with UNTIMED_COUNTS: number of iterations of `run` by which the time is divided: those that used the callback's
   * results, or whose work the callback may have done */
  double iterations;
  /* with UNTIMED_COUNTS: number of slots (series of samples) that the observed slot stands for, because only some slots
   * are observed */
  double slots;
};

struct log_message {
  int32_t level;
  uint32_t reserved;
  char plugin[ID_SIZE], text[MSG_SIZE];
};

const char *stop_reason_name(enum stop_reason reason);

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
  /* Messages to the worker. Each is answered by messages of the second group, the last of which is MSG_DONE or
   * MSG_FAILED. */
  MSG_LOAD = 1, /* the path, a NUL-terminated text */
  /* no payload: asks for a description of the plugin that was loaded last; a bench's description has a quarter of a
   * megabyte */
  MSG_DESCRIBE,
  MSG_DEVICE,   /* the device's spec, a NUL-terminated text */
  MSG_SUPPORTS, /* any number of struct case_request, one after another; answered by a MSG_REPORT per variant */
  MSG_RUN,      /* struct case_request */
  /* struct case_request without variants: sets the case up and takes it down to learn what it declares; no tensor is
   * allocated */
  MSG_DECLARE,
  MSG_SET,     /* struct setting_message */
  MSG_COUNT,   /* no payload: counts the CUDA devices */
  MSG_EXAMINE, /* struct case_request with one variant or none; answered by findings */
  /* no payload: closes the plugins; no request about a plugin may follow */
  MSG_CLOSE,
  MSG_SYNC,  /* no payload: waits until the device has finished all enqueued work */
  MSG_ORDER, /* struct order_message to an ordered case that sent MSG_READY: continues the case */
  /* Messages to the parent. */
  MSG_PLUGIN,  /* struct plugin_desc; its benches, variants and settings follow */
  MSG_BENCH,   /* struct bench_desc */
  MSG_VARIANT, /* struct variant_desc */
  MSG_FACTS,   /* struct device_facts */
  MSG_OTHER,   /* struct device_facts of each other device of the same kind, in the order in which cases take them */
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
  MSG_READY,   /* struct ready_message: an ordered case waits for MSG_ORDER */
  MSG_MARK,    /* struct mark_message */
  MSG_UNTIMED, /* struct untimed_message */
  MSG_SEAL,    /* the key that seals all later frames of this worker; if it seals at all, this is its first frame */
  MSG_END,     /* not a message: one more than the last message type */
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
  uint32_t yardstick; /* 1: the case measures a ceiling, which gets no verdict */
  uint32_t ordered;   /* 1: other processes measure the case too, in turn (model/order.h) */
  /* number of variants in all processes that measure this case in turn; 0: only this process measures it */
  uint32_t company;
  uint32_t verify_only, quick, profile;
  uint32_t others_wait; /* 1: later cases can use the time that this case leaves */
  uint32_t idle;        /* number of other workers of this run that are stopped and have the device open */
  uint32_t trajectory;  /* consecutive calls per slot; 0: slots of the usual length */
  /* how many timed slots of each variant to verify at least, while there is time; 0: as usual */
  uint32_t looks;
  struct mode mode;
  uint64_t seed;
  uint64_t order_seed; /* seed of the order of slots; differs between cases and processes */
  double precision, case_time_s;
  int64_t until_ns; /* monotonic clock: afterwards the case ends as soon as its rows are usable; 0: no limit */
  /* monotonic clock: calls that would not have ended by then are not made; 0: no limit */
  int64_t last_ns;
  /* the member `cooldown` of the struct case_report from the previous process of this case */
  double cooldown;
  double energy_s;       /* length of a window of the energy counter; 0: energy is not measured */
  double leak_bytes;     /* how many bytes the memory may grow over the calls of a trajectory */
  uint64_t memory_limit; /* bytes that the host may allocate for the bench and one variant; 0: no limit */
  struct point point;
  char key[KEY_SIZE];
  struct {
    uint32_t plugin, variant;
    /* its rank as a denominator, and its twin as an index into `variants` */
    struct denominator against;
    char name[ID_SIZE * 2];
  } variants[CASE_VARIANTS_MAX];
};

/* Returns the size of a request as it is sent: with only the variants that it has. */
static inline size_t case_request_size(const struct case_request *request) {
  return offsetof(struct case_request, variants) + request->variant_count * sizeof request->variants[0];
}

/* Figures that a row records under the same name, which record/record.h describes; NaN: not known. To add a figure, add
 * a line here, a line in record/record.h, and one where it is measured. */
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
  /* error and tolerance of the verification that used the largest share of its tolerance so far; NaN: nothing was
   * compared */
  double error, tolerance;
  uint64_t extra_bytes;
  /* compared: number of elements compared with expected values, in the verification that compared the fewest;
   * verifications of only a part are left out. outputs: number of elements of all outputs */
  uint64_t compared, outputs;
  int32_t kernels;         /* number of kernels that one `run` launches, counted in a captured graph; -1: not known */
  uint32_t verified_slots; /* number of timed slots whose outputs were verified */
  uint32_t checked_whole;  /* 1: the bench has a `verify` callback for elements that are not compared */
  uint32_t precise;        /* 1: the variant's intervals became as narrow as asked */
  char math[ID_SIZE];
};

#define VARIANT_FIGURES_NONE \
  ((struct variant_figures){VARIANT_COLUMNS(VARIANT_COLUMN_UNKNOWN).error = NAN, .tolerance = NAN, .kernels = -1})

struct variant_report {
  /* index into the request's variants; in an answer to MSG_SUPPORTS: index into the variants of all its requests */
  uint32_t variant;
  uint32_t status; /* enum row_status; in an answer to MSG_SUPPORTS only ROW_OK, ROW_SKIPPED or ROW_ERROR */
  uint32_t phase;  /* enum phase in which the variant was dropped or the device failed */
  uint32_t rule;   /* enum rule that the variant broke, if known */
  /* with ROW_NOT_RUN: the seconds that the variant's calls would take, for which there was no time; otherwise 0 */
  double needs_s;
  /* median of the variant's samples on new inputs, and its standard uncertainty; NaN: none */
  double fresh_ns, fresh_unc_ns;
  /* number of verifications until the variant was found wrong; 0: no verification found it wrong */
  uint32_t looks;
  /* bits of model/proof/unproven.h: reasons why the variant's times do not prove that it is faster */
  uint32_t unproven;
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
  double cooldown;             /* a cooldown before a slot lasts this many times the work before it */
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

/* The start or the end of a batch. The parent takes its time when the message arrives. */
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
  /* other threads that work between the writing of new inputs and the call that is to use them; only UNTIMED_COUNTS is
   * sent */
  UNTIMED_AHEAD,
  UNTIMED_KINDS
};

/* UNTIMED_BEGINS, UNTIMED_ENDS: the callback begins, ends. UNTIMED_COUNTS: the callback's time and that of the gap
 * around it are complete, and the parent keeps them. */
enum untimed_stage { UNTIMED_BEGINS, UNTIMED_ENDS, UNTIMED_COUNTS };

struct untimed_message {
  uint32_t variant, kind; /* index into the request's variants; enum untimed_kind */
  uint32_t stage;         /* enum untimed_stage */
  /* with UNTIMED_COUNTS, 1: `ns` comes from the script of a scripted device, so it is not compared with the parent's
   * clock */
  uint32_t scripted;
  double ns; /* with UNTIMED_ENDS: duration of the callback by the worker's clock */
  /* with UNTIMED_COUNTS: for how long threads may have worked between the callback and the slot */
  double gap_ns;
  /* with UNTIMED_COUNTS: number of iterations of `run` that used the callback's results, or whose work the callback may
   * have done */
  double iterations;
  /* with UNTIMED_COUNTS: how many slots this observed one represents, because only some are observed */
  double slots;
};

struct log_message {
  int32_t level;
  uint32_t reserved;
  char plugin[ID_SIZE], text[MSG_SIZE];
};

const char *stop_reason_name(enum stop_reason reason);

/* Messages between the parent and a worker: frames of plain structs over a socket. Both ends are the same binary, so
 * layouts agree; but a worker runs foreign code, so the parent checks sizes, indices and texts of all it receives. */
#ifndef MODEL_MESSAGE_H
#define MODEL_MESSAGE_H

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
  /* to the worker; each is answered by messages below and at last MSG_DONE or MSG_FAILED */
  MSG_LOAD = 1, /* path: a NUL-ended text */
  MSG_DESCRIBE, /* nothing: the plugin that was loaded last, of which a bench takes a quarter of a megabyte */
  MSG_DEVICE,   /* spec: a NUL-ended text */
  MSG_SUPPORTS, /* any number of struct case_request, one behind the other; answered by a MSG_REPORT per variant */
  MSG_RUN,      /* struct case_request */
  MSG_DECLARE,  /* struct case_request without variants: sets the case up and takes it down, allocates no tensor */
  MSG_SET,      /* struct setting_message */
  MSG_COUNT,    /* nothing: how many CUDA devices are there? */
  MSG_EXAMINE,  /* struct case_request of one variant, or none; answered by findings */
  MSG_CLOSE,    /* nothing: the plugins are closed, and none can be asked any more */
  MSG_SYNC,     /* nothing: waits until the device has done all that was enqueued */
  MSG_ORDER,    /* struct order_message, to a case that is ordered and said MSG_READY: it goes on */
  /* to the parent */
  MSG_PLUGIN,  /* struct plugin_desc, then its benches, variants and settings */
  MSG_BENCH,   /* struct bench_desc */
  MSG_VARIANT, /* struct variant_desc */
  MSG_FACTS,   /* struct device_facts */
  MSG_OTHER,   /* the same of each other device of its kind, in the order in which cases take them */
  MSG_REPORT,  /* struct variant_report */
  MSG_SLOT,    /* struct slot_message, cut to its samples */
  MSG_CASE,    /* struct case_report */
  MSG_LOG,     /* struct log_message */
  MSG_DONE,    /* nothing */
  MSG_FAILED,  /* struct err */
  MSG_GRAPH,   /* struct graph_message */
  MSG_TENSOR,  /* struct tensor_desc */
  MSG_SETTING, /* struct setting_desc */
  MSG_NOTES,   /* struct notes_message */
  MSG_METRICS, /* struct metrics_message */
  MSG_SPANS,   /* struct spans_message, cut to its spans */
  MSG_COUNTED, /* uint32_t */
  MSG_FINDING, /* struct finding */
  MSG_READY,   /* struct ready_message: a case that is ordered waits for MSG_ORDER */
  MSG_MARK,    /* struct mark_message */
  MSG_UNTIMED, /* struct untimed_message */
  MSG_SEAL,    /* the key by which all later frames of this worker are sealed: the first that it sends, if it does */
  MSG_END,     /* no message: one more than the last */
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
  uint32_t plugin, bench; /* in the worker's order of loading */
  uint32_t variant_count;
  uint32_t yardstick; /* a ceiling: no words will be said of it */
  uint32_t ordered;   /* other processes measure the case too, in turn: see model/order.h */
  uint32_t company;   /* variants of all of them; 0: those of this request */
  uint32_t verify_only, quick, profile;
  uint32_t others_wait; /* for what time it leaves: rows that come after it */
  uint32_t idle;        /* other workers of this run, which have the device open and are stopped */
  uint32_t trajectory;  /* calls in a row per slot; 0: slots of the usual length */
  uint32_t looks;       /* so often each variant's outputs are to be looked at, while there is time; 0: as usual */
  struct mode mode;
  uint64_t seed;
  uint64_t order_seed; /* of the order of turns: another one in each case and process */
  double precision, case_time_s;
  int64_t until_ns;      /* by the monotonic clock: then the case ends as soon as its rows can stand; 0: never */
  int64_t last_ns;       /* then nothing of it may go on: calls that would are left out; 0: never */
  double rest;           /* before a slot, times the work before it: what the case's last process came to need */
  double energy_s;       /* length of a window of the energy counter; 0: it is not asked */
  double leak_bytes;     /* growth of memory that is allowed over a trajectory's calls */
  uint64_t memory_limit; /* of what the host allocates for the bench and one variant; 0: none */
  struct point point;
  char key[KEY_SIZE];
  struct {
    uint32_t plugin, variant;
    struct denominator against; /* indices into these */
    char name[ID_SIZE * 2];
  } variants[CASE_VARIANTS_MAX];
};

/* What of it is sent: only the variants that it has. */
static inline size_t case_request_size(const struct case_request *request) {
  return offsetof(struct case_request, variants) + request->variant_count * sizeof request->variants[0];
}

/* What a process has measured of a variant, as its worker says it, the parent checks it and a row has it: a figure more
 * is a member here, a line where it is measured and one of analyse/analyse.c. */
struct variant_figures {
  double error, tolerance;    /* worst of all passes so far; NaN: not compared */
  double leak_bytes_per_call; /* NaN: not measured */
  double hidden_share;        /* of its time: reuse of results that saves more would have been seen; NaN: none would */
  uint64_t extra_bytes;
  uint64_t compared, outputs; /* the fewest elements that were compared with an expectation, of so many */
  int32_t kernels;            /* in one run, by capture; -1: not known */
  uint32_t verified_slots;    /* timed slots whose outputs were judged */
  uint32_t checked_whole;     /* the bench has a `verify` for what is not compared */
  uint32_t precise;           /* its intervals became as narrow as asked */
  char math[ID_SIZE];
};

#define VARIANT_FIGURES_NONE \
  ((struct variant_figures){ \
      .error = NAN, .tolerance = NAN, .leak_bytes_per_call = NAN, .hidden_share = NAN, .kernels = -1})

struct variant_report {
  uint32_t variant; /* index into the request's; of MSG_SUPPORTS into all of its requests' */
  uint32_t status;  /* enum row_status; of MSG_SUPPORTS: ROW_OK or ROW_SKIPPED or ROW_ERROR */
  uint32_t phase;   /* enum phase: where it was dropped, or the device's fault was */
  uint32_t rule;    /* enum rule: which one it broke, where that is known */
  double needs_s;   /* of ROW_NOT_RUN: its calls take so long that there is no time for so much; else 0 */
  double fresh_ns,
      fresh_unc_ns;  /* the median of its samples with new inputs, and its standard uncertainty; NaN: none */
  uint32_t looks;    /* at its outputs until it was found wrong; 0: it was not by a look */
  uint32_t unproven; /* bits of model/proof/unproven.h: why its times do not prove that it is faster */
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
  double floor_ns, floor_unc_ns; /* NaN: not measured */
  double rest;                   /* before a slot, times the work before it */
  uint32_t replicas, reserved;   /* iterations per sample */
  struct device_conditions conditions;
  struct host_usage host; /* while it was measured */
  char item_unit[ID_SIZE];
};

struct graph_message {
  uint32_t variant; /* index into the request's */
  uint32_t reserved;
  struct graph_desc graph;
};

struct setting_message {
  uint32_t plugin, setting; /* in the worker's order of loading, in the order of declaring */
  char value[SETTING_SIZE];
};

struct notes_message {
  uint32_t variant, reserved; /* index into the request's */
  struct note_list notes;
};

struct metrics_message {
  uint32_t variant, count;
  struct metric_result results[METRICS_MAX];
};

/* A portion of a timeline; the one with `first` 0 begins it. */
struct spans_message {
  uint32_t variant, first, count, reserved;
  uint64_t dropped;
  struct timeline_span spans[TIMELINE_PORTION];
};

/* The begin or the end of a batch, which the parent times by when it comes. */
struct mark_message {
  uint32_t variant; /* index into the request's; UINT32_MAX: the batch holds nothing */
  uint32_t begins;  /* else it ends */
  uint64_t iterations;
  double claimed_ns; /* of its end: what it has taken by the worker's clock */
  uint32_t queued;   /* its iterations waited for each other alone, not for the host */
  uint32_t reserved;
};

/* Callbacks outside the time in which work may be done that belongs to `run`. */
enum untimed_kind {
  UNTIMED_DERIVE,  /* `prepare` or `refresh` of a GB_VARIANT_DERIVED */
  UNTIMED_DELIVER, /* `after` */
  UNTIMED_AHEAD,   /* what other threads do before a call, once new inputs are there: UNTIMED_COUNTS alone is said of it
                    */
  UNTIMED_KINDS
};

enum untimed_stage { UNTIMED_BEGINS, UNTIMED_ENDS, UNTIMED_COUNTS /* its gap is known, and the time is one to keep */ };

struct untimed_message {
  uint32_t variant, kind; /* index into the request's; enum untimed_kind */
  uint32_t stage;         /* enum untimed_stage */
  uint32_t scripted;      /* of UNTIMED_COUNTS: `ns` is a script's, which no clock is held against */
  double ns;              /* of UNTIMED_ENDS: that it took, by the worker's clock */
  double gap_ns;          /* of UNTIMED_COUNTS: what threads may have done between it and the slot */
  double iterations;      /* likewise: of `run` that it served, or that it may have done the work of */
  double slots;           /* likewise: it stands for so many, of which one was looked at */
};

struct log_message {
  int32_t level;
  uint32_t reserved;
  char plugin[ID_SIZE], text[MSG_SIZE];
};

const char *stop_reason_name(enum stop_reason reason);

#endif

/* A variant while its case is measured, and its slot tasks. A slot is a number of consecutive samples of one variant; a
 * slot task says what to do in a slot and holds the results. */
#pragma once

#include "case/case.h"
#include "case/values.h"
#include "case/witness.h"
#include "model/message.h"
#include "model/mode.h"
#include "plugin/process_others.h"
#include "plugin/process_state.h"
#include "stats/audit.h"
#include "stats/leak.h"
#include "stats/stats.h"

enum { UNTIMED_SEEDS = 32 };

/* SLOT_MOST: the most samples of a slot task that are kept. SLOT_EXTRA: the most that it takes in addition and does not
 * keep: the first sample, and up to two that only test whether the variant reuses results. */
enum { SLOT_MOST = 50, SLOT_EXTRA = 3 };
_Static_assert(SLOT_MOST + SLOT_EXTRA <= SLOT_SAMPLES_MAX, "a slot task fits into a message and into struct rotation");

/* Observations of those callbacks of a variant that run outside the measured time (measure/audit/untimed.h). "Derived"
 * means that `prepare` or `refresh` computed something from the inputs. */
struct untimed {
  int64_t began_ns[UNTIMED_KINDS];
  bool derived; /* results were derived from the inputs, and no slot has begun since */
  /* derived_anew: results were last derived from inputs that the variant had not seen before; ran_anew: the last slot
   * ran on inputs that the variant had not seen before, so results kept from earlier calls did not help */
  bool derived_anew, ran_anew;
  bool ended; /* the last sample of the variant's last slot has been taken */
  /* processor time of other threads and child processes at the start of the gap between a callback and a slot, when the
   * device was idle */
  struct others gap;
  double gap_drained_ns; /* ns that the device took to become idle before the gap */
  /* part of the time between the end of the slot and the callback `after`, in ns, in which the variant may have done
   * work */
  double gap_ns;
  /* the slot runs on new inputs from which results were derived beforehand, so the time of deriving them is charged to
   * the variant */
  bool counts;
  double derive_gap_ns, counted_iterations;
  /* number of iterations since the present trajectory (calls that continue from each other's results) began */
  double iterations;
  uint64_t seeds[UNTIMED_SEEDS]; /* seeds of the inputs that the variant saw last */
  uint32_t seen;                 /* number of seeds noted so far */
};

/* Observations of watched calls: those for which the host checks whether other threads did work before the call began
 * (measure/audit/untimed.h). */
struct ahead {
  /* processor time of other threads and child processes when they became idle before the watched call */
  struct others since;
  uint32_t count;
  double waited_s; /* seconds of waiting for other threads to become idle, in total */
  /* probability with which the last slot was chosen to have a watched call */
  double share;
};

struct contestant {
  struct gb_case *c;
  const struct measure_sink *sink;
  struct variant *variant;
  uint32_t index; /* index in the case request */
  const char *name;
  void *vstate;
  bool told; /* the variant's report has been sent */
  /* prepared: `prepare` returned GB_OK and `release` was not called since; launched: `run` has been called at least
   * once */
  bool prepared, launched;
  bool blameless; /* the process cannot go on, and the variant's own report says why, so it is not blamed again */
  struct variant_report report; /* status ROW_OK until the variant is dropped */
  struct capture *capture;      /* captured graph of `replicas` iterations, in graph modes */
  uint32_t replicas;            /* iterations per sample, in batched modes */
  uint32_t slot_size;           /* samples per slot */
  int64_t prepare_ns;           /* ns of the variant's last `prepare` */
  /* first_s: seconds of the variant's first call together with what the host does before and after it, such as writing
   * tensors; first_ns: time of the call as a sample, in ns */
  double first_s, first_ns;
  /* shortest duration of a sample in ns, with launch and the emptying of caches */
  double cost_ns;
  double slot_wall_ns; /* expected duration of a slot */
  /* seconds that all slots of the variant took, together with what the host does before and after them */
  double slots_s;
  /* precise: the variant's intervals are as narrow as the user asked for; partner: it is still sampled because the
   * ratio of another variant needs it */
  bool precise, partner;
  /* Times for the reuse test, which finds variants that keep results of earlier calls instead of computing them.
   * `single`: times of the single calls with which slots begin, and medians of slots that begin without a single call.
   * `last_ratio`: last samples of slots, each divided by the median of the slot's other samples. */
  struct audits single, last_ratio;
  struct audits surprised; /* times with and without unannounced writes to the tensors (measure/audit/surprise.h) */
  struct audits rotated;   /* times of samples whose inputs were written (measure/audit/sample_inputs.h) */
  /* the kind of single call with which slots of the variant begin now; the same kind comes several times in a row */
  enum audit_kind call_kind;
  struct plain plain;
  uint64_t prepared_seed, last_seed; /* seeds of the inputs at the last `prepare` and at the last iteration */
  uint32_t verified;                 /* number of timed slots whose outputs were verified */
  /* number of timed slots that were verified at elements drawn only when the outputs were final, so that no variant
   * could know which elements would be compared */
  uint32_t unforeseen;
  uint32_t clocked, doubted; /* number of timed samples, and of those on which two clocks disagree */
  struct values values;
  struct untimed untimed;
  struct ahead ahead;
  struct leak leak;                   /* growth of memory over the calls, if calls continue from each other's results */
  struct process_state_growth growth; /* growth of the number of descriptors and threads */
  struct slot *slots;                 /* the variant's slots, which own their samples */
  size_t slot_count;
};

/* Says how the tensors are changed before a sample. */
struct change {
  /* on: outputs are written; poison: they are filled with a pattern that marks unwritten elements, otherwise their
   * present values are written again */
  bool on, poison;
  bool fill; /* the inputs are filled with the values of `seed` */
  uint64_t seed;
};

/* A perturbation (measure/audit/surprise.h): an unannounced write to inputs or outputs between two iterations, without
 * a pause by which the variant could notice it. A piece is a part of a tensor at a random place. */
struct surprise {
  /* a random number that chooses the perturbed sample, unless `ends` is set: the remainder of its division by the
   * number of samples in the slot is the sample's index */
  uint64_t sample;
  /* the slot's last sample is perturbed, so that no later sample can repair the outputs before they are verified */
  bool ends;
  /* All iterations from number `first` to number `last` are perturbed, counted from 1. If `last` is 0, none is. */
  uint32_t first, last;
  /* before iteration `last` each output is filled as a whole with a pattern that marks unwritten elements; otherwise
   * only a piece of each output is */
  bool whole;
  /* Not 0: a piece of the inputs is changed before each perturbed iteration, and before iteration `last` it gets the
   * values of this seed. 0: the inputs are not changed. */
  uint64_t inputs;
  /* number of unperturbed iterations directly before `first`. Before each of them as many bytes are written as before a
   * perturbed one, but with the values that they already have. So the times of the two kinds differ only if new values
   * make a difference. */
  uint32_t touched;
};

/* Says which values are written to the inputs before a sample: none, the same ones again, or new ones. */
enum sample_inputs { INPUTS_LEFT, INPUTS_AGAIN, INPUTS_NEW };

/* Says before which samples of a slot the inputs are written, with new values or with the same ones again
 * (measure/audit/sample_inputs.h). */
struct rotation {
  /* share: the part of the slot's samples whose inputs are written; new_share: the part of those that get INPUTS_NEW,
   * while the others get INPUTS_AGAIN */
  double share, new_share;
  uint64_t key; /* key of the random numbers that choose which samples get written inputs */
  /* the slot's outputs are verified, so its last sample runs on the inputs whose expected outputs are known */
  bool judged;
  /* set for the last portion of a slot with `judged`: the inputs are restored before the last sample */
  bool ends;
  /* number of extra samples in which the inputs are written before each iteration (measure/audit/sample_inputs.h) */
  uint32_t batches;
  /* out: ns spent on writing inputs in each of these extra samples */
  double written_ns[2];
  /* the sample that is watched for work of other threads (sampling_watches()), counted from 1; 0: none. This sample is
   * an extra one and is not kept. If `batches` is not 0, an iteration is watched instead: this is its number in the
   * extra sample with new inputs */
  uint32_t watched;
  unsigned char inputs[SLOT_SAMPLES_MAX]; /* out: enum sample_inputs of each sample */
};

/* The stage of the measurement in which a slot is taken. */
enum round_stage {
  STAGE_SAMPLING, /* slots until there are enough samples */
  STAGE_LAST,     /* the one round after that, which is kept and verifies all variants on new inputs */
  STAGE_EVIDENCE  /* slots after that, which are not kept: calls for the reuse test, and verifications */
};

/* The tests in one slot (measure/audit/spot_check.h): whether the slot begins with a single call that is timed for the
 * reuse test, whether its outputs are verified, and whether inputs change during the slot. */
struct spot_check {
  enum round_stage stage;
  /* the slot begins with a single call */
  bool on;
  bool judged_first; /* the outputs of the single call are verified */
  bool judged;       /* the outputs after the slot's last sample are verified */
  /* all variants get the same new inputs in this round (a round has one slot of each variant) */
  bool shared;
  bool rotates; /* inputs are written before some samples (measure/audit/sample_inputs.h) */
  /* from: seed of the inputs at the start of the slot; 0: the slot starts on the present ones. to: seed of the values
   * that a perturbation writes to the inputs; 0: no perturbation changes inputs */
  uint64_t from, to;
  enum audit_kind kind;
  struct change first, last; /* changes before the single call, and before the slot's last sample */
};

/* A callback that is called twice for a slot: with `begins` true right before the slot's work may begin, and with
 * `begins` false when its time has been read. */
struct bell {
  void (*ring)(void *user, bool begins);
  void *user;
  /* the call with `begins` true comes only when all work is enqueued; the stream is held back until then */
  bool waits;
};

/* A slot task; members marked "out" hold its results. */
struct slot_task {
  enum timing timing;
  uint32_t count; /* number of samples */
  /* flush: the caches are emptied before each sample; check_held: the outputs must not change while the stream is held
   * back, otherwise the variant works on another stream */
  bool flush, check_held;
  bool single;  /* one iteration per sample, even in batched modes */
  bool goes_on; /* continues from the results of the previous slot task */
  /* the inputs are those of the variant's previous slot, and `rotation` does not change them */
  bool inputs_stay;
  struct surprise surprise;
  struct rotation rotation;
  /* out: ns spent on writing the perturbation, which are subtracted from the variant's time */
  double surprise_ns;
  /* out: ns spent on writing old values again (surprise.touched), which are subtracted from the variant's time, too */
  double touched_ns;
  uint32_t surprised; /* out: index of the perturbed sample, skipped samples included */
  /* work may start as soon as it is enqueued, instead of when all of the slot's work is; for slots whose times need not
   * be exact */
  bool free_running;
  /* first: change of the tensors right before the first sample; last: change before the caches are emptied for the last
   * sample */
  struct change first, last;
  bool check_done; /* the outputs must be complete when the last sample's time is taken */
  /* before the last sample all outputs are filled with a pattern that marks unwritten elements; otherwise only a few
   * elements are changed */
  bool poisoned;
  bool timed; /* the samples are kept, except the first `skipped` and those from `kept_to` on */
  uint32_t skipped, kept_to;
  /* length of the cooldown (a pause of the device) before the slot, as a multiple of the time for which the device
   * worked before */
  double cooldown;
  /* calls_left: number of calls that the variant must still make to have ROUNDS_LEAST rounds; left_ns: the time for
   * them, 0: no limit */
  double calls_left, left_ns;
  const struct bell *bell; /* called at the start and the end of the slot's work; NULL: no call */
  /* receives the spans (named intervals) that the slot's iterations record; NULL: none are kept */
  struct timeline *timeline;
  double *ns;              /* out: for each sample the ns of one iteration */
  struct slot_state state; /* out: state of the device during the slot */
  /* the contents of the outputs when the clock stopped were recorded, so late writes can be found */
  bool witnessed;
  struct clock_doubt doubt;    /* out: samples on which two clocks disagree */
  struct witness_finding late; /* out: an output that changed after the clock stopped, or was not written by then */
};

/* A variant in a case, and the slot requests that it gets: what to do in a slot, and its results. */
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

/* Observations of a variant's callbacks outside the measured time (measure/audit/untimed.h). */
struct untimed {
  int64_t began_ns[UNTIMED_KINDS];
  bool derived; /* results were derived from inputs, and no slot has begun since */
  /* Results were derived from, and the slot ran on, inputs that the variant had not seen: nothing kept from earlier
   * calls helps. */
  bool derived_anew, ran_anew;
  bool ended; /* the clock of the last slot has stopped */
  /* other threads' state at the start of the gap between a callback and a slot, when the device was idle */
  struct others gap;
  double gap_drained_ns; /* ns that the device took to become idle */
  double gap_ns;         /* time in the gap that counts as possible work */
  bool counts;           /* the time to derive results from this slot's inputs counts */
  double derive_gap_ns, counted_iterations;
  double iterations;             /* iterations that led to the state of a trajectory */
  uint64_t seeds[UNTIMED_SEEDS]; /* seeds of the inputs seen last */
  uint32_t seen;                 /* number of seeds noted */
};

/* Observations of other threads' work ahead of calls (measure/audit/untimed.h). */
struct ahead {
  struct others since; /* other threads' state when they became idle before the watched call */
  uint32_t count;
  double waited_s; /* seconds of waiting for other threads to become idle, in total */
  double share;    /* share of slots that are watched now */
};

struct contestant {
  struct gb_case *c;
  const struct measure_sink *sink;
  struct variant *variant;
  uint32_t index; /* index in the request */
  const char *name;
  void *vstate;
  bool told;               /* the variant's report has been sent */
  bool prepared, launched; /* launched: `run` has been called once */
  bool blameless; /* the process cannot go on, and the variant's own report says why, so it is not blamed again */
  struct variant_report report; /* status ROW_OK until the variant is dropped */
  struct capture *capture;      /* captured graph of `replicas` iterations, in graph modes */
  uint32_t replicas;            /* iterations per sample, in batched modes */
  uint32_t slot_size;           /* samples per slot */
  int64_t prepare_ns;           /* ns of the variant's last `prepare` */
  double first_s, first_ns;     /* the variant's first call: s with everything around it; ns of the call alone */
  double cost_ns;               /* least ns of a sample with everything around it */
  double slot_wall_ns;          /* expected ns of a slot */
  double slots_s;               /* s of all slots of the variant with everything around them */
  /* precise: the variant's intervals are as narrow as asked; partner: it is still sampled for another variant's ratio
   */
  bool precise, partner;
  /* Times for the reuse test. `first`: of the single calls of spot checks, and medians of untouched slots. `late`: the
   * last sample of a slot, as a multiple of the slot's other samples. */
  struct audits first, late;
  struct audits surprised; /* times with and without perturbations (measure/audit/surprise.h) */
  struct audits rotated;   /* rotated samples, by their inputs (measure/audit/sample_inputs.h) */
  enum audit_kind turn;    /* the kind of call that spot checks of the variant collect now */
  struct plain plain;
  uint64_t prepared_seed, last_seed; /* seeds of the inputs at the last `prepare` and at the last iteration */
  uint32_t verified;                 /* timed slots whose outputs were verified */
  uint32_t unforeseen;               /* how many of these were verified at places that no variant could know before */
  uint32_t clocked, doubted;         /* number of timed samples, and of those on which two clocks disagree */
  struct values values;
  struct untimed untimed;
  struct ahead ahead;
  struct leak leak;                   /* growth of memory over the calls of trajectories */
  struct process_state_growth growth; /* growth of the number of descriptors and threads */
  struct slot *slots;                 /* the variant's slots, which own their samples */
  size_t slot_count;
};

/* A change of the tensors before a sample. */
struct change {
  /* poison: outputs are filled with a pattern that marks what is unwritten, otherwise rewritten without change */
  bool on, poison;
  bool fill; /* inputs become those of `seed` */
  uint64_t seed;
};

/* A perturbation between iterations that a variant cannot notice by a pause (measure/audit/surprise.h). A piece is a
 * part of a tensor at a random place. */
struct surprise {
  /* a random number: modulo the number of samples in the slot it selects the one that is perturbed */
  uint64_t sample;
  bool ends; /* the slot's last sample is perturbed: nothing follows before its outputs are verified */
  /* The first and the last iteration of the slot, counted from 1, that are perturbed, with all in between. `last` 0:
   * none. */
  uint32_t first, last;
  bool whole; /* before `last` all of each output is poisoned, otherwise only a piece of each */
  /* Before each of these iterations a piece of the inputs is changed, before `last` to the values of this seed. 0:
   * inputs are left alone. */
  uint64_t inputs;
  uint32_t
      /* before this many iterations that precede `first`, as many bytes are written without changing them */
      touched;
};

/* What is written to the inputs before a sample: nothing, the same values again, or new values. */
enum sample_inputs { INPUTS_LEFT, INPUTS_AGAIN, INPUTS_NEW };

/* The rotation of a slot's inputs (measure/audit/sample_inputs.h). */
struct rotation {
  /* share of samples whose inputs are written; share of these that is INPUTS_NEW, the others being INPUTS_AGAIN */
  double share, new_share;
  uint64_t key; /* key of the random numbers that choose the samples */
  bool judged;  /* the slot's outputs are verified, so its last sample keeps the known inputs */
  bool ends;    /* the slot's last sample is in this portion */
  /* number of extra samples in which the inputs are written before each iteration (measure/audit/sample_inputs.h) */
  uint32_t batches;
  double written_ns[2]; /* out: ns of writing in each of these extra samples */
  /* number, from 1, of the extra sample that is watched for work of other threads and is not kept (sampling_watches());
   * with `batches`, number of the watched iteration in the extra sample with new inputs; 0: none */
  uint32_t watched;
  unsigned char inputs[SLOT_SAMPLES_MAX]; /* out: enum sample_inputs of each sample */
};

/* The stage of the measurement in which a slot is taken. */
enum trial_stage {
  TRIAL_SAMPLING, /* slots until there are enough samples */
  TRIAL_LAST,     /* the one round after that, which verifies all variants on new inputs */
  TRIAL_EVIDENCE  /* extra slots after the last round, for the reuse test of variants that need more calls */
};

/* A spot check or a perturbation of one slot (measure/audit/trial.h). */
struct trial {
  enum trial_stage stage;
  /* the slot begins with a single call */
  bool on;
  bool judged_first; /* what the single call leaves in the outputs is verified */
  bool judged;       /* what the slot leaves is verified, with or without a single call */
  bool shared;       /* the inputs are those of the round */
  bool rotates;      /* inputs are written before some samples (measure/audit/sample_inputs.h) */
  /* from: seed of the inputs at the start of the slot, 0: as they are; to: seed of the inputs that perturbations lead
   * to, 0: none */
  uint64_t from, to;
  enum audit_kind kind;
  struct change first, last; /* changes before the single call, and before the slot's last sample */
};

/* A callback that is called right before the work of a slot may begin (`begins` is true), and when its time has been
 * read. */
struct bell {
  void (*ring)(void *user, bool begins);
  void *user;
  bool waits; /* the work is held back until all of it is enqueued */
};

/* A slot request; members marked "out" hold its results. */
struct turn {
  enum timing timing;
  uint32_t count;         /* number of samples */
  bool flush, check_held; /* check_held: poisoned outputs must not change while the stream is held back */
  bool single;            /* one iteration per sample, even in batched modes */
  bool goes_on;           /* continues the trajectory of the previous slot request */
  bool settled;           /* the inputs are those of the variant's previous slot */
  struct surprise surprise;
  struct rotation rotation;
  double surprise_ns; /* out: ns spent on writing the perturbation, which do not count as the variant's time */
  double touched_ns;  /* out: ns spent on writing without change, which do not count either */
  uint32_t surprised; /* out: index of the perturbed sample, skipped samples included */
  bool free_running;  /* the stream is not held back, because these times need not be exact */
  /* changes right before the first sample, and before the caches are emptied for the last */
  struct change first, last;
  bool check_done; /* the outputs must be complete when the last sample's time is taken */
  /* before the last sample all outputs are poisoned; otherwise only a few of their elements are changed */
  bool poisoned;
  bool timed; /* the samples count, except the first `skipped` and those from `kept_to` on */
  uint32_t skipped, kept_to;
  /* length of the cooldown before the slot, as a multiple of the work before the cooldown */
  double rest;
  /* calls that the variant's fewest rounds still need, and the time for them; 0: no limit */
  double calls_left, left_ns;
  const struct bell *bell;     /* called at the start and the end of the slot's work; NULL: no call */
  struct timeline *timeline;   /* receives the spans of the slot's iterations; NULL: none are kept */
  double *ns;                  /* out: for each sample the ns of one iteration */
  struct slot_state state;     /* out: state of the device during the slot */
  bool witnessed;              /* out: what the outputs held when the clock stopped is known */
  struct clock_doubt doubt;    /* out: doubts about the clock of the samples */
  struct witness_finding late; /* out: an output that changed after the clock stopped, or was not written by then */
};

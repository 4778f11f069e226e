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
  bool derived;                /* something was derived, and no slot has begun since */
  bool derived_anew, ran_anew; /* on inputs that were new: nothing kept from earlier calls helps */
  bool ended;                  /* the clock of the last slot has stopped */
  /* other threads' state at the start of the gap between a callback and a slot, when the device was idle */
  struct others gap;
  double gap_drained_ns; /* how long the device took to become idle */
  double gap_ns;         /* time in the gap that counts as possible work */
  bool counts;           /* the time to derive this slot's inputs counts */
  double derive_gap_ns, counted_iterations;
  double iterations;             /* that led to the state of a trajectory */
  uint64_t seeds[UNTIMED_SEEDS]; /* seeds of the inputs seen last */
  uint32_t seen;                 /* number of seeds noted */
};

/* Observations of other threads' work ahead of calls (measure/audit/untimed.h). */
struct ahead {
  struct others since; /* their state when they became idle before the watched call */
  uint32_t count;
  double waited_s; /* waiting for them to become idle, in all */
  double share;    /* share of slots that are watched now */
};

struct contestant {
  struct gb_case *c;
  const struct measure_sink *sink;
  struct variant *variant;
  uint32_t index; /* index in the request */
  const char *name;
  void *vstate;
  bool told;                    /* its report has been sent */
  bool prepared, launched;      /* launched: `run` has been entered once */
  bool blameless;               /* the process cannot go on, but the variant's own report explains why */
  struct variant_report report; /* status ROW_OK until it is dropped */
  struct capture *capture;      /* of `replicas` iterations, in graph modes */
  uint32_t replicas;            /* iterations per sample, in batched modes */
  uint32_t slot_size;           /* samples per slot */
  int64_t prepare_ns;           /* duration of its last `prepare` */
  double first_s, first_ns;     /* duration of its first call, with everything around it and alone */
  double cost_ns;               /* least duration of a sample with everything around it */
  double slot_wall_ns;          /* expected duration of a slot */
  double slots_s;               /* duration of all its slots with everything around them */
  /* precise: its intervals are as narrow as asked; partner: still sampled for another variant's ratio */
  bool precise, partner;
  /* Times for the reuse test. `first`: of the single calls of spot checks, and medians of untouched slots. `late`: the
   * last sample of a slot, as a multiple of the slot's other samples. */
  struct audits first, late;
  struct audits surprised; /* times with and without perturbations (measure/audit/surprise.h) */
  struct audits rotated;   /* rotated samples, by their inputs (measure/audit/sample_inputs.h) */
  enum audit_kind turn;    /* of spot checks: the kind being collected */
  struct plain plain;
  uint64_t prepared_seed, last_seed; /* seeds of the inputs of its last prepare and its last iteration */
  uint32_t verified;                 /* timed slots whose outputs were verified */
  uint32_t unforeseen;               /* of these, verified at places that no variant could know before */
  uint32_t clocked, doubted;         /* timed samples, and those on which two clocks disagree */
  struct values values;
  struct untimed untimed;
  struct ahead ahead;
  struct leak leak;                   /* of trajectories */
  struct process_state_growth growth; /* of descriptors and threads */
  struct slot *slots;                 /* with owned samples */
  size_t slot_count;
};

/* A change of the tensors before a sample. */
struct change {
  bool on, poison; /* poison: outputs are poisoned, otherwise rewritten without change */
  bool fill;       /* inputs become those of `seed` */
  uint64_t seed;
};

/* A perturbation between iterations that a variant cannot notice by a pause. */
struct surprise {
  /* random: the slot's sample with this number modulo their count */
  uint64_t sample;
  bool ends;            /* in the slot's last sample: nothing follows before its outputs are verified */
  uint32_t first, last; /* iterations of the slot, from 1, that are perturbed, with all in between; last 0: none */
  bool whole;           /* before the last one all of the outputs are poisoned, otherwise a piece of each */
  /* a piece of the inputs changes before each iteration, at last to that of this seed; 0: inputs stay */
  uint64_t inputs;
  uint32_t touched; /* before this many iterations ahead of them as much is written without change */
};

/* The change of the inputs before a sample. */
enum sample_inputs { INPUTS_LEFT, INPUTS_AGAIN, INPUTS_NEW };

/* The rotation of a slot's inputs (measure/audit/sample_inputs.h). */
struct rotation {
  /* share of samples whose inputs are written; share of these that is INPUTS_NEW, the others being INPUTS_AGAIN */
  double share, new_share;
  uint64_t key; /* key of the draws */
  bool judged;  /* the slot's outputs are verified, so its last sample keeps the known inputs */
  bool ends;    /* and that sample is in this portion */
  /* this many extra samples have their inputs written before each iteration (measure/audit/sample_inputs.h) */
  uint32_t batches;
  double written_ns[2]; /* out: the time of writing in each of these */
  /* an extra sample, counted from 1, that is watched and not kept (sampling_watches()); with `batches` an iteration of
   * the one with new inputs; 0: none */
  uint32_t watched;
  unsigned char inputs[SLOT_SAMPLES_MAX]; /* out: enum sample_inputs of each sample */
};

/* The stage of the measurement in which a slot is taken. */
enum trial_stage {
  TRIAL_SAMPLING, /* until the samples are enough */
  TRIAL_LAST,     /* then one round verifies all on new inputs */
  TRIAL_EVIDENCE  /* then extra slots for the reuse test of variants that need more */
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
  /* seeds of the inputs at the start, 0: as they are, and of those that perturbations lead to, 0: none */
  uint64_t from, to;
  enum audit_kind kind;
  struct change first, last; /* before the single call, and before the slot's last sample */
};

/* Rung right before the work of a slot may begin, and when its time has been read. */
struct bell {
  void (*ring)(void *user, bool begins);
  void *user;
  bool waits; /* the work is held back until all of it is enqueued */
};

/* A slot request, and what came of it (out). */
struct turn {
  enum timing timing;
  uint32_t count;         /* number of samples */
  bool flush, check_held; /* check_held: poisoned outputs must not change while the stream is held back */
  bool single;            /* one iteration per sample, even in batched modes */
  bool goes_on;           /* continues the trajectory of the request before */
  bool settled;           /* the inputs are those of the variant's slot before */
  struct surprise surprise;
  struct rotation rotation;
  double surprise_ns; /* out: time to write the perturbation, which is not the variant's */
  double touched_ns;  /* out: time to write without change, not the variant's either */
  uint32_t surprised; /* out: the perturbed sample, counted with the skipped ones */
  bool free_running;  /* never held back: its times need not be exact */
  /* changes right before the first sample, and before the caches are emptied for the last */
  struct change first, last;
  bool check_done; /* the outputs must be complete when the last sample's time is taken */
  /* before that sample they are all poison; otherwise a few elements are changed */
  bool poisoned;
  bool timed; /* the samples count, except the first `skipped` and those from `kept_to` on */
  uint32_t skipped, kept_to;
  /* length of the cooldown before it, as a multiple of the work before that */
  double rest;
  /* calls that the variant's fewest rounds still need, and the time for them; 0: no limit */
  double calls_left, left_ns;
  const struct bell *bell;     /* NULL: none */
  struct timeline *timeline;   /* where the spans of its iterations go; NULL: nowhere */
  double *ns;                  /* one time per sample, of one iteration */
  struct slot_state state;     /* out */
  bool witnessed;              /* out: what the outputs held when the clock stopped is known */
  struct clock_doubt doubt;    /* out: doubts about the clock of the samples */
  struct witness_finding late; /* out: an output that changed afterwards or was not written then */
};

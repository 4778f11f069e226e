/* A variant in a case, and the turns it takes: what is to be done in a slot, and what came of it. */
#ifndef MEASURE_TURN_H
#define MEASURE_TURN_H

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

/* What is known of its callbacks outside the time (measure/audit/untimed.h). */
struct untimed {
  int64_t began_ns[UNTIMED_KINDS];
  bool derived;                /* and no slot has begun since */
  bool derived_anew, ran_anew; /* of inputs that were new to it: nothing kept from earlier calls is of use */
  bool ended;                  /* the last slot's clock has stopped */
  struct others gap;           /* between a callback and a slot: since the device had come to an end, */
  double gap_drained_ns;       /* so long after it; */
  double gap_ns;               /* and what counts of it */
  bool counts;                 /* what this slot's inputs took to be derived */
  double derive_gap_ns, counted_iterations;
  double iterations;             /* that lie behind the state of a trajectory */
  uint64_t seeds[UNTIMED_SEEDS]; /* of inputs that it has seen, the last ones */
  uint32_t seen;                 /* so many were noted */
};

/* What is known of others' work ahead of its calls (measure/audit/untimed.h). */
struct ahead {
  struct others since; /* of the call that is watched: since others were idle */
  uint32_t count;
  double waited_s; /* for others to become idle, in all */
  double share;    /* of slots that are watched now */
};

struct contestant {
  struct gb_case *c;
  const struct measure_sink *sink;
  struct variant *variant;
  uint32_t index; /* in the request */
  const char *name;
  void *vstate;
  bool told;                    /* its report has been sent */
  bool prepared, launched;      /* launched: `run` has been entered once */
  bool blameless;               /* the process cannot go on, but its own report says all there is to say */
  struct variant_report report; /* status ROW_OK while it takes part */
  struct capture *capture;      /* of `replicas` iterations, in graph modes */
  uint32_t replicas;            /* iterations per sample of the batched modes */
  uint32_t slot_size;           /* samples per slot */
  double first_s, first_ns;     /* what its first call took, with all that came with it, and by itself */
  double cost_ns;               /* the least that a sample took, with all that comes with it */
  double slot_wall_ns;          /* what a slot costs */
  double slots_s;               /* what its slots took so far, with all that came with them */
  bool precise, partner;        /* its intervals are as narrow as asked; it is wanted for somebody whose are not */
  struct audits first, late; /* of trials: times of their own calls; and last samples, as multiples of their slots' */
  struct audits surprised;   /* times with surprises, and without (measure/audit/surprise.h) */
  struct audits rotated;     /* ordinary samples, by their inputs (measure/audit/sample_inputs.h) */
  enum audit_kind turn;      /* of trials: what is being gathered */
  struct plain plain;
  uint64_t prepared_seed, last_seed; /* of the inputs when it was prepared, and of its last iteration's */
  uint32_t verified;                 /* timed slots whose outputs were judged */
  uint32_t unforeseen;               /* looks at what such a slot has left of which nobody could know the places */
  uint32_t clocked, doubted;         /* timed samples, and those of which two clocks disagree */
  struct values values;
  struct untimed untimed;
  struct ahead ahead;
  struct leak leak;                   /* of trajectories */
  struct process_state_growth growth; /* of descriptors and threads */
  struct slot *slots;                 /* with owned samples */
  size_t slot_count;
};

/* What is done to the tensors. */
struct change {
  bool on, poison; /* outputs are poisoned, or written with what they hold */
  bool fill;       /* inputs become those of `seed` */
  uint64_t seed;
};

/* Between iterations of a batch, with no pause that could be noticed. */
struct surprise {
  uint64_t sample;      /* the slot's first sample, and so many more, round and round */
  bool ends;            /* but in the slot's last: nothing comes behind it before its outputs are judged */
  uint32_t first, last; /* before these iterations of the turn, from 1, and before all in between; 0: there is none */
  bool whole;           /* before the last one outputs are poisoned whole, or a piece of each */
  uint64_t inputs;      /* before each a piece of the inputs changes, in the end to that of this seed; 0: none does */
  uint32_t touched;     /* before so many iterations in front of these as much is written that does not change */
};

/* What is done to the inputs before a sample. */
enum sample_inputs { INPUTS_LEFT, INPUTS_AGAIN, INPUTS_NEW };

/* Of a slot whose inputs are rotated (measure/audit/sample_inputs.h). */
struct rotation {
  double share, new_share; /* of its samples; and of these INPUTS_NEW, the others INPUTS_AGAIN */
  uint64_t key;            /* of the draws */
  bool judged;             /* what the slot leaves is compared: its last sample is left to others */
  bool ends;               /* and that sample is among these */
  uint32_t batches; /* so many more samples: inputs are written before each iteration (measure/audit/sample_inputs.h) */
  double written_ns[2]; /* out: what that took in each */
  uint32_t watched; /* this sample, counted from 1, is one more, and not kept (sampling_watches()); of `batches` this
                       iteration of the one with new inputs; 0: none is */
  unsigned char inputs[SLOT_SAMPLES_MAX]; /* out: enum sample_inputs, by sample */
};

/* When a slot is taken. */
enum trial_stage {
  TRIAL_SAMPLING, /* until the samples are enough */
  TRIAL_LAST,     /* then all are judged on new inputs */
  TRIAL_EVIDENCE  /* and then those of whom more is to be known */
};

struct trial {
  enum trial_stage stage;
  bool on;
  bool judged_first; /* by what its own call leaves in the outputs */
  bool judged;       /* by what its slot does, also where nothing was done before */
  bool shared;       /* the inputs are the round's */
  bool rotates;      /* inputs are written before some of its samples (measure/audit/sample_inputs.h) */
  uint64_t from, to; /* seed of the inputs, 0: as they are, and of those that surprises lead to, 0: there are none */
  enum audit_kind kind;
  struct change first, last; /* before its own call, and before the slot's last sample */
};

/* Rung right before the work of a turn may begin, and when its time has been read. */
struct bell {
  void (*ring)(void *user, bool begins);
  void *user;
  bool waits; /* the work is held back until all of it is enqueued */
};

/* How it is to be run. */
struct turn {
  enum timing timing;
  uint32_t count;         /* samples */
  bool flush, check_held; /* check_held: poisoned outputs may not change before the stream is let go */
  bool single;            /* one iteration a sample, whatever the mode's batches are */
  bool goes_on;           /* with the trajectory of the turn before */
  bool settled;           /* the inputs are those of its slot before */
  struct surprise surprise;
  struct rotation rotation;
  double surprise_ns;        /* out: what it took, which is not the variant's */
  double touched_ns;         /* out: likewise, to write what does not change */
  uint32_t surprised;        /* out: the sample that had it, counting those that are skipped */
  bool free_running;         /* never held back: its times are not meant to be exact */
  struct change first, last; /* right before the first sample, and before the caches are emptied for the last */
  bool check_done;           /* outputs must be there when the last sample's time is taken */
  bool poisoned;             /* and are poison whole before it; else a few elements of them are changed then */
  bool timed;                /* these samples count, but the first `skipped`, and from `kept_to` on */
  uint32_t skipped, kept_to;
  double rest;                 /* before it, times the work before that */
  double calls_left, left_ns;  /* of it in its fewest rounds, and the time that there is for them; 0: not limited */
  const struct bell *bell;     /* NULL: none */
  struct timeline *timeline;   /* where the spans of its iterations go; NULL: nowhere */
  double *ns;                  /* a time per iteration for each sample */
  struct slot_state state;     /* out */
  bool witnessed;              /* out: it is known what outputs held when the work was to be done */
  struct clock_doubt doubt;    /* out: of the clock of the samples */
  struct witness_finding late; /* out: an output that has changed since, or was not written then */
};

#endif

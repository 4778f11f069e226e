/* One variant taking part in a case: prepared, run, verified, released; and what became of it. */
#ifndef MEASURE_CONTESTANT_H
#define MEASURE_CONTESTANT_H

#include "case/case.h"
#include "measure/values.h"
#include "model/message.h"
#include "model/mode.h"
#include "plugin/process_state.h"
#include "stats/audit.h"
#include "stats/leak.h"
#include "stats/stats.h"

struct contestant {
  struct gb_case *c;
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
  double cost_ns;               /* the least that a sample took, with all that comes with it */
  double slot_wall_ns;          /* what a slot costs */
  double solo_ns;               /* its median when nothing else runs in between; NaN: not measured */
  struct audits first, late; /* of trials: times of their own calls; and last samples, as multiples of their slots' */
  enum audit_kind turn;      /* of trials: what is being gathered */
  struct plain plain;
  uint64_t prepared_seed, last_seed; /* of the inputs when it was prepared, and of its last iteration's */
  uint32_t verified;                 /* timed slots whose outputs were judged */
  struct values values;
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

/* How it is to be run. */
struct turn {
  enum timing timing;
  uint32_t count;            /* samples */
  bool flush, check_held;    /* check_held: poisoned outputs may not change before the stream is let go */
  bool single;               /* one iteration a sample, whatever the mode's batches are */
  uint32_t spoiled;          /* before this iteration, from 1, outputs are poisoned; 0: before none */
  bool free_running;         /* never held back: its times are not meant to be exact */
  struct change first, last; /* right before the first sample, and before the caches are emptied for the last */
  bool check_done;           /* untimed: outputs must be there when `run` returns, where that is what it is to do */
  bool timed;                /* these samples count, but the first `skipped` */
  uint32_t skipped;
  struct timeline *timeline; /* where the spans of its iterations go; NULL: nowhere */
  double *ns;                /* a time per iteration for each sample */
  struct slot_state state;   /* out */
  const char *unfinished;    /* out: an output that was not written when `run` returned, or NULL */
  uint64_t element;
};

/* Takes part still? */
bool contestant_alive(const struct contestant *k);

/* Ends its part with a status and a sentence; releases it. */
void contestant_drop(struct contestant *k, enum row_status status, const char *format, ...) ERR_PRINTF(3, 4);

/* -1 only when nobody should run in this process any more. */
int contestant_prepare(struct contestant *k, struct err *err);
void contestant_release(struct contestant *k);

/* Takes samples. A callback's failure drops it; -1 only when the device failed. */
int contestant_slot(struct contestant *k, struct turn *turn, struct err *err);

/* Poisons the outputs, takes the turn's samples, checks them. -1 only when the device failed. */
int contestant_verify(struct contestant *k, struct turn *turn, struct err *err);

/* Judges the outputs as they lie there. What does not pass drops it, with `where` before the reason; -1 only when the
 * device failed. */
int contestant_check(struct contestant *k, const char *where, struct err *err);

/* Drops one whose outputs were there later than `run` had returned, as the turn has seen: where it passed the check
 * above, and else it is told better. */
void contestant_check_done(struct contestant *k, const struct turn *turn);

/* Drops a variant that is faster where its work has been done before, or whose memory grows by more than `leak_bytes`
 * over the calls it has made. */
void contestant_judge(struct contestant *k, const struct audit_words *words, double leak_bytes);

/* Counts the kernels of one iteration and, in graph modes, keeps its capture with `replicas` iterations; a variant that
 * cannot be captured though it says so is dropped. -1 only when the device failed. */
int contestant_capture(struct contestant *k, struct mode mode, struct err *err);

/* One launch to warm up and one for a profiler to see, neither held back. -1 only when the device failed. */
int contestant_profile(struct contestant *k, struct err *err);

/* A slot, empty, with room for `slot_size` samples, which are then kept in one portion or more. */
void contestant_open_slot(struct contestant *k, uint32_t round);
void contestant_keep(struct contestant *k, const struct slot_state *state, const double *ns, uint32_t count);
void contestant_free(struct contestant *k);

#endif

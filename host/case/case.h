/* A case alive in a worker: a bench at a point on a device, with its tensors, its memory and what its callbacks said.
 * This is what a plugin holds as `gb_case *`. */
#ifndef CASE_CASE_H
#define CASE_CASE_H

#include <gpubench/ext/case.h>
#include <gpubench/ext/tensor.h>

#include "device/device.h"
#include "machine/scratch.h"
#include "model/data/fill.h"
#include "model/phase.h"
#include "model/services/metric.h"
#include "model/services/note.h"
#include "model/services/timeline.h"
#include "plugin/process_state.h"
#include "plugin/registry.h"

enum { OWNER_BENCH = -1 };

struct span { /* expected values, logical indices */
  uint64_t first, count;
  double *values;
  double rms;      /* of the first `rms_of` of them */
  uint64_t rms_of; /* 0: not computed */
};

enum { PIECE_BYTES = 1024, LARGE_PIECE_BYTES = 16 << 20 }; /* at most */

/* Of an input: filled from another seed than the rest of it. */
struct piece {
  uint64_t seed, first, count; /* elements of storage; count 0: there is none */
};

/* Of an output: so many elements are stated; and what tells whether their places differ with the number that they are
 * drawn from (case/stated.h). */
struct stated {
  uint64_t elements;
  uint64_t sum, seed; /* of the places that were stated last, and of the inputs then */
  uint32_t draws;     /* so often for that seed */
  bool moves;
  uint64_t read; /* elements that `verify` was given */
};

struct tensor {
  char name[ID_SIZE];
  uint32_t role, dtype, rank;
  int64_t shape[RANK_MAX], strides[RANK_MAX];
  uint64_t elements; /* logical */
  uint64_t extent;   /* elements of storage from the first to the last */
  bool dense;        /* row-major without gaps: logical index == storage index */
  enum memory_kind memory;
  uint64_t align, offset, reduction;
  double tolerance; /* its own; 0: none */
  bool exact;       /* compared bit for bit */
  struct fill fill;
  struct piece piece;
  void *allocation, *data, *snapshot; /* snapshot: of GB_INOUT, as filled */
  void *values;                       /* of GB_FILL_BENCH: in host memory, as its storage is filled */
  uint64_t sums[2];                   /* of them, by the seeds in gb_case.sum_seeds */
  void *ready, *kept;                 /* of GB_IN: the next piece's values, and what stood where this one is */
  void *pool;                         /* other values for it (case/input_pool.h); NULL: none */
  uint64_t checksum;                  /* of GB_IN, as filled */
  uint64_t whole_checksum;            /* likewise, without a piece, by the seed in gb_case.whole_summed */
  struct witness *witness;            /* of outputs (case/witness.h); NULL: none */
  const void *lies_at;                /* where the last iteration has made it, dense; NULL: in `data`, or not said */
  struct span *spans;
  size_t span_count;
  struct stated stated;
  uint64_t seal; /* of outputs: a checksum of what they held when they were final (case/verify.h) */
};

/* Inputs whose contents are a window of their pools (case/input_pool.h). */
struct shown {
  bool kept;            /* what they held is kept in the pools' memory */
  uint64_t number;      /* of the windows; 0: they hold what is kept */
  uint64_t seed, whole; /* of what is kept, as in gb_case */
};

/* How many elements of each integer output a variant makes what poison is, by right: on inputs of this seed. */
struct plain {
  bool known;
  uint64_t seed, count[TENSORS_MAX][2]; /* of POISON_BYTE and of OTHER_POISON_BYTE */
};

struct allocation {
  void *memory; /* NULL: it lies elsewhere, and is only counted */
  enum memory_kind kind;
  uint64_t bytes;
  int owner;    /* index of a variant, or OWNER_BENCH */
  bool guarded; /* a secret pattern lies on both sides (case/memory.h) */
};

/* Iterations of a slot from `from` to before `to`, but for one. */
struct kept {
  uint64_t from, to, except;
};

static inline struct kept kept_all(void) {
  return (struct kept){0, UINT64_MAX, UINT64_MAX};
}

struct gb_case {
  struct device *device;
  const struct bench *bench;
  struct point point;
  char key[KEY_SIZE];
  uint64_t seed, whole;             /* of what the inputs hold, and of all but the pieces; the same where none are */
  uint64_t known_seed, known_whole; /* of what checksums and expectations belong to */
  uint64_t whole_summed;            /* 0: none */
  bool values_known;                /* the bench has given its values of this seed */
  uint64_t values_seed;
  uint64_t sum_seeds[2]; /* of which the bench's values have been summed; 0: none */
  uint64_t progress;     /* of the running callback, as it says */
  uint64_t steps;        /* iterations since inout tensors were as filled; 0: not known */
  uint64_t ready_seed;   /* of pieces that have been made ready */
  bool large_pieces;     /* from a line of caches to half of the input; known before tensors are allocated */
  struct shown shown;
  bool other_poison;                            /* integers are poisoned with the other value */
  uint64_t secret, guarded, shifted, witnessed; /* key of what nobody is to know, and how often each use of it drew */
  uint64_t drawn;                               /* numbers, on a scripted device */
  uint64_t places;                              /* the number that the running `reference` or `verify` may ask for */
  uint64_t seal_key;                            /* of the checksums in `seal`, drawn for each comparison */
  uint64_t places_given;                        /* by an examination, in place of one that is drawn; 0: none */
  bool asked[2];                                /* for it, by the last `reference`, and by the last `verify` */
  bool delivered;                               /* `after` has been entered since the last iteration */
  bool afterwards;                              /* `reference` has been entered since the last iteration */
  unsigned char guard_byte;
  struct phase_page *page;
  uint64_t memory_limit; /* of what is allocated for the bench and one variant; 0: none */

  struct tensor tensors[TENSORS_MAX];
  uint32_t tensor_count;
  gb_work work;            /* item_unit points to the copy below */
  char item_unit[ID_SIZE]; /* what `work` said, copied */
  struct allocation *allocations;
  size_t allocation_count;

  struct graph_desc *graph; /* what `prepare` has stated; NULL: nothing */
  struct note_list *notes;  /* likewise */

  struct metric_set *metrics;     /* declared in setup; NULL: none */
  struct metric_log *metric_logs; /* of whose callback runs, one per metric; NULL: values are not kept */
  uint64_t iteration;             /* number of the iteration within the slot */
  struct kept kept;               /* iterations whose values are kept */

  struct timeline *timeline; /* of the iteration that runs; NULL: spans are not kept */
  bool timeline_asked;       /* by this slot's iterations */
  int64_t iteration_ns;      /* when it began */

  struct scratch *scratch; /* this process's; NULL: it may have none */
  char *scratch_path;      /* the case's own, once it was asked for */

  enum phase phase;              /* callback now running */
  int owner;                     /* and whose it is */
  const struct variant *variant; /* likewise, or whose outputs are judged; NULL: neither */
  _Atomic bool misused;          /* a service was called wrongly: fails the callback whatever it returns */
  struct said said;
  struct process_state_finding finding; /* what a variant's callbacks have left changed, until somebody takes it */

  void *state; /* the bench's */
};

#endif

/* A case in a worker process: a bench with one value for each of its parameters (axes), on one device, with its
 * tensors, its memory and what its callbacks reported. Plugins hold it as `gb_case *`. */
#pragma once

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

struct span { /* expected values of `count` consecutive elements from logical index `first` on */
  uint64_t first, count;
  double *values;
  double rms;      /* root mean square of the first `rms_of` values */
  uint64_t rms_of; /* number of values that `rms` was computed from; 0: it was not computed */
};

/* Largest size of a piece (struct piece) in bytes: usually PIECE_BYTES, and LARGE_PIECE_BYTES if gb_case.large_pieces
 * is set. */
enum { PIECE_BYTES = 1024, LARGE_PIECE_BYTES = 16 << 20 };

/* A part of an input that is filled from another seed than the rest of the input. */
struct piece {
  /* seed: from which the piece is filled; first, count: the elements of storage that it covers; count 0: there is no
   * piece */
  uint64_t seed, first, count;
};

/* How many elements of an output the bench's `reference` states (gives expected values for), and whether it states
 * other elements when it is given another random number (case/stated.h). */
struct stated {
  uint64_t elements;
  /* sum: checksum of the indices of the elements stated last; seed: seed of the inputs at that time */
  uint64_t sum, seed;
  uint32_t draws; /* how often `reference` stated elements for inputs of this `seed` */
  bool moves;
  uint64_t read; /* number of elements that `verify` has read */
};

struct tensor {
  char name[ID_SIZE];
  uint32_t role, dtype, rank;
  int64_t shape[RANK_MAX], strides[RANK_MAX];
  uint64_t elements; /* number of logical elements */
  uint64_t extent;   /* elements of storage from the first to the last */
  bool dense;        /* row-major without gaps: logical index == storage index */
  enum memory_kind memory;
  uint64_t align, offset, reduction;
  double tolerance; /* tolerance set by the bench; 0: none */
  bool exact;       /* values are compared bit for bit */
  struct fill fill;
  struct piece piece;
  void *allocation, *data, *snapshot;  /* snapshot: a copy of the first contents of an inout tensor */
  uint64_t guard_before, guard_behind; /* bytes of the guard zones before and behind `data` */
  void *values; /* copy in host memory of the values that the bench filled in (GB_FILL_BENCH); NULL for other inputs */
  uint64_t sums[2]; /* checksums of `values` for the seeds in gb_case.sum_seeds */
  /* for inputs (GB_IN): values for the next piece (ready), and the values that the current piece replaced (kept) */
  void *ready, *kept;
  void *pool;        /* other values for this input (case/input_pool.h); NULL: none */
  uint64_t checksum; /* checksum of a GB_IN tensor as filled */
  /* checksum that an input has when all of it is filled from the seed gb_case.whole_summed */
  uint64_t whole_checksum;
  /* the elements of an output that are read to find late writes (case/witness.h); NULL: none */
  struct witness *witness;
  /* address at which the variant says that its last iteration left this output, without gaps; NULL: the output is in
   * `data`, or the variant did not say where it is */
  const void *lies_at;
  struct span *spans;
  size_t span_count;
  struct stated stated;
  uint64_t seal; /* for outputs: checksum of the final contents (case/verify.h) */
};

/* Says whether the inputs hold values from their pools instead of the values that they were filled with. A pool is a
 * buffer with other values for one input (case/input_pool.h). The part of it that is copied into the input is called a
 * window. */
struct shown {
  bool kept;            /* the contents that windows replaced are saved in the pools' memory */
  uint64_t number;      /* selects the windows that the inputs hold; 0: the inputs hold the saved contents */
  uint64_t seed, whole; /* seeds of the saved contents, as in gb_case */
};

/* How many elements of each integer output equal the poison (the pattern that marks unwritten outputs) when a variant
 * has written them correctly, on inputs of this seed. */
struct plain {
  bool known;
  /* count: for each output the number of elements that, when written correctly, equal POISON_BYTE, and the number that
   * equal OTHER_POISON_BYTE */
  uint64_t seed, count[TENSORS_MAX][2];
};

struct allocation {
  void *memory; /* NULL: the plugin allocated this memory without the host, which only counts it */
  enum memory_kind kind;
  uint64_t bytes;
  int owner;    /* index of a variant, or OWNER_BENCH */
  bool guarded; /* a secret pattern lies before and behind the memory (case/memory.h) */
  /* the pages between the fences that the memory lies in, and their size (case/fence.h); NULL: there are no fences */
  void *pages;
  uint64_t page_bytes;
};

/* Which end of each tensor lies at a fence, that is at pages that cannot be accessed (case/fence.h). */
enum fence { FENCE_NONE, FENCE_BEFORE, FENCE_BEHIND };

/* Says for which iterations of a slot (a series of samples) the values of metrics are kept: from number `from` up to,
 * but not including, number `to`. Number `except` is left out. */
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
  /* seeds from which the present contents of the inputs were filled: `seed` for a piece of each input (struct piece),
   * `whole` for the rest; equal if there are no pieces */
  uint64_t seed, whole;
  /* the values of `seed` and `whole` for the contents that the checksums and expected values belong to */
  uint64_t known_seed, known_whole;
  /* the seed that the whole_checksum of each tensor belongs to; 0: none was computed */
  uint64_t whole_summed;
  bool values_known; /* the tensors' `values` are those that the bench's `fill` wrote for values_seed */
  uint64_t values_seed;
  /* the last two seeds for which the bench has filled in values; their checksums are in the tensors' `sums`; 0: none */
  uint64_t sum_seeds[2];
  uint64_t progress;   /* progress that the running callback has reported so far */
  uint64_t steps;      /* iterations since inout tensors were filled; 0: not known */
  uint64_t ready_seed; /* the seed of the values that the tensors' `ready` holds */
  /* true: pieces (struct piece) have random sizes, from a cache line to half of the input; set before tensors are
   * allocated */
  bool large_pieces;
  /* set before tensors are allocated, by `gpubench check`; other than FENCE_NONE only if the device uses the host's
   * memory */
  enum fence fence;
  struct shown shown;
  bool other_poison; /* unwritten integers are marked by OTHER_POISON_BYTE, not POISON_BYTE */
  /* secret: a key hidden from plugins; guarded, shifted, witnessed: how many random numbers were drawn from it for
   * guards, for shifts of the stack, and to find late writes */
  uint64_t secret, guarded, shifted, witnessed;
  uint64_t drawn; /* on a scripted device (for tests): how many numbers case_draw() has returned */
  /* random number by which the running `reference` may choose the elements for which it gives expected values, or the
   * running `verify` the elements that it reads */
  uint64_t places;
  uint64_t seal_key; /* key of the checksums in `seal`, a new random number for each comparison */
  /* number that `gpubench check` sets for `places` instead of a random one; 0: none */
  uint64_t places_given;
  bool asked[2];   /* [0]: the last `reference` asked for `places`; [1]: the last `verify` did */
  bool delivered;  /* `after` was called since the last iteration */
  bool afterwards; /* `reference` was called since the last iteration */
  unsigned char guard_byte;
  struct phase_page *page;
  uint64_t memory_limit; /* most bytes that the bench and one variant may have together; 0: no limit */

  struct tensor tensors[TENSORS_MAX];
  uint32_t tensor_count;
  gb_work work;            /* the work that the bench declares; its item_unit points to the copy below */
  char item_unit[ID_SIZE]; /* a copy of work.item_unit */
  struct allocation *allocations;
  size_t allocation_count;

  struct graph_desc *graph;                        /* graph that the variant described in `prepare`; NULL: none */
  struct strings nodes_left_out, metrics_left_out; /* names of what was left out, because this host does not know it */
  struct note_list *notes;                         /* notes of the running callback; NULL: none */

  struct metric_set *metrics; /* metrics declared in `setup`; NULL: none */
  /* logs of the variant whose callback runs, one per metric; NULL: values are dropped */
  struct metric_log *metric_logs;
  uint64_t iteration; /* number of the iteration within the slot */
  struct kept kept;   /* iterations whose values are kept */

  /* takes the spans (named intervals) that the running iteration reports; NULL: they are dropped */
  struct timeline *timeline;
  bool timeline_asked;  /* an iteration of this slot has asked for a timeline */
  int64_t iteration_ns; /* when the iteration began */

  struct scratch *scratch; /* scratch folder of this process; NULL: not available */
  char *scratch_path;      /* the case's folder, once a plugin has asked for it */

  enum phase phase;              /* the running callback, or the last one */
  int owner;                     /* index of the variant that the callback belongs to, or OWNER_BENCH */
  const struct variant *variant; /* the variant whose callback runs or whose outputs are judged; NULL: neither */
  _Atomic bool misused;          /* the callback called a service wrongly, so it fails whatever it returns */
  bool unsupported; /* the callback declared what this host does not know, so the case is skipped whatever it returns */
  struct said said;
  /* the first change that a variant's callbacks made in the process; it is reset when it is read */
  struct process_state_finding finding;

  void *state; /* the bench's state, from `setup` */
};

bool tensor_is_output(const struct tensor *tensor); /* true for GB_OUT and GB_INOUT */

/* Returns a random number from the operating system. Ends the process if there is none. On a scripted device, whose
 * runs must repeat, the number follows from the case's secret. */
uint64_t case_draw(struct gb_case *c);

/* Returns the value of the bench's devices_axis, or 1 if the bench has no such axis. The value may be less than 1 or
 * more than there are devices. */
int64_t case_devices(const struct gb_case *c);

/* Returns true if there are enough devices. If not, `why` gives the reason. */
bool case_has_devices(const struct gb_case *c, char *why, size_t size);

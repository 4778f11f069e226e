/* A case alive in a worker: a bench at a point on a device, with its tensors, its memory and what its callbacks said.
 * This is what a plugin holds as `gb_case *`. */
#ifndef CASE_CASE_H
#define CASE_CASE_H

#include <gpubench/ext/case.h>
#include <gpubench/ext/tensor.h>

#include "device/device.h"
#include "machine/scratch.h"
#include "model/fill.h"
#include "model/metric.h"
#include "model/note.h"
#include "model/phase.h"
#include "model/timeline.h"
#include "plugin/registry.h"

enum { OWNER_BENCH = -1 };

struct span { /* expected values, logical indices */
  uint64_t first, count;
  double *values;
};

struct tensor {
  char name[ID_SIZE];
  uint32_t role, dtype, rank;
  int64_t shape[RANK_MAX], strides[RANK_MAX];
  uint64_t elements; /* logical */
  uint64_t extent;   /* elements of storage from the first to the last */
  bool dense;        /* row-major without gaps: logical index == storage index */
  uint64_t align, offset, reduction;
  struct fill fill;
  void *allocation, *data, *snapshot; /* snapshot: of GB_INOUT, as filled */
  uint64_t checksum;                  /* of GB_IN, as filled */
  struct span *spans;
  size_t span_count;
};

struct allocation {
  void *memory;
  enum memory_kind kind;
  uint64_t bytes;
  int owner; /* index of a variant, or OWNER_BENCH */
};

/* How a callback ended. */
enum outcome_kind { OUTCOME_OK, OUTCOME_SKIP, OUTCOME_NO_MEMORY, OUTCOME_FAIL };

struct outcome {
  enum outcome_kind kind;
  char message[MSG_SIZE]; /* not empty unless OUTCOME_OK */
};

struct gb_case {
  struct device *device;
  const struct bench *bench;
  struct point point;
  char key[KEY_SIZE];
  uint64_t seed;
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
  uint64_t timed_from;            /* the first whose values are kept */

  struct timeline *timeline; /* of the iteration that runs; NULL: spans are not kept */
  bool timeline_asked;       /* by this slot's iterations */
  int64_t iteration_ns;      /* when it began */

  struct scratch *scratch; /* this process's; NULL: it may have none */
  char *scratch_path;      /* the case's own, once it was asked for */

  enum phase phase; /* callback now running */
  int owner;        /* and whose it is */
  bool misused;     /* a service was called wrongly: fails the callback whatever it returns */
  char message[MSG_SIZE];

  void *state; /* the bench's */
};

/* Where a warning that concerns no callback goes; NULL: nowhere. Set once by the worker. */
extern void (*case_warn)(const char *text);

/* Around every callback: `call_begin` marks the phase and forgets former messages, `call_end` judges status and
 * message. */
void call_begin(struct gb_case *c, enum phase phase, int owner);
void call_end(struct gb_case *c, gb_status status, struct outcome *outcome);

/* Records a message of the running callback; the first wins. A misuse fails the callback whatever it returns. */
void case_message(struct gb_case *c, const char *text);
void case_misuse(struct gb_case *c, const char *format, ...) ERR_PRINTF(2, 3);

/* Memory for `owner`, poisoned; NULL with "needs X, Y free" recorded. */
void *case_alloc(struct gb_case *c, enum memory_kind kind, uint64_t bytes, int owner);
void case_free(struct gb_case *c, void *memory);
void case_free_owned(struct gb_case *c, int owner);
uint64_t case_owned_bytes(const struct gb_case *c, int owner);

/* Tensors. Indices are logical unless said. */
struct tensor *tensor_find(struct gb_case *c, const char *name); /* NULL: misuse recorded */
gb_status tensor_declare(struct gb_case *c, const gb_tensor *declaration);
bool tensors_allocate(struct gb_case *c);                            /* false: not enough memory, message recorded */
int tensors_fill(struct gb_case *c, uint64_t seed, struct err *err); /* refills; forgets expectations */
int tensors_repair(struct gb_case *c, struct err *err);              /* inputs and guards as after the last fill */
int tensors_poison(struct gb_case *c, struct err *err);
int tensors_rewrite(struct gb_case *c, struct err *err); /* the same, but what they hold is kept */
/* The name of an output that is no longer poisoned at its ends, read beside the stream; NULL: none, or not known. */
const char *tensors_written(struct gb_case *c, struct err *err);
int tensors_restore(struct gb_case *c, struct err *err); /* inout, ordered before the next iteration */
bool tensors_need_restore(const struct gb_case *c);
uint64_t tensors_bytes(const struct gb_case *c);
int tensor_read(struct gb_case *c, const struct tensor *tensor, uint64_t first, uint64_t count, double *values,
                struct err *err);
int tensor_expect(struct gb_case *c, struct tensor *tensor, uint64_t first, uint64_t count, const double *values);
void case_clear(struct gb_case *c); /* frees everything it holds */

/* What comparing the outputs of one verified run found. */
struct verification {
  bool pass;
  double error, tolerance; /* of the output that is worst against its tolerance */
  uint64_t compared;
  char message[MSG_SIZE]; /* why it does not pass */
};

/* Judges the outputs as they lie on the device: written everywhere, guards and inputs untouched, expectations met. -1:
 * the device failed. */
/* `math` NULL: a yardstick's, where everything is looked at but the values. */
int case_verify(struct gb_case *c, const char *math, struct verification *verification, struct err *err);

/* The name of an output that is not written yet, right when `run` has returned, and one of its elements; NULL: none, or
 * not known here. Looks at a few elements; for devices whose `run` returns when the work is done. */
const char *case_unfinished(const struct gb_case *c, uint64_t *element);

/* "native" by the first input's storage type, else the math itself. */
const char *case_math(const struct gb_case *c, const char *math);

#endif

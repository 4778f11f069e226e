/* Hands out the work of a pipeline to threads. Chunks of data pass through stages, with at most `depth` chunks in the
 * pipeline at once. A chunk has one or more parts in each stage, which the threads of that stage take one by one, so
 * that several threads can work on the same chunk. Records when each chunk entered and left each stage. Does not touch
 * the data itself. */
#ifndef DATA_PIPELINE_FLOW_H
#define DATA_PIPELINE_FLOW_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { FLOW_STAGES = 4, FLOW_DEPTH_MAX = 64 };

struct flow_time {
  int64_t begin_ns, end_ns;
};

struct flow_stage {
  pthread_cond_t admits;    /* signalled when more chunks may enter */
  int parts;                /* number of parts of a chunk; each is taken by one thread */
  int64_t next;             /* number of parts, over all chunks, that threads have taken */
  int64_t done;             /* number of chunks that have left the stage; they leave in order */
  int left[FLOW_DEPTH_MAX]; /* number of unfinished parts of the chunk in each slot */
  bool finished[FLOW_DEPTH_MAX];
  struct flow_time *times; /* [chunks]: when each chunk entered and left this stage */
};

struct flow {
  pthread_mutex_t lock;
  int64_t (*clock)(void);
  int stages, depth;
  int64_t chunks;
  bool stopped;
  struct flow_stage stage[FLOW_STAGES];
};

/* Initialises the flow. The caller then sets `parts` and `times` of each stage; `times` has `chunks` entries. */
void flow_open(struct flow *flow, int stages, int depth, int64_t chunks, int64_t (*clock)(void));
void flow_close(struct flow *flow);

/* Waits for the next part of this stage and stores its chunk and its number in `*chunk` and `*part`. Returns false if
 * no part is left, or if the flow was stopped. After the work on the part, the caller must call flow_give(). */
bool flow_take(struct flow *flow, int stage, int64_t *chunk, int *part);
void flow_give(struct flow *flow, int stage, int64_t chunk);

/* Stops the flow: every flow_take() that waits, or is called later, returns false. */
void flow_stop(struct flow *flow);

/* Returns the slot (one of `depth` sets of buffers) that holds the data of a chunk while it is in the pipeline. */
static inline int flow_slot(const struct flow *flow, int64_t chunk) {
  return (int)(chunk % flow->depth);
}

/* Returns for how long at least one chunk was in the stage: the length of the union of `count` time spans. The spans
 * are in the order of chunks, and neighbouring ones may overlap. */
int64_t flow_busy_ns(const struct flow_time *times, int64_t count);

#endif

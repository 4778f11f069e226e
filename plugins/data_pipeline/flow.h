/* The order of work in a pipeline. Chunks pass through stages, with at most `depth` of them in the pipeline at once.
 * The threads of a stage take a chunk part by part, so that several work on one chunk if depth is small, and on
 * neighbouring chunks otherwise. Records when each chunk entered and left each stage. Independent of data and
 * devices. */
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
  int64_t next;             /* number of parts that were handed out */
  int64_t done;             /* number of chunks that have left, in order */
  int left[FLOW_DEPTH_MAX]; /* parts not yet returned, of the chunk in each slot */
  bool finished[FLOW_DEPTH_MAX];
  struct flow_time *times; /* one for each chunk */
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

/* Waits for the next part of this stage. Returns false if none is left, or if the flow was stopped. */
bool flow_take(struct flow *flow, int stage, int64_t *chunk, int *part);
void flow_give(struct flow *flow, int stage, int64_t chunk);

/* Stops the flow: nothing waits any longer. */
void flow_stop(struct flow *flow);

/* Returns the slot that holds the data of a chunk while it is in the pipeline. */
static inline int flow_slot(const struct flow *flow, int64_t chunk) {
  return (int)(chunk % flow->depth);
}

/* Returns how long at least one of the spans lasted. They are in the order of chunks; neighbours may overlap. */
int64_t flow_busy_ns(const struct flow_time *times, int64_t count);

#endif

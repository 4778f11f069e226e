/* The order of a pipeline: chunks pass through stages, at most `depth` of them between the first and the last at once.
 * A stage's threads take a chunk part by part, so that several work on one chunk where depth is small and on neighbours
 * where it is not. Keeps when each chunk entered and left each stage. Knows neither data nor devices. */
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
  pthread_cond_t admits;    /* what waits to enter may look again */
  int parts;                /* of a chunk, each taken by one thread at a time */
  int64_t next;             /* parts handed out */
  int64_t done;             /* chunks that have left, in order */
  int left[FLOW_DEPTH_MAX]; /* parts of the chunk in each slot that are not given back */
  bool finished[FLOW_DEPTH_MAX];
  struct flow_time *times; /* a chunk each */
};

struct flow {
  pthread_mutex_t lock;
  int64_t (*clock)(void);
  int stages, depth;
  int64_t chunks;
  bool stopped;
  struct flow_stage stage[FLOW_STAGES];
};

/* `parts` and `times` of each stage are the caller's to set afterwards; the arrays hold `chunks` entries. */
void flow_open(struct flow *flow, int stages, int depth, int64_t chunks, int64_t (*clock)(void));
void flow_close(struct flow *flow);

/* The next part of this stage, waited for. False: there is none left, or somebody stopped. */
bool flow_take(struct flow *flow, int stage, int64_t *chunk, int *part);
void flow_give(struct flow *flow, int stage, int64_t chunk);

/* Nobody is to wait any longer. */
void flow_stop(struct flow *flow);

/* Where the data of a chunk lies while it is under way. */
static inline int flow_slot(const struct flow *flow, int64_t chunk) {
  return (int)(chunk % flow->depth);
}

/* How long at least one of the spans lasted; they are in the order of chunks, and neighbours may overlap. */
int64_t flow_busy_ns(const struct flow_time *times, int64_t count);

#endif

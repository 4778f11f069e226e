#include "flow.h"

#include <string.h>

void flow_open(struct flow *flow, int stages, int depth, int64_t chunks, int64_t (*clock)(void)) {
  memset(flow, 0, sizeof *flow);
  pthread_mutex_init(&flow->lock, NULL);
  flow->stages = stages;
  flow->depth = depth;
  flow->chunks = chunks;
  flow->clock = clock;
  for (int i = 0; i < stages; i++) {
    flow->stage[i].parts = 1;
    pthread_cond_init(&flow->stage[i].admits, NULL);
  }
}

void flow_close(struct flow *flow) {
  for (int i = 0; i < flow->stages; i++)
    pthread_cond_destroy(&flow->stage[i].admits);
  pthread_mutex_destroy(&flow->lock);
}

/* Returns how many chunks may have entered this stage by now. A chunk may enter once it has left the preceding stage.
 * It may enter the first stage if at most `depth` chunks are in the pipeline then. */
static int64_t admitted(const struct flow *flow, int stage) {
  if (stage > 0) return flow->stage[stage - 1].done;
  const int64_t most = flow->stage[flow->stages - 1].done + flow->depth;
  return most < flow->chunks ? most : flow->chunks;
}

bool flow_take(struct flow *flow, int stage, int64_t *chunk, int *part) {
  struct flow_stage *s = &flow->stage[stage];
  pthread_mutex_lock(&flow->lock);
  while (!flow->stopped && s->next / s->parts < flow->chunks && s->next / s->parts >= admitted(flow, stage))
    pthread_cond_wait(&s->admits, &flow->lock);
  *chunk = s->next / s->parts;
  *part = (int)(s->next % s->parts);
  const bool taken = !flow->stopped && *chunk < flow->chunks;
  if (taken) {
    s->next++;
    if (*part == 0) {
      s->left[flow_slot(flow, *chunk)] = s->parts;
      s->times[*chunk].begin_ns = flow->clock();
    }
  }
  pthread_mutex_unlock(&flow->lock);
  return taken;
}

void flow_give(struct flow *flow, int stage, int64_t chunk) {
  struct flow_stage *s = &flow->stage[stage];
  const int slot = flow_slot(flow, chunk);
  pthread_mutex_lock(&flow->lock);
  if (--s->left[slot] == 0) {
    s->times[chunk].end_ns = flow->clock();
    s->finished[slot] = true;
    /* Chunks leave the stage in order. When this one leaves, so do later chunks that finished before it. */
    while (s->finished[flow_slot(flow, s->done)])
      s->finished[flow_slot(flow, s->done++)] = false;
    /* Wakes the next stage or, after the last stage, the first one, which may be waiting for a free slot. */
    pthread_cond_broadcast(&flow->stage[(stage + 1) % flow->stages].admits);
  }
  pthread_mutex_unlock(&flow->lock);
}

void flow_stop(struct flow *flow) {
  pthread_mutex_lock(&flow->lock);
  flow->stopped = true;
  for (int i = 0; i < flow->stages; i++)
    pthread_cond_broadcast(&flow->stage[i].admits);
  pthread_mutex_unlock(&flow->lock);
}

int64_t flow_busy_ns(const struct flow_time *times, int64_t count) {
  int64_t busy = 0, until = INT64_MIN;
  for (int64_t i = 0; i < count; i++) {
    const int64_t from = times[i].begin_ns > until ? times[i].begin_ns : until;
    if (times[i].end_ns <= from) continue;
    busy += times[i].end_ns - from;
    until = times[i].end_ns;
  }
  return busy;
}

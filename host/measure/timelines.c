/* Iterations that are drawn. */
#include "measure/timelines.h"

/* One iteration to warm up, and one whose spans are kept. */
static int draw(struct measurement *m, struct contestant *k, struct timeline *timeline, struct err *err) {
  double ns = 0;
  struct turn turn = {.timing = TIMING_COLD, .count = 1, .ns = &ns};
  if (measure_take(m, k, &turn, err) != 0) return -1;
  turn.timeline = timeline;
  return contestant_alive(k) ? measure_take(m, k, &turn, err) : 0;
}

int measure_timelines(struct measurement *m, struct err *err) {
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1)) {
    struct timeline timeline = {0};
    if (!k->values.wants_timeline || m->sink->timeline == NULL || measure_stopped(m)) continue;
    int rc = draw(m, k, &timeline, err);
    if (rc == 0 && contestant_alive(k)) m->sink->timeline(m->sink->user, k->index, &timeline);
    timeline_free(&timeline);
    if (rc != 0) return -1;
  }
  return 0;
}

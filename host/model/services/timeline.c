/* Timelines of variants: adds spans (intervals of time) up to the limits on spans and lanes, and checks spans. */
#include "model/services/timeline.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static bool has_lane(const struct timeline *timeline, const char *lane) {
  for (uint32_t i = timeline->count; i-- > 0;) /* backwards: recent spans are the most likely to have the lane */
    if (strcmp(timeline->spans[i].lane, lane) == 0) return true;
  return false;
}

bool timeline_add(struct timeline *timeline, const struct timeline_span *span) {
  bool known = has_lane(timeline, span->lane);
  if (timeline->count == TIMELINE_SPANS_MAX || (!known && timeline->lane_count == TIMELINE_LANES_MAX)) {
    timeline->dropped++;
    return false;
  }
  timeline->spans = xgrow(timeline->spans, timeline->count, sizeof *timeline->spans);
  timeline->lane_count += !known;
  timeline->spans[timeline->count++] = *span;
  return true;
}

void timeline_free(struct timeline *timeline) {
  free(timeline->spans);
  *timeline = (struct timeline){0};
}

bool timeline_check(struct timeline_span *span) {
  enum { DAYS = 7 };
  const int64_t most = (int64_t)DAYS * 86400 * 1000000000;
  span->lane[ID_SIZE - 1] = span->label[TEXT_SIZE - 1] = '\0';
  text_sanitize(span->label);
  return text_is_id(span->lane) && span->begin_ns <= span->end_ns && span->begin_ns >= -most && span->end_ns <= most;
}

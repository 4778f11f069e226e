/* Selects the logs that receive the metric values of the running callback. */
#include "case/values.h"

#include <stdlib.h>

#include "base/memory.h"

/* Drops the values that an earlier `prepare` of the variant reported. */
void values_of_prepare(struct values *values, struct gb_case *c) {
  if (c->metrics == NULL) return;
  if (values->prepared == NULL) {
    values->prepared = xcalloc(METRICS_MAX, sizeof *values->prepared);
    values->run = xcalloc(METRICS_MAX, sizeof *values->run);
    values->verified = xcalloc(METRICS_MAX, sizeof *values->verified);
  }
  for (uint32_t i = 0; i < METRICS_MAX; i++)
    metric_log_clear(&values->prepared[i]);
  c->metric_logs = values->prepared;
  c->iteration = 0;
  c->kept = kept_all();
}

void values_of_run(struct values *values, struct gb_case *c, struct kept kept, struct timeline *timeline) {
  c->metric_logs = values->run;
  c->iteration = 0;
  c->kept = kept;
  c->timeline = timeline;
}

void values_of_verify(struct values *values, struct gb_case *c) {
  c->metric_logs = values->verified;
  c->iteration = 0;
  c->kept = kept_all();
}

void values_end(struct values *values, struct gb_case *c) {
  values->wants_timeline = values->wants_timeline || c->timeline_asked;
  c->timeline_asked = false;
  c->metric_logs = NULL;
  c->timeline = NULL;
}

uint32_t values_results(struct values *values, const struct gb_case *c, struct metric_result *results) {
  const struct metric_set *set = c->metrics;
  uint32_t count = 0;
  for (uint32_t i = 0; set != NULL && values->run != NULL && i < set->count; i++) {
    struct metric_log *log = metric_log_any(&values->verified[i]) ? &values->verified[i]
                             : metric_log_any(&values->run[i])    ? &values->run[i]
                                                                  : &values->prepared[i];
    count += metric_log_result(log, &set->metrics[i], &results[count]);
  }
  return count;
}

static void free_logs(struct metric_log *logs) {
  for (uint32_t i = 0; logs != NULL && i < METRICS_MAX; i++)
    metric_log_free(&logs[i]);
  free(logs);
}

void values_free(struct values *values) {
  free_logs(values->prepared);
  free_logs(values->run);
  free_logs(values->verified);
}

/* gb.metric/1: declared by the bench, values by the variant that runs. */
#include "base/memory.h"
#include "case/calls.h"
#include "case/services/optional.h"
#include "plugin/abi.h"

static gb_status metric_declare(gb_case *c, const gb_metric *theirs) {
  if (!case_is(c, "gb.metric/1 declare")) return GB_EINVAL;
  struct err err = {0};
  struct metric_desc desc;
  if (c->phase != PHASE_SETUP) {
    case_misuse(c, "gb.metric/1 declare is for setup, not %s", phase_name(c->phase));
    return GB_EINVAL;
  }
  if (c->metrics == NULL) c->metrics = xcalloc(1, sizeof *c->metrics);
  if (theirs == NULL)
    case_misuse(c, "gb.metric/1 declare: metric is NULL");
  else if (abi_metric(theirs, &desc, &err) != 0)
    case_misuse(c, "%s", err.text);
  else if (metric_find(c->metrics, desc.name) >= 0)
    case_misuse(c, "two metrics are named '%s'", desc.name);
  else if (c->metrics->count == METRICS_MAX)
    case_misuse(c, "metric '%s' is one more than %d", desc.name, METRICS_MAX);
  else
    c->metrics->metrics[c->metrics->count++] = desc;
  return c->misused ? GB_EINVAL : GB_OK;
}

static gb_status metric_add(gb_case *c, const char *name, double value) {
  if (!case_is(c, "gb.metric/1 add")) return GB_EINVAL;
  char shown[ID_SIZE];
  if (c->phase != PHASE_RUN && c->phase != PHASE_PREPARE && c->phase != PHASE_VERIFY) {
    case_misuse(c, "gb.metric/1 add is for run, prepare and verify, not %s", phase_name(c->phase));
    return GB_EINVAL;
  }
  int index = c->metrics != NULL && name != NULL ? metric_find(c->metrics, name) : -1;
  if (index < 0) {
    text_copy(shown, sizeof shown, name);
    text_sanitize(shown);
    case_misuse(c, "metric '%s' was not declared in setup", shown);
    return GB_EINVAL;
  }
  if (c->metric_logs == NULL) return GB_OK;
  metric_log_reserve(&c->metric_logs[index]);
  const uint64_t i = c->iteration;
  if (i >= c->kept.from && i < c->kept.to && i != c->kept.except) metric_log_add(&c->metric_logs[index], value);
  return GB_OK;
}

const gb_metric_ext services_metric = {
    .struct_size = sizeof(gb_metric_ext),
    .declare = metric_declare,
    .add = metric_add,
};

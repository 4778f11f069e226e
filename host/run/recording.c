/* Writes results to the run directory as they become known. */
#include "run/recording.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "worker/signals.h"

/* Writes a slot (consecutive samples of one variant) to disk. If that fails, the run stops after the round, because a
 * result whose samples are not on disk is worth nothing. */
void recording_add_slot(struct recording *r, const struct plan_case *p, size_t index, size_t variant,
                        const struct slot *slot) {
  uint32_t *epoch = &r->epochs[index];
  if (slot->epoch > *epoch) *epoch = slot->epoch;
  if (r->unwritten.exit_code != 0) return;
  if (rundir_add_slot(&r->dir, p->key, p->variants[variant].name, mode_name(p->mode), slot, &r->unwritten) != 0)
    signals_ask_to_finish();
}

int recording_add(struct recording *r, const struct record *records, const struct case_result *result,
                  struct err *err) {
  if (r->unwritten.exit_code != 0) return *err = r->unwritten, -1;
  if (rundir_add(&r->dir, records, result->count, result, err) != 0) return -1;
  r->rows += result->count;
  return 0;
}

void recording_count(struct recording *r, const struct plan_variant *variant, enum row_status status,
                     const char *message) {
  r->statuses[status]++;
  if (status != ROW_OK && r->first_not_ok[0] == '\0')
    text_copy(r->first_not_ok, sizeof r->first_not_ok, text_or_empty(message));
  r->required_skips += variant->required && (status == ROW_SKIPPED || status == ROW_NOT_RUN);
}

void recording_keep(struct recording *r, const struct plan_case *p, const size_t *rows,
                    struct mode_overhead overheads[TIMING_COUNT]) {
  /* shallow copies, whose texts `resumed` owns */
  SCOPED struct record *records = xcalloc(p->variant_count, sizeof *records);
  for (size_t v = 0; v < p->variant_count; v++) {
    records[v] = r->resumed->data.records[rows[v]];
    enum row_status status = row_status_parse(records[v].status);
    if (status == ROW_UNKNOWN) status = ROW_ERROR;
    if (records[v].launch_overhead_ns > 0) overheads[p->mode.timing].ns = records[v].launch_overhead_ns;
    if (!p->yardstick) recording_count(r, &p->variants[v], status, records[v].message);
  }
  if (p->yardstick) analyse_ceiling(p, records, &r->identity.ceilings);
}

void recording_free(struct recording *r) {
  rundir_discard(&r->dir);
  pairs_free(&r->environment);
  pairs_free(&r->tags);
  free(r->epochs);
}

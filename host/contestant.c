/* A variant's callbacks in order, and what each outcome means for its row. */
#include "contestant.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool contestant_alive(const struct contestant *k) {
  return k->report.status == ROW_OK;
}

void contestant_drop(struct contestant *k, enum row_status status, const char *format, ...) {
  if (contestant_alive(k)) {
    k->report.status = (uint32_t)status;
    va_list args;
    va_start(args, format);
    vsnprintf(k->report.message, sizeof k->report.message, format, args);
    va_end(args);
  }
  contestant_release(k);
}

void contestant_prepare(struct contestant *k) {
  struct outcome outcome = {0};
  const gb_variant *own = &k->variant->own;
  call_begin(k->c, PHASE_PREPARE, (int)k->index);
  gb_status status = own->prepare ? own->prepare(k->variant->theirs, k->c, &k->vstate) : GB_OK;
  call_end(k->c, status, &outcome);
  k->prepared = status == GB_OK; /* then `release` is owed, also where a misuse makes it a failure */
  k->report.extra_bytes = case_owned_bytes(k->c, (int)k->index);
  if (outcome.kind == OUTCOME_OK) return;
  if (!k->prepared) case_free_owned(k->c, (int)k->index);
  bool skipped = outcome.kind == OUTCOME_SKIP || outcome.kind == OUTCOME_NO_MEMORY;
  contestant_drop(k, skipped ? ROW_SKIPPED : ROW_ERROR, "%s%s", skipped ? "" : "prepare: ", outcome.message);
}

void contestant_release(struct contestant *k) {
  if (!k->prepared) return;
  struct outcome outcome;
  k->prepared = false;
  call_begin(k->c, PHASE_RELEASE, (int)k->index);
  if (k->variant->own.release) k->variant->own.release(k->variant->theirs, k->c, k->vstate);
  call_end(k->c, GB_OK, &outcome);
  k->vstate = NULL;
  case_free_owned(k->c, (int)k->index);
}

/* What a slot calls; the last status stays for call_end. */
struct iteration {
  struct contestant *k;
  gb_status status;
  struct err err; /* of restoring */
};

static int iterate(void *context) {
  struct iteration *iteration = context;
  struct contestant *k = iteration->k;
  iteration->status = k->variant->own.run(k->variant->theirs, k->c, k->vstate);
  return iteration->status == GB_OK && !k->c->misused ? 0 : -1;
}

static int restore(void *context) {
  struct iteration *iteration = context;
  return tensors_restore(iteration->k->c, &iteration->err);
}

int contestant_slot(struct contestant *k, uint32_t count, bool flush, double *ns, struct err *err) {
  struct iteration iteration = {.k = k, .status = GB_OK};
  struct outcome outcome;
  struct err slot_err = {0};
  const struct slot_request request = {
      .run = iterate,
      .before = tensors_need_restore(k->c) ? restore : NULL,
      .context = &iteration,
      .variant = k->name,
      .key = k->c->key,
      .count = count,
      .flush = flush,
  };
  call_begin(k->c, PHASE_RUN, (int)k->index);
  enum slot_result result = k->c->device->ops->slot(k->c->device, &request, !k->launched, ns, &slot_err);
  call_end(k->c, iteration.status, &outcome);
  k->launched = true;
  k->blameless = result == SLOT_SERIAL;
  if (result == SLOT_SERIAL) return err_set(err, EXIT_DEVICE, "%s", slot_err.text);
  if (result == SLOT_DEVICE) return err_set(err, EXIT_FAILED, "%s", slot_err.text);
  if (result == SLOT_BLOCKED)
    contestant_drop(k, ROW_ERROR, "run: %s", slot_err.text);
  else if (iteration.err.exit_code != 0)
    return err_set(err, EXIT_FAILED, "%s", iteration.err.text);
  else if (outcome.kind != OUTCOME_OK)
    contestant_drop(k, ROW_ERROR, "run: %s", outcome.message);
  else if (result != SLOT_OK)
    contestant_drop(k, ROW_ERROR, "run: %s", slot_err.text);
  return 0;
}

static void verify_slot(struct contestant *k) {
  const struct bench *bench = k->c->bench;
  struct outcome outcome;
  if (bench->own.verify == NULL) return;
  call_begin(k->c, PHASE_VERIFY, (int)k->index);
  gb_status status = bench->own.verify(bench->theirs, k->c, k->c->state);
  call_end(k->c, status, &outcome);
  if (outcome.kind != OUTCOME_OK) contestant_drop(k, ROW_WRONG, "%s", outcome.message);
}

static int run_verified(struct contestant *k, struct err *err) {
  double ns = 0;
  struct gb_case *c = k->c;
  if (tensors_poison(c, err) != 0 || tensors_restore(c, err) != 0) return -1;
  if (contestant_slot(k, 1, false, &ns, err) != 0) return -1;
  /* a fault of a variant that enqueued on another stream shows here, still under its name */
  return c->device->ops->sync(c->device, err);
}

int contestant_verify(struct contestant *k, struct err *err) {
  struct verification v;
  if (run_verified(k, err) != 0) return -1;
  if (!contestant_alive(k)) return tensors_repair(k->c, err);
  const char *math = case_math(k->c, k->variant->desc.math);
  text_copy(k->report.math, sizeof k->report.math, math);
  if (case_verify(k->c, math, &v, err) != 0) return -1;
  if (!isnan(v.error) && !(k->report.error / k->report.tolerance > v.error / v.tolerance)) {
    k->report.error = v.error;
    k->report.tolerance = v.tolerance;
  }
  if (v.pass && v.compared == 0 && k->c->bench->own.verify == NULL)
    contestant_drop(k, ROW_ERROR, "nothing was checked: the bench has no verify and its reference expects nothing");
  if (v.pass) {
    verify_slot(k);
    return 0;
  }
  contestant_drop(k, ROW_WRONG, "%s", v.message);
  return tensors_repair(k->c, err); /* what it damaged must not be laid at the next one's door */
}

int contestant_profile(struct contestant *k, struct err *err) {
  struct device *device = k->c->device;
  char range[KEY_SIZE + 2 * ID_SIZE + 1];
  double ns = 0;
  snprintf(range, sizeof range, "%s %s", k->c->key, k->name);
  if (contestant_slot(k, 1, false, &ns, err) != 0) return -1;
  if (!contestant_alive(k)) return 0;
  k->launched = false; /* under a profiler nothing runs behind a blocker */
  if (device->ops->profile != NULL) device->ops->profile(device, range);
  int rc = contestant_slot(k, 1, false, &ns, err);
  if (device->ops->profile != NULL) device->ops->profile(device, NULL);
  return rc;
}

void contestant_keep(struct contestant *k, uint32_t round, const double *ns, uint32_t count) {
  double *kept = xcalloc(count, sizeof *kept);
  memcpy(kept, ns, count * sizeof *kept);
  k->slots = xrealloc(k->slots, k->slot_count + 1, sizeof *k->slots);
  k->slots[k->slot_count++] = (struct slot){.round = round, .count = count, .ns = kept};
}

void contestant_free(struct contestant *k) {
  for (size_t i = 0; i < k->slot_count; i++)
    free((void *)(uintptr_t)k->slots[i].ns);
  free(k->slots);
}

/* Sets a case up and takes it down to learn what its `setup` declares. */
#include "case/declare.h"

#include <string.h>

#include "case/calls.h"
#include "case/clear.h"
#include "case/tensors.h"
#include "model/data/dtype.h"

static void hand_on(const struct tensor *t, void (*sink)(const struct tensor_desc *tensor)) {
  struct tensor_desc desc = {
      .role = t->role,
      .dtype = t->dtype,
      .rank = t->rank,
      .fill = t->fill.kind,
      .bytes = t->extent * dtype_bytes(t->dtype),
      .align = t->align,
      .offset = t->offset,
      .reduction = t->reduction,
      .fill_a = t->fill.a,
      .fill_b = t->fill.b,
      .tolerance = t->tolerance,
      .exact = t->exact,
      .memory = t->memory,
  };
  text_copy(desc.name, sizeof desc.name, t->name);
  memcpy(desc.shape, t->shape, t->rank * sizeof *t->shape);
  memcpy(desc.strides, t->strides, t->rank * sizeof *t->strides);
  sink(&desc);
}

void declare_note(const struct gb_case *c, struct case_report *report) {
  report->flops = c->work.flops;
  report->bytes_read = c->work.bytes_read;
  report->bytes_written = c->work.bytes_written;
  report->items = c->work.items;
  report->tensor_bytes = tensors_bytes(c);
  text_copy(report->item_unit, sizeof report->item_unit, c->item_unit);
}

static int judge_declaration(const struct outcome *outcome, const char *what, struct err *err) {
  return outcome->kind == OUTCOME_OK ? 0 : err_set(err, EXIT_FAILED, "%s: %.1000s", what, outcome->message);
}

static int supports(struct gb_case *c, struct err *err) {
  struct outcome outcome;
  const struct bench *bench = c->bench;
  if (bench->own.supports == NULL) return 0;
  call_begin(c, PHASE_SUPPORTS, OWNER_BENCH);
  call_end(c, bench->own.supports(bench->theirs, c), &outcome);
  return judge_declaration(&outcome, "supports", err);
}

static int set_up(struct gb_case *c, bool *ready, struct err *err) {
  struct outcome outcome;
  const struct bench *bench = c->bench;
  call_begin(c, PHASE_SETUP, OWNER_BENCH);
  gb_status status = bench->own.setup(bench->theirs, c, &c->state);
  *ready = status == GB_OK;
  call_end(c, status, &outcome);
  return judge_declaration(&outcome, "setup", err);
}

int declare_case(struct gb_case *c, void (*sink)(const struct tensor_desc *tensor), struct case_report *report,
                 struct err *err) {
  const struct bench *bench = c->bench;
  bool ready = false;
  struct outcome ignored;
  *report = CASE_REPORT_NONE;
  int rc = supports(c, err);
  if (rc == 0) rc = set_up(c, &ready, err);
  for (uint32_t i = 0; rc == 0 && i < c->tensor_count; i++)
    hand_on(&c->tensors[i], sink);
  if (rc == 0) declare_note(c, report);
  if (ready && bench->own.teardown != NULL) {
    call_begin(c, PHASE_TEARDOWN, OWNER_BENCH);
    bench->own.teardown(bench->theirs, c, c->state);
    call_end(c, GB_OK, &ignored);
  }
  case_clear(c);
  return rc;
}

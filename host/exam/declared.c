/* Checks what a bench's `setup` declares. */
#include <stdlib.h>
#include <string.h>

#include "case/calls.h"
#include "case/clear.h"
#include "exam/stations.h"
#include "model/data/dtype.h"

/* If a bench states that an output is a sum of at most this many terms, the number is never called too large: the
 * tolerance that follows from it is still narrow (2e-5 for fp32). */
enum { TERMS_FREE = 65536 };

/* ---- Calling `setup` twice ---- */

static bool same_tensor(const struct tensor *a, const struct tensor *b) {
  return strcmp(a->name, b->name) == 0 && a->role == b->role && a->dtype == b->dtype && a->rank == b->rank &&
         memcmp(a->shape, b->shape, sizeof a->shape) == 0 && memcmp(a->strides, b->strides, sizeof a->strides) == 0 &&
         a->memory == b->memory && a->fill.kind == b->fill.kind && a->reduction == b->reduction;
}

static bool same_work(const gb_work *a, const gb_work *b) {
  return a->flops == b->flops && a->bytes_read == b->bytes_read && a->bytes_written == b->bytes_written &&
         a->items == b->items;
}

static void compare_setups(struct exam *e, const struct gb_case *first, const struct gb_case *second) {
  if (first->tensor_count != second->tensor_count)
    exam_find(e, RULE_SETUP, FINDING_FAILED, "declares %u tensors, and %u the second time", first->tensor_count,
              second->tensor_count);
  for (uint32_t i = 0; i < first->tensor_count && !e->found[RULE_SETUP]; i++)
    if (!same_tensor(&first->tensors[i], &second->tensors[i]))
      exam_find(e, RULE_SETUP, FINDING_FAILED, "declares tensor '%s' another way the second time: '%s'",
                first->tensors[i].name, second->tensors[i].name);
  if (!e->found[RULE_SETUP] && !same_work(&first->work, &second->work))
    exam_find(e, RULE_SETUP, FINDING_FAILED,
              "states other work the second time: %llu flops and %llu bytes, then %llu and %llu",
              (unsigned long long)first->work.flops,
              (unsigned long long)(first->work.bytes_read + first->work.bytes_written),
              (unsigned long long)second->work.flops,
              (unsigned long long)(second->work.bytes_read + second->work.bytes_written));
}

/* Calls `setup` for a second case while the first one exists; a run also does that, to learn what a case declares.
 * Checks that the second case declares the same as the first. */
static void set_up_again(struct sitting *s) {
  struct exam *e = s->exam;
  const struct bench *bench = s->c->bench;
  struct outcome outcome;
  struct gb_case *second = e->host->new_case(e->host->user, s->request.seed);
  call_begin(second, PHASE_SETUP, OWNER_BENCH);
  const gb_status status = bench->own.setup(bench->theirs, second, &second->state);
  call_end(second, status, &outcome);
  if (outcome.kind == OUTCOME_OK) compare_setups(e, s->c, second);
  if (status == GB_OK && bench->own.teardown != NULL) {
    call_begin(second, PHASE_TEARDOWN, OWNER_BENCH);
    bench->own.teardown(bench->theirs, second, second->state);
    call_end(second, GB_OK, &outcome);
  }
  case_clear(second);
  free(second);
}

/* ---- The stated work ---- */

/* Adds up the bytes of the tensors, each tensor once; GB_INOUT counts as read and written. */
static void sum_tensor_bytes(const struct gb_case *c, uint64_t *read, uint64_t *written) {
  *read = *written = 0;
  for (uint32_t i = 0; i < c->tensor_count; i++) {
    const struct tensor *t = &c->tensors[i];
    const uint64_t bytes = t->elements * dtype_bytes(t->dtype);
    if (t->role == GB_IN || t->role == GB_INOUT) *read += bytes;
    if (tensor_is_output(t)) *written += bytes;
  }
}

static uint64_t multiply_bounded(uint64_t a, uint64_t b) {
  return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* Returns the largest number of terms that an element of an output can be a sum of, at a generous estimate. */
static uint64_t most_terms(const struct gb_case *c) {
  uint64_t most = 1;
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (c->tensors[i].role == GB_IN || c->tensors[i].role == GB_INOUT)
      most = multiply_bounded(most, c->tensors[i].elements);
  if (most < c->work.flops) most = c->work.flops;
  return most > TERMS_FREE ? most : TERMS_FREE;
}

/* Checks that no output states a reduction (number of terms in a sum) that is impossibly large: the tolerance grows
 * with it and would hide errors. */
static void judge_reductions(struct exam *e, const struct gb_case *c) {
  const uint64_t most = most_terms(c);
  for (uint32_t i = 0; i < c->tensor_count; i++) {
    const struct tensor *t = &c->tensors[i];
    if (!tensor_is_output(t) || t->tolerance > 0 || t->reduction <= most || e->found[RULE_VERIFY]) continue;
    exam_find(e, RULE_VERIFY, FINDING_FAILED,
              "output '%s' states sums of %llu terms, which its inputs and work cannot have: errors are tolerated",
              t->name, (unsigned long long)t->reduction);
  }
}

/* Checks the work that the bench states. Stated bytes count each byte of an input and of an output once. A bench may
 * state fewer bytes read than its inputs have, but must state all bytes of its outputs as written. */
static void judge_work(struct exam *e, const struct gb_case *c) {
  const gb_work *work = &c->work;
  uint64_t read, written;
  sum_tensor_bytes(c, &read, &written);
  if (work->flops == 0 && work->items == 0 && work->bytes_read == 0 && work->bytes_written == 0) {
    exam_skip(e, RULE_WORK, "states none: rows have no rates");
    return;
  }
  /* link: the stated bytes are transferred between devices, and are not those of the tensors */
  const bool link = (c->bench->own.flags & GB_BENCH_NO_ROOF) != 0;
  const bool bytes = !link && (work->bytes_read != 0 || work->bytes_written != 0);
  if (bytes && work->bytes_written != written)
    exam_find(e, RULE_WORK, FINDING_FAILED, "states %llu bytes written, its outputs have %llu",
              (unsigned long long)work->bytes_written, (unsigned long long)written);
  else if (bytes && (work->bytes_read > read || (work->bytes_read == 0 && read > 0)))
    exam_find(e, RULE_WORK, FINDING_FAILED, "states %llu bytes read, its inputs have %llu",
              (unsigned long long)work->bytes_read, (unsigned long long)read);
  else if ((work->items > 0) != (c->item_unit[0] != '\0'))
    exam_find(e, RULE_WORK, FINDING_FAILED, "states %llu items of the unit '%s'", (unsigned long long)work->items,
              c->item_unit);
  else
    exam_pass(e, RULE_WORK);
}

int station_work(struct sitting *s, struct err *err) {
  (void)err;
  judge_work(s->exam, s->c);
  judge_reductions(s->exam, s->c);
  return 0;
}

int station_declared(struct sitting *s, struct err *err) {
  (void)err;
  set_up_again(s);
  exam_pass(s->exam, RULE_SETUP);
  return 0;
}

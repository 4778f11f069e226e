/* Outputs come from the device in blocks, whose pieces are judged by several threads and added up in order: so sums do
 * not depend on the number of threads, and nothing is as long as the tensor. */
#include "case/compare.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "case/tensors.h"
#include "model/dtype.h"

enum { CHUNK = 1024, PIECE = 1 << 14, PIECES = 64, BLOCK = PIECE * PIECES }; /* elements, but PIECES */

struct block {
  const struct tensor *t;
  const struct span *span;
  const void *storage; /* of the elements from `from` on */
  uint64_t from;
  uint64_t begin, end; /* within the span */
  double scale;
  struct check pieces[PIECES];
};

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static void compare_piece(void *context, size_t number) {
  struct block *b = context;
  const uint64_t begin = b->begin + number * PIECE, end = least(begin + PIECE, b->end);
  double values[CHUNK];
  for (uint64_t i = begin; i < end; i += CHUNK) {
    const uint64_t count = least(CHUNK, end - i), first = b->span->first + i;
    tensor_load(b->t, b->storage, b->from, first, count, values);
    check_piece(&b->pieces[number], b->scale, first, values, b->span->values + i, (size_t)count);
    if (b->t->exact) check_bits(&b->pieces[number], first, values, b->span->values + i, (size_t)count);
  }
}

static void compare_block(struct block *b, struct check *span) {
  const size_t pieces = (size_t)((b->end - b->begin + PIECE - 1) / PIECE);
  for (size_t i = 0; i < pieces; i++)
    b->pieces[i] = (struct check){0};
  parallel_each(pieces, compare_piece, b);
  for (size_t i = 0; i < pieces; i++)
    check_join(span, &b->pieces[i]);
}

static int copy(struct gb_case *c, const struct tensor *t, uint64_t from, uint64_t count, void *to, struct err *err) {
  const size_t size = dtype_bytes(t->dtype);
  return c->device->ops->copy(c->device, to, (const char *)t->data + from * size, (size_t)count * size, err);
}

/* Of a dense tensor `storage` takes a block; of another one it holds all. */
static int compare_span(struct gb_case *c, const struct tensor *t, struct span *span, void *storage,
                        struct check *check, struct err *err) {
  struct check sum = {0};
  if (span->rms_of != span->count) {
    span->rms = check_rms(span->values, (size_t)span->count);
    span->rms_of = span->count;
  }
  struct block b = {.t = t, .span = span, .storage = storage, .scale = check_scale(check, span->rms)};
  for (; b.begin < span->count; b.begin = b.end) {
    b.end = least(b.begin + BLOCK, span->count);
    b.from = t->dense ? span->first + b.begin : 0;
    if (t->dense && copy(c, t, b.from, b.end - b.begin, storage, err) != 0) return -1;
    compare_block(&b, &sum);
  }
  check_join(check, &sum);
  return 0;
}

static uint64_t longest_block(const struct tensor *t) {
  uint64_t longest = 0;
  for (size_t i = 0; i < t->span_count; i++)
    longest = t->spans[i].count > longest ? t->spans[i].count : longest;
  return least(longest, BLOCK);
}

int tensor_compare(struct gb_case *c, struct tensor *t, struct check *check, struct err *err) {
  if (t->span_count == 0) return 0;
  void *storage = xrealloc(NULL, (size_t)(t->dense ? longest_block(t) : t->extent), dtype_bytes(t->dtype));
  int rc = t->dense ? 0 : copy(c, t, 0, t->extent, storage, err);
  for (size_t i = 0; i < t->span_count && rc == 0; i++)
    rc = compare_span(c, t, &t->spans[i], storage, check, err);
  free(storage);
  return rc;
}

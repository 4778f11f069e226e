/* Compares outputs with the expected values. Outputs are copied from the device in blocks, so that no buffer is as long
 * as a dense tensor. Several threads judge the pieces of a block. The sums of the pieces are added in order, so that
 * results do not depend on the number of threads. */
#include "case/compare.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "case/calls.h"
#include "case/tensors.h"
#include "model/data/dtype.h"

enum { CHUNK = 1024, PIECE = 1 << 14, PIECES = 64, BLOCK = PIECE * PIECES }; /* counts of elements, except PIECES */

/* Differences in spans with fewer elements are divided by the root mean square of all stated elements (those with
 * expected values). That of a short span may be small by chance: with one element, one span in 20 has less than a
 * sixteenth of the usual. */
enum { FEW = 8 };

struct block {
  struct gb_case *c;
  const struct tensor *t;
  struct span *span;
  const struct check *before; /* result for the spans before this one */
  /* the elements that were copied from the device. If the tensor is dense, these are the pieces of this block, one
   * after the other. Otherwise they are all elements of the tensor. */
  char *storage;
  double size_of_all; /* root mean square of all stated elements; NaN: not needed */
  struct check_ruler ruler;
  uint64_t begin[PIECES]; /* first element of each piece, within the span */
  size_t count;
  struct check pieces[PIECES];
};

static uint64_t least_of(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/* ---- The size that differences are divided by ---- */

struct sizes {
  const struct span *span;
  struct check_size *pieces;
};

static void size_piece(void *context, size_t number) {
  const struct sizes *sizes = context;
  const uint64_t begin = number * PIECE, count = least_of(PIECE, sizes->span->count - begin);
  sizes->pieces[number] = check_size(sizes->span->values + begin, (size_t)count);
}

/* Returns the root mean square of the span's values. It is computed once and then kept in the span. */
static double rms_of(struct span *span) {
  if (span->rms_of == span->count) return span->rms;
  const size_t count = (size_t)((span->count + PIECE - 1) / PIECE);
  struct sizes sizes = {span, xcalloc(count, sizeof *sizes.pieces)};
  parallel_each(count, size_piece, &sizes);
  span->rms_of = span->count;
  span->rms = check_size_of(sizes.pieces, count).rms;
  free(sizes.pieces);
  return span->rms;
}

/* ---- Comparing ---- */

static uint64_t piece_end(const struct block *b, size_t piece) {
  return least_of(b->begin[piece] + PIECE, b->span->count);
}

static char *piece_storage(const struct block *b, size_t piece) {
  return b->storage + (b->t->dense ? piece * PIECE * dtype_bytes(b->t->dtype) : 0);
}

static void compare_piece(void *context, size_t number) {
  struct block *b = context;
  const uint64_t from = b->t->dense ? b->span->first + b->begin[number] : 0;
  double values[CHUNK];
  for (uint64_t i = b->begin[number]; i < piece_end(b, number); i += CHUNK) {
    const uint64_t count = least_of(CHUNK, piece_end(b, number) - i), first = b->span->first + i;
    tensor_load(b->t, piece_storage(b, number), from, first, count, values);
    check_piece(&b->pieces[number], &b->ruler, first, values, b->span->values + i, (size_t)count);
    if (b->t->exact) check_bits(&b->pieces[number], first, values, b->span->values + i, (size_t)count);
  }
}

static int copy_piece(struct gb_case *c, const struct tensor *t, uint64_t from, uint64_t count, void *to,
                      struct err *err) {
  const size_t size = dtype_bytes(t->dtype);
  return c->device->ops->copy_async(c->device, to, (const char *)t->data + from * size, (size_t)count * size, err);
}

/* Copies the chosen pieces from the device, adjacent ones in one copy. */
static int copy_pieces(struct block *b, struct err *err) {
  for (size_t i = 0, next; i < b->count; i = next) {
    for (next = i + 1; next < b->count && b->begin[next] == piece_end(b, next - 1);)
      next++;
    const uint64_t first = b->span->first + b->begin[i], count = piece_end(b, next - 1) - b->begin[i];
    if (copy_piece(b->c, b->t, first, count, piece_storage(b, i), err) != 0) return -1;
  }
  return call_sync(b->c, err);
}

static int compare_block(struct block *b, struct check *span, struct err *err) {
  if (b->count == 0) return 0;
  const double scale = b->span->count < FEW ? b->size_of_all : check_scale(b->before, rms_of(b->span));
  b->ruler = (struct check_ruler){scale, check_slack(b->t->dtype)};
  if (b->t->dense && copy_pieces(b, err) != 0) return -1;
  for (size_t i = 0; i < b->count; i++)
    b->pieces[i] = (struct check){0};
  parallel_each(b->count, compare_piece, b);
  for (size_t i = 0; i < b->count; i++)
    check_join(span, &b->pieces[i]);
  b->count = 0;
  return 0;
}

/* The comparison of one tensor. */
struct comparison {
  struct gb_case *c;
  const struct tensor *t;
  void *storage;
  double size; /* root mean square of all stated elements; NaN: not needed */
  struct check *check;
};

static bool is_chosen(const struct portion *portion, uint64_t element) {
  return portion->share >= 1 || rng_share(portion->secret, element) < portion->share;
}

/* Compares a portion of one span (consecutive elements with expected values). */
static int compare_span(struct comparison *all, struct span *span, const struct portion *portion, struct err *err) {
  struct check sum = {0};
  struct block b = {
      .c = all->c, .t = all->t, .span = span, .before = all->check, .storage = all->storage, .size_of_all = all->size};
  for (uint64_t begin = 0; begin < span->count; begin += PIECE) {
    if (is_chosen(portion, span->first + begin)) b.begin[b.count++] = begin;
    if (b.count == PIECES && compare_block(&b, &sum, err) != 0) return -1;
  }
  if (compare_block(&b, &sum, err) != 0) return -1;
  check_join(all->check, &sum);
  return 0;
}

static double size_of_all(const struct tensor *t) {
  SCOPED struct check_size *spans = xcalloc(t->span_count, sizeof *spans);
  for (size_t i = 0; i < t->span_count; i++)
    spans[i] = (struct check_size){rms_of(&t->spans[i]), (double)t->spans[i].count};
  return check_size_of(spans, t->span_count).rms;
}

static bool any_is_short(const struct tensor *t) {
  for (size_t i = 0; i < t->span_count; i++)
    if (t->spans[i].count < FEW) return true;
  return false;
}

static uint64_t longest_block(const struct tensor *t) {
  uint64_t longest = 0;
  for (size_t i = 0; i < t->span_count; i++)
    longest = t->spans[i].count > longest ? t->spans[i].count : longest;
  return least_of(longest, BLOCK);
}

int tensor_compare(struct gb_case *c, struct tensor *t, const struct portion *portion, struct check *check,
                   struct err *err) {
  if (t->span_count == 0) return 0;
  const size_t elements = (size_t)(t->dense ? longest_block(t) : t->extent);
  void *staging = t->dense ? c->device->ops->staging(c->device, elements * dtype_bytes(t->dtype)) : NULL;
  void *storage = staging != NULL ? staging : xrealloc(NULL, elements, dtype_bytes(t->dtype));
  struct comparison all = {c, t, storage, any_is_short(t) ? size_of_all(t) : NAN, check};
  int rc = t->dense ? 0 : copy_piece(c, t, 0, t->extent, storage, err);
  if (rc == 0 && !t->dense) rc = call_sync(c, err);
  for (size_t i = 0; i < t->span_count && rc == 0; i++)
    rc = compare_span(&all, &t->spans[i], portion, err);
  const size_t any = (size_t)(rng_bits(portion->secret, UINT64_MAX) % t->span_count);
  if (rc == 0 && check->compared == 0) /* few blocks, of which none was chosen: compare one span */
    rc = compare_span(&all, &t->spans[any], &PORTION_ALL, err);
  if (portion->share < 1) check->typical = size_of_all(t);
  if (staging == NULL) free(storage);
  return rc;
}

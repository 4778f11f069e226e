/* Fills and restores the contents of tensors, and poisons outputs (fills them with a pattern that marks unwritten
 * elements). */
#include "case/contents.h"

#include <stdio.h>
#include <string.h>

#include "case/tensors.h"
#include "model/data/dtype.h"
#include "model/data/fill.h"

/* ---- Inputs ---- */

static bool is_input(const struct tensor *t) {
  return t->role == GB_IN || t->role == GB_INOUT;
}

/* Returns true if a piece of the tensor can be filled from another seed. Values that the bench's `fill` writes are
 * excluded, because they can be computed only for the whole tensor. */
static bool has_piece(const struct tensor *t) {
  return t->role == GB_IN && t->fill.kind != GB_FILL_BENCH;
}

bool tensors_have_inputs(const struct gb_case *c) {
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (is_input(&c->tensors[i])) return true;
  return false;
}

uint64_t tensors_input_elements(const struct gb_case *c) {
  uint64_t elements = 0;
  for (uint32_t i = 0; i < c->tensor_count; i++)
    elements += is_input(&c->tensors[i]) ? c->tensors[i].elements : 0;
  return elements;
}

bool tensors_keep_state(const struct gb_case *c) {
  return (c->bench->own.flags & GB_BENCH_STATEFUL) != 0;
}

/* Returns true if pieces of some inputs can be changed. If each call of a bench continues from the result of the call
 * before, inputs must stay as they are, because otherwise the last result could not be compared with the expected
 * values. */
bool tensors_have_pieces(const struct gb_case *c) {
  if (tensors_keep_state(c)) return false;
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (has_piece(&c->tensors[i])) return true;
  return false;
}

static uint64_t line_elements(const struct tensor *t) {
  enum { LINE_BYTES = 64 };
  return LINE_BYTES / dtype_bytes(t->dtype);
}

/* Returns the number of elements of a small piece: so few that the caches stay nearly unchanged, but at least a cache
 * line. */
static uint64_t piece_elements(const struct tensor *t) {
  enum { SHARE = 64 };
  const uint64_t line = line_elements(t), most = PIECE_BYTES / dtype_bytes(t->dtype), share = t->extent / SHARE;
  const uint64_t count = share < line ? line : share < most ? share : most;
  return t->extent < count ? t->extent : count;
}

/* Returns the size of the piece that is filled from this seed. Large pieces are half of the input, halved again a
 * random number of times (each number equally likely) down to a cache line. */
static uint64_t size_for(const struct gb_case *c, const struct tensor *t, uint64_t seed) {
  const uint64_t least = piece_elements(t), most = tensor_piece_bytes(c, t) / dtype_bytes(t->dtype);
  uint64_t sizes = 1;
  if (!c->large_pieces || most > t->extent / 2) return least;
  while (most >> sizes >= line_elements(t))
    sizes++;
  return most >> rng_bits(rng_key(seed, t->fill.stream), 1) % sizes;
}

static uint64_t random_place(const struct tensor *t, uint64_t number, uint64_t count) {
  return rng_bits(rng_key(number, t->fill.stream), UINT64_MAX) % (t->extent - count + 1);
}

static struct piece piece_of(const struct gb_case *c, const struct tensor *t, uint64_t seed, uint64_t place) {
  const uint64_t count = size_for(c, t, seed);
  return (struct piece){seed, random_place(t, place, count), count};
}

/* Returns the random piece of an output that is poisoned. It may be as small as a cache line or smaller, so that a
 * variant cannot find it by reading the output at a few places. */
static struct piece poison_piece_of(const struct tensor *t, uint64_t number) {
  enum { SIZES = 5 };
  const uint64_t least = line_elements(t), piece = piece_elements(t);
  const uint64_t smaller = piece >> rng_bits(rng_key(number, t->fill.stream), 0) % SIZES;
  const uint64_t count = smaller < least && least < piece ? least : smaller > 0 ? smaller : 1;
  return (struct piece){number, random_place(t, number, count), count};
}

static char *element_at(const struct tensor *t, uint64_t element) {
  return (char *)t->data + element * dtype_bytes(t->dtype);
}

/* Saves the values that the new piece will replace. */
static int keep_place(struct gb_case *c, struct tensor *t, uint64_t seed, uint64_t place, struct err *err) {
  t->piece = piece_of(c, t, seed, place);
  const size_t bytes = (size_t)t->piece.count * dtype_bytes(t->dtype);
  return c->device->ops->copy_async(c->device, t->kept, element_at(t, t->piece.first), bytes, err);
}

static int fill_tensor_piece(struct gb_case *c, struct tensor *t, void *to, uint64_t seed, struct err *err) {
  struct fill fill = t->fill;
  fill.seed = seed;
  return c->device->ops->fill(c->device, to, size_for(c, t, seed), &fill, err);
}

static int fill_tensor(struct gb_case *c, struct tensor *t, struct err *err) {
  const struct device_ops *ops = c->device->ops;
  t->fill.seed = c->whole;
  t->piece = (struct piece){0};
  if (!is_input(t)) return 0;
  if (t->fill.kind == GB_FILL_BENCH) {
    if (ops->copy(c->device, t->data, t->values, (size_t)tensor_bytes(t), err) != 0) return -1;
  } else if (ops->fill(c->device, t->data, t->extent, &t->fill, err) != 0) {
    return -1;
  }
  if (t->role == GB_INOUT) return ops->copy_async(c->device, t->snapshot, t->data, (size_t)tensor_bytes(t), err);
  if (c->seed == c->whole || !has_piece(t)) return 0;
  if (keep_place(c, t, c->seed, c->seed, err) != 0) return -1;
  return fill_tensor_piece(c, t, element_at(t, t->piece.first), c->seed, err);
}

static int sum_tensor(struct gb_case *c, const struct tensor *t, uint64_t *checksum, struct err *err) {
  return c->device->ops->checksum(c->device, t->data, (size_t)tensor_bytes(t), c->secret, checksum, err);
}

static int ask_bench(struct gb_case *c, struct err *err) {
  struct outcome outcome;
  bench_fill(c, c->whole, &outcome);
  return outcome.kind == OUTCOME_OK ? 0 : err_set(err, EXIT_FAILED, "fill: %s", outcome.message);
}

/* Fills the tensor and stores the checksum of an input. */
static int fill_and_sum(struct gb_case *c, struct tensor *t, struct err *err) {
  if (fill_tensor(c, t, err) != 0) return -1;
  if (t->role != GB_IN) return 0;
  if (sum_tensor(c, t, &t->checksum, err) != 0) return -1;
  if (c->seed == c->whole) t->whole_checksum = t->checksum;
  return 0;
}

static void note_sums(struct gb_case *c) {
  if (c->seed == c->whole) c->whole_summed = c->whole;
}

int tensors_repair(struct gb_case *c, struct err *err) {
  c->shown = (struct shown){0}; /* no input holds values from its pool any more: all are filled below */
  c->seed = c->known_seed;
  c->steps = 0;
  c->whole = c->known_whole;
  if (ask_bench(c, err) != 0) return -1;
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (fill_and_sum(c, &c->tensors[i], err) != 0) return -1;
  note_sums(c);
  return tensors_guard(c, err) != 0 ? -1 : call_sync(c, err);
}

int tensors_fill(struct gb_case *c, uint64_t seed, struct err *err) {
  c->known_seed = c->known_whole = seed;
  tensors_forget(c);
  return tensors_repair(c, err);
}

int tensors_change(struct gb_case *c, uint64_t seed, struct err *err) {
  c->shown = (struct shown){0};
  c->seed = seed;
  c->steps = 0;
  c->whole = seed == c->known_seed ? c->known_whole : seed;
  if (ask_bench(c, err) != 0) return -1;
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (fill_tensor(c, &c->tensors[i], err) != 0) return -1;
  return 0;
}

int tensors_ready_piece(struct gb_case *c, uint64_t seed, struct err *err) {
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (has_piece(&c->tensors[i]) && fill_tensor_piece(c, &c->tensors[i], c->tensors[i].ready, seed, err) != 0)
      return -1;
  c->ready_seed = seed;
  return 0;
}

static int put_back(struct gb_case *c, struct tensor *t, struct err *err) {
  const size_t bytes = (size_t)t->piece.count * dtype_bytes(t->dtype);
  void *place = element_at(t, t->piece.first);
  t->piece = (struct piece){0};
  return bytes > 0 ? c->device->ops->copy_async(c->device, place, t->kept, bytes, err) : 0;
}

static int move_piece(struct gb_case *c, struct tensor *t, uint64_t place, struct err *err) {
  if (put_back(c, t, err) != 0 || keep_place(c, t, c->ready_seed, place, err) != 0) return -1;
  const size_t bytes = (size_t)t->piece.count * dtype_bytes(t->dtype);
  return c->device->ops->copy_async(c->device, element_at(t, t->piece.first), t->ready, bytes, err);
}

int tensors_move_piece(struct gb_case *c, uint64_t place, struct err *err) {
  c->seed = place;
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (has_piece(&c->tensors[i]) && move_piece(c, &c->tensors[i], place, err) != 0) return -1;
  return 0;
}

/* Makes as many copies as move_piece(), but leaves the contents unchanged. So a call after it takes as
 * long as one after move_piece(), unless new values make a difference. */
static int touch_piece(struct gb_case *c, struct tensor *t, uint64_t place, struct err *err) {
  if (put_back(c, t, err) != 0 || keep_place(c, t, c->ready_seed, place, err) != 0) return -1;
  return put_back(c, t, err);
}

int tensors_touch_piece(struct gb_case *c, uint64_t place, struct err *err) {
  c->seed = c->whole;
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (has_piece(&c->tensors[i]) && touch_piece(c, &c->tensors[i], place, err) != 0) return -1;
  return 0;
}

int tensors_change_piece(struct gb_case *c, uint64_t seed, struct err *err) {
  if (seed != c->whole) {
    if (c->ready_seed != seed && tensors_ready_piece(c, seed, err) != 0) return -1;
    return tensors_move_piece(c, seed, err);
  }
  c->seed = seed;
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (has_piece(&c->tensors[i]) && put_back(c, &c->tensors[i], err) != 0) return -1;
  return 0;
}

int tensors_mend(struct gb_case *c, struct err *err) {
  for (uint32_t i = 0; i < c->tensor_count; i++) {
    struct tensor *t = &c->tensors[i];
    uint64_t found = 0;
    if (t->role != GB_IN) continue;
    if (sum_tensor(c, t, &found, err) != 0 || (found != t->checksum && fill_tensor(c, t, err) != 0)) return -1;
  }
  return 0;
}

bool tensors_have_other_piece(const struct gb_case *c) {
  return c->seed != c->known_seed && c->whole == c->known_whole;
}

/* Computes the checksum of an input in which a piece was written over contents whose checksum is known. Puts back what
 * the piece replaced, compares the checksum of the whole input with the known one, and writes the piece again. Filling
 * the whole input again would take ten times as long. */
static int sum_by_piece(struct gb_case *c, struct tensor *t, bool *same, struct err *err) {
  const struct device_ops *ops = c->device->ops;
  const size_t bytes = (size_t)t->piece.count * dtype_bytes(t->dtype);
  void *place = element_at(t, t->piece.first);
  uint64_t found = 0, wanted = 0, rest = 0;
  if (bytes > 0 && (ops->checksum(c->device, place, bytes, c->secret, &found, err) != 0 ||
                    ops->checksum(c->device, t->ready, bytes, c->secret, &wanted, err) != 0 ||
                    ops->copy_async(c->device, place, t->kept, bytes, err) != 0))
    return -1;
  if (sum_tensor(c, t, &rest, err) != 0) return -1;
  *same = found == wanted && rest == t->whole_checksum;
  if (!*same) return fill_and_sum(c, t, err);
  t->checksum = rest;
  if (bytes == 0) return 0;
  return ops->copy_async(c->device, place, t->ready, bytes, err) != 0 ? -1 : sum_tensor(c, t, &t->checksum, err);
}

static int sum_by_filling(struct gb_case *c, struct tensor *t, bool *same, struct err *err) {
  uint64_t found = 0;
  if (sum_tensor(c, t, &found, err) != 0 || fill_and_sum(c, t, err) != 0) return -1;
  *same = found == t->checksum;
  return 0;
}

int tensors_adopt(struct gb_case *c, const char **changed, struct err *err) {
  const bool by_piece = c->seed != c->whole && c->whole == c->whole_summed && c->seed == c->ready_seed;
  *changed = NULL;
  c->known_seed = c->seed;
  c->known_whole = c->whole;
  tensors_forget(c);
  for (uint32_t i = 0; i < c->tensor_count; i++) {
    struct tensor *t = &c->tensors[i];
    bool same = true;
    if (t->role != GB_IN) continue;
    if ((by_piece ? sum_by_piece : sum_by_filling)(c, t, &same, err) != 0) return -1;
    if (!same && *changed == NULL) *changed = t->name;
  }
  note_sums(c);
  return 0;
}

int tensors_hide(struct gb_case *c, const char **changed, struct err *err) {
  const bool known = c->seed == c->known_seed;
  *changed = NULL;
  for (uint32_t i = 0; i < c->tensor_count; i++) {
    const struct tensor *t = &c->tensors[i];
    uint64_t found = t->checksum;
    if (t->role != GB_IN) continue;
    if (known && sum_tensor(c, t, &found, err) != 0) return -1;
    if (found != t->checksum && *changed == NULL) *changed = t->name;
    if (c->device->ops->set(c->device, t->data, POISON_BYTE, (size_t)tensor_bytes(t), err) != 0) return -1;
  }
  return call_sync(c, err);
}

int tensors_show(struct gb_case *c, struct err *err) {
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (c->tensors[i].role == GB_IN && fill_tensor(c, &c->tensors[i], err) != 0) return -1;
  return 0;
}

bool tensors_need_restore(const struct gb_case *c) {
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (c->tensors[i].role == GB_INOUT) return true;
  return false;
}

int tensors_restore(struct gb_case *c, struct err *err) {
  c->steps = 0;
  for (uint32_t i = 0; i < c->tensor_count; i++) {
    struct tensor *t = &c->tensors[i];
    if (t->role != GB_INOUT) continue;
    if (c->device->ops->copy_async(c->device, t->data, t->snapshot, (size_t)tensor_bytes(t), err) != 0) return -1;
  }
  return 0;
}

/* ---- Outputs and guard zones ---- */

bool tensor_is_integer(const struct tensor *t) {
  return t->dtype == GB_DTYPE_I32 || t->dtype == GB_DTYPE_U8;
}

unsigned char tensor_poison_byte(const struct gb_case *c, const struct tensor *t) {
  return tensor_is_integer(t) && c->other_poison ? OTHER_POISON_BYTE : POISON_BYTE;
}

static bool is_overwritten(const struct gb_case *c, const struct tensor *t) {
  return t->role == GB_OUT || (t->role == GB_SCRATCH && !tensors_keep_state(c));
}

static int poison(struct gb_case *c, const struct tensor *t, uint64_t first, uint64_t count, struct err *err) {
  const size_t bytes = (size_t)count * dtype_bytes(t->dtype);
  return c->device->ops->set(c->device, element_at(t, first), tensor_poison_byte(c, t), bytes, err);
}

int tensors_poison(struct gb_case *c, struct err *err) {
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (is_overwritten(c, &c->tensors[i]) && poison(c, &c->tensors[i], 0, c->tensors[i].extent, err) != 0) return -1;
  return 0;
}

int tensors_poison_piece(struct gb_case *c, uint64_t number, struct err *err) {
  for (uint32_t i = 0; i < c->tensor_count; i++) {
    const struct tensor *t = &c->tensors[i];
    const struct piece piece = poison_piece_of(t, number);
    if (is_overwritten(c, t) && poison(c, t, piece.first, piece.count, err) != 0) return -1;
  }
  return 0;
}

int tensors_rewrite(struct gb_case *c, struct err *err) {
  for (uint32_t i = 0; i < c->tensor_count; i++) {
    struct tensor *t = &c->tensors[i];
    if (!is_overwritten(c, t)) continue;
    if (c->device->ops->rewrite(c->device, t->data, (size_t)tensor_bytes(t), err) != 0) return -1;
  }
  return 0;
}

static int guard_tensor(struct gb_case *c, struct tensor *t, struct err *err) {
  const struct device_ops *ops = c->device->ops;
  const size_t before = (size_t)t->guard_before, behind = (size_t)t->guard_behind;
  if (ops->set(c->device, (char *)t->data - before, c->guard_byte, before, err) != 0) return -1;
  return ops->set(c->device, (char *)t->data + tensor_bytes(t), c->guard_byte, behind, err);
}

/* The byte in the guards is random, so that no variant can know it or write it by chance. */
int tensors_guard(struct gb_case *c, struct err *err) {
  c->guard_byte = (unsigned char)rng_bits(c->secret, c->guarded++);
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (guard_tensor(c, &c->tensors[i], err) != 0) return -1;
  return 0;
}

/* ---- The bench's `fill` ---- */

bool bench_fills(const struct gb_case *c) {
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (tensor_is_given(&c->tensors[i])) return true;
  return false;
}

/* Returns the name of a tensor for which `fill` gave other values than before with the same seed; NULL: there is none.
 * For that, remembers the checksums of the last two seeds. */
static const char *changed(struct gb_case *c, uint64_t seed) {
  struct err err = {0};
  const bool known = c->sum_seeds[0] == seed || c->sum_seeds[1] == seed;
  const int place = c->sum_seeds[0] == seed ? 0 : 1;
  if (!known) {
    for (uint32_t i = 0; i < c->tensor_count; i++)
      c->tensors[i].sums[0] = c->tensors[i].sums[1];
    c->sum_seeds[0] = c->sum_seeds[1];
    c->sum_seeds[1] = seed;
  }
  for (uint32_t i = 0; i < c->tensor_count; i++) {
    struct tensor *t = &c->tensors[i];
    uint64_t sum = 0;
    if (!tensor_is_given(t)) continue;
    if (device_cpu_ops.checksum(c->device, t->values, (size_t)tensor_bytes(t), c->secret, &sum, &err) != 0)
      return t->name;
    if (known && sum != t->sums[place]) return t->name;
    t->sums[place] = sum;
  }
  return NULL;
}

void bench_fill(struct gb_case *c, uint64_t seed, struct outcome *outcome) {
  *outcome = (struct outcome){.kind = OUTCOME_OK};
  if (!bench_fills(c) || (c->values_known && c->values_seed == seed)) return;
  const uint64_t whole = c->whole;
  c->values_known = false;
  c->whole = seed;
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (tensor_is_given(&c->tensors[i])) memset(c->tensors[i].values, 0, (size_t)tensor_bytes(&c->tensors[i]));
  call_begin(c, PHASE_FILL, OWNER_BENCH);
  call_end(c, c->bench->own.fill(c->bench->theirs, c, c->state), outcome);
  c->whole = whole;
  if (outcome->kind != OUTCOME_OK) return;
  const char *name = changed(c, seed);
  c->values_known = name == NULL;
  c->values_seed = seed;
  if (name == NULL) return;
  outcome->kind = OUTCOME_FAIL;
  snprintf(outcome->message, sizeof outcome->message, "'%s' has other values than before for the same seed", name);
}

bool bench_fill_write(struct gb_case *c, const char *name, uint64_t first, uint64_t count, const double *values) {
  struct tensor *t = tensor_find(c, name);
  if (t == NULL) return false;
  if (c->phase != PHASE_FILL)
    case_misuse(c, "gb.input/1 write is for fill, not %s", phase_name(c->phase));
  else if (!tensor_is_given(t))
    case_misuse(c, "gb.input/1 write: tensor '%s' is not GB_FILL_BENCH", t->name);
  else if (first > t->elements || count > t->elements - first)
    case_misuse(c, "tensor '%s' has %llu elements, given %llu from %llu", t->name, (unsigned long long)t->elements,
                (unsigned long long)count, (unsigned long long)first);
  else if (values == NULL && count > 0)
    case_misuse(c, "gb.input/1 write: values is NULL");
  else
    for (uint64_t i = 0; i < count; i++)
      fill_store(t->dtype, t->values, tensor_storage_index(t, first + i), values[i]);
  return !c->misused;
}

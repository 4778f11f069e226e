/* Declares, allocates and reads tensors. */
#include "case/tensors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gpubench/ext/mem.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "case/calls.h"
#include "case/memory.h"
#include "model/data/dtype.h"
#include "model/data/fill_range.h"
#include "plugin/abi.h"

static const uint64_t most_bytes = UINT64_C(1) << 48;

struct tensor *tensor_find(struct gb_case *c, const char *name) {
  for (uint32_t i = 0; i < c->tensor_count && name != NULL; i++)
    if (strcmp(c->tensors[i].name, name) == 0) return &c->tensors[i];
  char shown[ID_SIZE];
  text_copy(shown, sizeof shown, name);
  text_sanitize(shown);
  case_misuse(c, "%s has no tensor '%s'", c->bench->desc.contract, shown);
  return NULL;
}

/* Computes strides, storage extent and density. Rejects overlapping elements: each stride must be at least the number
 * of elements that the axes with smaller strides span. */
static int lay_out(struct gb_case *c, struct tensor *t, const gb_tensor *from) {
  uint64_t elements = 1, extent = 1;
  for (uint32_t i = t->rank; i-- > 0;) {
    t->shape[i] = from->shape[i];
    if (t->shape[i] < 1 || (uint64_t)t->shape[i] > most_bytes / elements) {
      case_misuse(c, "tensor '%s': extent %u is %lld, after %llu elements", t->name, i, (long long)t->shape[i],
                  (unsigned long long)elements);
      return -1;
    }
    t->strides[i] = from->strides ? from->strides[i] : (int64_t)elements;
    elements *= (uint64_t)t->shape[i];
  }
  t->elements = elements;
  t->dense = true;
  uint64_t canonical = 1;
  for (uint32_t i = t->rank; i-- > 0;) {
    if (t->shape[i] > 1 && t->strides[i] != (int64_t)canonical) t->dense = false;
    canonical *= (uint64_t)t->shape[i];
  }
  bool done[RANK_MAX] = {false};
  for (uint32_t n = 0; n < t->rank; n++) { /* in order of increasing stride */
    uint32_t next = RANK_MAX;
    for (uint32_t i = 0; i < t->rank; i++)
      if (!done[i] && (next == RANK_MAX || t->strides[i] < t->strides[next])) next = i;
    done[next] = true;
    if (t->shape[next] == 1) continue;
    if (t->strides[next] < (int64_t)extent || (uint64_t)t->strides[next] > most_bytes / (uint64_t)t->shape[next]) {
      case_misuse(c, "tensor '%s': stride %lld of axis %u, smaller axes span %llu elements", t->name,
                  (long long)t->strides[next], next, (unsigned long long)extent);
      return -1;
    }
    extent += (uint64_t)t->strides[next] * (uint64_t)(t->shape[next] - 1);
  }
  t->extent = extent;
  return 0;
}

enum { OFF_MOST = 4096 }; /* largest alignment, and largest offset from it, in bytes */

/* Returns false if the declaration uses a constant that this host does not know, as a later version of the ABI may
 * have. */
static bool knows_declaration(struct gb_case *c, const gb_tensor *own) {
  const char *name = own->name;
  const bool filled = own->role == GB_IN || own->role == GB_INOUT;
  if (own->role > GB_SCRATCH)
    case_unsupported(c, "tensor '%s': role %u, known are 1 to 4", name, own->role);
  else if (own->dtype != 0 && dtype_bytes(own->dtype) == 0)
    case_unsupported(c, "tensor '%s': dtype %u is unknown to this host", name, own->dtype);
  else if (filled && own->fill > GB_FILL_BENCH)
    case_unsupported(c, "tensor '%s': fill %u is unknown to this host", name, own->fill);
  else if (own->memory > GB_MEM_PINNED)
    case_unsupported(c, "tensor '%s': memory %u, known are 1 to 3", name, own->memory);
  else if ((own->flags & ~GB_TENSOR_EXACT) != 0)
    case_unsupported(c, "tensor '%s': flag 0x%X is unknown to this host", name, own->flags & ~GB_TENSOR_EXACT);
  else
    return true;
  return false;
}

static int check_declaration(struct gb_case *c, const gb_tensor *own) {
  const char *name = own->name;
  uint64_t align = own->align_bytes;
  const bool filled = own->role == GB_IN || own->role == GB_INOUT;
  if (c->tensor_count == TENSORS_MAX)
    case_misuse(c, "tensor '%s': more than %d tensors", name, TENSORS_MAX);
  else if (own->role == 0)
    case_misuse(c, "tensor '%s': role 0, known are 1 to 4", name);
  else if (own->dtype == 0)
    case_misuse(c, "tensor '%s': dtype 0 is unknown to this host", name);
  else if (own->rank < 1 || own->rank > RANK_MAX)
    case_misuse(c, "tensor '%s': rank %u, allowed are 1 to %d", name, own->rank, RANK_MAX);
  else if (own->shape == NULL)
    case_misuse(c, "tensor '%s': shape is NULL, rank %u", name, own->rank);
  else if ((align & (align - 1)) != 0 || align > OFF_MOST)
    case_misuse(c, "tensor '%s': align_bytes %llu, allowed are powers of two up to %d", name, (unsigned long long)align,
                OFF_MOST);
  else if (own->offset_bytes > OFF_MOST)
    case_misuse(c, "tensor '%s': offset_bytes %llu, at most %d", name, (unsigned long long)own->offset_bytes, OFF_MOST);
  else if (filled && own->fill == 0)
    case_misuse(c, "tensor '%s': fill 0 is unknown to this host", name);
  else if (!(own->tolerance >= 0 && own->tolerance < 1))
    case_misuse(c, "tensor '%s': tolerance %g, allowed are 0 to below 1, which zeros have", name, own->tolerance);
  else if ((own->tolerance > 0 || own->flags != 0) && own->role != GB_OUT && own->role != GB_INOUT)
    case_misuse(c, "tensor '%s': a tolerance and exactness are for outputs", name);
  else if (own->tolerance > 0 && own->flags != 0)
    case_misuse(c, "tensor '%s': tolerance %g of what is exact", name, own->tolerance);
  else if (filled && own->fill == GB_FILL_BENCH && c->bench->own.fill == NULL)
    case_misuse(c, "tensor '%s': fill is GB_FILL_BENCH, and the bench has no `fill`", name);
  else if (!isfinite(own->fill_a) || !isfinite(own->fill_b))
    case_misuse(c, "tensor '%s': fill parameters %g and %g are not finite", name, own->fill_a, own->fill_b);
  else if (filled && own->fill == GB_FILL_UNIFORM && own->fill_a >= own->fill_b)
    case_misuse(c, "tensor '%s': uniform from %g to below %g: there is no such value", name, own->fill_a, own->fill_b);
  else if (filled && own->fill == GB_FILL_NORMAL && own->fill_b < 0)
    case_misuse(c, "tensor '%s': standard deviation %g", name, own->fill_b);
  else
    return 0;
  return -1;
}

gb_status tensor_declare(struct gb_case *c, const gb_tensor *declaration) {
  gb_tensor own;
  struct err err = {0};
  if (!case_is(c, "gb.tensor/1 declare")) return GB_EINVAL;
  if (c->phase != PHASE_SETUP) {
    case_misuse(c, "gb.tensor/1 declare is for setup, not %s", phase_name(c->phase));
    return GB_EINVAL;
  }
  const int rc = abi_tensor(declaration, &own, &err);
  if (rc < 0) return case_misuse(c, "%s", err.text), GB_EINVAL;
  if (rc == ABI_NEWER) return case_unsupported(c, "%s", err.text), GB_ENOTSUP;
  if (!knows_declaration(c, &own)) return GB_ENOTSUP;
  if (check_declaration(c, &own) != 0) return GB_EINVAL;
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (strcmp(c->tensors[i].name, own.name) == 0) {
      case_misuse(c, "two tensors are named '%s'", own.name);
      return GB_EINVAL;
    }
  struct tensor *t = &c->tensors[c->tensor_count];
  *t = (struct tensor){.role = own.role,
                       .dtype = own.dtype,
                       .rank = own.rank,
                       .memory = own.memory != 0 ? (enum memory_kind)own.memory : MEMORY_DEVICE,
                       .align = own.align_bytes ? own.align_bytes : 256,
                       .offset = own.offset_bytes,
                       .reduction = own.reduction ? own.reduction : 1,
                       .tolerance = own.tolerance,
                       .exact = (own.flags & GB_TENSOR_EXACT) != 0,
                       .fill = {own.dtype, own.fill, own.fill_a, own.fill_b, 0, c->tensor_count + 1}};
  text_copy(t->name, sizeof t->name, own.name);
  if (lay_out(c, t, &own) != 0) return GB_EINVAL;
  c->tensor_count++;
  return GB_OK;
}

uint64_t tensor_bytes(const struct tensor *t) {
  return t->extent * dtype_bytes(t->dtype);
}

uint64_t tensors_bytes(const struct gb_case *c) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < c->tensor_count; i++)
    bytes += tensor_bytes(&c->tensors[i]) * (c->tensors[i].role == GB_INOUT ? 2 : 1);
  return bytes;
}

bool tensor_is_given(const struct tensor *t) {
  return (t->role == GB_IN || t->role == GB_INOUT) && t->fill.kind == GB_FILL_BENCH;
}

enum memory_kind tensor_beside(const struct tensor *t) {
  return t->memory == MEMORY_PINNED ? MEMORY_DEVICE : t->memory;
}

uint64_t tensor_piece_bytes(const struct gb_case *c, const struct tensor *t) {
  const uint64_t half = tensor_bytes(t) / 2, most = half < LARGE_PIECE_BYTES ? half : LARGE_PIECE_BYTES;
  return c->large_pieces && most > PIECE_BYTES ? most : PIECE_BYTES;
}

static uint64_t whole_bytes(const struct tensor *t) {
  return tensor_bytes(t) + t->align + t->offset + 2 * GUARD_SIZE;
}

/* Checks that there is enough memory for everything that allocate() will allocate. */
static bool have_room(struct gb_case *c) {
  uint64_t all = 0, device = 0;
  for (uint32_t i = 0; i < c->tensor_count; i++) {
    const struct tensor *t = &c->tensors[i];
    const uint64_t beside = t->role == GB_IN ? 2 * tensor_piece_bytes(c, t) : t->role == GB_INOUT ? tensor_bytes(t) : 0;
    all += whole_bytes(t) + beside + (tensor_is_given(t) ? tensor_bytes(t) : 0);
    device += (t->memory == MEMORY_DEVICE ? whole_bytes(t) : 0) + (tensor_beside(t) == MEMORY_DEVICE ? beside : 0);
  }
  return case_has_room(c, all, device);
}

/* Places a tensor in memory between fences: its beginning at the fence before it, or its end as close to the fence
 * behind it as its alignment allows. The fences are whole pages apart, and no alignment is larger than a page. */
static void place_at_fence(struct tensor *t, enum fence fence, uint64_t page_bytes) {
  const uintptr_t first = (uintptr_t)t->allocation, end = first + page_bytes;
  const uintptr_t last = (end - tensor_bytes(t) - t->offset) / t->align * t->align;
  const uintptr_t start = (fence == FENCE_BEFORE ? first : last) + t->offset;
  t->data = (void *)start;
  t->guard_before = start - first < GUARD_SIZE ? start - first : GUARD_SIZE;
  t->guard_behind = end - start - tensor_bytes(t);
  if (t->guard_behind > GUARD_SIZE) t->guard_behind = GUARD_SIZE;
}

static void place_between_guards(struct tensor *t) {
  const uintptr_t start = ((uintptr_t)t->allocation + GUARD_SIZE + t->align - 1) / t->align * t->align;
  t->data = (void *)(start + t->offset);
  t->guard_before = t->guard_behind = GUARD_SIZE;
}

static bool allocate(struct gb_case *c, struct tensor *t) {
  uint64_t bytes = tensor_bytes(t), page_bytes;
  t->allocation = case_alloc_fenced(c, t->memory, whole_bytes(t), OWNER_BENCH, &page_bytes);
  if (t->allocation == NULL) return false;
  if (page_bytes > 0)
    place_at_fence(t, c->fence, page_bytes);
  else
    place_between_guards(t);
  if (tensor_is_given(t) && (t->values = case_alloc(c, MEMORY_HOST, bytes, OWNER_BENCH)) == NULL) return false;
  if (t->role == GB_IN) {
    t->ready = case_alloc(c, tensor_beside(t), tensor_piece_bytes(c, t), OWNER_BENCH);
    t->kept = case_alloc(c, tensor_beside(t), tensor_piece_bytes(c, t), OWNER_BENCH);
    return t->ready != NULL && t->kept != NULL;
  }
  if (t->role != GB_INOUT) return true;
  t->snapshot = case_alloc(c, tensor_beside(t), bytes, OWNER_BENCH);
  return t->snapshot != NULL;
}

const char *tensors_pageable(const struct gb_case *c) {
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (c->tensors[i].memory == MEMORY_HOST) return c->tensors[i].name;
  return NULL;
}

bool tensors_allocate(struct gb_case *c) {
  if (!have_room(c)) return false;
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (!allocate(c, &c->tensors[i])) return false;
  return true;
}

static void forget_expectations(struct tensor *t) {
  for (size_t i = 0; i < t->span_count; i++)
    free(t->spans[i].values);
  free(t->spans);
  t->spans = NULL;
  t->span_count = 0;
}

void tensors_forget(struct gb_case *c) {
  for (uint32_t i = 0; i < c->tensor_count; i++)
    forget_expectations(&c->tensors[i]);
}

uint64_t tensor_storage_index(const struct tensor *t, uint64_t logical) {
  if (t->dense) return logical;
  uint64_t index = 0;
  for (uint32_t i = t->rank; i-- > 0;) {
    index += logical % (uint64_t)t->shape[i] * (uint64_t)t->strides[i];
    logical /= (uint64_t)t->shape[i];
  }
  return index;
}

/* ---- Values ---- */

enum { CHUNK = 1024, PIECE = 1 << 14 }; /* elements of a buffer on the stack, and of one thread's piece */

struct reading {
  const struct tensor *t;
  const char *storage; /* storage from element `from` on; NULL: compute what the elements were filled with */
  uint64_t from, first, step, count;
  double *values;
};

/* Returns how many elements from this one on are adjacent in storage, at most `most`. */
static uint64_t run_length(const struct tensor *t, uint64_t logical, uint64_t most) {
  const uint64_t row = (uint64_t)t->shape[t->rank - 1];
  const uint64_t run = t->dense ? most : t->strides[t->rank - 1] == 1 ? row - logical % row : 1;
  return run < most ? run : most;
}

/* Computes what elements of storage were filled with. Stops at the edge of the tensor's piece, which was filled from
 * another seed, and returns how many were computed. */
static uint64_t fill_up_to_edge(const struct tensor *t, uint64_t at, uint64_t count, void *storage) {
  const struct piece *piece = &t->piece;
  struct fill fill = t->fill;
  const bool inside = at >= piece->first && at - piece->first < piece->count;
  const uint64_t edge = inside ? piece->first + piece->count : at < piece->first ? piece->first : UINT64_MAX;
  if (piece->count > 0 && edge - at < count) count = edge - at;
  if (inside) fill.seed = piece->seed;
  fill_range(&fill, inside ? at - piece->first : at, count, storage);
  return count;
}

void tensor_load(const struct tensor *t, const void *storage, uint64_t from, uint64_t first, uint64_t count,
                 double *values) {
  for (uint64_t i = 0, run; i < count; i += run) {
    const uint64_t at = tensor_storage_index(t, first + i);
    run = run_length(t, first + i, count - i);
    dtype_load_all(t->dtype, (const char *)storage + (at - from) * dtype_bytes(t->dtype), run, values + i);
  }
}

static void compute(const struct tensor *t, uint64_t first, uint64_t count, double *values) {
  uint64_t buffer[CHUNK];
  for (uint64_t i = 0, run; i < count; i += run) {
    run = run_length(t, first + i, count - i < CHUNK ? count - i : CHUNK);
    run = fill_up_to_edge(t, tensor_storage_index(t, first + i), run, buffer);
    dtype_load_all(t->dtype, buffer, run, values + i);
  }
}

static void read_run(const struct reading *r, uint64_t first, uint64_t count, double *values) {
  if (r->storage != NULL)
    tensor_load(r->t, r->storage, r->from, first, count, values);
  else
    compute(r->t, first, count, values);
}

static void read_piece(void *context, size_t piece) {
  const struct reading *r = (const struct reading *)context;
  const uint64_t begin = (uint64_t)piece * PIECE, left = r->count - begin, count = left < PIECE ? left : PIECE;
  if (r->step == 1) {
    read_run(r, r->first + begin, count, r->values + begin);
    return;
  }
  for (uint64_t i = begin; i < begin + count; i++)
    read_run(r, r->first + i * r->step, 1, r->values + i);
}

static void read_values_parallel(struct reading *r) {
  parallel_each((size_t)((r->count + PIECE - 1) / PIECE), read_piece, r);
}

static int download(struct gb_case *c, struct reading *r, uint64_t elements, struct err *err) {
  const size_t size = dtype_bytes(r->t->dtype);
  SCOPED char *bytes = xrealloc(NULL, (size_t)elements, size);
  const char *from = (const char *)r->t->data + r->from * size;
  const int rc = c->device->ops->copy(c->device, bytes, from, (size_t)elements * size, err);
  r->storage = bytes;
  if (rc == 0) read_values_parallel(r);
  return rc;
}

/* Returns how many elements, which lie `step` apart, one copy brings to the host. The elements between them are copied
 * as well: up to a limit of bytes, one copy with gaps takes about as long as one without. Adjacent elements are copied
 * in larger pieces, which many threads convert. */
static uint64_t elements_at_once(const struct tensor *t, uint64_t step) {
  enum { WITH_GAPS = 1 << 18, RUN = 1 << 22 };
  const uint64_t fit = (step == 1 ? RUN : WITH_GAPS) / (step * dtype_bytes(t->dtype));
  return fit > 0 ? fit : 1;
}

int tensor_download(struct gb_case *c, const struct tensor *t, uint64_t first, uint64_t step, uint64_t count,
                    double *values, struct err *err) {
  if (count == 0) return 0;
  struct reading all = {.t = t, .first = first, .step = step, .count = count, .values = values};
  if (!t->dense) return download(c, &all, t->extent, err);
  const uint64_t most = step == 1 || count == 1 ? count : elements_at_once(t, step);
  for (uint64_t done = 0, now; done < count; done += now) {
    now = count - done < most ? count - done : most;
    struct reading part = all;
    part.from = part.first = first + done * step;
    part.count = now;
    part.values = values + done;
    if (download(c, &part, (now - 1) * step + 1, err) != 0) return -1;
  }
  return 0;
}

int tensor_input(struct gb_case *c, const struct tensor *t, uint64_t first, uint64_t step, uint64_t count,
                 double *values, struct err *err) {
  if (t->data == NULL)
    return err_set(err, EXIT_FAILED, "tensor '%s' has no contents in %s", t->name, phase_name(c->phase));
  struct reading reading = {
      .t = t, .storage = t->values, .first = first, .step = step, .count = count, .values = values};
  read_values_parallel(&reading);
  return 0;
}

int tensor_expect(struct gb_case *c, struct tensor *t, uint64_t first, uint64_t count, const double *values) {
  if (c->phase != PHASE_REFERENCE || t->role == GB_IN) {
    case_misuse(c, "gb.tensor/1 expect is for outputs and in reference: tensor '%s', in %s", t->name,
                phase_name(c->phase));
    return -1;
  }
  if (count == 0) return 0;
  struct span *last = t->span_count ? &t->spans[t->span_count - 1] : NULL;
  /* adjacent spans are joined, so that whole rows are compared at once */
  if (last == NULL || last->first + last->count != first) {
    t->spans = xrealloc(t->spans, t->span_count + 1, sizeof *t->spans);
    last = &t->spans[t->span_count++];
    *last = (struct span){.first = first};
  }
  last->values = xrealloc(last->values, (size_t)(last->count + count), sizeof *last->values);
  memcpy(last->values + last->count, values, (size_t)count * sizeof *values);
  for (uint64_t i = last->count; t->exact && i < last->count + count; i++)
    last->values[i] = dtype_round(t->dtype, last->values[i]);
  last->count += count;
  return 0;
}

int tensor_guards(struct gb_case *c, const struct tensor *t, uint64_t *changed, int64_t *first, struct err *err) {
  unsigned char zone[2 * GUARD_SIZE];
  int64_t bytes = (int64_t)tensor_bytes(t);
  const struct device_ops *ops = c->device->ops;
  const int64_t before = (int64_t)t->guard_before, behind = (int64_t)t->guard_behind;
  if (ops->copy(c->device, zone, (char *)t->data - before, (size_t)before, err) != 0) return -1;
  if (ops->copy(c->device, zone + before, (char *)t->data + bytes, (size_t)behind, err) != 0) return -1;
  *changed = 0;
  for (int64_t i = 0; i < before + behind; i++) {
    if (zone[i] == c->guard_byte) continue;
    if ((*changed)++ == 0) *first = i < before ? i - before : bytes + i - before;
  }
  return 0;
}

/* Detects late writes to outputs. */
#include "case/witness.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "case/contents.h"
#include "case/memory.h"
#include "case/tensors.h"
#include "model/data/dtype.h"

/* ---- Writes before the launch ---- */

enum { PEEK_BYTES = 64 };

static bool poisoned(const unsigned char *bytes, size_t count, unsigned char poison) {
  for (size_t i = 0; i < count; i++)
    if (bytes[i] != poison) return false;
  return true;
}

/* Checks whether the first and the last bytes of the tensor still hold poison (the pattern that marks unwritten
 * outputs). Kernels write the first bytes first; the last block writes the last bytes. */
static int ends_poisoned(struct gb_case *c, const struct tensor *t, bool *intact, struct err *err) {
  unsigned char bytes[2 * PEEK_BYTES];
  uint64_t size = tensor_bytes(t);
  size_t count = size < PEEK_BYTES ? (size_t)size : PEEK_BYTES;
  const unsigned char *data = t->data;
  *intact = true;
  if (count == 0) return 0;
  if (c->device->ops->peek(c->device, bytes, data, count, err) != 0) return -1;
  if (c->device->ops->peek(c->device, bytes + count, data + size - count, count, err) != 0) return -1;
  *intact = poisoned(bytes, 2 * count, tensor_poison_byte(c, t));
  return 0;
}

const char *early_write_output(struct gb_case *c, struct err *err) {
  if (c->device->ops->peek == NULL) return NULL;
  for (uint32_t i = 0; i < c->tensor_count; i++) {
    bool intact;
    if (c->tensors[i].role != GB_OUT) continue;
    if (ends_poisoned(c, &c->tensors[i], &intact, err) != 0) return NULL;
    if (!intact) return c->tensors[i].name;
  }
  return NULL;
}

/* Number of elements of an output that are checked: MANY if all outputs are poisoned. Otherwise single elements are
 * changed before the last sample, only FEW of them so that the caches stay as they were. If 2% of all elements are not
 * written yet, 256 random ones include one of them with a probability of 99.4%. */
enum { MANY = PLACES_MOST, FEW = 8, ELEMENT_BYTES = 8, VALUES = MANY * ELEMENT_BYTES, RECORDS = 16 };

/* The bytes of the checked elements at three times: when they were changed before the last sample (planted), when the
 * clock had stopped (then), and when all work is done (now). */
struct values {
  unsigned char planted[VALUES], then[VALUES], now[VALUES];
};

struct witness {
  struct places places;           /* indices of storage */
  uint64_t elements[PLACES_MOST]; /* logical indices of the same elements */
  enum witness_ground ground;
  bool planted, taken;
  /* dense memory of the variant, which was read instead of the tensor's; NULL: the tensor's memory was read */
  const void *at;
  /* true: the device found nothing wrong with the tensor's memory when the witness was allocated; only then is the
   * memory checked again later */
  bool owned;
  bool there;          /* every chosen element could be read after the clock stopped */
  struct values *kept; /* RECORDS records of element values; `use`: index of the record in use */
  uint32_t use;
};

static bool can_be_witnessed(const struct gb_case *c, const struct tensor *t) {
  return tensor_is_output(t) && t->elements > 0 && (t->memory != MEMORY_HOST || c->device->ops->peek == NULL);
}

static uint64_t draw_witness_number(struct gb_case *c) {
  return rng_bits(rng_key(c->secret, UINT64_C(0x77697473)), c->witnessed++);
}

static bool open_one(struct gb_case *c, struct tensor *t) {
  struct witness *witness = xcalloc(1, sizeof *witness);
  t->witness = witness;
  witness->kept = case_alloc(c, tensor_beside(t), RECORDS * sizeof *witness->kept, OWNER_BENCH);
  if (witness->kept == NULL) return false;
  const char *absent = NULL;
  if (c->device->ops->absent != NULL)
    absent = c->device->ops->absent(c->device, t->data, tensor_bytes(t), draw_witness_number(c));
  witness->owned = absent == NULL;
  return true;
}

bool witness_open(struct gb_case *c) {
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (can_be_witnessed(c, &c->tensors[i]) && !open_one(c, &c->tensors[i])) return false;
  return true;
}

/* ---- Places ---- */

static bool is_drawn(const struct witness *w, uint64_t element) {
  for (uint32_t i = 0; i < w->places.count; i++)
    if (w->elements[i] == element) return true;
  return false;
}

/* Chooses the elements to be checked: the last one, which is the likeliest to be written late, the first one, and
 * random others. None is chosen twice, so small outputs get fewer places. */
static void draw_places(struct gb_case *c, const struct tensor *t, uint32_t count) {
  struct witness *w = t->witness;
  w->places.count = 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t random = draw_witness_number(c), element = i == 0   ? t->elements - 1
                                                              : i == 1 ? 0
                                                                       : random % t->elements;
    if (is_drawn(w, element)) continue;
    w->elements[w->places.count] = element;
    w->places.at[w->places.count++] = tensor_storage_index(t, element);
  }
}

static uint32_t count_seen(const struct gb_case *c) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < c->tensor_count; i++)
    count += c->tensors[i].witness != NULL;
  return count;
}

/* Chooses at random the elements to be checked. Reading one output costs a kernel launch on a GPU, and on a CPU some
 * microseconds for checking its pages. So if there are many outputs, only about TENSORS of them are checked, unless all
 * are filled with poison (the pattern that marks unwritten elements). */
void witness_draw(struct gb_case *c, enum witness_ground ground) {
  enum { TENSORS = 8 };
  const uint32_t seen = count_seen(c);
  for (uint32_t i = 0; i < c->tensor_count; i++) {
    struct witness *w = c->tensors[i].witness;
    if (w == NULL) continue;
    const bool looked_at = ground == WITNESS_POISON || seen <= TENSORS || draw_witness_number(c) % seen < TENSORS;
    draw_places(c, &c->tensors[i], !looked_at ? 0 : ground == WITNESS_POISON ? MANY : FEW);
    w->ground = ground;
    w->planted = w->taken = false;
    w->at = c->tensors[i].lies_at = NULL;
    w->use = (uint32_t)(draw_witness_number(c) % RECORDS);
  }
}

/* Returns the bits to flip in a float value so that it becomes larger or smaller by a factor of 4/3 to 3: wrong, but
 * not conspicuous as a NaN would be. In integers the lowest bit is flipped. */
static uint64_t flip_of(uint32_t dtype) {
  switch (dtype) {
    case GB_DTYPE_F64:
      return UINT64_C(3) << 51;
    case GB_DTYPE_F32:
      return UINT64_C(3) << 22;
    case GB_DTYPE_F16:
      return UINT64_C(3) << 9;
    case GB_DTYPE_BF16:
      return UINT64_C(3) << 6;
    case GB_DTYPE_E4M3:
      return UINT64_C(3) << 2;
    default:
      return 1;
  }
}

/* Changes the chosen elements, to see later whether the last sample overwrites them. If the outputs hold results for
 * other inputs (WITNESS_ANY), a changed value may be correct by chance, so half of the slots (series of samples) get
 * poison instead. Not all do, so that a variant which finds none cannot conclude that it is not checked. */
static int plant_witness_bits(struct gb_case *c, const struct tensor *t, struct err *err) {
  struct witness *w = t->witness;
  const bool poison = w->ground == WITNESS_ANY && w->use % 2 == 0 && !tensor_is_integer(t);
  const uint64_t kept = poison ? 0 : UINT64_MAX, flipped = poison ? UINT64_MAX : flip_of(t->dtype);
  w->planted = true;
  return c->device->ops->plant(c->device, w->kept[w->use].planted, t->data, dtype_bytes(t->dtype), &w->places, kept,
                               flipped, err);
}

int witness_plant(struct gb_case *c, struct err *err) {
  for (uint32_t i = 0; i < c->tensor_count; i++) {
    const struct tensor *t = &c->tensors[i];
    if (t->witness == NULL || t->role != GB_OUT || t->witness->ground == WITNESS_POISON) continue;
    if (t->witness->places.count == 0) continue;
    if (plant_witness_bits(c, t, err) != 0) return -1;
  }
  return 0;
}

/* ---- Reading the chosen elements ---- */

/* Copies the chosen elements to `to`. Reads them from the tensor's memory or, if `elsewhere` is not NULL, from the
 * memory at `elsewhere`, in which the tensor has no gaps. */
static int gather(struct gb_case *c, const struct tensor *t, const void *elsewhere, unsigned char *to,
                  struct err *err) {
  const size_t size = dtype_bytes(t->dtype);
  struct places dense = {.count = t->witness->places.count};
  memcpy(dense.at, t->witness->elements, dense.count * sizeof *dense.at);
  const struct places *places = elsewhere != NULL ? &dense : &t->witness->places;
  return c->device->ops->gather(c->device, to, elsewhere != NULL ? elsewhere : t->data, size, places, err);
}

/* Reads the chosen elements of one output. The variant may have left the output in memory of any kind; if that cannot
 * be read, the output is not checked. */
static int take_one(struct gb_case *c, struct tensor *t, bool away, struct err *err) {
  struct witness *w = t->witness;
  w->at = away ? t->lies_at : NULL;
  if ((away && w->at == NULL) || w->places.count == 0) return 0;
  const int rc = gather(c, t, w->at, w->kept[w->use].then, err);
  w->there = rc == 0;
  w->taken = rc == 0 || !away;
  return rc < 0 ? -1 : 0;
}

int witness_take(struct gb_case *c, bool away, struct err *err) {
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (c->tensors[i].witness != NULL && take_one(c, &c->tensors[i], away, err) != 0) return -1;
  return 0;
}

static const char *absent_of(const struct gb_case *c, const struct tensor *t) {
  const struct device_ops *ops = c->device->ops;
  const char *absent = NULL;
  if (t->witness->at != NULL) return NULL;
  if (t->witness->owned && ops->absent != NULL)
    absent = ops->absent(c->device, t->data, tensor_bytes(t), rng_bits(c->secret, c->witnessed));
  return absent != NULL || t->witness->there ? absent : "could not be read";
}

void witness_look_at_memory(const struct gb_case *c, struct witness_finding *finding) {
  *finding = (struct witness_finding){0};
  for (uint32_t i = 0; i < c->tensor_count && finding->output == NULL; i++) {
    const struct tensor *t = &c->tensors[i];
    if (t->witness == NULL || !t->witness->taken) continue;
    finding->absent = absent_of(c, t);
    if (finding->absent != NULL) finding->output = t->name;
  }
}

static bool is_poison(const struct gb_case *c, const struct tensor *t, const unsigned char *value) {
  const size_t size = dtype_bytes(t->dtype);
  for (size_t i = 0; i < size; i++)
    if (value[i] != tensor_poison_byte(c, t)) return false;
  return true;
}

/* Returns true if the element changed after the clock stopped, or was still poison then, even if it never changed. An
 * integer may rightly equal poison, so poison does not count there. */
static bool is_late(const struct gb_case *c, const struct tensor *t, const struct values *values, uint32_t i) {
  const size_t size = dtype_bytes(t->dtype);
  const unsigned char *then = values->then + i * size;
  if (memcmp(then, values->now + i * size, size) != 0) return true;
  return t->role == GB_OUT && t->witness->at == NULL && !tensor_is_integer(t) && is_poison(c, t, then);
}

/* Returns true if the last sample did not overwrite the values that were written to the output right before it. If
 * results differ between runs, a result may equal such a value by chance. So types of one or two bytes need two such
 * elements. */
static bool is_left(const struct tensor *t, const struct values *values, uint32_t *which) {
  const size_t size = dtype_bytes(t->dtype);
  uint32_t left = 0;
  for (uint32_t i = 0; i < t->witness->places.count; i++) {
    if (memcmp(values->planted + i * size, values->then + i * size, size) != 0) continue;
    *which = i;
    left++;
  }
  return left >= 2 || (left == 1 && size >= 4);
}

static bool may_be_left(const struct tensor *t) {
  const struct witness *w = t->witness;
  return w->planted && w->ground == WITNESS_RIGHT && !tensor_is_integer(t);
}

static int look_for_late_write(struct gb_case *c, const struct tensor *t, struct witness_finding *finding,
                               struct err *err) {
  struct witness *w = t->witness;
  struct values values, *fast = NULL;
  uint32_t which = 0;
  const void *at = c->delivered ? NULL : w->at;
  if (gather(c, t, at, w->kept[w->use].now, err) < 0) return -1;
  if (c->device->ops->staging != NULL) fast = c->device->ops->staging(c->device, sizeof values);
  if (c->device->ops->copy(c->device, fast != NULL ? fast : &values, &w->kept[w->use], sizeof values, err) != 0)
    return -1;
  if (fast != NULL) memcpy(&values, fast, sizeof values);
  bool late = may_be_left(t) && is_left(t, &values, &which);
  for (uint32_t i = 0; i < w->places.count && !late; i++) {
    late = is_late(c, t, &values, i);
    which = i;
  }
  if (!late) return 0;
  finding->output = t->name;
  finding->element = w->elements[which];
  return 0;
}

int witness_look(struct gb_case *c, struct witness_finding *finding, struct err *err) {
  *finding = (struct witness_finding){0};
  for (uint32_t i = 0; i < c->tensor_count && finding->output == NULL; i++) {
    const struct tensor *t = &c->tensors[i];
    if (t->witness != NULL && t->witness->taken && look_for_late_write(c, t, finding, err) != 0) return -1;
  }
  return 0;
}

void witness_close(struct gb_case *c) {
  for (uint32_t i = 0; i < c->tensor_count; i++) {
    free(c->tensors[i].witness);
    c->tensors[i].witness = NULL;
  }
}

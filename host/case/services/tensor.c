/* gb.tensor/1: what plugins may do with the tensors of a case. */
#include "case/services/tensor.h"

#include <stdio.h>

#include "case/calls.h"
#include "case/stated.h"
#include "case/tensors.h"

static void *tensor_data(gb_case *c, const char *name) {
  if (!case_is(c, "gb.tensor/1 data")) return NULL;
  const struct tensor *t = tensor_find(c, name);
  if (t != NULL && t->data == NULL) case_misuse(c, "tensor '%s' has no memory in %s", t->name, phase_name(c->phase));
  return t ? t->data : NULL;
}

static uint32_t tensor_dtype(gb_case *c, const char *name) {
  if (!case_is(c, "gb.tensor/1 dtype")) return 0;
  const struct tensor *t = tensor_find(c, name);
  return t ? t->dtype : 0;
}

static uint32_t tensor_rank(gb_case *c, const char *name) {
  if (!case_is(c, "gb.tensor/1 rank")) return 0;
  const struct tensor *t = tensor_find(c, name);
  return t ? t->rank : 0;
}

static int64_t tensor_dim(gb_case *c, const char *name, uint32_t axis) {
  if (!case_is(c, "gb.tensor/1 dim")) return 0;
  const struct tensor *t = tensor_find(c, name);
  return t && axis < t->rank ? t->shape[axis] : 0;
}

static int64_t tensor_stride(gb_case *c, const char *name, uint32_t axis) {
  if (!case_is(c, "gb.tensor/1 stride")) return 0;
  const struct tensor *t = tensor_find(c, name);
  return t && axis < t->rank ? t->strides[axis] : 0;
}

static uint32_t tensor_role(gb_case *c, const char *name) {
  if (!case_is(c, "gb.tensor/1 role")) return 0;
  const struct tensor *t = tensor_find(c, name);
  return t ? t->role : 0;
}

static uint32_t tensor_count(gb_case *c) {
  if (!case_is(c, "gb.tensor/1 count")) return 0;
  return c->tensor_count;
}

static const char *tensor_name(gb_case *c, uint32_t index) {
  if (!case_is(c, "gb.tensor/1 name")) return NULL;
  return index < c->tensor_count ? c->tensors[index].name : NULL;
}

/* ---- Values ---- */

/* Elements of a tensor, `step` apart. */
struct range {
  const char *slot, *name;
  uint64_t first, step, count;
};

/* Misuse is recorded where it is not within the tensor. */
static struct tensor *tensor_of(gb_case *c, const struct range *range) {
  struct tensor *t = tensor_find(c, range->name);
  if (t == NULL) return NULL;
  const uint64_t left = range->first <= t->elements ? t->elements - range->first : 0, step = range->step;
  const bool fits = range->count == 0 || (step > 0 && left > 0 && range->count - 1 <= (left - 1) / step);
  if (fits && range->first <= t->elements) return t;
  char apart[48] = "";
  if (step != 1) snprintf(apart, sizeof apart, ", %llu apart", (unsigned long long)step);
  case_misuse(c, "tensor '%s' has %llu elements, asked for %llu from %llu%s", t->name, (unsigned long long)t->elements,
              (unsigned long long)range->count, (unsigned long long)range->first, apart);
  return NULL;
}

/* May this slot be asked for it now? */
static bool allowed(gb_case *c, const struct tensor *t, const struct range *range, bool output) {
  const bool filled = t->role == GB_IN || t->role == GB_INOUT, written = t->role == GB_OUT || t->role == GB_INOUT;
  if (output && c->phase != PHASE_VERIFY)
    case_misuse(c, "gb.tensor/1 %s is for verify, not %s", range->slot, phase_name(c->phase));
  else if (!output && (c->phase == PHASE_RUN || c->phase == PHASE_AFTER))
    case_misuse(c, "gb.tensor/1 %s is not for %s", range->slot, phase_name(c->phase));
  else if (!(output ? written : filled))
    case_misuse(c, "gb.tensor/1 %s: tensor '%s' is no %s", range->slot, t->name, output ? "output" : "input");
  return !c->misused;
}

static gb_status read_values(gb_case *c, const struct range *range, bool output, double *values) {
  struct err err = {0};
  if (c == NULL) {
    char slot[48];
    snprintf(slot, sizeof slot, "gb.tensor/1 %s", range->slot);
    case_is(NULL, slot);
    return GB_EINVAL;
  }
  struct tensor *t = tensor_of(c, range);
  if (values == NULL && range->count > 0) case_misuse(c, "gb.tensor/1 %s: values is NULL", range->slot);
  if (t == NULL || !allowed(c, t, range, output)) return GB_EINVAL;
  const int rc = output ? tensor_download(c, t, range->first, range->step, range->count, values, &err)
                        : tensor_input(c, t, range->first, range->step, range->count, values, &err);
  if (rc == 0 && output) stated_note_read(t, range->count);
  if (rc == 0) return GB_OK;
  case_misuse(c, "%s", err.text);
  return GB_EDEVICE;
}

static gb_status input(gb_case *c, const char *name, uint64_t first, uint64_t count, double *values) {
  return read_values(c, &(struct range){"input", name, first, 1, count}, false, values);
}

static gb_status input_strided(gb_case *c, const char *name, uint64_t first, uint64_t stride, uint64_t count,
                               double *values) {
  return read_values(c, &(struct range){"input_strided", name, first, stride, count}, false, values);
}

static gb_status output(gb_case *c, const char *name, uint64_t first, uint64_t count, double *values) {
  return read_values(c, &(struct range){"output", name, first, 1, count}, true, values);
}

static gb_status output_strided(gb_case *c, const char *name, uint64_t first, uint64_t stride, uint64_t count,
                                double *values) {
  return read_values(c, &(struct range){"output_strided", name, first, stride, count}, true, values);
}

static uint64_t steps(gb_case *c) {
  if (!case_is(c, "gb.tensor/1 steps")) return 0;
  if (c->phase == PHASE_VERIFY) return c->steps;
  case_misuse(c, "gb.tensor/1 steps is for verify, not %s", phase_name(c->phase));
  return 0;
}

/* Of this service alone a call is part of what is timed. */
static gb_status lies_at(gb_case *c, uint32_t index, const void *memory) {
  if (!case_is(c, "gb.tensor/1 lies_at")) return GB_EINVAL;
  if (c->phase != PHASE_RUN || c->variant == NULL || c->variant->own.after == NULL)
    case_misuse(c, "gb.tensor/1 lies_at is for run of a variant that has `after`, not %s", phase_name(c->phase));
  else if (index >= c->tensor_count || (c->tensors[index].role != GB_OUT && c->tensors[index].role != GB_INOUT))
    case_misuse(c, "gb.tensor/1 lies_at: %u is the index of no output", index);
  else if (memory == NULL)
    case_misuse(c, "gb.tensor/1 lies_at: memory of '%s' is NULL", c->tensors[index].name);
  else
    c->tensors[index].lies_at = memory;
  return c->misused ? GB_EINVAL : GB_OK;
}

static gb_status expect(gb_case *c, const char *name, uint64_t first, uint64_t count, const double *values) {
  if (!case_is(c, "gb.tensor/1 expect")) return GB_EINVAL;
  struct tensor *t = tensor_of(c, &(struct range){"expect", name, first, 1, count});
  if (values == NULL && count > 0) case_misuse(c, "gb.tensor/1 expect: values is NULL");
  return t != NULL && !c->misused && tensor_expect(c, t, first, count, values) == 0 ? GB_OK : GB_EINVAL;
}

const gb_tensor_ext services_tensor = {
    .struct_size = sizeof(gb_tensor_ext),
    .declare = tensor_declare,
    .data = tensor_data,
    .dtype = tensor_dtype,
    .rank = tensor_rank,
    .dim = tensor_dim,
    .stride = tensor_stride,
    .role = tensor_role,
    .count = tensor_count,
    .name = tensor_name,
    .input = input,
    .input_strided = input_strided,
    .output = output,
    .output_strided = output_strided,
    .steps = steps,
    .expect = expect,
    .lies_at = lies_at,
};

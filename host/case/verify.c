/* Checks outputs, guards and inputs after a run. */
#include "case/verify.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "case/case.h"
#include "case/check.h"
#include "case/contents.h"
#include "case/tensors.h"
#include "model/data/dtype.h"

/* ---- Seals ---- */

static int sum_sealed_tensor(struct gb_case *c, const struct tensor *t, uint64_t *found, struct err *err) {
  return c->device->ops->checksum(c->device, t->data, (size_t)tensor_bytes(t), c->seal_key, found, err);
}

int seal_outputs(struct gb_case *c, struct err *err) {
  c->seal_key = case_draw(c);
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (tensor_is_output(&c->tensors[i]) && sum_sealed_tensor(c, &c->tensors[i], &c->tensors[i].seal, err) != 0)
      return -1;
  return 0;
}

int seal_check(struct gb_case *c, const char **broken, struct err *err) {
  *broken = NULL;
  for (uint32_t i = 0; i < c->tensor_count && *broken == NULL; i++) {
    const struct tensor *t = &c->tensors[i];
    uint64_t found = 0;
    if (!tensor_is_output(t)) continue;
    if (sum_sealed_tensor(c, t, &found, err) != 0) return -1;
    if (found != t->seal) *broken = t->name;
  }
  return 0;
}

static void refuse_verification(struct verification *v, enum rule rule, const char *format, ...) ERR_PRINTF(3, 4);
static void refuse_verification(struct verification *v, enum rule rule, const char *format, ...) {
  if (!v->pass) return; /* the first reason wins */
  v->pass = false;
  v->rule = rule;
  va_list args;
  va_start(args, format);
  vsnprintf(v->message, sizeof v->message, format, args);
  va_end(args);
}

static int check_guards(struct gb_case *c, const struct tensor *t, struct verification *v, struct err *err) {
  uint64_t changed = 0;
  int64_t first = 0;
  if (tensor_guards(c, t, &changed, &first, err) != 0) return -1;
  if (changed > 0)
    refuse_verification(v, RULE_BOUNDS,
                        "wrote outside tensor '%s': %llu bytes beside it changed, the first at byte %lld of it",
                        t->name, (unsigned long long)changed, (long long)first);
  return 0;
}

static int check_input(struct gb_case *c, const struct tensor *t, struct verification *v, struct err *err) {
  uint64_t sum = 0;
  size_t bytes = (size_t)tensor_bytes(t);
  if (c->device->ops->checksum(c->device, t->data, bytes, c->secret, &sum, err) != 0) return -1;
  if (sum != t->checksum) refuse_verification(v, RULE_INPUTS, "changed its input '%s'", t->name);
  return 0;
}

/* Counts the elements that hold poison one by one, for a tensor whose storage has gaps, which variants need not write.
 */
static int count_strided(struct gb_case *c, const struct tensor *t, unsigned char byte, uint64_t *count,
                         uint64_t *first, struct err *err) {
  unsigned char poison[8];
  size_t size = dtype_bytes(t->dtype);
  SCOPED unsigned char *storage = xcalloc((size_t)t->extent, size);
  memset(poison, byte, sizeof poison);
  int rc = c->device->ops->copy(c->device, storage, t->data, (size_t)t->extent * size, err);
  for (uint64_t i = 0; rc == 0 && i < t->elements; i++)
    if (memcmp(storage + tensor_storage_index(t, i) * size, poison, size) == 0 && (*count)++ == 0) *first = i;
  return rc;
}

static int count_byte(struct gb_case *c, const struct tensor *t, unsigned char byte, uint64_t *count, uint64_t *first,
                      struct err *err) {
  *count = *first = 0;
  if (!t->dense) return count_strided(c, t, byte, count, first, err);
  return c->device->ops->count_poison(c->device, t->data, dtype_bytes(t->dtype), t->elements, byte, count, first, err);
}

/* Finds elements of an output that still hold the poison. In a float output all of them count as unwritten, because the
 * poison (each byte 0xFF) is a NaN in every float format. An integer may rightly equal the poison: `plain` says how
 * many do, and only further ones count as unwritten. */
static int check_written(struct gb_case *c, uint32_t index, const struct plain *plain, struct verification *v,
                         struct err *err) {
  const struct tensor *t = &c->tensors[index];
  uint64_t count = 0, first = 0, right = 0;
  if (t->role != GB_OUT) return 0;
  if (tensor_is_integer(t)) {
    if (!plain->known || plain->seed != c->seed) return 0;
    right = plain->count[index][c->other_poison];
  }
  if (count_byte(c, t, tensor_poison_byte(c, t), &count, &first, err) != 0) return -1;
  if (count > right)
    refuse_verification(v, RULE_WRITES, "left %llu of %llu elements of '%s' unwritten%s %llu",
                        (unsigned long long)(count - right), (unsigned long long)t->elements, t->name,
                        right > 0 ? ", beginning at" : ", the first is", (unsigned long long)first);
  return 0;
}

bool case_has_integers(const struct gb_case *c) {
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (c->tensors[i].role == GB_OUT && tensor_is_integer(&c->tensors[i])) return true;
  return false;
}

int case_note_plain(struct gb_case *c, struct plain *plain, struct err *err) {
  /* There are two poisons (patterns that mark unwritten outputs). Before the run the outputs were filled with one of
   * them. So elements that equal the other one now were written by the variant. These elements are counted. */
  const bool other = !c->other_poison;
  uint64_t first;
  for (uint32_t i = 0; i < c->tensor_count; i++) {
    const struct tensor *t = &c->tensors[i];
    if (t->role != GB_OUT || !tensor_is_integer(t)) continue;
    const unsigned char byte = other ? OTHER_POISON_BYTE : POISON_BYTE;
    if (count_byte(c, t, byte, &plain->count[i][other], &first, err) != 0) return -1;
  }
  return 0;
}

/* Returns the share of the tolerance that is used; 0 for an exact output without error. */
static double tolerance_share(double error, double tolerance) {
  return error > 0 ? error / tolerance : 0;
}

static struct allowance allowance_of(const struct tensor *t, const char *math) {
  const bool own = t->exact || t->tolerance > 0;
  return (struct allowance){own ? t->tolerance : check_tolerance(t->dtype, math, t->reduction), own, t->exact};
}

static int compare_output(struct gb_case *c, struct tensor *t, const char *math, const struct portion *portion,
                          struct verification *v, struct err *err) {
  struct check check = {0};
  if (tensor_compare(c, t, portion, &check, err) != 0) return -1;
  if (check.compared == 0) return 0;
  const struct allowance allowance = allowance_of(t, math);
  const double tolerance = allowance.tolerance, error = check_error(&check);
  char why[MSG_SIZE];
  if (!check_pass(&check, &allowance, t->name, why, sizeof why)) refuse_verification(v, RULE_VALUES, "%s", why);
  v->compared += check.compared;
  if (isnan(v->error) || tolerance_share(error, tolerance) > tolerance_share(v->error, v->tolerance)) {
    v->error = error;
    v->tolerance = tolerance;
  }
  return 0;
}

bool case_is_known(const struct gb_case *c) {
  return c->seed == c->known_seed;
}

bool case_is_one_step(const struct gb_case *c) {
  return c->steps == 1 || !tensors_need_restore(c);
}

int case_verify(struct gb_case *c, const char *math, const struct plain *plain, const struct portion *portion,
                struct verification *v, struct err *err) {
  const bool known = case_is_known(c), compares = known && math != NULL && case_is_one_step(c);
  *v = (struct verification){.pass = true, .error = NAN, .tolerance = NAN};
  /* looks for unwritten elements first, because a thread of the variant that is still writing could fill them in
   * later */
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (tensor_is_output(&c->tensors[i]) && check_written(c, i, plain, v, err) != 0) return -1;
  for (uint32_t i = 0; i < c->tensor_count; i++) {
    struct tensor *t = &c->tensors[i];
    v->elements += tensor_is_output(t) ? t->elements : 0;
    if (check_guards(c, t, v, err) != 0) return -1;
    if (known && t->role == GB_IN && check_input(c, t, v, err) != 0) return -1;
    if (compares && tensor_is_output(t) && compare_output(c, t, math, portion, v, err) != 0) return -1;
  }
  return 0;
}

const char *case_math(const struct gb_case *c, const char *math) {
  if (strcmp(math, "native") != 0) return math;
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (c->tensors[i].role == GB_IN || c->tensors[i].role == GB_INOUT) return check_native(c->tensors[i].dtype);
  return check_native(0);
}

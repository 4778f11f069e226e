/* Tests tensors: allowed declarations, layout in memory, contents, and the expected values that a reference gives. */
#include "case/contents.h"
#include "case/memory.h"
#include "case/tensors.h"

#include "case/calls.h"
#include "fixture_case.h"
#include "model/data/dtype.h"

static struct bed bed;
static const int64_t eight = 8;

static gb_tensor vector(const char *name, uint32_t role) {
  return bed_tensor(name, role, GB_DTYPE_F32, &eight);
}

/* ---- Declarations ---- */

static void refused(gb_tensor tensor, const char *message) {
  uint32_t before = bed.c->tensor_count;
  ASSERT_EQ_STR(bed_declare(&bed, tensor), message);
  ASSERT_EQ_INT(bed.c->tensor_count, before);
}

/* What a later version of the ABI may have added skips the case, whatever `setup` returns. */
static void skips_what_is_newer(void) {
  static const gb_status returned[] = {GB_OK, GB_ENOTSUP, GB_EFAIL};
  struct outcome outcome;
  bed_open(&bed);
  gb_tensor t = vector("x", GB_IN);
  t.dtype = 99;
  for (size_t i = 0; i < 3; i++) {
    call_begin(bed.c, PHASE_SETUP, OWNER_BENCH);
    ASSERT_EQ_INT(gb.tensor->declare(bed.c, &t), GB_ENOTSUP);
    call_end(bed.c, returned[i], &outcome);
    ASSERT_EQ_INT(outcome.kind, OUTCOME_SKIP);
    ASSERT_EQ_INT(outcome.rule, RULE_NONE);
    ASSERT_EQ_STR(outcome.message, "tensor 'x': dtype 99 is unknown to this host");
  }
  t = vector("x", GB_IN), t.reserved = 1;
  refused(t, "tensor: reserved is 1, must be 0");
  call_begin(bed.c, PHASE_SETUP, OWNER_BENCH); /* a mistake beside it is an error */
  t.reserved = 0, t.fill = 9;
  ASSERT_EQ_INT(gb.tensor->declare(bed.c, &t), GB_ENOTSUP);
  t.fill = 0;
  ASSERT_EQ_INT(gb.tensor->declare(bed.c, &t), GB_EINVAL);
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_INT(outcome.kind, OUTCOME_FAIL);
  call_begin(bed.c, PHASE_SETUP, OWNER_BENCH);
  const gb_work work = {GB_SIZE(gb_work), .reserved = 3};
  ASSERT_EQ_INT(gb.point->work(bed.c, &work), GB_ENOTSUP);
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_INT(outcome.kind, OUTCOME_SKIP);
  ASSERT_EQ_STR(outcome.message, "work: reserved is 3, must be 0");
  bed_close(&bed);
}

static void refuses_fields(void) {
  gb_tensor t;
  bed_open(&bed);
  t = vector("x", GB_IN), t.role = 0;
  refused(t, "tensor 'x': role 0, known are 1 to 4");
  t.role = 5;
  refused(t, "tensor 'x': role 5, known are 1 to 4");
  t = vector("x", GB_IN), t.dtype = 8;
  refused(t, "tensor 'x': dtype 8 is unknown to this host");
  t = vector("x", GB_IN), t.rank = 0;
  refused(t, "tensor 'x': rank 0, allowed are 1 to 8");
  t.rank = 9;
  refused(t, "tensor 'x': rank 9, allowed are 1 to 8");
  t = vector("x", GB_IN), t.shape = NULL;
  refused(t, "tensor 'x': shape is NULL, rank 1");
  t = vector("x", GB_IN), t.align_bytes = 48;
  refused(t, "tensor 'x': align_bytes 48, allowed are powers of two up to 4096");
  t.align_bytes = 8192;
  refused(t, "tensor 'x': align_bytes 8192, allowed are powers of two up to 4096");
  t = vector("x", GB_IN), t.offset_bytes = 4097;
  refused(t, "tensor 'x': offset_bytes 4097, at most 4096");
  t = vector("x", GB_IN), t.fill = 0;
  refused(t, "tensor 'x': fill 0 is unknown to this host");
  t.role = GB_INOUT, t.fill = 4;
  refused(t, "tensor 'x': fill 4 is unknown to this host");
  t.role = GB_OUT;
  ASSERT_EQ_STR(bed_declare(&bed, t), "");
  t.memory = 4;
  refused(t, "tensor 'x': memory 4, known are 1 to 3");
  t.memory = GB_MEM_PINNED;
  t.flags = 6;
  refused(t, "tensor 'x': flag 0x6 is unknown to this host");
  t.flags = GB_TENSOR_EXACT, t.tolerance = 0.1;
  refused(t, "tensor 'x': tolerance 0.1 of what is exact");
  t.flags = 0, t.tolerance = 1;
  refused(t, "tensor 'x': tolerance 1, allowed are 0 to below 1, which zeros have");
  t.tolerance = NAN;
  refused(t, "tensor 'x': tolerance nan, allowed are 0 to below 1, which zeros have");
  t.tolerance = INFINITY;
  refused(t, "tensor 'x': tolerance inf, allowed are 0 to below 1, which zeros have");
  t.tolerance = -0.5;
  refused(t, "tensor 'x': tolerance -0.5, allowed are 0 to below 1, which zeros have");
  t = vector("x", GB_IN), t.tolerance = 0.1;
  refused(t, "tensor 'x': a tolerance and exactness are for outputs");
  t.tolerance = 0, t.flags = GB_TENSOR_EXACT;
  refused(t, "tensor 'x': a tolerance and exactness are for outputs");
  t = vector("", GB_IN), t.name = NULL;
  refused(t, "tensor name is empty");
  bed_close(&bed);
}

static void fills_are_finite(void) {
  gb_tensor t;
  bed_open(&bed);
  t = vector("x", GB_IN), t.fill_a = NAN;
  refused(t, "tensor 'x': fill parameters nan and 2 are not finite");
  t = vector("x", GB_INOUT), t.fill_b = INFINITY;
  refused(t, "tensor 'x': fill parameters 1 and inf are not finite");
  bed_close(&bed);
}

static void fills_have_values(void) {
  gb_tensor t;
  bed_open(&bed);
  t = vector("x", GB_IN), t.fill_a = 2, t.fill_b = 1;
  refused(t, "tensor 'x': uniform from 2 to below 1: there is no such value");
  t.fill_a = t.fill_b = 0; /* left unset */
  refused(t, "tensor 'x': uniform from 0 to below 0: there is no such value");
  t = vector("x", GB_INOUT), t.fill = GB_FILL_NORMAL, t.fill_b = -1;
  refused(t, "tensor 'x': standard deviation -1");
  t = vector("y", GB_OUT), t.fill_a = 2, t.fill_b = 1; /* the range of an output does not matter */
  ASSERT_EQ_STR(bed_declare(&bed, t), "");
  bed_close(&bed);
}

static void shape_refused(uint32_t rank, const int64_t *shape, const int64_t *strides, const char *message) {
  gb_tensor t = vector("x", GB_OUT);
  t.rank = rank, t.shape = shape, t.strides = strides;
  refused(t, message);
}

#define LIST(...)     \
  (const int64_t[]) { \
    __VA_ARGS__       \
  }

static void refuses_shapes(void) {
  bed_open(&bed);
  shape_refused(1, LIST(0), NULL, "tensor 'x': extent 0 is 0, after 1 elements");
  shape_refused(2, LIST(3, -4), NULL, "tensor 'x': extent 1 is -4, after 1 elements");
  shape_refused(1, LIST(INT64_MAX), NULL, "tensor 'x': extent 0 is 9223372036854775807, after 1 elements");
  shape_refused(3, LIST(1 << 20, 1 << 20, 1 << 20), NULL,
                "tensor 'x': extent 0 is 1048576, after 1099511627776 elements");
  bed_close(&bed);
}

static void refuses_strides(void) {
  bed_open(&bed);
  shape_refused(2, LIST(3, 4), LIST(3, 1), "tensor 'x': stride 3 of axis 0, smaller axes span 4 elements");
  shape_refused(1, LIST(2), LIST(0), "tensor 'x': stride 0 of axis 0, smaller axes span 1 elements");
  shape_refused(1, LIST(2), LIST(-1), "tensor 'x': stride -1 of axis 0, smaller axes span 1 elements");
  shape_refused(2, LIST(2, 2), LIST(1, 1), "tensor 'x': stride 1 of axis 1, smaller axes span 2 elements");
  shape_refused(1, LIST(2), LIST(INT64_MAX),
                "tensor 'x': stride 9223372036854775807 of axis 0, smaller axes span 1 elements");
  bed_close(&bed);
}

static void names_once_and_at_most_256(void) {
  char name[16];
  bed_open(&bed);
  for (int i = 0; i < 256; i++) {
    snprintf(name, sizeof name, "t%d", i);
    ASSERT_EQ_STR(bed_declare(&bed, vector(name, i % 2 != 0 ? GB_INOUT : GB_OUT)), "");
    if (i == 1) refused(vector("t1", GB_IN), "two tensors are named 't1'");
  }
  refused(vector("t256", GB_OUT), "tensor 't256': more than 256 tensors");
  bed_fill(&bed, 1);
  ASSERT_EQ_INT(gb.tensor->count(bed.c), 256);
  ASSERT_EQ_STR(gb.tensor->name(bed.c, 255), "t255");
  ASSERT_TRUE(gb.tensor->name(bed.c, 256) == NULL);
  ASSERT_EQ_INT(gb.tensor->role(bed.c, "t255"), GB_INOUT);
  ASSERT_EQ_INT(gb.tensor->role(bed.c, "t254"), GB_OUT);
  ASSERT_TRUE(gb.tensor->data(bed.c, "t255") != NULL);
  bed_close(&bed);
}

static void only_in_setup(void) {
  struct outcome outcome;
  gb_tensor t = vector("x", GB_IN);
  bed_open(&bed);
  call_begin(bed.c, PHASE_PREPARE, 0);
  ASSERT_EQ_INT(gb.tensor->declare(bed.c, &t), GB_EINVAL);
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_STR(outcome.message, "gb.tensor/1 declare is for setup, not prepare");
  bed_close(&bed);
}

static void declarations_are_copied(void) {
  char name[] = "x";
  int64_t shape[] = {2, 3}, strides[] = {4, 1};
  gb_tensor t = vector(name, GB_IN);
  t.rank = 2, t.shape = shape, t.strides = strides;
  bed_open(&bed);
  ASSERT_EQ_STR(bed_declare(&bed, t), "");
  name[0] = 'z', shape[0] = 99, strides[0] = 99;
  ASSERT_EQ_INT(gb.tensor->rank(bed.c, "x"), 2);
  ASSERT_EQ_INT(gb.tensor->dtype(bed.c, "x"), GB_DTYPE_F32);
  ASSERT_EQ_INT(gb.tensor->dim(bed.c, "x", 0), 2);
  ASSERT_EQ_INT(gb.tensor->dim(bed.c, "x", 2), 0);
  ASSERT_EQ_INT(gb.tensor->stride(bed.c, "x", 0), 4);
  ASSERT_EQ_INT(gb.tensor->stride(bed.c, "x", 8), 0);
  bed_close(&bed);
}

static void unknown_names_are_misuse(void) {
  struct outcome outcome;
  double value;
  bed_open(&bed);
  for (int i = 0; i < 6; i++) {
    call_begin(bed.c, PHASE_REFERENCE, OWNER_BENCH);
    ASSERT_TRUE(i != 5 || gb.tensor->role(bed.c, "q") == 0);
    ASSERT_TRUE(i != 0 || gb.tensor->data(bed.c, "q") == NULL);
    ASSERT_TRUE(i != 1 || gb.tensor->dim(bed.c, "q", 0) == 0);
    ASSERT_TRUE(i != 2 || gb.tensor->rank(bed.c, "q") == 0);
    ASSERT_TRUE(i != 3 || gb.tensor->input(bed.c, "q", 0, 1, &value) == GB_EINVAL);
    ASSERT_TRUE(i != 4 || gb.tensor->expect(bed.c, "q", 0, 1, &value) == GB_EINVAL);
    call_end(bed.c, GB_OK, &outcome);
    ASSERT_EQ_STR(outcome.message, "gpubench.org/test/1 has no tensor 'q'");
  }
  bed_close(&bed);
}

/* ---- Memory ---- */

static uint32_t kinds; /* bits of the kinds of memory that were requested */

static void *alloc_noted(struct device *device, enum memory_kind kind, size_t bytes) {
  kinds |= 1U << kind;
  return device_cpu_ops.alloc(device, kind, bytes);
}

/* A tensor lies in the requested kind of memory, and so do its buffers, such as the copy from which an input is
 * restored. Only the buffers of a tensor in pinned memory are on the device, because a copy between two places in host
 * memory would not wait for a stream. */
static void tensors_lie_where_they_are_asked_for(void) {
  for (uint32_t memory = 0; memory <= GB_MEM_PINNED; memory++)
    for (uint32_t role = GB_IN; role <= GB_SCRATCH; role++) {
      bed_open(&bed);
      struct device_ops ops = *bed.device->ops;
      ops.alloc = alloc_noted;
      bed.device->ops = &ops;
      gb_tensor t = vector("x", role);
      t.memory = memory;
      kinds = 0;
      ASSERT_EQ_STR(bed_declare(&bed, t), "");
      bed_fill(&bed, 1);
      const bool beside = memory == GB_MEM_PINNED && (role == GB_IN || role == GB_INOUT);
      ASSERT_EQ_INT(kinds, (1U << (memory == 0 ? MEMORY_DEVICE : memory)) | (beside ? 1U << MEMORY_DEVICE : 0));
      ASSERT_TRUE((tensors_pageable(bed.c) != NULL) == (memory == GB_MEM_HOST));
      bed_close(&bed);
    }
}

static void addresses_are_as_asked(void) {
  gb_tensor t;
  bed_open(&bed);
  ASSERT_EQ_STR(bed_declare(&bed, vector("plain", GB_IN)), "");
  t = vector("page", GB_IN), t.align_bytes = 4096;
  ASSERT_EQ_STR(bed_declare(&bed, t), "");
  t = vector("odd", GB_OUT), t.align_bytes = 64, t.offset_bytes = 4;
  ASSERT_EQ_STR(bed_declare(&bed, t), "");
  bed_fill(&bed, 1);
  ASSERT_EQ_INT((uintptr_t)gb.tensor->data(bed.c, "plain") % 256, 0);
  ASSERT_EQ_INT((uintptr_t)gb.tensor->data(bed.c, "page") % 4096, 0);
  ASSERT_EQ_INT((uintptr_t)gb.tensor->data(bed.c, "odd") % 64, 4);
  bed_close(&bed);
}

static void bytes_count_storage_and_snapshots(void) {
  gb_tensor t = vector("x", GB_INOUT);
  bed_open(&bed);
  t.rank = 2, t.shape = LIST(2, 3), t.strides = LIST(10, 2); /* storage from 0 to 14 */
  ASSERT_EQ_STR(bed_declare(&bed, vector("y", GB_OUT)), "");
  ASSERT_EQ_INT(tensors_bytes(bed.c), 32);
  ASSERT_TRUE(!tensors_need_restore(bed.c));
  ASSERT_EQ_STR(bed_declare(&bed, t), "");
  ASSERT_EQ_INT(tensors_bytes(bed.c), 32 + 2 * 15 * 4);
  ASSERT_TRUE(tensors_need_restore(bed.c));
  bed_close(&bed);
}

static void too_large_is_said(void) {
  gb_tensor t = vector("x", GB_OUT);
  const int64_t much = INT64_C(1) << 47;
  bed_open(&bed);
  t.shape = &much;
  ASSERT_EQ_STR(bed_declare(&bed, t), "");
  bed.c->said.text[0] = '\0';
  ASSERT_TRUE(!tensors_allocate(bed.c));
  ASSERT_HAS(bed.c->said.text, "needs 563 TB, ");
  bed_close(&bed);
}

/* Each tensor would fit alone, but all together do not. */
static void all_tensors_count_together(void) {
  static const uint32_t roles[] = {GB_IN, GB_INOUT, GB_OUT, GB_SCRATCH};
  char needs[64], name[2] = "a";
  for (int limited = 0; limited < 2; limited++) {
    bed_open(&bed);
    const int64_t free_bytes = bed.c->device->ops->memory_free(bed.c->device), each = free_bytes / 4 / 4 + (1 << 20);
    for (size_t i = 0; i < 4; i++) {
      gb_tensor t = vector(name, roles[i]);
      name[0] = (char)('a' + i);
      t.name = name;
      t.shape = &each;
      ASSERT_EQ_STR(bed_declare(&bed, t), "");
    }
    bed.c->memory_limit = limited ? (uint64_t)free_bytes / 2 : 0;
    bed.c->said.text[0] = '\0';
    ASSERT_TRUE(!tensors_allocate(bed.c));
    text_bytes(needs, sizeof needs, 5 * 4 * (double)each); /* the inout tensor has a copy for restoring it */
    if (strncmp(bed.c->said.text, "needs ", 6) != 0 || strtod(bed.c->said.text + 6, NULL) < strtod(needs, NULL) * 0.99)
      UNIT_FAIL("%s, expected %s", bed.c->said.text, needs);
    ASSERT_HAS(bed.c->said.text, limited ? "--memory-limit allows" : " free");
    ASSERT_EQ_INT(case_owned_bytes(bed.c, OWNER_BENCH), 0); /* nothing was allocated */
    bed_close(&bed);
  }
}

/* ---- Contents ---- */

struct layout {
  uint32_t rank;
  int64_t shape[3], strides[3];
  bool own_strides;
};

static const struct layout layouts[] = {
    {1, {24}, {0}, false},
    {3, {2, 3, 4}, {0}, false},
    {2, {4, 6}, {1, 4}, true},          /* transposed */
    {3, {2, 3, 4}, {40, 9, 2}, true},   /* with gaps */
    {3, {2, 1, 12}, {12, 777, 1}, true} /* the stride of a dimension with one element does not matter */
};

static uint64_t storage_of(const struct tensor *t, uint64_t logical) {
  uint64_t at = 0;
  for (uint32_t i = t->rank; i-- > 0;) {
    at += logical % (uint64_t)t->shape[i] * (uint64_t)t->strides[i];
    logical /= (uint64_t)t->shape[i];
  }
  return at;
}

/* Values computed by `input` equal those in memory, also from the middle of a tensor. */
static void reads_what_was_filled(const struct layout *layout, uint32_t dtype, uint32_t kind) {
  double values[24], later[5];
  struct err err = {0};
  gb_tensor t = vector("x", dtype % 2 ? GB_IN : GB_INOUT);
  t.dtype = dtype, t.rank = layout->rank, t.shape = layout->shape, t.fill = kind, t.fill_a = 3, t.fill_b = 90;
  t.strides = layout->own_strides ? layout->strides : NULL;
  bed_open(&bed);
  ASSERT_EQ_STR(bed_declare(&bed, t), "");
  bed_fill(&bed, 5);
  const struct tensor *x = tensor_find(bed.c, "x");
  call_begin(bed.c, PHASE_REFERENCE, OWNER_BENCH);
  ASSERT_EQ_INT(gb.tensor->input(bed.c, "x", 0, 24, values), GB_OK);
  ASSERT_EQ_INT(gb.tensor->input(bed.c, "x", 19, 5, later), GB_OK);
  unsigned distinct = 0;
  for (uint64_t i = 0; i < 24; i++) {
    double stored = dtype_load(dtype, x->data, storage_of(x, i));
    if (memcmp(&values[i], &stored, sizeof stored) != 0 || (i >= 19 && later[i - 19] < stored) ||
        tensor_storage_index(x, i) != storage_of(x, i))
      UNIT_FAIL("dtype %u, element %llu: read %g, stored %g", dtype, (unsigned long long)i, values[i], stored);
    distinct += i > 0 && values[i] < values[i - 1];
  }
  ASSERT_TRUE(distinct > 0);
  double downloaded[24];
  ASSERT_EQ_INT(tensor_download(bed.c, x, 0, 1, 24, downloaded, &err), 0);
  ASSERT_TRUE(memcmp(downloaded, values, sizeof values) == 0);
  ASSERT_EQ_INT(tensor_download(bed.c, x, 7, 1, 3, downloaded, &err), 0);
  ASSERT_TRUE(memcmp(downloaded, values + 7, 3 * sizeof *values) == 0);
  double apart[3];
  ASSERT_EQ_INT(gb.tensor->input_strided(bed.c, "x", 2, 9, 3, apart), GB_OK);
  ASSERT_EQ_INT(tensor_download(bed.c, x, 2, 9, 3, downloaded, &err), 0);
  for (int i = 0; i < 3; i++)
    ASSERT_TRUE(memcmp(&apart[i], &values[2 + 9 * i], sizeof apart[i]) == 0);
  ASSERT_TRUE(memcmp(downloaded, apart, sizeof apart) == 0);
  bed_close(&bed);
}

static void read_gives_the_fill(void) {
  for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++)
    for (uint32_t dtype = GB_DTYPE_F64; dtype <= GB_DTYPE_U8; dtype++)
      reads_what_was_filled(&layouts[i], dtype, i % 2 ? GB_FILL_NORMAL : GB_FILL_UNIFORM);
}

static void seeds_and_tensors_differ(void) {
  double a[8], b[8], again[8], other[8];
  struct err err = {0};
  bed_open(&bed);
  ASSERT_EQ_STR(bed_declare(&bed, vector("a", GB_IN)), "");
  ASSERT_EQ_STR(bed_declare(&bed, vector("b", GB_IN)), "");
  bed_fill(&bed, 1);
  call_begin(bed.c, PHASE_REFERENCE, OWNER_BENCH);
  ASSERT_EQ_INT(gb.point->seed(bed.c), 1);
  gb.tensor->input(bed.c, "a", 0, 8, a);
  gb.tensor->input(bed.c, "b", 0, 8, b);
  ASSERT_EQ_INT(tensors_fill(bed.c, 2, &err), 0);
  ASSERT_EQ_INT(gb.point->seed(bed.c), 2);
  gb.tensor->input(bed.c, "a", 0, 8, other);
  ASSERT_EQ_INT(tensors_fill(bed.c, 1, &err), 0);
  gb.tensor->input(bed.c, "a", 0, 8, again);
  ASSERT_TRUE(memcmp(a, b, sizeof a) != 0 && memcmp(a, other, sizeof a) != 0);
  ASSERT_TRUE(memcmp(a, again, sizeof a) == 0);
  bed_close(&bed);
}

/* For a tensor that is updated in place, `input` returns the values that it was filled with, `output` the current
 * ones. */
static void outputs_are_read_from_memory(void) {
  double values[8], filled[8];
  bed_open(&bed);
  ASSERT_EQ_STR(bed_declare(&bed, vector("y", GB_OUT)), "");
  ASSERT_EQ_STR(bed_declare(&bed, vector("z", GB_INOUT)), "");
  bed_fill(&bed, 1);
  float *y = gb.tensor->data(bed.c, "y"), *z = gb.tensor->data(bed.c, "z");
  call_begin(bed.c, PHASE_VERIFY, 0);
  ASSERT_EQ_INT(gb.tensor->output(bed.c, "z", 0, 8, filled), GB_OK);
  for (int i = 0; i < 8; i++) {
    y[i] = (float)i / 4;
    z[i] += 1;
  }
  ASSERT_EQ_INT(gb.tensor->output(bed.c, "y", 2, 3, values), GB_OK);
  ASSERT_NEAR(values[0], 0.5, 0);
  ASSERT_NEAR(values[2], 1, 0);
  ASSERT_EQ_INT(gb.tensor->output_strided(bed.c, "y", 1, 3, 3, values), GB_OK);
  ASSERT_EQ_INT(gb.tensor->output_strided(bed.c, "y", 1, UINT64_C(1) << 62, 1, values + 3),
                GB_OK); /* a single element, so the stride does not matter */
  ASSERT_NEAR(values[0], 0.25, 0);
  ASSERT_NEAR(values[2], 1.75, 0);
  ASSERT_EQ_INT(gb.tensor->input(bed.c, "z", 0, 8, values), GB_OK);
  ASSERT_TRUE(memcmp(values, filled, sizeof filled) == 0);
  ASSERT_EQ_INT(gb.tensor->output(bed.c, "z", 0, 8, values), GB_OK);
  for (int i = 0; i < 8; i++)
    ASSERT_NEAR(values[i], filled[i] + 1, 1e-6);
  bed_close(&bed);
}

/* Reads columns that take several transfers: one has more elements than fit into a transfer, in the other the elements
 * are farther apart than a transfer is long. */
static void columns_are_read_in_one_call(void) {
  enum { ROWS = 5, COLUMNS = 40000 };
  static const int64_t shape[] = {ROWS, COLUMNS}, tall[] = {COLUMNS, ROWS};
  static double values[COLUMNS];
  bed_open(&bed);
  gb_tensor wide = vector("wide", GB_OUT), high = vector("high", GB_OUT);
  wide.rank = high.rank = 2, wide.shape = shape, high.shape = tall;
  wide.dtype = GB_DTYPE_F64;
  ASSERT_EQ_STR(bed_declare(&bed, wide), "");
  ASSERT_EQ_STR(bed_declare(&bed, high), "");
  bed_fill(&bed, 1);
  double *w = gb.tensor->data(bed.c, "wide");
  float *h = gb.tensor->data(bed.c, "high");
  for (int i = 0; i < ROWS * COLUMNS; i++) {
    w[i] = i;
    h[i] = (float)i;
  }
  call_begin(bed.c, PHASE_VERIFY, 0);
  ASSERT_EQ_INT(gb.tensor->output_strided(bed.c, "wide", 7, COLUMNS, ROWS, values), GB_OK);
  for (int i = 0; i < ROWS; i++)
    ASSERT_NEAR(values[i], 7 + i * COLUMNS, 0);
  ASSERT_EQ_INT(gb.tensor->output_strided(bed.c, "high", 3, ROWS, COLUMNS, values), GB_OK);
  for (int i = 0; i < COLUMNS; i++)
    ASSERT_NEAR(values[i], 3 + i * ROWS, 0);
  bed_close(&bed);
}

/* Lists which values each callback may read. */
static void values_have_their_callbacks(void) {
  double value = 0;
  struct outcome outcome;
  const struct {
    enum phase phase;
    bool output;
    const char *tensor, *message;
  } rows[] = {{PHASE_REFERENCE, true, "y", "gb.tensor/1 output is for verify, not reference"},
              {PHASE_PREPARE, true, "z", "gb.tensor/1 output is for verify, not prepare"},
              {PHASE_VERIFY, true, "x", "gb.tensor/1 output: tensor 'x' is no output"},
              {PHASE_VERIFY, true, "s", "gb.tensor/1 output: tensor 's' is no output"},
              {PHASE_VERIFY, false, "y", "gb.tensor/1 input: tensor 'y' is no input"},
              {PHASE_REFERENCE, false, "s", "gb.tensor/1 input: tensor 's' is no input"},
              {PHASE_RUN, false, "x", "gb.tensor/1 input is not for run"},
              {PHASE_AFTER, false, "x", "gb.tensor/1 input is not for after"},
              {PHASE_PREPARE, false, "x", ""},
              {PHASE_VERIFY, false, "z", ""}};
  bed_open(&bed);
  ASSERT_EQ_STR(bed_declare(&bed, vector("x", GB_IN)), "");
  ASSERT_EQ_STR(bed_declare(&bed, vector("y", GB_OUT)), "");
  ASSERT_EQ_STR(bed_declare(&bed, vector("z", GB_INOUT)), "");
  ASSERT_EQ_STR(bed_declare(&bed, vector("s", GB_SCRATCH)), "");
  bed_fill(&bed, 1);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    call_begin(bed.c, rows[i].phase, OWNER_BENCH);
    const gb_status status =
        (rows[i].output ? gb.tensor->output : gb.tensor->input)(bed.c, rows[i].tensor, 0, 1, &value);
    ASSERT_EQ_INT(status, rows[i].message[0] == '\0' ? GB_OK : GB_EINVAL);
    call_end(bed.c, GB_OK, &outcome);
    ASSERT_EQ_STR(outcome.message, rows[i].message);
  }
  bed_close(&bed);
}

static void ranges_are_checked(void) {
  static const struct {
    uint64_t first, count;
    const char *message;
  } rows[] = {{8, 0, ""},
              {0, 9, "tensor 'x' has 8 elements, asked for 9 from 0"},
              {9, 0, "tensor 'x' has 8 elements, asked for 0 from 9"},
              {7, UINT64_MAX, "tensor 'x' has 8 elements, asked for 18446744073709551615 from 7"}};
  double values[16];
  struct outcome outcome;
  bed_open(&bed);
  ASSERT_EQ_STR(bed_declare(&bed, vector("x", GB_IN)), "");
  bed_fill(&bed, 1);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    bool good = rows[i].message[0] == '\0';
    call_begin(bed.c, PHASE_REFERENCE, OWNER_BENCH);
    ASSERT_EQ_INT(gb.tensor->input(bed.c, "x", rows[i].first, rows[i].count, values), good ? GB_OK : GB_EINVAL);
    call_end(bed.c, GB_OK, &outcome);
    ASSERT_EQ_STR(outcome.message, rows[i].message);
  }
  call_begin(bed.c, PHASE_REFERENCE, OWNER_BENCH);
  ASSERT_EQ_INT(gb.tensor->input_strided(bed.c, "x", 1, 4, 2, values), GB_OK);
  ASSERT_EQ_INT(gb.tensor->input_strided(bed.c, "x", 0, 4, 3, values), GB_EINVAL);
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_STR(outcome.message, "tensor 'x' has 8 elements, asked for 3 from 0, 4 apart");
  call_begin(bed.c, PHASE_REFERENCE, OWNER_BENCH);
  ASSERT_EQ_INT(gb.tensor->input_strided(bed.c, "x", 0, 0, 1, values), GB_EINVAL);
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_STR(outcome.message, "tensor 'x' has 8 elements, asked for 1 from 0, 0 apart");
  bed_close(&bed);
}

/* Before memory is allocated, reading must neither crash nor return values that no seed produced. */
static void nothing_is_read_in_setup(void) {
  double value = 0;
  struct outcome outcome;
  for (uint32_t role = GB_IN; role <= GB_INOUT; role += GB_INOUT - GB_IN) {
    bed_open(&bed);
    ASSERT_EQ_STR(bed_declare(&bed, vector("x", role)), "");
    call_begin(bed.c, PHASE_SETUP, OWNER_BENCH);
    ASSERT_TRUE(gb.tensor->input(bed.c, "x", 0, 1, &value) != GB_OK);
    call_end(bed.c, GB_OK, &outcome);
    ASSERT_EQ_STR(outcome.message, "tensor 'x' has no contents in setup");
    bed_close(&bed);
  }
}

/* ---- Poisoning, restoring, repairing ---- */

static bool is_all(const void *memory, size_t bytes, int value) {
  const unsigned char *at = memory;
  for (size_t i = 0; i < bytes; i++)
    if (at[i] != value) return false;
  return true;
}

static void poison_is_for_outputs(void) {
  struct err err = {0};
  char before[32];
  bed_open(&bed);
  ASSERT_EQ_STR(bed_declare(&bed, vector("x", GB_IN)), "");
  ASSERT_EQ_STR(bed_declare(&bed, vector("s", GB_SCRATCH)), "");
  ASSERT_EQ_STR(bed_declare(&bed, vector("y", GB_OUT)), "");
  ASSERT_EQ_STR(bed_declare(&bed, vector("z", GB_INOUT)), "");
  bed_fill(&bed, 1);
  memcpy(before, gb.tensor->data(bed.c, "z"), 32);
  memset(gb.tensor->data(bed.c, "y"), 0, 32);
  memset(gb.tensor->data(bed.c, "s"), 0, 32);
  ASSERT_EQ_INT(tensors_poison(bed.c, &err), 0);
  ASSERT_TRUE(is_all(gb.tensor->data(bed.c, "y"), 32, 0xFF) && is_all(gb.tensor->data(bed.c, "s"), 32, 0xFF));
  ASSERT_TRUE(!is_all(gb.tensor->data(bed.c, "x"), 32, 0xFF));
  ASSERT_TRUE(memcmp(before, gb.tensor->data(bed.c, "z"), 32) == 0);
  bed_close(&bed);
}

static void inout_is_restored(void) {
  struct err err = {0};
  char filled[32];
  bed_open(&bed);
  ASSERT_EQ_STR(bed_declare(&bed, vector("x", GB_IN)), "");
  ASSERT_EQ_STR(bed_declare(&bed, vector("z", GB_INOUT)), "");
  bed_fill(&bed, 1);
  void *x = gb.tensor->data(bed.c, "x"), *z = gb.tensor->data(bed.c, "z");
  memcpy(filled, z, 32);
  memset(z, 0, 32);
  memset(x, 0, 32);
  ASSERT_EQ_INT(tensors_restore(bed.c, &err), 0);
  ASSERT_TRUE(memcmp(z, filled, 32) == 0);
  ASSERT_TRUE(is_all(x, 32, 0)); /* a changed input is an error that must not be hidden */
  ASSERT_EQ_INT(tensors_fill(bed.c, 2, &err), 0);
  ASSERT_TRUE(memcmp(z, filled, 32) != 0);
  memcpy(filled, z, 32);
  memset(z, 0, 32);
  ASSERT_EQ_INT(tensors_restore(bed.c, &err), 0); /* restores the new fill */
  ASSERT_TRUE(memcmp(z, filled, 32) == 0);
  bed_close(&bed);
}

static void repair_undoes_damage(void) {
  struct err err = {0};
  uint64_t changed = 1;
  int64_t first = 0;
  char filled[32];
  bed_open(&bed);
  ASSERT_EQ_STR(bed_declare(&bed, vector("x", GB_IN)), "");
  bed_fill(&bed, 1);
  unsigned char *x = gb.tensor->data(bed.c, "x");
  memcpy(filled, x, 32);
  memset(x - 16, 0, 64);
  const struct tensor *t = tensor_find(bed.c, "x");
  ASSERT_EQ_INT(tensor_guards(bed.c, t, &changed, &first, &err), 0);
  ASSERT_EQ_INT(changed, 32);
  ASSERT_EQ_INT(first, -16);
  ASSERT_EQ_INT(tensors_repair(bed.c, &err), 0);
  ASSERT_TRUE(memcmp(filled, x, 32) == 0);
  ASSERT_EQ_INT(tensor_guards(bed.c, t, &changed, &first, &err), 0);
  ASSERT_EQ_INT(changed, 0);
  bed_close(&bed);
}

/* ---- Expectations ---- */

static gb_status expect(const char *name, uint64_t first, uint64_t count, const double *values, const char *message) {
  struct outcome outcome;
  call_begin(bed.c, PHASE_REFERENCE, OWNER_BENCH);
  gb_status status = gb.tensor->expect(bed.c, name, first, count, values);
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_STR(outcome.message, message);
  return status;
}

static void expectations_join(void) {
  double values[] = {0, 1, 2, 3, 4, 5, 6, 7};
  struct err err = {0};
  bed_open(&bed);
  ASSERT_EQ_STR(bed_declare(&bed, vector("y", GB_OUT)), "");
  bed_fill(&bed, 1);
  const struct tensor *y = tensor_find(bed.c, "y");
  ASSERT_EQ_INT(expect("y", 0, 2, values, ""), GB_OK);
  ASSERT_EQ_INT(expect("y", 2, 1, values + 2, ""), GB_OK); /* adjacent */
  ASSERT_EQ_INT(expect("y", 0, 0, NULL, ""), GB_OK);       /* empty */
  ASSERT_EQ_INT(expect("y", 5, 3, values + 5, ""), GB_OK); /* after a gap */
  ASSERT_EQ_INT(expect("y", 3, 1, values + 3, ""), GB_OK); /* before the last span */
  values[1] = 99;                                          /* the values were copied */
  ASSERT_EQ_INT(y->span_count, 3);
  ASSERT_EQ_INT(y->spans[0].count, 3);
  ASSERT_NEAR(y->spans[0].values[1], 1, 0);
  ASSERT_NEAR(y->spans[0].values[2], 2, 0);
  ASSERT_EQ_INT(y->spans[1].first, 5);
  ASSERT_EQ_INT(y->spans[1].count, 3);
  ASSERT_NEAR(y->spans[1].values[2], 7, 0);
  ASSERT_EQ_INT(y->spans[2].first, 3);
  ASSERT_EQ_INT(tensors_fill(bed.c, 2, &err), 0);
  ASSERT_EQ_INT(y->span_count, 0); /* new inputs drop the expected values, which were stated for the former inputs */
  bed_close(&bed);
}

static void expectations_have_their_place(void) {
  static const double value = 1;
  struct outcome outcome;
  bed_open(&bed);
  ASSERT_EQ_STR(bed_declare(&bed, vector("x", GB_IN)), "");
  ASSERT_EQ_STR(bed_declare(&bed, vector("y", GB_OUT)), "");
  bed_fill(&bed, 1);
  ASSERT_EQ_INT(expect("y", 8, 1, &value, "tensor 'y' has 8 elements, asked for 1 from 8"), GB_EINVAL);
  ASSERT_EQ_INT(
      expect("x", 0, 1, &value, "gb.tensor/1 expect is for outputs and in reference: tensor 'x', in reference"),
      GB_EINVAL);
  call_begin(bed.c, PHASE_VERIFY, 0);
  ASSERT_EQ_INT(gb.tensor->expect(bed.c, "y", 0, 1, &value), GB_EINVAL);
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_STR(outcome.message, "gb.tensor/1 expect is for outputs and in reference: tensor 'y', in verify");
  bed_close(&bed);
}

UNIT_MAIN("tensors", UNIT_TEST(skips_what_is_newer), UNIT_TEST(refuses_fields), UNIT_TEST(fills_are_finite),
          UNIT_TEST(fills_have_values), UNIT_TEST(refuses_shapes), UNIT_TEST(refuses_strides),
          UNIT_TEST(names_once_and_at_most_256), UNIT_TEST(only_in_setup), UNIT_TEST(declarations_are_copied),
          UNIT_TEST(unknown_names_are_misuse), UNIT_TEST(tensors_lie_where_they_are_asked_for),
          UNIT_TEST(addresses_are_as_asked), UNIT_TEST(bytes_count_storage_and_snapshots), UNIT_TEST(too_large_is_said),
          UNIT_TEST(all_tensors_count_together), UNIT_TEST(read_gives_the_fill), UNIT_TEST(seeds_and_tensors_differ),
          UNIT_TEST(outputs_are_read_from_memory), UNIT_TEST(columns_are_read_in_one_call),
          UNIT_TEST(values_have_their_callbacks), UNIT_TEST(ranges_are_checked), UNIT_TEST(nothing_is_read_in_setup),
          UNIT_TEST(poison_is_for_outputs), UNIT_TEST(inout_is_restored), UNIT_TEST(repair_undoes_damage),
          UNIT_TEST(expectations_join), UNIT_TEST(expectations_have_their_place))

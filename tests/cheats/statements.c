/* Benches that tell the host too little or something false about their outputs or their work, and cheating variants
 * that exploit it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problem.h"

/* What a bench declares about its output y. A member that is 0 or NULL stands for the honest declaration. */
struct statement {
  const char *name, *contract;
  uint32_t role, dtype;
  uint64_t reduction, flops, bytes; /* flops and bytes: declared work per element */
  uint64_t stated;                  /* the reference gives the expected value of one of this many elements; 0: of all */
  gb_status (*reference)(const gb_bench *self, gb_case *c, void *state);
  gb_status (*verify)(const gb_bench *self, gb_case *c, void *state);
  const struct trick *tricks;
};

static gb_status setup(const gb_bench *self, gb_case *c, void **state) {
  const struct statement *s = self->user;
  const int64_t n = size(c);
  (void)state;
  gb_tensor t = {GB_SIZE(gb_tensor), .role = GB_IN,           .dtype = GB_DTYPE_F32, .rank = 1,  .name = "x",
                 .shape = &n,        .fill = GB_FILL_UNIFORM, .fill_a = 1,           .fill_b = 2};
  gb_status status = gb.tensor->declare(c, &t);
  t.name = "y";
  t.role = s->role != 0 ? s->role : GB_OUT;
  t.dtype = s->dtype != 0 ? s->dtype : GB_DTYPE_F32;
  t.reduction = s->reduction != 0 ? s->reduction : STEPS;
  if (status == GB_OK) status = gb.tensor->declare(c, &t);
  if (status != GB_OK || s->flops + s->bytes == 0) return status;
  return gb.point->work(c, &(gb_work){GB_SIZE(gb_work), .flops = s->flops * (uint64_t)n,
                                      .bytes_read = s->bytes * (uint64_t)n, .bytes_written = 4 * (uint64_t)n});
}

static double whole(double value) {
  return floor(value * 1e6);
}

/* Gives the expected value of every `stated`th element: f(x), rounded if y has integers, or y + f(x) if y is updated in
 * place. */
static gb_status state_values(const gb_bench *self, gb_case *c, void *state) {
  const struct statement *s = self->user;
  const uint64_t n = (uint64_t)size(c), step = s->stated != 0 ? s->stated : 1;
  double *x = calloc(2 * n, sizeof *x);
  (void)state;
  if (x == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no memory");
  double *y = x + n;
  gb_status status = gb.tensor->input(c, "x", 0, n, x);
  if (status == GB_OK && s->role == GB_INOUT) status = gb.tensor->input(c, "y", 0, n, y);
  for (uint64_t i = 0; i < n; i++)
    x[i] = s->dtype == GB_DTYPE_I32 ? whole((double)f((float)x[i])) : (double)f((float)x[i]) + y[i];
  if (step == 1 && status == GB_OK) status = gb.tensor->expect(c, "y", 0, n, x);
  for (uint64_t i = 0; step > 1 && i < n && status == GB_OK; i += step)
    status = gb.tensor->expect(c, "y", i, 1, x + i);
  free(x);
  return status;
}

static void zeros(gb_case *c, struct memory *m) {
  (void)m;
  memset(output(c), 0, (size_t)size(c) * sizeof(float));
}

static void right(gb_case *c, struct memory *m) {
  (void)m;
  compute(c, 0, size(c));
}

/* ---- A tolerance that accepts anything ---- */

static void roughly(gb_case *c, struct memory *m) {
  (void)m;
  for (int64_t i = 0; i < size(c); i++)
    output(c)[i] = 1.4F + 0.05F * input(c)[i];
}

static const struct trick tolerance_tricks[] = {{.name = "honest", .act = right},
                                                {.name = "roughly", .act = roughly},
                                                {.name = "also-honest", .act = right},
                                                {.name = NULL}};

/* ---- Almost nothing is stated ---- */

static void one_element(gb_case *c, struct memory *m) {
  zeros(c, m);
  compute(c, 0, 1);
}

static const struct trick one_tricks[] = {
    {.name = "honest", .act = right}, {.name = "one-element", .act = one_element}, {.name = NULL}};

static void write_integers(gb_case *c, int64_t step) {
  int32_t *y = gb.tensor->data(c, "y");
  for (int64_t i = 0; i < size(c); i += step)
    y[i] = (int32_t)whole((double)f(input(c)[i]));
}

static void integers(gb_case *c, struct memory *m) {
  (void)m;
  write_integers(c, 1);
}

static void sixteenth(gb_case *c, struct memory *m) {
  (void)m;
  write_integers(c, 16);
}

static const struct trick integer_tricks[] = {{.name = "honest", .act = integers},
                                              {.name = "sixteenth", .act = sixteenth},
                                              {.name = "also-honest", .act = integers},
                                              {.name = NULL}};

/* ---- A reference that reads the answer ---- */

static gb_status peek(const gb_bench *self, gb_case *c, void *state) {
  const uint64_t n = (uint64_t)size(c);
  double *y = calloc(n, sizeof *y);
  (void)self;
  (void)state;
  if (y == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no memory");
  gb_status status = gb.tensor->output(c, "y", 0, n, y);
  if (status == GB_OK) status = gb.tensor->expect(c, "y", 0, n, y);
  free(y);
  return status;
}

static const struct trick peek_tricks[] = {
    {.name = "honest", .act = right}, {.name = "zeros", .act = zeros}, {.name = NULL}};

/* ---- A reference that copies the expected values from the outputs, through a pointer to them ---- */

static gb_status peek_aside(const gb_bench *self, gb_case *c, void *state) {
  const uint64_t n = (uint64_t)size(c);
  double *y = calloc(n, sizeof *y);
  (void)self;
  (void)state;
  if (y == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no memory");
  for (uint64_t i = 0; i < n; i++)
    y[i] = (double)output(c)[i];
  gb_status status = gb.tensor->expect(c, "y", 0, n, y);
  free(y);
  return status;
}

/* ---- A bench that warns its variants ---- */

static bool warned;

static gb_status warn(const gb_bench *self, gb_case *c, void *state) {
  warned = true;
  return state_values(self, c, state);
}

/* Computes in its first four calls, and in the four calls after the reference has run, because the outputs of one of
 * these will be verified. Otherwise writes zeros. */
static void unless_warned(gb_case *c, struct memory *m) {
  if (m->calls == 0 || warned) m->known = 0;
  warned = false;
  m->known++ < 4 ? right(c, m) : zeros(c, m);
}

static const struct trick warned_tricks[] = {{.name = "honest", .act = right},
                                             {.name = "unless-warned", .act = unless_warned},
                                             {.name = "also-honest", .act = right},
                                             {.name = NULL}};

static gb_status accept(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)c;
  (void)state;
  return GB_OK;
}

static gb_status states_nan(const gb_bench *self, gb_case *c, void *state) {
  const double nan = NAN;
  gb_status status = GB_OK;
  (void)self;
  (void)state;
  for (int64_t i = 0; i < size(c) && status == GB_OK; i++)
    status = gb.tensor->expect(c, "y", (uint64_t)i, 1, &nan);
  return status;
}

static void nans(gb_case *c, struct memory *m) {
  (void)m;
  for (int64_t i = 0; i < size(c); i++)
    output(c)[i] = NAN;
}

static const struct trick nan_tricks[] = {
    {.name = "honest", .act = right}, {.name = "nans", .act = nans}, {.name = NULL}};

/* ---- Outputs that are inputs ---- */

static void add(gb_case *c, int times) {
  for (int64_t i = 0; i < size(c); i++)
    output(c)[i] += (float)times * f(input(c)[i]);
}

static void update(gb_case *c, struct memory *m) {
  (void)m;
  add(c, 1);
}

static void update_never(gb_case *c, struct memory *m) {
  (void)c;
  (void)m;
}

static void update_twice(gb_case *c, struct memory *m) {
  (void)m;
  add(c, 2);
}

static void never_later(gb_case *c, struct memory *m) {
  if (m->streak < 3) add(c, 1);
}

static void twice_later(gb_case *c, struct memory *m) {
  add(c, m->streak < 3 ? 1 : 2);
}

static void remembered(gb_case *c, struct memory *m) {
  const size_t bytes = (size_t)size(c) * sizeof(float);
  if (known(c, m) == 0) {
    add(c, 1);
    memcpy(m->kept, output(c), bytes);
  } else {
    memcpy(output(c), m->kept, bytes);
  }
}

static const struct trick inout_tricks[] = {
    {.name = "honest", .act = update},           {.name = "never", .act = update_never},
    {.name = "twice", .act = update_twice},      {.name = "never-later", .act = never_later},
    {.name = "twice-later", .act = twice_later}, {.name = "remembered", .act = remembered},
    {.name = "also-honest", .act = update},      {.name = NULL}};

#define CONTRACT(name) "gpubench.org/test/cheats/" name "/1"
static const struct statement statements[] = {
    {"tolerance", CONTRACT("tolerance"), .reduction = UINT64_C(1) << 63, .tricks = tolerance_tricks},
    {"one-stated", CONTRACT("one-stated"), .stated = 1 << 20, .tricks = one_tricks},
    {"integers", CONTRACT("integers"), .dtype = GB_DTYPE_I32, .stated = 16, .tricks = integer_tricks},
    {"peeks", CONTRACT("peeks"), .reference = peek, .tricks = peek_tricks},
    {"peeks-aside", CONTRACT("peeks-aside"), .reference = peek_aside, .tricks = peek_tricks},
    {"warns", CONTRACT("warns"), .reference = warn, .tricks = warned_tricks},
    {"accepts", CONTRACT("accepts"), .verify = accept, .tricks = peek_tricks},
    {"states-nan", CONTRACT("states-nan"), .reference = states_nan, .tricks = nan_tricks},
    {"inout", CONTRACT("inout"), .role = GB_INOUT, .tricks = inout_tricks},
    {"flops", CONTRACT("flops"), .flops = 1000000, .tricks = peek_tricks},
    {"bytes", CONTRACT("bytes"), .bytes = 1000000, .tricks = peek_tricks},
};
enum { COUNT = sizeof statements / sizeof statements[0] };

gb_status statements_add(const gb_host *host, gb_registry *registry) {
  static gb_bench benches[COUNT];
  gb_status status = GB_OK;
  for (int i = 0; i < COUNT && status == GB_OK; i++) {
    const struct statement *s = &statements[i];
    gb_status (*reference)(const gb_bench *, gb_case *, void *) = s->reference != NULL ? s->reference : state_values;
    benches[i] = (gb_bench){.name = s->name, .contract = s->contract, .setup = setup, .verify = s->verify};
    benches[i].reference = s->verify == NULL ? reference : NULL;
    benches[i].user = s;
    status = problem_add(host, registry, &benches[i], s->tricks);
  }
  return status;
}

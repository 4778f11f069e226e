/* Cheating variants that omit a part of the work, do it imprecisely, or write results to the wrong place. Some do so in
 * every call, others only in timed calls, that is from the fourth call after a pause on. */
#include <math.h>
#include <string.h>

#include "problem.h"

enum { LATER = 3, ROW = 512 };

static bool in_a_slot(const struct memory *m) {
  return m->streak >= LATER;
}

/* ---- Outputs ---- */

static void first_call_only(gb_case *c, struct memory *m) {
  if (m->calls == 0) honest(c, m);
}

/* Computes elements in pairs, and omits the last element if their number is odd. */
static void odd(gb_case *c, struct memory *m) {
  (void)m;
  compute(c, 0, size(c) / 2 * 2);
  finish(c);
}

static void a_part(gb_case *c, struct memory *m) {
  (void)m;
  compute(c, 0, size(c) - 7);
  finish(c);
}

/* Writes all outputs except the integer. Its right value consists of bytes 0xFF, with which the host marks unwritten
 * outputs, so that the omission might not be noticed. */
static void not_the_integer(gb_case *c, struct memory *m) {
  (void)m;
  compute(c, 0, size(c));
}

static void nan_everywhere(gb_case *c, struct memory *m) {
  (void)m;
  for (int64_t i = 0; i < size(c); i++)
    output(c)[i] = NAN;
  finish(c);
}

/* Writes bytes 0xFF. As a float this is a NaN, and it looks like an output that was never written. */
static void nan_of_poison(gb_case *c, struct memory *m) {
  (void)m;
  memset(output(c), 0xFF, (size_t)size(c) * sizeof(float));
  finish(c);
}

static void nan_somewhere(gb_case *c, struct memory *m) {
  honest(c, m);
  output(c)[size(c) / 2] = -NAN;
}

static void nothing_later(gb_case *c, struct memory *m) {
  if (!in_a_slot(m)) honest(c, m);
}

static void zeros_later(gb_case *c, struct memory *m) {
  if (!in_a_slot(m)) honest(c, m);
  if (in_a_slot(m)) memset(output(c), 0, (size_t)size(c) * sizeof(float));
  finish(c);
}

static void zeros_by_turns(gb_case *c, struct memory *m) {
  const bool skipped = in_a_slot(m) && m->calls % 4 == 0;
  if (!skipped) honest(c, m);
  if (skipped) memset(output(c), 0, (size_t)size(c) * sizeof(float));
  finish(c);
}

static void last_row_later(gb_case *c, struct memory *m) {
  compute(c, 0, size(c) - (in_a_slot(m) ? ROW : 0));
  finish(c);
}

static void last_element_later(gb_case *c, struct memory *m) {
  compute(c, 0, size(c) - (in_a_slot(m) ? 1 : 0));
  finish(c);
}

static void first_element_later(gb_case *c, struct memory *m) {
  compute(c, in_a_slot(m) ? 1 : 0, size(c));
  finish(c);
}

static void half_later(gb_case *c, struct memory *m) {
  compute(c, 0, in_a_slot(m) ? size(c) / 2 : size(c));
  finish(c);
}

static void integer_later(gb_case *c, struct memory *m) {
  compute(c, 0, size(c));
  if (!in_a_slot(m)) finish(c);
}

static void nan_later(gb_case *c, struct memory *m) {
  honest(c, m);
  if (in_a_slot(m)) output(c)[size(c) / 2] = NAN;
}

/* In timed calls, writes a linear approximation of f that is wrong by a few percent. */
static void roughly_later(gb_case *c, struct memory *m) {
  if (!in_a_slot(m)) honest(c, m);
  for (int64_t i = 0; in_a_slot(m) && i < size(c); i++)
    output(c)[i] = 1.4F + 0.05F * input(c)[i];
  finish(c);
}

static void shifted_later(gb_case *c, struct memory *m) {
  honest(c, m);
  if (in_a_slot(m)) memmove(output(c), output(c) + 1, (size_t)(size(c) - 1) * sizeof(float));
}

/* Returns the results of the call before this one. */
static void previous(gb_case *c, struct memory *m) {
  const size_t bytes = (size_t)size(c) * sizeof(float);
  honest(c, m);
  memcpy(m->later, output(c), bytes);
  memcpy(output(c), m->kept, bytes);
  memcpy(m->kept, m->later, bytes);
}

/* ---- Outside the outputs ---- */

static void beyond(gb_case *c, struct memory *m) {
  honest(c, m);
  output(c)[size(c)] = 0;
}

static void beyond_later(gb_case *c, struct memory *m) {
  honest(c, m);
  if (in_a_slot(m)) output(c)[size(c)] = 0;
}

static void in_front_later(gb_case *c, struct memory *m) {
  honest(c, m);
  if (in_a_slot(m)) output(c)[-1] = 0;
}

/* Writes to an element one row (ROW elements) behind the end of the output. */
static void far_beyond(gb_case *c, struct memory *m) {
  honest(c, m);
  output(c)[size(c) + ROW] = 0;
}

static void far_beyond_later(gb_case *c, struct memory *m) {
  honest(c, m);
  if (in_a_slot(m)) output(c)[size(c) + ROW] = 0;
}

static float *writable_input(gb_case *c) {
  return gb.tensor->data(c, "x");
}

static void input_at_once(gb_case *c, struct memory *m) {
  honest(c, m);
  writable_input(c)[3] = 1.5F;
}

static void input_later(gb_case *c, struct memory *m) {
  if (in_a_slot(m)) memset(writable_input(c), 0, (size_t)size(c) * sizeof(float));
  honest(c, m);
}

static void one_input_later(gb_case *c, struct memory *m) {
  honest(c, m);
  if (in_a_slot(m)) writable_input(c)[3] = 1.5F;
}

static void beside_the_input_later(gb_case *c, struct memory *m) {
  honest(c, m);
  if (in_a_slot(m)) writable_input(c)[size(c)] = 1.5F;
}

/* ---- Services at the wrong time ---- */

static void allocates(gb_case *c, struct memory *m) {
  honest(c, m);
  (void)gb.mem->alloc(c, GB_MEM_HOST, 64);
}

static void allocates_later(gb_case *c, struct memory *m) {
  honest(c, m);
  if (in_a_slot(m)) (void)gb.mem->alloc(c, GB_MEM_HOST, 64);
}

/* Writes zeros, and tells the host that zeros are the expected values, which only the reference of a bench may do. */
static void expects(gb_case *c, struct memory *m) {
  const double zero = 0;
  (void)m;
  memset(output(c), 0, (size_t)size(c) * sizeof(float));
  for (int64_t i = 0; i < size(c); i++)
    (void)gb.tensor->expect(c, "y", (uint64_t)i, 1, &zero);
  finish(c);
}

const struct trick slip_tricks[] = {
    {.name = "honest", .act = honest},
    {.name = "odd", .act = odd},
    {.name = "first-call-only", .act = first_call_only},
    {.name = "a-part", .act = a_part},
    {.name = "not-the-integer", .act = not_the_integer},
    {.name = "nan-everywhere", .act = nan_everywhere},
    {.name = "nan-of-poison", .act = nan_of_poison},
    {.name = "nan-somewhere", .act = nan_somewhere},
    {.name = "previous", .act = previous},
    {.name = "input-at-once", .act = input_at_once},
    {.name = "beyond", .act = beyond},
    {.name = "far-beyond", .act = far_beyond},
    {.name = "allocates", .act = allocates},
    {.name = "expects", .act = expects},
    {.name = "nothing-later", .act = nothing_later},
    {.name = "zeros-later", .act = zeros_later},
    {.name = "zeros-by-turns", .act = zeros_by_turns},
    {.name = "last-row-later", .act = last_row_later},
    {.name = "last-element-later", .act = last_element_later},
    {.name = "first-element-later", .act = first_element_later},
    {.name = "half-later", .act = half_later},
    {.name = "integer-later", .act = integer_later},
    {.name = "nan-later", .act = nan_later},
    {.name = "roughly-later", .act = roughly_later},
    {.name = "shifted-later", .act = shifted_later},
    {.name = "beyond-later", .act = beyond_later},
    {.name = "in-front-later", .act = in_front_later},
    {.name = "far-beyond-later", .act = far_beyond_later},
    {.name = "input-later", .act = input_later},
    {.name = "one-input-later", .act = one_input_later},
    {.name = "beside-the-input-later", .act = beside_the_input_later},
    {.name = "allocates-later", .act = allocates_later},
    {.name = "also-honest", .act = honest},
    {.name = NULL},
};

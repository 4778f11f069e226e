/* Tracks which elements of outputs `reference` states (gives expected values for) and `verify` reads. */
#include "case/stated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "case/case.h"

void stated_begin(struct gb_case *c) {
  if (c->phase != PHASE_REFERENCE && c->phase != PHASE_VERIFY) return;
  c->places = c->places_given != 0 ? c->places_given : case_draw(c);
  c->asked[c->phase == PHASE_VERIFY] = false;
  for (uint32_t i = 0; c->phase == PHASE_VERIFY && i < c->tensor_count; i++)
    c->tensors[i].stated.read = 0;
}

uint64_t stated_places(struct gb_case *c) {
  c->asked[c->phase == PHASE_VERIFY] = true;
  return c->places;
}

void stated_note_read(struct tensor *t, uint64_t count) {
  t->stated.read += count;
}

static int by_first(const void *a, const void *b) {
  const struct span *x = a, *y = b;
  return (x->first > y->first) - (x->first < y->first);
}

/* Returns the number of stated elements (those with expected values); spans may overlap, and each element counts
 * once. */
static uint64_t count_stated_elements(const struct tensor *t) {
  uint64_t count = 0, end = 0;
  if (t->span_count == 0) return 0;
  SCOPED struct span *spans = xcalloc(t->span_count, sizeof *spans);
  memcpy(spans, t->spans, t->span_count * sizeof *spans);
  qsort(spans, t->span_count, sizeof *spans, by_first);
  for (size_t i = 0; i < t->span_count; i++) {
    const uint64_t first = spans[i].first > end ? spans[i].first : end, last = spans[i].first + spans[i].count;
    count += last > first ? last - first : 0;
    end = last > end ? last : end;
  }
  return count;
}

bool stated_too_few(const struct tensor *t) {
  return t->stated.elements < STATED_ENOUGH && t->stated.elements < t->elements;
}

static bool is_part(const struct tensor *t) {
  return tensor_is_output(t) && t->stated.elements > 0 && t->stated.elements < t->elements;
}

static uint64_t sum_of_places(const struct tensor *t) {
  uint64_t sum = 0;
  for (size_t i = 0; i < t->span_count; i++)
    sum = rng_key(rng_key(sum, t->spans[i].first), t->spans[i].count);
  return sum;
}

/* Notes whether `reference` states other elements from call to call. Compares only calls with the same seed of the
 * inputs, because the elements may depend on that seed, too. */
static void note_places(struct stated *stated, uint64_t sum, uint64_t seed) {
  const bool again = stated->draws > 0 && stated->seed == seed;
  stated->moves = stated->moves || (again && stated->sum != sum);
  if (again || stated->draws == 0) stated->draws++;
  stated->sum = sum;
  stated->seed = seed;
}

void stated_end(struct gb_case *c) {
  c->afterwards = true;
  for (uint32_t i = 0; i < c->tensor_count; i++) {
    struct tensor *t = &c->tensors[i];
    if (!tensor_is_output(t)) continue;
    t->stated.elements = count_stated_elements(t);
    if (is_part(t) && c->asked[0] && c->places_given == 0) note_places(&t->stated, sum_of_places(t), c->seed);
  }
}

bool stated_is_drawn(const struct gb_case *c) {
  for (uint32_t i = 0; i < c->tensor_count && c->asked[0]; i++)
    if (is_part(&c->tensors[i])) return true;
  return false;
}

static bool is_read_by_verify(const struct gb_case *c, const struct tensor *t, bool values) {
  if (values && t->stated.elements >= t->elements) return true;
  if (values && is_part(t) && c->afterwards && c->asked[0]) return true;
  return c->bench->own.verify != NULL && (c->asked[1] || t->stated.read >= t->elements);
}

bool stated_afterwards(const struct gb_case *c, bool values) {
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (tensor_is_output(&c->tensors[i]) && !is_read_by_verify(c, &c->tensors[i], values)) return false;
  return true;
}

const char *stated_fixed(const struct gb_case *c) {
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (c->tensors[i].stated.draws > 1 && !c->tensors[i].stated.moves) return c->tensors[i].name;
  return NULL;
}

const char *stated_undrawn(const struct gb_case *c) {
  for (uint32_t i = 0; i < c->tensor_count && !c->asked[0]; i++)
    if (is_part(&c->tensors[i])) return c->tensors[i].name;
  return NULL;
}

static const struct tensor *first_foreseen(const struct gb_case *c) {
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (tensor_is_output(&c->tensors[i]) && c->tensors[i].stated.elements < c->tensors[i].elements)
      return &c->tensors[i];
  return NULL;
}

void stated_why_foreseen(const struct gb_case *c, double reference_s, char *to, size_t size) {
  const struct tensor *t = first_foreseen(c);
  const char *fixed = stated_fixed(c);
  const unsigned long long some = t != NULL ? t->stated.elements : 0, all = t != NULL ? t->elements : 0;
  if (fixed != NULL)
    snprintf(to, size, "the stated elements of '%s' are the same whatever gb.case/1 places says", fixed);
  else if (t == NULL)
    snprintf(to, size, "what its slots left was compared at no place that was not known before");
  else if (some == 0)
    snprintf(to, size,
             "`reference` states nothing of '%s', and `verify` neither reads all of it nor draws from gb.case/1 "
             "places what it looks at",
             t->name);
  else if (c->asked[0])
    snprintf(to, size,
             "`reference` takes %.2g s, too long to be entered again for each comparison: %llu of %llu elements "
             "of '%s' could be foreseen; state fewer",
             reference_s, some, all, t->name);
  else
    snprintf(to, size,
             "%llu of %llu elements of '%s' are compared, and which these are could be foreseen: draw them from "
             "gb.case/1 places; a plugin with gb_sampled is to be built again",
             some, all, t->name);
}

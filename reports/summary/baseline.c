/* Finding and naming baselines. */
#include "summary/baseline.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* Yardsticks are compared with nothing, whatever they say. */
static const char *name_of(const struct record *row) {
  return row == NULL || row_is_yardstick(row) ? NULL : row->baseline;
}

static const struct record *row_named(const struct run_case *point, const char *name) {
  for (size_t i = 0; name != NULL && i < point->row_count; i++)
    if (point->rows[i] != NULL && text_same(point->rows[i]->variant, name)) return point->rows[i];
  return NULL;
}

const struct record *baseline_of(const struct run_case *point, const struct record *row) {
  for (size_t i = 0; point->bases != NULL && row != NULL && i < point->row_count; i++)
    if (point->rows[i] == row) return point->bases[i];
  return point->base;
}

bool baseline_is(const struct run_case *point, const struct record *row) {
  return row != NULL && baseline_of(point, row) == row;
}

static void find_case(struct run_case *point, size_t count) {
  const char *name = NULL;
  bool shared = true;
  point->row_count = count;
  point->bases = xcalloc(count, sizeof *point->bases);
  for (size_t i = 0; i < count; i++) {
    const char *own = name_of(point->rows[i]);
    if (own == NULL) continue;
    if (name == NULL) name = own;
    shared = shared && text_same(own, name);
    point->bases[i] = row_named(point, own);
  }
  point->base = shared ? row_named(point, name) : NULL;
}

/* What a bench's rows name as their baselines. */
struct bases {
  const char **names; /* each once */
  size_t count;
  const char *label;  /* of the first twin: "@old" */
  const char *rest;   /* of the first that is no twin */
  bool proper, mixed; /* some row is another's twin; labels or what the rest is compared with differ */
};

static void add_row(struct bases *bases, const struct record *row) {
  bool known = false, twin = row_is_twin(row);
  const char **first = twin ? &bases->label : &bases->rest,
             *own = twin ? record_label_of(row->baseline) : row->baseline;
  for (size_t i = 0; i < bases->count && !known; i++)
    known = text_same(bases->names[i], row->baseline);
  if (!known) bases->names[bases->count++] = row->baseline;
  bases->proper = bases->proper || (twin && !text_same(row->variant, row->baseline));
  if (*first == NULL) *first = own;
  bases->mixed = bases->mixed || !text_same(*first, own);
}

static struct bases gather(const struct run_bench *bench) {
  struct bases bases = {.names = xcalloc(bench->case_count * bench->variant_count, sizeof *bases.names)};
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);)
    if (name_of(at.row) != NULL) add_row(&bases, at.row);
  return bases;
}

static enum run_bases kind_of(const struct bases *bases) {
  if (bases->count == 0) return BASES_NONE;
  if (bases->count == 1) return bases->proper && bases->rest == NULL ? BASES_TWINS : BASES_ONE;
  return bases->proper && !bases->mixed ? BASES_TWINS : BASES_SEVERAL;
}

void baseline_find(struct run_bench *bench) {
  for (size_t i = 0; i < bench->case_count; i++) {
    struct run_case *point = &bench->cases[i];
    find_case(point, bench->variant_count);
    for (size_t v = 0; v < bench->variant_count; v++)
      if (point->bases[v] != NULL && point->bases[v] != point->rows[0]) bench->baseline_varies = true;
  }
  struct bases bases = gather(bench);
  bench->bases = kind_of(&bases);
  free(bases.names);
}

void baseline_text(const struct run_bench *bench, char *to, size_t size) {
  struct bases bases = gather(bench);
  char list[TEXT_SIZE];
  text_join(list, sizeof list, bases.names, bases.count);
  if (bases.count > 1 && bench->bases == BASES_TWINS)
    snprintf(to, size, "the same variant %s%s%s", bases.label, bases.rest != NULL ? ", else " : "",
             text_or_empty(bases.rest));
  else
    snprintf(to, size, "%s%s", list, bench->bases == BASES_SEVERAL ? " (each row says which)" : "");
  free(bases.names);
}

const char *baseline_label(const struct run_bench *bench) {
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);)
    if (name_of(at.row) != NULL && row_is_twin(at.row)) return record_label_of(at.row->baseline);
  return "";
}

size_t baseline_column(const struct run_bench *bench, size_t variant) {
  size_t found = SIZE_MAX;
  for (size_t i = 0; i < bench->case_count; i++) {
    const struct run_case *point = &bench->cases[i];
    const struct record *base = point->bases != NULL ? point->bases[variant] : point->base;
    size_t at = 0;
    if (base == NULL) continue;
    while (point->rows[at] != base)
      at++;
    if (found != SIZE_MAX && found != at) return SIZE_MAX;
    found = at;
  }
  return found;
}

const char *baseline_beside(const struct run_bench *bench, const struct record *row) {
  bool own = bench->bases == BASES_SEVERAL || (bench->bases == BASES_TWINS && !row_is_twin(row));
  return own ? row->baseline : NULL;
}

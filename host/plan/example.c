/* Default cases by size. */
#include "plan/example.h"

#include "plan/case_key.h"
#include "plan/expand.h"

struct search {
  const struct lineup *lineup;
  struct examples *examples;
};

double example_size(const struct point *point) {
  double size = 1;
  for (uint32_t i = 0; i < point->count; i++)
    if (point->values[i].type == AXIS_I64 && point->values[i].i64 > 0) size *= (double)point->values[i].i64;
  return size;
}

/* A case_sink. */
static int add(void *user, const struct point *point, struct err *err) {
  const struct search *search = user;
  struct examples *list = search->examples;
  double size = example_size(point);
  size_t at = list->count;
  (void)err;
  while (at > 0 && list->items[at - 1].size > size)
    at--;
  if (at == EXAMPLES_MAX) return 0;
  size_t end = list->count < EXAMPLES_MAX ? list->count++ : EXAMPLES_MAX - 1;
  for (; end > at; end--)
    list->items[end] = list->items[end - 1];
  list->items[at].point = *point;
  list->items[at].size = size;
  case_key(search->lineup->id, point, list->items[at].key, sizeof list->items[at].key);
  return 0;
}

int examples_find(const struct lineup *lineup, const struct selection *selection, const char *backend,
                  struct examples *examples, struct err *err) {
  struct selection defaults;
  struct source source = {0};
  struct search search = {lineup, examples};
  selection_init(&defaults, "defaults");
  int rc = source_init(&source, selection, 1, err);
  if (rc == 0 && !case_is_named(&source, lineup)) {
    source_free(&source);
    rc = source_init(&source, &defaults, 1, err);
  }
  struct bench_request request = {.sources = {&source}, .source_count = 1, .lineup = lineup, .backend = backend};
  if (rc == 0) rc = cases_expand(&request, add, &search, err);
  source_free(&source);
  selection_free(&defaults);
  return rc;
}

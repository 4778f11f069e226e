/* Points of one bench: presets, axes and keys into cases. Pure. */
#ifndef PLAN_EXPAND_H
#define PLAN_EXPAND_H

#include "plan/filter.h"

enum { CASES_MAX = 100000 };

/* What one selection asks of one bench. With two sources the second is the command line over a suite's section. */
struct bench_request {
  struct source *sources[2];
  size_t source_count;
  const struct lineup *lineup;
  const char *backend;
};

/* Takes one point. 0 to go on; anything else ends the expansion, which then returns it. */
typedef int (*case_sink)(void *user, const struct point *point, struct err *err);

/* The source whose `case` keys choose the cases, or NULL where presets and axes do. */
struct source *case_source(const struct bench_request *request);

/* Does one of the keys name this bench? Marks those that do. */
bool case_is_named(struct source *source, const struct lineup *lineup);

/* Notes which presets and axes of the request this bench has. */
void cases_mark(const struct bench_request *request);

/* Hands every point to the sink, the last axis fastest. */
int cases_expand(const struct bench_request *request, case_sink sink, void *user, struct err *err);

#endif

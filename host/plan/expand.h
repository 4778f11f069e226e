/* Points of one bench: presets, axes and keys into cases. Pure. */
#ifndef PLAN_EXPAND_H
#define PLAN_EXPAND_H

#include "model/model.h"
#include "options/selection.h"
#include "plan/filter.h"
#include "plan/lineup.h"

/* "attention/forward[b=2,h=32]"; the bare id where the bench has no axes. False if it does not fit. */
bool case_key(const char *id, const struct point *point, char *to, size_t size);

/* "k=v;k=v" with percent-encoding, as results.csv has it. */
void point_text(const struct point *point, char *to, size_t size);

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

enum { EXAMPLES_MAX = 8 }; /* for a bench may refuse some */

/* The smallest first, by the product of their whole numbers. */
struct examples {
  struct {
    struct point point;
    char key[KEY_SIZE];
    double size;
  } items[EXAMPLES_MAX];
  size_t count;
};

/* A guess at how much memory a point takes, to tell small ones from large ones. */
double example_size(const struct point *point);

/* Where keys of the selection name this bench: those. Exit 2: such a key is no case of it. */
int examples_find(const struct lineup *lineup, const struct selection *selection, const char *backend,
                  struct examples *examples, struct err *err);

#endif

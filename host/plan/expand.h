/* Expands presets, axes and case keys of one bench into points. A point has a value for each axis. No I/O. */
#pragma once

#include "model/model.h"
#include "options/selection.h"
#include "plan/filter.h"
#include "plan/lineup.h"

/* Writes the key of a case: "attention/forward[b=2,h=32]", or only the id if the bench has no axes. Returns false if it
 * does not fit. */
bool case_key(const char *id, const struct point *point, char *to, size_t size);

/* Writes the point as "k=v;k=v" with percent-encoding, as in results.csv. */
void point_text(const struct point *point, char *to, size_t size);

enum { CASES_MAX = 100000 };

/* The part of a selection that concerns one bench. If there are two sources (sets of filters), the second one is the
 * command line, which narrows a suite's section. */
struct bench_request {
  struct source *sources[2];
  size_t source_count;
  const struct lineup *lineup;
  const char *backend;
};

/* Called for one point (a value for each axis of a bench). Returns 0 to continue; any other value ends the expansion,
 * which returns it. */
typedef int (*case_sink)(void *user, const struct point *point, struct err *err);

/* Returns the source (set of filters) whose case keys choose the cases; NULL if no source has case keys, so that
 * presets and axes choose the cases. */
struct source *case_source(const struct bench_request *request);

/* Returns true if one of the source's case keys names this bench. Marks all such keys as used, because unused keys are
 * reported later. */
bool case_is_named(struct source *source, const struct lineup *lineup);

/* Marks those presets and axes of the request that the bench has as used, because unused ones are reported later. */
void cases_mark(const struct bench_request *request);

/* Calls `sink` for every point that the request asks for; the last axis varies fastest. */
int cases_expand(const struct bench_request *request, case_sink sink, void *user, struct err *err);

/* largest number of example points of a bench; several, because the bench may refuse some of them */
enum { EXAMPLES_MAX = 8 };

/* The smallest points of a bench in ascending order of size. The size is the product of a point's integer values. */
struct examples {
  struct {
    struct point point;
    char key[KEY_SIZE];
    double size;
  } items[EXAMPLES_MAX];
  size_t count;
};

/* Estimates how much memory a point needs, relative to other points. */
double example_size(const struct point *point);

/* Finds small points with which a bench can be tried. If case keys of the selection name the bench, only their points
 * are taken; then fails with exit code 2 if such a key is not a case of the bench. */
int examples_find(const struct lineup *lineup, const struct selection *selection, const char *backend,
                  struct examples *examples, struct err *err);

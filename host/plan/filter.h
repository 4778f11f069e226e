/* The filters of selections: matches names, remembers which patterns have matched anything, and reports those that have
 * not. No I/O. */
#pragma once

#include "base/err.h"
#include "options/selection.h"
#include "plan/lineup.h"

enum filter {
  FILTER_BENCH,
  FILTER_PRESET,
  FILTER_VARIANT,
  FILTER_EXCLUDE,
  FILTER_REQUIRE,
  FILTER_BASELINE,
  FILTER_COUNT
};

/* Patterns of one kind; `used[i]` is true once pattern `i` has matched something. */
struct globs {
  struct strings list;
  bool *used;
};

/* One value of -a: "NAME=VALUES". */
struct axis_spec {
  char *name;   /* name of the axis, such as "m" or "forward.m", without [pow2] */
  char *values; /* points into the allocation of `name` */
  bool pow2, used;
};

/* The filters of one selection: a section of a suite, or the command line, which may also narrow several sections. */
struct source {
  const struct selection *selection;
  struct globs filters[FILTER_COUNT];
  struct axis_spec *axes;
  bool *cases_used;
  /* for each bench, true if this source chooses it */
  bool *chosen;
};

int source_init(struct source *source, const struct selection *selection, size_t lineup_count, struct err *err);
void source_free(struct source *source);

/* Returns true if one of the source's patterns matches `name` or `id`, and marks all patterns that do as used. */
bool source_match(struct source *source, enum filter filter, const char *name, const char *id);

/* Writes where an axis was given and with which values: "-a dtype=bf61" or "nightly.ini [attention]:
 * axis.dtype=bf61". */
void source_axis_text(const struct source *source, const struct axis_spec *spec, const char *values, char *to,
                      size_t size);
/* Writes where an option was given: "--case 'KEY'" or "nightly.ini [attention]: case 'KEY'". */
void source_option_text(const struct source *source, const char *option, const char *value, char *to, size_t size);

/* Returns the index of the bench's axis that `spec` names, or -1. */
int axis_spec_find(const struct axis_spec *spec, const struct lineup *lineup);

/* Fail with exit code 2 for the first filter that has matched nothing. Benches are checked first, because the other
 * filters depend on them. */
int source_check_benches(const struct source *source, const struct lineups *lineups, struct err *err);
int source_check_rest(const struct source *source, const struct lineups *lineups, struct err *err);

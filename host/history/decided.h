/* decided.csv: decisions on a nightly run. The column `part` tells what a row is about. "night": the verdict on the
 * night (ok, regression, failed, unjudged) and a sentence in `text`. "row": a case, variant and mode (and device, if
 * there are several), with the verdict of a confirmation (faster, slower, same, undecided), its `step` (new time / old
 * time - 1), the time of a second measurement, and whether a user accepts that the times differ from this night on. A
 * confirmation is a later run that compares the old and the new build. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct decided_row {
  char *case_key, *variant, *mode, *devices;
  char *verdict;         /* verdict of the confirmation run; empty: there was none */
  double step, again_ns; /* step: relative change; again_ns: time of the second measurement; NaN: not known */
  bool accepted;
};

struct decided {
  char *verdict, *text; /* verdict and sentence on the night; NULL: none */
  struct decided_row *rows;
  size_t count;
};

/* Reads the file; if it does not exist, there are no decisions. */
int decided_read(const char *path, struct decided *decided, struct err *err);
/* Returns the row with these names; appends one if there is none. `devices` "" means any device. The pointer is valid
 * until the next call. */
struct decided_row *decided_at(struct decided *decided, const char *case_key, const char *variant, const char *mode,
                               const char *devices);
/* Returns the content of a decided.csv with these decisions. The caller frees it. Returns NULL on error. */
char *decided_print(const struct decided *decided, size_t *size, struct err *err);
/* Fails unless the file is a valid decided.csv. */
int decided_check(const char *path, struct err *err);
void decided_free(struct decided *decided);

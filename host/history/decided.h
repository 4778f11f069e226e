/* decided.csv: what was decided of a night. `part` night: `verdict` (ok, regression, failed, unjudged) and the sentence
 * in `text`. `part` row: of a case, variant and mode (and device, where there are several) what a confirmation said
 * (`verdict` faster, slower, same, undecided; `step`: new time / old time - 1), what a second measurement gave, and
 * whether people accept the level that begins here. */
#ifndef HISTORY_DECIDED_H
#define HISTORY_DECIDED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct decided_row {
  char *case_key, *variant, *mode, *devices;
  char *verdict;         /* empty: no confirmation was made */
  double step, again_ns; /* NaN: not known */
  bool accepted;
};

struct decided {
  char *verdict, *text; /* of the night; NULL: nothing was said */
  struct decided_row *rows;
  size_t count;
};

/* A file that is not there decides nothing. */
int decided_read(const char *path, struct decided *decided, struct err *err);
/* The row of these names, made where there is none; `devices` "": of any. Valid until the next call. */
struct decided_row *decided_at(struct decided *decided, const char *case_key, const char *variant, const char *mode,
                               const char *devices);
/* Puts it down as such a file: its bytes, for the caller to free, or NULL with an error. */
char *decided_print(const struct decided *decided, size_t *size, struct err *err);
/* Is it such a file? */
int decided_check(const char *path, struct err *err);
void decided_free(struct decided *decided);

#endif

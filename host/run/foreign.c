/* Rows of other programs that a run is given: read before anything is measured, kept in its directory. */
#include "run/foreign.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* A resumed run may have some already. */
static int read_former(const struct rundir *dir, struct foreign_rows *rows, struct err *err) {
  char path[sizeof dir->path + 64];
  snprintf(path, sizeof path, "%s/" FOREIGN_FILE, dir->path);
  FILE *in = fopen(path, "re");
  if (in == NULL) return errno == ENOENT ? 0 : err_set(err, EXIT_FAILED, "%s: %s", path, strerror(errno));
  int result = foreign_read(in, path, false, rows, err);
  fclose(in);
  return result;
}

int run_foreign_keep(struct foreign_rows *given, struct rundir *dir, struct err *err) {
  struct foreign_rows rows = {0};
  char *text = NULL;
  size_t size = 0;
  if (given->count == 0) return 0;
  int result = read_former(dir, &rows, err);
  if (result == 0) foreign_merge(&rows, given, FOREIGN_ANY_RUN);
  if (result == 0) result = foreign_text(&rows, &text, &size, err);
  if (result == 0) result = rundir_put(dir, FOREIGN_FILE, text, size, err);
  foreign_free(&rows);
  free(text);
  return result;
}

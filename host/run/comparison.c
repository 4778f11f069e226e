/* The baseline run and the rows of other programs that a run is compared with. */
#include "run/comparison.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "record/csv/files.h"
#include "record/find.h"

/* ---- Rows of other programs (--foreign) ---- */

/* Reads the rows of other programs (--foreign) that a resumed run has in its directory, if there are any. */
static int read_former(const struct rundir *dir, struct foreign_rows *rows, struct err *err) {
  char path[sizeof dir->path + 64];
  snprintf(path, sizeof path, "%s/" FOREIGN_FILE, dir->path);
  SCOPED_FILE FILE *in = fopen(path, "re");
  if (in == NULL) return errno == ENOENT ? 0 : err_set(err, EXIT_FAILED, "%s: %s", path, strerror(errno));
  return foreign_read(in, path, false, rows, err);
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

/* ---- The baseline run (--against) ---- */

static struct base_wish wish_of(const struct plan *plan, const char *device, const struct recording *r) {
  struct base_wish wish = {.device = device};
  for (size_t i = 0; i < plan->count; i++) {
    const struct plan_case *p = &plan->cases[i];
    for (size_t v = 0; v < p->variant_count && !p->yardstick; v++)
      base_wish_add(&wish, p->key, p->variants[v].name, mode_name(p->mode));
  }
  if (r->resumed != NULL) {
    wish.self = r->dir.path;
    wish.before = find_is_dated(r->dir.run_id) ? r->dir.run_id : NULL;
  }
  return wish;
}

/* Loads the baseline run that the resumed run was compared with, if it still exists; otherwise there is none. */
static int load_former(struct base_run *base, const struct recording *r) {
  const char *path = r->resumed != NULL ? resume_get(r->resumed, "against_path") : NULL;
  const char *head = path != NULL ? resume_get(r->resumed, "against_as") : NULL;
  struct err err = {0};
  if (path == NULL) return 0;
  if (base_run_load(path, NULL, base, &err) != 0) {
    fprintf(stderr, "gpubench: the run that this one was compared with is gone: %s\n", err.text);
    base_run_free(base);
    return 0;
  }
  if (head == NULL) return 0;
  free(base->asked);
  base->asked = xstrdup(head);
  return 0;
}

int run_against_load(struct base_run *base, const char *what, const struct recording *r, struct err *err) {
  if (what == NULL) return load_former(base, r);
  if (find_is_last(what)) return 0;
  if (base_run_load(what, NULL, base, err) != 0) return -1;
  return base_run_check_other(base, r->resumed != NULL ? r->dir.path : NULL, err);
}

int run_against_check(struct base_run *base, const struct plan *plan, const char *device, const struct recording *r,
                      struct err *err) {
  struct base_wish wish = wish_of(plan, device, r);
  int rc = base_run_check_common(base, &wish, err);
  base_wish_free(&wish);
  return rc;
}

int run_against_last(struct base_run *base, const char *what, const struct plan *plan, const char *device,
                     const struct recording *r, struct err *err) {
  if (what == NULL || !find_is_last(what)) return 0;
  struct base_wish wish = wish_of(plan, device, r);
  int rc = base_run_load(what, &wish, base, err);
  base_wish_free(&wish);
  if (rc == 0 && !base->loaded)
    fprintf(stderr, "gpubench: --against %s: no earlier run in %.200s has timed one of these rows on this device\n",
            what, find_parent());
  return rc;
}

/* Removes the comparison from the directory of a resumed run, because its rows are about to change. */
static void drop_former(const struct recording *r) {
  char path[sizeof r->dir.path + 64];
  snprintf(path, sizeof path, "%s/" AGAINST_FILE, r->dir.path);
  if (r->resumed != NULL) unlink(path);
}

void run_against_note(const struct base_run *base, struct recording *r) {
  drop_former(r);
  if (!base->loaded) return;
  pairs_add(&r->environment, "against", "%s", run_data_run_name(&base->data, 0).text);
  pairs_add(&r->environment, "against_as", "%s", base->asked);
  pairs_add(&r->environment, "against_path", "%s", base->path);
}

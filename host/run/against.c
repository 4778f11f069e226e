/* --against in a run: the base is found and read before anything is measured, and kept in memory, so that a slip costs
 * nothing and what is removed meanwhile is still there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "record/against_csv.h"
#include "record/find.h"
#include "run/state.h"

static struct base_wish wish_of(const struct run_state *run) {
  struct base_wish wish = {.device = run->devices.pool.facts.name};
  for (size_t i = 0; i < run->planning.plan.count; i++) {
    const struct plan_case *p = &run->planning.plan.cases[i];
    for (size_t v = 0; v < p->variant_count && !p->yardstick; v++)
      base_wish_add(&wish, p->key, p->variants[v].name, mode_name(p->mode));
  }
  if (run->recording.resumed != NULL) {
    wish.self = run->recording.dir.path;
    wish.before = find_is_dated(run->recording.dir.run_id) ? run->recording.dir.run_id : NULL;
  }
  return wish;
}

/* A run that is gone on with is compared with what it was compared with; without that it goes on all the same. */
static int load_former(struct run_state *run) {
  const char *path = run->recording.resumed != NULL ? resume_get(run->recording.resumed, "against_path") : NULL;
  const char *head = path != NULL ? resume_get(run->recording.resumed, "against_as") : NULL;
  struct err err = {0};
  if (path == NULL) return 0;
  if (base_run_load(path, NULL, &run->comparison.against, &err) != 0) {
    fprintf(stderr, "gpubench: the run that this one was compared with is gone: %s\n", err.text);
    base_run_free(&run->comparison.against);
    return 0;
  }
  if (head == NULL) return 0;
  free(run->comparison.against.asked);
  run->comparison.against.asked = xstrdup(head);
  return 0;
}

int run_against_load(struct run_state *run, struct err *err) {
  const char *what = run->options->compare.against;
  if (what == NULL) return load_former(run);
  if (find_is_last(what)) return 0;
  if (base_run_load(what, NULL, &run->comparison.against, err) != 0) return -1;
  return base_run_check_other(&run->comparison.against, run->recording.resumed != NULL ? run->recording.dir.path : NULL,
                              err);
}

int run_against_check(struct run_state *run, struct err *err) {
  struct base_wish wish = wish_of(run);
  int rc = base_run_check_common(&run->comparison.against, &wish, err);
  base_wish_free(&wish);
  return rc;
}

int run_against_last(struct run_state *run, struct err *err) {
  const char *what = run->options->compare.against;
  if (what == NULL || !find_is_last(what)) return 0;
  struct base_wish wish = wish_of(run);
  int rc = base_run_load(what, &wish, &run->comparison.against, err);
  base_wish_free(&wish);
  if (rc == 0 && !run->comparison.against.loaded)
    fprintf(stderr, "gpubench: --against %s: no earlier run in %.200s has timed one of these rows on this device\n",
            what, find_parent());
  return rc;
}

/* A former comparison holds for rows that are about to change. */
static void drop_former(const struct run_state *run) {
  char path[sizeof run->recording.dir.path + 64];
  snprintf(path, sizeof path, "%s/" AGAINST_FILE, run->recording.dir.path);
  if (run->recording.resumed != NULL) unlink(path);
}

void run_against_note(struct run_state *run) {
  char run_id[TEXT_SIZE];
  drop_former(run);
  if (!run->comparison.against.loaded) return;
  run_data_run_name(&run->comparison.against.data, 0, run_id, sizeof run_id);
  pairs_add(&run->recording.environment, "against", "%s", run_id);
  pairs_add(&run->recording.environment, "against_as", "%s", run->comparison.against.asked);
  pairs_add(&run->recording.environment, "against_path", "%s", run->comparison.against.path);
}

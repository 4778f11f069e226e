/* A run, and the report that it ends with. */
#include "commands/run.h"

#include <limits.h>

#include "commands/report.h"
#include "jobs/jobs.h"
#include "model/build_label.h"
#include "plugin/loader.h"
#include "record/find.h"
#include "run/run.h"
#include "worker/signals.h"

/* Whoever has asked twice to stop does not wait for a report; from now on asking once is enough. A job has none: there
 * is one of them all. */
static int report(const struct run_state *run, const struct options *options, struct err *err) {
  if (!run->recording.done || signals_insisted() || options->jobs != NULL) return 0;
  signals_release();
  return report_run(run->recording.dir.path, &run->comparison.against, options, err);
}

/* A word that is neither a command nor a plugin may be meant as either. */
static int check_word(const struct options *options, struct err *err) {
  char reading[2 * TEXT_SIZE], label[ID_SIZE], path[PATH_MAX];
  if (options->no_command == NULL) return 0;
  if (loader_find(label_split(options->no_command, label), path, sizeof path, err) == 0) return 0;
  options_no_command(options->no_command, reading, sizeof reading);
  err_context(err, "%s", reading);
  text_sanitize(err->text);
  return -1;
}

/* A slip is told before anything is measured. */
static int check_against(const struct options *options, struct err *err) {
  struct base_run base = {0};
  int rc = 0;
  if (options->against != NULL && !find_is_last(options->against))
    rc = base_run_load(options->against, NULL, &base, err);
  base_run_free(&base);
  return rc;
}

static int jobs_command(const struct options *options, struct err *err) {
  struct rundir dir;
  int code;
  if (check_against(options, err) != 0 || jobs_run(options, &dir, &code, err) != 0) return err->exit_code;
  if (options->dry_run || signals_insisted()) return code;
  signals_release();
  if (report_stored(dir.path, options, err) == 0) return code;
  const bool gated = err->exit_code == EXIT_REGRESSION || err->exit_code == EXIT_UNJUDGED;
  return gated && code != EXIT_OK ? code : err->exit_code;
}

int run_command(struct options *options, int argc, char **argv, struct err *err) {
  struct run_state run;
  if (check_word(options, err) != 0 || report_check_outputs(options, err) != 0) return err->exit_code;
  if (jobs_are_asked(options)) return jobs_command(options, err);
  int rc = run_to_rows(&run, options, argc, argv, err);
  if (rc == 0) rc = report(&run, options, err);
  struct err changed = {0}; /* it weighs more than what a gate says of the rows */
  if (run.recording.done && rundir_unchanged(&run.recording.dir, &changed) != 0) rc = -1, *err = changed;
  if (run.recording.done) run_print_pieces(&run);
  int code = run_exit_code(&run, rc, err);
  run_free(&run);
  return code;
}

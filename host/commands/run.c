/* The command run: measures, and writes the report at the end. */
#include "commands/commands.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "jobs/jobs.h"
#include "model/build_label.h"
#include "plugin/loader.h"
#include "record/find.h"
#include "run/announce.h"
#include "run/run.h"
#include "worker/signals.h"

/* Writes the report of the run. Writes none if the run is not complete, if the user has asked twice to stop, or if this
 * process is one of several jobs, because all jobs together get one report. While the report is written, a single
 * signal to stop ends the process. */
static int report_if_done(const struct run_state *run, const struct options *options, struct err *err) {
  if (!run->recording.done || signals_insisted() || options->run.jobs != NULL) return 0;
  signals_release();
  return report_run(run->recording.dir.path, &run->comparison.against, options, err);
}

int run_check_word(const struct options *options, struct err *err) {
  char reading[2 * TEXT_SIZE], label[ID_SIZE], path[PATH_MAX];
  struct err unknown = {0};
  if (options->no_command == NULL) return 0;
  if (loader_find(label_split(options->no_command, label), path, sizeof path, &unknown) == 0) return 0;
  if (err->exit_code == 0) *err = unknown;
  if (strpbrk(options->no_command, "./=") == NULL) { /* no command has these characters in its name */
    options_no_command(options->no_command, reading, sizeof reading);
    err_context(err, "%s", reading);
  }
  text_sanitize(err->text);
  return -1;
}

/* Loads the baseline run of --against, so that a wrong name is reported before anything is measured. */
static int check_against_base(const struct options *options, struct err *err) {
  struct base_run base = {0};
  int rc = 0;
  if (options->compare.against != NULL && !find_is_last(options->compare.against))
    rc = base_run_load(options->compare.against, NULL, &base, err);
  base_run_free(&base);
  return rc;
}

static int jobs_command(const struct options *options, struct err *err) {
  struct rundir dir;
  int code;
  if (check_against_base(options, err) != 0 || jobs_run(options, &dir, &code, err) != 0) return err->exit_code;
  if (code != EXIT_OK && options->common.quiet) fprintf(stderr, "gpubench: a job ended with exit code %d\n", code);
  if (options->run.dry_run || signals_insisted()) return code;
  signals_release();
  if (report_stored(dir.path, options, err) == 0) return code;
  const bool gated = err->exit_code == EXIT_REGRESSION || err->exit_code == EXIT_UNJUDGED;
  return gated && code != EXIT_OK ? code : err->exit_code;
}

int run_command(struct options *options, int argc, char **argv, struct err *err) {
  struct run_state run;
  if (run_check_word(options, err) != 0) return err->exit_code;
  if (jobs_are_asked(options)) return jobs_command(options, err);
  int rc = run_to_rows(&run, options, argc, argv, err);
  if (rc == 0) rc = report_if_done(&run, options, err);
  /* an error if the run's files were changed from outside; that is reported instead of the result of --fail-on */
  struct err changed = {0};
  if (run.recording.done && rundir_unchanged(&run.recording.dir, &changed) != 0) rc = -1, *err = changed;
  if (run.recording.done) announce_pieces(&run.budget);
  int code = run_exit_code(&run, rc, err);
  if (code != EXIT_OK && err->exit_code == EXIT_OK && options->common.quiet) run_say_why(&run, code, err);
  run_free(&run);
  return code;
}

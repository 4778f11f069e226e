/* One run from selection to rows. Each stop hands a plain struct to the next. */
#include "run/run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/phrase.h"
#include "base/text.h"
#include "machine/scratch.h"
#include "run/alone.h"
#include "run/cases.h"
#include "run/progress.h"
#include "worker/interpreter.h"
#include "worker/signals.h"
#include "worker/spare.h"

static struct progress progress; /* log lines arrive without a context of their own */

static void log_line(const struct log_message *message) {
  progress_log(&progress, message);
}

static void tick(void) {
  progress_tick(&progress);
}

/* ---- Recording ---- */

static void run_name(const struct run_state *run, char *to, size_t size) {
  const struct options *o = run->options;
  const char *name = run->planning.catalog.plugins[run->planning.first_plugin].desc.id;
  if (o->run.name != NULL) name = o->run.name;
  text_copy(to, size, name);
  for (char *c = to; *c != '\0'; c++)
    if (*c == '/') *c = '-';
}

/* What it is like before anything is measured there. */
static void meet_device(struct run_state *run) {
  environment_conditions(&run->devices.pool.facts, run->devices.turn == 0 ? &run->begun : NULL, run->devices.conditions,
                         sizeof run->devices.conditions);
  if (run->talks) run_print_device(run);
  fflush(stdout); /* before the progress lines on stderr, also in a log that takes both */
}

/* All of the plan on the device whose turn it is. */
static int measure_device(struct run_state *run, struct err *err) {
  if (run->devices.turn == 0)
    run->limit.taken_s[PIECE_PLANNING] = (double)(clock_now_ns() - run->started_ns - run->limit.waited_ns) * 1e-9;
  run_turns_note(run);
  if (run_roofs_take(run, err) != 0 || run_turns_write_ini(run, err) != 0) return -1;
  if (run->talks && !run->planned) run_print_plan(run);
  run->planned = true;
  fflush(stdout);
  if (run_cases_yardsticks(run, err) != 0) return -1;
  run_roofs_record(run);
  if (run->talks) run_print_yardsticks(run);
  fflush(stdout);
  if (run_cases_asked(run, err) != 0) return -1;
  run_note_floors(run);
  return 0;
}

static int record_run(struct run_state *run, int argc, char **argv, struct err *err) {
  const struct options *o = run->options;
  char name[ID_SIZE];
  struct utsname system;
  run_name(run, name, sizeof name);
  const struct rundir_options where = {o->outputs.out, name, o->run.no_save};
  if ((run->recording.resumed != NULL ? run_resume_repair(run, err)
                                      : rundir_create(&where, &run->recording.dir, err)) != 0)
    return -1;
  text_copy(run->recording.host, sizeof run->recording.host, uname(&system) == 0 ? system.nodename : "");
  run->recording.identity = (struct run_identity){.run_id = run->recording.dir.run_id,
                                                  .host = run->recording.host,
                                                  .facts = &run->devices.pool.facts,
                                                  .catalog = &run->planning.catalog,
                                                  .ceilings = CEILINGS_UNKNOWN,
                                                  .seed = o->common.seed,
                                                  .quick = o->run.quick,
                                                  .isolated = o->run.isolate};
  run_note(run, name, argc, argv);
  if (run_foreign_keep(run, err) != 0) return -1;
  for (bool more = !run_is_empty(run); more;) {
    if (measure_device(run, err) != 0 || run_turns_next(run, &more, err) != 0) return -1;
    if (more) meet_device(run);
  }
  if (run->talks && run->devices.count > 1) putchar('\n');
  pairs_add(&run->recording.environment, "wall_s", "%.1f",
            (double)(clock_now_ns() - run->started_ns - run->limit.waited_ns) * 1e-9); /* others' time is not its own */
  if (run_turns_write_ini(run, err) != 0) return -1;
  pool_dismiss_all(&run->devices.pool); /* plugins are closed before the files are looked at */
  run->recording.changed = rundir_unchanged(&run->recording.dir, err) != 0;
  if (run->recording.changed) return -1;
  if (rundir_close(&run->recording.dir, err) != 0) return -1;
  run->recording.done = true;
  return 0;
}

static int record_all(struct run_state *run, int argc, char **argv, struct err *err) {
  if (record_run(run, argc, argv, err) == 0) return 0;
  if (run->recording.rows > 0 && !run->recording.dir.temporary && !run->recording.changed)
    err_context(err, "rows so far are in %s", run->recording.dir.path);
  return -1;
}

/* Rows that something is wrong with; each has a line of its own. */
static size_t failed_rows(const struct run_state *run) {
  const size_t *n = run->recording.statuses;
  return n[ROW_WRONG] + n[ROW_CRASHED] + n[ROW_TIMEOUT] + n[ROW_ERROR];
}

static bool has_lost_device(const struct run_state *run) {
  for (size_t i = 0; i < run->devices.count; i++)
    if (run->devices.all[i].lost.exit_code != 0) return true;
  return false;
}

/* Files that could not be written weigh more than an interruption. */
int run_exit_code(const struct run_state *run, int rc, const struct err *err) {
  const size_t *n = run->recording.statuses;
  int number = signals_last();
  bool unwritten = rc != 0 && run->recording.dir.path[0] != '\0' && !run->recording.done;
  if (number != 0 && !unwritten) return 128 + number;
  const bool gated = err->exit_code == EXIT_REGRESSION || err->exit_code == EXIT_UNJUDGED;
  const bool judged = rc != 0 && gated; /* by --fail-on, when all else was done */
  if (rc != 0 && !judged) return err->exit_code;
  for (size_t i = 0; i < run->devices.count; i++)
    if (run->devices.all[i].lost.exit_code != 0) return run->devices.all[i].lost.exit_code;
  const bool of_jobs =
      run->options->run.jobs != NULL || run->planning.claims != NULL; /* who puts them together knows */
  const bool nothing = n[ROW_OK] == 0 && !run_is_empty(run) && !of_jobs;
  if (run->planning.refused.count > 0 || run->recording.required_skips > 0 || nothing) return EXIT_FAILED;
  if (failed_rows(run) + run->recording.unfound > 0) return EXIT_FAILED;
  return judged ? err->exit_code : EXIT_OK;
}

void run_say_why(const struct run_state *run, int code, struct err *err) {
  const struct recording *r = &run->recording;
  char text[TEXT_SIZE] = "";
  const bool told = failed_rows(run) > 0 && !options_use_stdout(run->options);
  if (told && run->planning.refused.count == 0 && !has_lost_device(run)) return;
  for (enum row_status status = ROW_NOT_RUN; status < ROW_STATUS_COUNT; status++)
    if (status != ROW_OK && r->statuses[status] > 0)
      phrase_add(text, sizeof text, ", ", "%zu row%s %s", r->statuses[status], r->statuses[status] == 1 ? "" : "s",
                 row_status_words(status));
  if (run->planning.refused.count > 0)
    phrase_add(text, sizeof text, ", ", "%zu plugin%s refused", run->planning.refused.count,
               run->planning.refused.count == 1 ? "" : "s");
  for (size_t i = 0; i < run->devices.count; i++)
    if (run->devices.all[i].lost.exit_code != 0)
      phrase_add(text, sizeof text, ", ", "a device was lost: %.200s", run->devices.all[i].lost.text);
  err_set(err, code, "%s%s%s", text[0] != '\0' ? text : "interrupted",
          r->first_not_ok[0] != '\0' ? "; the first: " : "", r->first_not_ok);
}

static size_t asked_rows(const struct plan *plan) {
  size_t count = 0;
  for (size_t i = 0; i < plan->count; i++)
    if (!plan->cases[i].yardstick) count += plan->cases[i].variant_count;
  return count;
}

/* What would end the run when it begins to write. A run that is gone on with has its directory. */
static int check_places(struct run_state *run, struct err *err) {
  const struct options *o = run->options;
  const struct rundir_options where = {o->outputs.out, "", o->run.no_save || o->run.profile};
  if (run->recording.resumed == NULL && rundir_check(&where, err) != 0) return -1;
  return o->run.dry_run ? run_roofs_take(run, err) : 0;
}

/* Where no word can be between providers nobody is looked at alone. */
static void end_spares(const struct run_state *run) {
  bool needed = false;
  for (size_t i = 0; i < run->planning.plan.count; i++)
    needed = needed || alone_promised_s(run, &run->planning.plan.cases[i]) > 0;
  if (!needed) spare_end();
}

/* From selections to cases, on the devices that there are. */
static int find_cases(struct run_state *run, struct err *err) {
  int rc = run_foreign_load(run, err);
  if (rc == 0) rc = run_against_load(run, err);
  if (rc == 0) rc = planning_select(&run->planning, run->options, err);
  if (rc == 0) run_limit_by_user(run, run->planning.max_time_s);
  if (rc == 0) rc = run_turns_find(run, err);
  if (rc == 0) run_jobs_find(run);
  if (rc == 0) rc = run_turns_plan(run, err);
  return rc;
}

static int run_all(struct run_state *run, int argc, char **argv, struct err *err) {
  cpu_times_read("", &run->begun);
  run->devices.pool.log = log_line;
  run->devices.pool.tick = tick;
  int rc = find_cases(run, err);
  end_spares(run);
  if (signals_last() != 0) {
    *err = (struct err){0};
    return err_set(err, 128 + signals_last(), "interrupted before anything was measured");
  }
  if (rc != 0 && signals_asked_to_finish()) {
    *err = (struct err){0};
    return err_set(err, EXIT_FAILED, "%s before anything was measured", signals_why());
  }
  if (rc == 0 && run->recording.resumed != NULL) rc = run_resume_check(run, err);
  if (rc == 0) rc = run_against_check(run, err);
  if (rc == 0) rc = check_places(run, err);
  if (rc == 0 && !run->options->run.dry_run && !run_is_empty(run)) rc = run_turns_lock(run, err);
  if (rc == 0) rc = run_against_last(run, err);
  if (rc != 0) return -1;
  progress_init(&progress, run->planning.plan.count * run_devices_usable(&run->devices), run->options->common.quiet,
                run->options->common.verbosity);
  run_jobs_look(run);
  run_limit_by_plan(run);
  progress_limit(&progress, run->started_ns + run->limit.waited_ns, run->limit.seconds);
  if (run->talks) run_print_header(run);
  if (run_is_empty(run))
    run_print_plan(run);
  else
    meet_device(run);
  if (run->talks && run->recording.resumed != NULL)
    printf("resumed     %zu of %zu cases are there already\n", run->recording.kept_cases,
           run->planning.plan.count * run->devices.count);
  fflush(stdout);
  if (run->options->run.profile && !run->options->run.dry_run) {
    run_print_plan(run);
    run_cases_profile(run);
    return 0;
  }
  if (!run->options->run.dry_run) return record_all(run, argc, argv, err);
  if (run_is_empty(run)) return 0;
  run_print_plan(run);
  run_print_cases(run);
  run->recording.statuses[ROW_OK] = asked_rows(&run->planning.plan);
  return 0;
}

void run_free(struct run_state *run) {
  spare_end();
  pool_free(&run->devices.pool);
  planning_free(&run->planning);
  foreign_free(&run->comparison.foreign);
  base_run_free(&run->comparison.against);
  recording_free(&run->recording);
  run_resume_free(run);
  run_devices_free(&run->devices);
}

/* An absolute path, since plugins are told it. */
static int take_scratch(struct options *options, struct err *err) {
  if (options->run.scratch == NULL) return 0;
  char *real = realpath(options->run.scratch, NULL);
  if (real == NULL) return err_set(err, EXIT_USAGE, "--scratch %.500s: %s", options->run.scratch, strerror(errno));
  free(options->run.scratch);
  options->run.scratch = real;
  process_scratch(real);
  return scratch_check_base(real, err);
}

int run_to_rows(struct run_state *run, struct options *options, int argc, char **argv, struct err *err) {
  *run = (struct run_state){.options = options, .started_ns = clock_now_ns(), .progress = &progress};
  run->planning.shard = options->run.shard;
  run->talks =
      !options->common.quiet && !options_use_stdout(options) && (!options_is_edit(options) || options->run.dry_run);
  signals_catch();
  run_limit_by_user(run, options->cli.max_time_s);
  process_limit_memory((uint64_t)options->run.memory_limit);
  if (options->run.in_process) process_none();
  if (!options->run.in_process && !options->run.dry_run && !options->run.isolate) spare_keep();
  if (clock_check(err) != 0) return -1;
  if (take_scratch(options, err) != 0) return -1;
  if (options->run.resume != NULL && run_resume_begin(run, options, err) != 0) return err_context(err, "--resume");
  interpreter_choose(options->common.python);
  if (run_isolate(run, err) != 0) return -1;
  return run_all(run, argc, argv, err);
}

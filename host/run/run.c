/* Executes one run, from the user's selections to the rows of results. Each step hands a plain struct to the next. */
#include "run/run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"
#include "budget/reckon.h"
#include "ceilings/yardsticks.h"
#include "machine/scratch.h"
#include "run/announce.h"
#include "run/cases.h"
#include "run/comparison.h"
#include "run/device_loop.h"
#include "run/run_facts.h"
#include "run/take_over.h"
#include "worker/interpreter.h"
#include "worker/signals.h"
#include "worker/spare.h"

/* static because log_line() and tick_progress() are callbacks without a context */
static struct progress progress;

static void log_line(const struct log_message *message) {
  progress_log(&progress, message);
}

static void tick_progress(void) {
  progress_tick(&progress);
}

/* ---- Recording the run ---- */

static void run_name(const struct options *o, const struct planning *planning, char *to, size_t size) {
  text_copy(to, size, o->run.name != NULL ? o->run.name : planning->catalog.plugins[planning->first_plugin].desc.id);
  for (char *c = to; *c != '\0'; c++)
    if (*c == '/') *c = '-';
}

/* Stores a line that tells whether the machine is fit for measuring, with clocks and temperature, before anything is
 * measured. Prints the lines about the device if the run prints such lines. */
static void meet_device(struct run_state *run) {
  environment_conditions(&run->devices.pool.facts, run->devices.present == 0 ? &run->begun : NULL,
                         run->devices.conditions, sizeof run->devices.conditions);
  if (run->talks)
    announce_device(&run->devices, &run->comparison.against, run->planned, output_color(run->options->common.color));
  fflush(stdout); /* so that these lines precede the progress lines of stderr in a log of both streams */
}

static int take_ceilings(struct run_state *run, struct err *err) {
  return ceilings_take(run->options->run.ceilings, &run->devices.pool.facts, &run->recording.identity.ceilings,
                       &run_device(&run->devices)->environment, err);
}

/* Measures the whole plan on the present device. */
static int measure_device(struct run_state *run, struct err *err) {
  if (run->devices.present == 0) run->budget.taken_s[PIECE_PLANNING] = time_budget_gone_s(&run->budget);
  device_loop_note(&run->devices, &run->planning);
  if (take_ceilings(run, err) != 0 || device_loop_write_ini(&run->devices, &run->recording, &run->planning, err) != 0)
    return -1;
  if (run->talks && !run->planned) announce_plan(&run->planning, &run->budget, &run->isolation);
  run->planned = true;
  fflush(stdout);
  if (run_cases_yardsticks(run, err) != 0) return -1;
  ceilings_note(&run->recording.identity.ceilings, &run_device(&run->devices)->environment);
  if (run->talks)
    announce_yardsticks(&run->yardsticks, &run->recording.identity.ceilings, &run_device(&run->devices)->environment);
  fflush(stdout);
  if (run_cases_asked(run, err) != 0) return -1;
  run_note_overheads(&run->planning.plan, run->devices.overheads, &run_device(&run->devices)->environment);
  return 0;
}

static int record_run(struct run_state *run, int argc, char **argv, struct err *err) {
  const struct options *o = run->options;
  char name[ID_SIZE];
  struct utsname system;
  run_name(o, &run->planning, name, sizeof name);
  const struct rundir_options where = {o->outputs.out, name, o->run.no_save};
  if ((run->recording.resumed != NULL
           ? resume_repair(run->recording.resumed, &run->recording.dir, &run->planning.plan, err)
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
  if (run_foreign_keep(&run->comparison.foreign, &run->recording.dir, err) != 0) return -1;
  for (bool more = !planning_is_empty(&run->planning); more;) {
    if (measure_device(run, err) != 0 || device_loop_next(run, &more, err) != 0) return -1;
    if (more) meet_device(run);
  }
  if (run->talks && run->devices.count > 1) putchar('\n');
  pairs_add(&run->recording.environment, "wall_s", "%.1f",
            /* how long the run took, without the time that it waited for other runs */
            time_budget_gone_s(&run->budget));
  if (device_loop_write_ini(&run->devices, &run->recording, &run->planning, err) != 0) return -1;
  pool_dismiss_all(&run->devices.pool); /* ends the workers, so that plugins are closed before the files are checked */
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

/* Returns the number of rows that failed; for each of them a line was printed already. */
static size_t failed_rows(const struct recording *r) {
  const size_t *n = r->statuses;
  return n[ROW_WRONG] + n[ROW_CRASHED] + n[ROW_TIMEOUT] + n[ROW_ERROR];
}

static bool has_lost_device(const struct run_devices *devices) {
  for (size_t i = 0; i < devices->count; i++)
    if (devices->all[i].lost.exit_code != 0) return true;
  return false;
}

/* Returns the exit code. If files could not be written, their exit code takes precedence over that of an interruption.
 */
int run_exit_code(const struct run_state *run, int rc, const struct err *err) {
  const size_t *n = run->recording.statuses;
  int number = signals_last();
  bool unwritten = rc != 0 && run->recording.dir.path[0] != '\0' && !run->recording.done;
  if (number != 0 && !unwritten) return 128 + number;
  const bool gated = err->exit_code == EXIT_REGRESSION || err->exit_code == EXIT_UNJUDGED;
  const bool judged = rc != 0 && gated; /* true if only the comparison that --fail-on demands failed */
  if (rc != 0 && !judged) return err->exit_code;
  for (size_t i = 0; i < run->devices.count; i++)
    if (run->devices.all[i].lost.exit_code != 0) return run->devices.all[i].lost.exit_code;
  /* true for one of several jobs: the process that merges the jobs decides whether anything ran */
  const bool of_jobs = run->options->run.jobs != NULL || run->planning.claims != NULL;
  const bool nothing = n[ROW_OK] == 0 && !planning_is_empty(&run->planning) && !of_jobs;
  if (run->planning.refused.count > 0 || run->recording.required_skips > 0 || nothing) return EXIT_FAILED;
  if (failed_rows(&run->recording) + run->recording.unfound > 0) return EXIT_FAILED;
  return judged ? err->exit_code : EXIT_OK;
}

void run_say_why(const struct run_state *run, int code, struct err *err) {
  const struct recording *r = &run->recording;
  char text[TEXT_SIZE] = "";
  const bool told = failed_rows(r) > 0 && !options_use_stdout(run->options);
  if (told && run->planning.refused.count == 0 && !has_lost_device(&run->devices)) return;
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

/* Checks early whether the run's files can be written, because otherwise the run would end when it begins to write. A
 * resumed run has its directory already. */
static int check_places(struct run_state *run, struct err *err) {
  const struct options *o = run->options;
  const struct rundir_options where = {o->outputs.out, "", o->run.no_save || o->run.profile};
  if (run->recording.resumed == NULL && rundir_check(&where, err) != 0) return -1;
  return o->run.dry_run ? take_ceilings(run, err) : 0;
}

/* Ends the spare workers (processes that are kept for measuring one or two variants alone) if no case needs them. A
 * case needs them if it compares variants of different plugins: such a comparison is checked by measuring the two
 * variants alone. */
static void end_spares(const struct options *options, const struct plan *plan) {
  bool needed = false;
  for (size_t i = 0; i < plan->count; i++)
    needed = needed || alone_promised_s(options, &plan->cases[i]) > 0;
  if (!needed) spare_end();
}

/* Finds out which cases to measure, from the selections, on the devices that exist. */
static int find_cases(struct run_state *run, struct err *err) {
  int rc = foreign_load_all(&run->options->compare.foreigns, &run->comparison.foreign, err);
  if (rc == 0) rc = run_against_load(&run->comparison.against, run->options->compare.against, &run->recording, err);
  if (rc == 0) rc = planning_select(&run->planning, run->options, err);
  if (rc == 0) time_budget_by_user(&run->budget, run->planning.max_time_s);
  if (rc == 0) rc = device_loop_find(&run->devices, run->options, err);
  if (rc == 0) run_jobs_find(&run->planning, run->options, &run->recording);
  if (rc == 0) rc = device_loop_plan(run, err);
  return rc;
}

static int run_selected(struct run_state *run, int argc, char **argv, struct err *err) {
  cpu_times_read("", &run->begun);
  /* points to the device's name, which is filled in only when the first device is opened */
  const char *device = run->devices.pool.facts.name;
  run->devices.pool.log = log_line;
  run->devices.pool.tick = tick_progress;
  int rc = find_cases(run, err);
  end_spares(run->options, &run->planning.plan);
  if (signals_last() != 0) {
    *err = (struct err){0};
    return err_set(err, 128 + signals_last(), "interrupted before anything was measured");
  }
  if (rc != 0 && signals_asked_to_finish()) {
    *err = (struct err){0};
    return err_set(err, EXIT_FAILED, "%s before anything was measured", signals_why());
  }
  if (rc == 0 && run->recording.resumed != NULL) rc = run_resume_check(run, err);
  if (rc == 0) rc = run_against_check(&run->comparison.against, &run->planning.plan, device, &run->recording, err);
  if (rc == 0) rc = check_places(run, err);
  if (rc == 0 && !run->options->run.dry_run && !planning_is_empty(&run->planning)) rc = device_loop_lock(run, err);
  if (rc == 0)
    rc = run_against_last(&run->comparison.against, run->options->compare.against, &run->planning.plan, device,
                          &run->recording, err);
  if (rc != 0) return -1;
  progress_init(&progress, run->planning.plan.count * run_devices_usable(&run->devices), run->options->common.quiet,
                run->options->common.verbosity);
  run_jobs_look(&run->planning, run->progress);
  time_budget_by_plan(&run->budget);
  progress_limit(&progress, run->budget.started_ns + run->budget.waited_ns, run->budget.seconds);
  if (run->talks) announce_header(&run->planning, &run->devices);
  if (planning_is_empty(&run->planning))
    announce_plan(&run->planning, &run->budget, &run->isolation);
  else
    meet_device(run);
  if (run->talks && run->recording.resumed != NULL)
    printf("resumed     %zu of %zu cases are there already\n", run->recording.kept_cases,
           run->planning.plan.count * run->devices.count);
  fflush(stdout);
  if (run->options->run.profile && !run->options->run.dry_run) {
    announce_plan(&run->planning, &run->budget, &run->isolation);
    run_cases_profile(run);
    return 0;
  }
  if (!run->options->run.dry_run) return record_all(run, argc, argv, err);
  if (planning_is_empty(&run->planning)) return 0;
  announce_plan(&run->planning, &run->budget, &run->isolation);
  announce_cases(&run->planning.plan, run->recording.resumed);
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
  if (run->recording.resumed != NULL) resume_free(run->recording.resumed);
  free(run->recording.resumed);
  run_devices_free(&run->devices);
}

/* Makes the path of --scratch absolute, because plugins are told the path. */
static int set_scratch(struct options *options, struct err *err) {
  if (options->run.scratch == NULL) return 0;
  char *real = realpath(options->run.scratch, NULL);
  if (real == NULL) return err_set(err, EXIT_USAGE, "--scratch %.500s: %s", options->run.scratch, strerror(errno));
  free(options->run.scratch);
  options->run.scratch = real;
  process_scratch(real);
  return scratch_check_base(real, err);
}

/* Returns the folder that the run's files will be in. If the run makes a directory whose name has the date, returns the
 * folder above it, which holds nothing but such directories. */
static const char *folder_of(const struct options *options, const struct recording *r) {
  const char *base = getenv("GPUBENCH_OUT");
  if (r->resumed != NULL) return r->dir.path;
  if (options->outputs.out != NULL) return options->outputs.out;
  return base != NULL && base[0] != '\0' ? base : "gpubench-out";
}

/* Loads the run that --resume names. */
static int load_resumed(struct run_state *run, struct options *options, struct err *err) {
  struct resume *former = run->recording.resumed = xcalloc(1, sizeof *former);
  run->budget.former = former;
  return resume_begin(former, &run->recording.dir, options, &run->planning.shard, &run->planning.whole, err);
}

int run_to_rows(struct run_state *run, struct options *options, int argc, char **argv, struct err *err) {
  *run = (struct run_state){.options = options, .progress = &progress};
  run->yardsticks = (struct yardsticks){.options = options,
                                        .plan = &run->planning.plan,
                                        .catalog = &run->planning.catalog,
                                        .facts = &run->devices.pool.facts};
  run->budget = (struct time_budget){.options = options,
                                     .plan = &run->planning.plan,
                                     .catalog = &run->planning.catalog,
                                     .pool = &run->devices.pool,
                                     .yardsticks = &run->yardsticks,
                                     .started_ns = clock_now_ns()};
  run->planning.shard = options->run.shard;
  run->talks =
      !options->common.quiet && !options_use_stdout(options) && (!options_is_edit(options) || options->run.dry_run);
  signals_catch();
  time_budget_by_user(&run->budget, options->cli.max_time_s);
  process_limit_memory((uint64_t)options->run.memory_limit);
  if (options->run.in_process) process_none();
  if (!options->run.in_process && !options->run.dry_run && !options->run.isolate) spare_keep();
  if (clock_check(err) != 0) return -1;
  if (set_scratch(options, err) != 0) return -1;
  if (options->run.resume != NULL && load_resumed(run, options, err) != 0) return err_context(err, "--resume");
  interpreter_choose(options->common.python);
  run->isolation.asked = options->run.isolate;
  if (run_isolate(&run->isolation, folder_of(options, &run->recording), err) != 0) return -1;
  return run_selected(run, argc, argv, err);
}

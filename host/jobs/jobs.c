/* Runs a command line as several shards (parts of its plan): one for each GPU, and a last one for the cases that need
 * the machine to themselves. */
#include "jobs/jobs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/tree.h"
#include "jobs/state.h"
#include "machine/topology.h"
#include "merge/merge.h"
#include "options/device_list.h"
#include "plan/claims.h"
#include "record/run_data.h"
#include "resume/run_ini.h"
#include "run/devices.h"
#include "worker/signals.h"

static char *path_in_folder(const char *dir, const char *name) {
  return memory_print("%s/%s", dir, name);
}

/* ---- Options and devices ---- */

/* Returns true if the jobs have begun but are not merged yet; run.ini is written last, by the merge. */
static bool is_begun(const char *dir) {
  SCOPED char *jobs = path_in_folder(dir, "jobs/run.ini"), *ini = path_in_folder(dir, "run.ini");
  return access(jobs, F_OK) == 0 && access(ini, F_OK) != 0;
}

bool jobs_are_asked(const struct options *options) {
  if (options->run.resume != NULL) return is_begun(options->run.resume);
  return options->run.jobs != NULL && options->run.shard.of == 0;
}

static void no_log(const struct log_message *message) {
  (void)message;
}

/* Lists the devices: all GPUs if none is named. */
static int list_devices(const struct options *options, struct strings *devices, struct err *err) {
  char list[EXPR_SIZE], why[EXPR_SIZE + TEXT_SIZE];
  struct pool pool = {.timeout_s = options_timeout_s(options), .log = no_log};
  if (run_choose_device(options->common.device, list, sizeof list, why, sizeof why, err) != 0) return -1;
  int rc = run_list_devices(&pool, devices_all(list), devices, err);
  pool_free(&pool);
  return rc;
}

static void add_job(struct jobs *jobs, const char *device) {
  jobs->items = xgrow(jobs->items, jobs->count, sizeof *jobs->items);
  jobs->items[jobs->count++] = (struct job){.device = xstrdup(device), .uuid = xstrdup("")};
}

static int choose_job_devices(struct jobs *jobs, struct err *err) {
  SCOPED_STRINGS struct strings devices = {0};
  const uint32_t wanted = options_jobs(jobs->options);
  int rc = list_devices(jobs->options, &devices, err);
  const size_t count = wanted > 0 ? wanted : devices.count < JOBS_MAX ? devices.count : JOBS_MAX;
  if (rc == 0 && count > devices.count)
    rc = err_set(err, EXIT_USAGE, "--jobs %u: there %s %zu device%s", wanted, devices.count == 1 ? "is" : "are",
                 devices.count, devices.count == 1 ? "" : "s");
  for (size_t i = 0; i < count && rc == 0; i++)
    add_job(jobs, devices.items[i]);
  return rc;
}

/* ---- Storing the command line ---- */

/* Writes the arguments to DIR/jobs/run.ini. They are needed to resume a run in which some job has not begun, because
 * such a job has no run.ini of its own. */
static int keep_words(const struct jobs *jobs, struct err *err) {
  struct pairs pairs = {0};
  struct memory_text writing;
  pairs_add_text(&pairs, "in", jobs->begun_in);
  for (size_t i = 0; i < jobs->count; i++)
    pairs_add_text(&pairs, "device", jobs->items[i].device);
  for (size_t i = 0; i < jobs->words.count; i++)
    pairs_add_text(&pairs, "word", jobs->words.items[i]);
  run_ini_write_pairs(memory_text_begin(&writing), "environment", &pairs);
  char *text = memory_text_end(&writing), *path = path_in_folder(jobs->folder, "run.ini");
  const int rc = tree_write(path, text, writing.size, err);
  free(path);
  free(text);
  pairs_free(&pairs);
  return rc;
}

static int recall_words(struct jobs *jobs, struct err *err) {
  struct run_data ini;
  if (run_data_load_ini(jobs->folder, &ini, err) != 0) return -1;
  for (size_t i = 0; i < ini.environment.count; i++) {
    const struct pair *pair = &ini.environment.items[i];
    if (strcmp(pair->name, "in") == 0) text_copy(jobs->begun_in, sizeof jobs->begun_in, pair->value);
    if (strcmp(pair->name, "word") == 0) strings_add(&jobs->words, pair->value);
    if (strcmp(pair->name, "device") == 0 && jobs->count < JOBS_MAX) add_job(jobs, pair->value);
  }
  run_data_free(&ini);
  if (jobs->count > 0 && jobs->words.count > 0) return 0;
  return err_set(err, EXIT_USAGE, "%.300s/run.ini is no command of a run with --jobs", jobs->folder);
}

/* ---- The run directory ---- */

static int take_folder(struct jobs *jobs, const char *dir, struct err *err) {
  SCOPED char *real = realpath(dir, NULL);
  const int why = real == NULL ? errno : ENAMETOOLONG;
  const bool fits = real != NULL && strlen(real) + 64 < sizeof jobs->folder;
  if (fits) snprintf(jobs->folder, sizeof jobs->folder, "%s/jobs", real);
  if (fits) jobs->claims = path_in_folder(jobs->folder, "claims");
  return fits ? 0 : err_set(err, EXIT_FAILED, "%.300s: %s", dir, strerror(why));
}

static int begin_jobs(struct jobs *jobs, struct rundir *dir, struct err *err) {
  const struct options *o = jobs->options;
  const struct rundir_options where = {o->outputs.out, o->run.name != NULL ? o->run.name : "jobs", false};
  for (size_t i = 0; i < o->run.words.count; i++)
    strings_add(&jobs->words, o->run.words.items[i]);
  if (getcwd(jobs->begun_in, sizeof jobs->begun_in) == NULL) jobs->begun_in[0] = '\0';
  if (choose_job_devices(jobs, err) != 0) return -1;
  if (o->run.dry_run) return 0;
  if (rundir_check(&where, err) != 0 || rundir_place(&where, dir, err) != 0) return -1;
  if (take_folder(jobs, dir->path, err) != 0 || tree_make(jobs->folder, err) != 0) return -1;
  return keep_words(jobs, err);
}

static int resume_jobs(struct jobs *jobs, struct rundir *dir, struct err *err) {
  if (rundir_open(jobs->options->run.resume, dir, err) != 0) return -1;
  for (enum run_file i = 0; i < RUN_FILE_COUNT; i++) { /* removes files of an interrupted merge, which are made again */
    SCOPED char *path = path_in_folder(dir->path, rundir_file_name(i));
    unlink(path);
  }
  return take_folder(jobs, dir->path, err) == 0 ? recall_words(jobs, err) : -1;
}

/* ---- One job ---- */

static char *shard_path(const struct jobs *jobs, size_t shard) {
  return memory_print("%s/%zu", jobs->folder, shard + 1);
}

static void add_child_word(struct child *child, char *word) {
  strings_add(&child->words, word);
  free(word);
}

/* Returns true if the job has begun and has cases. If not, there is nothing to resume. */
static bool has_cases(const char *path) {
  struct run_data ini;
  struct err ignored = {0};
  const bool found = run_data_load_ini(path, &ini, &ignored) == 0 && ini.runs[0].ini != NULL &&
                     strstr(ini.runs[0].ini, "\n[case-") != NULL;
  run_data_free(&ini);
  return found;
}

static void prepare_shard(const struct jobs *jobs, size_t shard, double seconds, struct child *child) {
  const struct job *job = &jobs->items[shard < jobs->count ? shard : 0];
  const bool dry = jobs->options->run.dry_run;
  struct err ignored = {0};
  SCOPED char *path = shard_path(jobs, shard);
  *child = (struct child){.label = job->device};
  if (cpus_count(&job->cpus) > 0 && shard < jobs->count) child->cpus = &job->cpus;
  strings_add(&child->words, "run");
  if (!dry && has_cases(path)) {
    add_child_word(child, memory_print("--resume=%s", path));
  } else {
    /* removes what is left of a job that ended before it had cases */
    tree_remove(path, &ignored);
    if (jobs->begun_in[0] != '\0') child->folder = xstrdup(jobs->begun_in);
    for (size_t i = 0; i < jobs->words.count; i++)
      strings_add(&child->words, jobs->words.items[i]);
    add_child_word(child, memory_print("--device=%s", job->device));
    add_child_word(child, memory_print("--jobs=%zu", jobs->count));
    add_child_word(child, memory_print("--shard=%zu/%zu", shard + 1, jobs->count + 1));
    if (!dry) add_child_word(child, memory_print("--out=%s", path));
  }
  if (!isnan(seconds)) add_child_word(child, memory_print("--max-time=%.3f", fmax(seconds, 0.001)));
  if (!dry) child->log = memory_print("%s.log", path);
}

/* ---- All jobs ---- */

/* Shards that run at the same time form a step. Returns how many seconds the next step may take: the time that is left
 * of --max-time, divided by `in_a_row`, the number of steps that still have to run before the last shard. The last
 * shard runs alone, after these steps, and gets all the time that is left then. */
static double time_left(const struct jobs *jobs, int64_t begun_ns, size_t in_a_row) {
  const double gone_s = clock_seconds_since(begun_ns);
  return (jobs->options->cli.max_time_s - gone_s) / (double)in_a_row;
}

static void run_some(struct jobs *jobs, size_t from, size_t count, double seconds, struct child *children) {
  for (size_t i = from; i < from + count; i++)
    prepare_shard(jobs, i, seconds, &children[i]);
  children_run(&children[from], count);
}

/* Runs the shards of the GPUs, at the same time unless the GPUs disturb each other. Then runs the last shard, which has
 * the cases that need the machine to themselves. */
static void run_shards(struct jobs *jobs, int64_t begun_ns, struct child *children) {
  const size_t at_once = jobs->apart || jobs->count == 0 ? 1 : jobs->count;
  for (size_t i = 0; i <= jobs->count && signals_last() == 0; i += i < jobs->count ? at_once : 1) {
    const bool last = i == jobs->count;
    const size_t in_a_row = last ? 1 : (jobs->count - i) / at_once;
    run_some(jobs, i, last ? 1 : at_once, time_left(jobs, begun_ns, in_a_row), children);
  }
}

/* Lets jobs that run at the same time take over cases from each other: a job that begins a case claims it, so that no
 * other job measures it, too. There are two exceptions. In a resumed run, a case that was measured already may lack a
 * claim, so another job could measure it again. In a run that is compared with another run, each case must be measured
 * on the same GPU as in that run. */
static void open_claims(const struct jobs *jobs) {
  const struct options *o = jobs->options;
  if (o->run.dry_run) return;
  if (o->run.resume != NULL)
    claims_close(jobs->claims);
  else if (jobs->count > 1 && !jobs->apart && o->compare.against == NULL && o->doctor.history == NULL)
    claims_open(jobs->claims);
}

static void say_taken_over(struct jobs *jobs) {
  const size_t count = jobs->claims != NULL ? claims_taken_over(jobs->claims) : 0;
  if (count > 0)
    pairs_add(&jobs->said, "taken_over", "%zu case%s, by a job that was done with its own", count,
              count == 1 ? "" : "s");
}

static void print_said(const struct jobs *jobs, size_t from) {
  const struct options *o = jobs->options;
  if (o->common.quiet || options_use_stdout(o)) return;
  for (size_t i = from; i < jobs->said.count; i++)
    printf("%-11s %s\n", jobs->said.items[i].name, jobs->said.items[i].value);
  fflush(stdout);
}

static void divide_processors(struct jobs *jobs) {
  SCOPED const char **uuids = xcalloc(jobs->count, sizeof *uuids);
  SCOPED struct cpus *shares = xcalloc(jobs->count, sizeof *shares);
  for (size_t i = 0; i < jobs->count; i++)
    uuids[i] = jobs->items[i].uuid;
  near_divide("", uuids, jobs->count, shares);
  for (size_t i = 0; i < jobs->count; i++)
    jobs->items[i].cpus = shares[i];
}

static void decide_order(struct jobs *jobs) {
  char list[EXPR_SIZE];
  const char *names[JOBS_MAX];
  if (jobs->count > 1 && !jobs->options->run.verify_only && !jobs->options->run.dry_run) interference_look(jobs);
  for (size_t i = 0; i < jobs->count; i++)
    names[i] = jobs->items[i].device;
  text_join(list, sizeof list, names, jobs->count);
  pairs_add(&jobs->said, "jobs", "%zu%s: %s", jobs->count,
            jobs->count == 1 ? ""
            : jobs->apart    ? ", one after the other"
                             : " at the same time",
            list);
  /* divides the processors even if the jobs run one after the other, so that their results are comparable with those of
   * jobs that run at the same time */
  if (jobs->count > 1) divide_processors(jobs);
}

/* ---- Results of the jobs ---- */

/* Replaces the error of the merge by one that names the first job that failed. */
static int name_failed(const struct jobs *jobs, const struct child *children, const struct rundir *dir,
                       struct err *err) {
  char end[64];
  for (size_t i = 0; i <= jobs->count; i++) {
    const int code = child_code(&children[i]);
    if (code == EXIT_OK) continue;
    child_end(&children[i], end, sizeof end);
    *err = (struct err){0};
    return err_set(err, code < 128 ? code : EXIT_FAILED,
                   "job %zu of %zu, on %s, %s: see %s/%zu.log; gpubench --resume %s goes on with what was measured",
                   i + 1, jobs->count + 1, children[i].label, end, jobs->folder, i + 1, dir->path);
  }
  return err_context(err, "the jobs cannot be put together");
}

static int put_together(struct jobs *jobs, const struct child *children, struct rundir *dir, int *code,
                        struct err *err) {
  SCOPED_STRINGS struct strings paths = {0};
  size_t ok = 0;
  for (size_t i = 0; i <= jobs->count; i++) {
    SCOPED char *path = shard_path(jobs, i);
    strings_add(&paths, path);
    if (child_code(&children[i]) > *code) *code = child_code(&children[i]);
  }
  int rc = signals_last() != 0
               ? err_set(err, 128 + signals_last(), "interrupted; gpubench --resume %s goes on", dir->path)
               : merge_into(&paths, &jobs->said, dir, &ok, err);
  if (rc != 0 && signals_last() == 0) name_failed(jobs, children, dir, err);
  if (rc == 0 && ok == 0 && *code == EXIT_OK) *code = EXIT_FAILED;
  return rc;
}

/* Removes the run directory if no job began, as after an error in the command line. */
static void remove_empty(const struct jobs *jobs, const struct rundir *dir) {
  struct err ignored = {0};
  for (size_t i = 0; i <= jobs->count; i++) {
    SCOPED char *path = shard_path(jobs, i);
    const bool there = access(path, F_OK) == 0;
    if (there) return;
  }
  if (tree_remove(jobs->folder, &ignored) == 0) rmdir(dir->path);
}

static int run_jobs(struct jobs *jobs, struct rundir *dir, int *code, struct err *err) {
  const int64_t begun_ns = clock_now_ns();
  struct err ignored = {0};
  SCOPED struct child *children = xcalloc(jobs->count + 1, sizeof *children);
  decide_order(jobs);
  print_said(jobs, 0);
  open_claims(jobs);
  for (size_t i = 0; i <= jobs->count; i++)
    children[i].status = -1;
  if (jobs->options->run.dry_run) jobs->apart = true;
  run_shards(jobs, begun_ns, children);
  const size_t said = jobs->said.count;
  say_taken_over(jobs);
  print_said(jobs, said);
  int rc = 0;
  for (size_t i = 0; i <= jobs->count && jobs->options->run.dry_run; i++)
    if (child_code(&children[i]) > *code) *code = child_code(&children[i]);
  if (!jobs->options->run.dry_run) {
    rc = put_together(jobs, children, dir, code, err);
    if (rc == 0)
      tree_remove(jobs->claims, &ignored); /* claims are needed only to resume a run, and this run is complete */
    else
      remove_empty(jobs, dir);
  }
  for (size_t i = 0; i <= jobs->count; i++)
    child_free(&children[i]);
  return rc;
}

int jobs_run(const struct options *options, struct rundir *dir, int *code, struct err *err) {
  SCOPED struct jobs *jobs = xcalloc(1, sizeof *jobs);
  jobs->options = options;
  *dir = (struct rundir){0};
  *code = EXIT_OK;
  signals_catch();
  int rc = options->run.resume != NULL ? resume_jobs(jobs, dir, err) : begin_jobs(jobs, dir, err);
  if (rc == 0) rc = run_jobs(jobs, dir, code, err);
  for (size_t i = 0; i < jobs->count; i++) {
    free(jobs->items[i].device);
    free(jobs->items[i].uuid);
  }
  free(jobs->items);
  free(jobs->claims);
  strings_free(&jobs->words);
  pairs_free(&jobs->said);
  return rc;
}

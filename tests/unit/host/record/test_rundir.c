/* Tests the run directory: it is always a new one, its files are readable at any moment, and its run.ini, used as a
 * suite file, repeats the run. */
#include "record/rundir.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "capture.h"
#include "fixture_catalog.h"
#include "options/selection.h"
#include "options/suite.h"
#include "plan/build.h"
#include "record/csv/csv.h"
#include "resume/run_ini.h"
#include "unit.h"

#define SAMPLE_COLUMNS "case_key,variant,mode,epoch,round,index,ns"
#define SLOT_COLUMNS \
  "case_key,variant,mode,epoch,round,position,samples,sm_clock_mhz,temperature_c,power_w,throttle,cooldown,unix_s"

static char folder[64] = "/tmp/gpubench-rundir-XXXXXX", base[128];
static struct rundir dir;
static struct err error;

static void makes_folder(void) {
  ASSERT_TRUE(mkdtemp(folder) != NULL);
  snprintf(base, sizeof base, "%s/out", folder);
  setenv("GPUBENCH_OUT", base, 1);
  unsetenv("CI");
}

/* Removes a folder whose name these tests made. */
static void removes_folder(void) {
  char command[256];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  ASSERT_EQ_INT(system(command), 0);
}

static const char *in(const char *parent, const char *name) {
  static char paths[4][8400];
  static unsigned next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", parent, name);
  return path;
}

static bool is_there(const char *path) {
  struct stat info;
  return lstat(path, &info) == 0;
}

static int create(const char *out, const char *name, bool temporary) {
  const struct rundir_options options = {out, name, temporary};
  error = (struct err){0};
  return rundir_create(&options, &dir, &error);
}

static void file_is(const char *path, const char *expected) {
  char *text = read_file(path);
  ASSERT_EQ_STR(text, expected);
  free(text);
}

/* ---- Creating and closing ---- */

static void dated_directories(void) {
  char *header;
  ASSERT_EQ_INT(create(NULL, "attention", false), 0);
  ASSERT_EQ_STR(error.text, "");
  ASSERT_EQ_INT(strlen(dir.run_id), strlen("20260101T000000Z-attention"));
  ASSERT_TRUE(dir.run_id[8] == 'T' && dir.run_id[15] == 'Z' && strcmp(dir.run_id + 16, "-attention") == 0);
  ASSERT_EQ_STR(dir.path, in(base, dir.run_id));
  ASSERT_EQ_STR(dir.parent, base);
  file_is(in(base, ".gitignore"), "*\n");
  file_is(in(dir.path, "samples.csv"), SAMPLE_COLUMNS "\r\n");
  header = read_file(in(dir.path, "results.csv"));
  ASSERT_TRUE(strncmp(header, "schema,run_id,", 14) == 0);
  free(header);
  ASSERT_EQ_INT(rundir_close(&dir, &error), 0);
  ASSERT_EQ_INT(rundir_close(&dir, &error), 0); /* closing twice has no effect */
  rundir_discard(&dir);                         /* a directory that is not temporary stays */
  ASSERT_TRUE(is_there(in(dir.path, "results.csv")));
}

/* Names differ even within one second, and no directory is shared. */
static void directories_are_exclusive(void) {
  char former[8400] = "";
  for (int i = 0; i < 4; i++) {
    ASSERT_EQ_INT(create(NULL, "twin", false), 0);
    ASSERT_TRUE(strcmp(former, dir.path) != 0);
    text_copy(former, sizeof former, dir.path);
    ASSERT_EQ_INT(rundir_close(&dir, &error), 0);
  }
  ASSERT_HAS(dir.run_id, "-twin");
}

static void gitignore_is_left_alone(void) {
  write_file(in(base, ".gitignore"), "mine\n");
  ASSERT_EQ_INT(create(NULL, "x", false), 0);
  ASSERT_EQ_INT(rundir_close(&dir, &error), 0);
  file_is(in(base, ".gitignore"), "mine\n");
}

static const char *latest(void) {
  static char target[256];
  ssize_t length = readlink(in(base, "latest"), target, sizeof target - 1);
  target[length > 0 ? length : 0] = '\0';
  return target;
}

static void latest_points_to_the_last_closed(void) {
  ASSERT_EQ_INT(create(NULL, "first", false), 0);
  ASSERT_TRUE(strcmp(latest(), dir.run_id) != 0); /* not before the run is complete */
  ASSERT_EQ_INT(rundir_close(&dir, &error), 0);
  ASSERT_EQ_STR(latest(), dir.run_id);
  ASSERT_EQ_INT(create(NULL, "second", false), 0);
  ASSERT_EQ_INT(rundir_close(&dir, &error), 0);
  ASSERT_EQ_STR(latest(), dir.run_id);
  char kept[256];
  text_copy(kept, sizeof kept, dir.run_id);
  setenv("CI", "true", 1);
  ASSERT_EQ_INT(create(NULL, "third", false), 0);
  ASSERT_EQ_INT(rundir_close(&dir, &error), 0);
  unsetenv("CI");
  ASSERT_EQ_STR(latest(), kept);
}

static void exact_directories(void) {
  char out[256];
  snprintf(out, sizeof out, "%s/a/b/run 1//", folder);
  ASSERT_EQ_INT(create(out, "ignored", false), 0);
  ASSERT_EQ_STR(dir.run_id, "run 1");
  ASSERT_EQ_STR(dir.path, in(folder, "a/b/run 1"));
  ASSERT_EQ_INT(rundir_close(&dir, &error), 0);
  ASSERT_TRUE(!is_there(in(folder, "a/b/latest")) && !is_there(in(folder, "a/b/.gitignore")));
  char message[400];
  snprintf(message, sizeof message, "--out %s/a/b/run 1 exists; a run needs a new directory", folder);
  ASSERT_EQ_INT(create(out, "ignored", false), -1);
  ASSERT_EQ_INT(error.exit_code, EXIT_USAGE);
  ASSERT_EQ_STR(error.text, message);
  rundir_discard(&dir);
  ASSERT_TRUE(is_there(in(folder, "a/b/run 1/results.csv"))); /* belongs to the run that created it */
}

/* Even root cannot create a directory below a regular file. */
static void parents_that_are_no_directories(void) {
  char out[256];
  write_file(in(folder, "file"), "");
  snprintf(out, sizeof out, "%s/file/run", folder);
  ASSERT_EQ_INT(create(out, "x", false), -1);
  ASSERT_EQ_INT(error.exit_code, EXIT_FAILED);
  ASSERT_HAS(error.text, "/file is no folder");
  snprintf(out, sizeof out, "%s/file/deeper/run", folder);
  ASSERT_EQ_INT(create(out, "x", false), -1);
  ASSERT_EQ_INT(error.exit_code, EXIT_FAILED);
  setenv("GPUBENCH_OUT", in(folder, "file/out"), 1);
  ASSERT_EQ_INT(create(NULL, "x", false), -1);
  ASSERT_EQ_INT(error.exit_code, EXIT_FAILED);
  ASSERT_HAS(error.text, "Not a directory");
  setenv("GPUBENCH_OUT", in(folder, "file"), 1);
  ASSERT_EQ_INT(create(NULL, "x", false), -1);
  ASSERT_HAS(error.text, "/file is no folder");
  setenv("GPUBENCH_OUT", base, 1);
  char *endless = xcalloc(6001, 1);
  memset(endless, 'x', 6000);
  ASSERT_EQ_INT(create(endless, "x", false), -1);
  ASSERT_EQ_INT(error.exit_code, EXIT_USAGE);
  ASSERT_HAS(error.text, "path too long");
  snprintf(endless, 6000, "%s/cut/%0*d", folder, 5000, 0);
  setenv("GPUBENCH_OUT", endless, 1);
  ASSERT_EQ_INT(create(NULL, "x", false), -1);
  ASSERT_EQ_INT(error.exit_code, EXIT_USAGE);
  ASSERT_EQ_STR(error.text, "GPUBENCH_OUT is longer than 3800 bytes");
  ASSERT_TRUE(!is_there(in(folder, "cut"))); /* no file in a place that was not given */
  setenv("GPUBENCH_OUT", base, 1);
  free(endless);
}

static void temporary_ones_vanish(void) {
  char path[4096];
  struct plan plan = {0};
  struct catalog catalog = {0};
  struct pairs none = {0};
  setenv("TMPDIR", folder, 1);
  ASSERT_EQ_INT(create(NULL, "shown", true), 0);
  ASSERT_EQ_STR(dir.run_id, "shown");
  ASSERT_TRUE(strncmp(dir.path, folder, strlen(folder)) == 0);
  text_copy(path, sizeof path, dir.path);
  ASSERT_EQ_INT(run_ini_write(&dir, &none, &none, &plan, &catalog, &error), 0);
  write_file(in(path, "report.html"), "");
  ASSERT_EQ_INT(rundir_close(&dir, &error), 0);
  rundir_discard(&dir);
  ASSERT_TRUE(!is_there(path));
  setenv("TMPDIR", "relative", 1); /* relative, so /tmp is used */
  ASSERT_EQ_INT(create(NULL, "shown", true), 0);
  ASSERT_TRUE(strncmp(dir.path, "/tmp/gpubench-", 14) == 0);
  rundir_discard(&dir);
  ASSERT_TRUE(!is_there(dir.path));
  unsetenv("TMPDIR");
}

/* ---- Rows ---- */

/* Returns the number of complete rows, as readers such as csv_read_stream() see them. */
static unsigned line_ends(const char *path) {
  unsigned lines = 0;
  char *text = read_file(path);
  for (const char *at = text; (at = strstr(at, "\r\n")) != NULL; at += 2)
    lines++;
  free(text);
  return lines;
}

static void rows_are_there_at_once(void) {
  const double ns[] = {1.5, 2}, more[] = {3};
  struct slot slots[] = {{.epoch = 2, .count = 2, .ns = ns, .state = SLOT_STATE_UNKNOWN},
                         {.epoch = 2,
                          .round = 1,
                          .count = 1,
                          .ns = more,
                          .state = {1, THROTTLE_POWER_CAP | THROTTLE_THERMAL, 1980, 41, 650.5, 2, 1795806261.5}}};
  struct variant_result variants[2] = {{.status = ROW_OK}, {.status = ROW_SKIPPED}};
  const struct case_result result = {.variants = variants, .count = 2};
  struct record records[2];
  for (int i = 0; i < 2; i++) {
    record_init(&records[i]);
    record_set(&records[i].case_key, "a/b[n=1,m=2]");
    record_set(&records[i].mode, "hot");
    record_set(&records[i].variant, i == 0 ? "fast" : "slow");
  }
  ASSERT_EQ_INT(create(NULL, "rows", false), 0);
  for (int i = 0; i < 2; i++)
    ASSERT_EQ_INT(rundir_add_slot(&dir, "a/b[n=1,m=2]", "fast", "hot", &slots[i], &error), 0);
  ASSERT_EQ_INT(line_ends(in(dir.path, "results.csv")), 1);
  file_is(in(dir.path, "samples.csv"), SAMPLE_COLUMNS
          "\r\n\"a/b[n=1,m=2]\",\"fast\",\"hot\",2,0,0,1.5\r\n\"a/b[n=1,m=2]\",\"fast\",\"hot\",2,0,1,2\r\n"
          "\"a/b[n=1,m=2]\",\"fast\",\"hot\",2,1,0,3\r\n");
  file_is(in(dir.path, "slots.csv"), SLOT_COLUMNS
          "\r\n\"a/b[n=1,m=2]\",\"fast\",\"hot\",2,0,0,2,,,,,,\r\n"
          "\"a/b[n=1,m=2]\",\"fast\",\"hot\",2,1,1,1,1980,41,650.5,\"power cap; thermal slowdown\",2,1795806261.5\r\n");
  ASSERT_EQ_INT(rundir_add(&dir, records, 2, &result, &error), 0);
  ASSERT_EQ_INT(line_ends(in(dir.path, "results.csv")), 3);
  for (int i = 0; i < 2; i++)
    record_free(&records[i]);
  ASSERT_EQ_INT(rundir_close(&dir, &error), 0);
}

static int add_one(const char *variant) {
  struct record record;
  struct variant_result none = {.status = ROW_SKIPPED};
  const struct case_result result = {.variants = &none, .count = 1};
  record_init(&record);
  record_set(&record.variant, variant);
  error = (struct err){0};
  int rc = rundir_add(&dir, &record, 1, &result, &error);
  record_free(&record);
  return rc;
}

/* /dev/full acts as a full device. */
static void a_full_device_is_an_error(void) {
  const double ns = 1;
  const struct slot slot = {.epoch = 1, .count = 1, .ns = &ns, .state = SLOT_STATE_UNKNOWN};
  ASSERT_EQ_INT(create(NULL, "full", false), 0);
  for (int i = 0; i < 3; i++) {
    close(dir.files[i].fd);
    dir.files[i].fd = open("/dev/full", O_RDWR);
  }
  ASSERT_EQ_INT(add_one("x"), -1);
  ASSERT_EQ_INT(error.exit_code, EXIT_FAILED);
  ASSERT_HAS(error.text, "/results.csv: cannot write: No space left on device");
  error = (struct err){0};
  ASSERT_EQ_INT(rundir_add_slot(&dir, "k", "v", "cold", &slot, &error), -1);
  ASSERT_HAS(error.text, "/samples.csv: cannot write: No space left on device");
  rundir_discard(&dir);
}

/* If only part of a row fits, that part is removed again, and earlier rows stay. */
static void a_row_that_does_not_fit_leaves_nothing(void) {
  struct rlimit all, little;
  char *before, *after;
  ASSERT_EQ_INT(create(NULL, "little", false), 0);
  ASSERT_EQ_INT(add_one("first"), 0);
  before = read_file(in(dir.path, "results.csv"));
  signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ_INT(getrlimit(RLIMIT_FSIZE, &all), 0);
  little = all;
  little.rlim_cur = strlen(before) + 40;
  ASSERT_EQ_INT(setrlimit(RLIMIT_FSIZE, &little), 0);
  ASSERT_EQ_INT(add_one("second"), -1);
  ASSERT_EQ_INT(setrlimit(RLIMIT_FSIZE, &all), 0);
  ASSERT_EQ_INT(error.exit_code, EXIT_FAILED);
  ASSERT_HAS(error.text, "/results.csv: cannot write: File too large");
  after = read_file(in(dir.path, "results.csv"));
  ASSERT_EQ_STR(after, before);
  free(after);
  ASSERT_EQ_INT(add_one("third"), 0); /* there is room again */
  after = read_file(in(dir.path, "results.csv"));
  ASSERT_TRUE(strncmp(after, before, strlen(before)) == 0);
  ASSERT_HAS(after + strlen(before), "third");
  free(before), free(after);
  ASSERT_EQ_INT(rundir_close(&dir, &error), 0);
}

static void a_removed_file_is_noticed(void) {
  ASSERT_EQ_INT(create(NULL, "gone", false), 0);
  ASSERT_EQ_INT(unlink(in(dir.path, "results.csv")), 0);
  ASSERT_EQ_INT(add_one("x"), -1);
  ASSERT_HAS(error.text, "/results.csv: cannot write: it was removed while the run went on");
  rundir_discard(&dir);
}

/* ---- Resuming ---- */

static void one_writer_at_a_time(void) {
  struct rundir other;
  struct err err = {0};
  ASSERT_EQ_INT(create(NULL, "mine", false), 0);
  ASSERT_EQ_INT(rundir_open(dir.path, &other, &err), -1);
  ASSERT_EQ_INT(err.exit_code, EXIT_FAILED);
  ASSERT_HAS(err.text, ": another process still writes to it");
  rundir_discard(&other);
  ASSERT_EQ_INT(rundir_close(&dir, &error), 0);
  err = (struct err){0};
  ASSERT_EQ_INT(rundir_open(dir.path, &other, &err), 0);
  ASSERT_EQ_STR(other.run_id, dir.run_id);
  ASSERT_TRUE(strstr(other.parent, "/out") != NULL); /* its parent folder has a `latest` */
  rundir_discard(&other);
  ASSERT_EQ_INT(rundir_open(in(folder, "nowhere"), &other, &err), -1);
  ASSERT_EQ_INT(err.exit_code, EXIT_USAGE);
  rundir_discard(&other);
  err = (struct err){0};
  ASSERT_EQ_INT(rundir_open(in(folder, "file"), &other, &err), -1);
  ASSERT_HAS(err.text, "is not a run directory");
  rundir_discard(&other);
}

static void going_on_behind_the_last_row(void) {
  char *text;
  ASSERT_EQ_INT(create(NULL, "on", false), 0);
  ASSERT_EQ_INT(add_one("first"), 0);
  int64_t end = dir.files[FILE_RESULTS].end;
  ASSERT_EQ_INT(add_one("second"), 0);
  char path[4096];
  text_copy(path, sizeof path, dir.path);
  ASSERT_EQ_INT(rundir_close(&dir, &error), 0);
  ASSERT_EQ_INT(rundir_open(path, &dir, &error), 0);
  ASSERT_EQ_INT(rundir_attach(&dir, FILE_RESULTS, end, &error), 0);
  ASSERT_EQ_INT(add_one("third"), 0);
  text = read_file(in(path, "results.csv"));
  ASSERT_HAS(text, "first");
  ASSERT_HAS(text, "third");
  ASSERT_TRUE(strstr(text, "second") == NULL);
  free(text);
  ASSERT_EQ_INT(rundir_close(&dir, &error), 0);
}

/* ---- run.ini ---- */

/* Returns the decoded value of "name = " in the section, as an INI reader sees it. */
static char *ini_value(const char *text, const char *section, const char *name) {
  char head[80], key[80];
  static char value[4096];
  value[0] = '\0';
  snprintf(head, sizeof head, "[%s]\n", section);
  snprintf(key, sizeof key, "\n%s = ", name);
  const char *at = strstr(text, head), *end = at ? strstr(at, "\n[") : NULL;
  at = at ? strstr(at, key) : NULL;
  if (at == NULL || (end != NULL && at > end)) return NULL;
  at += strlen(key);
  size_t length = strcspn(at, "\n");
  for (size_t i = 1; i < length; i++) /* a comment starts here */
    if (at[i] == ';' && strchr(" \t", at[i - 1]) != NULL) length = i;
  if (at[0] == ';') length = 0;
  while (length > 0 && strchr(" \t\r", at[length - 1]) != NULL)
    length--;
  at += strspn(at, " \t");
  text_copy(value, length + 1, at);
  text_percent_decode(value);
  return value;
}

static void any_text_survives_in_run_ini(void) {
  static const char *const values[] = {"plain words",
                                       "a ; b",
                                       ";all comment",
                                       " leading",
                                       "trailing ",
                                       "  ",
                                       "two\nlines",
                                       "[tags]\nx=1",
                                       "50% of %41 and %",
                                       "a,b",
                                       "= : #",
                                       "\xC3\xA9\xFF\x01\x7F",
                                       "tab\tand\r",
                                       "",
                                       "\"quoted\" 'words' \\"};
  enum { COUNT = sizeof values / sizeof values[0] };
  struct pairs environment = {0}, tags = {0};
  struct plan plan = {0};
  struct catalog catalog = {0};
  char name[16];
  for (size_t i = 0; i < COUNT; i++) {
    snprintf(name, sizeof name, "key%zu", i);
    pairs_add(i % 2 ? &tags : &environment, name, "%s", values[i]);
  }
  ASSERT_EQ_INT(create(NULL, "ini", false), 0);
  ASSERT_EQ_INT(run_ini_write(&dir, &environment, &tags, &plan, &catalog, &error), 0);
  char *text = read_file(in(dir.path, "run.ini"));
  for (size_t i = 0; i < COUNT; i++) {
    snprintf(name, sizeof name, "key%zu", i);
    const char *value = ini_value(text, i % 2 ? "tags" : "environment", name);
    ASSERT_EQ_STR(value ? value : "(none)", values[i]);
  }
  for (const char *at = text; *at != '\0'; at++)
    if ((*at < 0x20 && *at != '\n') || *at == 0x7F) UNIT_FAIL("byte 0x%02X in run.ini", (unsigned char)*at);
  ASSERT_TRUE(strstr(text, "key") == strstr(text, "key0 = plain words\n"));
  free(text);
  ASSERT_TRUE(!is_there(in(dir.path, "run.ini.new")));
  pairs_free(&environment);
  pairs_free(&tags);
  ASSERT_EQ_INT(rundir_close(&dir, &error), 0);
}

/* Returns every case with its variants, a '*' behind each baseline: "KEY flash* standard; ..." */
static char *shown(const struct plan *plan) {
  struct capture capture;
  FILE *out = capture_open(&capture);
  for (size_t i = 0; i < plan->count; i++) {
    const struct plan_case *c = &plan->cases[i];
    fprintf(out, "%s%s", i > 0 ? "; " : "", c->key);
    for (size_t v = 0; v < c->variant_count; v++)
      fprintf(out, " %s%s", c->variants[v].name,
              c->variants[v].against.common ? "*"
              : c->variants[v].against.twin ? "~"
                                            : "");
    fprintf(out, " %g %g", c->precision, c->case_time_s);
  }
  return capture_close(&capture);
}

static void plan_of(const struct fixture *f, struct selection *selections, size_t count, struct plan *plan) {
  error = (struct err){0};
  ASSERT_EQ_INT(plan_build(&f->catalog, selections, count, "cuda", plan, &error), 0);
  ASSERT_EQ_STR(error.text, "");
}

/* Selects odd paths, an odd value of an axis, a guest, and a baseline other than the bench's. */
static void choose_all(struct fixture *f, struct selection *wanted) {
  SET(f->plugins[ATTENTION].path, "/opt/odd, name ;1 %41 [x]/ at tention.so ");
  SET(f->plugins[MINE].path, "/opt/mine\n.so");
  SET(f->benches[ATTENTION].axes[3].choices, "fp32,b f ;16%[]=");
  SET(f->benches[ATTENTION].axes[3].values, "b f ;16%[]=");
  selection_init(wanted, "test");
  strings_add(&wanted->baselines, "standard");
  wanted->precision = 0.0125;
  wanted->case_time_s = 2.5;
  strings_add(&wanted->benches, "attention/*");
  strings_add(&wanted->benches, "copy/*");
}

/* In a run with two builds of a plugin, run.ini has their labels in `plugin`. It has no `baseline`, because each
 * variant is divided by its twin, the same variant of the other build. */
static void run_ini_repeats_builds(void) {
  struct fixture *f = fixture_new();
  struct catalog_plugin builds[2] = {f->plugins[ATTENTION], f->plugins[ATTENTION]};
  struct selection wanted, *again = NULL;
  struct plan plan, repeated;
  struct pairs environment = {0}, tags = {0};
  size_t count = 0;
  SET(builds[0].label, "old");
  SET(builds[1].label, "new");
  SET(builds[0].path, "/opt/a=b, c.so");
  f->catalog = (struct catalog){builds, 2};
  selection_init(&wanted, "test");
  plan_of(f, &wanted, 1, &plan);
  ASSERT_EQ_INT(create(NULL, "suite", false), 0);
  ASSERT_EQ_INT(run_ini_write(&dir, &environment, &tags, &plan, &f->catalog, &error), 0);
  ASSERT_EQ_INT(suite_load(in(dir.path, "run.ini"), &again, &count, &error), 0);
  ASSERT_TRUE(count == plan.count && count > 0);
  ASSERT_EQ_STR(again[0].plugins.items[0], "old=/opt/a=b, c.so");
  ASSERT_EQ_STR(again[0].plugins.items[1], "new=/opt/plugins/attention.so");
  ASSERT_EQ_INT(again[0].baselines.count, 0);
  plan_of(f, again, count, &repeated);
  char *first = shown(&plan), *second = shown(&repeated);
  ASSERT_HAS(first, "flash@old~ flash@new~");
  ASSERT_EQ_STR(second, first);
  free(first), free(second);
  for (size_t i = 0; i < count; i++)
    selection_free(&again[i]);
  free(again);
  selection_free(&wanted);
  plan_free(&plan), plan_free(&repeated);
  ASSERT_EQ_INT(rundir_close(&dir, &error), 0);
  free(f);
}

static void run_ini_repeats_the_run(void) {
  struct fixture *f = fixture_new();
  struct selection wanted, *again = NULL;
  struct plan plan, repeated;
  struct pairs environment = {0}, tags = {0};
  size_t count = 0;
  choose_all(f, &wanted);
  plan_of(f, &wanted, 1, &plan);
  ASSERT_TRUE(plan.count >= 3);
  pairs_add(&environment, "plugin", "not a selection");
  ASSERT_EQ_INT(create(NULL, "suite", false), 0);
  ASSERT_EQ_INT(run_ini_write(&dir, &environment, &tags, &plan, &f->catalog, &error), 0);
  ASSERT_EQ_INT(suite_load(in(dir.path, "run.ini"), &again, &count, &error), 0);
  ASSERT_EQ_STR(error.text, "");
  ASSERT_EQ_INT(count, plan.count);
  if (count == 0) return;
  ASSERT_EQ_STR(again[0].plugins.items[0], f->plugins[ATTENTION].path);
  ASSERT_EQ_STR(again[0].plugins.items[1], f->plugins[MINE].path);
  plan_of(f, again, count, &repeated);
  char *first = shown(&plan), *second = shown(&repeated);
  ASSERT_HAS(first, "flash@mine");
  ASSERT_HAS(first, "standard*");
  ASSERT_EQ_STR(second, first);
  free(first), free(second);
  for (size_t i = 0; i < count; i++)
    selection_free(&again[i]);
  free(again);
  selection_free(&wanted);
  plan_free(&plan), plan_free(&repeated);
  pairs_free(&environment), pairs_free(&tags);
  free(f);
  ASSERT_EQ_INT(rundir_close(&dir, &error), 0);
}

static void yardsticks_are_not_asked_for_again(void) {
  struct fixture *f = fixture_new();
  struct selection wanted;
  struct plan plan;
  struct pairs none = {0};
  selection_init(&wanted, "test");
  strings_add(&wanted.benches, "copy/*");
  strings_add(&wanted.benches, "softmax/*");
  plan_of(f, &wanted, 1, &plan);
  plan.cases[0].yardstick = true, plan.cases[0].number = 0;
  plan.cases[1].number = 1; /* the number is part of the name of the case's section */
  ASSERT_EQ_INT(create(NULL, "yard", false), 0);
  ASSERT_EQ_INT(run_ini_write(&dir, &none, &none, &plan, &f->catalog, &error), 0);
  char *text = read_file(in(dir.path, "run.ini")), line[KEY_SIZE + 16];
  snprintf(line, sizeof line, "case = %s\n", plan.cases[0].key);
  ASSERT_TRUE(strstr(text, line) == NULL);
  snprintf(line, sizeof line, "[case-1]\nplugin = ");
  ASSERT_HAS(text, line);
  snprintf(line, sizeof line, "case = %s\n", plan.cases[1].key);
  ASSERT_HAS(text, line);
  free(text);
  plan_free(&plan);
  selection_free(&wanted);
  free(f);
  ASSERT_EQ_INT(rundir_close(&dir, &error), 0);
}

UNIT_MAIN("rundir", UNIT_TEST(makes_folder), UNIT_TEST(dated_directories), UNIT_TEST(directories_are_exclusive),
          UNIT_TEST(gitignore_is_left_alone), UNIT_TEST(latest_points_to_the_last_closed), UNIT_TEST(exact_directories),
          UNIT_TEST(parents_that_are_no_directories), UNIT_TEST(temporary_ones_vanish),
          UNIT_TEST(rows_are_there_at_once), UNIT_TEST(a_full_device_is_an_error),
          UNIT_TEST(a_row_that_does_not_fit_leaves_nothing), UNIT_TEST(a_removed_file_is_noticed),
          UNIT_TEST(one_writer_at_a_time), UNIT_TEST(going_on_behind_the_last_row),
          UNIT_TEST(any_text_survives_in_run_ini), UNIT_TEST(run_ini_repeats_the_run),
          UNIT_TEST(run_ini_repeats_builds), UNIT_TEST(yardsticks_are_not_asked_for_again), UNIT_TEST(removes_folder))

/* Tests resuming interrupted runs: which cases are complete, which runs are refused, and that files lose nothing
 * except a torn end. */
#include "resume/resume.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture.h"
#include "record/csv/csv.h"
#include "resume/run_ini.h"
#include "unit.h"

#define SLOT_COLUMNS \
  "case_key,variant,mode,epoch,round,position,samples,sm_clock_mhz,temperature_c,power_w,throttle,cooldown,unix_s"

enum { CASES = 3, VARIANTS = 2 };

static char folder[64] = "/tmp/gpubench-resume-XXXXXX", out[128];
static struct rundir dir;
static struct resume resume;
static struct err error;
static struct plan_case cases[CASES];
static struct plan_variant variants[CASES][VARIANTS];
static const struct plan plan = {cases, CASES};
static struct catalog_plugin plugin = {
    .path = "/opt/a.so", .sha256 = "abc", .desc = {.id = "a", .version = "1", .abi_built = 0x10000}};
static const struct catalog catalog = {&plugin, 1};
static const struct resume_device one_device = {.name = "some, \"device\"; 100%"};

static void makes_folder(void) {
  ASSERT_TRUE(mkdtemp(folder) != NULL);
  for (int c = 0; c < CASES; c++) {
    cases[c] = (struct plan_case){.variants = variants[c], .variant_count = VARIANTS};
    snprintf(cases[c].key, sizeof cases[c].key, "a/b[n=%d,m=2]", c == 2 ? 1 : c + 1);
    cases[c].mode.timing = c == 2 ? TIMING_HOT : TIMING_COLD; /* the third case is the first one in another mode */
    text_copy(variants[c][0].name, sizeof variants[c][0].name, "fast");
    text_copy(variants[c][1].name, sizeof variants[c][1].name, "slow@mine");
  }
}

static void removes_folder(void) {
  char command[256];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  ASSERT_EQ_INT(system(command), 0);
}

static const char *in(const char *name) {
  static char paths[4][300];
  static unsigned next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", out, name);
  return path;
}

static void environment(struct pairs *pairs) {
  char text[512];
  resume_plugin_text(&plugin, text, sizeof text);
  pairs_add(pairs, "gpubench_version", "%s", "1.2");
  pairs_add(pairs, "device_name", "%s", one_device.name);
  pairs_add(pairs, "plugin.a", "%s", text);
  pairs_add(pairs, "option.seed", "%s", "7");
}

static void add_slot(int c, int v, uint32_t epoch, uint32_t round) {
  const double ns[] = {1.5, 2.5};
  const struct slot slot = {.epoch = epoch, .round = round, .count = 2, .ns = ns, .state = SLOT_STATE_UNKNOWN};
  ASSERT_EQ_INT(rundir_add_slot(&dir, cases[c].key, variants[c][v].name, mode_name(cases[c].mode), &slot, &error), 0);
}

static const char *row_device; /* NULL: the rows name no device */

static void add_case(int c, const char *status, const char *stop_reason) {
  struct record records[VARIANTS];
  struct variant_result none[VARIANTS] = {0};
  const struct case_result result = {.variants = none, .count = VARIANTS};
  for (int v = 0; v < VARIANTS; v++) {
    add_slot(c, v, 1, 0);
    record_init(&records[v]);
    record_set(&records[v].bench, "a/b");
    record_set(&records[v].case_key, cases[c].key);
    record_set(&records[v].variant, variants[c][v].name);
    record_set(&records[v].mode, mode_name(cases[c].mode));
    record_set(&records[v].devices, row_device);
    record_set(&records[v].status, v == 0 ? status : "ok");
    record_set(&records[v].stop_reason, stop_reason);
    record_set(&records[v].message, "a \"message\", with\nall");
  }
  ASSERT_EQ_INT(rundir_add(&dir, records, VARIANTS, &result, &error), 0);
  for (int v = 0; v < VARIANTS; v++)
    record_free(&records[v]);
}

/* Starts a run; the test adds its contents. */
static void begin(void) {
  static int number;
  const struct rundir_options options = {.out = out};
  struct pairs pairs = {0}, tags = {0};
  snprintf(out, sizeof out, "%s/run%d", folder, ++number);
  error = (struct err){0};
  environment(&pairs);
  pairs_add(&tags, "who", "%s", "me = you; 50%");
  ASSERT_EQ_INT(rundir_create(&options, &dir, &error), 0);
  ASSERT_EQ_INT(run_ini_write(&dir, &pairs, &tags, &plan, &catalog, &error), 0);
  pairs_free(&pairs), pairs_free(&tags);
}

static void die(void) {
  ASSERT_EQ_INT(rundir_close(&dir, &error), 0);
  ASSERT_EQ_STR(error.text, "");
}

static int load(void) {
  error = (struct err){0};
  return resume_load(out, &dir, &resume, &error);
}

static void match(void) {
  ASSERT_EQ_INT(load(), 0);
  ASSERT_EQ_INT(resume_match(&resume, &dir, &plan, &one_device, 1, &error), 0);
  ASSERT_EQ_STR(error.text, "");
}

static void done(void) {
  resume_free(&resume);
  rundir_discard(&dir);
}

static void append(const char *name, const char *text) {
  FILE *file = fopen(in(name), "ab");
  if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) UNIT_FAIL("cannot append to %s", name);
}

static void cut(const char *name, long bytes) {
  struct stat info;
  ASSERT_EQ_INT(stat(in(name), &info), 0);
  ASSERT_EQ_INT(truncate(in(name), info.st_size - bytes), 0);
}

/* Returns which cases are complete, such as "yyn". */
static const char *complete(void) {
  static char text[CASES + 1];
  for (int c = 0; c < CASES; c++)
    text[c] = resume.cases[c].complete ? 'y' : 'n';
  return text;
}

/* ---- Complete cases ---- */

static void a_finished_run_stays_as_it_is(void) {
  begin();
  for (int c = 0; c < CASES; c++)
    add_case(c, c == 1 ? "crashed" : "ok", "precision"); /* a crash is a result as well */
  die();
  char *before = read_file(in("results.csv"));
  match();
  ASSERT_EQ_STR(complete(), "yyy");
  ASSERT_EQ_STR(resume.data.records[resume.cases[1].rows[0]].status, "crashed");
  ASSERT_EQ_STR(resume_get(&resume, "option.seed"), "7");
  ASSERT_EQ_STR(resume_get(&resume, "device_name"), one_device.name);
  ASSERT_TRUE(resume_get(&resume, "nothing") == NULL);
  ASSERT_EQ_STR(resume.ini.tags.items[0].name, "who");
  ASSERT_EQ_STR(resume.ini.tags.items[0].value, "me = you; 50%");
  ASSERT_EQ_INT(resume_repair(&resume, &dir, &plan, &error), 0);
  char *after = read_file(in("results.csv"));
  ASSERT_EQ_STR(after, before);
  free(before), free(after);
  done();
}

static void a_case_needs_all_its_rows(void) {
  begin();
  add_case(0, "ok", "precision");
  add_case(1, "ok", "precision");
  die();
  char *whole = read_file(in("results.csv"));
  size_t second = (size_t)(strstr(strstr(whole, "n=2"), "\r\n") + 2 - whole); /* after its first row */
  ASSERT_EQ_INT(truncate(in("results.csv"), (off_t)second), 0);
  match();
  ASSERT_EQ_STR(complete(), "ynn");
  ASSERT_EQ_INT(resume_repair(&resume, &dir, &plan, &error), 0);
  char *kept = read_file(in("results.csv"));
  ASSERT_TRUE(strncmp(kept, whole, strlen(kept)) == 0);
  ASSERT_TRUE(strstr(kept, "n=2") == NULL && strstr(kept, "slow@mine") != NULL);
  add_case(1, "ok", "precision"); /* the run continues from there */
  char *now = read_file(in("results.csv"));
  ASSERT_EQ_INT(count_of(now, "\r\n"), 5);
  free(whole), free(kept), free(now);
  done();
}

/* If the last row is cut anywhere, it is removed and nothing else. A row that lacks only the last byte of its line
 * end is complete. */
static void a_torn_row_is_cut_off(void) {
  begin();
  add_case(0, "ok", "precision");
  die();
  char *whole = read_file(in("results.csv")), *samples = read_file(in("samples.csv"));
  char *row = strstr(strstr(whole, "\r\n") + 2, "\r\n") + 2, *last = strstr(samples, "slow@mine");
  while (last[-1] != '\n')
    last--;
  for (size_t left = strlen(row); left > 1; left -= left > 20 ? 20 : 1) {
    write_file(in("results.csv"), whole);
    write_file(in("samples.csv"), samples);
    cut("results.csv", (long)left);
    cut("samples.csv", (long)(left < 90 ? left : 90));
    match();
    ASSERT_EQ_STR(complete(), "nnn");
    ASSERT_EQ_INT(resume_repair(&resume, &dir, &plan, &error), 0);
    char *kept = read_file(in("samples.csv"));
    ASSERT_TRUE(strncmp(kept, samples, strlen(kept)) == 0 && kept[strlen(kept) - 1] == '\n');
    free(kept);
    add_case(0, "ok", "precision");
    kept = read_file(in("results.csv"));
    ASSERT_EQ_STR(kept, whole);
    free(kept);
    done();
  }
  write_file(in("results.csv"), whole);
  cut("results.csv", 1);
  match();
  ASSERT_EQ_STR(complete(), "ynn");
  ASSERT_EQ_INT(resume_repair(&resume, &dir, &plan, &error), 0);
  char *repaired = read_file(in("results.csv"));
  ASSERT_EQ_STR(repaired, whole);
  done();
  free(repaired), free(whole), free(samples);
}

static void torn_headers_are_written_anew(void) {
  begin();
  die();
  char *results = read_file(in("results.csv")), *samples = read_file(in("samples.csv"));
  cut("results.csv", 30);
  cut("samples.csv", 3);
  ASSERT_EQ_INT(unlink(in("slots.csv")), 0);
  match();
  ASSERT_EQ_STR(complete(), "nnn");
  ASSERT_EQ_INT(resume_repair(&resume, &dir, &plan, &error), 0);
  char *now = read_file(in("results.csv"));
  ASSERT_EQ_STR(now, results);
  free(now);
  now = read_file(in("samples.csv"));
  ASSERT_EQ_STR(now, samples);
  free(now);
  now = read_file(in("slots.csv"));
  ASSERT_EQ_STR(now, SLOT_COLUMNS "\r\n");
  free(now), free(results), free(samples);
  done();
}

/* A case is incomplete if its rows have the status not_run or the stop reason interrupted. */
static void what_was_not_run_is_missing(void) {
  begin();
  add_case(0, "not_run", "");
  add_case(1, "ok", "precision");
  add_case(2, "ok", "interrupted");
  die();
  match();
  ASSERT_EQ_STR(complete(), "nyn");
  ASSERT_EQ_INT(resume_repair(&resume, &dir, &plan, &error), 0);
  char *now = read_file(in("results.csv"));
  ASSERT_EQ_INT(count_of(now, "\r\n"), 3);
  ASSERT_EQ_INT(count_of(now, "n=2"), 2);
  ASSERT_TRUE(access(in("results.csv.new"), F_OK) != 0);
  free(now);
  add_case(0, "ok", "precision");
  add_case(2, "ok", "precision");
  rundir_close(&dir, &error);
  resume_free(&resume);
  match();
  ASSERT_EQ_STR(complete(), "yyy");
  done();
}

/* The samples of the interrupted run stay in the file. So a case that is measured again must get new numbers of epochs
 * (processes). */
static void epochs_are_not_used_again(void) {
  begin();
  add_case(0, "ok", "precision");
  add_slot(1, 0, 1, 0);
  add_slot(1, 1, 3, 0);
  add_slot(1, 0, 2, 1);
  die();
  append("samples.csv", "\"a/b[n=2,m=2]\",\"fast\",\"cold\",9"); /* torn, so ignored */
  match();
  ASSERT_EQ_STR(complete(), "ynn");
  ASSERT_EQ_INT(resume.epochs_used[1], 3);
  ASSERT_EQ_INT(resume.epochs_used[2], 0); /* another mode */
  done();
}

/* ---- Refusals ---- */

static void refused(int exit_code, const char *text) {
  ASSERT_EQ_INT(error.exit_code, exit_code);
  ASSERT_HAS(error.text, text);
  done();
}

static void no_runs(void) {
  snprintf(out, sizeof out, "%s/nowhere", folder);
  ASSERT_EQ_INT(load(), -1);
  refused(EXIT_USAGE, "/nowhere: No such file or directory");
  snprintf(out, sizeof out, "%s", folder);
  ASSERT_EQ_INT(load(), -1);
  refused(EXIT_USAGE, " is not a run directory: No such file");
  begin();
  die();
  ASSERT_EQ_INT(unlink(in("run.ini")), 0);
  ASSERT_EQ_INT(load(), -1);
  refused(EXIT_USAGE, "has no run.ini: it ended before it had a plan");
}

static void a_run_that_goes_on(void) {
  begin();
  struct rundir live = dir;
  ASSERT_EQ_INT(load(), -1);
  refused(EXIT_FAILED, "another process still writes to it");
  rundir_discard(&live);
}

static void other_columns(void) {
  begin();
  die();
  char *whole = read_file(in("results.csv"));
  memcpy(whole, "SCHEMA", 6);
  write_file(in("results.csv"), whole);
  free(whole);
  ASSERT_EQ_INT(load(), -1);
  refused(EXIT_USAGE, "/results.csv has other columns than this version of gpubench writes");
}

static void rows_of_another_plan(void) {
  const struct plan less = {cases, 1};
  begin();
  add_case(0, "ok", "precision");
  add_case(1, "ok", "precision");
  die();
  ASSERT_EQ_INT(load(), 0);
  ASSERT_EQ_INT(resume_match(&resume, &dir, &less, &one_device, 1, &error), -1);
  refused(EXIT_USAGE, "cannot resume: results.csv has a/b[n=2,m=2] fast cold, which is not in the plan");
  begin();
  add_case(0, "ok", "precision");
  add_case(0, "ok", "precision");
  die();
  ASSERT_EQ_INT(load(), 0);
  ASSERT_EQ_INT(resume_match(&resume, &dir, &plan, &one_device, 1, &error), -1);
  refused(EXIT_USAGE, "cannot resume: results.csv has a row twice");
}

static void differs(struct pairs *now, const char *text) {
  error = (struct err){0};
  ASSERT_EQ_INT(resume_check(&resume, now, &catalog, &one_device, 1, &error), -1);
  ASSERT_EQ_INT(error.exit_code, EXIT_USAGE);
  ASSERT_EQ_STR(error.text, text);
}

static void what_differs_is_named_with_both_values(void) {
  struct pairs now = {0}, newer = {0};
  const struct catalog_plugin former = plugin;
  begin();
  die();
  match();
  environment(&now);
  ASSERT_EQ_INT(resume_check(&resume, &now, &catalog, &one_device, 1, &error), 0);
  pairs_add(&newer, "gpubench_version", "%s", "1.3");
  differs(&newer, "cannot resume: gpubench_version was '1.2', now it is '1.3'");
  text_copy(plugin.sha256, sizeof plugin.sha256, "abd");
  differs(&now,
          "cannot resume: plugin.a was 'sha256 abc, ABI 1.0, version 1', now it is 'sha256 abd, ABI 1.0, version 1'");
  plugin = former;
  plugin.desc.abi_built = 0x10001;
  differs(&now,
          "cannot resume: plugin.a was 'sha256 abc, ABI 1.0, version 1', now it is 'sha256 abc, ABI 1.1, version 1'");
  plugin = former;
  text_copy(plugin.desc.id, sizeof plugin.desc.id, "b");
  differs(&now, "cannot resume: plugin.b was '', now it is 'sha256 abc, ABI 1.0, version 1'");
  plugin = former;
  const struct resume_device other = {.name = "other"};
  error = (struct err){0};
  ASSERT_EQ_INT(resume_check(&resume, &now, &catalog, &other, 1, &error), -1);
  ASSERT_EQ_STR(error.text, "cannot resume: the device was 'some, \"device\"; 100%', now it is 'other'");
  pairs_free(&now), pairs_free(&newer);
  done();
}

/* Starts a run on three devices, of which the second never worked. */
static void begin_several(void) {
  const struct rundir_options options = {.out = out};
  struct pairs pairs = {0}, tags = {0};
  snprintf(out, sizeof out, "%s/several", folder);
  error = (struct err){0};
  environment(&pairs);
  pairs_add(&pairs, "devices", "%s", "3");
  pairs_add(&pairs, "device.1.id", "%s", "GPU-1");
  pairs_add(&pairs, "device.3.id", "%s", "GPU-3");
  ASSERT_EQ_INT(rundir_create(&options, &dir, &error), 0);
  ASSERT_EQ_INT(run_ini_write(&dir, &pairs, &tags, &plan, &catalog, &error), 0);
  pairs_free(&pairs);
}

static void cases_of_several_devices(void) {
  struct resume_device devices[] = {{one_device.name, "GPU-1"}, {one_device.name, "GPU-2"}, {NULL, NULL}};
  struct pairs now = {0};
  begin_several();
  row_device = "GPU-1";
  add_case(0, "ok", "precision");
  row_device = "GPU-3"; /* not available now; its rows are kept */
  add_case(0, "ok", "precision");
  add_case(1, "ok", "interrupted");
  add_slot(1, 0, 5, 0);
  row_device = NULL;
  die();
  ASSERT_EQ_INT(load(), 0);
  environment(&now);
  ASSERT_EQ_INT(resume_check(&resume, &now, &catalog, devices, 3, &error), 0);
  ASSERT_EQ_INT(resume_match(&resume, &dir, &plan, devices, 3, &error), 0);
  ASSERT_EQ_INT(resume.case_count, 3 * CASES);
  for (int i = 0; i < 3 * CASES; i++)
    ASSERT_EQ_INT(resume.cases[i].complete, i == 0 || i == 2 * CASES);
  ASSERT_EQ_INT(resume.epochs_used[1], 5);
  ASSERT_EQ_INT(resume_repair(&resume, &dir, &plan, &error), 0);
  ASSERT_EQ_INT(resume_check(&resume, &now, &catalog, devices, 1, &error), -1);
  ASSERT_EQ_STR(error.text, "cannot resume: the number of devices was '3', now it is '1'");
  error = (struct err){0};
  devices[0].id = "GPU-9";
  ASSERT_EQ_INT(resume_check(&resume, &now, &catalog, devices, 3, &error), -1);
  ASSERT_EQ_STR(error.text, "cannot resume: device 1 was 'GPU-1', now it is 'GPU-9'");
  pairs_free(&now);
  done();
}

UNIT_MAIN("resume_read", UNIT_TEST(makes_folder), UNIT_TEST(a_finished_run_stays_as_it_is),
          UNIT_TEST(a_case_needs_all_its_rows), UNIT_TEST(a_torn_row_is_cut_off),
          UNIT_TEST(torn_headers_are_written_anew), UNIT_TEST(what_was_not_run_is_missing),
          UNIT_TEST(epochs_are_not_used_again), UNIT_TEST(no_runs), UNIT_TEST(a_run_that_goes_on),
          UNIT_TEST(other_columns), UNIT_TEST(rows_of_another_plan), UNIT_TEST(what_differs_is_named_with_both_values),
          UNIT_TEST(cases_of_several_devices), UNIT_TEST(removes_folder))

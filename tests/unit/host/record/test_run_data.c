#include "record/run_data.h"

#include <sys/stat.h>
#include <unistd.h>

#include "capture.h"
#include "record/csv/files.h"
#include "sample_run.h"

#define SAMPLE_COLUMNS "case_key,variant,mode,epoch,round,index,ns"

static char dir[] = "/tmp/test_run_data.XXXXXX";

static const char *in_dir(const char *name) {
  static char path[128];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  return path;
}

static void write_results(const struct run_data *data) {
  FILE *out = fopen(in_dir("results.csv"), "wb");
  ASSERT_EQ_INT(sample_write_results(data, out), 0);
  fclose(out);
}

static void forget(void) {
  static const char *const names[] = {"results.csv", "samples.csv", "run.ini"};
  for (size_t i = 0; i < 3; i++)
    unlink(in_dir(names[i]));
}

static void assert_same(const struct run_data *a, const struct run_data *b) {
  ASSERT_EQ_INT(a->count, b->count);
  for (size_t i = 0; i < a->count && i < b->count; i++)
    for (size_t f = 0; f < record_field_count; f++) {
      char x[64], y[64];
      ASSERT_EQ_STR(record_text(&a->records[i], &record_fields[f], x, sizeof x),
                    record_text(&b->records[i], &record_fields[f], y, sizeof y));
    }
}

static void round_trip(bool hostile) {
  struct run_data written, read;
  struct err err = {0};
  if (hostile)
    sample_hostile(&written);
  else
    sample_run(&written, true);
  write_results(&written);
  ASSERT_EQ_INT(run_data_load(dir, &read, &err), 0);
  ASSERT_EQ_STR(err.text, "");
  assert_same(&written, &read);
  ASSERT_EQ_STR(read.dir, dir);
  ASSERT_EQ_INT(read.notes.count, 1); /* run.ini is missing */
  run_data_free(&written);
  run_data_free(&read);
  forget();
}

static void rows_come_back(void) {
  round_trip(false);
}

static void hostile_rows_come_back(void) {
  round_trip(true);
}

static void a_lone_file_says_what_it_lacks(void) {
  struct run_data written, read;
  struct err err = {0};
  sample_run(&written, false);
  write_results(&written);
  ASSERT_EQ_INT(run_data_load(in_dir("results.csv"), &read, &err), 0);
  assert_same(&written, &read);
  ASSERT_TRUE(read.dir == NULL);
  ASSERT_EQ_INT(read.notes.count, 1);
  ASSERT_HAS(read.notes.items[0], "results.csv alone");
  run_data_free(&written);
  run_data_free(&read);
  forget();
}

static void run_ini_is_decoded(void) {
  struct run_data written, read;
  struct err err = {0};
  char text[2048], long_value[700];
  memset(long_value, 'x', sizeof long_value);
  long_value[sizeof long_value - 1] = '\0';
  snprintf(text, sizeof text,
           "; comment\n[environment]\nconditions=throttled%%3B 12%%25%%0Anext ; not a comment\ncommand=%s\n"
           "name = a b\n[tags]\nbranch=main\n[other]\nconditions=not this\n",
           long_value);
  sample_run(&written, false);
  write_results(&written);
  write_file(in_dir("run.ini"), text);
  ASSERT_EQ_INT(run_data_load(dir, &read, &err), 0);
  ASSERT_EQ_STR(run_data_get(&read, "conditions"), "throttled; 12%\nnext ; not a comment");
  ASSERT_EQ_STR(run_data_get(&read, "command"), long_value);
  ASSERT_EQ_STR(run_data_get(&read, "name"), "a b");
  ASSERT_TRUE(run_data_get(&read, "branch") == NULL);
  ASSERT_EQ_STR(pairs_get(&read.tags, "branch"), "main");
  ASSERT_EQ_INT(read.environment.count, 3);
  ASSERT_EQ_INT(read.notes.count, 0);
  run_data_free(&written);
  run_data_free(&read);
  forget();
}

static void samples_are_grouped(void) {
  const double a[] = {1, 2, 3}, b[] = {4.5}, c[] = {6, 7};
  const struct csv_series v_cold = {"k[a,b]", "=v", "cold"}, v_hot = {"k[a,b]", "=v", "hot"},
                          w_cold = {"k[a,b]", "w", "cold"};
  const struct slot first = {.count = 3, .ns = a}, second = {.count = 1, .ns = b};
  struct slot third = {.round = 1, .count = 2, .ns = c, .state = {.position = 1, .throttle = THROTTLE_THERMAL}};
  struct run_data written, read;
  struct err err = {0};
  sample_run(&written, false);
  write_results(&written);
  FILE *out = fopen(in_dir("samples.csv"), "wb");
  csv_table_write_header(out, &samples_csv, &err);
  samples_csv_write(out, &v_cold, &first, &err);
  samples_csv_write(out, &w_cold, &second, &err);
  samples_csv_write(out, &v_cold, &third, &err);
  samples_csv_write(out, &v_hot, &third, &err);
  third.epoch = 1; /* the same round in another process */
  samples_csv_write(out, &v_cold, &third, &err);
  fputs("\"k[a,b]\",\"w\",cold,1,9,0,12", out); /* truncated: the value was 123.4 */
  fclose(out);
  third.state.sm_clock_mhz = 1980;
  third.state.temperature_c = third.state.power_w = NAN;
  out = fopen(in_dir("slots.csv"), "wb");
  csv_table_write_header(out, &slots_csv, &err);
  slots_csv_write(out, &v_cold, &third, &err);
  fclose(out);
  ASSERT_EQ_INT(run_data_load(dir, &read, &err), 0);
  const struct run_samples *v = run_data_samples(&read, "k[a,b]", "=v", "cold"),
                           *w = run_data_samples(&read, "k[a,b]", "w", "cold"),
                           *hot = run_data_samples(&read, "k[a,b]", "=v", "hot");
  ASSERT_TRUE(hot != NULL && hot->count == 1);
  ASSERT_TRUE(v != NULL && w != NULL && v->count == 3 && w->count == 1);
  if (v != NULL && v->count == 3) {
    ASSERT_EQ_INT(v->slots[0].count, 3);
    ASSERT_NEAR(v->slots[0].ns[2], 3, 0);
    ASSERT_EQ_INT(v->slots[1].round, 1);
    ASSERT_NEAR(v->slots[1].ns[0], 6, 0);
    ASSERT_EQ_INT(v->slots[2].epoch, 1);
    ASSERT_NEAR(v->slots[2].ns[1], 7, 0);
  }
  if (v != NULL && v->count == 3) {
    ASSERT_TRUE(isnan(v->slots[0].state.sm_clock_mhz) && v->slots[0].state.throttle == 0);
    ASSERT_EQ_INT(v->slots[2].state.throttle, THROTTLE_THERMAL);
    ASSERT_NEAR(v->slots[2].state.sm_clock_mhz, 1980, 0);
    ASSERT_TRUE(isnan(v->slots[2].state.power_w));
  }
  ASSERT_TRUE(run_data_samples(&read, "k[a,b]", "x", "cold") == NULL);
  run_data_free(&written);
  run_data_free(&read);
  forget();
}

/* A process that did not finish has samples in the file, but no row counts them. They must be left out. */
static void samples_of_unfinished_processes_are_left_out(void) {
  const double a[] = {1, 2}, b[] = {50, 60};
  const struct slot lost = {.epoch = 1, .count = 2, .ns = b}, kept = {.epoch = 2, .count = 2, .ns = a};
  struct run_data written, read;
  struct err err = {0};
  sample_run(&written, false);
  struct record *row = &written.records[0];
  record_set(&row->epochs, "2;3");
  write_results(&written);
  const struct csv_series series = {row->case_key, row->variant, row->mode};
  FILE *out = fopen(in_dir("samples.csv"), "wb");
  csv_table_write_header(out, &samples_csv, &err);
  samples_csv_write(out, &series, &lost, &err);
  samples_csv_write(out, &series, &kept, &err);
  fclose(out);
  ASSERT_EQ_INT(run_data_load(dir, &read, &err), 0);
  const struct run_samples *samples = run_data_samples_of(&read, &read.records[0]);
  ASSERT_TRUE(samples != NULL && samples->count == 1);
  if (samples != NULL && samples->count == 1) ASSERT_NEAR(samples->slots[0].ns[1], 2, 0);
  run_data_free(&written);
  run_data_free(&read);
  forget();
}

static void refused(const char *name, const char *text, int code, const char *message) {
  struct run_data read;
  struct err err = {0};
  if (text != NULL) write_file(in_dir(name), text);
  ASSERT_EQ_INT(run_data_load(dir, &read, &err), -1);
  ASSERT_EQ_INT(err.exit_code, code);
  ASSERT_HAS(err.text, message);
  if (text != NULL) unlink(in_dir(name));
}

static void damage_names_its_place(void) {
  struct run_data written;
  refused("results.csv", NULL, EXIT_USAGE, "it has no results.csv");
  refused("results.csv", "", EXIT_FAILED, "results.csv:1: no header");
  refused("results.csv", "schema,run_id\r\n", EXIT_FAILED, "columns missing: bench, case_key");
  refused("results.csv", "schema,schema\r\n", EXIT_FAILED, "results.csv:1: column 'schema' appears twice");
  sample_run(&written, false);
  write_results(&written);
  refused("run.ini", "[environment]\na=1\nnonsense\n", EXIT_FAILED, "run.ini:3: ");
  refused("samples.csv", "a,b\n", EXIT_FAILED, "samples.csv:1: the columns are 'a, b'");
  refused("samples.csv", SAMPLE_COLUMNS "\nk,v,cold,0,x,0,1\n", EXIT_FAILED, "samples.csv:2: epoch, round");
  refused("samples.csv", SAMPLE_COLUMNS "\nk,v,cold,0,0,0,abc\n", EXIT_FAILED, "samples.csv:2: ns is 'abc'");
  run_data_free(&written);
  forget();
}

static void numbers_must_be_numbers(void) {
  struct run_data written, read;
  struct err err = {0};
  sample_run(&written, false);
  written.count = 2;
  write_results(&written);
  written.count = 15;
  char *text = read_file(in_dir("results.csv")), *at = strstr(text, ",831300,");
  ASSERT_TRUE(at != NULL);
  if (at != NULL) memcpy(at, ",=1+1  ,", 8);
  write_file(in_dir("results.csv"), text);
  ASSERT_EQ_INT(run_data_load(dir, &read, &err), -1);
  ASSERT_HAS(err.text, "results.csv:2: column median_raw_ns: '=1+1' is not a number");
  free(text);
  run_data_free(&written);
  forget();
}

static void errors_drive_no_terminal(void) {
  static const char header[] = "bench,case_key,variant,status,median_raw_ns\n";
  struct run_data read;
  struct err err = {0};
  char text[256];
  snprintf(text, sizeof text, "%sa/b,a/b,v,ok,\x1b[31mred\n", header);
  write_file(in_dir("results.csv"), text);
  ASSERT_EQ_INT(run_data_load(dir, &read, &err), -1);
  ASSERT_HAS(err.text, "'?[31mred' is not a number");
  forget();
}

/* Columns may come in another order, and a newer schema may have others. */
static void newer_schemas_are_read(void) {
  struct run_data read;
  struct err err = {0};
  FILE *out = fopen(in_dir("results.csv"), "wb");
  fputs("new_column", out);
  for (size_t i = record_field_count; i-- > 0;)
    fprintf(out, ",%s", record_fields[i].name);
  fputs("\r\nsomething", out);
  for (size_t i = record_field_count; i-- > 0;)
    fputs(strcmp(record_fields[i].name, "variant") == 0 ? ",flash" : i == 0 ? ",2" : ",", out);
  fputs("\r\n", out);
  fclose(out);
  ASSERT_EQ_INT(run_data_load(dir, &read, &err), 0);
  ASSERT_EQ_STR(err.text, "");
  ASSERT_EQ_INT(read.count, 1);
  ASSERT_EQ_STR(read.records[0].variant, "flash");
  ASSERT_EQ_INT(read.records[0].schema, RECORD_SCHEMA);
  run_data_free(&read);
  forget();
}

static void a_cut_last_row_is_noted(void) {
  struct run_data written, read;
  struct err err = {0};
  sample_run(&written, false);
  write_results(&written);
  char *text = read_file(in_dir("results.csv"));
  text[strlen(text) - 40] = '\0';
  write_file(in_dir("results.csv"), text);
  ASSERT_EQ_INT(run_data_load(dir, &read, &err), 0);
  ASSERT_EQ_INT(read.count, 14);
  ASSERT_EQ_INT(read.notes.count, 2);
  if (read.notes.count == 2) ASSERT_HAS(read.notes.items[0], "cut off");
  free(text);
  run_data_free(&written);
  run_data_free(&read);
  forget();
}

/* Makes a directory with its own rows, environment and samples. */
static const char *make_run(const char *name, const char *device, double ns) {
  static char paths[2][160];
  static size_t next;
  char *path = paths[next++ % 2], file[200], text[200];
  const struct csv_series series = {"k", "v", "cold"};
  const struct slot slot = {.epoch = 1, .count = 1, .ns = &ns};
  struct run_data data;
  struct err err = {0};
  snprintf(path, sizeof paths[0], "%s/%s", dir, name);
  mkdir(path, 0700);
  sample_run(&data, false);
  for (size_t i = 0; i < data.count; i++) {
    record_set(&data.records[i].device_name, device);
    record_set(&data.records[i].devices, device);
    if (i == 0) record_set(&data.records[i].case_key, "k");
    if (i == 0) record_set(&data.records[i].variant, "v");
  }
  snprintf(file, sizeof file, "%s/results.csv", path);
  FILE *out = fopen(file, "wb");
  sample_write_results(&data, out);
  fclose(out);
  snprintf(file, sizeof file, "%s/samples.csv", path);
  out = fopen(file, "wb");
  csv_table_write_header(out, &samples_csv, &err);
  samples_csv_write(out, &series, &slot, &err);
  fclose(out);
  snprintf(file, sizeof file, "%s/run.ini", path);
  snprintf(text, sizeof text, "[environment]\nrun_id=%s\ndriver=580\nrequire=%s*\n[tags]\nbranch=main\n", name, name);
  write_file(file, text);
  run_data_free(&data);
  return path;
}

static void remove_run(const char *path) {
  static const char *const names[] = {"results.csv", "samples.csv", "run.ini"};
  char file[200];
  for (size_t i = 0; i < 3; i++) {
    snprintf(file, sizeof file, "%s/%s", path, names[i]);
    unlink(file);
  }
  rmdir(path);
}

/* Loads two runs as one, as `gpubench report A B` does. */
static int load_both(const char *const *paths, struct run_data *data, struct err *err) {
  struct run_data second;
  if (run_data_check_different(paths, 2, err) != 0 || run_data_load(paths[0], data, err) != 0) return -1;
  if (run_data_load(paths[1], &second, err) != 0) {
    run_data_free(data);
    return -1;
  }
  run_data_merge(data, &second);
  return 0;
}

static void runs_merge(void) {
  const char *const paths[] = {make_run("a", "H200", 1), make_run("b", "B200", 2)};
  struct run_data data;
  struct err err = {0};
  ASSERT_EQ_INT(load_both(paths, &data, &err), 0);
  ASSERT_EQ_STR(err.text, "");
  ASSERT_EQ_INT(data.run_count, 2);
  ASSERT_EQ_INT(data.count, 30);
  ASSERT_TRUE(data.dir == NULL);
  ASSERT_EQ_STR(data.runs[1].dir, paths[1]);
  ASSERT_EQ_INT(data.runs[1].first, 15);
  ASSERT_EQ_STR(data.records[14].device_name, "H200");
  ASSERT_EQ_STR(data.records[15].device_name, "B200");
  ASSERT_EQ_INT(run_data_run_of(&data, &data.records[14]), 0);
  ASSERT_EQ_INT(run_data_run_of(&data, &data.records[15]), 1);
  ASSERT_EQ_STR(run_data_get(&data, "driver"), "580"); /* values that both share */
  ASSERT_TRUE(run_data_get(&data, "run_id") == NULL);
  ASSERT_EQ_STR(pairs_get(&data.runs[1].environment, "run_id"), "b");
  ASSERT_EQ_STR(pairs_get(run_data_environment(&data, &data.records[20]), "require"), "b*");
  ASSERT_EQ_STR(pairs_get(&data.tags, "branch"), "main");
  const struct run_samples *a = run_data_samples_of(&data, &data.records[0]),
                           *b = run_data_samples_of(&data, &data.records[15]);
  ASSERT_TRUE(a != NULL && b != NULL && a != b && run_data_samples(&data, "k", "v", "cold") == a);
  if (a != NULL && b != NULL) ASSERT_NEAR(b->slots[0].ns[0] - a->slots[0].ns[0], 1, 0);
  ASSERT_TRUE(run_data_samples_of(&data, &data.records[1]) == NULL);
  ASSERT_EQ_STR(run_data_run_name(&data, 1).text, "b");
  run_data_free(&data);
  remove_run(paths[0]);
  remove_run(paths[1]);
}

static void notes_name_their_run(void) {
  const char *const paths[] = {make_run("a", "H200", 1), make_run("b", "B200", 2)};
  struct run_data data;
  struct err err = {0};
  char file[200];
  snprintf(file, sizeof file, "%s/run.ini", paths[1]);
  unlink(file);
  ASSERT_EQ_INT(load_both(paths, &data, &err), 0);
  ASSERT_EQ_INT(data.notes.count, 1);
  if (data.notes.count == 1) ASSERT_HAS(data.notes.items[0], "20261121T071503Z-attention: run.ini is missing");
  run_data_free(&data);
  remove_run(paths[0]);
  remove_run(paths[1]);
}

static void a_run_counts_once(void) {
  const char *path = make_run("a", "H200", 1);
  char again[200];
  snprintf(again, sizeof again, "%s/.", path);
  const char *const paths[] = {path, again}, *const missing[] = {path, "/nowhere"};
  struct run_data data;
  struct err err = {0};
  ASSERT_EQ_INT(load_both(paths, &data, &err), -1);
  ASSERT_EQ_INT(err.exit_code, EXIT_USAGE);
  ASSERT_HAS(err.text, "are the same run");
  err = (struct err){0};
  ASSERT_EQ_INT(load_both(missing, &data, &err), -1);
  ASSERT_HAS(err.text, "cannot open /nowhere");
  remove_run(path);
}

int main(void) {
  static const struct unit_test tests[] = {UNIT_TEST(runs_merge),
                                           UNIT_TEST(notes_name_their_run),
                                           UNIT_TEST(a_run_counts_once),
                                           UNIT_TEST(rows_come_back),
                                           UNIT_TEST(hostile_rows_come_back),
                                           UNIT_TEST(a_lone_file_says_what_it_lacks),
                                           UNIT_TEST(run_ini_is_decoded),
                                           UNIT_TEST(samples_are_grouped),
                                           UNIT_TEST(samples_of_unfinished_processes_are_left_out),
                                           UNIT_TEST(damage_names_its_place),
                                           UNIT_TEST(numbers_must_be_numbers),
                                           UNIT_TEST(errors_drive_no_terminal),
                                           UNIT_TEST(newer_schemas_are_read),
                                           UNIT_TEST(a_cut_last_row_is_noted)};
  if (mkdtemp(dir) == NULL) return 1;
  int failed = unit_run("run_data", tests, sizeof tests / sizeof tests[0]);
  rmdir(dir);
  return failed;
}

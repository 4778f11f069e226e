/* Tests the export formats: golden files, common properties, and that hostile text is harmless in all of them. */
#include "export/export.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "capture.h"
#include "sample_run.h"
#include "summary/bench.h"

/* Adds a struct run_info, as loading a run directory would. */
static void add_run(struct run_data *data) {
  data->runs = xcalloc(1, sizeof *data->runs);
  data->run_count = 1;
  data->runs[0] = (struct run_info){.dir = xstrdup("gpubench-out/20261121T071503Z-attention"),
                                    .environment = data->environment,
                                    .tags = data->tags,
                                    .notes = data->notes,
                                    .count = data->count};
  strings_add(&data->runs[0].files, "results.csv");
  strings_add(&data->runs[0].files, "samples.csv");
  data->environment = data->tags = (struct pairs){0};
  data->notes = (struct strings){0};
  run_data_share(data);
}

static void make(struct run_data *data, bool failures) {
  sample_run(data, failures);
  add_run(data);
}

/* Makes two runs on two devices with the same cases. */
static void make_two(struct run_data *data, const char *device) {
  struct run_data other;
  make(data, false);
  make(&other, false);
  for (size_t i = 0; i < other.count; i++) {
    record_set(&other.records[i].device_name, device);
    record_set(&other.records[i].devices, device);
  }
  free(other.runs[0].environment.items[0].value);
  other.runs[0].environment.items[0].value = xstrdup("20261122T071503Z-again");
  run_data_merge(data, &other);
}

static char *text_of(export_fn write, const struct run_data *data) {
  struct capture capture;
  struct err err = {0};
  ASSERT_EQ_INT(write(data, capture_open(&capture), &err), 0);
  ASSERT_EQ_STR(err.text, "");
  return capture_close(&capture);
}

static void add_slots(struct run_data *data) {
  static const double ns[2][3] = {{831000, 833000, 831500}, {829000, 830000, 832000}};
  struct run_samples *samples =
      run_data_add_samples(data, 0, data->records[0].case_key, data->records[0].variant, data->records[0].mode);
  samples->slots = xcalloc(2, sizeof *samples->slots);
  samples->count = 2;
  for (uint32_t i = 0; i < 2; i++)
    samples->slots[i] = (struct slot){.epoch = 1, .round = i, .count = 3, .ns = ns[i]};
}

static const struct {
  const char *golden;
  export_fn write;
  size_t rows;                        /* rows of the sample that are written, to keep golden files short */
} formats[] = {{NULL, export_csv, 0}, /* results.csv: see test_csv.c */
               {"out_wide.csv", export_csv_wide, 3},
               {"out_report.json", export_json, 3},
               {"out_junit.xml", export_junit, 15},
               {"out_ctrf.json", export_ctrf, 15},
               {"out_markdown.md", export_markdown, 15},
               {"out_gbench.json", export_gbench, 6},
               {"out_bmf.json", export_bmf, 6},
               {"out_gh_smaller.json", export_gh_smaller, 15},
               {"out_gh_bigger.json", export_gh_bigger, 15},
               {"out_openmetrics.txt", export_openmetrics, 6}};
enum { FORMATS = sizeof formats / sizeof formats[0] };

static void look_as_they_should(void) {
  struct run_data data;
  make(&data, true);
  add_slots(&data);
  pairs_add_text(&data.runs[0].environment, "require", "stand*");
  run_data_share(&data);
  for (size_t i = 1; i < FORMATS; i++) {
    data.count = data.runs[0].count = formats[i].rows;
    char *text = text_of(formats[i].write, &data), *again = text_of(formats[i].write, &data);
    assert_golden(formats[i].golden, text);
    ASSERT_EQ_STR(again, text);
    free(text);
    free(again);
  }
  data.count = 15;
  run_data_free(&data);
}

/* Writes the JSON schema of a row from the list of columns. */
static void write_column_type(struct json *json, const struct record_field *field) {
  static const char *const types[] = {[RECORD_TEXT] = "string", [RECORD_REAL] = "number", [RECORD_WHOLE] = "integer"};
  json_object(json, field->name);
  json_array(json, "type");
  json_text(json, NULL, types[field->kind]);
  json_text(json, NULL, "null");
  if (field->kind == RECORD_REAL) json_text(json, NULL, "string");
  json_array_end(json);
  if (field->kind == RECORD_REAL) json_text(json, "pattern", "^-?inf$");
  if (field->kind == RECORD_WHOLE) json_whole(json, "minimum", 0);
  char text[256];
  snprintf(text, sizeof text, "%s%s%s", field->doc, field->unit[0] ? "; in " : "", field->unit);
  json_text(json, "description", text);
  json_object_end(json);
}

static char *row_schema(void) {
  static const char *const path[] = {NULL, "properties", "rows", "items", "properties"};
  struct capture capture;
  struct json json;
  json_begin(&json, capture_open(&capture));
  for (size_t i = 0; i < 5; i++)
    json_object(&json, path[i]);
  json.flat = json.depth; /* a column is a line */
  for (size_t i = 0; i < record_field_count; i++)
    write_column_type(&json, &record_fields[i]);
  for (size_t i = 0; i < 5; i++)
    json_object_end(&json);
  json_end(&json);
  return capture_close(&capture);
}

/* Checks that report.schema.json describes the columns that the JSON output has. If GPUBENCH_SCHEMA=FILE is set, writes
 * the description of the columns to that file. */
static void the_schema_has_the_columns(void) {
  char *all = row_schema(), *rows = strstr(all, "\"schema\": "), *end = strstr(rows, "\n        }"),
       *schema = read_file(SOURCE_DIR "/reports/schema/report.schema.json");
  const char *dump = getenv("GPUBENCH_SCHEMA");
  *end = '\0';
  if (dump != NULL) write_file(dump, rows);
  if (strstr(schema, rows) == NULL)
    UNIT_FAIL("reports/schema/report.schema.json lacks these columns or has others:\n%.900s", rows);
  else
    UNIT_PASS();
  free(all);
  free(schema);
}

/* ---- Common properties ---- */

static void rows_come_in_order_without_yardsticks(void) {
  struct run_data data;
  struct run_summary summary;
  make(&data, false);
  for (size_t i = 0; i < 3; i++) {
    record_set(&data.records[i].contract, "gpubench.org/calibrate/copy/1");
    record_set(&data.records[i].bench, "calibrate/copy");
  }
  summary_build(&data, &summary);
  struct export_row row = {.data = &data, .summary = &summary};
  for (size_t i = 3; i < 15; i++) {
    ASSERT_TRUE(export_next(&row));
    ASSERT_TRUE(row.record == &data.records[i]);
  }
  ASSERT_TRUE(!export_next(&row));
  ASSERT_TRUE(!export_next(&row));
  summary_free(&summary);
  run_data_free(&data);
}

static void name_of(const struct run_data *data, size_t index, char *name, size_t size) {
  struct run_summary summary;
  summary_build(data, &summary);
  struct export_row row = {.data = data, .summary = &summary};
  for (size_t i = 0; i <= index; i++)
    ASSERT_TRUE(export_next(&row));
  export_name(&row, name, size);
  summary_free(&summary);
}

static void names_tell_places_apart(void) {
  static const char key[] = "attention/forward[b=16,h=12,s=1024,d=64,dtype=bf16,causal=yes]";
  char name[OUT_NAME_SIZE], expected[OUT_NAME_SIZE];
  struct run_data data;
  make(&data, false);
  name_of(&data, 1, name, sizeof name);
  snprintf(expected, sizeof expected, "%s/flash/cold", key);
  ASSERT_EQ_STR(name, expected);
  run_data_free(&data);
  make_two(&data, "NVIDIA B200");
  name_of(&data, 16, name, sizeof name);
  snprintf(expected, sizeof expected, "%s/flash/cold/NVIDIA B200", key);
  ASSERT_EQ_STR(name, expected);
  run_data_free(&data);
  make_two(&data, "NVIDIA H200"); /* with another UUID */
  name_of(&data, 16, name, sizeof name);
  snprintf(expected, sizeof expected, "%s/flash/cold/NVIDIA H200", key);
  ASSERT_EQ_STR(name, expected);
  run_data_free(&data);
}

/* Two runs with the same device and the same cases are shown apart. */
static void repeated_runs_stay_apart(void) {
  char name[OUT_NAME_SIZE];
  struct run_data data;
  struct run_summary summary;
  make_two(&data, "NVIDIA H200");
  for (size_t i = 15; i < 30; i++)
    record_set(&data.records[i].devices, data.records[0].devices);
  summary_build(&data, &summary);
  ASSERT_EQ_INT(summary.bench_count, 2);
  ASSERT_EQ_INT(summary.rows, 30);
  ASSERT_EQ_STR(title_bench(&data, &summary, &summary.benches[1]).text, "attention/forward, 20261122T071503Z-again");
  summary_free(&summary);
  name_of(&data, 0, name, sizeof name);
  ASSERT_HAS(name, "/standard/cold/20261121T071503Z-attention");
  run_data_free(&data);
}

/* Two runs with different cases become one table. */
static void shards_become_one(void) {
  struct run_data data;
  struct run_summary summary;
  make_two(&data, "NVIDIA H200");
  for (size_t i = 15; i < 30; i++) {
    char key[64];
    snprintf(key, sizeof key, "attention/forward[s=%zu]", i / 3);
    record_set(&data.records[i].devices, data.records[0].devices);
    record_set(&data.records[i].case_key, key);
  }
  summary_build(&data, &summary);
  ASSERT_EQ_INT(summary.bench_count, 1);
  ASSERT_EQ_INT(summary.benches[0].case_count, 10);
  summary_free(&summary);
  run_data_free(&data);
}

/* The --require of one run demands nothing from the rows of another run. */
static void requirements_are_a_runs_own(void) {
  struct run_data data;
  struct run_summary summary;
  make_two(&data, "NVIDIA B200");
  pairs_add_text(&data.runs[1].environment, "require", "stand*");
  run_data_share(&data);
  summary_build(&data, &summary);
  ASSERT_TRUE(!summary_failed(&data, &summary, &data.records[12]));
  ASSERT_TRUE(summary_failed(&data, &summary, &data.records[27]));
  summary_free(&summary);
  run_data_free(&data);
}

static void long_names_stay_different(void) {
  char key[2000], first[OUT_NAME_SIZE], second[OUT_NAME_SIZE];
  struct run_data data;
  make(&data, false);
  memset(key, 'k', sizeof key - 1);
  key[sizeof key - 1] = '\0';
  for (size_t i = 0; i < 3; i++)
    record_set(&data.records[i].case_key, key);
  name_of(&data, 0, first, sizeof first);
  name_of(&data, 1, second, sizeof second);
  ASSERT_EQ_INT(strlen(first), OUT_NAME_SIZE - 1);
  ASSERT_TRUE(strcmp(first, second) != 0);
  ASSERT_TRUE(first[OUT_NAME_SIZE - 18] == '~');
  run_data_free(&data);
}

static void sentences_say_it(void) {
  char text[OUT_SENTENCE_SIZE];
  struct run_data data;
  struct run_summary summary;
  make(&data, true);
  summary_build(&data, &summary);
  struct export_row row = {.data = &data, .summary = &summary};
  export_next(&row);
  export_sentence(&row, text, sizeof text);
  ASSERT_EQ_STR(text, "831.3 us +-0.2%, 31.0 TFLOP/s, 4.1% of the ceiling, the baseline");
  export_next(&row);
  export_sentence(&row, text, sizeof text);
  ASSERT_EQ_STR(text, "143.2 us +-0.2%, 180 TFLOP/s, 24% of the ceiling, 5.805x [5.788, 5.823] of standard: faster");
  while (row_status_of(row.record) != ROW_WRONG)
    export_next(&row);
  export_sentence(&row, text, 20);
  ASSERT_EQ_INT(strlen(text), 19);
  ASSERT_HAS(text, "wrong: out[1032, 7]");
  summary_free(&summary);
  run_data_free(&data);
}

/* ---- Limits and attacks ---- */

static void empty_runs_are_written(void) {
  struct run_data data = {0};
  add_run(&data);
  for (size_t i = 0; i < FORMATS; i++) {
    char *text = text_of(formats[i].write, &data);
    ASSERT_TRUE(text[0] != '\0');
    free(text);
  }
  run_data_free(&data);
}

static void full_disks_are_noticed(void) {
  struct run_data data;
  make(&data, false);
  for (size_t i = 0; i < FORMATS; i++) {
    struct err err = {0};
    FILE *full = fopen("/dev/full", "w");
    if (full == NULL) return;
    ASSERT_EQ_INT(formats[i].write(&data, full, &err), -1);
    ASSERT_HAS(err.text, "cannot write");
    fclose(full);
  }
  run_data_free(&data);
}

static void markdown_stays_small(void) {
  enum { CASES = 30000 };
  struct run_data data = {.records = xcalloc(CASES, sizeof *data.records), .count = CASES};
  for (size_t i = 0; i < CASES; i++) {
    char key[64];
    sample_row(&data.records[i], 0, 0, false);
    snprintf(key, sizeof key, "a/b[n=%zu]", i);
    record_set(&data.records[i].case_key, key);
    snprintf(key, sizeof key, "n=%zu", i);
    record_set(&data.records[i].axes, key);
    if (i % 2) record_set(&data.records[i].status, "crashed");
  }
  add_run(&data);
  char *text = text_of(export_markdown, &data);
  ASSERT_TRUE(strlen(text) <= 1024 * 1024);
  ASSERT_HAS(text, "- and 14900 more\n");
  ASSERT_HAS(text, " of 30000 cases are left out here; results.csv has all.\n");
  free(text);
  run_data_free(&data);
}

static bool is_text(const char *text) {
  while (*text != '\0') {
    size_t length = text_utf8_length(text);
    if (length == 0 || ((unsigned char)*text < 0x20 && strchr("\t\r\n", *text) == NULL)) return false;
    text += length;
  }
  return true;
}

static void hostile_text_is_inert(void) {
  struct run_data data;
  sample_hostile(&data);
  add_run(&data);
  for (size_t i = 2; i < FORMATS; i++) { /* CSV keeps every byte, in quotes */
    char *text = text_of(formats[i].write, &data);
    if (!is_text(text)) UNIT_FAIL("%s: a control character or no UTF-8", formats[i].golden);
    bool label = formats[i].write == export_openmetrics; /* OpenMetrics is plain text, in which markup is harmless */
    if (!label && (strstr(text, "<script") != NULL || strstr(text, "<svg") != NULL || strstr(text, "<img") != NULL))
      UNIT_FAIL("%s: markup came through", formats[i].golden);
    free(text);
  }
  run_data_free(&data);
}

static void wide_csv_has_every_axis(void) {
  struct run_data data;
  make(&data, false);
  data.count = data.runs[0].count = 3;
  record_set(&data.records[0].axes, "b=-1;name=%3D1%2B1;x=-1.5e-3");
  record_set(&data.records[1].axes, "x=1e;b=;only=a,b");
  record_set(&data.records[2].axes, NULL);
  char *text = text_of(export_csv_wide, &data);
  ASSERT_HAS(text, ",message,\"axis.b\",\"axis.name\",\"axis.x\",\"axis.only\"\r\n");
  ASSERT_HAS(text, ",-1,\"'=1+1\",-1.5e-3,\r\n");
  ASSERT_HAS(text, ",,,\"1e\",\"a,b\"\r\n");
  ASSERT_HAS(text, ",,,,\r\n");
  ASSERT_TRUE(strstr(text, ",axes,") == NULL);
  free(text);
  data.count = data.runs[0].count = 15;
  run_data_free(&data);
}

/* Infinite errors and counts beyond 2^53 keep their values in JSON. */
static void json_has_what_it_lacks(void) {
  struct run_data data;
  make(&data, false);
  data.count = data.runs[0].count = 1;
  data.records[0].verify_error = (double)INFINITY;
  data.records[0].flops = INT64_C(9007199254740993);
  data.records[0].bytes = -1;
  char *text = text_of(export_json, &data);
  ASSERT_HAS(text, "\"verify_error\": \"inf\"");
  ASSERT_HAS(text, "\"flops\": 9007199254740993, \"bytes\": null");
  free(text);
  data.count = data.runs[0].count = 15;
  run_data_free(&data);
}

UNIT_MAIN("out", UNIT_TEST(look_as_they_should), UNIT_TEST(the_schema_has_the_columns),
          UNIT_TEST(rows_come_in_order_without_yardsticks), UNIT_TEST(names_tell_places_apart),
          UNIT_TEST(repeated_runs_stay_apart), UNIT_TEST(shards_become_one), UNIT_TEST(requirements_are_a_runs_own),
          UNIT_TEST(long_names_stay_different), UNIT_TEST(sentences_say_it), UNIT_TEST(empty_runs_are_written),
          UNIT_TEST(full_disks_are_noticed), UNIT_TEST(markdown_stays_small), UNIT_TEST(hostile_text_is_inert),
          UNIT_TEST(wide_csv_has_every_axis), UNIT_TEST(json_has_what_it_lacks))

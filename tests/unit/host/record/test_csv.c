
#include <math.h>
#include <unistd.h>

#include "capture.h"
#include "record/csv/csv.h"
#include "record/csv/files.h"

static char path[] = "/tmp/test_csv.XXXXXX";

struct table {
  char *cells[64];
  size_t count, columns, rows;
  bool last_complete;
};

static int keep(struct table *table, char **fields, size_t count) {
  for (size_t i = 0; i < count && table->count < 64; i++)
    table->cells[table->count++] = strdup(fields[i]);
  return 0;
}

static int on_header(void *user, char **fields, size_t count, struct err *err) {
  (void)err;
  struct table *table = user;
  table->columns = count;
  return keep(table, fields, count);
}

static int on_row(void *user, char **fields, size_t count, bool complete, struct err *err) {
  struct table *table = user;
  table->rows++;
  table->last_complete = complete;
  if (strcmp(fields[0], "refuse") == 0) return err_set(err, EXIT_FAILED, "refused");
  return keep(table, fields, count);
}

static void table_free(struct table *table) {
  for (size_t i = 0; i < table->count; i++)
    free(table->cells[i]);
  *table = (struct table){0};
}

static int read_text(const char *text, size_t length, struct table *table, bool *torn, struct err *err) {
  FILE *out = fopen(path, "wb");
  fwrite(text, 1, length, out);
  fclose(out);
  *table = (struct table){0};
  *err = (struct err){0};
  const struct csv_handler handler = {on_header, on_row, table};
  FILE *in = fopen(path, "r");
  const int result = csv_read_stream(in, path, &handler, torn, err);
  fclose(in);
  return result;
}

static char *line_of(const struct record *record) {
  struct capture capture;
  struct err err = {0};
  ASSERT_EQ_INT(csv_write_record(capture_open(&capture), record, &err), 0);
  return capture_close(&capture);
}

static void header_has_all_columns(void) {
  struct capture capture;
  struct err err = {0};
  ASSERT_EQ_INT(csv_write_header(capture_open(&capture), &err), 0);
  char *text = capture_close(&capture);
  ASSERT_EQ_INT(count_of(text, ","), record_field_count - 1);
  ASSERT_TRUE(strncmp(text, "schema,run_id,", 14) == 0);
  ASSERT_HAS(text, ",message\r\n");
  free(text);
}

static void unknown_is_empty(void) {
  struct record record;
  record_init(&record);
  record.speedup = 0;
  char *text = line_of(&record);
  ASSERT_EQ_INT(count_of(text, "0"), 1);
  ASSERT_EQ_INT(count_of(text, ","), record_field_count - 1);
  ASSERT_EQ_INT(strlen(text), record_field_count - 1 + 1 + 2);
  free(text);
}

static void text_is_quoted_and_numbers_are_not(void) {
  struct record record;
  record_init(&record);
  record_set(&record.message, "a \"b\", c\r\nd");
  record.median_raw_ns = -1.5;
  char *text = line_of(&record);
  ASSERT_HAS(text, ",\"a \"\"b\"\", c\r\nd\"\r\n");
  ASSERT_HAS(text, ",-1.5,");
  free(text);
  record_free(&record);
}

static void formulas_are_inert_and_come_back(void) {
  static const char *const texts[] = {"=1+1", "+1",  "-1", "@x", "\tx",  "\rx",  "'=1", "''=1",
                                      "'x",   "x=1", "'",  "''", "\n=1", "a'=1", "=",   "'\t"};
  static const char *const guarded[] = {"'=1+1", "'+1", "'-1", "'@x", "'\tx",  "'\rx", "''=1", "'''=1",
                                        "'x",    "x=1", "'",   "''",  "'\n=1", "a'=1", "'=",   "''\t"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    struct record record;
    char expected[32], *copy = strdup(guarded[i]);
    record_init(&record);
    record_set(&record.message, texts[i]);
    char *line = line_of(&record);
    snprintf(expected, sizeof expected, ",\"%s\"\r\n", guarded[i]);
    ASSERT_HAS(line, expected);
    csv_unguard(copy);
    ASSERT_EQ_STR(copy, texts[i]);
    free(copy);
    free(line);
    record_free(&record);
  }
}

static void full_disks_are_noticed(void) {
  struct record record;
  struct err err = {0};
  FILE *full = fopen("/dev/full", "w");
  record_init(&record);
  if (full == NULL) return;
  ASSERT_EQ_INT(csv_write_record(full, &record, &err), -1);
  ASSERT_EQ_INT(err.exit_code, EXIT_FAILED);
  ASSERT_HAS(err.text, "cannot write results");
  fclose(full);
}

static void samples_have_their_place(void) {
  const double ns[] = {1.5, 32};
  const struct csv_series series = {"a/b[x=1,y=2]", "=v", "cold"};
  const struct slot slot = {.epoch = 3, .round = 7, .count = 2, .ns = ns};
  struct capture capture;
  struct err err = {0};
  capture_open(&capture);
  ASSERT_EQ_INT(csv_table_write_header(capture.stream, &samples_csv, &err), 0);
  ASSERT_EQ_INT(samples_csv_write(capture.stream, &series, &slot, &err), 0);
  char *text = capture_close(&capture);
  ASSERT_EQ_STR(text,
                "case_key,variant,mode,epoch,round,index,ns\r\n\"a/b[x=1,y=2]\",\"'=v\",\"cold\",3,7,0,1.5\r\n"
                "\"a/b[x=1,y=2]\",\"'=v\",\"cold\",3,7,1,32\r\n");
  free(text);
}

#define READ(content) read_text(content, sizeof(content) - 1, &table, &torn, &err)

static void reads_what_rfc_4180_allows(void) {
  struct table table;
  struct err err;
  bool torn = true;
  ASSERT_EQ_INT(READ("\xEF\xBB\xBF"
                     "a,b\r\n\"x \"\"y\"\", z\r\nw\",2\r\n\r\n,\n3,4"),
                0);
  ASSERT_EQ_INT(table.columns, 2);
  ASSERT_EQ_INT(table.rows, 3);
  ASSERT_EQ_STR(table.cells[0], "a");
  ASSERT_EQ_STR(table.cells[2], "x \"y\", z\r\nw");
  ASSERT_EQ_STR(table.cells[4], "");
  ASSERT_EQ_STR(table.cells[7], "4");
  ASSERT_TRUE(!table.last_complete);
  ASSERT_TRUE(!torn);
  table_free(&table);
}

#define REFUSED(content, message)     \
  do {                                \
    ASSERT_EQ_INT(READ(content), -1); \
    ASSERT_HAS(err.text, message);    \
    ASSERT_HAS(err.text, path);       \
    table_free(&table);               \
  } while (0)

static void errors_name_the_line(void) {
  struct table table;
  struct err err;
  bool torn = false;
  REFUSED("a,b\n1,2\n3\n4,5\n", ":3: 1 fields, but the header has 2");
  REFUSED("a,b\n\n\"x\ny\",2\n1,2,3\n", ":5: 3 fields");
  REFUSED("a,b\n\"x\ny\",2\n\n\nrefuse,2\n", ":6: refused");
  REFUSED("a,b\n\"x\"y,2\n", ":2: a quotation mark");
  REFUSED("a,b\nx\0y,2\n", ":2: a NUL byte");
  REFUSED("", ":1: no header");
  REFUSED("a,\"b", "inside a quoted field");
}

static void a_torn_last_row_is_left_out(void) {
  struct table table;
  struct err err;
  bool torn = false;
  ASSERT_EQ_INT(READ("a,b\n1,2\n3"), 0);
  ASSERT_TRUE(torn);
  ASSERT_EQ_INT(table.rows, 1);
  table_free(&table);
  ASSERT_EQ_INT(READ("a,b\n1,2\n3,\"cut"), 0);
  ASSERT_TRUE(torn);
  ASSERT_EQ_INT(table.rows, 1);
  table_free(&table);
}

/* Prints the columns of results.csv as a Markdown table. */
static void print_columns(FILE *out) {
  static const char *const kinds[] = {[RECORD_TEXT] = "text", [RECORD_REAL] = "number", [RECORD_WHOLE] = "integer"};
  fputs("| column | kind | unit | what it is |\n|---|---|---|---|\n", out);
  for (size_t i = 0; i < record_field_count; i++)
    fprintf(out, "| `%s` | %s | %s | %s |\n", record_fields[i].name, kinds[record_fields[i].kind],
            record_fields[i].unit, record_fields[i].doc);
}

static void the_readme_has_the_columns(void) {
  struct capture capture;
  print_columns(capture_open(&capture));
  char *columns = capture_close(&capture), *readme = read_file(SOURCE_DIR "/reports/docs/files.md");
  if (strstr(readme, columns) == NULL)
    UNIT_FAIL("reports/docs/files.md lacks this table or has another one:\n%.900s", columns);
  else
    CU_PASS();
  const char *dump = getenv("GPUBENCH_COLUMNS"); /* a file to write the columns to */
  if (dump != NULL) write_file(dump, columns);
  free(columns);
  free(readme);
}

int main(void) {
  static const struct unit_test tests[] = {UNIT_TEST(header_has_all_columns),
                                           UNIT_TEST(unknown_is_empty),
                                           UNIT_TEST(text_is_quoted_and_numbers_are_not),
                                           UNIT_TEST(formulas_are_inert_and_come_back),
                                           UNIT_TEST(full_disks_are_noticed),
                                           UNIT_TEST(samples_have_their_place),
                                           UNIT_TEST(reads_what_rfc_4180_allows),
                                           UNIT_TEST(errors_name_the_line),
                                           UNIT_TEST(a_torn_last_row_is_left_out),
                                           UNIT_TEST(the_readme_has_the_columns)};
  int fd = mkstemp(path);
  if (fd < 0) return 1;
  close(fd);
  int failed = unit_run("csv", tests, sizeof tests / sizeof tests[0]);
  unlink(path);
  return failed;
}

/* Tests writing and reading rows with every kind of field, errors in fields, and wrong headers. */
#include "record/csv/csv.h"

#include <math.h>

#include "capture.h"

#define LIST(X)    \
  X(TEXT, text)    \
  X(NUMBER, nr)    \
  X(WHOLE, whole)  \
  X(COUNT, count)  \
  X(SIGNED, below) \
  X(REAL, real)    \
  X(KNOWN, known)  \
  X(ABOVE, above)
extern const struct csv_table kinds;
CSV_TABLE(kinds, LIST, "kinds");

#define HEADER "text,nr,whole,count,below,real,known,above"

static struct row last;
static size_t taken;

static int take(void *user, char **fields, struct err *err) {
  (void)user;
  last = (struct row){0};
  taken++;
  return csv_table_check(&kinds, csv_table_parse(&kinds, fields, &last), fields, err);
}

static int read_text(const char *text, bool *torn, struct err *err) {
  FILE *in = fmemopen((char *)(uintptr_t)text, strlen(text), "r");
  *err = (struct err){0};
  taken = 0;
  int result = csv_table_read(in, "k.csv", &kinds, take, NULL, torn, err);
  fclose(in);
  return result;
}

static void comes_back(const struct row *row, const char *line) {
  struct capture capture;
  struct err err = {0};
  FILE *out = capture_open(&capture);
  ASSERT_EQ_INT(csv_table_write_header(out, &kinds, &err), 0);
  csv_table_write(out, &kinds, row);
  char *text = capture_close(&capture);
  ASSERT_TRUE(strncmp(text, HEADER "\r\n", sizeof HEADER + 1) == 0);
  ASSERT_EQ_STR(text + sizeof HEADER + 1, line);
  ASSERT_EQ_INT(read_text(text, NULL, &err), 0);
  ASSERT_EQ_INT(taken, 1);
  ASSERT_TRUE(last.nr == row->nr && last.whole == row->whole && last.count == row->count && last.below == row->below);
  ASSERT_TRUE(last.real == row->real && isnan(last.known) == isnan(row->known) &&
              isnan(last.above) == isnan(row->above));
  free(text);
}

static void rows_come_back(void) {
  const struct row most = {"=a\"b", UINT32_MAX, INT64_MAX, UINT64_MAX, INT64_MIN, -1.5e300, 0.1, 1e-300},
                   least = {NULL, 0, 0, 0, 0, 0, NAN, NAN};
  comes_back(
      &most,
      "\"'=a\"\"b\",4294967295,9223372036854775807,18446744073709551615,-9223372036854775808,-1.5e+300,0.1,1e-300\r\n");
  comes_back(&least, ",0,0,,0,0,,\r\n");
}

static void the_first_wrong_field_is_named(void) {
  static const struct {
    const char *line, *why;
  } wrong[] = {
      {",,0,0,0,0,,", "k.csv:2: '' is not a whole number"},
      {",4294967296,0,0,0,0,,", "'4294967296' is not a whole number"},
      {",0,9223372036854775808,0,0,0,,", "'9223372036854775808' is not a whole number"},
      {",0,0,-1,0,0,,", "'-1' is not a whole number"},
      {",0,0,18446744073709551616,0,0,,", "'18446744073709551616' is not a whole number"},
      {",0,0,,1.5,0,,", "'1.5' is not a whole number"},
      {",0,0,,,0,,", "'' is not a whole number"},
      {",0,0,,0,,,", "'' is not a number"},
      {",0,0,,0,inf,,", "'inf' is not a number"},
      {",0,0,,0,nan,,", "'nan' is not a number"},
      {",0,0,,0,0,1x,", "'1x' is not a number"},
      {",0,0,,0,0,,0", "'0' is not a number above 0"},
      {",x,y,,0,0,,0", "'x' is not a whole number"},
  };
  char text[256];
  struct err err;
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    snprintf(text, sizeof text, HEADER "\r\n%s\r\n", wrong[i].line);
    ASSERT_EQ_INT(read_text(text, NULL, &err), -1);
    ASSERT_HAS(err.text, wrong[i].why);
  }
}

static void headers_must_be_the_files(void) {
  static const char *const headers[] = {"nr,text,whole,count,below,real,known,above", HEADER ",more",
                                        "text,nr,whole,count,below,real,known",
                                        "\"text, nr\",whole,count,below,real,known,above"};
  struct err err;
  for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
    ASSERT_EQ_INT(read_text(headers[i], NULL, &err), -1);
    ASSERT_HAS(err.text, ", known");
    ASSERT_HAS(err.text, "', not " HEADER);
  }
}

static void a_row_that_is_cut_off_is_left_out(void) {
  struct err err;
  bool torn = true;
  ASSERT_EQ_INT(read_text(HEADER "\r\na,1,1,1,1,1,1,1\r\na,1,1,1,1,1,1,12", &torn, &err), 0);
  ASSERT_TRUE(taken == 1 && !torn); /* all fields are there, but 12 may be part of 123 */
  ASSERT_EQ_INT(read_text(HEADER "\r\na,1,1,1,1,1,1,1\r\na,1,1", &torn, &err), 0);
  ASSERT_TRUE(taken == 1 && torn);
}

UNIT_MAIN("csv_table", UNIT_TEST(rows_come_back), UNIT_TEST(the_first_wrong_field_is_named),
          UNIT_TEST(headers_must_be_the_files), UNIT_TEST(a_row_that_is_cut_off_is_left_out))

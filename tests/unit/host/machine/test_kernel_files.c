/* Tests reading small text files, valid and invalid ones. */
#include "machine/kernel_files.h"

#include "base/memory.h"
#include "base/text.h"
#include "fake_tree.h"
#include "unit.h"

static void first_lines_are_texts(void) {
  char text[16];
  fake_begin();
  fake_file("/a", "performance\nmore\n");
  fake_file("/b", "no newline");
  ASSERT_TRUE(tree_text(fake_root, text, sizeof text, "/a"));
  ASSERT_EQ_STR(text, "performance");
  ASSERT_TRUE(tree_text(fake_root, text, sizeof text, "/%c", 'b'));
  ASSERT_EQ_STR(text, "no newline");
  fake_end();
}

static void what_is_no_text_is_not_known(void) {
  char text[16];
  char *large = xcalloc(1 << 20, 1);
  fake_begin();
  memset(large, 'x', 1 << 20);
  fake_bytes("/huge", large, 1 << 20);
  free(large);
  fake_file("/long", "0123456789abcdef\n"); /* one byte more than fits */
  fake_bytes("/nul", "ab\0cd\n", 6);
  fake_bytes("/empty", "", 0);
  fake_file("/blank", "\n");
  mkfifo(fake_path("/fifo"), 0600);
  mkdir(fake_path("/folder"), 0700);
  if (symlink("/dev/zero", fake_path("/zero")) != 0) UNIT_FAIL("symlink");
  static const char *const bad[] = {"/huge", "/long", "/nul", "/empty", "/blank", "/fifo", "/folder", "/zero", "/none"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    strcpy(text, "before");
    if (tree_text(fake_root, text, sizeof text, "%s", bad[i])) UNIT_FAIL("%s is taken", bad[i]);
    ASSERT_EQ_STR(text, "");
    ASSERT_EQ_INT(tree_number(fake_root, "%s", bad[i]), -1);
  }
  static const char *const irregular[] = {"/fifo", "/folder", "/zero"};
  for (size_t i = 0; i < sizeof irregular / sizeof *irregular; i++)
    if (tree_open(fake_root, irregular[i]).file != NULL) UNIT_FAIL("%s is opened", irregular[i]);
  fake_bytes("/odd", "a\x1b[31m\xff", 7);
  ASSERT_TRUE(tree_text(fake_root, text, sizeof text, "/odd"));
  ASSERT_EQ_STR(text, "a?[31m?");
  fake_end();
}

static void numbers_are_whole_and_not_negative(void) {
  static const struct {
    const char *text;
    long long value;
  } cases[] = {{"0", 0},        {"42\n", 42},  {"42 \n", 42}, {"9223372036854775807", INT64_MAX},
               {"-1", -1},      {"-5\n", -1},  {"+1", -1},    {" 1", -1},
               {"max\n", -1},   {"1.5\n", -1}, {"1 2", -1},   {"9223372036854775808", -1},
               {"0x10\n", -1},  {"1e3", -1},   {"", -1},      {"nan", -1},
               {"12\xff\n", -1}};
  fake_begin();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fake_file("/n", cases[i].text);
    if (tree_number(fake_root, "/n") != cases[i].value)
      UNIT_FAIL("'%s' is %lld", cases[i].text, (long long)tree_number(fake_root, "/n"));
  }
  ASSERT_EQ_INT(tree_parse("7"), 7);
  ASSERT_EQ_INT(tree_parse(""), -1);
  fake_end();
}

static void lines_come_one_by_one(void) {
  char line[8];
  fake_begin();
  fake_file("/lines", "one\n\ntoo long a line\nlast");
  struct tree_file file = tree_open(fake_root, "/lines");
  static const char *const expected[] = {"one", "", "too lon", "last"};
  for (size_t i = 0; i < 4; i++) {
    ASSERT_TRUE(tree_line(&file, line, sizeof line));
    ASSERT_EQ_STR(line, expected[i]);
  }
  ASSERT_TRUE(!tree_line(&file, line, sizeof line));
  tree_close(&file);
  ASSERT_TRUE(!tree_line(&file, line, sizeof line)); /* closed, or never opened */
  fake_end();
}

/* A file that never ends is read only up to a limit. */
static void reading_is_bounded(void) {
  char line[8];
  size_t lines = 0;
  fake_begin();
  fake_file("/sparse", "");
  if (truncate(fake_path("/sparse"), INT64_C(1) << 40) != 0) UNIT_FAIL("truncate");
  struct tree_file file = tree_open(fake_root, "/sparse");
  while (tree_line(&file, line, sizeof line))
    lines++;
  tree_close(&file);
  ASSERT_EQ_INT(lines, 1);
  fake_end();
}

static void values_follow_their_keys(void) {
  char text[8];
  fake_begin();
  fake_file("/status",
            "Cpus_allowed_list_not:\tno\nCpus_allowed_list:\t0-3\nmodel name  : x\nmodel name\t: y\nlong: 12345678\n");
  ASSERT_TRUE(tree_value(fake_root, "/status", "Cpus_allowed_list", text, sizeof text));
  ASSERT_EQ_STR(text, "0-3");
  ASSERT_TRUE(tree_value(fake_root, "/status", "model name", text, sizeof text));
  ASSERT_EQ_STR(text, "x");
  ASSERT_TRUE(!tree_value(fake_root, "/status", "long", text, sizeof text));
  ASSERT_EQ_STR(text, "");
  ASSERT_TRUE(!tree_value(fake_root, "/status", "model", text, sizeof text));
  ASSERT_TRUE(!tree_value(fake_root, "/none", "model", text, sizeof text));
  fake_end();
}

UNIT_MAIN("tree", UNIT_TEST(first_lines_are_texts), UNIT_TEST(what_is_no_text_is_not_known),
          UNIT_TEST(numbers_are_whole_and_not_negative), UNIT_TEST(lines_come_one_by_one),
          UNIT_TEST(reading_is_bounded), UNIT_TEST(values_follow_their_keys))
